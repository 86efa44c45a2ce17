/* SPDX-License-Identifier: MIT */
/* Several results of one run against each other. */
#include "model/among.h"

#include "evidence/evidence.h"

enum am_status am_compare_among(const struct am_result *const *results, size_t n,
                                const struct am_compare_settings *settings, struct am_arena *arena,
                                struct am_comparison *out, struct am_err *err)
{
    const size_t pairs = n * (n > 0 ? n - 1 : 0) / 2;

    *out = (struct am_comparison){.basis = settings->basis};
    out->rows = am_arena_array(arena, pairs + 1, sizeof(*out->rows));
    if (!out->rows)
        return am_fail(err, AM_E_NOMEM, "no memory to compare %zu results", n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            const struct am_result_metric *const a = am_result_metric(results[i], NULL);
            const struct am_result_metric *const b = am_result_metric(results[k], NULL);

            if (a && b)
                out->rows[out->n++] = (struct am_comparison_row){
                    .a = results[i], .b = results[k], .metric_a = a, .metric_b = b};
        }
    }
    return am_verdicts_judge(settings, out, err);
}
