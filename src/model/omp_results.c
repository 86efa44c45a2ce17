/* SPDX-License-Identifier: MIT */
/* Results of the OpenMP benches as their derivers choose them. */
#include "model/omp_results.h"

#include <string.h>

bool am_omp_result_is(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

bool am_omp_result_usual(const struct am_result *r, const char *bench)
{
    return strcmp(r->bench, bench) == 0 && am_result_text(r, "runtime") &&
           am_omp_result_is(r, "binding", "close") && am_omp_result_is(r, "wait", "default");
}

bool am_omp_result_same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const x = am_result_text(a, param);

    return x && am_omp_result_is(b, param, x);
}

bool am_omp_result_widest(const struct am_result_set *set, const struct am_result *r,
                          const char *what)
{
    const double threads = am_result_number(r, "threads");

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const other = &set->results[i];
        struct am_summary s;

        if (am_omp_result_usual(other, r->bench) && am_omp_result_same(other, r, "runtime") &&
            am_omp_result_same(other, r, what) && am_result_number(other, "threads") > threads &&
            am_result_summary(other, "overhead", &s))
            return false;
    }
    return true;
}

const char *am_omp_result_words(const struct am_facts *facts, const struct am_result *r)
{
    return am_arena_printf(facts->arena, "%s %s", r->bench, r->text);
}
