/* SPDX-License-Identifier: MIT */
/* Masks, stores and loads that reach into a second line, on a made-up core. */
#include "core_fixture.h"
#include "model/block/bound.h"
#include "model/block/elf.h"
#include "self_file.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define LOOP(name, body)                                                                           \
    ".globl " #name "\n.type " #name ", @function\n" #name ":\n1:\n" body                          \
    "\tdec %rdi\n\tjnz 1b\n\tret\n.size " #name ", .-" #name "\n"
__asm__(".pushsection .text\n" LOOP(
    tm_everyday, "\tvpextrq $1, %xmm1, %rax\n\tvpinsrd $1, %eax, %xmm1, %xmm2\n"
                 "\tvmaskmovpd %ymm1, %ymm2, (%rsi)\n\tvpmaskmovd (%rsi), %ymm2, %ymm3\n"
                 "\tvscatterdps %zmm1, (%rsi,%zmm2,4){%k1}\n\tvcvtsi2sdl (%rsi), %xmm1, %xmm1\n"
                 "\tvpermt2ps %ymm1, %ymm2, %ymm3\n\tvextractf64x2 $1, %ymm1, %xmm2\n"
                 "\tvpmovm2q %k1, %ymm3\n\tvpmovw2m %ymm3, %k1\n\tcltq\n")
        /* k0 is written and tested in each pass; encoded as a mask it stands for none */
        LOOP(tm_mask, "\tvpcmpeqb %ymm17, %ymm16, %k0\n\tvpminub %ymm18, %ymm19, %ymm17\n"
                      "\tktestd %k0, %k0\n\tkortestd %k0, %k1\n\tkmovd %k0, %eax\n")
            LOOP(tm_masked,
                 "\tvpminub %ymm18, %ymm19, %ymm17{%k2}{z}\n\tvpcmpeqd %ymm17, %ymm16, %k2\n")
                LOOP(tm_wide, "\tvptestmb %zmm1, %zmm2, %k1\n\tvbroadcastsd (%rsi), %zmm3\n"
                              "\tvmovddup (%rsi), %zmm4\n\tvmovupd (%rsi), %zmm5{%k1}{z}\n"
                              "\tvmovupd %zmm5, (%rdx){%k1}\n\tvbroadcastf32x4 (%rsi), %zmm6\n")
                    LOOP(tm_byte, "\tmovzbl 8(%rsi), %eax\n\tmov %al, 8(%rsi)\n") LOOP(
                        tm_word, "\tmov 8(%rsi), %eax\n\tmov %eax, 8(%rsi)\n")
                        LOOP(tm_vector, "\tmovups %xmm0, (%rsi,%rdx,8)\n") LOOP(
                            tm_indexed, "\tmov %rax, (%rsi,%rdx,8)\n") LOOP(tm_plain,
                                                                            "\tmov %rax, (%rsi)\n")
                            LOOP(tm_halves, "\tmov %rax, (%rsi)\n\tmov %rax, 32(%rsi)\n")
                                LOOP(tm_near, "\tmov %rax, (%rsi)\n\tmov %rax, 8(%rsi)\n")
                                    LOOP(tm_across,
                                         "\tvmovups 8(%rsi), %ymm0\n\tvmovups 40(%rsi), %ymm1\n")
                                        LOOP(tm_signed,
                                             "\tmovsbq (%rsi), %rax\n\tmovslq 8(%rsi), %rcx\n")
                                            LOOP(tm_part, "\tmov (%rsi), %al\n\tadd (%rsi), %cl\n")
                                                LOOP(tm_constant, "\tmovq $0, (%rsi,%rdx,8)\n")
                                                    LOOP(tm_apart,
                                                         "\tlock addq $1, (%rsi)\n"
                                                         "\txchg %rax, (%rsi)\n"
                                                         "\tlock xaddq %rax, (%rsi)\n"
                                                         "\tmovntdq %xmm0, (%rsi)\n"
                                                         "\tvmovntps %ymm0, (%rsi)\n"
                                                         "\tmovnti %rax, (%rsi)\n"
                                                         "\tvmovntdqa (%rsi), %ymm1\n"
                                                         "\taddq $1, (%rsi)\n") ".popsection");
#endif

/* weights: front, alu, load, store */
static const struct cx_form known[] = {{"xor_r32_zero", -1, {0.2}},
                                       {"add_r64", 1, {0.2, 0.25}},
                                       {"mov_r64_m64_row", -1, {0.2, 0, 0.5}},
                                       {"movzbl_r32_m8", -1, {0.2, 0, 0.5}},
                                       {"movsbq_r64_m8", -1, {0.2, 0.25, 0.5}},
                                       {"mov_r8_m8", -1, {0.2, 0.5, 0.5}},
                                       {"mov_m64_r64", -1, {0.2, 0, 0, 0.5}},
                                       {"mov_m64_imm", -1, {0.2, 0.25, 0, 0.5}},
                                       {"mov_m64_imm_indexed", -1, {0.2, 0.25, 0, 0.5}},
                                       {"mov_m64_r64_indexed", -1, {0.4, 0.25, 0, 0.5}},
                                       {"movups_m128_xmm", -1, {0.2, 0, 0, 1}},
                                       {"movups_m128_xmm_indexed", -1, {0.2, 0, 0, 1}},
                                       {"mov_m64_r64_lines", -1, {0.2, 0, 0, 1}},
                                       {"mov_m64_r64_halves", -1, {0.2, 0, 0, 1}},
                                       {"vmovups_ymm_m256", -1, {0.2, 0, 0.5}},
                                       {"vmovups_ymm_m256_crossing", -1, {0.2, 0, 1.5}},
                                       {"vpminub_ymm", 1, {0.2}},
                                       {"vpcmpeqd_k_zmm", 4, {0.2}},
                                       {"vpcmpeqb_k_ymm", 4, {0.2}},
                                       {"vpcmpeqd_k_ymm", 4, {0.2}},
                                       {"vptestmb_k_zmm", 4, {0.2}},
                                       {"vbroadcastsd_zmm_m64", -1, {0.2, 0, 1}},
                                       {"vbroadcastf32x4_zmm_m128", -1, {0.2, 0, 1}},
                                       {"vmovddup_zmm_m512", -1, {0.2, 0, 1}},
                                       {"vmovups_zmm_m512_zeroed", -1, {0.2, 0, 1}},
                                       {"vmovups_m512_zmm_masked", -1, {0.2, 0, 0, 2}},
                                       {"ktestd_k", -1, {0.2}},
                                       {"kortestd_k", -1, {0.2}},
                                       {"kmovd_r32_k", 3, {0.2}},
                                       {"vpextrq_r64_xmm", 3, {0.2}},
                                       {"vpinsrq_xmm_r64", 3, {0.2}},
                                       {"vmaskmovps_m256_ymm", -1, {0.2, 0, 0, 2}},
                                       {"vmaskmovps_ymm_m256", -1, {0.2, 0, 1}},
                                       {"vscatterdpd_zmm", -1, {0.2, 0, 0, 9}},
                                       {"vcvtsi2sd_xmm_m64", -1, {0.2, 0, 1}},
                                       {"vpermt2d_ymm", 3, {0.2}},
                                       {"vextracti128_ymm", 3, {0.2}},
                                       {"vpmovm2d_ymm", -1, {0.2}},
                                       {"vpmovd2m_k_ymm", -1, {0.2}},
                                       {"store_load_r64", 1, {0.4}},
                                       {"store_load_r8", 7, {0.4}},
                                       {.name = NULL}};
static const char *resources[] = {"front", "alu", "load", "store"};

/* What a form takes alone, as the fit would have it. */
static void set_alone(struct am_incore *core)
{
    for (size_t i = 0; i < core->n_kinds; i++) {
        for (size_t r = 0; r < core->model.resources; r++)
            core->kinds[i].alone =
                fmax(core->kinds[i].alone, am_resources_weight(&core->model, i, r)->value);
    }
}

static struct am_predicted predict(struct cx_core *c, const struct bytes *self, const char *name)
{
    struct am_arena *const arena = &c->run.arena;
    struct am_predicted out;
    struct am_insns *const insns = am_arena_alloc(arena, sizeof(*insns));
    struct am_loops *const loops = am_arena_alloc(arena, sizeof(*loops));
    struct am_code code = {.name = NULL};
    struct am_err err = {.status = AM_OK};

    if (!insns || !loops ||
        am_elf_function("self", self->data, self->n, name, arena, &code, &err) != AM_OK ||
        am_insns_decode(&code, arena, insns, &err) != AM_OK ||
        !am_loops_find(insns, arena, loops) || loops->n != 1 ||
        !am_loop_predict(&c->incore, insns, &loops->items[0], arena, &out))
        abort();
    return out;
}

static void check_masks(struct cx_core *c, const struct bytes *self)
{
    static const char *const one[] = {"vpcmpeqb_k_ymm", "vpminub_ymm", "ktestd_k", "kortestd_k",
                                      "kmovd_r32_k"};
    static const char *const wide[] = {"vptestmb_k_zmm",          "vbroadcastsd_zmm_m64",
                                       "vmovddup_zmm_m512",       "vmovups_zmm_m512_zeroed",
                                       "vmovups_m512_zmm_masked", "vbroadcastf32x4_zmm_m128"};
    struct am_predicted p = predict(c, self, "tm_mask");

    for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++)
        is_str(p.lines[i].forms.operation, one[i], "a form of its own");
    ok(p.unknown == 0 && p.chain < 1.5,
       "a mask that is written anew waits for nothing of the pass before (%.1f cycles)", p.chain);
    p = predict(c, self, "tm_masked");
    ok(fabs(p.chain - 5) < 0.05, "one that is read makes a chain of two (%.1f cycles)", p.chain);
    p = predict(c, self, "tm_wide");
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++) {
        const struct am_insn_forms *const f = &p.lines[i].forms;

        is_str(f->operation[0] ? f->operation
               : f->load[0]    ? f->load
                               : f->store,
               wide[i], "a form of its own");
    }
}

/* What compilers make of sums, selections and conversions. */
static void check_everyday(struct cx_core *c, const struct bytes *self)
{
    static const char *const forms[] = {
        "vpextrq_r64_xmm",     "vpinsrq_xmm_r64",  "vmaskmovps_m256_ymm",
        "vmaskmovps_ymm_m256", "vscatterdpd_zmm",  "vcvtsi2sd_xmm_m64",
        "vpermt2d_ymm",        "vextracti128_ymm", "vpmovm2d_ymm",
        "vpmovd2m_k_ymm",      "add_r64"};
    const struct am_predicted p = predict(c, self, "tm_everyday");

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const struct am_insn_forms *const f = &p.lines[i].forms;

        ok(strcmp(f->operation, forms[i]) == 0 && !f->load[0] && !f->store[0],
           "%s stands for %s and its memory: '%s' '%s' '%s'", forms[i], p.lines[i].insn->mnemonic,
           f->operation, f->load, f->store);
    }
    ok(p.unknown == 0, "none is unknown (%zu)", p.unknown);
}

static void check_memory(struct cx_core *c, const struct bytes *self)
{
    ok(fabs(predict(c, self, "tm_byte").chain - 7) < 0.05, "a byte waits for memory");
    ok(fabs(predict(c, self, "tm_word").chain - 1) < 0.05, "four bytes are known by their place");
    ok(fabs(predict(c, self, "tm_indexed").pressure[1] - 0.5) < 1e-9,
       "a store with an index needs an integer unit beside the loop's own sum");
    ok(fabs(predict(c, self, "tm_plain").pressure[1] - 0.25) < 1e-9, "one without does not");
    ok(fabs(predict(c, self, "tm_indexed").pressure[0] - 0.6) < 1e-9 &&
           fabs(predict(c, self, "tm_vector").pressure[0] - 0.4) < 1e-9,
       "and a slot of its own, but not where it is of a vector and that was measured");
    ok(fabs(predict(c, self, "tm_halves").throughput - 2) < 1e-9,
       "stores to two halves of a line take a cycle each");
    ok(fabs(predict(c, self, "tm_near").throughput - 1) < 1e-9, "two within one half share it");
    ok(fabs(predict(c, self, "tm_across").pressure[2] - 2) < 1e-9,
       "loads that reach into a second line half of the time count as twice as many, since each "
       "that does takes as long as three");
}

/* What loads and stores of general registers take of integer units beside the loop's own sum, 0.25.
 */
static void check_units(struct cx_core *c, const struct bytes *self)
{
    ok(fabs(predict(c, self, "tm_signed").pressure[1] - 0.75) < 1e-9,
       "loads that extend a sign are not taken for plain ones");
    ok(fabs(predict(c, self, "tm_part").pressure[1] - 1) < 1e-9,
       "nor is one that fills a part of a register, but the load of a sum of bytes is");
    ok(fabs(predict(c, self, "tm_constant").pressure[1] - 0.5) < 1e-9 &&
           fabs(predict(c, self, "tm_constant").pressure[0] - 0.4) < 1e-9,
       "a constant's store with an index takes what was measured, not what a register's takes more");
}

/* What nobody comes between, and stores past the caches, take longer than their parts in a row: how
 * much longer was not measured. */
static void check_apart(struct cx_core *c, const struct bytes *self)
{
    const struct am_predicted p = predict(c, self, "tm_apart");

    for (size_t i = 0; i < 6; i++)
        ok(p.lines[i].forms.match == AM_FORM_UNKNOWN && !p.lines[i].forms.operation[0],
           "%s is not what the same without that is", p.lines[i].insn->text);
    for (size_t i = 6; i < 8; i++)
        ok(p.lines[i].forms.match != AM_FORM_UNKNOWN, "%s is what it was", p.lines[i].insn->text);
    ok(p.unknown == 6 && p.latencies_unknown == 0 && p.pressure[3] > 0,
       "the prediction is a lower bound, which their stores are part of (%zu unknown)", p.unknown);
}

int main(void)
{
    const struct bytes self = read_self();
    struct cx_core c = {.run = {.set = {.n = 0}}};

    if (am_insn_unsupported(AM_ARCH_X86_64)) {
        ok(true, "loops # SKIP %s", am_insn_unsupported(AM_ARCH_X86_64));
    } else {
        cx_make(&c, known, resources, sizeof(resources) / sizeof(resources[0]), 0.1);
        set_alone(&c.incore);
        cx_add_latency(&c, "mov_r64_m64", 0);
        cx_settle(&c);
        check_masks(&c, &self);
        check_memory(&c, &self);
        check_units(&c, &self);
        check_apart(&c, &self);
        check_everyday(&c, &self);
    }
    am_arena_fini(&c.run.arena);
    free(self.data);
    return tap_done();
}
