/* SPDX-License-Identifier: MIT */
/* ocl.scale without OpenCL: how arrays are shared out, the paper's work-groups, and POSIX threads.
 */
#include "bench/shared/scale.h"
#include "bench_fixture.h"

extern const struct am_bench am_bench_scale_pthread;

static void check_groups(void)
{
    static const struct {
        size_t items, cpu, gpu;
    } cases[] = {
        {1, 1, 1},       {2, 1, 2},       {3, 1, 3},         {16, 8, 16},
        {255, 127, 255}, {256, 256, 256}, {65536, 256, 256},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_scale_group(cases[i].items, true) == cases[i].cpu &&
               am_scale_group(cases[i].items, false) == cases[i].gpu,
           "%zu items: groups of %zu on a CPU, %zu on a GPU", cases[i].items, cases[i].cpu,
           cases[i].gpu);
}

static struct am_scale_shares chosen(const struct am_ctx *ctx, const char *words,
                                     struct am_work *work)
{
    struct am_value point[AM_AXES_MAX];
    struct am_scale_shares scale = {0};
    struct am_err err = {0};

    bx_point(&am_bench_scale_pthread, words, point);
    if (am_scale_choose(&scale, ctx, point, 0, 1, work, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    return scale;
}

/* Every element belongs to one item, also where the numbers do not divide. */
static void check_shares(const struct am_ctx *ctx)
{
    static const char *const points[] = {"host pthread 1 4096", "host pthread 3 4096",
                                         "host pthread 256 4096", "host pthread 1000 4096",
                                         "host pthread 5000 4096"};

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        struct am_work work = {0};
        struct am_scale_arrays x = {.scale = chosen(ctx, points[i], &work)};
        struct am_err err = {0};
        double residual = -1;
        bool right = am_scale_arrays_new(&x, &err) == AM_OK;

        for (size_t k = 0; right && k < x.scale.items; k++)
            am_scale_fill(&x, k);
        right = right && am_scale_check(&x.scale, x.c, &residual, &err) == AM_E_WRONG &&
                residual == (double)x.scale.n;
        for (size_t k = 0; right && k < x.scale.items; k++)
            am_scale_add(&x, k);
        ok(right && am_scale_check(&x.scale, x.c, &residual, &err) == AM_OK && residual == 0,
           "%s: every sum is there", points[i]);
        if (right) {
            am_scale_spoil(&x, 0);
            err = (struct am_err){0};
            ok(am_scale_check(&x.scale, x.c, &residual, &err) == AM_E_WRONG,
               "%s: and seen to be gone again: %s", points[i], err.text);
        }
        am_scale_arrays_free(&x);
    }
}

static void check_work(const struct am_ctx *ctx)
{
    const struct am_work want = {
        .bytes_read = 2 * 65536, .bytes_written = 65536, .flops = 16384, .ops = 16384};
    struct am_work work = {0};

    (void)chosen(ctx, "host pthread 7 65536", &work);
    ok(bx_same_work(&work, &want), "two elements read and one written for each sum");
}

static void check_threads(const char *words, const struct am_ctx *ctx)
{
    const struct am_bench *const b = &am_bench_scale_pthread;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = -1;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    bx_point(b, words, point);
    s = b->prepare(state, ctx, point, &work, &err);
    if (s == AM_OK)
        s = b->run_timed(state, 2, &batch, &err);
    if (s == AM_OK)
        s = b->verify(state, &residual, &err);
    ok(s == AM_OK && residual == 0 && batch.elapsed_ns > 0, "%s adds up%s%s", words,
       s == AM_OK ? "" : ": ", err.text);
    b->finish(state);
    free(state);
}

int main(void)
{
    static const struct bx_refused refused[] = {
        {&am_bench_scale_pthread, "host pthread 0 4096", "1 to 256"},
        {&am_bench_scale_pthread, "host pthread 257 4096", "1 to 256"},
        {&am_bench_scale_pthread, "host pthread 1 100", "multiple of 64"},
        {&am_bench_scale_pthread, "host pthread 1 67108864", "limit"},
    };
    int cpus[2];
    struct am_clock clock;
    const struct am_ctx ctx = {.cpus = cpus,
                               .cpu_count = bx_cpus(cpus, 2),
                               .seed = 5,
                               .memory_limit_bytes = BX_LIMIT_BYTES,
                               .clock = &clock};

    am_clock_init(&clock);
    check_groups();
    check_shares(&ctx);
    check_work(&ctx);
    check_threads("host pthread 1 65536", &ctx);
    check_threads("host pthread 3 65536", &ctx);
    check_threads("host pthread 256 65536", &ctx);
    bx_check_notices(&am_bench_scale_pthread, "host pthread 2 65536", &ctx);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], &ctx);
    return tap_done();
}
