/* SPDX-License-Identifier: MIT */
/* archmeter plan: what run would measure, and how long it would take. */
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run/meters.h"
#include "cli/run/setup.h"
#include "conductor/schedule.h"
#include "write/write.h"

#include <stdio.h>
#include <string.h>

/* A plan as it is shown. */
struct shown {
    const struct am_plan *plan;
    bool *fits; /* parallel to its points; NULL: all do */
    double seconds;
};

/* What is said of some of its points. */
struct part {
    size_t points, fitting;
    size_t least, most; /* visits of those that fit, */
    double seconds;     /* and what the least of them take */
};

static bool fits(const struct shown *shown, size_t i)
{
    return !shown->fits || shown->fits[i];
}

/* The points from *i on that have the same bench, whichever worker measures them; *i moves on. */
static struct part take_bench(const struct shown *shown, size_t *i)
{
    const struct am_plan *const plan = shown->plan;
    const char *const name = plan->points[*i].bench->name;
    struct part part = {0};

    for (; *i < plan->n && strcmp(plan->points[*i].bench->name, name) == 0; (*i)++) {
        part.points++;
        if (!fits(shown, *i))
            continue;
        part.fitting++;
        part.least += am_point_least(plan, &plan->points[*i]);
        part.most += am_point_most(plan, &plan->points[*i]);
        part.seconds +=
            am_point_least(plan, &plan->points[*i]) * am_schedule_guess(plan, &plan->points[*i]);
    }
    return part;
}

static void add_part(struct am_table *t, const char *name, const struct part *part)
{
    am_table_row(t);
    am_table_text(t, name)->tone = AM_TONE_STRONG;
    if (part->fitting < part->points)
        (void)am_table_textf(t, "%zu of %zu", part->fitting, part->points);
    else
        (void)am_table_textf(t, "%zu", part->points);
    if (part->least == part->most)
        (void)am_table_textf(t, "%zu", part->least);
    else
        (void)am_table_textf(t, "%zu to %zu", part->least, part->most);
    (void)am_table_number(t, AM_FORM_DURATION, part->seconds);
}

/* Points whose cost is known from this machine, by themselves or by their bench. */
static size_t count_timed(const struct am_plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n; i++)
        n += plan->points[i].expect_s > 0;
    return n;
}

/* Says how far the times may be trusted, unless all of them were seen here. */
static void say_guessed(struct am_body *b, const struct am_plan *plan)
{
    static const char guessed[] = "as on common machines, which may be off by half until a run has "
                                  "learned them";
    const size_t timed = count_timed(plan);

    if (!timed && plan->n)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "",
                            "No point was timed here before: times are %s.", guessed);
    else if (timed < plan->n)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "",
                            "%zu of %zu points were timed here before; the others are %s.", timed,
                            plan->n, guessed);
}

static void summary_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {{.title = "bench"},
                                               {.title = "points", .right = true},
                                               {.title = "visits", .right = true},
                                               {.title = "about", .right = true}};
    const struct shown *const shown = self;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    struct part all = {.seconds = shown->seconds};

    for (size_t i = 0; i < shown->plan->n;) {
        const char *const name = shown->plan->points[i].bench->name;
        const struct part part = take_bench(shown, &i);

        add_part(t, name, &part);
        all.points += part.points;
        all.fitting += part.fitting;
        all.least += part.least;
        all.most += part.most;
    }
    add_part(t, "all", &all);
    say_guessed(b, shown->plan);
}

static void points_blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {
        {.title = "bench", .key = "bench"},
        {.title = "point", .key = "point"},
        {.title = "worth", .key = "worth", .right = true},
        {.title = "about", .key = "expected_s", .right = true},
        {.title = "", .key = "left_out"}};
    const struct shown *const shown = self;
    const struct am_plan *const plan = shown->plan;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < plan->n; i++) {
        char text[AM_POINT_TEXT_MAX];

        am_point_text(&plan->points[i], text, sizeof(text));
        am_table_row(t);
        (void)am_table_text(t, plan->points[i].bench->name);
        (void)am_table_text(t, am_arena_strdup(b->arena, text));
        (void)am_table_number(t, AM_FORM_COUNT, plan->points[i].worth);
        (void)am_table_number(t, AM_FORM_DURATION, am_schedule_guess(plan, &plan->points[i]));
        (void)am_table_text(t, fits(shown, i) ? NULL : "left out");
    }
}

static void plan_data(struct am_data *d, const void *self)
{
    const struct shown *const shown = self;
    const struct am_plan *const plan = shown->plan;
    const struct am_plan_settings *const s = &plan->settings;

    am_data_text(d, "profile", am_profile_name(s->profile));
    am_data_unsigned(d, "min_launches", s->min_launches);
    am_data_unsigned(d, "max_launches", s->max_launches);
    am_data_number(d, "target", s->target);
    am_data_number(d, "budget_s", s->budget_s);
    am_data_number(d, "estimate_s", shown->seconds);
    am_data_unsigned(d, "timed_points", count_timed(plan));
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
        am_data_unsigned(d, "worth", point->worth);
        am_data_unsigned(d, "least", am_point_least(plan, point));
        am_data_unsigned(d, "most", am_point_most(plan, point));
        am_data_number(d, "expected_s", am_schedule_guess(plan, point));
        am_data_bool(d, "fits", fits(shown, i));
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

void am_setup_show_plan(struct am_cli *cli, const struct am_plan *plan)
{
    const bool all = cli->style.format == AM_FORMAT_CSV || cli->opt->verbose;
    struct shown shown = {.plan = plan,
                          .fits = am_arena_array(cli->arena, plan->n + 1, sizeof(bool))};

    shown.seconds = am_schedule_estimate(plan, shown.fits);
    am_write(&(struct am_document){.self = &shown,
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
    am_setup_close(&setup);
    return status;
}
