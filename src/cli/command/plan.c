/* SPDX-License-Identifier: MIT */
/* archmeter plan: what run would measure, and how long it would take. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/meters.h"
#include "cli/run/setup.h"
#include "conductor/conductor.h"
#include "report/grid.h"
#include "report/json.h"
#include "document/units.h"

#include <stdio.h>

/* The plan's points of one bench, as a plan of their own: they stand together. */
static struct am_plan part_of(const struct am_plan *plan, size_t first)
{
    struct am_plan part = {.settings = plan->settings, .points = plan->points + first};

    while (first + part.n < plan->n && part.points[part.n].bench == part.points[0].bench)
        part.n++;
    return part;
}

static void launches_text(const struct am_plan_settings *s, size_t points, char *buf, size_t cap)
{
    if (s->min_launches == s->max_launches)
        (void)am_str_format(buf, cap, "%zu", points * s->min_launches);
    else
        (void)am_str_format(buf, cap, "%zu to %zu", points * s->min_launches,
                            points * s->max_launches);
}

static void add_part(struct am_grid *g, const char *name, const struct am_plan *part)
{
    char text[AM_UNITS_MAX];

    am_grid_row(g);
    am_grid_paint(g, name, AM_PAINT_STRONG);
    am_grid_cellf(g, "%zu", part->n);
    launches_text(&part->settings, part->n, text, sizeof(text));
    am_grid_cell(g, text);
    am_units_duration(am_conductor_estimate(part), text, sizeof(text));
    am_grid_cell(g, text);
}

static void write_summary(struct am_cli *cli, const struct am_plan *plan)
{
    struct am_grid g;

    am_grid_init(&g, cli->arena);
    am_grid_column(&g, "bench", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "points", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "visits", AM_ALIGN_RIGHT, 0);
    am_grid_column(&g, "at least about", AM_ALIGN_RIGHT, 0);
    for (size_t i = 0; i < plan->n;) {
        const struct am_plan part = part_of(plan, i);

        add_part(&g, part.points[0].bench->name, &part);
        i += part.n;
    }
    add_part(&g, "all", plan);
    (void)am_grid_write(&g, &cli->style, 0, stdout);
}

static void write_points(struct am_cli *cli, const struct am_plan *plan)
{
    struct am_grid g;

    am_grid_init(&g, cli->arena);
    am_grid_column(&g, "bench", AM_ALIGN_LEFT, 0);
    am_grid_column(&g, "point", AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < plan->n; i++) {
        char text[AM_POINT_TEXT_MAX];

        am_point_text(&plan->points[i], text, sizeof(text));
        am_grid_row(&g);
        am_grid_cell(&g, plan->points[i].bench->name);
        am_grid_cell(&g, text);
    }
    (void)am_grid_write(&g, &cli->style, 0, stdout);
}

static void json_value(struct am_json *j, const char *name, const struct am_value *v)
{
    if (v->kind == AM_AXIS_NAME)
        am_json_string(j, name, v->name);
    else if (v->kind == AM_AXIS_REAL)
        am_json_number(j, name, v->r);
    else
        am_json_integer(j, name, v->i);
}

static void write_json(const struct am_plan *plan)
{
    const struct am_plan_settings *s = &plan->settings;
    struct am_json j;

    am_json_init(&j, stdout, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_string(&j, "profile", am_profile_name(s->profile));
    am_json_unsigned(&j, "min_launches", s->min_launches);
    am_json_unsigned(&j, "max_launches", s->max_launches);
    am_json_number(&j, "target", s->target);
    am_json_number(&j, "budget_s", s->budget_s);
    am_json_number(&j, "estimate_s", am_conductor_estimate(plan));
    am_json_array(&j, "points");
    for (size_t i = 0; i < plan->n; i++) {
        const struct am_point *point = &plan->points[i];
        const struct am_axis *axes = point->bench->axes;

        am_json_object(&j, NULL);
        am_json_string(&j, "bench", point->bench->name);
        am_json_object(&j, "point");
        for (size_t k = 0; axes && axes[k].name; k++)
            json_value(&j, axes[k].name, &point->values[k]);
        am_json_object_end(&j);
        am_json_object_end(&j);
    }
    am_json_array_end(&j);
    am_json_object_end(&j);
}

void am_setup_show_plan(struct am_cli *cli, const struct am_plan *plan)
{
    if (cli->style.format == AM_FORMAT_JSON)
        write_json(plan);
    else if (cli->style.format == AM_FORMAT_CSV || cli->opt->verbose)
        write_points(cli, plan);
    else
        write_summary(cli, plan);
}

enum am_status am_cmd_plan(struct am_cli *cli, struct am_err *err)
{
    struct am_setup setup = {0};
    enum am_status status = am_setup_open(cli, &setup, err);

    if (status == AM_OK)
        status = am_setup_energy(cli, &setup, err);
    if (status == AM_OK)
        status = am_setup_counters(cli, &setup, err);
    if (status == AM_OK)
        status = am_setup_plan(cli, &setup, err);
    if (status == AM_OK) {
        am_setup_stretch(cli, &setup, &setup.plan.settings);
        am_setup_show_plan(cli, &setup.plan);
    }
    if (status == AM_OK && setup.plan.settings.budget_s > 0 &&
        am_conductor_estimate(&setup.plan) > setup.plan.settings.budget_s)
        am_log(AM_LOG_INFO, "the budget of %.0f s may end the run earlier",
               setup.plan.settings.budget_s);
    am_setup_close(&setup);
    return status;
}
