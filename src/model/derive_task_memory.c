/* SPDX-License-Identifier: MIT */
/* What going to main memory costs applications on one thread: at their largest problem. */
#include "model/derive.h"
#include "model/memory_curve.h"

#include <math.h>
#include <string.h>

/* "blackscholes.f32.avx512.own": the words that there are. */
static const char *id_of(struct am_arena *arena, const struct am_result *r)
{
    static const char *const words[] = {"type", "isa", "nx", "variant"};
    const char *id = strncmp(r->bench, "app.", 4) == 0 ? r->bench + 4 : r->bench;

    for (size_t i = 0; id && i < sizeof(words) / sizeof(words[0]); i++) {
        const char *const word = am_result_text(r, words[i]);

        if (word)
            id = am_arena_printf(arena, "%s.%s", id, word);
    }
    return id;
}

static void offer(struct am_facts *facts, const struct am_memory_curve *c, const char *name,
                  const char *what, const char *unit, double value)
{
    const struct am_memory_point *const p = &c->points[c->n - 1];
    const char *const id = id_of(facts->arena, c->head);

    if (!id)
        return;
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = am_arena_printf(facts->arena, "%s.%s", id, name),
                       .what = what,
                       .unit = unit,
                       .value = value,
                       .ci = {value, value, NAN},
                       .evidence = am_arena_printf(
                           facts->arena, "%s n=%s, one thread; accesses by %s, against the best n",
                           p->result->bench, am_result_text(p->result, "n"),
                           c->counted ? "counters" : "bytes beyond the last cache"),
                   });
}

void am_derive_task_memory(const struct am_result_set *set, struct am_facts *facts)
{
    struct am_memory_curves curves;

    am_memory_curves_make(set, facts, facts->arena, &curves);
    for (size_t i = 0; i < curves.n; i++) {
        const struct am_memory_curve *const c = &curves.items[i];
        const struct am_memory_point *const p = &c->points[c->n - 1];

        offer(facts, c, "rm", "lines of main memory an operation (thesis 7.1.2)", "1/flop",
              p->ratio);
        if (!(p->ratio > 0))
            continue; /* whatever slows it down is not memory */
        offer(facts, c, "memory_overhead", "share of the time that waits for memory, predicted", "",
              p->predicted);
        offer(facts, c, "memory_overhead.observed", "share of the best speed that is missing", "",
              p->observed);
    }
}
