/* SPDX-License-Identifier: MIT */
/* Standards of known latency: found, judged, told. */
#include "evidence/standards.h"

#include "topo/uarch.h"

#include <math.h>

static bool holds(const struct am_interval *ci, unsigned known)
{
    if (known)
        return ci->lo <= known && known <= ci->hi;
    return fmax(1, ceil(ci->lo)) <= floor(ci->hi);
}

bool am_standard_of(const struct am_result_set *set, const struct am_result *result,
                    struct am_standard *out)
{
    const struct am_result_metric *const m = am_result_metric(result, NULL);

    if (!m || !m->systematic.standard || result->n_params == 0)
        return false;
    *out = (struct am_standard){.result = result,
                                .metric = m,
                                .known = am_uarch_cycles(&set->machine, result->params[0].text)};
    out->judged = m->grading.grade != AM_GRADE_C;
    out->missed = out->judged && !holds(&m->summary.ci, out->known);
    return true;
}

size_t am_standards_missed(const struct am_result_set *set)
{
    struct am_standard standard;
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++)
        n += am_standard_of(set, &set->results[i], &standard) && standard.missed;
    return n;
}

static const char *known_text(const struct am_result_set *set, const struct am_standard *s,
                              struct am_arena *arena)
{
    return s->known ? am_arena_printf(arena, "the %u of %s", s->known, am_uarch_name(&set->machine))
                    : "a whole number";
}

const char *am_standards_tell(const struct am_result_set *set, struct am_arena *arena)
{
    const char *list = NULL;

    for (size_t i = 0; i < set->n; i++) {
        struct am_standard s;

        if (!am_standard_of(set, &set->results[i], &s) || !s.missed)
            continue;
        list = am_arena_printf(arena, "%s%s%s took %.3g to %.3g cycles, not %s", list ? list : "",
                               list ? "; " : "", s.result->params[0].text, s.metric->summary.ci.lo,
                               s.metric->summary.ci.hi, known_text(set, &s, arena));
    }
    return list;
}
