/* SPDX-License-Identifier: MIT */
/* cpu.operand and cpu.idiom through their hooks, under a scripted clock. */
#include "bench_fixture.h"
#include "kernels/path/path.h"

extern const struct am_bench am_bench_cpu_operand, am_bench_cpu_idiom;

/* Everything takes one step of ten microseconds. */
static uint64_t step_now(void *self)
{
    return *(uint64_t *)self += 10000;
}

/* Through the hooks: a point is prepared, timed and verified. */
static void check_hooks(const struct am_bench *b, const char *words, size_t metrics)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    struct am_batch batch = {.elapsed_ns = 0};
    double residual = 1;
    uint64_t now = 0;
    const struct am_clock clock = {.name = "steps", .now_ns = step_now, .self = &now};
    const struct am_ctx own = {.cpu_count = 1, .clock = &clock, .bench = b};
    void *const state = calloc(1, b->state_size);
    size_t timed = 0;
    bool right;

    bx_point(b, words, point);
    right = b->prepare(state, &own, point, &work, &err) == AM_OK &&
            b->run_timed(state, 1, &batch, &err) == AM_OK &&
            b->verify(state, &residual, &err) == AM_OK && residual == 0;
    for (size_t i = 0; b->metrics[i].name; i++)
        timed += batch.values[i] > 0;
    ok(right && timed == metrics && work.ops > 0 && batch.elapsed_ns > 0, "%s %s: %zu metrics %s",
       b->name, words, timed, err.text);
    b->finish(state);
    free(state);
}

int main(void)
{
    check_hooks(&am_bench_cpu_operand, am_path_names[0], 1);
    check_hooks(&am_bench_cpu_idiom, am_idiom_names[0], 5);
    for (const struct am_idiom *i = am_idioms; i->name; i++) {
        if (i->kind == AM_IDIOM_PAIR) {
            check_hooks(&am_bench_cpu_idiom, i->name, 3);
            break;
        }
    }
    return tap_done();
}
