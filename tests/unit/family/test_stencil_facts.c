/* SPDX-License-Identifier: MIT */
/* Facts and pictures of app.stencil, from made-up results. */
#include "document/figure/figure.h"
#include "evidence/evidence.h"

#include "family_fixture.h"

#include <string.h>

static const struct {
    const char *text;
    double updates, share, seconds;
} rows[] = {
    {"dim=1 variant=auto form=paper type=f32 n=1024 r=0 device=cpu threads=1", 3e9, 0.1, 1},
    {"dim=1 variant=slice form=paper type=f32 n=1024 r=0 device=cpu threads=1", 30e9, 0.97, 1},
    {"dim=1 variant=slice form=scaled type=f32 n=1024 r=0 device=cpu threads=1", 60e9, 0.9, 1},
    {"dim=1 variant=registers form=scaled type=f32 n=1024 r=0 device=cpu threads=1", 90e9, 1, 1},
    {"dim=1 variant=slice form=paper type=f32 n=1024 r=0 device=cpu threads=2", 120e9, 0.99, 1},
    {"dim=2 variant=slice form=paper type=f32 n=1024 r=0 device=cpu threads=1", 200e9, 1, 1},
    {"dim=1 variant=slice form=paper type=f32 n=1024 r=0 device=gpu threads=1", 900e9, 1, 1},
    {"dim=1 variant=fft form=paper type=f32 n=1024 r=0 device=cpu threads=1", 500e9, 0, 4e-6},
    {"dim=1 variant=fft form=paper type=f64 n=2048 r=0 device=cpu threads=1", 500e9, 0, 4e-6},
};

static const struct {
    const char *name, *where;
    double value; /* NAN: there is no such fact */
} wanted[] = {
    {"stencil.bound_share", "type=f32 form=paper", 0.97},
    {"stencil.bound_share", "type=f32 form=scaled", 0.9},
    {"stencil.slice_gain", "type=f32 n=1024", 20},
    {"stencil.fft_steps", "type=f32 n=1024", 60e9 / 1024 * 4e-6},
    {"stencil.fft_steps", "type=f64 n=2048", NAN}, /* nothing was stepped there */
};

static const struct am_figure *weak_scaling(struct rx_run *run)
{
    static const struct am_facts none = {0};
    const struct am_figure_source source = {.set = &run->set, .facts = &none, .arena = &run->arena};
    struct am_figures figures;
    struct am_err err = {0};
    const char *nearest;

    am_evidence_settle(&run->set);
    return am_figures_make(&source, &figures, &err) == AM_OK
               ? am_figures_find(&figures, "stencil-weak", &nearest)
               : NULL;
}

/* Of these points all but the second have as many points per thread. */
static void draws_weak_scaling(void)
{
    static const char *const texts[] = {
        "dim=2 variant=slice form=paper type=f32 n=1000 threads=1",
        "dim=2 variant=slice form=paper type=f32 n=1000 threads=3",
        "dim=2 variant=slice form=paper type=f32 n=2000 threads=2",
        "dim=2 variant=slice form=paper type=f32 n=4000 threads=4",
    };
    const struct rx_metric flops[] = {{"flops", "flop/s", 1e9}, {NULL, NULL, 0}};
    struct rx_run run = {0};
    const struct am_figure *f = NULL;

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        f = weak_scaling(&run);
        ok(!f, "%zu points, fewer than three of which grow with the threads, are no weak scaling",
           i);
        rx_add(&run, "app.stencil", texts[i], flops)->metrics[0].better = AM_HIGHER;
    }
    f = weak_scaling(&run);
    ok(f && f->n_panels == 1 && strcmp(f->panels[0].plot.title, "n/threads 1000") == 0 &&
           f->panels[0].plot.series[0].n == 3 && strstr(f->constants, "variant=slice"),
       "three that do are");
    am_arena_fini(&run.arena);
}

int main(void)
{
    struct rx_run run = {0};
    struct am_facts facts;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct rx_metric metrics[] = {{"updates", "1/s", rows[i].updates},
                                            {"bound_share", "", rows[i].share},
                                            {"time", "s", rows[i].seconds},
                                            {NULL, NULL, 0}};

        (void)rx_add(&run, "app.stencil", rows[i].text, metrics);
    }
    facts = fx_derive(&run, &am_family_stencil);
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        fx_check(&facts, wanted[i].name, wanted[i].where, wanted[i].value, "stepping");
    am_arena_fini(&run.arena);
    draws_weak_scaling();
    return tap_done();
}
