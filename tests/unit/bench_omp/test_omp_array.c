/* SPDX-License-Identifier: MIT */
/* omp.array: every clause keeps its promise at every size, on the runtime linked with. */
#include "bench/omp/array.h"
#include "omp_fixture.h"

extern const struct am_bench am_bench_omp_array;

static const int sizes[] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683, 59049};

static void check_clause(const char *clause, int threads, const struct am_ctx *ctx)
{
    const struct am_bench *const b = &am_bench_omp_array;
    struct am_err err = {0};
    enum am_status s = AM_OK;
    bool sums = true;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && s == AM_OK; i++) {
        struct am_batch batch = {0};
        char own[64];
        double parts;

        (void)snprintf(own, sizeof(own), "%s %d", clause, sizes[i]);
        s = ox_visit(b, own, threads, ctx, &batch, &err);
        parts = ox_value(b, &batch, "beyond_parallel") + ox_value(b, &batch, "plain_overhead");
        sums = sums && ox_all_finite(b, &batch) &&
               fabs(parts - ox_value(b, &batch, "overhead")) < 1e-12;
    }
    ok(s == AM_OK, "%s of %d is right at every size %s", clause, threads, err.text);
    ok(sums, "%s of %d: its overhead is that of the construct and what goes beyond", clause,
       threads);
}

/* Copies are made in the original's size and no other, whatever the table says of it. */
static void check_table(void)
{
    bool found = true, apart = true;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct am_array_size *const size = am_array_find(sizes[i]);

        found = found && size && size->elements == (size_t)sizes[i];
        apart = apart && found && size->threadwise() != size->original;
    }
    ok(found, "every power of three up to 59049 was compiled");
    ok(apart, "what copyin is applied to is no other clause's array");
    ok(!am_array_find(0) && !am_array_find(2) && !am_array_find(177147), "no other size was");
}

int main(void)
{
    const struct am_ctx ctx = ox_context();

    check_table();
    for (const char *const *c = am_bench_omp_array.axes[0].choices; *c; c++) {
        for (int threads = 1; threads <= (int)ctx.cpu_count; threads++)
            check_clause(*c, threads, &ctx);
    }
    ox_refuses(&am_bench_omp_array, "private 2", 1, &ctx, "1, 3, 9");
    ox_refuses(&am_bench_omp_array, "copyin 729", OX_CPUS + 1, &ctx, "3 threads");
    return tap_done();
}
