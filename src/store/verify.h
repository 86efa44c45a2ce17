/* SPDX-License-Identifier: MIT */
/* Whether a results file is whole: everything about it that can be checked without measuring again.
 *
 * Five checks, each from the stored rows alone: the database's own structure, references between
 * tables, counts, values computed again from work and time, and the seals (store/seal.h). A check
 * that does not hold says where it failed first; the others are made all the same. */
#ifndef AM_STORE_VERIFY_H
#define AM_STORE_VERIFY_H

#include "store/store.h"

enum am_check_state {
    AM_CHECK_HOLDS,
    AM_CHECK_OPEN, /* nothing to compare with: a file without seals */
    AM_CHECK_BROKEN,
    AM_CHECK_STATES,
};
extern const char *const am_check_states[]; /* "holds", "not sealed", "broken"; by enumerator */

enum am_check_kind {
    AM_CHECK_STRUCTURE,
    AM_CHECK_REFERENCES,
    AM_CHECK_COUNTS,
    AM_CHECK_VALUES,
    AM_CHECK_SEALS,
    AM_CHECK_KINDS,
};

struct am_file_check {
    const char *name;
    enum am_check_state state;
    const char *story; /* what was compared, or the first thing that does not hold */
};

struct am_verification {
    const char *file; /* its base name */
    struct am_file_check checks[AM_CHECK_KINDS];
    struct am_seal seal;
    bool holds; /* no check is broken */
};

/* Fails only where the file cannot be read at all. Texts live in the arena. */
enum am_status am_store_verify(struct am_store *store, struct am_arena *arena,
                               struct am_verification *out, struct am_err *err);

/* The seals alone, for a reader that loads no results. */
void am_store_seal(struct am_store *store, struct am_arena *arena, struct am_seal *out);

#endif
