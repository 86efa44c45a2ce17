/* SPDX-License-Identifier: MIT */
/* The table of meter.stability. */
#include "report/steady.h"

#include "base/text.h"
#include "core/stats/steady.h"
#include "report/grid.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { TABLE_INDENT = 2, RANK_KEEP = 0, RANK_EDGE = 1 };

bool am_report_is_steady(const struct am_result *result)
{
    return strcmp(result->bench, "meter.stability") == 0 && result->state == AM_POINT_OK;
}

/* What a meter says, and the time, by which an unsteady machine is told from an unsteady meter. */
static bool is_told(const char *metric)
{
    return strcmp(metric, "time") == 0 || strncmp(metric, "energy:", 7) == 0 ||
           strncmp(metric, "power:", 6) == 0;
}

static void add_value(struct am_grid *grid, double value, const char *unit)
{
    char text[AM_UNITS_MAX];

    am_units_value(value, unit, text, sizeof(text));
    am_grid_cell(grid, text);
}

static void add_row(struct am_grid *grid, const struct am_result_metric *m,
                    const struct am_steady *y)
{
    char text[AM_UNITS_MAX];

    am_grid_row(grid);
    am_grid_cell(grid, m->name);
    am_grid_cellf(grid, "%zu", y->n);
    add_value(grid, y->median, m->unit);
    add_value(grid, y->mean, m->unit);
    add_value(grid, y->sigma, m->unit);
    am_units_share(y->sigma / fabs(y->mean), text, sizeof(text));
    am_grid_cell(grid, text);
    add_value(grid, y->min, m->unit);
    add_value(grid, y->max, m->unit);
    am_grid_cellf(grid, "%zu", y->outliers);
}

static void add_columns(struct am_grid *grid)
{
    static const struct {
        const char *name;
        enum am_align align;
        int rank;
    } all[] = {
        {"quantity", AM_ALIGN_LEFT, RANK_KEEP},
        {"repetitions", AM_ALIGN_RIGHT, RANK_EDGE},
        {"median", AM_ALIGN_RIGHT, RANK_KEEP},
        {"mean", AM_ALIGN_RIGHT, RANK_KEEP},
        {"sigma", AM_ALIGN_RIGHT, RANK_KEEP},
        {"of mean", AM_ALIGN_RIGHT, RANK_KEEP},
        {"min", AM_ALIGN_RIGHT, RANK_EDGE},
        {"max", AM_ALIGN_RIGHT, RANK_EDGE},
        {"beyond 3 sigma", AM_ALIGN_RIGHT, RANK_KEEP},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        am_grid_column(grid, all[i].name, all[i].align, all[i].rank);
}

static void tell_meters(const struct am_result_set *set, const struct am_style *style, FILE *out)
{
    const struct {
        const struct am_kvs *of;
        const char *prefix, *what;
    } told[] = {{&set->settings, "energy.meter.", ""},
                {&set->environment, "energy.period.", "update period "}};

    for (size_t t = 0; t < sizeof(told) / sizeof(*told); t++) {
        const size_t skip = strlen(told[t].prefix);

        for (size_t i = 0; i < told[t].of->n; i++) {
            const struct am_kv *const kv = &told[t].of->items[i];
            char label[AM_UNITS_MAX * 2], line[1024];

            if (strncmp(kv->key, told[t].prefix, skip) != 0)
                continue;
            (void)am_str_format(label, sizeof(label), "  %s: ", kv->key + skip);
            (void)am_str_format(line, sizeof(line), "%s%s", told[t].what, kv->value);
            am_style_note(style, out, label, line);
        }
    }
}

void am_report_steady(const struct am_result *result, const struct am_result_set *set,
                      const struct am_style *style, struct am_arena *arena, FILE *out)
{
    struct am_grid grid;
    size_t most = 0;
    bool lacking = false;

    (void)fputc('\n', out);
    am_style_heading(style, out, result->bench, "all repetitions of equal work");
    am_grid_init(&grid, arena);
    add_columns(&grid);
    for (size_t i = 0; i < result->n_metrics; i++) {
        struct am_steady y;

        if (!is_told(result->metrics[i].name) ||
            !am_steady_describe(&result->metrics[i].series, arena, &y))
            continue;
        add_row(&grid, &result->metrics[i], &y);
        most = y.n > most ? y.n : most;
        lacking |= y.n < most; /* the time comes first, and has them all */
    }
    (void)am_grid_write(&grid, style, TABLE_INDENT, out);
    if (lacking)
        am_style_note(style, out, "  ",
                      "Repetitions that a meter lacks had no valid window; the file's table "
                      "note says why.");
    tell_meters(set, style, out);
}
