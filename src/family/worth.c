/* SPDX-License-Identifier: MIT */
/* The table of what is worth measuring first. */
#include "family/worth.h"

#include "base/text.h"
#include "evidence/select.h"

/* Sizes that no cache holds, as far as quick plans have any. */
#define LARGE "size>=256M"

const struct am_worth_row am_worth_rows[] = {
    /* lines of the first screen */
    {10, "cpu.flops", "op=fma type=f64 threads=1"},
    {20, "cpu.flops", "op=fma,mix type=f64"},
    {21, "cpu.flops", "op=fma,mix type=f32"},
    {30, "mem.bandwidth", "kernel=read " LARGE},
    {31, "mem.bandwidth", "kernel=triad " LARGE},
    {32, "mem.latency", NULL},
    {32, "mem.loaded", NULL},
    {35, "ocl.arith", "mode=throughput"},
    {35, "ocl.global", "kernel=read shape=strided stride=1"},
    {35, "ocl.bus", "direction=h2d method=read_write memory=pinned"},
    {40, "mem.bandwidth", "kernel=read threads=1 size<64K"},
    {41, "mem.bandwidth", "kernel=read threads=1 size<4M"},
    {42, "mem.bandwidth", "kernel=read threads=1"},
    {50, "mem.pingpong", NULL},
    {70, "omp.sync", "construct=parallel,barrier"},
    {80, "app.stencil", "variant=auto form=scaled"},
    /* what explains them */
    {100, "mem.bandwidth", "kernel=write,copy " LARGE},
    {101, "mem.bandwidth", "kernel=read"},
    {102, "mem.numa", NULL},
    {103, "mem.coherence", NULL},
    {104, "mem.parallel", NULL},
    {105, "mem.tlb", NULL},
    {106, "mem.line", NULL},
    {106, "mem.ways", NULL},
    {107, "mem.placement", NULL},
    {108, "mem.sharing", NULL},
    {109, "ocl.bus", "direction=h2d,d2h method=read_write"},
    {109, "ocl.global", "stride=1"},
    /* what programs meet */
    {200, "cpu.instr", NULL},
    {201, "omp.sync", NULL},
    {202, "mem.stride", NULL},
    {202, "mem.stanza", NULL},
    {203, "mem.bandwidth", NULL},
    {204, "ocl.global", NULL},
    {205, "app.stencil", NULL},
    {206, "app.blackscholes", NULL},
    {207, "omp.start", NULL},
    {208, "ocl.arith", NULL},
    {208, "ocl.bus", NULL},
    {209, "app.leukocyte", NULL},
    {0, NULL, NULL},
};

/* A point's values as conditions want them. */
struct named_values {
    struct am_result_param params[AM_AXES_MAX];
    char texts[AM_AXES_MAX][AM_VALUE_TEXT_MAX];
    size_t n;
};

static void name_values(const struct am_point *point, struct named_values *out)
{
    const struct am_axis *const axes = point->bench->axes;

    out->n = 0;
    for (size_t i = 0; axes && axes[i].name && i < AM_AXES_MAX; i++) {
        am_value_text(&point->values[i], out->texts[i], sizeof(out->texts[i]));
        out->params[out->n++] = (struct am_result_param){
            .name = axes[i].name, .kind = axes[i].kind, .text = out->texts[i]};
    }
}

unsigned am_worth_of(const struct am_point *point)
{
    struct named_values values;

    name_values(point, &values);
    for (const struct am_worth_row *row = am_worth_rows; row->bench; row++) {
        if (am_glob_match(row->bench, point->bench->name) &&
            am_where_matches(row->where, values.params, values.n))
            return row->rank;
    }
    return AM_WORTH_LAST;
}

void am_worth_apply(struct am_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++)
        plan->points[i].worth = am_worth_of(&plan->points[i]);
}
