/* SPDX-License-Identifier: MIT */
/* Made-up results for the tests of facts: parameters from the text of a point. */
#ifndef AM_TESTS_RESULT_FIXTURE_H
#define AM_TESTS_RESULT_FIXTURE_H

#include "base/arena.h"
#include "evidence/evidence.h"
#include "store/store.h"

#include <stdbool.h>
#include <string.h>

/* Gives `r` the parameters that `text` names ("size=4096 pages=any"), `max` at the most: numbers
 * are sizes, everything else names. */
static inline void rx_params(struct am_arena *arena, struct am_result *r, const char *text,
                             size_t max)
{
    r->params = am_arena_array(arena, max, sizeof(*r->params));
    for (const char *p = text; *p && r->n_params < max; p += strspn(p, " ")) {
        const size_t name = strcspn(p, "="), value = strcspn(p + name + 1, " ");
        const bool number = p[name + 1] >= '0' && p[name + 1] <= '9';

        r->params[r->n_params++] = (struct am_result_param){
            am_arena_strndup(arena, p, name), number ? AM_AXIS_SIZE : AM_AXIS_NAME,
            am_arena_strndup(arena, p + name + 1, value)};
        p += name + 1 + value;
    }
}

/* A run made by hand. Zero-initialise; am_arena_fini(&run.arena) frees it. */
enum { RX_RESULTS_MAX = 512, RX_LAUNCHES = 6, RX_PARAMS_MAX = 16 };

struct rx_run {
    struct am_arena arena;
    struct am_result_set set;
};

struct rx_metric {
    const char *name, *unit;
    double value; /* in every launch, a thousandth more in the last */
};

static inline void rx_metric_put(struct rx_run *run, struct am_result_metric *out,
                                 const struct rx_metric *metric)
{
    double *const values = am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*launches));

    for (size_t i = 0; i < RX_LAUNCHES; i++) {
        values[i] = metric->value * (i + 1 < RX_LAUNCHES ? 1 : 1.001);
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1};
    }
    *out =
        (struct am_result_metric){.name = metric->name,
                                  .unit = metric->unit,
                                  .better = strcmp(metric->unit, "s") == 0 ? AM_LOWER : AM_HIGHER,
                                  .series = {.launches = launches, .n = RX_LAUNCHES}};
}

/* Adds a result with up to three metrics, ended by a name of NULL; memory is never refused here. */
/* At most so many metrics, or up to one without a name. */
static inline struct am_result *rx_add_some(struct rx_run *run, const char *bench, const char *text,
                                            const struct rx_metric *metrics, size_t most)
{
    struct am_result *r;

    if (!run->set.results)
        run->set.results = am_arena_array(&run->arena, RX_RESULTS_MAX, sizeof(*run->set.results));
    r = &run->set.results[run->set.n++];
    *r = (struct am_result){.bench = bench,
                            .worker = "cpu",
                            .version = 1,
                            .text = am_arena_strdup(&run->arena, text),
                            .state = AM_POINT_OK};
    rx_params(&run->arena, r, text, RX_PARAMS_MAX);
    r->metrics = am_arena_array(&run->arena, most, sizeof(*r->metrics));
    for (; r->n_metrics < most && metrics[r->n_metrics].name; r->n_metrics++)
        rx_metric_put(run, &r->metrics[r->n_metrics], &metrics[r->n_metrics]);
    return r;
}

static inline struct am_result *rx_add(struct rx_run *run, const char *bench, const char *text,
                                       const struct rx_metric *metrics)
{
    return rx_add_some(run, bench, text, metrics, 3);
}

#endif
