/* SPDX-License-Identifier: MIT */
/* Facts of a run: the table of derivers, and what they share. */
#include "model/facts.h"

#include "base/text.h"
#include "family/family.h"
#include "model/derive.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

/* One row a deriver. A later one may look at the facts of those before it. */
static am_old_derive_fn *const derivers[] = {
    am_derive_task,
    am_derive_task_memory,
};

bool am_facts_add(struct am_facts *facts, const struct am_fact *fact)
{
    if (facts->n == facts->cap) {
        const size_t cap = facts->cap ? 2 * facts->cap : 32;
        struct am_fact *const items = am_arena_array(facts->arena, cap, sizeof(*items));

        if (!items)
            return false;
        if (facts->n)
            memcpy(items, facts->items, facts->n * sizeof(*items));
        facts->items = items;
        facts->cap = cap;
    }
    facts->items[facts->n] = *fact;
    facts->items[facts->n].family = fact->family ? fact->family : "";
    facts->items[facts->n].name = fact->name ? fact->name : fact->id;
    facts->n++;
    return true;
}

const struct am_fact *am_facts_find(const struct am_facts *facts, const char *id)
{
    for (size_t i = 0; i < facts->n; i++) {
        if (strcmp(facts->items[i].id, id) == 0)
            return &facts->items[i];
    }
    return NULL;
}

void am_fact_set_ratio(struct am_fact *fact, const struct am_summary *over,
                       const struct am_summary *under)
{
    fact->value = over->median / under->median;
    fact->ci = (struct am_interval){over->ci.lo / under->ci.hi, over->ci.hi / under->ci.lo,
                                    fmax(over->ci.coverage + under->ci.coverage - 1, 0)};
}

void am_facts_derive(const struct am_result_set *set, struct am_arena *arena,
                     struct am_facts *facts)
{
    set = am_nodes_first(set, arena);
    am_families_derive(set, arena, facts);
    facts->family = NULL;
    for (size_t i = 0; i < sizeof(derivers) / sizeof(derivers[0]); i++)
        derivers[i](set, facts);
}

bool am_result_summary(const struct am_result *result, const char *metric, struct am_summary *out)
{
    if (result->state != AM_POINT_OK)
        return false;
    for (size_t i = 0; i < result->n_metrics; i++) {
        if (strcmp(result->metrics[i].name, metric) == 0)
            return am_summarise(&result->metrics[i].series, out);
    }
    return false;
}
