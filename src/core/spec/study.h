/* SPDX-License-Identifier: MIT */
/* A study: an experiment file that also says what its results are to show (grammar in
 * doc/guide/study.md). Its first key is `study`, which switches on the keys of this header; what is
 * run stands in the same file, in the keys of core/spec/spec.h.
 *
 * The reader of experiment files reads it (study_keys.c and study_that.c are parts of it), and the
 * flat form of the experiment holds the study too, with the numbers of this machine in place of
 * @symbols. So what is stored, resumed and asked consent for is one text. Names of benches, axes,
 * metrics and figures are not known here: whoever plans the study checks them, with the places that
 * are kept for that. */
#ifndef AM_CORE_SPEC_STUDY_H
#define AM_CORE_SPEC_STUDY_H

#include "base/array.h"
#include "core/spec/place.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_STUDY_CLAIMS_MAX = 256,
    AM_STUDY_ITEMS_MAX = 256,
    AM_STUDY_LIST_MAX = 512, /* numbers of one list, lines of one kind in one block */
};

/* Which results: the selector of evidence/select.h as it is written, "[best] BENCH[:METRIC]
 * CONDITIONS". */
struct am_study_selector {
    const char *bench;
    const char *metric;      /* NULL: the primary one */
    const char *where;       /* conditions without those of `most` and `least`; "": all */
    const char *most;        /* axes of which the largest number counts ("a,b"); "": none */
    const char *least;       /* the same of the smallest */
    bool best;               /* of all that is left, the one with the best median */
    const char *text;        /* as it stands in the flat form */
    struct am_spec_place at; /* of its first word */
};

enum am_study_relation {
    AM_STUDY_GREATER,
    AM_STUDY_LESS,
    AM_STUDY_AT_LEAST,
    AM_STUDY_AT_MOST,
    AM_STUDY_WITHIN,
    AM_STUDY_GROWS, /* from here on: along an axis, without a right side */
    AM_STUDY_FALLS,
    AM_STUDY_INDEPENDENT,
    AM_STUDY_PROPORTIONAL,
    AM_STUDY_RELATIONS,
};

/* One `that` of a claim. */
struct am_study_that {
    enum am_study_relation relation;
    struct am_study_selector left, right; /* right: only where a point is held against others */
    bool constant;                        /* the right side is `value`, in the unit `unit` (SI) */
    double value;
    const char *unit;
    double factor;    /* AT_LEAST, AT_MOST: the right side counts so many times; else 1 */
    double margin;    /* relative: 0.5 is within 50 %; NAN: the claim's */
    const char *axis; /* of relations along an axis */
    /* Axes on which the two sides have different conditions, "a,b": points are paired by the others
     * that both have. */
    const char *differ;
    const char *text; /* the whole, as it stands in the flat form */
    struct am_spec_place at;
};

/* Which share of the pairs must hold. */
enum am_study_share { AM_STUDY_EVERY, AM_STUDY_MOST, AM_STUDY_SOME, AM_STUDY_SHARES };

struct am_study_claim {
    const char *name, *says, *section;
    const char *because;           /* of a contradiction; NULL: not said */
    struct am_study_claim *reason; /* what must hold for that to be why; NULL: nothing tells */
    struct am_study_that *thats;
    size_t n_thats, cap_thats;
    double margin; /* smallest relative difference that matters; NAN: the usual one */
    enum am_study_share share;
    struct am_spec_place at;
};

/* A number of the paper, and what stands beside it here. */
struct am_study_number {
    const char *what;
    double value;     /* as printed there */
    const char *unit; /* as printed there; "": none */
    double si;        /* the value in `si_unit` */
    const char *si_unit;
    bool beside; /* it has a selector */
    struct am_study_selector from;
    struct am_spec_place at;
};

/* What is said of a figure, by the names of the fields of struct am_figure_row. */
#define AM_STUDY_FIELDS(X)                                                                         \
    X(AM_STUDY_LIKE, "like")                                                                       \
    X(AM_STUDY_BENCH, "bench")                                                                     \
    X(AM_STUDY_METRIC, "metric")                                                                   \
    X(AM_STUDY_KIND, "kind")                                                                       \
    X(AM_STUDY_X, "x")                                                                             \
    X(AM_STUDY_SERIES, "series")                                                                   \
    X(AM_STUDY_PANEL, "panel")                                                                     \
    X(AM_STUDY_ALONG, "along")                                                                     \
    X(AM_STUDY_COMPARES, "compares")                                                               \
    X(AM_STUDY_WHERE, "where")                                                                     \
    X(AM_STUDY_LEVEL, "level")                                                                     \
    X(AM_STUDY_XSCALE, "xscale")                                                                   \
    X(AM_STUDY_YSCALE, "yscale")                                                                   \
    X(AM_STUDY_BEST, "best")                                                                       \
    X(AM_STUDY_BY, "by")                                                                           \
    X(AM_STUDY_OWN_Y, "own_y")                                                                     \
    X(AM_STUDY_STEPS, "steps")                                                                     \
    X(AM_STUDY_LEVELS, "levels")                                                                   \
    X(AM_STUDY_X_TITLE, "x_title")                                                                 \
    X(AM_STUDY_Y_TITLE, "y_title")

#define AM_STUDY_FIELD_ENUM(id, name) id,
enum am_study_field { AM_STUDY_FIELDS(AM_STUDY_FIELD_ENUM) AM_STUDY_FIELD_COUNT };
#undef AM_STUDY_FIELD_ENUM
extern const char *const am_study_fields[AM_STUDY_FIELD_COUNT];

enum am_study_kind { AM_STUDY_TABLE, AM_STUDY_FIGURE, AM_STUDY_KINDS };
extern const char *const am_study_kinds[AM_STUDY_KINDS]; /* "table", "figure" */

struct am_study_query {
    const char *sql;
    struct am_spec_place at;
};

/* A table or a figure of the paper, or several that are one here. */
struct am_study_item {
    enum am_study_kind kind;
    const char *label;         /* "9-11", as it is written */
    struct am_strings numbers; /* "9", "10", "11" */
    const char *caption;       /* NULL: that of the figure that it is like */
    struct am_strings remarks;
    struct am_study_query *queries; /* tables */
    size_t n_queries, cap_queries;
    struct am_study_number *beside; /* numbers of the paper */
    size_t n_beside, cap_beside;
    const char *field[AM_STUDY_FIELD_COUNT]; /* figures; NULL: not said, "none": taken away */
    struct am_spec_place field_at[AM_STUDY_FIELD_COUNT];
    struct am_spec_place at;
};

/* Tables or figures of the paper that are not made. */
struct am_study_missing {
    enum am_study_kind kind;
    const char *label;
    struct am_strings numbers;
    const char *why;
    struct am_spec_place at;
};

struct am_study {
    const char *name, *title, *source;
    struct am_strings notes;
    double budget_s; /* 0: not said */
    bool stated[AM_STUDY_KINDS];
    struct am_strings in_paper[AM_STUDY_KINDS]; /* all that it has, where `stated` */
    struct am_study_item *items;                /* in the order of the file */
    size_t n_items, cap_items;
    struct am_study_missing *missing;
    size_t n_missing, cap_missing;
    struct am_study_claim *claims;
    size_t n_claims, cap_claims;
    struct am_spec_place at;
};

/* "is greater than": how the relation reads, and what it shows where `factor` or `margin` counts.
 */
const char *am_study_relation_text(enum am_study_relation relation);

#endif
