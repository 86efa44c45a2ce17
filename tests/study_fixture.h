/* SPDX-License-Identifier: MIT */
/* Studies of made-up claims, judged on machines of known truth. */
#ifndef AM_TESTS_STUDY_FIXTURE_H
#define AM_TESTS_STUDY_FIXTURE_H

#include "base/rng.h"
#include "base/text.h"
#include "core/measure/surroundings.h"
#include "core/spec/spec.h"
#include "model/study/claims.h"

#include "result_fixture.h"

#include <math.h>
#include <stdio.h>

enum { LAUNCHES = 8 };

/* ---- a machine ---- */

struct machine {
    struct rx_run run;
    struct am_rng rng;
    double noise;  /* sigma of a launch, relative */
    bool settled;  /* grades were given by hand */
    double others; /* CPUs that others take around every launch; NAN: nobody could tell */
};

static inline double normal(struct am_rng *rng)
{
    return sqrt(-2 * log(1 - am_rng_unit(rng))) * cos(2 * 3.14159265358979 * am_rng_unit(rng));
}

static inline struct am_result *put_some(struct machine *m, const char *text, double value,
                                         size_t launches)
{
    struct am_result *const r = rx_add(&m->run, "omp.sched", text,
                                       (const struct rx_metric[]){{"overhead", "s", value}, {0}});
    struct am_series *const s = &r->metrics[0].series;
    double *const values = am_arena_array(&m->run.arena, launches, sizeof(*values));
    struct am_launch_values *const of = am_arena_array(&m->run.arena, launches, sizeof(*of));

    for (size_t i = 0; i < launches; i++) {
        values[i] = value * exp(m->noise * normal(&m->rng));
        of[i] =
            (struct am_launch_values){.values = &values[i],
                                      .n = 1,
                                      .round = (unsigned)i,
                                      .busy = m->others > 0 || isnan(m->others) ? AM_BUSY_STEAL : 0,
                                      .others = m->others};
    }
    *s = (struct am_series){.launches = of, .n = launches};
    return r;
}

static inline struct am_result *put(struct machine *m, const char *text, double value)
{
    return put_some(m, text, value, LAUNCHES);
}

/* ---- a study ---- */

static const char head[] = "study s\ntitle T\nsource S\ntest null\nrun\n";

/* Judges a study that has these claims behind its head; everything lives in the machine's arena. */
static inline struct am_judged_study judge(struct machine *m, const char *claims)
{
    const char *const text = am_arena_printf(&m->run.arena, "%s%s", head, claims);
    const struct am_spec_source source = {
        .file = "s.study", .folder = "/", .text = text, .len = strlen(text)};
    struct am_judged_study out = {0};
    struct am_err err = {0};
    struct am_spec spec;

    if (!m->settled)
        am_evidence_settle(&m->run.set);
    if (am_spec_parse(&source, &m->run.arena, &spec, &err) != AM_OK ||
        am_claims_judge(spec.study, &m->run.set, &m->run.arena, &out, &err) != AM_OK)
        printf("# %s\n", err.text);
    return out;
}

#endif
