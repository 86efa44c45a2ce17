/* SPDX-License-Identifier: MIT */
/* What a simulated machine answers: hits by policy, plateaus, shared limits, clocks, noise. */
#include "sim/hierarchy.h"
#include "sim/noise.h"

#include "tap.h"

#include <stdlib.h>

static const char text[] =
    "[machine]\nname m\nvendor v\nmodel x\npackages 2\nnumbering adjacent\n"
    "[kind k]\ncores 4\nsmt 2\none_ghz 4\nall_ghz 2\nmove_bytes 64\n"
    "add_cycles 3\nadd_pipes 1\nisa scalar 64 2 4 2\nisa wide 512 2 3 1\n"
    "[cache L1]\nlevel 1\nsize 32K\ncycles 4\nbytes_per_cycle 64\n"
    "[cache L2]\nlevel 2\nsize 1M\ncycles 16\nbytes_per_cycle 32\n"
    "[cache L3]\nlevel 3\nsize 32M\nshare 2\npolicy random\ncycles 40\nbytes_per_cycle 16\n"
    "instance_gbs 100\n"
    "[tlb L1]\nentries 64\nmiss_cycles 8\n"
    "[memory]\nsize 16G\nlatency_ns 100\ncore_gbs 10\nnode_gbs 30\nfar_ns 80\nfar_gbs 12\n"
    "[noise]\nsample 0.01\nlaunch 0.02\n"
    "[neighbour]\non_s 0.2\noff_s 0.6\nslow 2\nsteal yes\n";

static const struct am_axis no_axes[] = {{.name = NULL}};
static const struct am_metric metrics[] = {
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, ""},
    {"rate", "1/s", AM_HIGHER, AM_RULE_OP_RATE, ""},
    {"own", "s", AM_LOWER, AM_RULE_OWN, ""},
    {.name = NULL},
};
static const struct am_bench bench = {
    .name = "b", .summary = "b", .version = 1, .axes = no_axes, .metrics = metrics};

struct fixture {
    struct am_arena arena;
    struct am_sim_machine machine;
    struct am_sim_layout layout;
    struct am_request request;
    struct am_sim_launch launch;
    int cpus[16];
};

static struct fixture *open_fixture(void)
{
    struct fixture *const f = calloc(1, sizeof(*f));
    struct am_err err = {0};

    if (am_sim_machine_read("f", text, strlen(text), &f->arena, &f->machine, &err) != AM_OK)
        printf("# %s\n", err.text);
    (void)am_sim_layout_make(&f->layout, &f->machine, &f->arena);
    for (int i = 0; i < 16; i++)
        f->cpus[i] = i;
    f->request = (struct am_request){
        .cpus = f->cpus,
        .n_cpus = 16,
        .seed = 7,
        .sampler = {.min_batch_ns = 1000000, .samples = 5, .extra = 5, .drift_limit = 0.02}};
    f->launch = (struct am_sim_launch){
        .layout = &f->layout, .request = &f->request, .memory_share = 1, .share = {1, 1, 1}};
    return f;
}

static void close_fixture(struct fixture *f)
{
    am_arena_fini(&f->arena);
    free(f);
}

static void test_hits(void)
{
    struct am_sim_cache c = {.ways = 8};
    static const struct {
        enum am_sim_policy policy;
        double at, quarter_lost;
        const char *name;
    } rows[] = {
        {AM_SIM_LRU, 1.05, 1.0, "lru"},
        {AM_SIM_COLOURED, 0.75, 0.75, "coloured"},
        {AM_SIM_RANDOM, 1.15, 1.15, "random"},
        {AM_SIM_BEST, 1.333, 1.333, "best"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double before = 1;
        bool falls = true;

        c.policy = rows[i].policy;
        for (int k = -200; k < 200; k++) {
            const double h = am_sim_hits(&c, pow(1.02, k));

            falls = falls && h <= before + 1e-9 && h >= 0 && h <= 1;
            before = h;
        }
        ok(falls, "%s: hits fall with the set and stay in 0..1", rows[i].name);
        if (rows[i].policy != AM_SIM_LRU)
            ok(fabs(am_sim_hits(&c, rows[i].at) - 0.75) < 0.04,
               "%s: a quarter is lost at %g times the capacity", rows[i].name,
               rows[i].quarter_lost);
    }
    c.policy = AM_SIM_LRU;
    ok(am_sim_hits(&c, 1) == 1 && am_sim_hits(&c, 1.2) == 0, "lru: a cliff");
}

static double load_at(struct fixture *f, double bytes, bool translated)
{
    const struct am_sim_walk w = {.cpu = &f->layout.cpus[0],
                                  .ghz = 4,
                                  .bytes = bytes,
                                  .span = bytes,
                                  .translated = translated};

    return am_sim_load_ns(&f->launch, &w);
}

static void test_loads(struct fixture *f)
{
    ok(fabs(load_at(f, 16384, false) - 1) < 1e-9, "a set in L1 takes 4 cycles of 4 GHz");
    ok(fabs(load_at(f, 512e3, false) - 4) < 1e-9, "in L2 16 cycles");
    ok(fabs(load_at(f, 16e6, false) - 10) < 1e-9, "in L3 40 cycles");
    ok(fabs(load_at(f, 4e9, false) - 100) < 1, "far beyond it memory's 100 ns");
    ok(load_at(f, 512e3, true) > 4.5, "and a TLB of 64 pages costs up to 8 cycles more");
    f->launch.share[2] = 0.25;
    ok(load_at(f, 16e6, false) > 30, "with a quarter of L3 the same set is in memory");
    f->launch.share[2] = 1;
}

/* Bandwidth in GB/s of `threads` threads reading `bytes` each. */
static double read_gbs(struct fixture *f, size_t threads, double bytes, int node, const char *isa)
{
    const struct am_point point = {.bench = &bench};
    const struct am_sim_question q = {.launch = &f->launch, .point = &point};
    struct am_sim_team team;
    const struct am_sim_stream s = {
        .team = &team, .isa = isa, .read = bytes, .bytes = bytes, .node = node};

    am_sim_team_first(&q, threads, &team);
    return bytes * (double)team.n / am_sim_stream_seconds(&f->launch, &s) * 1e-9;
}

static void test_streams(struct fixture *f)
{
    ok(fabs(read_gbs(f, 1, 16384, -1, "wide") / (64 * 3) - 1) < 1e-9,
       "one thread reads L1 at its width and the vectors' clock");
    ok(read_gbs(f, 1, 16384, -1, "scalar") < 16 * 4 + 1e-6, "scalar loads move 16 bytes a cycle");
    ok(fabs(read_gbs(f, 1, 4e9, -1, NULL) - 10) < 0.2, "memory gives one core 10 GB/s");
    ok(fabs(read_gbs(f, 2, 4e9, -1, NULL) - 10) < 0.2, "and the two threads of it no more");
    ok(fabs(read_gbs(f, 8, 4e9, -1, NULL) - 30) < 0.6, "four cores get the node's 30 GB/s");
    ok(fabs(read_gbs(f, 16, 4e9, -1, NULL) - 60) < 1.2, "two nodes give twice that");
    ok(fabs(read_gbs(f, 8, 4e9, 1, NULL) - 12) < 0.3, "from the other package the link's 12 GB/s");
    ok(read_gbs(f, 4, 5e6, -1, NULL) <= 100 + 1e-6, "an instance of L3 has its limit");
    ok(read_gbs(f, 4, 20e6, -1, NULL) < 60, "sets of 20 MB of four threads do not fit into 32 MiB");
}

/* Flops per cycle of a core by chains of cpu.flops. */
static double per_cycle(struct fixture *f, const char *op, int64_t streams)
{
    static const struct am_axis axes[] = {{.name = "op", .kind = AM_AXIS_NAME},
                                          {.name = "type", .kind = AM_AXIS_NAME},
                                          {.name = "isa", .kind = AM_AXIS_NAME},
                                          {.name = "streams", .kind = AM_AXIS_INT},
                                          {.name = NULL}};
    static const struct am_bench flops = {
        .name = "cpu.flops", .summary = "b", .version = 1, .axes = axes, .metrics = metrics};
    const struct am_value values[] = {{.kind = AM_AXIS_NAME, .name = op},
                                      {.kind = AM_AXIS_NAME, .name = "f64"},
                                      {.kind = AM_AXIS_NAME, .name = "wide"},
                                      {.kind = AM_AXIS_INT, .i = streams}};
    const struct am_point point = {.bench = &flops, .values = values};
    const struct am_sim_question q = {&f->launch, &point};
    struct am_sim_answer a;

    return am_sim_ask(&q, &a, NULL) == AM_OK ? a.work.flops / (a.seconds * a.hz) : 0;
}

/* Eight lanes, two pipes that fuse and two that add: products take 4 cycles, additions 3. */
static void test_arithmetic(struct fixture *f)
{
    static const struct {
        const char *op;
        int64_t streams;
        double flops;
        const char *what;
    } rows[] = {
        {"fma", 1, 8 * 2 / 4.0, "one chain of fma waits for each result"},
        {"add", 1, 8 / 3.0, "one of additions less long"},
        {"mix", 1, 8 * 3 / 7.0, "one of both for the sum of the two"},
        {"fma", 14, 2 * 8 * 2, "fourteen fill the pipes"},
        {"mul", 14, 2 * 8, "products count once"},
        {"mix", 14, 2 * 8 * 3, "fourteen chains of both just fill all four pipes"},
        {"mix", 12, 12 * 8 * 3 / 7.0, "twelve do not"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double flops = per_cycle(f, rows[i].op, rows[i].streams);

        ok(fabs(flops / rows[i].flops - 1) < 1e-9, "%s: %.3f flops per cycle", rows[i].what, flops);
    }
}

static void test_clocks(struct fixture *f)
{
    const struct am_point point = {.bench = &bench};
    const struct am_sim_question q = {.launch = &f->launch, .point = &point};
    struct am_sim_team team;

    am_sim_team_first(&q, 2, &team);
    ok(am_sim_ghz(team.cpus[0], NULL, &team) == 4, "one busy core has the highest clock");
    am_sim_team_first(&q, 8, &team);
    ok(am_sim_ghz(team.cpus[0], NULL, &team) == 2, "all busy the lowest");
    ok(am_sim_ghz(team.cpus[0], "wide", &team) == 1, "vectors have clocks of their own");
}

/* Everything a sample says must fit: stamps, elapsed time, values by rule, labels. */
static bool fits(const struct am_sample *x, const struct am_sim_answer *a, uint64_t end)
{
    const double each = (double)x->elapsed_ns * 1e-9 / (double)x->iters;
    const bool labelled = (x->labels & AM_LABEL_STEAL) != 0;

    return x->t0_ns >= end && x->t1_ns - x->t0_ns == x->elapsed_ns &&
           fabs(x->values[0] / each - 1) < 1e-9 && fabs(x->values[1] * each - a->work.ops) < 1e-6 &&
           x->values[2] > 0 && labelled == (x->steal_ns > 0);
}

static void take(struct fixture *f, struct am_sample *out, size_t n, bool *good)
{
    const struct am_point point = {.bench = &bench};
    const struct am_sim_question q = {.launch = &f->launch, .point = &point};
    const struct am_sim_answer a = {
        .work = {.ops = 1}, .seconds = 1e-6, .hz = 4e9, .own = {[2] = 3e-6}};
    struct am_sim_clock clock = {.stamp_ns = 1000};
    struct am_sim_visit v;
    uint64_t end = 0;

    *good = true;
    am_sim_launch_draw(&f->launch, &clock);
    am_sim_visit_begin(&v, &q, &a, &clock);
    for (size_t i = 0; i < n; i++) {
        am_sim_visit_sample(&v, &clock, &out[i]);
        *good = *good && fits(&out[i], &a, end);
        end = out[i].t1_ns;
    }
}

static void test_samples(struct fixture *f)
{
    enum { N = 2000 };
    static struct am_sample first[N], second[N];
    size_t stolen = 0;
    bool good, again;

    take(f, first, N, &good);
    take(f, second, N, &again);
    ok(good && again, "stamps, elapsed time, values and labels of %d samples agree", N);
    ok(memcmp(first, second, sizeof(first)) == 0, "the same seed gives the same samples");
    for (size_t i = 0; i < N; i++)
        stolen += first[i].labels != 0;
    ok(stolen > N / 400 && stolen < N / 2, "the neighbour shows in some of them (%zu)", stolen);
    f->request.seed = 8;
    take(f, second, N, &again);
    ok(memcmp(first, second, sizeof(first)) != 0, "another seed gives others");
}

static void test_visits(const struct fixture *f)
{
    double sum = 0;

    for (int i = 0; i < 4000; i++)
        sum += am_sim_visited(&f->machine, i * 0.05, 0.05);
    ok(sum / 4000 > 0.1 && sum / 4000 < 0.3, "he is here a part of the time (%.3f)", sum / 4000);
    ok(fabs(am_sim_visited(&f->machine, 0, 200) - sum / 4000) < 1e-6, "however time is cut");
}

int main(void)
{
    struct fixture *const f = open_fixture();

    test_hits();
    test_loads(f);
    test_streams(f);
    test_clocks(f);
    test_arithmetic(f);
    test_samples(f);
    test_visits(f);
    close_fixture(f);
    return tap_done();
}
