/* SPDX-License-Identifier: MIT */
/* Made-up facts and what is said of them, for tests of families and of what is made of facts. */
#ifndef AM_TESTS_FACT_FIXTURE_H
#define AM_TESTS_FACT_FIXTURE_H

#include "family/family.h"
#include "result_fixture.h"

/* Offers a fact "family.name" within a hundredth and of grade A, unless it is changed afterwards.
 * `labels` is written as points are: "level=l2 threads=4". Returns it, until the next is offered.
 */
static inline struct am_fact *fx_fact(struct am_facts *facts, const char *name, const char *labels,
                                      const char *unit, double value)
{
    const char *const dot = strchr(name, '.');
    struct am_result like = {0};
    struct am_fact fact = {.name = dot + 1,
                           .what = "made up",
                           .unit = unit,
                           .value = value,
                           .ci = {0.99 * value, 1.01 * value, 0.95},
                           .evidence = "made up"};

    rx_params(facts->arena, &like, labels, AM_FACT_LABELS_MAX);
    for (; fact.n_labels < like.n_params; fact.n_labels++)
        fact.labels[fact.n_labels] = like.params[fact.n_labels];
    facts->family = am_arena_strndup(facts->arena, name, (size_t)(dot - name));
    am_facts_offer(facts, fact);
    return &facts->items[facts->n - 1];
}

/* What the rule of the family says of the facts; "" when it says nothing. */
static inline const char *fx_said(const struct am_family *family, const char *rule,
                                  const struct am_facts *facts)
{
    for (const struct am_guideline_rule *r = family->guidelines; r->id; r++) {
        struct am_guideline line = {0};

        if (strcmp(r->id, rule) == 0 && r->say(facts, facts->arena, &line))
            return line.text && line.evidence && strncmp(line.command, "run ", 4) == 0
                       ? line.text
                       : "incomplete";
    }
    return "";
}

#endif
