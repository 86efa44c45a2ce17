/* SPDX-License-Identifier: MIT */
/* PTX of ocl.dot for four warps together (wgmma), which OpenCL C has no words for: drivers of
 * NVIDIA's take it as the binary of a program.
 *
 * The work-group copies A and B to shared memory, where they lie as dot.c packs them, and then
 * makes AM_DOT_STEPS instructions per turn. A descriptor tells an instruction where its operand is:
 * the address, the distance of neighbours in k and of neighbours in rows or columns, all in units
 * of 16 bytes. */
#include "bench/ocl/units/dot.h"

static const struct {
    const char *words; /* types in the instruction's name */
    const char *tail;  /* its last operands: signs, and whether operands are transposed */
    bool whole;        /* accumulators are whole numbers */
} rows[AM_DOT_TYPES] = {
    [AM_DOT_BF16] = {"f32.bf16.bf16", ", 1, 1, 0, 0", false},
    [AM_DOT_F16] = {"f32.f16.f16", ", 1, 1, 0, 0", false},
    [AM_DOT_TF32] = {"f32.tf32.tf32", ", 1, 1", false},
    [AM_DOT_INT8] = {"s32.s8.s8", "", true},
};

enum { UNIT = 16, PIECE_BYTES = 128 /* 8 rows of 16 bytes */ };

static void add_head(const struct am_dot_shape *s, struct am_text *out)
{
    am_text_addf(out,
                 ".version 8.0\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry am_dot(.param .u64 .ptr .global .align 16 pa, "
                 ".param .u64 .ptr .global .align 16 pb, .param .u64 .ptr .global .align 16 pd, "
                 ".param .u32 pn)\n.reqntid %zu,1,1\n{\n",
                 s->group);
    am_text_addf(out,
                 ".reg .pred p, q;\n.reg .b32 t, x, i, n, s, w, e<4>;\n"
                 ".reg .b64 a, b, d, u, da<%d>, db<%d>;\n.reg .%s r<%zu>;\n"
                 ".shared .align 1024 .b8 mem[%zu];\n",
                 AM_DOT_STEPS, AM_DOT_STEPS, rows[s->type].whole ? "b32" : "f32", s->accumulators,
                 s->a_bytes + s->b_bytes);
    am_text_add(out, "ld.param.u64 a,[pa]; ld.param.u64 b,[pb]; ld.param.u64 d,[pd];\n"
                     "ld.param.u32 n,[pn]; mov.u32 t,%tid.x; shr.u32 w,t,7; mov.u32 s,mem;\n");
}

/* 16 bytes per work-item and round. */
static void add_copy(const struct am_dot_shape *s, const char *from, size_t bytes, size_t to,
                     struct am_text *out)
{
    am_text_addf(out,
                 "shl.b32 i,t,4;\nC%s: setp.ge.u32 p,i,%zu; @p bra E%s;\n"
                 "cvt.u64.u32 u,i; add.u64 u,%s,u; ld.global.v4.b32 {e0,e1,e2,e3},[u];\n"
                 "add.u32 x,s,i; st.shared.v4.b32 [x+%zu],{e0,e1,e2,e3};\n"
                 "add.u32 i,i,%zu; bra C%s;\nE%s:\n",
                 from, bytes, from, from, to, s->group * UNIT, from, from);
}

/* Of one operand and step: `x` holds the address. Lines of the tile tell how far apart its pieces
 * in k are. */
static void add_descriptor(const char *name, int step, size_t lines, struct am_text *out)
{
    const unsigned long long apart = (unsigned long long)(lines * UNIT / UNIT) << 16 |
                                     (unsigned long long)(PIECE_BYTES / UNIT) << 32;

    am_text_addf(out, "shr.u32 x,x,4; and.b32 x,x,0x3fff; cvt.u64.u32 u,x; or.b64 %s%d,u,0x%llx;\n",
                 name, step, apart);
}

static void add_descriptors(const struct am_dot_shape *s, struct am_text *out)
{
    for (int k = 0; k < AM_DOT_STEPS; k++) {
        am_text_addf(out, "mad.lo.u32 x,w,%zu,s; add.u32 x,x,%d;\n", s->a_bytes / AM_DOT_GROUPS,
                     k * AM_DOT_ROWS * AM_DOT_STEP_BYTES);
        add_descriptor("da", k, AM_DOT_ROWS, out);
        am_text_addf(out, "add.u32 x,s,%zu;\n",
                     s->a_bytes + (size_t)k * s->columns * AM_DOT_STEP_BYTES);
        add_descriptor("db", k, s->columns, out);
    }
}

static void add_loop(const struct am_dot_shape *s, struct am_text *out)
{
    for (size_t r = 0; r < s->accumulators; r++)
        am_text_addf(out, "mov.b32 r%zu,%s;\n", r, rows[s->type].whole ? "0" : "0f00000000");
    am_text_add(out, "setp.eq.u32 q,0,0;\nmov.u32 i,0;\nL:\nwgmma.fence.sync.aligned;\n");
    for (int k = 0; k < AM_DOT_STEPS; k++) {
        am_text_addf(out, "wgmma.mma_async.sync.aligned.m%dn%dk%u.%s {", AM_DOT_ROWS,
                     AM_DOT_COLUMNS, s->k / AM_DOT_STEPS, rows[s->type].words);
        for (size_t r = 0; r < s->accumulators; r++)
            am_text_addf(out, "%sr%zu", r ? "," : "", r);
        am_text_addf(out, "},da%d,db%d,q%s;\n", k, k, rows[s->type].tail);
    }
    am_text_add(out, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
                     "add.u32 i,i,1; setp.lt.u32 p,i,n; @p bra L;\n");
}

static void add_stores(const struct am_dot_shape *s, struct am_text *out)
{
    am_text_addf(out,
                 "mov.u32 x,%%ctaid.x; mad.lo.u32 x,x,%zu,t; mul.wide.u32 u,x,%zu; "
                 "add.u64 d,d,u;\n",
                 s->group, s->accumulators * sizeof(uint32_t));
    for (size_t r = 0; r < s->accumulators; r++)
        am_text_addf(out, "st.global.%s [d+%zu],r%zu;\n", rows[s->type].whole ? "b32" : "f32",
                     r * sizeof(uint32_t), r);
    am_text_add(out, "ret;\n}\n");
}

void am_dot_text(const struct am_dot_shape *s, struct am_text *out)
{
    add_head(s, out);
    add_copy(s, "a", s->a_bytes, 0, out);
    add_copy(s, "b", s->b_bytes, s->a_bytes, out);
    am_text_add(out, "fence.proxy.async.shared::cta;\nbar.sync 0;\n");
    add_descriptors(s, out);
    add_loop(s, out);
    add_stores(s, out);
}
