/* SPDX-License-Identifier: MIT */
/* A function's instructions one after the other, by the decoder of its architecture. */
#include "model/block/insn.h"

#include "base/array.h"

static const struct am_decoder *const decoders[AM_ARCHS] = {
    [AM_ARCH_X86_64] = &am_decoder_x86_64, [AM_ARCH_AARCH64] = &am_decoder_aarch64};

const char *am_insn_unsupported(enum am_arch arch)
{
    return decoders[arch]->missing;
}

/* Whether a function ends with this instruction: it leads nowhere behind itself, and no jump before
 * it does (`furthest`, which it may move). */
static bool is_end(const struct am_insn *insn, uint64_t *furthest)
{
    if ((insn->flow == AM_FLOW_JUMP || insn->flow == AM_FLOW_BRANCH) && insn->aims &&
        insn->target > *furthest)
        *furthest = insn->target;
    return (insn->flow == AM_FLOW_END || insn->flow == AM_FLOW_JUMP) && *furthest <= insn->address;
}

static enum am_status decode_all(const struct am_code *code, void *self, struct am_arena *arena,
                                 struct am_insns *out, struct am_err *err)
{
    uint64_t furthest = 0;

    for (size_t at = 0; at < code->n;) {
        struct am_insn *insn;
        enum am_status s;

        if (out->n == AM_INSNS_MAX)
            return am_fail(err, AM_E_USAGE, "%s: more than %d instructions", code->name,
                           AM_INSNS_MAX);
        insn = AM_ARRAY_ADD(arena, out->items, out->n, out->cap);
        s = insn ? decoders[code->arch]->decode(self, code->bytes + at, code->n - at,
                                                code->address + at, arena, insn)
                 : AM_E_NOMEM;
        if (s == AM_E_USAGE)
            return am_fail(err, AM_E_USAGE, "%s+%#zx: no instruction begins with byte %02x",
                           code->name, at, code->bytes[at]);
        if (s != AM_OK)
            return am_fail(err, AM_E_NOMEM, "no memory for the instructions of %s", code->name);
        insn->arch = code->arch;
        at += insn->length;
        if (code->open_ended && is_end(insn, &furthest))
            break;
    }
    return AM_OK;
}

enum am_status am_insns_decode(const struct am_code *code, struct am_arena *arena,
                               struct am_insns *out, struct am_err *err)
{
    const struct am_decoder *const decoder = decoders[code->arch];
    void *self;
    enum am_status s;

    *out = (struct am_insns){.kept = code->kept};
    if (decoder->missing)
        return am_fail(err, AM_E_ABSENT, "%s", decoder->missing);
    self = decoder->open();
    if (!self)
        return am_fail(err, AM_E_ABSENT, "the decoder of instructions cannot be started");
    s = decode_all(code, self, arena, out, err);
    decoder->close(self);
    return s;
}
