/* SPDX-License-Identifier: MIT */
/* cpu.window, cpu.fetch, cpu.forward and cpu.branch through their hooks: loops made at run time do
 * what they say, planted errors are noticed, and what cannot be made is refused. */
#include "bench_fixture.h"
#include "kernels/branch.h"
#include "kernels/mix/row.h"

extern const struct am_bench am_bench_cpu_window, am_bench_cpu_fetch, am_bench_cpu_forward,
    am_bench_cpu_branch, am_bench_cpu_target;

static const struct am_ctx ctx = {.cpu_count = 1, .seed = 24};

/* Prepares a point, runs it and verifies; `work` is what one iteration should state. */
static void check_point(const struct am_bench *b, const char *words, double ops)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = 1;
    const struct am_ctx own = bx_context(&ctx, b);
    void *const state = calloc(1, b->state_size);
    bool right;

    bx_point(b, words, point);
    right = b->prepare(state, &own, point, &work, &err) == AM_OK;
    for (uint64_t iters = 1; right && iters <= 1000; iters *= 10) {
        b->run(state, iters);
        right = !b->verify || (b->verify(state, &residual, &err) == AM_OK && residual == 0);
    }
    ok(right && work.ops == ops, "%s %s runs and is right %s", b->name, words, err.text);
    b->finish(state);
    free(state);
}

static void check_points(void)
{
    char words[64];

    for (const char *const *f = am_row_fillers; *f; f++) {
        if (strcmp(*f, am_row_fillers[AM_ROW_mask]) == 0 &&
            am_instr_needs_missing("avx512f avx512dq"))
            continue;
        (void)snprintf(words, sizeof(words), "%s 0", *f);
        check_point(&am_bench_cpu_window, words, 1);
        (void)snprintf(words, sizeof(words), "%s 701", *f);
        check_point(&am_bench_cpu_window, words, 1);
    }
    check_point(&am_bench_cpu_fetch, "1024 4", 256);
    check_point(&am_bench_cpu_fetch, "1048576 4", 262144);
    check_point(&am_bench_cpu_target, "1 8", 1);
    check_point(&am_bench_cpu_target, "16 16", 16);
    check_point(&am_bench_cpu_target, "32768 64", 32768);
    for (unsigned store = 1; store <= 8; store *= 2) {
        for (unsigned load = 1; load <= 8; load *= 2) {
            for (unsigned offset = 0; offset < store; offset++) {
                (void)snprintf(words, sizeof(words), "%u %u %u", store, load, offset);
                check_point(&am_bench_cpu_forward, words, AM_ROW_PAIRS);
            }
        }
    }
}

static void check_chains(void)
{
    struct am_row_area *const area = aligned_alloc(4096, 4096);
    struct am_mix_room room = {.base = NULL};
    struct am_err err = {0};
    am_row_fn *fn;

    am_row_start(area);
    ok(am_row_is_right(area, 0), "at the start no pass was made");
    ok(am_row_between(&room, AM_ROW_vector, 33, &fn, &err) == AM_OK, "a loop is made");
    fn(area, 7);
    ok(am_row_is_right(area, 7) && !am_row_is_right(area, 8) && !am_row_is_right(area, 6),
       "seven passes are neither six nor eight");
    area->chains[1] *= 1 + 0x1p-52;
    ok(!am_row_is_right(area, 7), "one bit of the second chain is noticed");
    am_mix_room_close(&room);
    free(area);
}

static void check_branches(void)
{
    static const unsigned char bytes[] = {0, 1, 1, 0, 1};

    ok(am_branch_follow(bytes, 5, 1) == 0 && am_branch_follow(bytes, 5, 3) == 2 &&
           am_branch_follow(bytes, 5, 13) == 8 && am_branch_follow(bytes + 1, 1, 9) == 9,
       "bytes are gone through over and over");
    check_point(&am_bench_cpu_branch, "1", 1);
    check_point(&am_bench_cpu_branch, "64", 1);
    check_point(&am_bench_cpu_branch, "4096", 1);
}

int main(void)
{
    static const struct bx_refused refused[] = {
        {&am_bench_cpu_window, "nop 5000", "count is 0 to 4096"},
        {&am_bench_cpu_fetch, "2 4", "bytes of code"},
        {&am_bench_cpu_fetch, "1073741824 4", "bytes of code"},
        {&am_bench_cpu_fetch, "1024 5", "no nop is 5 bytes long"},
        {&am_bench_cpu_target, "16 12", "multiples of 8 bytes"},
        {&am_bench_cpu_target, "0 16", "begin at 1"},
        {&am_bench_cpu_target, "70000 64", "at most"},
        {&am_bench_cpu_forward, "4 8 4", "1, 2, 4 or 8 bytes"},
        {&am_bench_cpu_forward, "3 4 0", "1, 2, 4 or 8 bytes"},
        {&am_bench_cpu_branch, "0", "a period of 0"},
    };

    check_branches();
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (!am_mix_unsupported || refused[i].bench == &am_bench_cpu_branch)
            bx_check_refused(&refused[i], &ctx);
    }
    if (!am_mix_unsupported) {
        check_chains();
        check_points();
    }
    return tap_done();
}
