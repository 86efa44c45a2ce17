/* SPDX-License-Identifier: MIT */
/* Facts of app.leukocyte, from made-up results. */
#include "family_fixture.h"

#define SCENE " video=synthetic cells=36 frames=1"

static const struct {
    const char *text;
    double seconds, share;
} rows[] = {
    {"variant=naive type=f64 executor=serial threads=1" SCENE, 8, 0.01},
    {"variant=atan type=f64 executor=serial threads=1" SCENE, 1, 0.08},
    {"variant=minmax type=f64 executor=serial threads=1" SCENE, 0.1, 0.8},
    {"variant=minmax type=f64 executor=task:dbf threads=1" SCENE, 0.05, 0.9}, /* not serial */
    {"variant=minmax type=f64 executor=task:bf threads=4" SCENE, 0.04, 0.5},
    {"variant=minmax type=f64 executor=omp-for threads=4" SCENE, 0.025, 0.7},
    {"variant=minmax type=f64 executor=opencl threads=1" SCENE, 0.02, NAN},
    {"variant=naive type=f64 executor=serial threads=1 video=synthetic cells=36 frames=2", 99, 0.1},
    {"variant=minmax type=f32 executor=serial threads=1" SCENE, 0.05, 0.6},
    {"variant=minmax type=f32 executor=serial threads=1 video=a.avi cells=36 frames=1", 0.05, 0.6},
};

#define WORK " type=f64 cells=36 frames=1"

static const struct {
    const char *name, *where;
    double value; /* NAN: there is no such fact */
} wanted[] = {
    {"leukocyte.gain", "step=vectors" WORK, 8},
    {"leukocyte.gain", "step=no_arc" WORK, 10},
    {"leukocyte.gain", "step=one_thread" WORK, 80},
    {"leukocyte.gain", "step=threads" WORK, 4},
    {"leukocyte.gain", "step=all" WORK, 320},
    {"leukocyte.gain", "step=device" WORK, 5},
    {"leukocyte.bound_share", WORK, 0.8},
    {"leukocyte.bound_share_threads", WORK, 0.7},
    {"leukocyte.update", WORK, 0.1 / 1000},
    {"leukocyte.gain", "step=one_thread frames=2", NAN}, /* other frames are other work */
    {"leukocyte.gain", "type=f32", NAN},
    {"leukocyte.bound_share", "type=f32", 0.6},
};

int main(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct rx_metric metrics[] = {{"time_per_frame", "s", rows[i].seconds},
                                            {"bound_share", "", rows[i].share},
                                            {"time_per_update", "s", rows[i].seconds / 1000},
                                            {NULL, NULL, 0}};

        (void)rx_add(&run, "app.leukocyte", rows[i].text, metrics);
    }
    facts = fx_derive(&run, &am_family_leukocyte);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        fx_check(&facts, wanted[i].name, wanted[i].where, wanted[i].value, "tracking");
    ok(facts.n == 11, "and nothing of a file: %zu facts", facts.n);
    am_arena_fini(&run.arena);
    return tap_done();
}
