/* SPDX-License-Identifier: MIT */
/* OpenCL devices: peaks and latencies (ocl.arith), prices of starting (ocl.launch), work-items in
 * lock step (ocl.branch), and memory (opencl_memory.c). Every fact has the label `device`. */
#include "family/families.h"
#include "family/opencl/opencl.h"

#include <math.h>
#include <string.h>

/* A narrower vector is as good as the best when it comes this close: the spread of such results. */
static const double near_peak = 0.97;

bool am_opencl_is_cpu(const struct am_result *result)
{
    const char *const kind = am_kvs_get(&result->chosen, "device_kind");

    return kind && strcmp(kind, "cpu") == 0;
}

/* ---- arithmetic ---- */

static struct am_picks throughput(const struct am_deriving *d)
{
    const struct am_selector all = {"ocl.arith", "mode=throughput", "flops"};

    return am_select(d->set, &all, d->arena);
}

/* The narrowest vector of the peak's operation that reaches it; where only one was measured, none
 * is known to be. */
static void derive_width(const struct am_deriving *d)
{
    const struct am_picks all = throughput(d);
    const struct am_groups types = am_picks_group(&all, "device,type");

    for (size_t i = 0; i < types.n; i++) {
        const struct am_pick *const peak = am_picks_best(&types.items[i].picks);
        const struct am_picks same = am_picks_like(&types.items[i].picks, peak->result, "op");
        const struct am_picks widths = am_picks_curve(&same, "width", NULL);
        size_t k = 0;
        struct am_fact fact;

        if (widths.n < 2)
            continue;
        while (widths.items[k].metric->summary.median < near_peak * peak->metric->summary.median)
            k++;
        fact = (struct am_fact){
            .name = "width",
            .what = "narrowest vector that reaches it",
            .unit = "",
            .value = widths.items[k].x,
            .ci = {widths.items[k].x, widths.items[k].x, NAN},
            .evidence = am_arena_printf(d->arena, "ocl.arith op=%s: within %.0f %% of the best",
                                        am_result_text(peak->result, "op"), 100 * (1 - near_peak)),
        };
        am_fact_rest_on(&fact, peak);
        am_fact_label_axes(&fact, peak->result, "device,type");
        am_facts_offer(d->facts, fact);
    }
}

/* Of a CPU: OpenCL over the best of native code, all threads together. */
static void derive_native_peak(const struct am_deriving *d)
{
    static const struct {
        const char *type, *where, *native;
    } types[] = {{"float", "type=float", "type=f32 op=fma"},
                 {"double", "type=double", "type=f64 op=fma"}};
    const struct am_picks all = throughput(d);

    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        const struct am_selector fma = {"cpu.flops", types[t].native, "flops"};
        const struct am_picks natives = am_select(d->set, &fma, d->arena);
        const struct am_pick *const native = am_picks_best(&natives);
        const struct am_picks own = am_picks_where(&all, types[t].where);
        const struct am_groups devices = am_picks_group(&own, "device");

        for (size_t i = 0; native && i < devices.n; i++) {
            const struct am_pick *const peak = am_picks_best(&devices.items[i].picks);
            struct am_fact fact = am_fact_of_ratio(peak, native, d->arena);

            if (!am_opencl_is_cpu(peak->result))
                continue;
            fact.name = "peak_over_native";
            fact.what = "OpenCL over native code on the same CPUs";
            am_fact_label_axes(&fact, peak->result, "device,type");
            am_facts_offer(d->facts, fact);
        }
    }
}

/* ---- branches ---- */

/* Paths that cost less than this, over one path, are taken independently. */
static const double no_price = 1.5;
/* A number of paths has reached the end of the climb at this part of the greatest price. */
static const double reached = 0.75;
/* Work-items in lock step make n paths cost n times one path, or nearly: at least this part. */
static const double lock_step = 0.5;

/* What interferes only adds: the best times show the shape. */
static double price(const struct am_picks *paths, size_t i)
{
    return paths->items[i].metric->summary.min / paths->items[0].metric->summary.min;
}

/* Index of the width: 0 when paths cost nothing, the number of places when it cannot be told. */
static size_t find_width(const struct am_picks *paths)
{
    double most = 0;
    size_t i = 0;

    for (size_t k = 1; k < paths->n; k++)
        most = fmax(most, price(paths, k));
    if (most < no_price)
        return 0;
    while (i < paths->n && price(paths, i) < reached * most)
        i++;
    if (i + 1 >= paths->n)
        return paths->n; /* it may climb on beyond what was measured */
    return price(paths, i) >= lock_step * paths->items[i].x ? i : paths->n;
}

static void offer_simd_width(const struct am_deriving *d, const struct am_picks *paths)
{
    const size_t i = find_width(paths);
    const double last = paths->items[paths->n - 1].x;
    struct am_fact fact = {
        .name = "simd_width", .what = "work-items that share their instructions", .unit = ""};

    if (i == paths->n)
        return;
    fact.value = paths->items[i].x;
    fact.ci = (struct am_interval){i ? paths->items[i - 1].x + 1 : 1, fact.value, NAN};
    fact.evidence =
        i ? am_arena_printf(d->arena,
                            "ocl.branch by=local: the price of paths climbs to %.3g at %.0f of "
                            "them, and no further up to %.0f",
                            price(paths, i), fact.value, last)
          : am_arena_printf(d->arena,
                            "ocl.branch by=local: up to %.0f paths cost less than %g times one",
                            last, no_price);
    am_fact_rest_on(&fact, &paths->items[0]);
    am_fact_rest_on(&fact, &paths->items[i]);
    am_fact_label_axes(&fact, paths->items[0].result, "device");
    am_facts_offer(d->facts, fact);
}

static void derive_branches(const struct am_deriving *d)
{
    const struct am_selector steps = {"ocl.branch", "by=local work=fma paths>=1", "time"};
    const struct am_picks all = am_select(d->set, &steps, d->arena);
    const struct am_groups devices = am_picks_group(&all, "device,items");

    for (size_t i = 0; i < devices.n; i++) {
        const struct am_picks paths = am_picks_curve(&devices.items[i].picks, "paths", NULL);
        struct am_fact fact;

        if (paths.n < 2 || paths.items[0].x > 1)
            continue;
        offer_simd_width(d, &paths);
        fact = am_fact_of_ratio(&paths.items[paths.n - 1], &paths.items[0], d->arena);
        fact.name = "divergence";
        fact.what = "price of work-items that part, over one path";
        am_fact_label_axes(&fact, paths.items[0].result, "device");
        am_facts_offer(d->facts, fact);
    }
}

/* ---- the tables ---- */

#define BEST(name_, what_, bench_, where_, metric_, labels_)                                       \
    {                                                                                              \
        .name = name_, .what = what_, .from = {bench_, where_, metric_}, .labels = labels_,        \
        .reduce = AM_REDUCE_BEST, .kind = AM_FACT_CAPABILITY                                       \
    }
#define PRICE(name_, what_, metric_)                                                               \
    {                                                                                              \
        .name = name_, .what = what_, .from = {"ocl.launch", "items=1", metric_},                  \
        .labels = "device"                                                                         \
    }

static const struct am_fact_rule facts[] = {
    BEST("peak", "arithmetic peak of the device", "ocl.arith", "mode=throughput", "flops",
         "device,type"),
    {.name = "width",
     .what = "narrowest vector that reaches the peak",
     .labels = "device,type",
     .derive = derive_width},
    {.name = "peak_over_native",
     .what = "peak of a CPU by OpenCL over that of cpu.flops",
     .labels = "device,type",
     .derive = derive_native_peak},
    BEST("latency", "one step of a dependent chain", "ocl.arith",
         "mode=latency width<=1 form!=quadratic", "latency", "device,op,type"),
    PRICE("launch", "start a kernel that does nothing, and wait for it", "round_trip"),
    PRICE("launch_start", "from queued to start", "start"),
    PRICE("launch_batch", "one of many kernels that are queued one after the other", "batch"),
    PRICE("launch_timed", "round trip with an event, in a queue that keeps times", "timed"),
    PRICE("launch_enqueue", "queue a kernel without waiting", "enqueue"),
    PRICE("build", "compile a small program", "build"),
    PRICE("first_launch", "round trip of its first launch", "first_launch"),
    {.name = "simd_width,divergence",
     .what = "work-items that share their instructions; what parting of all costs",
     .labels = "device",
     .derive = derive_branches},
    BEST("read", "device memory, reading", "ocl.global", "kernel=read size=0 stride!=0",
         "bandwidth", "device"),
    BEST("write", "device memory, writing", "ocl.global", "kernel=write size=0 stride!=0",
         "bandwidth", "device"),
    BEST("local_read", "local memory, reading", "ocl.local", "kernel=read stride!=0", "bandwidth",
         "device"),
    BEST("local_write", "local memory, writing", "ocl.local", "kernel=write stride!=0", "bandwidth",
         "device"),
    BEST("transfer", "between host and device, or inside the device", "ocl.bus", NULL, "bandwidth",
         "device,direction"),
    {.name = "read_width",
     .what = "narrowest vector that reaches the reading rate",
     .labels = "device",
     .derive = am_opencl_derive_width},
    {.name = "segment",
     .what = "bytes that one scattered word moves",
     .labels = "device",
     .derive = am_opencl_derive_segment},
    {.name = "column_over_row",
     .what = "reading columns over reading rows of a matrix",
     .labels = "device",
     .derive = am_opencl_derive_order},
    {.name = "banks",
     .what = "banks of local memory",
     .labels = "device",
     .derive = am_opencl_derive_banks},
    {.name = "cache_size,cache_read",
     .what = "caches of device memory: size, and bytes per second inside",
     .labels = "device,level",
     .derive = am_opencl_derive_caches},
    {.name = "level_size,level_latency",
     .what = "levels of device memory: size, and one dependent load",
     .labels = "device,level",
     .derive = am_opencl_derive_levels},
    BEST("local_latency", "one dependent load from local memory", "ocl.latency", "space=local",
         "latency", "device"),
    BEST("atomic", "atomic additions of the whole device", "ocl.atomic", "counters!=chain", "rate",
         "device,space,counters"),
    BEST("atomic_latency", "one atomic addition that the next waits for", "ocl.atomic",
         "counters=chain", "time", "device"),
    BEST("barrier", "one barrier of a group that is alone", "ocl.barrier", "groups=one", "time",
         "device,group"),
    BEST("link_both", "transfers in both directions at once", "ocl.overlap",
         "direction=both beside=nothing", "bandwidth", "device"),
    BEST("hidden", "share of kernel or transfers that the other hides", "ocl.overlap",
         "beside=compute", "hidden", "device,direction"),
    BEST("peer", "transfers from a device to another", "ocl.peer", NULL, "bandwidth", "device,to"),
    BEST("together", "results of neighbouring work-items that work together", "ocl.subgroup",
         "groups=full", "rate", "device,together,way"),
    {.name = "handover",
     .what = "memory of 1 MiB from the host to a kernel and back",
     .from = {"ocl.svm", "size=1048576", "time"},
     .labels = "device,memory"},
    {.name = "ridge,ridge_share",
     .what =
         "operations per byte from which on arithmetic is the limit; what is reached near there",
     .labels = "device,type",
     .derive = am_opencl_derive_ridge},
    BEST("dot", "products of small matrices, and dot products of bytes", "ocl.dot", NULL, "rate",
         "device,type,way,load"),
    {.name = "read_items",
     .what = "fewest work-items that read device memory within 10 % of the best",
     .labels = "device",
     .derive = am_opencl_derive_read_items},
    {.name = "scale_items",
     .what = "fewest work-items within 10 % of the best",
     .labels = "device",
     .derive = am_opencl_derive_items},
    {.name = "scale_over_native,scale_over_host",
     .what = "vector addition by the device over that by threads",
     .labels = "device",
     .derive = am_opencl_derive_over_host},
    {.name = "read_over_native,write_over_native",
     .what = "memory of a CPU by OpenCL over mem.bandwidth",
     .labels = "device",
     .derive = am_opencl_derive_native_rates},
    {0},
};

#define DEVICE(title_, fact_, where_, word_)                                                       \
    {                                                                                              \
        .title = title_, .fact = fact_, .where = where_, .rank = 35, .place = AM_HEADLINE_WORDS,   \
        .row = "", .word = word_, .per = "device"                                                  \
    }
static const struct am_headline headlines[] = {
    DEVICE("OpenCL f32 peak", "opencl.peak", "type=float", "f32"),
    DEVICE("OpenCL f64 peak", "opencl.peak", "type=double", "f64"),
    DEVICE("device memory, read", "opencl.read", NULL, "read"),
    DEVICE("host to device", "opencl.transfer", "direction=h2d", "link"),
    {0},
};

const struct am_family am_family_opencl = {
    .name = "opencl",
    .title = "OpenCL devices",
    .facts = facts,
    .figures = am_opencl_figures,
    .guidelines = am_opencl_guidelines,
    .headlines = headlines,
    .bounds = am_opencl_bounds,
    .tries = am_opencl_tries,
};
