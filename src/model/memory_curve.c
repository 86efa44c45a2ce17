/* SPDX-License-Identifier: MIT */
/* Curves over the size of a problem: main memory in the time of applications. */
#include "model/memory_curve.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 64 };

/* Benches, and what tells curves of one apart. */
static const char *const benches[] = {"app.blackscholes", "app.fft", "app.gemm"};
static const char *const apart[] = {"type", "isa", "nx", "variant"};

static bool is_point(const struct am_result *r)
{
    struct am_summary s;
    size_t i = 0;

    while (i < sizeof(benches) / sizeof(benches[0]) && strcmp(r->bench, benches[i]) != 0)
        i++;
    return i < sizeof(benches) / sizeof(benches[0]) && am_result_number(r, "threads") == 1 &&
           am_result_number(r, "n") >= 1 && r->work.flops > 0 && am_result_summary(r, "flops", &s);
}

static bool alike(const struct am_result *a, const struct am_result *b)
{
    if (strcmp(a->bench, b->bench) != 0)
        return false;
    for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
        const char *const x = am_result_text(a, apart[i]), *const y = am_result_text(b, apart[i]);

        if ((x || y) && (!x || !y || strcmp(x, y) != 0))
            return false;
    }
    return true;
}

static double flops_of(const struct am_result *r)
{
    struct am_summary s = {0};

    return am_result_summary(r, "flops", &s) ? s.median : NAN;
}

double am_memory_overhead(double latency, double ratio, double pmax)
{
    return latency * ratio / (1 / pmax + latency * ratio);
}

/* Bytes of the last cache: as measured, else as claimed; 0 when nobody tells. */
static double last_cache(const struct am_result_set *set, const struct am_facts *facts)
{
    const double measured = am_facts_value(facts, "memory.size", "level=l3");
    const char *const claimed = am_kvs_get(&set->machine, "l3_bytes");
    double bytes = 0;

    if (isfinite(measured))
        return measured;
    return claimed && am_parse_f64(claimed, strlen(claimed), &bytes) ? bytes : 0;
}

/* Of one size the fastest counts; what counters say is kept whoever was fastest. */
static void insert(struct am_memory_curve *c, const struct am_result *r, double cache)
{
    struct am_summary counted;
    const bool has_count = am_result_summary(r, "accesses_per_flop:memory", &counted);
    struct am_memory_point p = {
        .result = r, .bytes = r->work.bytes_read + r->work.bytes_written, .flops = flops_of(r)};
    size_t at = 0;

    p.ratio = has_count         ? counted.median
              : p.bytes > cache ? p.bytes / LINE_BYTES / r->work.flops
                                : 0;
    c->counted = c->counted || has_count;
    while (at < c->n && c->points[at].bytes < p.bytes)
        at++;
    if (at < c->n && c->points[at].bytes <= p.bytes) {
        if (p.flops > c->points[at].flops)
            c->points[at] = p;
        return;
    }
    memmove(&c->points[at + 1], &c->points[at], (c->n - at) * sizeof(*c->points));
    c->points[at] = p;
    c->n++;
}

static void conclude(struct am_memory_curve *c, const struct am_fact *latency)
{
    for (size_t i = 0; i < c->n; i++)
        c->pmax = fmax(c->pmax, c->points[i].flops);
    for (size_t i = 0; i < c->n; i++) {
        struct am_memory_point *const p = &c->points[i];

        p->observed = 1 - p->flops / c->pmax;
        p->predicted = latency ? am_memory_overhead(latency->value, p->ratio, c->pmax) : NAN;
    }
}

static bool gather(const struct am_result_set *set, size_t first, bool *used, double cache,
                   struct am_arena *arena, struct am_memory_curve *c)
{
    size_t most = 0;

    c->head = &set->results[first];
    for (size_t i = first; i < set->n; i++)
        most += !used[i] && is_point(&set->results[i]) && alike(c->head, &set->results[i]);
    c->points = am_arena_array(arena, most + 1, sizeof(*c->points));
    for (size_t i = first; c->points && i < set->n; i++) {
        if (used[i] || !is_point(&set->results[i]) || !alike(c->head, &set->results[i]))
            continue;
        used[i] = true;
        insert(c, &set->results[i], cache);
    }
    return c->points;
}

void am_memory_curves_make(const struct am_result_set *set, const struct am_facts *facts,
                           struct am_arena *arena, struct am_memory_curves *out)
{
    const double cache = last_cache(set, facts);
    bool *const used = am_arena_array(arena, set->n + 1, sizeof(*used));

    *out = (struct am_memory_curves){
        .items = am_arena_array(arena, set->n + 1, sizeof(struct am_memory_curve))};
    for (size_t i = 0; used && out->items && i < set->n; i++) {
        struct am_memory_curve *const c = &out->items[out->n];

        if (used[i] || !is_point(&set->results[i]))
            continue;
        *c = (struct am_memory_curve){0};
        if (!gather(set, i, used, cache, arena, c))
            return;
        conclude(c, am_facts_only(facts, "memory.latency", "level=memory"));
        out->n += c->n > 1;
    }
}
