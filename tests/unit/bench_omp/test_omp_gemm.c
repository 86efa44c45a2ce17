/* SPDX-License-Identifier: MIT */
/* app.gemm on the executors of an OpenMP worker: products with dependencies, tiles without. */
#include "apps_fixture.h"
#include "bench/omp/executor_omp.h"
#include "omp_fixture.h"

enum { BLOCKS_TEXT = 128 };

static void take_blocks(void *self, const char *key, const char *text)
{
    if (strcmp(key, "blocks") == 0)
        (void)snprintf(self, BLOCKS_TEXT, "%s", text);
}

/* `blocks`: how the work was cut. */
static void check_visit(const char *own, int threads, const char *blocks, struct am_ctx *ctx)
{
    const struct am_bench *const b = ctx->bench;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    char words[OX_WORDS], noted[BLOCKS_TEXT] = "";
    double residual = -1;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    ctx->note = take_blocks;
    ctx->said_self = noted;
    (void)snprintf(words, sizeof(words), "%s %s %d close cores default", own, am_omp_runtimes[0],
                   threads);
    bx_point(b, words, point);
    s = b->prepare(state, ctx, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 3; iters++) {
        b->run(state, iters);
        s = b->verify(state, &residual, &err);
    }
    ok(s == AM_OK && residual >= 0 && residual <= 1, "%s: %.2g of the allowed error %s", words,
       residual, err.text);
    ok(strstr(noted, blocks) != NULL, "it is cut into %s", noted);
    b->finish(state);
    free(state);
}

int main(void)
{
    struct am_ctx ctx = ox_context();

    ctx.bench = ax_bench(&am_omp_set, "app.gemm");
    ctx.memory_limit_bytes = BX_LIMIT_BYTES;
    for (int threads = 1; threads <= (int)ctx.cpu_count; threads++) {
        check_visit("omp-for scalar f64 own 130 32", threads, "25 tiles", &ctx);
        check_visit("omp-task scalar f64 own 130 32", threads, "125 products", &ctx);
        check_visit("omp-task scalar f32 own 64 64", threads,
                    threads == 1 ? "1 products" : "share what is packed", &ctx);
        check_visit("omp-for scalar f32 own 64 64", threads, "1 products", &ctx);
    }
    return tap_done();
}
