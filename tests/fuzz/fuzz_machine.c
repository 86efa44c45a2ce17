/* SPDX-License-Identifier: MIT */
/* libFuzzer: a machine description is read, or refused with its place; of one that is read every
 * latency and every bandwidth is a positive number. */
#include "sim/hierarchy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_times(const struct am_sim_layout *layout)
{
    const struct am_sim_cpu *const cpu = &layout->cpus[layout->n - 1];
    const struct am_sim_team team = {.cpus = {cpu}, .n = 1};
    struct am_sim_launch launch = {.layout = layout, .memory_share = 1};
    const double ghz = am_sim_ghz(cpu, NULL, &team);

    for (size_t i = 0; i < AM_SIM_CACHES_MAX; i++)
        launch.share[i] = 1;
    for (int shift = 10; shift < 37; shift += 4) {
        const double bytes = (double)(UINT64_C(1) << shift);
        const struct am_sim_walk walk = {
            .cpu = cpu, .ghz = ghz, .bytes = bytes, .span = bytes, .translated = 1};
        const struct am_sim_stream stream = {
            .team = &team, .read = bytes, .written = bytes, .bytes = bytes, .node = -1};
        const double ns = am_sim_load_ns(&launch, &walk);
        const double seconds = am_sim_stream_seconds(&launch, &stream);

        require(isfinite(ns) && ns >= 0);
        require(isfinite(seconds) && seconds > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct am_arena arena = {0};
    struct am_sim_machine *const m = calloc(1, sizeof(*m));
    struct am_sim_layout layout;
    struct am_err err = {0};

    require(m != NULL);
    if (am_sim_machine_read("f", (const char *)data, size, &arena, m, &err) != AM_OK) {
        require(err.status == AM_E_USAGE && strncmp(err.text, "f:", 2) == 0);
    } else {
        require(am_sim_layout_make(&layout, m, &arena));
        require(layout.n == am_sim_cpu_count(m));
        check_times(&layout);
    }
    am_arena_fini(&arena);
    free(m);
    return 0;
}
