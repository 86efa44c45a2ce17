/* SPDX-License-Identifier: MIT */
/* Loops of a function: read from a program, decoded, held against made-up weights and latencies. */
#include "model/block/bound.h"

#include "base/rng.h"
#include "model/explain.h"
#include "core_fixture.h"
#include "self_file.h"
#include "tap.h"

#include <stdlib.h>

#if defined(__x86_64__)
/* Each ends with its loop; the rest of the section does not belong to it. */
__asm__(
    ".pushsection .text\n"
    ".globl tb_chain, tb_units, tb_nested, tb_moves, tb_odd, tb_behind, tb_two, tb_kept\n"
    ".globl tb_vector_through\n.type tb_vector_through, @function\n"
    "tb_vector_through:\n1:\n\tmovsd 8(%rsi), %xmm0\n\tmovsd %xmm0, 8(%rsi)\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_vector_through, .-tb_vector_through\n"
    ".globl tb_hangs\n.type tb_hangs, @function\n"
    "tb_hangs:\n1:\n\tadd %rcx, %rax\n\tadd %rcx, %rax\n\tmov (%rsi,%rax,8), %rdx\n\tvaddsd (%rsi), "
    "%xmm0, %xmm1\n\tdec %rdi\n\tjnz 1b\n\tret\n.size tb_hangs, .-tb_hangs\n"
    ".globl tb_same_place, tb_next_place, tb_other_place, tb_ways, tb_across, tb_behind_pointer\n"
    ".type tb_chain, @function\n"
    "tb_chain:\n1:\n\tmulsd (%rsi), %xmm0\n\taddsd %xmm2, %xmm0\n\tadd $8, %rsi\n\tdec %rdi\n\t"
    "jnz 1b\n\tret\n"
    ".size tb_chain, .-tb_chain\n"
    ".type tb_units, @function\n"
    "tb_units:\n1:\n\tmulsd %xmm1, %xmm3\n\tmulsd %xmm1, %xmm4\n\tmulsd %xmm1, %xmm5\n\t"
    "mulsd %xmm1, %xmm6\n\tmulsd %xmm1, %xmm7\n\tmulsd %xmm1, %xmm8\n\tmulsd %xmm1, %xmm9\n\t"
    "mulsd %xmm1, %xmm10\n\txor %eax, %eax\n\tsub %rcx, %rdx\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_units, .-tb_units\n"
    ".type tb_nested, @function\n"
    "tb_nested:\n1:\n\tmov %rcx, %rdx\n2:\n\tadd (%rsi,%rdx,8), %rax\n\tdec %rdx\n\tjnz 2b\n\t"
    "dec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_nested, .-tb_nested\n"
    ".type tb_moves, @function\n"
    "tb_moves:\n1:\n\tmov %rax, %rdx\n\tadd %rcx, %rdx\n\tmov %rdx, %rax\n\tdec %rdi\n\tjnz 1b\n\t"
    "ret\n"
    ".size tb_moves, .-tb_moves\n"
    ".type tb_odd, @function\n"
    "tb_odd:\n1:\n\tcpuid\n\tprefetcht0 (%rsi)\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_odd, .-tb_odd\n"
    ".type tb_behind, @function\n"
    "tb_behind:\n\ttest %rdi, %rdi\n\tjz 3f\n1:\n\tadd %rcx, %rax\n\tdec %rdi\n\tjnz 1b\n"
    "2:\n\tadd %rax, %rcx\n\tret\n3:\n\txor %eax, %eax\n\tjmp 2b\n"
    ".size tb_behind, .-tb_behind\n"
    ".type tb_two, @function\n"
    "tb_two:\n1:\n\tmulsd %xmm1, %xmm3\n\tmulsd %xmm1, %xmm4\n\tmulsd %xmm1, %xmm5\n\t"
    "mulsd %xmm1, %xmm6\n\tdec %rdi\n\tjnz 1b\n2:\n\tadd $8, %rsi\n\tdec %rcx\n\tjnz 2b\n\tret\n"
    ".size tb_two, .-tb_two\n"
    ".type tb_kept, @function\n"
    "tb_kept:\n1:\n\tcmovb %rcx, %rax\n\tadd %rdx, %rax\n\tmov %cl, %al\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_kept, .-tb_kept\n"
    ".type tb_same_place, @function\n"
    "tb_same_place:\n1:\n\tadd %rax, 8(%rsi,%rcx,4)\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_same_place, .-tb_same_place\n"
    ".type tb_next_place, @function\n"
    "tb_next_place:\n1:\n\tmov %rsi, %rdx\n\tmovsd (%rdx), %xmm0\n\taddsd %xmm1, %xmm0\n\t"
    "movsd %xmm0, 8(%rsi)\n\tadd $8, %rsi\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_next_place, .-tb_next_place\n"
    ".type tb_other_place, @function\n"
    "tb_other_place:\n1:\n\tmovsd (%rsi), %xmm0\n\taddsd %xmm1, %xmm0\n\t"
    "movsd %xmm0, -8(%rsi)\n\tmovsd %xmm0, 8(%rdx)\n\tadd $8, %rsi\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_other_place, .-tb_other_place\n"
    ".type tb_behind_pointer, @function\n"
    "tb_behind_pointer:\n1:\n\tmov (%rsi), %rcx\n\tadd %rax, 8(%rcx)\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_behind_pointer, .-tb_behind_pointer\n"
    ".type tb_ways, @function\n"
    "tb_ways:\n1:\n\taddsd %xmm1, %xmm0\n\tpaddd %xmm2, %xmm0\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_ways, .-tb_ways\n"
    ".type tb_across, @function\n"
    "tb_across:\n1:\n\tmovups 8(%rsi), %xmm0\n\tmovups 24(%rsi), %xmm1\n\tmovups 32(%rsi), %xmm2\n\t"
    "movups 48(%rsi), %xmm3\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_across, .-tb_across\n"
    ".popsection");
__asm__(
    ".pushsection .text\n"
    ".globl tb_forwards, tb_half, tb_from_memory, tb_taken_in, tb_clash\n"
    ".type tb_clash, @function\n"
    "tb_clash:\n1:\n\taddss %xmm1, %xmm0\n\taddsd %xmm1, %xmm0\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_clash, .-tb_clash\n"
    ".type tb_forwards, @function\n"
    "tb_forwards:\n1:\n\tmov %rax, 8(%rsi)\n\tmov 8(%rsi), %rax\n\tdec %rdi\n\tjnz 1b\n"
    "2:\n\tmov %rax, 8(%rsi)\n\tmov 8(%rdx), %rax\n\tmov %rsi, %rdx\n\tdec %rdi\n\tjnz 2b\n"
    "3:\n\tmov %rax, 8(%rsi)\n\tmovslq 8(%rsi), %rax\n\tdec %rdi\n\tjnz 3b\n"
    "4:\n\tadd %rcx, 8(%rsi)\n\tdec %rdi\n\tjnz 4b\n"
    "5:\n\taddq $1, 8(%rsi)\n\tdec %rdi\n\tjnz 5b\n\tret\n"
    ".size tb_forwards, .-tb_forwards\n"
    ".type tb_half, @function\n"
    "tb_half:\n1:\n\tmovlps (%rsi), %xmm0\n\taddsd %xmm1, %xmm0\n\tdec %rdi\n\tjnz 1b\n"
    "2:\n\tmovsd (%rsi), %xmm0\n\taddsd %xmm1, %xmm0\n\tdec %rdi\n\tjnz 2b\n\tret\n"
    ".size tb_half, .-tb_half\n"
    ".type tb_from_memory, @function\n"
    "tb_from_memory:\n1:\n\tunpcklpd (%rsi), %xmm0\n\tunpcklpd %xmm1, %xmm2\n\tdec %rdi\n\t"
    "jnz 1b\n\tret\n"
    ".size tb_from_memory, .-tb_from_memory\n"
    ".type tb_taken_in, @function\n"
    "tb_taken_in:\n1:\n\tcmp (%rsi,%rdx,8), %rax\n\tmovzbl (%rsi,%rdx), %ecx\n\t"
    "cmp %rcx, %rax\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_taken_in, .-tb_taken_in\n"
    ".globl tb_sums, tb_indexed, tb_apart\n"
    ".type tb_sums, @function\n"
    "tb_sums:\n1:\n\tadd $8, %rax\n\tinc %rax\n\tadd $8, %rsi\n\tadd $1000, %rdx\n\tdec %rdi\n\t"
    "jnz 1b\n\tret\n"
    ".size tb_sums, .-tb_sums\n"
    ".type tb_indexed, @function\n"
    "tb_indexed:\n1:\n\tcmp (%rsi,%rdx,8), %rax\n\tcmp (%rsi), %rax\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_indexed, .-tb_indexed\n"
    ".type tb_apart, @function\n"
    "tb_apart:\n1:\n\tmulsd %xmm1, %xmm0\n\taddsd %xmm2, %xmm0\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_apart, .-tb_apart\n"
    ".globl tb_continue, tb_cold, tb_table, tb_unsized\n"
    ".type tb_continue, @function\n"
    "tb_continue:\n1:\n\tadd $8, %rsi\n\tdec %rdi\n\tjs 1b\n\tmulsd (%rsi), %xmm0\n\t"
    "test $1, %rdi\n\tjnz 2f\n\taddsd %xmm2, %xmm0\n\tjmp 1b\n\tnop\n2:\n\tdec %rcx\n\t"
    "jnz 1b\n\tret\n"
    ".size tb_continue, .-tb_continue\n"
    ".type tb_cold, @function\n"
    "tb_cold:\n1:\n\tadd %rcx, %rax\n\tjo 2f\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    "2:\n\txor %eax, %eax\n\tjmp 1b\n"
    ".size tb_cold, .-tb_cold\n"
    ".type tb_table, @function\n"
    "tb_table:\n1:\n\tmov (%rsi), %rax\n\tjmp *%rax\n\tadd $1, %rcx\n\tadd $8, %rsi\n\t"
    "dec %rdi\n\tjnz 1b\n\tret\n"
    ".size tb_table, .-tb_table\n"
    ".type tb_unsized, @function\n"
    "tb_unsized:\n1:\n\tadd %rcx, %rax\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    "2:\n\tsub %rcx, %rax\n\tdec %rdi\n\tjnz 2b\n\tret\n"
    ".popsection");
#endif

/* ---- the program itself as a file ---- */

static enum am_status find(const struct bytes *b, const char *name, struct am_arena *arena,
                           struct am_code *out, struct am_err *err)
{
    *err = (struct am_err){.status = AM_OK};
    return am_elf_function("self", b->data, b->n, name, arena, out, err);
}

static void check_refused(const struct bytes *self)
{
    static const unsigned char text[] =
        "no program at all, but long enough to be one of the header's";
    struct am_arena arena = {NULL};
    struct bytes other = {.data = malloc(sizeof(text)), .n = sizeof(text)};
    struct am_code code;
    struct am_err err;

    memcpy(other.data, text, sizeof(text));
    ok(find(&other, "f", &arena, &code, &err) == AM_E_USAGE && strstr(err.text, "ELF"),
       "a text is refused: %s", err.text);
    ok(find(self, "tb_chian", &arena, &code, &err) == AM_E_USAGE && strstr(err.text, "tb_chain"),
       "the nearest function is named: %s", err.text);
    ok(find(self, NULL, &arena, &code, &err) == AM_E_USAGE && strstr(err.text, "--function"),
       "of several functions one is to be chosen: %s", err.text);
    free(other.data);
    am_arena_fini(&arena);
}

/* Cut off anywhere, or with bytes of the tables changed: refused, or a function inside the file. */
static void check_damaged(const struct bytes *self)
{
    struct am_rng rng;
    size_t outside = 0;

    am_rng_seed(&rng, 24, 0);
    for (int i = 0; i < 400; i++) {
        struct am_arena arena = {NULL};
        struct bytes part = {.n = i < 200 ? am_rng_below(&rng, self->n) : self->n};
        struct am_code code;
        struct am_err err;

        part.data = malloc(part.n + 1);
        memcpy(part.data, self->data, part.n);
        for (int k = 0; i >= 200 && k < 6; k++) /* the header, or the tables at the end */
            part.data[k % 2 ? am_rng_below(&rng, 64)
                            : part.n - 1 - am_rng_below(&rng, part.n / 8)] =
                (unsigned char)am_rng_below(&rng, 256);
        if (find(&part, "tb_chain", &arena, &code, &err) == AM_OK)
            outside += code.bytes < part.data || code.n > part.n ||
                       (size_t)(code.bytes - part.data) > part.n - code.n;
        free(part.data);
        am_arena_fini(&arena);
    }
    ok(outside == 0, "400 damaged files: no code outside of them");
}

/* ---- a core ---- */

/* weights:  front, alu, add, mul, load */
static const struct cx_form known[] = {
    {"xor_r32_zero", -1, {0.2}},
    {"add_r64", 1, {0.2, 0.25}},
    {"addsd_xmm", 3, {0.2, 0, 0.5}},
    {"mulsd_xmm", 4, {0.2, 0, 0, 0.5}},
    {"movsd_xmm_m64", -1, {0.2, 0, 0, 0, 0.5}},
    {"mov_r64_m64_row", -1, {0.2, 0, 0, 0, 0.5}},
    {"mov_r64", -1, {0.2}},
    {"paddd_xmm", 9, {0.2, 0, 0.5}}, /* by cpu.instr; cpu.chain says 1 */
    {"movups_xmm_m128", -1, {0.2, 0, 0, 0, 0.5}},
    {"mov_m64_r64", -1, {0.2}},
    {"movsd_m64_xmm", -1, {0.2}},
    {.name = NULL},
};
enum { RESOURCES = 5 };
static const char *resource_names[] = {"front", "alu", "add", "mul", "load"};

/* A chain alone and with an addition of either kind behind each step: 3 and 1 cycles, and 2 more
 * between the kinds, there and back. */
static void add_chain(struct rx_run *run, const char *form, double alone, double with_float,
                      double with_integer)
{
    struct am_result *const r =
        rx_add(run, "cpu.chain", am_arena_printf(&run->arena, "instr=%s", form),
               (const struct rx_metric[]){{"latency", "cycle", alone},
                                          {"with_float", "cycle", with_float},
                                          {"with_integer", "cycle", with_integer}});

    am_kvs_add(&r->chosen, &run->arena, "float_link", "addpd_xmm");
    am_kvs_add(&r->chosen, &run->arena, "integer_link", "paddd_xmm");
}

static void make_core(struct cx_core *c)
{
    cx_make(c, known, resource_names, RESOURCES, 0.1);
    cx_add_latency(c, "mov_r64_m64", 5);
    for (size_t i = 0; i < c->incore.n_forms; i++) {
        if (strcmp(known[i].name, "mov_r64") == 0)
            c->incore.forms[i].kind = 0; /* as a slot: done by renaming */
    }
    add_chain(&c->run, "addpd_xmm", 3, 6, 6);
    add_chain(&c->run, "addsd_xmm", 3, 6, 6);
    add_chain(&c->run, "paddd_xmm", 1, 6, 2);
    add_chain(&c->run, "store_load_r64", 7, 8, 8);
    add_chain(&c->run, "store_load_xmm", 6, 9, 7);
    cx_settle(c);
}

/* The only loop of the function. */
static struct am_predicted predict(struct cx_core *c, const struct bytes *self, const char *name)
{
    struct am_arena *const arena = &c->run.arena;
    struct am_predicted out = {.n = 0};
    struct am_insns *const insns = am_arena_alloc(arena, sizeof(*insns));
    struct am_loops *const loops = am_arena_alloc(arena, sizeof(*loops));
    struct am_code code = {.name = NULL};
    struct am_err err;

    ok(find(self, name, arena, &code, &err) == AM_OK &&
           am_insns_decode(&code, arena, insns, &err) == AM_OK &&
           am_loops_find(insns, arena, loops) && loops->n == 1,
       "%s has one innermost loop", name);
    if (loops->n != 1 || !am_loop_predict(&c->incore, insns, &loops->items[0], arena, &out))
        abort();
    for (size_t i = 0; i < out.n; i++)
        printf("# %-28s %s %s latency %g %s\n", out.lines[i].insn->text,
               out.lines[i].forms.operation, out.lines[i].forms.load, out.lines[i].latency,
               out.lines[i].on_chain ? "*" : "");
    return out;
}

/* What goes through memory, between two kinds of units, and across lines. */
static void check_places(struct cx_core *c, const struct bytes *self)
{
    struct am_predicted p = predict(c, self, "tb_same_place");

    is_near(p.chain, 8, 0.05, "a sum in memory waits for its own store, 7 cycles, and is added to");
    ok(p.lines[0].on_chain && p.limit == AM_LIMIT_CHAIN, "which is the chain");
    p = predict(c, self, "tb_next_place");
    is_near(p.chain, 9, 0.05, "what the iteration before stored is found through sums and copies");
    p = predict(c, self, "tb_other_place");
    ok(p.chain < 1.1, "neighbours and other registers' places are not the same (%g)", p.chain);
    p = predict(c, self, "tb_behind_pointer");
    is_near(p.chain, 8, 0.05, "a pointer that is loaded again leads to the same place");
    p = predict(c, self, "tb_ways");
    is_near(p.chain, 6, 0.05, "3 and 1 cycles, and 2 from kind to kind and back");
    p = predict(c, self, "tb_across");
    is_near(p.cycles, 0.5 * (2 + 2 * 1.25), 1e-6, "of 16 bytes at 8 every fourth crosses a line");
}

/* The chain of a function's loop of that number. */
static struct am_predicted predict_nth(struct cx_core *c, const struct bytes *self,
                                       const char *name, size_t nth)
{
    struct am_predicted out;
    struct am_insns insns;
    struct am_loops loops;
    struct am_code code;
    struct am_err err;

    if (find(self, name, &c->run.arena, &code, &err) != AM_OK ||
        am_insns_decode(&code, &c->run.arena, &insns, &err) != AM_OK ||
        !am_loops_find(&insns, &c->run.arena, &loops) || nth >= loops.n ||
        !am_loop_predict(&c->incore, &insns, &loops.items[nth], &c->run.arena, &out))
        abort();
    return out;
}

/* Loads of what was stored just before: as they were measured, one by one, and all as the plain
 * ones where nothing else was. */
static void check_forwards(const struct bytes *self)
{
    static const struct cx_form plain[] = {
        {"xor_r32_zero", -1, {0.2}},    {"add_r64", 1, {0.2, 0.25}},  {"mov_r64", 0.2, {0.2}},
        {"mov_r64_m64_row", -1, {0.2}}, {"mov_m64_r64", -1, {0.2}},   {"store_load_r64", 3, {0.4}},
        {"movsd_xmm_m64", -1, {0.2}},   {"movsd_m64_xmm", -1, {0.2}}, {NULL, 0, {0}}};
    static const double measured[] = {3, 5, 7, 8, 4}, without[] = {3, 3, 3, 4, 4};
    static const char *const forms[] = {"store_load_r64", "store_load_r64_other",
                                        "store_load_r64_signed", "and_m64_r64", "and_m64_imm"};
    struct cx_core c = {.run = {.set = {.n = 0}}}, d = {.run = {.set = {.n = 0}}};

    cx_make(&c, plain, resource_names, RESOURCES, 0.1);
    cx_make(&d, plain, resource_names, RESOURCES, 0.1);
    for (size_t i = 1; i < 5; i++)
        cx_add_latency(&c, forms[i], measured[i]);
    cx_settle(&c);
    cx_settle(&d);
    for (size_t i = 0; i < 5; i++) {
        const double own = predict_nth(&c, self, "tb_forwards", i).chain;
        const double other = predict_nth(&d, self, "tb_forwards", i).chain;

        ok(fabs(own - measured[i]) < 0.05, "%s has its own way through memory (%g)", forms[i], own);
        ok(fabs(other - without[i]) < 0.05, "without it %s has that of a plain store and load (%g)",
           forms[i], other);
    }
    is_near(predict(&c, self, "tb_vector_through").chain, measured[1], 0.05,
            "vectors whose way was not measured go through memory as another operand does");
    am_arena_fini(&c.run.arena);
    am_arena_fini(&d.run.arena);
}

/* Loads into a half of a register wait for the rest; a form with its operand in memory is taken
 * whole; slots, not instructions, are taken in at a jump. */
static void check_whole_forms(const struct bytes *self)
{
    static const struct cx_form forms[] = {{"xor_r32_zero", -1, {0.2}},
                                           {"add_r64", 1, {0.2, 0.25}},
                                           {"cmp_r64", -1, {0.2, 0.25}},
                                           {"addsd_xmm", 3, {0.2, 0, 0.5}},
                                           {"movsd_xmm_m64", -1, {0.2, 0, 0, 0, 0.5}},
                                           {"movups_xmm_m128", -1, {0.2, 0, 0, 0, 0.5}},
                                           {"movlpd_xmm_m64", 1, {0.2, 0, 0, 0, 0.5}},
                                           {"unpcklpd_xmm", 1, {0.2, 0, 0, 1}},
                                           {"unpcklpd_xmm_m128", -1, {0.2, 0, 0, 0.25, 0.5}},
                                           {"mov_r64_m64_row", -1, {0.2, 0, 0, 0, 0.5}},
                                           {"movzbl_r32_m8", -1, {0.2, 0, 0, 0, 0.5}},
                                           {"movzbl_r32", 1, {0.2, 0.25}},
                                           {"cmp_r64_m64", -1, {0.2, 0.25, 0, 0, 0.5}},
                                           {"cmp_r64_m64_indexed", -1, {0.4, 0.25, 0, 0, 0.5}},
                                           {NULL, 0, {0}}};
    struct cx_core c = {.run = {.set = {.n = 0}}};
    struct am_predicted p;

    cx_make(&c, forms, resource_names, RESOURCES, 0.1);
    cx_settle(&c);
    p = predict_nth(&c, self, "tb_half", 0);
    is_near(p.chain, 4, 0.05, "half of a register that is loaded keeps the other half");
    p = predict_nth(&c, self, "tb_half", 1);
    ok(p.chain < 1.1, "a scalar that is loaded does not (%g)", p.chain);
    p = predict(&c, self, "tb_from_memory");
    is_near(p.pressure[3], 1.25, 1e-9, "a shuffle of memory is another form than one of registers");
    ok(strcmp(p.lines[0].forms.operation, "unpcklpd_xmm_m128") == 0 && !p.lines[0].forms.load[0] &&
           p.lines[0].forms.match == AM_FORM_EXACT,
       "it has its load in it");
    is_near(p.lines[0].latency, 1, 1e-9, "and the latency of the one of registers");
    p = predict(&c, self, "tb_taken_in");
    is_near(p.pressure[0], 1.0, 1e-9, "a load that extends has no slot more for its index");
    is_near(p.lines[1].latency, 0, 1e-9, "and no latency beyond that of a load");
    c.incore.fetch = 4;
    p = predict(&c, self, "tb_taken_in");
    is_near(p.jump.cycles, 2, 1e-9, "five slots of four instructions are taken in in two cycles");
    c.incore.fetch = 0;
    c.incore.width = 4;
    c.incore.split_first = c.incore.split_slots = 1;
    p = predict(&c, self, "tb_taken_in");
    ok(fabs(p.cycles - 2) < 0.03 && p.limit == AM_LIMIT_RESOURCE && p.busiest == 0,
       "where two slots must be a cycle's first, the front end takes longer (%g)", p.cycles);
    am_arena_fini(&c.run.arena);
}

/* The loops of a function that are found when it begins at the address 0, as in an object. */
static struct am_loops loops_at_0(const struct bytes *self, const char *name,
                                  struct am_arena *arena)
{
    struct am_loops loops = {.n = 0};
    struct am_insns insns;
    struct am_code code = {.name = NULL};
    struct am_err err;

    if (find(self, name, arena, &code, &err) != AM_OK)
        abort();
    code.address = 0;
    if (am_insns_decode(&code, arena, &insns, &err) != AM_OK ||
        !am_loops_find(&insns, arena, &loops))
        abort();
    return loops;
}

static void check_ways_back(const struct bytes *self)
{
    struct am_arena arena = {NULL};
    struct am_loops l = loops_at_0(self, "tb_chain", &arena);

    ok(l.n == 1 && l.items[0].first == 0, "a loop may begin at the address 0");
    l = loops_at_0(self, "tb_continue", &arena);
    ok(l.n == 1 && l.items[0].last == 10 && l.items[0].branches == 3 && l.items[0].elsewhere == 0,
       "three jumps back to one place are one loop, up to the last");
    l = loops_at_0(self, "tb_cold", &arena);
    ok(l.n == 1 && l.items[0].last == 3 && l.items[0].elsewhere == 1,
       "code behind the function's end is no part of it, and counted");
    l = loops_at_0(self, "tb_table", &arena);
    ok(l.n == 1 && l.items[0].last == 5, "a jump by a table may lead to the loop's end");
    l = loops_at_0(self, "tb_unsized", &arena);
    ok(l.n == 1 && l.items[0].last == 2, "a symbol without a size ends where nothing leads on");
    am_arena_fini(&arena);
}

static void check_loops(const struct bytes *self)
{
    struct cx_core c = {.run = {.set = {.n = 0}}};
    struct am_predicted p;

    make_core(&c);
    p = predict(&c, self, "tb_chain");
    ok(p.n == 5 && p.limit == AM_LIMIT_CHAIN, "a product and a sum in turn are a chain");
    is_near(p.chain, 7, 1e-3, "of 4 + 3 cycles");
    ok(p.lines[0].on_chain && p.lines[1].on_chain && !p.lines[2].on_chain,
       "the two are marked, the pointer is not");
    ok(strcmp(p.lines[0].forms.load, "movsd_xmm_m64") == 0 &&
           strcmp(p.lines[0].forms.operation, "mulsd_xmm") == 0,
       "an operand in memory is a load beside the operation");
    ok(p.lines[4].forms.match == AM_FORM_NONE, "a jump behind a decrement is fused");
    p = predict(&c, self, "tb_units");
    ok(p.limit == AM_LIMIT_RESOURCE && strcmp(resource_names[p.busiest], "mul") == 0,
       "eight products are limited by their units");
    is_near(p.cycles, 4, 1e-9, "for 4 cycles");
    ok(p.lo < 4 && p.hi > 4, "with the interval of the weights");
    ok(p.lines[8].forms.eliminated && p.lines[9].forms.match == AM_FORM_LIKE &&
           strcmp(p.lines[9].forms.operation, "add_r64") == 0,
       "a zero has no operands, a subtraction counts as an addition");
    p = predict(&c, self, "tb_nested");
    ok(p.n == 3 && p.unknown == 0, "the inner loop is found");
    is_near(p.chain, 1, 1e-3, "its sum is the chain, not the load");
    p = predict(&c, self, "tb_moves");
    is_near(p.chain, 1, 1e-3, "moves that take a slot only are no part of a chain's length");
    ok(p.latencies_unknown == 0, "and their latency is known by that");
    p = predict(&c, self, "tb_behind");
    ok(p.n == 3, "code behind the end that jumps back into the function is no loop");
    p = predict(&c, self, "tb_kept");
    ok(p.chain > 1.5 && p.lines[0].on_chain && p.lines[1].on_chain && p.lines[2].on_chain,
       "what a conditional move and a move of a byte leave goes on through them (%g)", p.chain);
    p = predict(&c, self, "tb_hangs");
    ok(p.chain > 1.5 && p.lines[0].on_chain && p.lines[1].on_chain && !p.lines[2].on_chain,
       "a chain is marked though what was done last only hangs on it (%g)", p.chain);
    ok(!strcmp(p.lines[3].insn->text, "vaddsd (%rsi), %xmm0, %xmm1") &&
           !strncmp(p.lines[5].insn->text, "jnz 0x", 6) && p.lines[5].insn->text[6] != '0',
       "instructions are called what assemblers call them: %s, %s", p.lines[3].insn->text,
       p.lines[5].insn->text);
    check_places(&c, self);
    c.incore.fetch = 2;
    p = predict(&c, self, "tb_moves");
    ok(p.limit == AM_LIMIT_JUMP && p.cycles > 1.9 && p.cycles < 2.1,
       "four operations that are taken in by two need two cycles (%g)", p.cycles);
    c.incore.fetch = 0;
    c.incore.turned_round[2] = 3;
    p = predict(&c, self, "tb_moves");
    ok(p.limit == AM_LIMIT_JUMP && fabs(p.cycles - 3) < 1e-9 && p.hi >= 3 && p.lo < 2,
       "four slots take as long as loops of four were seen to take, or as their slots (%g to %g)",
       p.lo, p.hi);
    c.incore.turned_round[2] = 0;
    c.incore.turned_round[1] = c.incore.turned_round[3] = 3;
    p = predict(&c, self, "tb_moves");
    ok(p.cycles < 2, "loops of other lengths say nothing of it (%g)", p.cycles);
    c.incore.turned_round[1] = c.incore.turned_round[3] = 0;
    p = predict(&c, self, "tb_odd");
    ok(p.unknown == 1, "an instruction without a form is unknown");
    ok(p.lines[1].forms.match == AM_FORM_LIKE && p.lines[1].forms.load[0],
       "a prefetch counts as a load");
    am_arena_fini(&c.run.arena);
}

/* A core that does sums with constants while it renames, takes indexed operands in as two
 * operations, and needs a cycle from products to sums and back. */
static void check_other_core(const struct bytes *self)
{
    static const struct cx_form renaming[] = {{"xor_r32_zero", -1, {0.2}},
                                              {"add_r64", 1, {0.2, 0.25}},
                                              {"cmp_r64", -1, {0.2, 0.25}},
                                              {"add_r64_imm", 0.2, {0.2}},
                                              {"mov_r64_m64_row", -1, {0.2, 0, 0, 0.5}},
                                              {"cmp_r64_m64", -1, {0.2, 0.25, 0, 0.5}},
                                              {"cmp_r64_m64_indexed", -1, {0.4, 0.25, 0, 0.5}},
                                              {"addsd_xmm", 2, {0.2, 0, 0.5}},
                                              {"addpd_xmm", 2, {0.2, 0, 0.5}},
                                              {"addss_xmm", 2, {0.2, 0, 0.5}},
                                              {"paddd_xmm", 1, {0.2, 0, 0.25}},
                                              {"mulsd_xmm", 4, {0.2, 0, 0.5}},
                                              {NULL, 0, {0}}};
    struct cx_core c = {.run = {.set = {.n = 0}}};
    struct am_predicted p;

    cx_make(&c, renaming, resource_names, RESOURCES, 0.1);
    add_chain(&c.run, "addpd_xmm", 2, 4, 4);
    add_chain(&c.run, "paddd_xmm", 1, 4, 2);
    add_chain(&c.run, "addsd_xmm", 2, 4, 4);
    add_chain(&c.run, "mulsd_xmm", 4, 7, 6.4);
    add_chain(&c.run, "addss_xmm", 2, 40, 4);
    cx_settle(&c);
    is_near(predict(&c, self, "tb_clash").chain, 40, 0.1, "sums of two sizes in turn clash");
    p = predict(&c, self, "tb_sums");
    is_near(p.chain, 1, 1e-3, "small sums are no part of a chain, one with 1000 is");
    ok(p.pressure[1] > 0.49 && p.pressure[1] < 0.51,
       "units are taken by that one and by what is fused with the jump (%g)", p.pressure[1]);
    p = predict(&c, self, "tb_indexed");
    is_near(p.pressure[0], 0.8, 1e-9, "an index is a slot more");
    p = predict(&c, self, "tb_apart");
    is_near(p.chain, 7, 0.05, "4 and 2 cycles, and 1 from products to sums and back");
    am_arena_fini(&c.run.arena);
}

/* A point that kept its kernel's code, with other functions behind it. */
static void check_explained(const struct bytes *self)
{
    struct cx_core c = {.run = {.set = {.n = 0}}};
    struct am_arena *const arena = &c.run.arena;
    struct am_attachment kept = {.name = "code"};
    const struct am_roofline no_roofs = {.n = 0};
    const struct am_facts no_facts = {.n = 0};
    const struct am_core_telling telling = {
        .core = &c.incore, .hz = 1e9, .roofline = &no_roofs, .arena = arena};
    struct am_explanation e = {.work = {.flops = 1000}, .share = 0.5, .bound = 4e9};
    struct am_code code = {.name = NULL};
    struct am_result *r;
    struct am_err err;

    make_core(&c);
    c.incore.held_error = 0.05;
    r = rx_add(&c.run, "app.some", "threads=1",
               (const struct rx_metric[]){{"flops", "flop/s", 2e9}, {0}});
    am_evidence_settle(&c.run.set);
    e.result = r;
    e.metric = &r->metrics[0];
    e.measured = e.metric->summary;
    ok(!am_explain_loops(&telling, &e), "without code nothing is said");
    if (find(self, "tb_units", arena, &code, &err) != AM_OK)
        abort();
    kept.data = code.bytes;
    kept.n = 4 * code.n; /* functions follow */
    r->attachments = &kept;
    r->n_attachments = 1;
    am_kvs_add(&r->chosen, arena, "code_passes", "100");
    ok(am_explain_loops(&telling, &e), "its loop is told");
    is_near(e.core.cycles, 4, 1e-9, "only its own, which takes 4 cycles");
    is_near(e.core.share, 0.8, 1e-6, "100 passes are 0.4 of the 0.5 us that an iteration took");
    ok(e.core.share_lo < 0.72 && e.core.share_hi > 0.88, "from %.2f to %.2f: weights and error",
       e.core.share_lo, e.core.share_hi);
    e.next = am_explain_account(&e, arena);
    ok(strstr(e.next, "by mul") && strstr(e.next, "20 % are left"), "the resource is named: %s",
       e.next);
    e.next = am_explain_next(&e, &no_facts, &no_roofs, arena);
    ok(strstr(e.next, "20 % left"), "and what is left stands in the table: %s", e.next);
    if (find(self, "tb_two", arena, &code, &err) != AM_OK)
        abort();
    kept.data = code.bytes;
    kept.n = code.n;
    ok(am_explain_loops(&telling, &e), "a kernel of two loops is told");
    is_near(e.core.cycles, 5, 1e-9, "both of them: a product's chain and a pointer's");
    am_kvs_add(&r->chosen, arena, "code_loops", "longest");
    ok(am_explain_loops(&telling, &e), "and where the longest counts");
    is_near(e.core.cycles, 4, 1e-9, "the other is left out");
    am_arena_fini(arena);
}

int main(void)
{
    const struct bytes self = read_self();

    check_refused(&self);
    check_damaged(&self);
    if (am_insn_unsupported(AM_ARCH_X86_64)) {
        ok(true, "loops # SKIP %s", am_insn_unsupported(AM_ARCH_X86_64));
    } else {
        check_loops(&self);
        check_ways_back(&self);
        check_forwards(&self);
        check_whole_forms(&self);
        check_other_core(&self);
        check_explained(&self);
    }
    free(self.data);
    return tap_done();
}
