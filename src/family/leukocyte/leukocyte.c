/* SPDX-License-Identifier: MIT */
/* Tracking of cells (app.leukocyte): what each step of the staircase gains (vectors, no arc,
 * threads, a device), and how near the top comes to its bound.
 *
 * Only points of the synthetic scene give facts: those of a file would depend on the file. Points
 * are compared that do the same work: fields of other cells or frames need other numbers of
 * steps. */
#include "family/leukocyte/leukocyte.h"

#include "family/families.h"

#include <string.h>

#define BENCH AM_LEUKOCYTE_BENCH
#define NAIVE AM_LEUKOCYTE_NAIVE
#define ATAN AM_LEUKOCYTE_ATAN
#define MINMAX AM_LEUKOCYTE_MINMAX
#define MINMAX_THREADS AM_LEUKOCYTE_THREADS
#define MINMAX_DEVICE AM_LEUKOCYTE_DEVICE

static const char work_axes[] = AM_LEUKOCYTE_WORK;

static const struct {
    const char *step, *what, *slow, *fast;
} gains[] = {
    {"vectors", "one pass of vectors over row pointers and the C library's arc, one thread", NAIVE,
     ATAN},
    {"no_arc", "weights without any arc over vectors of arcs, one thread", ATAN, MINMAX},
    {"one_thread", "the fastest of one thread over row pointers and the C library's arc", NAIVE,
     MINMAX},
    {"threads", "all threads over one, both without arc", MINMAX, MINMAX_THREADS},
    {"all", "the fastest of all threads over row pointers on one", NAIVE, MINMAX_THREADS},
    {"device", "an OpenCL device over one thread, transfers included", MINMAX, MINMAX_DEVICE},
};

static struct am_picks timed(const struct am_deriving *d, const char *where)
{
    return am_select(d->set, &(struct am_selector){BENCH, where, "time_per_frame"}, d->arena);
}

static void offer_gain(const struct am_deriving *d, size_t i, const struct am_pick *slow,
                       const struct am_pick *fast)
{
    struct am_fact fact = am_fact_of_ratio(slow, fast, d->arena);

    fact.name = "gain";
    fact.what = gains[i].what;
    am_fact_label(&fact, d->arena, "step", AM_AXIS_NAME, gains[i].step);
    am_fact_label_axes(&fact, slow->result, work_axes);
    am_facts_offer(d->facts, fact);
}

/* Of each amount of work, the fastest point of one step over that of another. */
static void derive_gains(const struct am_deriving *d)
{
    for (size_t i = 0; i < sizeof(gains) / sizeof(gains[0]); i++) {
        const struct am_picks slow = timed(d, gains[i].slow), fast = timed(d, gains[i].fast);
        const struct am_groups works = am_picks_group(&slow, work_axes);

        for (size_t k = 0; k < works.n; k++) {
            const struct am_pick *const from = am_picks_best(&works.items[k].picks);
            const struct am_picks same = am_picks_like(&fast, from->result, work_axes);
            const struct am_pick *const to = am_picks_best(&same);

            if (to)
                offer_gain(d, i, from, to);
        }
    }
}

/* Metrics of the fastest point of the top step, on one thread and on all. */
static const struct {
    const char *where, *metric, *name, *what;
} tops[] = {
    {MINMAX, "bound_share", "bound_share",
     "part of the bound of its units and caches that one thread reaches"},
    {MINMAX_THREADS, "bound_share", "bound_share_threads",
     "the same, of the fastest on all threads"},
    {MINMAX, "time_per_update", "update",
     "one pixel's step on one thread, all else of a frame included"},
};

static void derive_tops(const struct am_deriving *d)
{
    for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++) {
        const struct am_picks picks = timed(d, tops[i].where);
        const struct am_groups works = am_picks_group(&picks, work_axes);

        for (size_t k = 0; k < works.n; k++) {
            const struct am_result *const r = am_picks_best(&works.items[k].picks)->result;
            const struct am_pick top = {r, am_result_metric(r, tops[i].metric), 0};
            struct am_fact fact;

            if (!top.metric)
                continue;
            fact = am_fact_of(&top, d->arena);
            fact.name = tops[i].name;
            fact.what = tops[i].what;
            am_fact_label_axes(&fact, r, work_axes);
            am_facts_offer(d->facts, fact);
        }
    }
}

static const struct am_fact_rule facts[] = {
    {.name = "gain",
     .what = "time per frame of the step before over that of this one",
     .labels = "step,type,cells,frames",
     .derive = derive_gains},
    {.name = "bound_share,bound_share_threads,update",
     .what = "the fastest point of the fastest loops: share of its bound, time of an update",
     .labels = "type,cells,frames",
     .derive = derive_tops},
    {0},
};

static const char section[] = "Applications";

static const struct am_figure_row figures[] = {
    {
        .name = "leukocyte-variants",
        .section = section,
        .title = "Cells tracked, step by step",
        .caption =
            "Time per frame: row pointers and the C library's arc, vectors with an arc of our own, "
            "vectors without any. A panel per executor, a bar per type.",
        .bench = BENCH,
        .metric = "time_per_frame",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "type",
        .panel = "executor",
        .where = "device=cpu",
    },
    {
        .name = "leukocyte-levels",
        .section = section,
        .title = "Two levels of threads",
        .caption = "Time per frame over first-level threads (cells at a time) and second-level "
                   "threads (bands of a cell's rows); one cell of the grid a combination that the "
                   "machine has threads for. The paper's Figure 15.",
        .bench = BENCH,
        .metric = "time_per_frame",
        .kind = AM_FIGURE_HEAT,
        .x = "slt",
        .series = "flt",
        .panel = "executor",
        .where = "flt!=0 slt!=0",
        .least = 2,
        .yscale = AM_SCALE_LOG10,
        .x_title = "second-level threads",
        .y_title = "first-level threads",
    },
    {
        .name = "leukocyte-bound",
        .section = section,
        .title = "Tracking against the bound of its cores",
        .caption =
            "Time that arithmetic units or caches need at least for the steps of all fields, "
            "of the time taken; edge maps and contours are in the rest. A bar per type.",
        .bench = BENCH,
        .metric = "bound_share",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "type",
        .panel = "isa",
        .where = "device=cpu slt=0,1",
    },
    {
        .name = "leukocyte-devices",
        .section = section,
        .title = "Cells tracked on devices",
        .caption = "Frames per second, the frame's way to the device and the places' way back "
                   "included. A bar per type.",
        .bench = BENCH,
        .metric = "frames_per_s",
        .kind = AM_FIGURE_BARS,
        .x = "device",
        .series = "type",
        .panel = "variant",
        .where = "executor=opencl",
    },
    {0},
};

static const struct am_bound_row bounds[] = {
    {.bench = BENCH,
     .own_share = "bound_share",
     .rate = "frames_per_s",
     .limit = "units or caches, by its steps"},
    {0},
};

/* ---- what to try next ---- */

/* The step behind this one, with what it gained where both were measured. */
static const char *try_step(const struct am_trying *t)
{
    static const struct {
        const char *where, *step, *words;
    } steps[] = {
        {"variant=naive", "vectors", "variant=atan, one pass of vectors"},
        {"variant=atan", "no_arc", "variant=lanes, no arc"},
        {"variant=minmax,lanes executor=serial", "threads", "an executor with threads"},
    };

    for (size_t i = 0; strcmp(t->result->bench, BENCH) == 0 && i < 3; i++) {
        const struct am_fact *const f = am_facts_most(
            t->facts, "leukocyte.gain", am_arena_printf(t->arena, "step=%s", steps[i].step));

        if (!am_where_matches(steps[i].where, t->result->params, t->result->n_params))
            continue;
        if (f && f->value > t->worth)
            return am_arena_printf(t->arena, "%s: %.1f x", steps[i].words, f->value);
        return f ? NULL : am_arena_printf(t->arena, "%s (gain not known)", steps[i].words);
    }
    return NULL;
}

static am_try_fn *const tries[] = {try_step, NULL};

const struct am_family am_family_leukocyte = {
    .name = "leukocyte",
    .title = "Tracking of cells, from naive to its bound",
    .facts = facts,
    .figures = figures,
    .bounds = bounds,
    .tries = tries,
    .analyse = am_leukocyte_analyse,
};
