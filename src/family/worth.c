/* SPDX-License-Identifier: MIT */
/* The table of what is worth measuring first, and that of what visits take to start. */
#include "family/worth.h"

#include "base/text.h"
#include "core/bench/isas.h"
#include "evidence/select.h"

#include <math.h>
#include <string.h>

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
    {35, "ocl.arith", "mode=throughput op=fma"},
    {35, "ocl.global", "kernel=read shape=group stride=1"},
    {35, "ocl.bus", "direction=h2d method=read_write memory=pinned"},
    {40, "mem.bandwidth", "kernel=read threads=1 size<64K"},
    {41, "mem.bandwidth", "kernel=read threads=1 size<4M"},
    {42, "mem.bandwidth", "kernel=read threads=1 size<256M"},
    {45, "mem.loaded", NULL},
    {50, "mem.pingpong", NULL},
    {70, "omp.sync", "construct=parallel,barrier"},
    {80, "app.stencil", "variant=slice form=paper"},
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
    /* other forms of the same: the best of them is the peak of devices that the first does not suit
     */
    {109, "ocl.arith", "mode=throughput"},
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

/* Rows of these ranks hold for the widest instruction set of a plan only. */
static const unsigned widest_ranks[] = {30, 31};

static bool is_for_widest(const struct am_worth_row *row)
{
    for (size_t i = 0; i < sizeof(widest_ranks) / sizeof(widest_ranks[0]); i++) {
        if (row->rank == widest_ranks[i])
            return true;
    }
    return false;
}

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

/* The value of a named axis; NULL without the axis, or when its values are numbers. */
static const char *name_at(const struct am_point *point, const char *axis)
{
    const int i = point->bench->axes ? am_axis_find(point->bench->axes, axis) : -1;

    return i < 0 || point->values[i].kind != AM_AXIS_NAME ? NULL : point->values[i].name;
}

/* The first row that the point matches; the last one, without a bench, when there is none.
 * `narrow`: rows for the widest instruction set are passed over. */
static const struct am_worth_row *row_of(const struct am_point *point, bool narrow)
{
    const struct am_worth_row *row = am_worth_rows;
    struct named_values values;

    name_values(point, &values);
    while (row->bench &&
           ((narrow && is_for_widest(row)) || !am_glob_match(row->bench, point->bench->name) ||
            !am_where_matches(row->where, values.params, values.n)))
        row++;
    return row;
}

static unsigned rank_of(const struct am_worth_row *row)
{
    return row->bench ? row->rank : AM_WORTH_LAST;
}

unsigned am_worth_of(const struct am_point *point)
{
    return rank_of(row_of(point, false));
}

/* Whether the plan has the point's bench with a wider instruction set. */
static bool is_narrow(const struct am_plan *plan, const struct am_point *point)
{
    const int rank = am_isa_rank(name_at(point, "isa"));

    for (size_t i = 0; rank >= 0 && i < plan->n; i++) {
        if (plan->points[i].bench == point->bench &&
            am_isa_rank(name_at(&plan->points[i], "isa")) > rank)
            return true;
    }
    return false;
}

/* ---- devices ---- */

/* A driver that makes the CPUs a device: they are measured by themselves already. */
static bool is_cpu_device(const char *name)
{
    static const char *const globs[] = {"pocl-cpu*", "pocl-pthread*", "pocl-basic*", "*-cpu"};

    for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
        if (am_glob_match(globs[i], name))
            return true;
    }
    return false;
}

enum { EQUALS_MAX = 64 }; /* numbers further apart are parts of names: "rtx-3090", "rtx-4090" */

/* Length of the name without the number by which equal devices are told apart; *number is 1 of a
 * name without: "h100" and 3 of "h100-3". */
static size_t stem_of(const char *name, uint64_t *number)
{
    const char *const dash = strrchr(name, '-');

    *number = 1;
    return dash && am_parse_u64(dash + 1, strlen(dash + 1), number) ? (size_t)(dash - name)
                                                                    : strlen(name);
}

/* How many equal devices of the plan come before this one. */
static uint64_t equals_before(const struct am_plan *plan, const char *name)
{
    uint64_t number, least;
    const size_t n = stem_of(name, &number);

    least = number;
    for (size_t i = 0; i < plan->n; i++) {
        const char *const other = name_at(&plan->points[i], "device");
        uint64_t its;

        if (other && stem_of(other, &its) == n && strncmp(other, name, n) == 0 && its < least &&
            number - its < EQUALS_MAX)
            least = its;
    }
    return number - least;
}

/* The rank of a device's headline: its own for the first of a kind. */
static unsigned rank_of_device(const struct am_plan *plan, const char *name, unsigned rank)
{
    const uint64_t before = equals_before(plan, name);
    const uint64_t most = AM_WORTH_EQUALS_LAST - AM_WORTH_EQUALS;
    unsigned later;

    if (is_cpu_device(name))
        return AM_WORTH_CPU_DEVICE;
    if (before == 0)
        return rank;
    later = AM_WORTH_EQUALS + (unsigned)(before - 1 < most ? before - 1 : most);
    return later > rank ? later : rank;
}

/* ---- what visits take to start ---- */

/* Seconds beside the batches: starting a process, a runtime or a device, making data ready,
 * checking it. Measured with the quick profile on a guest of 2 CPUs and on one of 16 with a GPU. */
static const struct {
    const char *bench; /* a name or glob */
    double each_s, per_thread_s;
} starts[] = {
    {"null", 0.001, 0},
    {"cpu.flops", 0.02, 0.001},
    {"mem.loaded", 0.02, 0.045},
    {"mem.coherence", 0.002, 0.0005},
    {"mem.sharing", 0.002, 0.0005},
    {"mem.pingpong", 0.004, 0},
    {"omp.start", 0.002, 0},
    {"omp.*", 0.012, 0.0005},
    {"app.leukocyte", 0.26, 0},
    {"app.stencil", 0.04, 0.002},
    {"app.*", 0.015, 0},
    {"ocl.*", 0.45, 0},
};

static double start_of(const struct am_point *point)
{
    const double threads_measured = 16, threads = (double)am_point_threads(point);

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (am_glob_match(starts[i].bench, point->bench->name))
            return starts[i].each_s + starts[i].per_thread_s * fmin(threads, threads_measured);
    }
    return 0;
}

/* ---- plans ---- */

void am_worth_apply(struct am_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        struct am_point *const point = &plan->points[i];
        const char *const device = name_at(point, "device");
        const struct am_worth_row *row = row_of(point, false);

        if (is_for_widest(row) && is_narrow(plan, point))
            row = row_of(point, true);
        point->worth = rank_of(row);
        if (device && point->worth < AM_WORTH_HEADLINES)
            point->worth = rank_of_device(plan, device, point->worth);
        point->start_s = start_of(point);
    }
}
