/* SPDX-License-Identifier: MIT */
/* Axes: the parameters of a bench, their values, and the one syntax in which values are written.
 *
 * A bench has a table of axes, each with its kind, its default values by profile as text, and a
 * sentence for a person. The same parser reads the defaults and what a user writes after -p, so
 * that both have the same grammar (am_axis_parse()). A parsed axis is a list of values without
 * doubles; a point takes one value of each axis, in the order of the table. */
#ifndef AM_CORE_AXIS_H
#define AM_CORE_AXIS_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_AXIS_VALUES_MAX = 4096, /* values one axis may have in one plan */
    AM_VALUE_TEXT_MAX = 64,    /* longest canonical text of a value, terminator included */
};

enum am_axis_kind {
    AM_AXIS_INT,  /* a count */
    AM_AXIS_SIZE, /* bytes; K, M, G, T are powers of 1024 */
    AM_AXIS_REAL,
    AM_AXIS_NAME, /* one of `choices`, or any name where choices is NULL */
};

/* What values chosen by a tuner depend on, axis by axis. */
enum am_axis_key {
    AM_KEY_EXACT, /* they hold for this very value */
    AM_KEY_CLASS, /* for values of about this size: the power of two below is what counts */
    AM_KEY_FREE,  /* for any value */
};

/* A bench's parameter. Default values are text in the user's syntax: they pass through the same
 * parser, so they are tested, printed and stored in one form. */
struct am_axis {
    const char *name; /* NULL ends a table */
    enum am_axis_kind kind;
    const char *unit;             /* SI unit or NULL */
    const char *dflt;             /* values of the standard profile */
    const char *quick, *thorough; /* NULL: as dflt */
    const char *const *choices;   /* AM_AXIS_NAME: in rising order, ended by NULL */
    bool ranked; /* the choices rise from the plainest to the widest: `best` has a meaning */
    /* In a worker, instead of `choices`: those found at run time (devices), ended by NULL. The
     * worker itself then gets the value as a free name. */
    const char *const *(*enumerate)(void);
    const char *(*why_not)(const char *choice); /* in a worker: NULL when usable on this machine */
    const char *const *reasons; /* in the conductor: parallel to choices, NULL entry = usable */
    /* In the conductor, parallel to choices: the other worker with the same bench that measures
     * this choice. Such values are planned there, not here. NULL entry, or NULL: here. */
    const char *const *elsewhere;
    /* An environment variable that every launch of a point gets before the worker starts, for what
     * a runtime reads before main(). NULL: none. */
    const char *env; /* of name axes only */
    const char *const
        *env_values; /* parallel to choices; NULL entry: unset. NULL: the value's text */
    /* What a tuner may try, in the syntax of dflt; NULL: not tunable. Such an axis has a value
     * beside these that leaves the choice to the bench, 0 or (a choice) "auto"; am_ctx_chosen()
     * then says what was chosen. Where candidates depend on the point, am_ctx_propose() says what
     * they are there, in place of these. */
    const char *tune;
    enum am_axis_key key; /* of an axis that is not tunable */
    /* In the conductor: the plan tells points apart by it, and workers never hear of it. Such axes
     * are the last ones. */
    bool of_plan;
    const char *help;
};

struct am_value {
    enum am_axis_kind kind;
    int64_t i;        /* INT, SIZE; NAME: index into choices, -1 for a free name */
    double r;         /* REAL */
    const char *name; /* NAME */
};

struct am_values {
    struct am_value *v;
    size_t n;
};

/* A name that stands for a number of this machine, e.g. {"cpus", 16}, {"l2", 524288}. */
struct am_symbol {
    const char *name; /* NULL ends a table */
    int64_t value;
};

/* Parses `text` (len bytes) into the axis's values, without repetition, in the order written.
 * Names that are no choices live in `arena`, like the values; choices are those of the axis.
 *
 *     values := item { "," item }
 *     item   := number [ ":" number [ ":" step ] ] | name | pattern | "all" | "usable"
 *             | "widest" | "best"
 *     step   := [ "+" ] number | "*" number          (default +1)
 *     number := digits [ "." digits ] [ "e" [ "+" | "-" ] digits ] [ "K" | "M" | "G" | "T" ]
 *             | symbol [ ( "*" | "/" ) digits ]
 *
 * "4K:1G:*2" is 4096, 8192, ..., 1073741824; "1:16" sixteen counts; "1:cpus:*2"; "l2/2,4*..." is
 * an error that names the place. `all` is every choice, `usable` those that this machine can run,
 * on ranked axes `widest` is the last usable one, and `best` all that can be the fastest: the last
 * usable one and its rival (am_isa_rival()), which are both measured. A pattern ("kind:*", "*ymm")
 * is every usable choice that it matches, of which there may be none beside other items. A range
 * never passes its upper end, and includes its lower end; a factor such as *1.5 on whole numbers
 * rounds each value and repeats none. A free name is any printable word without "," and "=".
 * AM_AXIS_VALUES_MAX counts repetitions too. On failure the story names the axis, the column, and
 * the nearest valid name: AM_E_USAGE for wrong words, AM_E_ABSENT when nothing is usable here. */
enum am_status am_axis_parse(const struct am_axis *axis, const char *text, size_t len,
                             const struct am_symbol *symbols, struct am_arena *arena,
                             struct am_values *out, struct am_err *err);

/* Parses one canonical value, as am_value_text() wrote it. Nothing is copied: a free name is `text`
 * itself, which must then be terminated at text[len] and outlive the value. */
enum am_status am_value_parse(const struct am_axis *axis, const char *text, size_t len,
                              struct am_value *out, struct am_err *err);

/* Canonical text: decimal for counts and bytes, %.15g to %.17g for reals (the first that reads
 * back), the name itself. Stored, sent and compared in this form. */
void am_value_text(const struct am_value *value, char *buf, size_t cap);

/* Whether two values of one axis are the same. */
bool am_value_same(const struct am_value *a, const struct am_value *b);

size_t am_axis_count(const struct am_axis *axes); /* NULL is an empty table */
/* Index of the axis in a table, or -1. */
int am_axis_find(const struct am_axis *axes, const char *name);
/* Whether the value leaves the choice to the bench: 0 or "auto" of a tunable axis. */
bool am_axis_is_open(const struct am_axis *axis, const struct am_value *value);
/* Why a choice cannot be used on this machine, NULL when it can. */
const char *am_axis_why_not(const struct am_axis *axis, size_t choice);
/* The other worker that measures a choice, NULL when this descriptor's own does. */
const char *am_axis_elsewhere(const struct am_axis *axis, size_t choice);

#endif
