/* SPDX-License-Identifier: MIT */
/* app.stencil through its hooks: what it refuses, what it notices, what it says of its work. */
#include "app/stencil/fft_rival.h"
#include "bench/apps/ports.h"
#include "bench/apps/stencil.h"
#include "bench/apps/wave_bound.h"
#include "bench/task/executors.h"
#include "apps_fixture.h"
#include "kernels/isa.h"

#include <math.h>

static const struct am_bench *bench;

enum { THREADS_MAX = 16 };

/* Words up to r; the rest is the executor and how many threads. */
static const char *words_of(const char *head, const char *executor, int threads, char *buf,
                            size_t cap)
{
    (void)snprintf(buf, cap, "%s %s cpu own %d close cores default", head, executor, threads);
    return buf;
}

static void test_point(const char *head, const char *executor, int threads, double executed_share,
                       const struct am_ctx *ctx)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    struct am_batch batch = {0};
    double residual = -1;
    char words[160];
    void *const state = calloc(1, bench->state_size);

    bx_point(bench, words_of(head, executor, threads, words, sizeof(words)), point);
    if (!ok(bench->prepare(state, ctx, point, &work, &err) == AM_OK, "%s is prepared: %s", words,
            err.text)) {
        bench->finish(state);
        free(state);
        return;
    }
    ok(bench->run_timed(state, 3, &batch, &err) == AM_OK && batch.elapsed_ns > 0,
       "%s runs and takes time", words);
    ok(bench->verify(state, &residual, &err) == AM_OK && residual >= 0, "%s is right: %s", words,
       err.text);
    ok(work.flops == 4 * work.ops &&
           work.ops == (double)point[AM_STENCIL_STEPS].i * (double)point[AM_STENCIL_N].i,
       "%s: four operations a point and step", words);
    {
        const double rate = 3 * work.flops / ((double)batch.elapsed_ns * 1e-9);

        ok(fabs(batch.values[AM_STENCIL_EXECUTED] / rate - executed_share) < 1e-9 &&
               batch.values[AM_STENCIL_BOUND_SHARE] > 0 &&
               batch.values[AM_STENCIL_BOUND_SHARE] < 1.5 &&
               batch.values[AM_STENCIL_PEAK_SHARE] > 0,
           "%s: executes %g of them, and stays below the bound", words, executed_share);
    }
    bench->finish(state);
    free(state);
}

/* Other work than steps: its own count of operations, and no bound. */
static void test_fft(const struct am_ctx *ctx)
{
    static const char *const heads[] = {
        "1 fft paper f64 scalar 0 0 30 3001 0.3", "1 fft paper f32 scalar 0 0 200 1024 0.5",
        "1 fft paper f64 scalar 0 0 7 1 0.25", "1 fft paper f32 scalar 0 0 1000 97 0.01"};

    if (am_fft_rival_why_not()) {
        skip_test(am_fft_rival_why_not());
        return;
    }
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        struct am_value point[AM_AXES_MAX];
        struct am_work work = {0};
        struct am_err err = {0};
        struct am_batch batch = {0};
        double residual = -1;
        char words[160];
        void *const state = calloc(1, bench->state_size);

        bx_point(bench, words_of(heads[i], "serial", 1, words, sizeof(words)), point);
        ok(bench->prepare(state, ctx, point, &work, &err) == AM_OK &&
               bench->run_timed(state, 2, &batch, &err) == AM_OK &&
               bench->verify(state, &residual, &err) == AM_OK && residual >= 0 && work.flops > 0 &&
               work.flops_per_cycle_max == 0,
           "%s is right: %s", words, err.text);
        bench->finish(state);
        free(state);
    }
    bx_check_notices(
        bench, "1 fft paper f64 scalar 0 0 9 300 0.3 serial cpu own 1 close cores default", ctx);
}

static void test_ports(void)
{
    static const struct {
        struct am_ports ports;
        unsigned muls, adds;
        double cycles, peak;
        const char *what;
    } cases[] = {
        {{true, 2, 2, 4, 0, 0}, 2, 1, 1, 6, "separate units, paper's form: the multipliers"},
        {{true, 2, 2, 4, 0, 0}, 1, 1, 0.5, 6, "separate units, scaled form: both at once"},
        {{true, 2, 2, 2, 0, 0},
         2,
         1,
         1.5,
         4,
         "shared units, paper's form: three instructions on two"},
        {{true, 2, 2, 2, 0, 0}, 1, 1, 1, 4, "shared units, scaled form: two on two"},
        {{false, 2, 1, 0, 0, 0}, 2, 2, 2, 2, "no fma: the slower of both"},
        {{false, 2, 2, 4, 0, 0}, 2, 2, 1, 4, "no fma, separate units: both at once"},
        {{false, 2, 2, 2, 0, 0}, 2, 2, 2, 2, "no fma, shared units: four on two"},
        {{false, 0, 0, 0, 0, 0}, 1, 1, 0, 0, "nothing known"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double got = am_ports_cycles(&cases[i].ports, cases[i].muls, cases[i].adds);
        const double peak = am_ports_peak(&cases[i].ports);

        ok(fabs(got - cases[i].cycles) < 1e-12 && fabs(peak - cases[i].peak) < 1e-12,
           "%s: %g cycles, %g operations a lane and cycle", cases[i].what, got, peak);
    }
}

/* Chains of both in turn do not reach what the units could. */
static void test_mixed(void)
{
    static const struct {
        double mul, add, measured, mixed;
        const char *what;
    } cases[] = {
        {2, 2, 3.6, 4, "separate units"},
        {2, 2, 2.78, 3, "one of three units for both: kept from it by how they are handed out"},
        {2, 2, 2.97, 3, "the same, just so"},
        {2, 2, 2.03, 2, "shared units, and the error of clocks"},
        {1, 1, 1.31, 1.5, "half of a unit more"},
        {1, 1, 0, 0, "not measured"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double got = am_ports_mixed(cases[i].mul, cases[i].add, cases[i].measured);

        ok(got == cases[i].mixed, "%s: %g", cases[i].what, got);
    }
}

/* Whatever the units, no mix of instructions has more operations in its least time than the peak
 * allows: a share of the peak is none above 1. */
static void test_peak(void)
{
    static const double rates[] = {0.5, 1, 2, 3};
    enum { RATES = sizeof(rates) / sizeof(rates[0]), MOST = 6 };
    double most = 0;

    for (unsigned i = 0; i < RATES * RATES * RATES * 2; i++) {
        const double mul = rates[i % RATES], add = rates[i / RATES % RATES];
        const double mixed = fmax(fmax(mul, add), rates[i / RATES / RATES % RATES] * 2);
        const struct am_ports p = {i >= RATES * RATES * RATES, mul, add,
                                   fmin(mixed, mul + add),     0,   0};

        for (unsigned muls = 0; muls <= MOST; muls++) {
            for (unsigned adds = !muls; adds <= MOST; adds++) {
                const double flops = (p.fuses ? 2 : 1) * muls + adds;

                most = fmax(most, flops / (am_ports_cycles(&p, muls, adds) * am_ports_peak(&p)));
            }
        }
    }
    ok(most <= 1 + 1e-12 && most > 0.99, "the best mix has %g of the peak", most);
}

/* A step of the gradient flow (5 products, 9 sums, 6 extremes) by where extremes run. */
static void test_extremes(void)
{
    static const struct {
        struct am_ports ports;
        double cycles;
        const char *what;
        enum am_ports_extremes place;
    } cases[] = {
        {{true, 1, 1, 2, 1, 1},
         15,
         "extremes on the adders: they wait for each other",
         AM_PORTS_EXTREMES_ON_ADDERS},
        {{true, 2, 2, 4, 2, 2},
         7.5,
         "the same with half as wide vectors",
         AM_PORTS_EXTREMES_ON_ADDERS},
        {{true, 1, 1, 2, 1, 2},
         10,
         "extremes beside the adders: all units work",
         AM_PORTS_EXTREMES_APART},
        {{true, 2, 2, 2, 2, 2},
         10,
         "one pair of units for everything",
         AM_PORTS_EXTREMES_ON_ADDERS},
        {{true, 2, 2, 4, 0, 0}, 5, "extremes not measured: anywhere", AM_PORTS_EXTREMES_UNKNOWN},
        {{true, 2, 2, 4, 1, 2},
         6,
         "extremes on one unit: it is the bound",
         AM_PORTS_EXTREMES_UNKNOWN},
        {{true, 0, 0, 0, 1, 1}, 0, "nothing known", AM_PORTS_EXTREMES_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const double got = am_ports_cycles_with(&cases[i].ports, 5, 9, 6);

        ok(fabs(got - cases[i].cycles) < 1e-12, "%s: %g cycles", cases[i].what, got);
        ok(am_ports_place_extremes(&cases[i].ports) == cases[i].place, "%s: their place is known",
           cases[i].what);
    }
}

/* The chains that tell: a maximum with a, and a added `steps` times, the maximum in turn. */
static void test_extreme_chains(void)
{
    enum { STEPS = 3, VECTOR = AM_FLOPS_VEC_BYTES_MAX / sizeof(double) };
    static const double start = -2, a = 0.5;

    for (size_t k = 0; am_isa_names[k]; k++) {
        const struct am_flops_variant *const v = am_flops_find(am_isa_names[k]);
        double in[(AM_FLOPS_EXTREMES_STREAMS + 2) * VECTOR], out[sizeof(in) / sizeof(in[0])];
        const size_t lanes = v->lanes[AM_FLOPS_F64], n = AM_FLOPS_EXTREMES_STREAMS * lanes;
        bool alone = true, turns = true;

        if (am_isa_why_not(am_isa_names[k]))
            continue;
        for (size_t i = 0; i < n + 2 * lanes; i++)
            in[i] = i < n ? start : a;
        v->extremes[AM_FLOPS_F64](in, out, STEPS);
        for (size_t i = 0; i < n; i++)
            alone &= fabs(out[i] - a) < 1e-12;
        v->extremes_sums[AM_FLOPS_F64](in, out, STEPS);
        /* the second half adds first: -1.5, then at least a */
        for (size_t i = 0; i < n; i++)
            turns &= fabs(out[i] - (i < n / 2 ? a + STEPS * a : a + (STEPS - 1) * a)) < 1e-12;
        ok(alone && turns, "chains of extremes are right with %s", am_isa_names[k]);
        v->products_sums[AM_FLOPS_F64](in, out, STEPS);
        /* x = a (x + a) three times from -2, and of the first half x = a x + a */
        turns = true;
        for (size_t i = 0; i < n; i++)
            turns &= fabs(out[i] - (i < n / 2 ? 0.625 : 0.1875)) < 1e-12;
        ok(turns, "chains of products and sums are right with %s", am_isa_names[k]);
    }
}

static void test_refused(const struct am_ctx *ctx)
{
    static const struct {
        const char *head, *reason;
    } cases[] = {
        {"1 auto paper f32 scalar 0 0 10 1000 0.25", "no vectors"},
        {"1 scalar paper f32 scalar 4 0 10 1000 0.25", "only slices"},
        {"1 scalar paper f32 scalar 0 4 10 1000 0.25", "have a depth"},
        {"1 slice paper f32 scalar 29 4 10 1000 0.25", "w is 0 to"},
        {"1 slice paper f32 scalar -1 4 10 1000 0.25", "0 or more"},
        {"1 slice paper f32 scalar 3 4 10 0 0.25", "1 or more"},
        {"1 slice paper f32 scalar 3 4 16385 1000 0.25", "1 to 16384"},
        {"1 slice paper f32 scalar 3 4 10 1000 0.75", "at most 0.5"},
        {"1 slice paper f32 scalar 3 4 10 1000 -0.1", "at most 0.5"},
        {"1 slice paper f64 scalar 3 4 10 1000000000 0.25", "memory"},
        {"1 slice paper f64 scalar 3 11 10 1000 0.25", "11 steps"},
        {"1 registers paper f64 scalar 0 0 10 9 0.25", "6, 8 or"},
        {"2 fft paper f64 scalar 0 0 10 9 0.1", "one dimension"},
        {"0 slice paper f64 scalar 3 4 10 1000 0", "1 to 3"},
        {"4 slice paper f64 scalar 3 4 10 1000 0", "1 to 3"},
    };
    char words[160];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct bx_refused refused = {
            bench, words_of(cases[i].head, "serial", 1, words, sizeof(words)), cases[i].reason};

        bx_check_refused(&refused, ctx);
    }
}

static bool is_about(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

/* Loads of a block are those of its rows and of the rows around it; the greatest part of a bound
 * counts. */
static void test_wave_bound(void)
{
    const struct am_wave_variant *const waves = am_wave_find("scalar");
    struct am_grid_spec spec = {.kernels = am_grid_find("scalar"),
                                .dim = 2,
                                .type = AM_STENCIL_F64,
                                .n = {100, 100, 100},
                                .depth = 8,
                                .tile = {4}};
    struct am_wave_needs needs = am_wave_needs_of(&spec);
    const double rows = (double)(waves->planes * waves->deep);
    struct am_wave_bound b = {.units = 3, .loads = 2, .stores = 1, .near = 2.5, .far = 0.5};

    ok(is_about(needs.loads, 6.0 / 4) && is_about(needs.far_bytes, 2) &&
           needs.footprint == 20 * 100 * sizeof(double),
       "two dimensions: %g loads, %g bytes, %zu under way", needs.loads, needs.far_bytes,
       needs.footprint);
    spec.dim = 3;
    spec.tile[0] = 32;
    needs = am_wave_needs_of(&spec);
    ok(is_about(needs.loads, (rows + 2 * waves->planes + 2 * waves->deep) / rows) &&
           is_about(needs.far_bytes, 2 * 1.5),
       "three dimensions: %g loads, %g bytes", needs.loads, needs.far_bytes);
    ok(is_about(am_wave_bound_least(&b), 3) && is_about(am_wave_bound_apart(&b), 5) &&
           strcmp(am_wave_bound_part(&b), "arithmetic units") == 0,
       "units are the bound");
    b.near = 4;
    ok(is_about(am_wave_bound_least(&b), 4) && is_about(am_wave_bound_apart(&b), 6.5) &&
           strcmp(am_wave_bound_part(&b), "caches") == 0,
       "caches are the bound");
}

int main(void)
{
    struct am_clock clock;
    int cpu = 0, cpus[THREADS_MAX];
    struct am_ctx ctx = {.cpus = cpus,
                         .cpu_count = THREADS_MAX,
                         .seed = 7,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};
    char head[96], words[160];

    (void)bx_cpus(&cpu, 1);
    for (size_t i = 0; i < THREADS_MAX; i++)
        cpus[i] = cpu; /* more threads than CPUs: nothing is timed here */
    bench = ax_bench(&am_task_set, "app.stencil");
    ctx.bench = bench;
    am_clock_init(&clock);
    for (int i = 0; i <= AM_STENCIL_BY_SLICE; i++) {
        (void)snprintf(head, sizeof(head), "1 %s paper f64 %s 0 0 30 3001 0.3",
                       am_stencil_methods[i], am_isa_names[1]);
        test_point(head, "serial", 1, 1, &ctx);
        (void)snprintf(head, sizeof(head), "1 %s scaled f32 %s 0 0 7 997 0", am_stencil_methods[i],
                       am_isa_names[1]);
        test_point(head, "task:dbf", 1 + i, 0.75, &ctx);
        bx_check_notices(bench, words_of(head, "task:bf", 2, words, sizeof(words)), &ctx);
    }
    test_point("1 slice scaled f64 scalar 5 11 40 13 0.4", "serial", 1, 0.75, &ctx);
    test_point("1 slice scaled f64 scalar 5 11 41 1300 0.4", "task:default", THREADS_MAX, 0.75,
               &ctx);
    test_point("1 registers paper f64 scalar 0 0 41 8 0.4", "serial", 1, 1, &ctx);
    test_point("1 registers scaled f32 scalar 0 0 200 6 0.4", "task:bf", 1, 0.75, &ctx);
    test_fft(&ctx);
    test_refused(&ctx);
    test_ports();
    test_mixed();
    test_peak();
    test_wave_bound();
    test_extremes();
    test_extreme_chains();
    return tap_done();
}
