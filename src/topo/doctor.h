/* SPDX-License-Identifier: MIT */
/* doctor: what would disturb a measurement here. Reads only; changes nothing. */
#ifndef AM_TOPO_DOCTOR_H
#define AM_TOPO_DOCTOR_H

#include "base/arena.h"
#include "base/fsroot.h"
#include "topo/topo.h"

#include <stdbool.h>
#include <stddef.h>

enum am_level { AM_LEVEL_OK, AM_LEVEL_WARN, AM_LEVEL_ERROR, AM_LEVEL_UNKNOWN, AM_LEVEL_COUNT };

struct am_finding {
    const char *id;   /* stable, e.g. "freq.governor" */
    const char *area; /* "Frequency" */
    enum am_level level;
    const char *value;  /* what was found */
    const char *effect; /* what it does to a measurement; NULL when ok */
    const char *remedy; /* what a person can do; NULL when nothing needs doing */
};

struct am_findings {
    struct am_finding *items;
    size_t n;
};

struct am_doctor_request {
    const struct am_fsroot *root;
    const struct am_topo *topo; /* NULL where it could not be read: more is unknown then */
    const char *store_path;     /* where a run would be written; NULL: the working directory */
    double noise_probe_s;       /* 0: leave the noise probe out */
};

/* All checks, in a fixed order. Texts belong to the arena. */
void am_doctor_run(const struct am_doctor_request *request, struct am_arena *arena,
                   struct am_findings *out);

const char *am_level_name(enum am_level level); /* "ok", "warn", "error", "unknown" */
/* The longer explanation of a check for `doctor --explain ID`; NULL when unknown. */
const char *am_doctor_explain(const char *id);
/* Every check's id, ended by NULL. */
const char *const *am_doctor_ids(void);
/* Shell lines (POSIX sh, for root) that set what the finding's remedy names. They first append
 * the commands that restore the old values to the file named by $AM_RESTORE, by default
 * archmeter-restore.sh. NULL where a finding is no trouble or settings cannot cure it. */
const char *am_doctor_fix(const struct am_finding *finding);

#endif
