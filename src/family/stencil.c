/* SPDX-License-Identifier: MIT */
/* Finite differences (app.stencil): how near the arithmetic comes to its bound, what time slices
 * are worth, and from how many steps on a Fourier transform is faster than all stepping.
 *
 * Facts compare points of one thread of the processor in one dimension. `registers` steps a grid
 * that registers hold and `fft` steps nothing: neither counts among the ways of stepping. */
#include "family/families.h"

#include <math.h>
#include <string.h>

#define BENCH "app.stencil"
#define LINE "dim=1 device=cpu threads=1 "
#define STEPPED LINE "variant!=fft,registers"

/* Parameters that make one grid and one machine code of results that may be compared. */
static const char grid_axes[] = "type,n,r";

static struct am_picks stepped(const struct am_deriving *d, const char *where)
{
    return am_select(d->set, &(struct am_selector){BENCH, where, "updates"}, d->arena);
}

/* On each grid that both were measured on. */
static void derive_slice_gain(const struct am_deriving *d)
{
    const struct am_picks slices = stepped(d, LINE "variant=slice");
    const struct am_picks plain = stepped(d, LINE "variant=auto");
    const struct am_groups grids = am_picks_group(&slices, grid_axes);

    for (size_t i = 0; i < grids.n; i++) {
        const struct am_pick *const slice = am_picks_best(&grids.items[i].picks);
        const struct am_picks like = am_picks_like(&plain, slice->result, grid_axes);
        const struct am_pick *const loop = am_picks_best(&like);
        struct am_fact fact;

        if (!loop)
            continue;
        fact = am_fact_of_ratio(slice, loop, d->arena);
        fact.name = "slice_gain";
        fact.what = "time slices over loops that the compiler vectorised";
        am_fact_label_axes(&fact, slice->result, "type,n");
        am_facts_offer(d->facts, fact);
    }
}

/* Steps whose stepping takes as long as a transform, which takes the same for any number. */
static void offer_fft_steps(const struct am_deriving *d, const struct am_pick *fft,
                            const struct am_pick *best)
{
    const struct am_summary *const time = &fft->metric->summary;
    const struct am_summary *const updates = &best->metric->summary;
    const double points = am_result_number(fft->result, "n");
    struct am_fact fact = {
        .name = "fft_steps",
        .what = "steps from which on a Fourier transform is faster, for constant coefficients",
        .unit = "",
        .value = time->median * updates->median / points,
        .ci = {time->ci.lo * updates->ci.lo / points, time->ci.hi * updates->ci.hi / points,
               fmax(time->ci.coverage + updates->ci.coverage - 1, 0)},
        .evidence = am_arena_printf(d->arena, BENCH " variant=fft against the fastest steps: %s",
                                    best->result->text),
    };

    am_fact_rest_on(&fact, fft);
    am_fact_rest_on(&fact, best);
    am_fact_label_axes(&fact, fft->result, "type,n");
    am_facts_offer(d->facts, fact);
}

static void derive_fft_steps(const struct am_deriving *d)
{
    const struct am_selector transforms = {BENCH, LINE "variant=fft n>0", "time"};
    const struct am_picks ffts = am_select(d->set, &transforms, d->arena);
    const struct am_picks steps = stepped(d, STEPPED);
    const struct am_groups grids = am_picks_group(&ffts, grid_axes);

    for (size_t i = 0; i < grids.n; i++) {
        const struct am_pick *const fft = am_picks_best(&grids.items[i].picks);
        const struct am_picks like = am_picks_like(&steps, fft->result, grid_axes);
        const struct am_pick *const best = am_picks_best(&like);

        if (best)
            offer_fft_steps(d, fft, best);
    }
}

static const struct am_fact_rule facts[] = {
    {.name = "bound_share",
     .what = "part of the arithmetic bound that finite differences reach",
     .from = {BENCH, STEPPED, "bound_share"},
     .labels = "type,form",
     .reduce = AM_REDUCE_BEST,
     .kind = AM_FACT_CAPABILITY},
    {.name = "slice_gain",
     .what = "slices over plain loops on the same grid",
     .labels = "type,n",
     .derive = derive_slice_gain},
    {.name = "fft_steps",
     .what = "steps from which on a Fourier transform is faster",
     .labels = "type,n",
     .derive = derive_fft_steps},
    {0},
};

/* A grid is stepped from one array to another, or in its place. */
static double grid_bytes(const struct am_result *r)
{
    const double element = am_result_is(r, "type", "f32") ? 4 : 8;
    const bool in_place = am_where_matches("variant=skew,slice", r->params, r->n_params);

    return am_result_number(r, "n") * element * (in_place ? 1 : 2);
}

/* A described stencil (doc/guide/own-stencil.md) says the bytes of all passes of an iteration; its
 * grid is what one of them touches. How many there are is known of plain sweeps, one per step, and
 * where the depth is given; else a field in two arrays is the least that it can be. Benches of
 * others that look alike have not all of these axes: what they touch is all that is known. */
static double described_bytes(const struct am_result *r)
{
    const double all = r->work.bytes_read + r->work.bytes_written;
    const double steps = am_result_number(r, "steps"), depth = am_result_number(r, "depth");
    const double element = am_result_is(r, "type", "f32") ? 4 : 8;

    if (!(steps >= 1) || !(depth >= 0) || !(am_result_number(r, "strip") >= 0))
        return all;
    if (am_result_is(r, "variant", "plain"))
        return all / steps;
    if (depth >= 1)
        return all / ceil(steps / fmin(depth, steps));
    return fmax(all / steps, 2 * element * r->work.ops / steps);
}

static const struct am_bound_row bounds[] = {
    {.bench = BENCH,
     .where = "variant=fft",
     .role = AM_BOUND_FOREIGN,
     .why = "a transform does other work than the steps that it stands for"},
    {.bench = BENCH,
     .working_set = grid_bytes,
     .own_share = "bound_share",
     .executed = "executed_flops"},
    {.bench = "own.*",
     .where = "variant=device,device-wave",
     .role = AM_BOUND_FOREIGN,
     .why = "on devices a described stencil says no name by which their ceilings are known"},
    {.bench = "own.*", .where = "variant=plain,tiled,wave", .working_set = described_bytes},
    {0},
};

static const char section[] = "Finite differences";

static const struct am_figure_row figures[] = {
    {
        .name = "stencil-variants",
        .section = section,
        .title = "Finite differences, step by step",
        .caption =
            "Rate on the paper's count of operations (4 per point and step in one dimension), one "
            "thread: from the plain loop to time-skewed slices. A panel per type, a bar per form of "
            "the arithmetic.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "form",
        .panel = "type",
        .where = "dim=1 threads=1 variant!=fft executor=serial",
    },
    {
        .name = "stencil-placement",
        .section = section,
        .title = "Where the data lie",
        .caption = "Rate by the size of the grid: from what registers hold through the caches to "
                   "main memory. Loops that step once fall with every level, slices do not.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "n",
        .series = "variant",
        .panel = "type",
        .where = "dim=1 threads=1 variant!=fft executor=serial form=paper",
        .xscale = AM_SCALE_LOG2,
        .x_title = "grid points",
    },
    {
        .name = "stencil-bound",
        .section = section,
        .title = "How near the bound",
        .caption = "Cycles that the arithmetic units need at least, of those taken, by the size of "
                   "the grid. A line per form; 1 is the bound.",
        .bench = BENCH,
        .metric = "bound_share",
        .kind = AM_FIGURE_LINES,
        .x = "n",
        .series = "form",
        .panel = "type",
        .where = "dim=1 variant=slice device=cpu",
        .xscale = AM_SCALE_LOG2,
        .x_title = "grid points",
    },
    {
        .name = "stencil-scaling",
        .section = section,
        .title = "Strong scaling",
        .caption = "Rate of slices by threads, each with its own sub-domain of the same grid. "
                   "Straight up is perfect; a panel per size.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "executor",
        .panel = "n",
        .where = "dim=1 variant=slice device=cpu",
    },
    {
        .name = "stencil-grid-scaling",
        .section = section,
        .title = "Strong scaling of grids",
        .caption = "The same in two and three dimensions: parts are cut across the dimension "
                   "beside the lanes', and all of them copy ghosts.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "dim",
        .panel = "n",
        .where = "dim=2,3 variant=slice device=cpu",
    },
    {
        .name = "stencil-sizes",
        .section = section,
        .title = "Grid sizes",
        .caption = "Rate of slices by the size of the grid: start-up work and waits are paid once "
                   "per sub-domain, so that more threads need more points. A panel per number of "
                   "threads.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "n",
        .series = "executor",
        .panel = "threads",
        .where = "dim=1 variant=slice n!=0", /* 0: chosen by a device */
        .xscale = AM_SCALE_LOG2,
        .x_title = "grid points",
    },
    {
        .name = "stencil-rival",
        .section = section,
        .title = "Steps or a Fourier transform",
        .caption = "Time of all steps by their number. A transform takes the same for any, and is "
                   "faster beyond the crossing; it needs constant coefficients, steps do not.",
        .bench = BENCH,
        .metric = "time",
        .kind = AM_FIGURE_LINES,
        .x = "steps",
        .series = "variant",
        .panel = "n",
        .where = "dim=1 threads=1 variant=fft,slice,auto executor=serial",
        .own_y = true,
        .xscale = AM_SCALE_LOG2,
        .yscale = AM_SCALE_LOG10,
    },
    {
        .name = "stencil-dimensions",
        .section = section,
        .title = "One, two and three dimensions",
        .caption = "Points stepped per second, one thread: neighbours of more dimensions cost more "
                   "operations and more registers. A panel per type.",
        .bench = BENCH,
        .metric = "updates",
        .kind = AM_FIGURE_BARS,
        .x = "variant",
        .series = "dim",
        .panel = "type",
        .where = "threads=1 dim=2,3 executor=serial",
    },
    {
        .name = "stencil-weak",
        .section = section,
        .title = "Weak scaling",
        .caption = "Rate by threads where each has as many points as the others and as one alone: "
                   "a straight line from the origin is perfect. One panel per number of "
                   "dimensions and of points per thread; at each place the best executor.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "threads",
        .series = "variant,type,form",
        .panel = "dim,n/threads",
        .best = true,
    },
    {
        .name = "stencil-surface",
        .section = "Tuning",
        .title = "Finite differences by depth and width of slices",
        .caption =
            "Each cell is a pair that was measured, each panel a point that was tuned. Wide "
            "slices need registers, deep passes cost their start; empty cells were not tried "
            "or cannot be.",
        .bench = BENCH,
        .metric = "flops",
        .kind = AM_FIGURE_HEAT,
        .x = "depth",
        .series = "w",
        .where = "w!=0 depth!=0",
        .least = 3,
        .x_title = "steps per pass (depth)",
        .y_title = "vectors of a slice (w)",
    },
    {0},
};

static const struct am_headline headlines[] = {
    {.title = "finite differences, of their bound",
     .fact = "stencil.bound_share",
     .where = "type=f32 form=paper",
     .rank = 80,
     .place = AM_HEADLINE_WORDS,
     .row = "finite diff.",
     .word = "f32",
     .of = "their bound"},
    {0},
};

const struct am_family am_family_stencil = {
    .name = "stencil",
    .title = "Finite differences",
    .facts = facts,
    .figures = figures,
    .headlines = headlines,
    .bounds = bounds,
};
