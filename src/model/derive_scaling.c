/* SPDX-License-Identifier: MIT */
/* What several threads have over one: the speed-up of every rate that was measured with both, and
 * how many cores the arithmetic shows. Looks at facts, not at results. */
#include "model/derive.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const char mark[] = ".threads";
/* As much of the cores' arithmetic is missing before the claim is denied: two threads of one core
 * have half of it each, a clock that falls under load costs a few tenths. */
static const double missing = 0.7;

enum { ID_MAX = 160 };

/* An id with ".threadsN" in it, taken apart. */
struct several {
    char one[ID_MAX]; /* the same without it */
    double threads;
};

static bool take_apart(const char *id, struct several *out)
{
    const char *const at = strstr(id, mark), *const digits = at ? at + sizeof(mark) - 1 : NULL;
    const size_t n = digits ? strspn(digits, "0123456789") : 0;

    if (n == 0 || !am_parse_f64(digits, n, &out->threads) || out->threads < 2)
        return false;
    return am_str_format(out->one, sizeof(out->one), "%.*s%s", (int)(at - id), id, digits + n);
}

/* True when more threads of the same rate were measured. */
static bool is_topped(const struct am_facts *facts, size_t n, const struct several *s)
{
    struct several other;

    for (size_t i = 0; i < n; i++) {
        if (take_apart(facts->items[i].id, &other) && strcmp(other.one, s->one) == 0 &&
            other.threads > s->threads)
            return true;
    }
    return false;
}

static bool is_rate(const struct am_fact *f)
{
    return strcmp(f->unit, "flop/s") == 0 || strcmp(f->unit, "B/s") == 0;
}

static bool is_peak(const char *id)
{
    return strncmp(id, "cpu.flops.", sizeof("cpu.flops.") - 1) == 0;
}

/* The most that several threads had over one of them. */
struct best {
    double ratio, threads;
    struct am_interval ci;
    const char *evidence;
};

static void add_speedup(struct am_facts *facts, const struct several *s, struct am_fact many,
                        struct am_fact one, struct best *best)
{
    const struct am_fact fact = {
        .id = am_arena_printf(facts->arena, "scaling.%s", s->one),
        .what = am_arena_printf(facts->arena, "rate of %.0f threads over that of one", s->threads),
        .unit = "",
        .value = many.value / one.value,
        .ci = {many.ci.lo / one.ci.hi, many.ci.hi / one.ci.lo,
               fmax(many.ci.coverage + one.ci.coverage - 1, 0)},
        .evidence = am_arena_printf(facts->arena, "%s over %s", many.id, one.id),
    };

    am_facts_offer(facts, fact);
    if (is_peak(s->one) && fact.value > best->ratio)
        *best = (struct best){fact.value, s->threads, fact.ci, fact.evidence};
}

/* Threads of one core share its arithmetic: as many cores as the speed-up shows are there. */
static void add_cores(const struct am_result_set *set, struct am_facts *facts,
                      const struct best *best)
{
    const char *const text = am_kvs_get(&set->machine, "cores");
    double claimed = 0;
    struct am_fact fact = {
        .id = "cpu.cores.effective",
        .what = "cores by their arithmetic: speed-up of as many threads as there are",
        .unit = "",
        .value = best->ratio,
        .ci = best->ci,
        .evidence = best->evidence,
    };

    if (!text || !am_parse_f64(text, strlen(text), &claimed) || best->threads < claimed)
        return; /* fewer threads than cores say nothing of their number */
    fact.claimed = am_arena_printf(facts->arena, "%.0f cores", claimed);
    fact.contradicts = fact.ci.hi < missing * claimed;
    am_facts_offer(facts, fact);
}

void am_derive_scaling(const struct am_result_set *set, struct am_facts *facts)
{
    const size_t n = facts->n; /* those added here are not looked at */
    struct best best = {0};

    for (size_t i = 0; i < n; i++) {
        const struct am_fact many = facts->items[i]; /* a copy: adding moves them */
        const struct am_fact *one;
        struct several s;

        if (!is_rate(&many) || !take_apart(many.id, &s) || is_topped(facts, n, &s))
            continue;
        one = am_facts_find(facts, s.one);
        if (one)
            add_speedup(facts, &s, many, *one, &best);
    }
    if (best.ratio > 0)
        add_cores(set, facts, &best);
}
