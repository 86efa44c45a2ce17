/* SPDX-License-Identifier: MIT */
/* Saved tuning: which values of a bench's tunable axes were best, on which machine, for which
 * point. A text, one line an entry (doc/guide/tune.md); here it is read, written, searched and
 * applied to plans. Files and locks are the command line's (cli/tune/tuning_file.h). */
#ifndef AM_CORE_SAVED_TUNING_H
#define AM_CORE_SAVED_TUNING_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "core/bench/bench.h"
#include "core/bench/plan.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    AM_TUNING_FORMAT = 1,           /* version of the text */
    AM_TUNING_ENTRIES_MAX = 8192,   /* of one text */
    AM_TUNING_BYTES_MAX = 16 << 20, /* of one text */
    AM_TUNING_MACHINE_MAX = 512,    /* bytes of a machine's name */
    AM_TUNING_CLASSES_APART = 4,    /* a further size says nothing any more: a factor of 16 */
    AM_TUNING_DATE_MAX = sizeof("2026-01-01T00:00:00Z"),
};

/* How the values were found, from the cheapest way to the best. */
enum am_tune_mode { AM_TUNE_ESTIMATE, AM_TUNE_MEASURE, AM_TUNE_PATIENT, AM_TUNE_MODES };
extern const char *const am_tune_modes[]; /* by enumerator, ended by NULL */

/* What is best; the words are those of the metrics of energy, but for time: the bench's first. */
enum am_tune_goal { AM_TUNE_TIME, AM_TUNE_ENERGY, AM_TUNE_EDP, AM_TUNE_GOALS };
extern const char *const am_tune_goals[]; /* by enumerator, ended by NULL */

/* One axis: its canonical value, or the class of its size. */
struct am_tuning_pair {
    const char *axis;
    const char *value; /* of a class: the power, in decimal */
    bool classed;
};

struct am_tuning_entry {
    const char *machine, *bench;
    unsigned version;           /* of the bench */
    struct am_tuning_pair *key; /* in the bench's order */
    size_t n_key;
    struct am_tuning_pair *use; /* what was best */
    size_t n_use;
    enum am_tune_mode mode;
    const char *metric; /* that was compared */
    double value;       /* of it, in its unit */
    const char *date;   /* ISO 8601, UTC */
};

/* Zero-initialise. Everything lives in the arena. */
struct am_tuning {
    struct am_arena *arena;
    struct am_tuning_entry *entries;
    size_t n, cap;
};

/* Reads a text. A story begins with "NAME:LINE:", and its status is AM_E_USAGE; AM_E_NOMEM apart.
 * Of entries for the same point the better one stays (am_tuning_put). */
enum am_status am_tuning_parse(struct am_tuning *t, const char *name, const char *text, size_t len,
                               struct am_err *err);
/* The text that reads back as the same entries; sorted, so that equal tunings have equal texts. */
void am_tuning_write(struct am_tuning *t, struct am_text *out);
/* One entry as its line, without the newline. */
void am_tuning_entry_text(const struct am_tuning_entry *entry, struct am_text *out);

/* Adds an entry, which is copied. One for the same point is replaced when its mode is not above the
 * new one's and it is not newer at the same mode; *kept says whether the new one is there now. */
enum am_status am_tuning_put(struct am_tuning *t, const struct am_tuning_entry *entry, bool *kept,
                             struct am_err *err);

/* Drops the entries of which the pattern (shell wildcards) matches the bench's name or the text of
 * the line; returns how many. */
size_t am_tuning_forget(struct am_tuning *t, const char *pattern);

/* Whether some value of the point is left to the bench. */
bool am_tuning_is_open(const struct am_point *point);

/* The entry for a point: of this machine, bench and version, of the same exact values, saying what
 * the point leaves open and contradicting nothing that it says, of the nearest sizes; NULL when
 * there is none. *apart is how many powers of two its sizes are away. */
const struct am_tuning_entry *am_tuning_find(const struct am_tuning *t, const char *machine,
                                             const struct am_point *point, unsigned *apart);

/* Why none serves the point, though there are entries of this machine, bench and version: what
 * stands against the one that fits best, "steps=120 and not 480". NULL: there are none, or no
 * memory. */
const char *am_tuning_obstacle(const struct am_tuning *t, const char *machine,
                               const struct am_point *point, struct am_arena *arena);

/* The entry that says of this point "use these values"; values that the point leaves open are
 * chosen ones. Metric, value and date are the caller's. */
enum am_status am_tuning_entry_of(const char *machine, const struct am_point *asked,
                                  const struct am_value *found, struct am_arena *arena,
                                  struct am_tuning_entry *out, struct am_err *err);

/* ---- plans ---- */

/* One entry that a plan made use of. */
struct am_tuning_use {
    const struct am_tuning_entry *entry;
    unsigned apart; /* the furthest of its points */
    size_t points;
};

struct am_tuning_uses {
    struct am_tuning_use *items;
    size_t n, cap;
    size_t open;                  /* points that found no entry: the bench chooses */
    const char *bench, *obstacle; /* of the first of them for which there is one; else NULL */
};

/* Puts tuned values in the place of open ones. A point that is then another one's twin is dropped.
 */
enum am_status am_tuning_apply(const struct am_tuning *t, const char *machine, struct am_plan *plan,
                               struct am_arena *arena, struct am_tuning_uses *uses,
                               struct am_err *err);

#endif
