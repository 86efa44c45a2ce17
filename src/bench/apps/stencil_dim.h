/* SPDX-License-Identifier: MIT */
/* Grids of one, two and three dimensions as app.stencil sees them: one table of operations each.
 *
 * A grid is stepped by rounds: all blocks of `stepping` once are one round, and `rounds` of them
 * one iteration of all steps. A block keeps count of its rounds by itself, and does in each what is
 * its turn: exchange, then advance. So an executor runs one plain loop many times, in one region.
 */
#ifndef AM_BENCH_APPS_STENCIL_DIM_H
#define AM_BENCH_APPS_STENCIL_DIM_H

#include "runtime/executor.h"
#include "app/stencil/stencil.h"
#include "core/bench/bench.h"

#include <stdbool.h>

/* What a point asks for. The hooks have checked that the instruction set can be used, that n and
 * steps are 1 or more, and width and depth 0 or more. */
struct am_stencil_task {
    enum am_stencil_method method; /* the axis `variant` */
    enum am_stencil_form form;
    enum am_stencil_type type;
    const char *isa;
    unsigned width; /* the axis `w`; 0: to be chosen */
    size_t depth;   /* 0: to be chosen */
    size_t steps;
    size_t n;       /* grid points, of all dimensions together */
    double r;       /* never 0: what was left to choose is chosen */
    size_t threads; /* sub-domains: one per thread */
    uint64_t seed;  /* of what check() looks at */
};

/* What one iteration costs besides am_work. */
struct am_stencil_cost {
    double executed;     /* operations of the form */
    double bound_cycles; /* of a core, when all sub-domains are done by one; 0: not known */
    double peak_cycles;  /* the same, if what is executed were done at the peak of ports.h */
};

/* Values that are worth trying, in steps of one or by a factor; least 0: there are none. */
struct am_stencil_range {
    size_t least, most;
    const char *step; /* of the range syntax */
};

struct am_stencil_ranges {
    struct am_stencil_range width, depth;
};

/* Seconds of an iteration; 0: not measured. */
struct am_stencil_near {
    double loops, begin, crossing; /* as am_ctx_near() and am_ctx_crossing() tell them */
    double walk;                   /* of the lines that they touch */
};

/* What loops may be replaced by, so that there is left what is around them, or the way of their
 * data: every line that they touch is touched in their order. */
enum am_stencil_instead { AM_STENCIL_REAL, AM_STENCIL_SILENT, AM_STENCIL_WALKING };

struct am_stencil_dim {
    double r_max; /* beyond it the scheme is not stable */
    /* Refuses (AM_E_ABSENT) or decides the shape; maps nothing large yet. */
    enum am_status (*open)(const struct am_stencil_task *task, void **self_p, struct am_err *err);
    uint64_t (*bytes)(const void *self); /* that map() will take */
    enum am_status (*map)(void *self, struct am_err *err);
    /* States the work of one iteration, all fields of am_work that apply; flops by the paper's
     * count (4, 6, 8 per point and step). */
    void (*cost)(void *self, const struct am_clock *clock, struct am_work *work,
                 struct am_stencil_cost *cost);
    /* Measures parts of an iteration, for note() to tell; the state is lost. NULL: there are none.
     */
    void (*split)(void *self, const struct am_clock *clock);
    /* Seconds of an iteration's loops on near data, as split() found them. NULL with split. */
    struct am_stencil_near (*near)(const void *self);
    /* What loops do from now on. False: this grid cannot. NULL: none of them can. */
    bool (*instead)(void *self, enum am_stencil_instead what);
    void (*note)(const void *self, const struct am_ctx *ctx); /* what was chosen */
    /* What a tuner may try in its place; NULL: nothing. */
    struct am_stencil_ranges (*ranges)(const void *self);
    /* Blocks that write the state at step 0, each what it will work on: one round, whatever came
     * before it. */
    struct am_blocks (*filling)(void *self);
    struct am_blocks (*stepping)(void *self);
    uint64_t (*rounds)(const void *self);
    /* After any number of iterations: the state is in the range of the start. */
    enum am_status (*look)(const void *self, struct am_err *err);
    /* Iterations that check() is made for: all places where one can begin. NULL: one. */
    size_t (*cycle)(const void *self);
    /* After filling and exactly so many iterations: against the reference. */
    enum am_status (*check)(const void *self, double *residual, struct am_err *err);
    void (*close)(void *self); /* accepts NULL and what open() or map() left half-built */
};

/* A slice's width and depth where they are 0, by what measurements on several cores have in common;
 * all other fields are set. */
void am_stencil_line_choose(struct am_stencil_spec *spec);

/* Sides of a grid of two or three dimensions, as equal as n points allow; the slowest takes what is
 * left over. */
void am_stencil_sides(unsigned dim, size_t n, size_t sides[3]);

extern const struct am_stencil_dim am_stencil_line;
extern const struct am_stencil_dim am_stencil_flat, am_stencil_solid; /* two and three dimensions */
extern const struct am_stencil_dim am_stencil_transform; /* the variant fft, of one dimension */

#endif
