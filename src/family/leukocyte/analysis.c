/* SPDX-License-Identifier: MIT */
/* What tracking asks of a machine, in prose: the analysis that section 5.1 of "Test-driving Intel
 * Xeon Phi" makes by hand, from facts and points.
 *
 * One amount of work is analysed: that with the most points (f64 before f32). The machine is that
 * of the run, or another one whose facts were given; the staircase is always what the run measured.
 * Every number has its interval and grade, and where a piece is missing the sentence says what to
 * run. */
#include "family/leukocyte/leukocyte.h"

#include "app/leukocyte/image.h"
#include "base/text.h"
#include "core/bench/isas.h"
#include "kernels/mgvf.h"

#include <math.h>
#include <string.h>

enum {
    ROWS = AM_WINDOW_ROWS_MAX,
    COLUMNS = AM_WINDOW_COLUMNS_MAX,
    NAIVE_MATRICES = AM_MGVF_NAIVE_MATRICES + 2, /* differences and weights; edge map and field */
    FAST_MATRICES = 3,                           /* edge map, the field before and behind a step */
    TEXT_BYTES = 1200,
};

struct teller {
    const struct am_analysing *a;
    struct am_analysis *out;
    const struct am_result *work; /* any point of the work that is analysed */
    double cells, element;        /* element: bytes */
};

/* ---- writing ---- */

static void add(const struct teller *t, const char *name, struct am_text *text)
{
    const char *const copy = am_arena_strdup(t->a->arena, am_text_str(text));

    if (copy && *copy && t->out->n < AM_PARAGRAPHS_MAX)
        t->out->items[t->out->n++] = (struct am_paragraph){name, copy};
    am_text_fini(text);
}

static const char *type_of(const struct teller *t)
{
    return t->element > 4 ? "f64" : "f32";
}

/* ---- points ---- */

static struct am_picks of_work(const struct teller *t, const char *where)
{
    const struct am_selector from = {AM_LEUKOCYTE_BENCH, where, "time_per_frame"};
    const struct am_picks all = am_select(t->a->set, &from, t->a->arena);

    return am_picks_like(&all, t->work, AM_LEUKOCYTE_WORK);
}

static const struct am_pick *best(const struct teller *t, const char *where)
{
    const struct am_picks picks = of_work(t, where);

    return am_picks_best(&picks);
}

/* The work with the most points; NULL when there is none of the scene. */
static const struct am_result *choose_work(const struct am_analysing *a)
{
    const struct am_selector from = {AM_LEUKOCYTE_BENCH, AM_LEUKOCYTE_SCENE, "time_per_frame"};
    const struct am_picks all = am_select(a->set, &from, a->arena);
    const struct am_groups works = am_picks_group(&all, AM_LEUKOCYTE_WORK);
    const struct am_group *most = NULL;

    for (size_t i = 0; i < works.n; i++) {
        const struct am_group *const g = &works.items[i];
        const bool wide = am_result_is(g->picks.items[0].result, "type", "f64");

        if (!most || g->picks.n > most->picks.n || (g->picks.n == most->picks.n && wide))
            most = g;
    }
    return most ? most->picks.items[0].result : NULL;
}

/* ---- working set ---- */

/* "fits", "does not fit", "may fit": by the ends of the size's interval. */
static const char *fits(double bytes, const struct am_fact *size)
{
    return bytes <= size->ci.lo ? "fits" : bytes > size->ci.hi ? "does not fit" : "may fit";
}

/* What follows for one form of the program: `home` is the nearest cache that surely holds it. */
static void say_home(const char *form, const char *home, struct am_text *text)
{
    if (home)
        am_text_addf(text, " So %s works in %s or nearer, and memory does not limit it.", form,
                     home);
    else
        am_text_addf(text, " Whether %s stays in the caches is not decided by these sizes.", form);
}

static void tell_working_set(const struct teller *t)
{
    static const struct {
        const char *label, *title;
    } levels[] = {{"l1d", "L1"}, {"l2", "L2"}, {"l3", "L3"}};
    const double matrix = (double)ROWS * COLUMNS * t->element;
    const double plain = NAIVE_MATRICES * matrix, fast = FAST_MATRICES * matrix;
    const char *plain_home = NULL, *fast_home = NULL;
    struct am_text text;
    size_t known = 0;

    am_text_init(&text, TEXT_BYTES);
    am_text_addf(
        &text,
        "A cell is tracked in matrices of %d x %d elements, in some 200 steps. The plain "
        "program has %d of them (edge map, field, eight differences, eight weights): %s in "
        "%s; one pass of vectors has %d (edge map, field before and behind): %s.",
        ROWS, COLUMNS, NAIVE_MATRICES, am_leukocyte_bytes(plain, t->a->arena), type_of(t),
        FAST_MATRICES, am_leukocyte_bytes(fast, t->a->arena));
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        const struct am_fact *const size = am_facts_only(
            t->a->facts, "memory.size", am_arena_printf(t->a->arena, "level=%s", levels[i].label));

        if (!size)
            continue;
        known++;
        am_text_addf(&text, " %s holds %s: the first %s, the second %s.", levels[i].title,
                     am_leukocyte_size(size, t->a->arena), fits(plain, size), fits(fast, size));
        if (!plain_home && plain <= size->ci.lo)
            plain_home = levels[i].title;
        if (!fast_home && fast <= size->ci.lo)
            fast_home = levels[i].title;
    }
    if (known) {
        say_home("the plain program", plain_home, &text);
        say_home("the pass of vectors", fast_home, &text);
    } else {
        am_text_add(&text, " Against which cache is not measured: run mem.latency.");
    }
    add(t, "Working set", &text);
}

/* ---- lanes ---- */

static double vector_bytes(const char *isa)
{
#define ROW(name, bytes) {#name, bytes},
    static const struct {
        const char *isa;
        double bytes;
    } sets[] = {AM_ISAS(ROW)};
#undef ROW

    for (size_t i = 0; isa && i < sizeof(sets) / sizeof(sets[0]); i++) {
        if (strcmp(sets[i].isa, isa) == 0)
            return sets[i].bytes;
    }
    return 0;
}

/* The widest set that arithmetic was measured with on the machine; of the run's own where there is
 * no such fact, that of its fastest point. NULL: not known. */
static const char *widest(const struct teller *t)
{
    const struct am_pick *const top = best(t, AM_LEUKOCYTE_MINMAX);
    const char *isa = !t->a->on && top ? am_result_text(top->result, "isa") : NULL;

    for (const struct am_fact *f = am_facts_next(t->a->facts, "core.peak", NULL, NULL); f;
         f = am_facts_next(t->a->facts, "core.peak", NULL, f)) {
        const char *const other = am_fact_text(f, "isa");

        if (vector_bytes(other) > vector_bytes(isa))
            isa = other;
    }
    return isa;
}

static const struct am_fact *gain_of(const struct teller *t, const char *step,
                                     const struct am_facts *facts)
{
    const struct am_fact *f = NULL;

    while ((f = am_facts_next(facts, "leukocyte.gain", NULL, f)) != NULL) {
        const char *const own = am_fact_text(f, "step"), *const type = am_fact_text(f, "type");

        if (own && type && strcmp(own, step) == 0 && am_result_is(t->work, "type", type) &&
            fabs(am_fact_number(f, "cells") - am_result_number(t->work, "cells")) < 0.5 &&
            fabs(am_fact_number(f, "frames") - am_result_number(t->work, "frames")) < 0.5)
            return f;
    }
    return NULL;
}

/* Why a gain is not told: its points are missing, or conclude nothing. */
static void say_no_gain(const struct teller *t, const char *slow, const char *fast,
                        const char *command, struct am_text *text)
{
    if (best(t, slow) && best(t, fast))
        am_text_add(text, " is not concluded: the points were measured, but with grade C; measure "
                          "them when the machine is quiet.");
    else
        am_text_addf(text, " is not measured: run app.leukocyte %s.", command);
}

/* What lanes alone explain of a gain, by its interval. */
static const char *lanes_say(const struct am_fact *gain, double lanes)
{
    if (gain->ci.lo > lanes)
        return "the rest is fewer passes over the matrices and an arc of our own";
    return gain->ci.hi < lanes ? "something else than lanes holds it back"
                               : "which is what was found";
}

static void tell_lanes(const struct teller *t, const struct am_facts *own)
{
    const char *const isa = widest(t);
    const double lanes = vector_bytes(isa) / t->element;
    const double vectors = ceil(COLUMNS / fmax(lanes, 1));
    const struct am_fact *const gain = gain_of(t, "vectors", own);
    struct am_text text;

    am_text_init(&text, TEXT_BYTES);
    if (!(lanes >= 1)) {
        am_text_add(&text, "How wide vectors are is not measured: run cpu.flops.");
        add(t, "Lanes", &text);
        return;
    }
    am_text_addf(
        &text,
        "The plain program reaches elements through row pointers, one at a time: 1 of %.0f "
        "lanes of %s is used, %.3g %%. A row of %d takes %.0f vectors of %.0f lanes, of "
        "which %.0f %% do work.",
        lanes, isa, 100 / lanes, COLUMNS, vectors, lanes, 100 * COLUMNS / (vectors * lanes));
    if (gain) {
        am_text_addf(&text,
                     " Measured%s, one pass of vectors has %s the speed; lanes alone are good for "
                     "%.0f x, %s.",
                     t->a->on ? " here" : "", am_leukocyte_gain(gain, t->a->arena), lanes,
                     lanes_say(gain, lanes));
    } else {
        am_text_add(&text, " What vectors gain");
        say_no_gain(t, AM_LEUKOCYTE_NAIVE, AM_LEUKOCYTE_ATAN,
                    "-p variant=naive,atan -p executor=serial", &text);
    }
    add(t, "Lanes", &text);
}

/* ---- parallelism ---- */

static double stated(const struct am_kvs *machine, const char *key)
{
    const char *const text = am_kvs_get(machine, key);
    double value;

    return text && am_parse_f64(text, strlen(text), &value) ? value : NAN;
}

static void say_cores(const struct teller *t, double threads, struct am_text *text)
{
    const struct am_fact *const count = am_facts_only(t->a->facts, "core.count", NULL);
    const double rounds = ceil(t->cells / threads);

    am_text_addf(text,
                 "Cells are the parallelism of the plain program: %.0f, against %.0f hardware "
                 "threads",
                 t->cells, threads);
    if (count)
        am_text_addf(text, " that do the arithmetic of %.3g cores (%.3g to %.3g, grade %s)",
                     count->value, count->ci.lo, count->ci.hi,
                     am_grade_names[count->grading.grade]);
    if (t->cells < threads)
        am_text_addf(
            text,
            ". %.0f of them find no cell: to use all, the %d rows of a cell must be shared "
            "as well (slt).",
            threads - t->cells, ROWS);
    else
        am_text_addf(
            text,
            ". All of them have work, in %.0f round%s; threads are busy for %.0f %% of that time at "
            "best.",
            rounds, rounds > 1 ? "s" : "", 100 * t->cells / (rounds * threads));
}

/* Whether bands of rows pay, where both were measured with all threads. */
static void say_rows(const struct teller *t, struct am_text *text)
{
    const struct am_pick *const cells = best(t, AM_LEUKOCYTE_THREADS " slt<=1");
    const struct am_pick *const rows = best(t, AM_LEUKOCYTE_THREADS " slt>1");
    struct am_fact gain;

    if (!cells || !rows)
        return;
    gain = am_fact_of_ratio(cells, rows, t->a->arena);
    am_text_addf(text, " Sharing rows (slt=%s) has %s the speed of cells alone: %s.",
                 am_result_text(rows->result, "slt"), am_leukocyte_gain(&gain, t->a->arena),
                 gain.grading.grade == AM_GRADE_C ? "nothing is concluded"
                 : gain.ci.lo > 1                 ? "it pays"
                 : gain.ci.hi < 1                 ? "a step is too short for a barrier"
                                                  : "not decided");
}

static void tell_parallelism(const struct teller *t, const struct am_facts *own)
{
    const double threads = stated(t->a->machine, "threads");
    const struct am_pick *const top = best(t, AM_LEUKOCYTE_THREADS);
    const struct am_fact *const gain = gain_of(t, "threads", own);
    struct am_text text;

    am_text_init(&text, TEXT_BYTES);
    if (threads >= 1)
        say_cores(t, threads, &text);
    else
        am_text_addf(&text,
                     "Cells are the parallelism of the plain program: %.0f. How many threads "
                     "there are is not known.",
                     t->cells);
    if (gain && top) {
        am_text_addf(&text, " Measured%s, %s threads (%s) have %s the speed of one.",
                     t->a->on ? " here" : "", am_result_text(top->result, "threads"),
                     am_result_text(top->result, "executor"), am_leukocyte_gain(gain, t->a->arena));
    } else {
        am_text_add(&text, " What threads gain");
        say_no_gain(t, AM_LEUKOCYTE_MINMAX, AM_LEUKOCYTE_THREADS,
                    "-p executor=serial,task:dbf -p threads=cpus", &text);
    }
    say_rows(t, &text);
    add(t, "Parallelism", &text);
}

/* ---- the staircase ---- */

static const struct {
    const char *where, *name, *step, *run;
} stairs[] = {
    {AM_LEUKOCYTE_NAIVE, "Step 0, plain, one thread", NULL, "-p variant=naive -p executor=serial"},
    {AM_LEUKOCYTE_ATAN, "Step 1, vectors", "vectors", "-p variant=atan -p executor=serial"},
    {AM_LEUKOCYTE_MINMAX, "Step 2, no arc", "no_arc", "-p variant=minmax -p executor=serial"},
    {AM_LEUKOCYTE_THREADS, "Step 3, threads", "threads", "-p executor=task:dbf -p threads=cpus"},
    {AM_LEUKOCYTE_DEVICE, "Instead, a device", "device", "-p executor=opencl -p device=usable"},
};

static void say_share(const struct am_pick *pick, struct am_text *text)
{
    const struct am_result_metric *const share = am_result_metric(pick->result, "bound_share");

    if (share)
        am_text_addf(text, "; %.2g %% of the bound (%.2g to %.2g, grade %s)",
                     100 * share->summary.median, 100 * share->summary.ci.lo,
                     100 * share->summary.ci.hi, am_grade_names[share->grading.grade]);
}

static void tell_stairs(const struct teller *t, const struct am_facts *own)
{
    for (size_t i = 0; i < sizeof(stairs) / sizeof(stairs[0]); i++) {
        const struct am_pick *const pick = best(t, stairs[i].where);
        const struct am_fact *const gain = stairs[i].step ? gain_of(t, stairs[i].step, own) : NULL;
        struct am_text text;

        am_text_init(&text, TEXT_BYTES);
        if (!pick) {
            am_text_addf(&text, "not measured: run app.leukocyte %s", stairs[i].run);
            add(t, stairs[i].name, &text);
            continue;
        }
        am_text_addf(&text, "%s per frame (%s to %s, grade %s)",
                     am_leukocyte_time(pick->metric->summary.median, t->a->arena),
                     am_leukocyte_time(pick->metric->summary.ci.lo, t->a->arena),
                     am_leukocyte_time(pick->metric->summary.ci.hi, t->a->arena),
                     am_grade_names[pick->metric->grading.grade]);
        if (gain)
            am_text_addf(&text, ", %s %s", am_leukocyte_gain(gain, t->a->arena),
                         strcmp(stairs[i].step, "device") == 0
                             ? "the speed of one thread without arc"
                             : "the step before");
        say_share(pick, &text);
        add(t, stairs[i].name, &text);
    }
}

/* What is left between the fastest of one thread and its bound. */
static void say_left(const struct am_result_metric *share, struct am_text *text)
{
    if (share->grading.grade == AM_GRADE_C)
        am_text_add(text, " What is left is not concluded from grade C.");
    else
        am_text_addf(text, " One thread could still be %.2g x as fast (%.2g to %.2g).",
                     1 / share->summary.median, 1 / share->summary.ci.hi, 1 / share->summary.ci.lo);
}

/* What the top of the stairs leaves. */
static void tell_bound(const struct teller *t, const struct am_facts *own)
{
    const struct am_pick *const one = best(t, AM_LEUKOCYTE_MINMAX);
    const struct am_result_metric *const share =
        one ? am_result_metric(one->result, "bound_share") : NULL;
    const struct am_fact *const all = gain_of(t, "all", own);
    const char *const note = one ? am_kvs_get(&one->result->notes, "bound") : NULL;
    struct am_text text;

    am_text_init(&text, TEXT_BYTES);
    if (all)
        am_text_addf(&text, "From bottom to top: %s. ", am_leukocyte_gain(all, t->a->arena));
    if (!share) {
        am_text_add(&text, "The bound is not measured: run app.leukocyte -p variant=minmax -p "
                           "executor=serial.");
        add(t, "Bound", &text);
        return;
    }
    am_text_addf(
        &text,
        "The bound is the time that the units or caches of the cores, as measured with the point, "
        "need for the steps of all fields in the form without arc%s%s%s.",
        note ? " (" : "", note ? note : "", note ? ")" : "");
    say_left(share, &text);
    am_text_add(&text,
                " Edge maps, contours and lanes behind a row's end are no part of the bound.");
    add(t, "Bound", &text);
}

bool am_leukocyte_analyse(const struct am_analysing *a, struct am_analysis *out)
{
    struct teller t = {.a = a, .out = out, .work = choose_work(a)};
    struct am_facts own = {.arena = a->arena};

    if (!t.work)
        return false;
    am_family_derive(am_family_find("leukocyte"), a->set, &own);
    t.cells = am_result_number(t.work, "cells");
    t.element = am_result_is(t.work, "type", "f32") ? sizeof(float) : sizeof(double);
    out->bench = AM_LEUKOCYTE_BENCH;
    out->title = am_arena_printf(a->arena, "%.0f cells in %s%s%s", t.cells, type_of(&t),
                                 a->on ? ", against the machine of " : "", a->on ? a->on : "");
    tell_working_set(&t);
    tell_lanes(&t, &own);
    tell_parallelism(&t, &own);
    tell_stairs(&t, &own);
    tell_bound(&t, &own);
    return true;
}
