/* SPDX-License-Identifier: MIT */
/* Runs of three points with as many launches as wanted, and rows of their comparison. */
#ifndef AM_TESTS_ROWS_FIXTURE_H
#define AM_TESTS_ROWS_FIXTURE_H

#include "base/rng.h"
#include "evidence/evidence.h"
#include "model/compare.h"
#include "noise_laws.h"
#include "result_fixture.h"

enum { ROWS = 3 };

static const struct am_compare_settings rows_settings = {
    .delta = 0.02, .level = 0.95, .basis = AM_BASIS_ONE_RUN};

/* Points size=1 .. ROWS of as many launches as `n`, each `factor` of its row times noise. */
static inline void rows_make(struct rx_run *run, const double *factors, size_t n, double noise,
                             struct am_rng *rng)
{
    static const char *const texts[ROWS] = {"size=1", "size=2", "size=3"};

    for (size_t i = 0; i < ROWS; i++) {
        const struct rx_metric metric[] = {{"time", "s", 1}, {.name = NULL}};
        struct am_result *const r = rx_add(run, "mem.fake", texts[i], metric);
        double *const values = am_arena_array(&run->arena, n, sizeof(*values));
        struct am_launch_values *const launches = am_arena_array(&run->arena, n, sizeof(*launches));

        for (size_t k = 0; k < n; k++) {
            values[k] = factors[i] * exp(noise * noise_normal(rng));
            launches[k] =
                (struct am_launch_values){.round = (unsigned)k, .values = &values[k], .n = 1};
        }
        r->metrics[0].series = (struct am_series){launches, n};
    }
    run->set.run = (struct am_run_info){.state = AM_RUN_DONE, .command = "run", .started = "0"};
    am_kvs_add(&run->set.machine, &run->arena, "key", "here");
    am_kvs_add(&run->set.build, &run->arena, "worker.cpu", "1234");
    am_evidence_settle(&run->set);
}

static inline const struct am_comparison_row *rows_find(const struct am_comparison *c,
                                                        const char *text)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->rows[i].a->text, text) == 0)
            return &c->rows[i];
    }
    return NULL;
}

#endif
