/* SPDX-License-Identifier: MIT */
/* A product whose threads share what they pack: in every order that its blocks allow the bits of
 * one thread; in an order that they forbid, others. */
#include "app/gemm/gemm_shared.h"
#include "base/rng.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 61, ORDERS = 20, STEPS = 7, BEFORE_MAX = 64, BLOCKS_MAX = 4096 };

static double a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE], expected[SIDE * SIDE];

static struct am_gemm_shared_setup setup_of(size_t m, size_t n, size_t k, size_t threads)
{
    const struct am_gemm_kernel *const kernel = &am_gemm_find("scalar")->kernel[AM_GEMM_F64];

    return (struct am_gemm_shared_setup){
        .kernel = kernel,
        .blocking = {.mc = 3 * kernel->mr, .nc = 2 * kernel->nr, .kc = STEPS},
        .args = {.m = m, .n = n, .k = k, .a = a, .b = b, .c = c, .lda = k, .ldb = n, .ldc = n},
        .threads = threads,
    };
}

static void fill(struct am_rng *rng)
{
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        a[i] = 2 * am_rng_unit(rng) - 1;
        b[i] = 2 * am_rng_unit(rng) - 1;
    }
}

static void multiply_alone(const struct am_gemm_shared_setup *setup)
{
    struct am_gemm_args args = setup->args;
    const size_t bytes =
        (am_gemm_workspace(setup->kernel, &setup->blocking) / AM_GEMM_ALIGN + 1) * AM_GEMM_ALIGN;
    void *const workspace = aligned_alloc(AM_GEMM_ALIGN, bytes);

    args.c = expected;
    am_gemm_multiply(setup->kernel, &setup->blocking, &args, workspace);
    free(workspace);
}

/* Each wait is for a lower block, named once, within the bound. */
static bool waits_are_valid(const struct am_blocks *blocks)
{
    size_t before[BEFORE_MAX];

    for (size_t i = 0; i < blocks->count; i++) {
        const size_t n = blocks->before(blocks->app, i, before);

        if (n > blocks->before_max)
            return false;
        for (size_t k = 0; k < n; k++) {
            if (before[k] >= i || (k && before[k] <= before[k - 1] && n > 2))
                return false;
        }
    }
    return true;
}

static bool is_ready(const struct am_blocks *blocks, size_t block, const bool *done)
{
    size_t before[BEFORE_MAX];
    const size_t n = blocks->before(blocks->app, block, before);

    for (size_t k = 0; k < n; k++) {
        if (!done[before[k]])
            return false;
    }
    return true;
}

/* All blocks, each time one at random of those that may run; `lawless`: of all that are left. */
static void run_in_some_order(const struct am_blocks *blocks, struct am_rng *rng, bool lawless)
{
    static bool done[BLOCKS_MAX];
    static size_t ready[BLOCKS_MAX];

    memset(done, 0, sizeof(done));
    for (size_t left = blocks->count; left; left--) {
        size_t n = 0, chosen;

        for (size_t i = 0; i < blocks->count; i++) {
            if (!done[i] && (lawless || is_ready(blocks, i, done)))
                ready[n++] = i;
        }
        chosen = ready[am_rng_below(rng, n)];
        blocks->run(blocks->app, chosen);
        done[chosen] = true;
    }
}

static void spoil(void)
{
    for (size_t i = 0; i < SIDE * SIDE; i++)
        c[i] = (double)NAN;
}

static void check_product(size_t m, size_t n, size_t k, size_t threads, struct am_rng *rng)
{
    const struct am_gemm_shared_setup setup = setup_of(m, n, k, threads);
    struct am_gemm_shared *shared = NULL;
    struct am_err err = {0};
    struct am_blocks blocks;
    size_t wrong = 0, unlike = 0;

    fill(rng);
    multiply_alone(&setup);
    if (!ok(am_gemm_shared_new(&setup, &shared, &err) == AM_OK, "%zu by %zu by %zu for %zu %s", m,
            n, k, threads, err.text))
        return;
    blocks = am_gemm_shared_blocks(shared);
    ok(blocks.count <= BLOCKS_MAX && blocks.before_max <= BEFORE_MAX && waits_are_valid(&blocks),
       "%zu blocks in %zu stages wait for earlier ones", blocks.count,
       am_gemm_shared_stages(shared));
    for (int order = 0; order < ORDERS; order++) {
        spoil();
        run_in_some_order(&blocks, rng, false);
        wrong += memcmp(c, expected, m * n * sizeof(double)) != 0;
    }
    for (int order = 0; order < ORDERS; order++) { /* which may leave panels as they must not be */
        spoil();
        run_in_some_order(&blocks, rng, true);
        unlike += memcmp(c, expected, m * n * sizeof(double)) != 0;
    }
    ok(wrong == 0, "the bits of one thread in %d orders", ORDERS);
    ok(unlike > 0, "orders against the waits show in %zu of %d outcomes", unlike, ORDERS);
    am_gemm_shared_free(shared);
}

/* ---- slivers that another thread is packing ---- */

/* What is multiplied from inside of the packing of a sliver, as another thread would. */
static struct {
    const struct am_gemm_kernel *kernel;
    const struct am_gemm_args *args;
    struct am_gemm_share share;
    void *workspace;
    size_t packed; /* slivers, by both */
    bool inside;
} other;

static void pack_beside_another(const void *from, size_t ld, size_t rows, size_t columns, void *to)
{
    other.packed++;
    if (!other.inside) {
        other.inside = true;
        am_gemm_multiply_part(other.kernel, other.args, &other.share, other.workspace);
    }
    am_gemm_find("scalar")->kernel[AM_GEMM_F64].pack_a(from, ld, rows, columns, to);
}

/* Two halves of the columns from one panel; the second begins and ends while the first packs its
 * first sliver, so it packs that one for itself and all others for both. */
static void check_nobody_waits(struct am_rng *rng)
{
    struct am_gemm_shared_setup setup = setup_of(12, 8, STEPS, 2);
    struct am_gemm_kernel kernel = *setup.kernel;
    const struct am_gemm_blocking *const block = &setup.blocking;
    const size_t bytes = am_gemm_part_workspace(&kernel, block), half = 4;
    char *const panel = aligned_alloc(AM_GEMM_ALIGN, am_gemm_panel_bytes(&kernel, block));
    char *const workspace = aligned_alloc(AM_GEMM_ALIGN, 2 * bytes);
    struct am_gemm_share share = {.part = {.rows = 12, .columns = half, .steps = STEPS}};

    if (!panel || !workspace)
        return;
    fill(rng);
    multiply_alone(&setup);
    spoil();
    kernel.pack_a = pack_beside_another;
    share.panel = am_gemm_panel_at(&kernel, block, panel);
    am_gemm_panel_clear(&kernel, block, &share.panel);
    other.kernel = &kernel;
    other.args = &setup.args;
    other.share = share;
    other.share.part.column = half;
    other.workspace = workspace + bytes;
    am_gemm_multiply_part(&kernel, &setup.args, &share, workspace);
    ok(memcmp(c, expected, 12 * 8 * sizeof(double)) == 0,
       "a sliver that another packs is not waited for, nor taken before it is there");
    ok(other.packed == 12 / kernel.mr + 1, "%zu slivers were packed %zu times", 12 / kernel.mr,
       other.packed);
    free(panel);
    free(workspace);
}

static void check_refused(void)
{
    const struct am_gemm_shared_setup nobody = setup_of(8, 8, 8, 0), nothing = setup_of(8, 0, 8, 1);
    struct am_gemm_shared *shared = NULL;
    struct am_err err = {0};

    ok(am_gemm_shared_new(&nobody, &shared, &err) == AM_E_LIMIT && !shared, "no thread: %s",
       err.text);
    ok(am_gemm_shared_new(&nothing, &shared, &err) == AM_E_LIMIT && !shared, "no column: %s",
       err.text);
    am_gemm_shared_free(NULL);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 25, 7);
    check_product(SIDE, SIDE, SIDE, 3, &rng);
    check_product(40, 48, 49, 2, &rng);
    check_product(13, 61, 22, 16, &rng);
    check_product(37, 5, 30, 4, &rng);
    check_nobody_waits(&rng);
    check_refused();
    return tap_done();
}
