/* SPDX-License-Identifier: MIT */
/* Loads and stores of the halves of a vector, on made-up cores. */
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
    "\tjnz 1b\n\tret\n.size " #name ", .-" #name "\n"
#define DOWN "\tdec %rdi\n"
/* clang-format off */
__asm__(
    ".pushsection .text\n"
    LOOP(tl_pair, "\tmovlps (%rsi), %xmm2\n\tmovhps 8(%rsi), %xmm2\n" DOWN)
    LOOP(tl_both_names, "\tmovlpd (%rsi), %xmm2\n\tmovhps (%rdx,%rcx,8), %xmm2\n" DOWN)
    LOOP(tl_vex, "\tvmovlps (%rsi), %xmm2, %xmm2\n\tvmovhps 8(%rsi), %xmm2, %xmm2\n" DOWN)
    LOOP(tl_from_other, "\tvmovlpd (%rsi), %xmm2, %xmm3\n\tvmovhpd 8(%rsi), %xmm3, %xmm3\n"
                        "\tvaddpd %xmm3, %xmm3, %xmm2\n" DOWN)
    LOOP(tl_to_other, "\tvmovlps (%rsi), %xmm2, %xmm3\n\tvmovhps 8(%rsi), %xmm3, %xmm2\n" DOWN)
    LOOP(tl_between, "\tmovlps (%rsi), %xmm2\n\tnop\n\tmovhps 8(%rsi), %xmm2\n" DOWN)
    LOOP(tl_order, "\tmovhps (%rsi), %xmm2\n\tmovlps 8(%rsi), %xmm2\n" DOWN)
    LOOP(tl_apart, "\tmovlps (%rsi), %xmm2\n\tmovhps 8(%rsi), %xmm3\n" DOWN)
    LOOP(tl_same, "\tmovlps (%rsi), %xmm2\n\tmovlps 8(%rsi), %xmm2\n" DOWN)
    LOOP(tl_store, "\tmovlps %xmm2, (%rsi)\n\tmovhps (%rdx), %xmm2\n" DOWN)
    LOOP(tl_round, "\tmovhps (%rsi), %xmm2\n" DOWN "\tmovlps 8(%rsi), %xmm2\n")
    LOOP(tl_stores, "\tmovhps %xmm2, (%rsi)\n\tmovhpd %xmm2, 8(%rsi)\n\tmovlps %xmm2, 16(%rsi)\n"
                    "\tvmovhps %xmm2, 24(%rsi)\n\tvmovlpd %xmm2, 32(%rsi)\n" DOWN)
    ".popsection");
/* clang-format on */
#endif

/* A core: how long a load of each half takes, and one of both. */
static const double LOWER = 2, UPPER = 2, QUICK = 1, SLOW = 3.1, NONE = -1;

static const struct loop {
    const char *name, *what;
    double waiting, afresh; /* chain, where both halves wait, and where not; the counter's is 1 */
} chains[] = {
    {"tl_pair", "both halves of a register", 4, 1},
    {"tl_both_names", "both halves, from two places and of two types", 4, 1},
    {"tl_vex", "both halves in encodings with a destination", 4, 1},
    {"tl_from_other", "both halves behind another register's", 7, 1},
    {"tl_to_other", "the upper half into another register", 4, 4},
    {"tl_between", "halves with an instruction between", 4, 4},
    {"tl_order", "the upper half first", 4, 4},
    {"tl_apart", "halves of two registers", 2, 2},
    {"tl_same", "the lower half twice", 4, 4},
    {"tl_store", "an upper half behind a store", 2, 2},
    {"tl_round", "halves with the jump between", 4, 4},
};
enum { CHAINS = sizeof(chains) / sizeof(chains[0]) };

/* weights: front, load, store, shuffle; `both` below 0 and `stores` false: these were not measured
 */
static void make_core(struct cx_core *c, double both, bool stores)
{
    static const char *resources[] = {"front", "load", "store", "shuffle"};
    struct cx_form forms[] = {{"xor_r32_zero", -1, {0.125}},
                              {"add_r64", 1, {0.125}},
                              {"addpd_xmm", 3, {0.125}},
                              {"mov_r64_m64_row", -1, {0.125, 0.25}},
                              {"movsd_xmm_m64", -1, {0.125, 0.5}},
                              {"movlpd_xmm_m64", LOWER, {0.125, 0.5}},
                              {"movhpd_xmm_m64", UPPER, {0.125, 0.5}},
                              {"vmovhpd_xmm_m64", -1, {0.125, 0.5}},
                              {"movsd_m64_xmm", -1, {0.125, 0, 0.5}},
                              {"vmovsd_m64_xmm", -1, {0.125, 0, 0.5}},
                              {NULL, 0, {0}},
                              {NULL, 0, {0}},
                              {NULL, 0, {0}}};

    if (stores) {
        forms[10] = (struct cx_form){"movhpd_m64_xmm", -1, {0.125, 0, 0.5, 0.25}};
        forms[11] = (struct cx_form){"vmovhpd_m64_xmm", -1, {0.125, 0, 0.5, 0.25}};
    }
    *c = (struct cx_core){.run = {.set = {.n = 0}}};
    cx_make(c, forms, resources, 4, 0);
    if (both > 0)
        cx_add_latency(c, "movlpd_movhpd_xmm_m64", both);
    cx_settle(c);
}

static struct am_insns decoded(struct cx_core *c, const struct bytes *self, const char *name)
{
    struct am_insns insns;
    struct am_code code = {.name = NULL};
    struct am_err err = {.status = AM_OK};

    if (am_elf_function("self", self->data, self->n, name, &c->run.arena, &code, &err) != AM_OK ||
        am_insns_decode(&code, &c->run.arena, &insns, &err) != AM_OK)
        abort();
    return insns;
}

static struct am_predicted predict(struct cx_core *c, const struct am_insns *insns, size_t last)
{
    struct am_loop *const loop = am_arena_alloc(&c->run.arena, sizeof(*loop));
    struct am_predicted out;

    *loop = (struct am_loop){.first = 0, .last = last};
    if (!am_loop_predict(&c->incore, insns, loop, &c->run.arena, &out))
        abort();
    return out;
}

/* All but the `ret` behind it. */
static struct am_predicted predict_all(struct cx_core *c, const struct bytes *self,
                                       const char *name)
{
    struct am_insns *const insns = am_arena_alloc(&c->run.arena, sizeof(*insns));

    *insns = decoded(c, self, name);
    return predict(c, insns, insns->n - 2);
}

static void check_chains(const struct bytes *self, double both, bool afresh)
{
    struct cx_core c;

    make_core(&c, both, false);
    for (size_t i = 0; i < CHAINS; i++) {
        const double wanted = afresh ? chains[i].afresh : chains[i].waiting;
        const double chain = predict_all(&c, self, chains[i].name).chain;

        ok(fabs(chain - wanted) < 0.05, "%s take %g cycles%s (%g)", chains[i].what, wanted,
           both < 0     ? " where both were not measured"
           : !afresh    ? " where both take hardly less"
           : wanted < 2 ? ", waiting for nothing"
                        : "",
           chain);
    }
    am_arena_fini(&c.run.arena);
}

/* A block that was marked need not end with a jump: it is repeated by something all the same. */
static void check_block(const struct bytes *self)
{
    struct cx_core c;
    struct am_insns insns;

    make_core(&c, QUICK, false);
    insns = decoded(&c, self, "tl_order");
    ok(fabs(predict(&c, &insns, 1).chain - LOWER - UPPER) < 0.05,
       "the last of a block and its first do not stand side by side");
    am_arena_fini(&c.run.arena);
}

static void check_stores(const struct bytes *self, bool measured)
{
    static const char *const own[] = {"movhpd_m64_xmm", "movhpd_m64_xmm", "movsd_m64_xmm",
                                      "vmovhpd_m64_xmm", "vmovsd_m64_xmm"};
    static const char *const like[] = {"movsd_m64_xmm", "movsd_m64_xmm", "movsd_m64_xmm",
                                       "vmovsd_m64_xmm", "vmovsd_m64_xmm"};
    struct cx_core c;
    struct am_predicted p;

    make_core(&c, NONE, measured);
    p = predict_all(&c, self, "tl_stores");
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        is_str(p.lines[i].forms.store, measured ? own[i] : like[i], "the form of a half's store");
        ok(p.lines[i].forms.match ==
               (measured || strcmp(own[i], like[i]) == 0 ? AM_FORM_EXACT : AM_FORM_LIKE),
           "%s is what was measured of it%s", p.lines[i].forms.store,
           measured ? "" : ", or is like it");
    }
    ok(fabs(p.pressure[3] - (measured ? 0.75 : 0)) < 1e-9,
       "stores of upper halves take what was measured of shuffles (%g)", p.pressure[3]);
    ok(fabs(p.pressure[2] - 2.5) < 1e-9, "and of stores what others take (%g)", p.pressure[2]);
    am_arena_fini(&c.run.arena);
}

int main(void)
{
    const struct bytes self = read_self();

    if (am_insn_unsupported(AM_ARCH_X86_64)) {
        ok(true, "loops # SKIP %s", am_insn_unsupported(AM_ARCH_X86_64));
    } else {
        check_chains(&self, QUICK, true);
        check_chains(&self, SLOW, false);
        check_chains(&self, NONE, false);
        check_block(&self);
        check_stores(&self, true);
        check_stores(&self, false);
    }
    free(self.data);
    return tap_done();
}
