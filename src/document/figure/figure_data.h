/* SPDX-License-Identifier: MIT */
/* Inside figures only: the results that a row shows, sorted into panels, series and columns. */
#ifndef AM_DOCUMENT_FIGURE_FIGURE_DATA_H
#define AM_DOCUMENT_FIGURE_FIGURE_DATA_H

#include "document/figure/figure.h"
#include "document/figure/keys.h"
#include "document/points.h"

/* One result that the figure shows. */
struct am_figure_pick {
    const struct am_result *result;
    const struct am_result_metric *metric; /* with its summary */
    double x;                              /* value on the axis; index of its name; NAN: none */
    size_t panel;                          /* index into am_figure_picks.panels, and so on */
    size_t series;                         /* rows of a heat map */
    size_t column;                         /* of x as a name; AM_KEY_NONE: x is a metric */
    size_t ordinal;                        /* in the plan: sorts are stable by it */
    size_t run;                            /* 0: the run that is shown, then those laid over it */
};

struct am_figure_picks {
    struct am_figure_pick *items; /* by panel, series and x */
    size_t n;
    struct am_points points; /* which axes vary */
    struct am_keys panels, series, columns;
    enum am_axis_kind x_kind;
    size_t runs;        /* that have any */
    const char *x_unit; /* SI; "B" for sizes */
    bool x_is_metric;
};

/* The results that the row chooses, with their keys and labels. An empty selection is no failure.
 */
enum am_status am_figure_picks_select(const struct am_figure_source *source,
                                      const struct am_figure_row *row, struct am_figure_picks *out,
                                      struct am_err *err);

/* "pages=any  threads=1": what every result shares. */
const char *am_figure_picks_constants(const struct am_figure_picks *picks, struct am_arena *arena);
/* "size=32 KiB pattern=random: 1.24 ns (1.22 ns to 1.27 ns), 5 launches"; of a further run with its
 * name and the verdict on it. */
const char *am_figure_pick_title(const struct am_figure_picks *picks,
                                 const struct am_figure_pick *pick,
                                 const struct am_figure_source *source);
/* The run that a pick is of. */
const struct am_figure_source *am_figure_pick_source(const struct am_figure_pick *pick,
                                                     const struct am_figure_source *source);
/* "b.db against a.db: 3 faster, 12 same."; NULL where no further run is shown. */
const char *am_figure_picks_verdicts(const struct am_figure_picks *picks,
                                     const struct am_figure_source *source);

/* A row for a bench that no table names: `row` is filled. */
void am_figure_generic(const struct am_figure_source *source, const char *bench,
                       struct am_figure_row *row);

#endif
