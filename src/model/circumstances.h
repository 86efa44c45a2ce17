/* SPDX-License-Identifier: MIT */
/* What surrounds a comparison and must be read before its rows: what differs between the machines,
 * environments, settings and builds, and remarks on what the rows together say about the machine.
 *
 * The rows must be judged already. Texts belong to the arena; what memory is refused for is left
 * out, because a comparison without a remark is better than none. */
#ifndef AM_MODEL_CIRCUMSTANCES_H
#define AM_MODEL_CIRCUMSTANCES_H

#include "model/compare.h"

/* Fills `differences` and `remarks` of the comparison of a and b. */
void am_circumstances_add(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_comparison *out);

/* Whether both are one machine, or two of one kind: what topo/topo.h makes the key of. */
bool am_machine_same(const struct am_kvs *a, const struct am_kvs *b);

/* Whether two files hold one run, e.g. copies: what was asked, when and with which seed. */
bool am_run_same(const struct am_run_info *a, const struct am_run_info *b);

#endif
