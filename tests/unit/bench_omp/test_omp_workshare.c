/* SPDX-License-Identifier: MIT */
/* omp.workshare: what Fortran's constructs leave is what the plain loop leaves. */
#include "bench/omp/workshare.h"
#include "omp_fixture.h"

extern const struct am_bench am_bench_omp_workshare;

/* The expression itself, in another language. */
static void check_expression(void)
{
    double a[3] = {0.5, 1, 2};

    am_workshare_serial(3, 1, a);
    is_near(a[0], 0.5 + cos(0.5) - sin(0.5), 1e-15, "a + cos a - sin a of the first element");
    is_near(a[2], 2 + cos(2) - sin(2), 1e-15, "of the last element");
    am_workshare_serial(3, 200, a);
    is_near(cos(a[1]), sin(a[1]), 1e-12, "repeated, it comes to rest where cos and sin agree");
    am_workshare_inside(0, 5, a);
    am_workshare_parallel(3, 0, a);
    is_near(cos(a[1]), sin(a[1]), 1e-12, "no element and no repetition are allowed");
}

int main(void)
{
    const struct am_bench *const b = &am_bench_omp_workshare;
    const struct am_ctx ctx = ox_context();

    check_expression();
    for (const char *const *c = b->axes[0].choices; *c; c++) {
        for (int threads = 1; threads <= (int)ctx.cpu_count; threads++) {
            struct am_batch batch = {0};
            struct am_err err = {0};

            ok(ox_visit(b, *c, threads, &ctx, &batch, &err) == AM_OK && ox_all_finite(b, &batch) &&
                   batch.elapsed_ns > 0,
               "%s of %d is right %s", *c, threads, err.text);
        }
    }
    ox_refuses(b, "workshare", OX_CPUS + 1, &ctx, "3 threads");
    return tap_done();
}
