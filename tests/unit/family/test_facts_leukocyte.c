/* SPDX-License-Identifier: MIT */
/* Facts of app.leukocyte, from made-up results. */
#include "model/derive.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>

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

static const struct {
    const char *id;
    double value; /* 0: there is no such fact */
} wanted[] = {
    {"leukocyte.f64.cells36.frames1.gain.vectors", 8},
    {"leukocyte.f64.cells36.frames1.gain.no_arc", 10},
    {"leukocyte.f64.cells36.frames1.gain.one_thread", 80},
    {"leukocyte.f64.cells36.frames1.gain.threads", 4},
    {"leukocyte.f64.cells36.frames1.gain.all", 320},
    {"leukocyte.f64.cells36.frames1.gain.device", 5},
    {"leukocyte.f64.cells36.frames1.bound_share", 0.8},
    {"leukocyte.f64.cells36.frames1.bound_share.threads", 0.7},
    {"leukocyte.f64.cells36.frames1.update", 0.1 / 1000},
    {"leukocyte.f64.cells36.frames2.gain.one_thread", 0}, /* other frames are other work */
    {"leukocyte.f32.cells36.frames1.gain.one_thread", 0},
    {"leukocyte.f32.cells36.frames1.bound_share", 0.6},
};

int main(void)
{
    struct rx_run run = {0};
    struct am_facts facts = {.arena = &run.arena};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct rx_metric metrics[] = {{"time_per_frame", "s", rows[i].seconds},
                                            {"bound_share", "", rows[i].share},
                                            {"time_per_update", "s", rows[i].seconds / 1000},
                                            {NULL, NULL, 0}};

        (void)rx_add(&run, "app.leukocyte", rows[i].text, metrics);
    }
    am_derive_leukocyte(&run.set, &facts);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct am_fact *const f = am_facts_find(&facts, wanted[i].id);

        ok(wanted[i].value > 0 ? f && fabs(f->value / wanted[i].value - 1) < 3e-3 : !f, "%s is %g",
           wanted[i].id, f ? f->value : 0);
        ok(!f || (f->ci.lo <= f->value && f->value <= f->ci.hi && f->evidence),
           "with an interval and its evidence");
    }
    ok(facts.n == 11, "and nothing of a file: %zu facts", facts.n);
    am_arena_fini(&run.arena);
    return tap_done();
}
