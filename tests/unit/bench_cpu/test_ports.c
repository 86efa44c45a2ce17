/* SPDX-License-Identifier: MIT */
/* cpu.ports, cpu.mix and cpu.chain: their loops, and their arithmetic under a scripted clock. */
#include "core/bench/bench.h"
#include "kernels/mix/mix.h"
#include "tap.h"

#include <stdlib.h>

extern const struct am_bench am_bench_cpu_ports, am_bench_cpu_mix, am_bench_cpu_chain,
    am_bench_cpu_loop;

/* Everything takes one step of a microsecond. */
static uint64_t step_now(void *self)
{
    return *(uint64_t *)self += 1000;
}

struct said {
    char anchors[16], forms[512], begin[8], bytes[8], back[8], fewest[8], step[8];
};

static void hear(void *self, const char *name, const char *value)
{
    struct said *const said = self;

    if (strcmp(name, "anchors") == 0)
        (void)snprintf(said->anchors, sizeof(said->anchors), "%s", value);
    if (strcmp(name, "begin") == 0)
        (void)snprintf(said->begin, sizeof(said->begin), "%s", value);
    if (strcmp(name, "bytes") == 0)
        (void)snprintf(said->bytes, sizeof(said->bytes), "%s", value);
    if (strcmp(name, "back") == 0)
        (void)snprintf(said->back, sizeof(said->back), "%s", value);
    if (strcmp(name, "fewest") == 0)
        (void)snprintf(said->fewest, sizeof(said->fewest), "%s", value);
    if (strcmp(name, "step") == 0)
        (void)snprintf(said->step, sizeof(said->step), "%s", value);
    if (strcmp(name, "mix_3") == 0)
        (void)snprintf(said->forms, sizeof(said->forms), "%s", value);
}

static void check_bench(const struct am_bench *bench, const struct am_value *point,
                        const char *what, struct said *said)
{
    uint64_t now = 0;
    const struct am_clock clock = {.name = "steps", .now_ns = step_now, .self = &now};
    const struct am_ctx ctx = {.cpu_count = 1, .clock = &clock, .chosen = hear, .said_self = said};
    void *const state = calloc(1, bench->state_size);
    struct am_work work = {0};
    struct am_batch batch = {0};
    struct am_err err = {0};
    double residual = 1;

    ok(bench->prepare(state, &ctx, point, &work, &err) == AM_OK, "%s is prepared", what);
    ok(bench->run_timed(state, 1, &batch, &err) == AM_OK && batch.elapsed_ns > 0, "%s runs", what);
    /* A step is 32768 cycles. Eight passes in a step: a slice of 16 steps has 129 of them, which
     * take a step as well. */
    if (bench == &am_bench_cpu_ports)
        is_near(batch.values[0], 32768.0 / (129 * 96), 1e-9,
                "cycles are time by clock over copies");
    ok(work.ops > 0 && bench->verify(state, &residual, &err) == AM_OK && residual == 0,
       "%s is right", what);
    bench->finish(state);
    free(state);
}

/* Every form that this machine has runs in chains, leaves registers behind, and ends alike twice.
 */
static void check_chains(void)
{
    uint64_t now = 0;
    const struct am_clock clock = {.name = "steps", .now_ns = step_now, .self = &now};
    const struct am_ctx ctx = {.cpu_count = 1, .clock = &clock};
    const struct am_bench *const bench = &am_bench_cpu_chain;
    void *const state = calloc(1, bench->state_size);
    size_t usable = 0, right = 0;

    for (const struct am_mix_form *form = am_mix_forms; form->name; form++) {
        const struct am_value point[] = {{.kind = AM_AXIS_NAME, .name = form->name},
                                         {.kind = AM_AXIS_NAME, .name = "machine"}};
        struct am_work work = {0};
        struct am_err err = {0};
        double residual = 1;

        if (am_mix_chain_why_not(form->name))
            continue;
        usable++;
        memset(state, 0, bench->state_size);
        if (bench->prepare(state, &ctx, point, &work, &err) == AM_OK && work.ops > 0 &&
            bench->verify(state, &residual, &err) == AM_OK && residual == 0)
            right++;
        else
            printf("# %s: %s\n", form->name, err.text);
        bench->finish(state);
    }
    ok(usable > 100 && right == usable, "chains of %zu of %zu forms are right", right, usable);
    free(state);
}

#if defined(__aarch64__)
enum { SLOT_BYTES = 4, BACK_BYTES = 8 };
#else
enum { SLOT_BYTES = 3, BACK_BYTES = 9 }; /* xor of two of r8 to r15; dec and a long jnz */
#endif

/* What whoever reads results knows of a loop: its first instruction, and how long all of them are.
 */
static void check_places(void)
{
#define PLACE(name, begin, more, fewest, step) {#name, begin, SLOT_BYTES + (more), fewest, step},
    static const struct {
        const char *with;
        int begin, bytes, fewest, step;
    } places[] = {AM_MIX_PLACE_MAP(PLACE)};
#undef PLACE

    for (size_t i = 0; i < AM_MIX_PLACES; i++) {
        const struct am_value point[] = {{.kind = AM_AXIS_NAME, .name = places[i].with},
                                         {.kind = AM_AXIS_NAME, .name = "machine"}};
        struct said said = {.anchors = ""};
        char wanted[64], told[64];

        if (SLOT_BYTES == 4 && places[i].bytes != SLOT_BYTES)
            continue;
        check_bench(&am_bench_cpu_loop, point, places[i].with, &said);
        (void)snprintf(wanted, sizeof(wanted), "%d %d %d %d %d", places[i].begin, places[i].bytes,
                       BACK_BYTES, places[i].fewest, places[i].step);
        (void)snprintf(told, sizeof(told), "%s %s %s %s %s", said.begin, said.bytes, said.back,
                       said.fewest, said.step);
        is_str(told, wanted, "where its loops begin, bytes of each and of the end, how many");
    }
}

int main(void)
{
    const struct am_value ports[] = {{.kind = AM_AXIS_NAME, .name = "imul_r64"},
                                     {.kind = AM_AXIS_NAME, .i = 0, .name = "1:1"},
                                     {.kind = AM_AXIS_NAME, .name = "machine"}};
    const struct am_value legacy[] = {{.kind = AM_AXIS_NAME, .name = "mulpd_xmm"},
                                      {.kind = AM_AXIS_NAME, .i = 0, .name = "1:1"},
                                      {.kind = AM_AXIS_NAME, .name = "machine"}};
    const struct am_value chain[] = {{.kind = AM_AXIS_NAME, .name = "imul_r64"},
                                     {.kind = AM_AXIS_NAME, .name = "machine"}};
    const struct am_value nothing[] = {{.kind = AM_AXIS_NAME, .name = "nothing"},
                                       {.kind = AM_AXIS_NAME, .name = "machine"}};
    const struct am_value rows[] = {{.kind = AM_AXIS_NAME, .name = "loads"},
                                    {.kind = AM_AXIS_NAME, .name = "machine"}};
    const struct am_value one = {.kind = AM_AXIS_INT, .i = 17};
    const struct am_value refused[] = {{.kind = AM_AXIS_NAME, .name = "adc_r64"},
                                       {.kind = AM_AXIS_NAME, .i = 0, .name = "1:1"}};
    const struct am_clock clock = {.name = "none"};
    struct said first = {.anchors = ""}, second = {.anchors = ""};
    struct am_work work = {0};
    struct am_err err = {0};
    void *state;

    if (am_mix_unsupported) {
        ok(true, "cpu.ports # SKIP %s", am_mix_unsupported);
        return tap_done();
    }
    check_bench(&am_bench_cpu_ports, ports, "imul_r64", &first);
    check_bench(&am_bench_cpu_ports, legacy, "mulpd_xmm", &first);
    is_str(first.anchors, "legacy", "legacy forms are measured beside legacy anchors");
    check_bench(&am_bench_cpu_chain, chain, "a chain of imul_r64", &first);
    check_chains();
    check_bench(&am_bench_cpu_loop, nothing, "short loops", &first);
    check_bench(&am_bench_cpu_loop, rows, "rows of loads", &first);
    check_places();
    check_bench(&am_bench_cpu_mix, &one, "a set of random mixes", &first);
    check_bench(&am_bench_cpu_mix, &one, "the same", &second);
    ok(first.forms[0] && strchr(first.forms, '*'), "a mix says what it is made of: %s",
       first.forms);
    is_str(first.forms, second.forms, "the same number is the same mix");
    state = calloc(1, am_bench_cpu_ports.state_size);
    ok(am_bench_cpu_ports.prepare(state, &(struct am_ctx){.clock = &clock}, refused, &work, &err) ==
           AM_E_ABSENT,
       "what cannot be mixed is skipped");
    am_bench_cpu_ports.finish(state);
    free(state);
    return tap_done();
}
