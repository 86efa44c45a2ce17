/* SPDX-License-Identifier: MIT */
/* Standards: instructions whose latency is known, measured in every run that counts cycles.
 *
 * A bench marks the metric of a standard (am_systematic.standard); the value of its first axis says
 * which instruction it is. The known value is the published one of this microarchitecture
 * (topo/uarch.h), where there is one, and any whole number of cycles on other cores. The interval
 * of a standard, systematic uncertainty included, must hold it; else cycles of this run are wrong.
 * A standard of grade C is not judged. */
#ifndef AM_EVIDENCE_STANDARDS_H
#define AM_EVIDENCE_STANDARDS_H

#include "evidence/evidence.h"

struct am_standard {
    const struct am_result *result;
    const struct am_result_metric *metric;
    unsigned known; /* cycles; 0: not published, a whole number of them */
    bool judged, missed;
};

/* The standard that a result is; false when it is none. Its metric is settled. */
bool am_standard_of(const struct am_result_set *set, const struct am_result *result,
                    struct am_standard *out);
/* How many standards of the set were judged and missed. */
size_t am_standards_missed(const struct am_result_set *set);
/* "imul_r64 took 3.15 cycles, not the 3 of Zen 4"; NULL when none was missed. */
const char *am_standards_tell(const struct am_result_set *set, struct am_arena *arena);

#endif
