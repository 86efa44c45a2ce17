/* SPDX-License-Identifier: MIT */
/* Bounds here and there, and what follows for the rate. */
#include "model/predict.h"

#include "base/text.h"
#include "family/roles.h"

#include <math.h>
#include <string.h>

/* A point with more threads than the machine states would not run there as it did here. */
static const char *too_many(const struct am_explanation *e, const struct am_machine_model *machine,
                            struct am_arena *arena)
{
    const char *const text = am_kvs_get(&machine->set.machine, "threads");
    const double threads = am_result_threads(e->result);
    const char *story;
    double most;

    if (am_result_device(e->result) || !text || !am_parse_f64(text, strlen(text), &most) ||
        threads <= most)
        return NULL;
    story = am_arena_printf(arena, "%.0f threads, and that machine has %.0f", threads, most);
    return story ? story : "more threads than that machine has";
}

static void expect(struct am_prediction *p)
{
    const struct am_explanation *const here = p->here, *const there = p->there;
    const struct am_summary *const m = &here->measured;

    p->expected = p->lo = p->hi = NAN;
    p->factor = p->factor_lo = p->factor_hi = NAN;
    if (p->why_not || here->why_not || here->metric->grading.grade == AM_GRADE_C)
        return;
    p->expected = fmin(m->median * there->bound / here->bound, there->bound_hi);
    p->lo = fmin(m->ci.lo * there->bound_lo / here->bound_hi, p->expected);
    p->hi = fmax(fmin(m->ci.hi * there->bound_hi / here->bound_lo, there->bound_hi), p->expected);
    p->factor = p->expected / m->median;
    p->factor_lo = fmin(there->bound_lo / here->bound_hi, p->factor);
    p->factor_hi =
        fmax(fmin(there->bound_hi / here->bound_lo, there->bound_hi / m->median), p->factor);
}

enum am_status am_predict(const struct am_explanations *here, const struct am_explanations *there,
                          const struct am_machine_model *machine, struct am_arena *arena,
                          struct am_predictions *out, struct am_err *err)
{
    *out = (struct am_predictions){.items = am_arena_array(arena, here->n + 1, sizeof(*out->items)),
                                   .n = here->n};
    if (!out->items || there->n != here->n)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", here->n);
    for (size_t i = 0; i < out->n; i++) {
        struct am_prediction *const p = &out->items[i];

        p->here = &here->items[i];
        p->there = &there->items[i];
        p->why_not = p->there->why_not ? p->there->why_not : too_many(p->there, machine, arena);
        expect(p);
        out->unexplained += p->why_not != NULL;
    }
    return AM_OK;
}
