/* SPDX-License-Identifier: MIT */
/* Where a point's time goes: made-up machines with a slowdown planted in each of the ways that
 * there are. It must be named by its cause, or be left; no account may come out even by itself. */
#include "model/explain.h"

#include "core_fixture.h"
#include "tap.h"

#include <math.h>

#if defined(__x86_64__)
/* Eight products that do not wait for each other, and four that do. */
__asm__(
    ".pushsection .text\n"
    "ta_units:\n1:\n\tmulsd %xmm1, %xmm3\n\tmulsd %xmm1, %xmm4\n\tmulsd %xmm1, %xmm5\n\t"
    "mulsd %xmm1, %xmm6\n\tmulsd %xmm1, %xmm7\n\tmulsd %xmm1, %xmm8\n\tmulsd %xmm1, %xmm9\n\t"
    "mulsd %xmm1, %xmm10\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    "ta_chain:\n1:\n\tmulsd %xmm1, %xmm3\n\tmulsd %xmm1, %xmm3\n\tmulsd %xmm1, %xmm3\n\t"
    "mulsd %xmm1, %xmm3\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    "ta_wide:\n1:\n\tvmulpd %zmm1, %zmm2, %zmm3\n\tvmulpd %zmm1, %zmm2, %zmm4\n\tdec %rdi\n\tjnz 1b\n\tret\n"
    "ta_end:\n"
    ".popsection");
extern const char ta_units[], ta_chain[], ta_wide[], ta_end[];
static const bool has_code = true;
#else
static const char ta_units[3], *const ta_chain = ta_units + 1, *const ta_wide = ta_units + 2,
                                      *const ta_end = ta_units + 3;
static const bool has_code = false;
#endif

/* weights: front, alu, mul */
static const struct cx_form forms[] = {
    {"xor_r32_zero", -1, {0.2}},
    {"add_r64", 1, {0.2, 0.25}},
    {"mulsd_xmm", 4, {0.2, 0, 0.5}},
    {"vmulpd_zmm", 4, {0.2, 0, 2}},
    {.name = NULL},
};
enum { RESOURCES = 3, LAUNCHES = 6, SAMPLES = 4 };
static const char *resource_names[] = {"front", "alu", "mul"};

/* A point of 100 passes of 4 cycles at 1 GHz, 400 ns, with nothing beside them unless planted. */
struct made {
    struct cx_core core;
    struct am_result *result;
    struct am_attachment code;
    struct am_ceiling roof;
    struct am_roofline roofline;
    struct am_explanation e;
};

static const double flops = 1000, passes_ns = 400;

/* Times of an iteration in ns: of launch i all samples times slow[i] (NULL: none is slower). */
static void measure(struct made *m, double ns, const double *slow)
{
    struct am_arena *const arena = &m->core.run.arena;
    struct am_result_metric *const metric = &m->result->metrics[0];

    for (size_t i = 0; i < LAUNCHES; i++) {
        double *const values = am_arena_array(arena, SAMPLES, sizeof(*values));

        for (size_t k = 0; k < SAMPLES; k++)
            values[k] = flops / (ns * 1e-9 * (slow ? slow[i] : 1));
        metric->series.launches[i] = (struct am_launch_values){.values = values, .n = SAMPLES};
    }
    metric->has_summary = am_summarise(&metric->series, &metric->summary);
    m->e.measured = metric->summary;
}

static void make(struct made *m, double ns, const double *slow)
{
    struct am_arena *const arena = &m->core.run.arena;

    *m = (struct made){
        .code = {.name = "code", .data = ta_units, .n = (size_t)(ta_chain - ta_units)}};
    cx_make(&m->core, forms, resource_names, RESOURCES, 0);
    m->result = rx_add(&m->core.run, "app.some", "threads=1",
                       (const struct rx_metric[]){{"flops", "flop/s", 1}, {0}});
    cx_settle(&m->core);
    am_kvs_add(&m->result->chosen, arena, "code_passes", "100");
    m->result->attachments = &m->code;
    m->result->n_attachments = 1;
    m->e = (struct am_explanation){.result = m->result,
                                   .metric = &m->result->metrics[0],
                                   .work = {.flops = flops},
                                   .level = AM_TIER_COUNT,
                                   .share = 0.5,
                                   .bound = 1e12};
    measure(m, ns, slow);
}

/* So many bytes from the third level at a gigabyte per second: a ns each. */
static void move_bytes(struct made *m, double bytes)
{
    m->roof = (struct am_ceiling){.kind = AM_CEILING_READ, .level = AM_TIER_L3, .rate = 1e9};
    m->e.level = AM_TIER_L3;
    m->e.work.bytes_read = bytes;
    m->e.roofs[AM_CEILING_READ] = (struct am_roof){.ceiling = &m->roof, .rate = 1e9};
}

/* What one launch measured of itself. */
static void say(struct made *m, const char *name, const char *value)
{
    am_kvs_add(&m->result->parts, &m->core.run.arena, name, value);
}

static const struct am_core_bound *account(struct made *m)
{
    const struct am_core_telling telling = {
        .core = &m->core.incore, .hz = 1e9, .roofline = &m->roofline, .arena = &m->core.run.arena};

    if (!am_explain_loops(&telling, &m->e))
        abort();
    return &m->e.core;
}

static const char *words(struct made *m)
{
    const char *const text = am_explain_account(&m->e, &m->core.run.arena);

    return text ? text : "";
}

static void done(struct made *m)
{
    am_arena_fini(&m->core.run.arena);
}

/* Nothing planted, and what every sample has: a sleep, or work of which no code was kept. */
static void check_constant(void)
{
    struct made m;

    make(&m, passes_ns, NULL);
    is_near(account(&m)->share, 1, 1e-9, "loops alone: they are all of the time");
    ok(m.e.core.left_beside < 1e-9 && m.e.core.held < 1e-9,
       "nothing is left and nothing held back");
    measure(&m, 2 * passes_ns, NULL);
    is_near(account(&m)->left_apart, 0.5, 1e-9, "a sleep as long as the loops: half is left");
    is_near(m.e.core.held, 0, 1e-9, "and it is not taken for a disturbance: all samples have it");
    ok(strstr(words(&m), "50 % are left (50 to 50): their cause is not measured"), "said: %s",
       words(&m));
    ok(strstr(am_explain_left(&m.e, &m.core.run.arena), "50 % left, cause not measured"),
       "and in the table");
    measure(&m, 0.8 * passes_ns, NULL);
    (void)account(&m);
    ok(strstr(words(&m), "the model is wrong") && !strstr(words(&m), "left"),
       "less time than the loops need: the model is wrong, and nothing else is claimed: %s",
       words(&m));
    done(&m);
}

/* A chain in the loop is named as one. */
static void check_chain(void)
{
    struct made m;

    make(&m, 4 * passes_ns, NULL);
    m.code.data = ta_chain;
    m.code.n = (size_t)(ta_wide - ta_chain);
    is_near(account(&m)->share, 1, 1e-9, "a chain of four products: 16 cycles per pass");
    ok(strstr(words(&m), "a chain from one pass to the next"), "named: %s", words(&m));
    done(&m);
}

static void check_held(void)
{
    static const double slow[LAUNCHES] = {1, 1.25, 1, 1.25, 1.25, 1.25};
    struct made m;

    make(&m, passes_ns, slow);
    is_near(account(&m)->held, 0.2, 1e-6, "most launches are slower: the median lost a fifth");
    ok(m.e.core.left_beside < 1e-6, "the loops need the rest");
    ok(strstr(words(&m), "inside of launches and by 25 % between them"), "with its evidence: %s",
       words(&m));
    measure(&m, 2 * passes_ns, slow);
    is_near(account(&m)->held, 0.2, 1e-6, "the same neighbour and a sleep as long as the loops");
    is_near(m.e.core.left_apart, 0.4, 1e-6, "half of what the best samples take is left");
    done(&m);
}

static void check_bytes(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    move_bytes(&m, 300);
    is_near(account(&m)->moved, 0.375, 1e-9, "300 bytes at 1 GB/s are 300 of 800 ns");
    is_near(m.e.core.left_apart, 0.125, 1e-9, "one after the other 100 ns are left");
    is_near(m.e.core.left_beside, 0.5, 1e-9, "overlapped, 400 ns");
    ok(strstr(words(&m), "Bytes from L3 need 38 %.") &&
           strstr(words(&m), "12 % are left if loops and bytes come one after the other, 50 % if "
                             "they overlap (12 to 50)"),
       "both are said: %s", words(&m));
    ok(strstr(am_explain_left(&m.e, &m.core.run.arena), "12 to 50 % left"), "and in the table");
    m.e.level = AM_TIER_L1D;
    is_near(account(&m)->moved, 0, 0, "bytes in the first level are the loops' own");
    done(&m);
}

/* Bytes of the second level that the loops read, at 2 GB/s. */
static void check_second_level(void)
{
    struct am_ceiling l2 = {
        .kind = AM_CEILING_BYTES, .level = AM_TIER_L2, .threads = 1, .rate = 2e9, .median = 2e9};
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    am_kvs_add(&m.result->chosen, &m.core.run.arena, "code_l2_bytes", "400");
    is_near(account(&m)->moved_l2, 0, 0, "without a roof of that level nothing is said");
    m.roofline = (struct am_roofline){.items = &l2, .n = 1};
    is_near(account(&m)->moved_l2, 0.25, 1e-9, "400 bytes are 200 of 800 ns");
    is_near(m.e.core.left_apart, 0.25, 1e-9, "one after the other a quarter is left");
    is_near(m.e.core.left_beside, 0.5, 1e-9, "overlapped a half");
    ok(strstr(words(&m), "Bytes that come from L2 again need 25 %."), "said: %s", words(&m));
    done(&m);
}

/* The same loops on near data tell what was waited for, and where a slowdown is. */
static void check_near(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    move_bytes(&m, 300);
    say(&m, "code_near", "0.5625");
    is_near(account(&m)->near.share, 0.5625, 1e-9, "450 ns on near data");
    is_near(m.e.core.inside, 50 / 800.0, 1e-9, "50 ns of it are not predicted");
    is_near(m.e.core.waited, 350 / 800.0, 1e-9, "350 ns were waited");
    is_near(m.e.core.left_apart, 50 / 800.0, 1e-9, "of these 50 for more than bytes need");
    is_near(m.e.core.left_beside, m.e.core.left_apart, 1e-9, "whether they overlap is measured");
    ok(strstr(words(&m), "On data in the first-level cache they take 56 % (56 to 56), measured") &&
           strstr(words(&m), "6 % of it (6 to 6) are spent in the core beyond what its "
                             "instructions were predicted to need: measured, but not why") &&
           strstr(words(&m), "Where their data lie, it takes 44 % more.") &&
           strstr(words(&m), "6 % are left"),
       "said: %s", words(&m));
    measure(&m, 3 * passes_ns, NULL);
    m.result->parts.n = 0;
    say(&m, "code_near", "0.375");
    is_near(account(&m)->left_apart, 450 / 1200.0, 1e-9,
            "a walk that misses caches: no bytes account for it, it is left");
    is_near(m.e.core.inside, 50 / 1200.0, 1e-9, "and the core has no more to do with it");
    done(&m);
}

/* A slow-down in the loop's own code is there near, too: it comes out as the core's, with the name
 * of no cause, and never as what is left. */
static void check_inside(void)
{
    struct made m;

    make(&m, 3 * passes_ns, NULL);
    say(&m, "code_near", "1");
    is_near(account(&m)->inside, 2 / 3.0, 1e-9, "a sleep in the loop is the core's");
    ok(m.e.core.left_apart < 1e-9 && m.e.core.waited < 1e-9, "nothing is waited for, nothing left");
    ok(strstr(am_explain_left(&m.e, &m.core.run.arena),
              "0 % left, cause not measured; 67 % in the core, not predicted"),
       "and the table says so");
    m.result->parts.n = 0;
    say(&m, "code_near", "0.25");
    is_near(account(&m)->inside, -100 / 1200.0, 1e-9, "predicted too long by a quarter");
    ok(strstr(words(&m), "the model is wrong here") &&
           strstr(words(&m), "8 % were predicted beyond that") &&
           strstr(words(&m), "75 % are left"),
       "what is measured near counts, not the prediction: %s", words(&m));
    done(&m);
}

/* Five launches: their median, with its interval; one that is far off changes little. */
static void check_launches(void)
{
    static const char *const near[] = {"0.5", "0.9", "0.52", "0.51", "0.53"};
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
        say(&m, "code_near", near[i]);
    is_near(account(&m)->near.share, 0.52, 1e-9, "the median of the launches");
    ok(m.e.core.near.lo == 0.5 && m.e.core.near.hi == 0.9, "between the least and the most");
    is_near(m.e.core.left_apart, 0.48, 1e-9, "what is left by the median");
    ok(fabs(m.e.core.left_lo - 0.1) < 1e-9 && fabs(m.e.core.left_hi - 0.5) < 1e-9,
       "and by both ends");
    done(&m);
}

/* The way of the data alone, measured: it counts in place of all roofs. */
static void check_walk(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    move_bytes(&m, 4000);
    say(&m, "code_near", "0.5");
    say(&m, "code_walk", "0.375");
    say(&m, "code_walk_near", "0.125");
    is_near(account(&m)->left_apart, 0.125, 1e-9,
            "400 ns waited, 300 for the walk: what the roof would allow does not count");
    is_near(m.e.core.left_hi, 0.25, 1e-9, "and only 200 if the walk waits beside its own code");
    ok(strstr(words(&m), "without arithmetic, takes 38 % (38 to 38), measured, of which 12 % are "
                         "taken in the first-level cache too.") &&
           !strstr(words(&m), "Bytes from"),
       "said: %s", words(&m));
    measure(&m, passes_ns, NULL);
    m.result->parts.n = 0;
    say(&m, "code_near", "1");
    say(&m, "code_walk", "0.75");
    ok(account(&m)->left_hi < 1e-9 && m.e.core.over < 1e-9,
       "a walk that the loops hide adds nothing to the account");
    done(&m);
}

/* The same loops where their data lie, timed apart: what is beside them is left, whatever could be
 * waited for, and what they wait for more than their data need, too. */
static void check_far(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    move_bytes(&m, 4000);
    say(&m, "code_near", "0.5");
    say(&m, "code_far", "0.625");
    is_near(account(&m)->waited, 0.125, 1e-9, "100 ns for data");
    is_near(m.e.core.left_apart, 0.375, 1e-9, "a sleep of 300 ns around the loops is left");
    is_near(m.e.core.left_hi, 0.375, 1e-9, "by all intervals");
    ok(strstr(words(&m), "Where their data lie, the same takes 12 % more, measured."), "said: %s",
       words(&m));
    say(&m, "step_between", "0.375");
    is_near(account(&m)->left_apart, 0, 1e-9, "unless it was timed as a step");
    move_bytes(&m, 60);
    is_near(account(&m)->left_apart, 40 / 800.0, 1e-9,
            "100 ns waited for bytes of 60: 40 are left");
    say(&m, "code_walk", "0.0875");
    is_near(account(&m)->left_apart, 30 / 800.0, 1e-9, "or 30, where the way of them was walked");
    done(&m);
}

/* A machine whose first-level cache does not keep what loops touch again and again: no bytes are
 * stated, and the walk that the application measured has them. */
static void check_second_level_walk(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    say(&m, "code_near", "0.75");
    say(&m, "code_far", "0.875");
    say(&m, "step_beside", "0.125");
    is_near(account(&m)->left_apart, 0.125, 1e-9,
            "100 ns of 800 waited for no data that are known");
    say(&m, "code_walk", "0.5");
    say(&m, "code_walk_near", "0.25");
    is_near(account(&m)->left_apart, 0, 1e-9, "200 ns of the way alone: it accounts for them");
    is_near(m.e.core.left_hi, 0, 1e-9, "also if what the walk takes near hides nothing");
    ok(strstr(words(&m),
              "To touch the same lines in the same order, without arithmetic, takes 50 % "
              "(50 to 50), measured, of which 25 % are taken in the first-level cache too. "),
       "said: %s", words(&m));
    m.result->parts.n = 0;
    say(&m, "code_near", "0.625");
    say(&m, "code_far", "0.875");
    say(&m, "step_beside", "0.125");
    say(&m, "code_walk", "0.5");
    say(&m, "code_walk_near", "0.375");
    is_near(account(&m)->left_hi, 0.125, 1e-9, "200 ns waited, the way is 100 longer than near");
    done(&m);
}

/* Parts that are counted twice, or were timed wrongly, are told, and leave nothing unsaid. */
static void check_over(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    say(&m, "code_near", "0.9");
    say(&m, "step_packing", "0.25");
    is_near(account(&m)->over, 0.15, 1e-9, "parts of 920 in 800 ns");
    ok(strstr(words(&m), "Measured apart, these parts take 15 % more than the whole."), "said: %s",
       words(&m));
    done(&m);
}

/* What loops take to begin is told apart from what they take per turn, which is held against the
 * prediction. */
static void check_begin(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    say(&m, "code_near", "0.875");
    say(&m, "code_begin", "0.25");
    is_near(account(&m)->inside, 100 / 800.0, 1e-9,
            "of 700 ns near 200 to begin and 400 predicted");
    is_near(m.e.core.left_apart, 100 / 800.0, 1e-9, "and 100 waited for nothing known");
    ok(strstr(words(&m), "to begin and end them, however often they turn, 25 %;"), "said: %s",
       words(&m));
    say(&m, "code_crossing", "0.0625");
    is_near(account(&m)->inside, 50 / 800.0, 1e-9, "and 50 of the 100 cross lines");
    ok(strstr(words(&m), "because its rows begin between lines of memory, 6 %;"), "said: %s",
       words(&m));
    done(&m);
}

static void check_grade(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    m.result->metrics[0].grading.grade = AM_GRADE_C;
    ok(isnan(account(&m)->left_apart) &&
           strstr(words(&m), "grade C: what is left is not concluded"),
       "nothing is concluded of grade C: %s", words(&m));
    done(&m);
}

/* Shares that a launch measured side by side are shares of what the best samples took. */
static void check_near_disturbed(void)
{
    static const double slow[LAUNCHES] = {1, 1.5, 1.5, 1.5, 1.5, 1};
    struct made m;

    make(&m, passes_ns, slow);
    say(&m, "code_near", "1");
    is_near(account(&m)->near.share, 1 / 1.5, 1e-9, "all of what the best samples took");
    ok(m.e.core.left_beside < 1e-9, "and nothing is left");
    done(&m);
}

/* Mixes with 512-bit instructions are missed by more than others: so are loops with them. */
static void check_wide(void)
{
    struct made m;

    make(&m, passes_ns, NULL);
    m.core.incore.held_error = 0.05;
    m.core.incore.wide_error = 0.25;
    is_near(account(&m)->share_hi, 1.05, 1e-9,
            "a loop of narrow ones is off by what their mixes are");
    m.code.data = ta_wide;
    m.code.n = (size_t)(ta_end - ta_wide);
    is_near(account(&m)->share, 1, 1e-9, "two products of 512 bits in 4 cycles");
    is_near(m.e.core.share_hi, 1.25, 1e-9, "and they may be off by a quarter");
    m.core.incore.wide_error = NAN;
    is_near(account(&m)->share_lo, 0.95, 1e-9, "unless no such mix was held back");
    m.core.incore.held_error = NAN;
    m.core.incore.model.error = 0.5;
    is_near(account(&m)->share_lo, 0.5, 1e-9, "nor any other: then by what was fitted");
    done(&m);
}

static void check_steps(void)
{
    struct made m;

    make(&m, 2 * passes_ns, NULL);
    say(&m, "step_packing", "0.25");
    say(&m, "step_halo", "nonsense");
    is_near(account(&m)->left_apart, 0.25, 1e-9, "a step of a quarter, loops of a half");
    ok(m.e.core.n_steps == 1 &&
           strstr(words(&m), "Its step packing takes 25 % (25 to 25), measured."),
       "named, and what is no number is not: %s", words(&m));
    done(&m);
}

int main(void)
{
    if (am_insn_unsupported(AM_ARCH_X86_64) || !has_code) {
        ok(true, "accounts # SKIP no code of x86-64 here");
        return tap_done();
    }
    check_constant();
    check_chain();
    check_held();
    check_bytes();
    check_second_level();
    check_near();
    check_wide();
    check_inside();
    check_launches();
    check_walk();
    check_far();
    check_second_level_walk();
    check_over();
    check_begin();
    check_grade();
    check_near_disturbed();
    check_steps();
    return tap_done();
}
