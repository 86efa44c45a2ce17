/* SPDX-License-Identifier: MIT */
/* Machine models against each other, fact by fact.
 *
 * Facts are paired by family, name and labels; those of all threads with each other, where machines
 * have different numbers of them. Each pair is judged by what the models keep of their
 * evidence: value, interval, coverage and number of launches (core/stats/estimate.h), with Holm
 * over all pairs and the same rule as for rows of a comparison (model/verdict.h). Facts whose
 * interval is no statistic (neighbours of a sweep, exact counts) are judged by their bounds and
 * never without a question mark. Whether a larger value is better is not asked: a fact says what a
 * machine is. */
#ifndef AM_MODEL_DIFFER_H
#define AM_MODEL_DIFFER_H

#include "model/compare.h"
#include "model/machine.h"

struct am_difference {
    size_t model;               /* whose value is `fact` */
    const struct am_fact *base; /* of the first model, or of another one when `others` is set */
    const struct am_fact *fact;
    size_t others;  /* nodes: so many others together are what it is held against; else 0 */
    double against; /* value that it is held against */
    double ratio;   /* fact over against; NAN where one is not above zero */
    double lo, hi;  /* of the ratio, 95 % or by bounds */
    bool by_bounds;
    struct am_change change;
    double p; /* adjusted over all pairs; NAN by bounds */
    enum am_verdict verdict;
};

struct am_differences {
    const struct am_machine_models *models;
    struct am_difference *rows; /* model by model, facts in their order */
    size_t n, n_judged;         /* judged: those over which p is adjusted */
    size_t count[AM_VERDICT_COUNT];
    size_t missing; /* facts that only one of the models of a pair has */
    double delta, level;
};

/* "different", "different?", "suspect", "same", "undecided". */
const char *am_difference_word(enum am_verdict verdict);
/* Whether the row says that the machines differ, or may. */
bool am_difference_is_one(const struct am_difference *row);

/* Every model against the first. */
enum am_status am_models_differ(const struct am_machine_models *models,
                                const struct am_compare_settings *settings, struct am_arena *arena,
                                struct am_differences *out, struct am_err *err);

/* The machines of one merged file: each against all others together. Two are compared with each
 * other. Where three others or more show how much machines differ among themselves, "different"
 * needs no question mark. */
enum am_status am_nodes_differ(const struct am_machine_models *models,
                               const struct am_compare_settings *settings, struct am_arena *arena,
                               struct am_differences *out, struct am_err *err);

#endif
