/* SPDX-License-Identifier: MIT */
/* Inside figures only: the results that a row shows, sorted into panels, series and places. */
#ifndef AM_REPORT_FIGURE_DATA_H
#define AM_REPORT_FIGURE_DATA_H

#include "report/figure.h"
#include "report/points.h"

/* Texts in the order of their first appearance. */
struct am_keys {
    const char **items;
    size_t n, cap;
};

enum { AM_KEYS_MAX = AM_AXIS_VALUES_MAX };

/* Index of `text`, added (by pointer) when new; AM_KEYS_MAX when there are that many already,
 * SIZE_MAX when memory is refused. */
size_t am_keys_index(struct am_keys *keys, struct am_arena *arena, const char *text);

/* One result that the figure shows. */
struct am_figure_pick {
    const struct am_result *result;
    const struct am_result_metric *metric;
    struct am_summary summary;
    double x;       /* value on the axis; index of its name; NAN: none */
    size_t panel;   /* index into am_picks.panels, and so on */
    size_t series;  /* rows of a heat map */
    size_t column;  /* into names: x as text */
    size_t ordinal; /* in the plan: sorts are stable by it */
};

struct am_figure_picks {
    struct am_figure_pick *items;
    size_t n;
    struct am_points points; /* which axes vary */
    struct am_keys panels, series, names;
    enum am_axis_kind x_kind;
    const char *x_unit; /* SI; "B" for sizes */
    bool x_is_metric;
};

/* The ok results of the row's bench that match its `where` and have its metric. An empty selection
 * is no failure. */
enum am_status am_figure_picks_select(const struct am_figure_source *source,
                                      const struct am_figure_row *row, struct am_figure_picks *out,
                                      struct am_err *err);

/* "pages=any  threads=1": what every result shares. */
const char *am_figure_picks_constants(const struct am_figure_picks *picks, struct am_arena *arena);
/* "size=32 KiB pattern=random: 1.24 ns (1.22 ns to 1.27 ns), 5 launches". */
const char *am_figure_pick_title(const struct am_figure_picks *picks,
                                 const struct am_figure_pick *pick, struct am_arena *arena);
/* A copy that is fit to be a label: at most `max` characters, the rest an ellipsis. */
const char *am_label_cut(struct am_arena *arena, const char *text, size_t max);

/* A row for a bench that no table names: `row` is filled. */
void am_figure_generic(const struct am_figure_source *source, const char *bench,
                       struct am_figure_row *row);

#endif
