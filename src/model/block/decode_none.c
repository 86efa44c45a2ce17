/* SPDX-License-Identifier: MIT */
/* No decoder: the program was built without Zydis. */
#include "model/block/insn.h"

const char *const am_insn_unsupported =
    "built without a decoder of instructions (Debian: libzydis-dev)";

enum am_status am_insns_decode(const struct am_code *code, struct am_arena *arena,
                               struct am_insns *out, struct am_err *err)
{
    (void)code;
    (void)arena;
    *out = (struct am_insns){.n = 0};
    return am_fail(err, AM_E_ABSENT, "%s", am_insn_unsupported);
}
