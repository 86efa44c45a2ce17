/* SPDX-License-Identifier: MIT */
/* Loading a run as evidence. */
#include "evidence/evidence.h"

enum am_status am_evidence_load(struct am_store *store, const struct am_filter *filter,
                                struct am_arena *arena, struct am_result_set *out,
                                struct am_err *err)
{
    const enum am_status s = am_store_load(store, filter, arena, out, err);

    if (s == AM_OK)
        am_evidence_settle(out);
    return s;
}
