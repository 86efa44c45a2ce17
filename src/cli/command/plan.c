/* SPDX-License-Identifier: MIT */
/* archmeter plan: what run would measure, and how long it would take. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/meters.h"
#include "cli/run/setup.h"
#include "conductor/conductor.h"
#include "write/write.h"

#include <stdio.h>

/* The plan's points of one bench, as a plan of their own: they stand together. */
static struct am_plan part_of(const struct am_plan *plan, size_t first)
{
    struct am_plan part = {.settings = plan->settings, .points = plan->points + first};

    while (first + part.n < plan->n && part.points[part.n].bench == part.points[0].bench)
        part.n++;
    return part;
}

static void add_part(struct am_table *t, const char *name, const struct am_plan *part)
{
    const unsigned least = part->settings.min_launches, most = part->settings.max_launches;

    am_table_row(t);
    am_table_text(t, name)->tone = AM_TONE_STRONG;
    (void)am_table_number(t, AM_FORM_COUNT, (double)part->n);
    if (least == most)
        (void)am_table_textf(t, "%zu", part->n * least);
    else
        (void)am_table_textf(t, "%zu to %zu", part->n * least, part->n * most);
    (void)am_table_number(t, AM_FORM_DURATION, am_conductor_estimate(part));
}

static void summary_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {{.title = "bench"},
                                               {.title = "points", .right = true},
                                               {.title = "visits", .right = true},
                                               {.title = "at least about", .right = true}};
    const struct am_plan *const plan = self;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < plan->n;) {
        const struct am_plan part = part_of(plan, i);

        add_part(t, part.points[0].bench->name, &part);
        i += part.n;
    }
    add_part(t, "all", plan);
}

static void points_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {{.title = "bench", .key = "bench"},
                                               {.title = "point", .key = "point"}};
    const struct am_plan *const plan = self;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < plan->n; i++) {
        char text[AM_POINT_TEXT_MAX];

        am_point_text(&plan->points[i], text, sizeof(text));
        am_table_row(t);
        (void)am_table_text(t, plan->points[i].bench->name);
        (void)am_table_text(t, am_arena_strdup(b->arena, text));
    }
}

static void plan_data(struct am_data *d, const void *self)
{
    const struct am_plan *const plan = self;
    const struct am_plan_settings *const s = &plan->settings;

    am_data_text(d, "profile", am_profile_name(s->profile));
    am_data_unsigned(d, "min_launches", s->min_launches);
    am_data_unsigned(d, "max_launches", s->max_launches);
    am_data_number(d, "target", s->target);
    am_data_number(d, "budget_s", s->budget_s);
    am_data_number(d, "estimate_s", am_conductor_estimate(plan));
    am_data_array(d, "points");
    for (size_t i = 0; i < plan->n; i++) {
        const struct am_point *const point = &plan->points[i];
        const struct am_axis *const axes = point->bench->axes;

        am_data_object(d, NULL);
        am_data_text(d, "bench", point->bench->name);
        am_data_object(d, "point");
        for (size_t k = 0; axes && axes[k].name; k++)
            am_data_value(d, axes[k].name, &point->values[k]);
        am_data_object_end(d);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

void am_setup_show_plan(struct am_cli *cli, const struct am_plan *plan)
{
    const bool all = cli->style.format == AM_FORMAT_CSV || cli->opt->verbose;

    am_write(&(struct am_document){.self = plan,
                                   .blocks = all ? points_blocks : summary_blocks,
                                   .data = plan_data},
             &cli->style, cli->arena, stdout);
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
