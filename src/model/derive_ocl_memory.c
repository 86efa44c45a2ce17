/* SPDX-License-Identifier: MIT */
/* What ocl.global, ocl.local, ocl.cache, ocl.bus and ocl.scale show of a device's memory: rates,
 * the piece that one access moves, banks, caches, and how it compares with threads of the host. */
#include "fit/curve.h"
#include "model/derive.h"

#include <math.h>
#include <string.h>

enum { PARAMS_MAX = 4, PLACES_MAX = 64, WORD_BYTES = 4, CURVE_MIN = 4 };

/* A value reaches the best of its kind when it comes this close. */
static const double near_best = 0.97;
/* The same for times, which scatter more. */
static const double near_time = 1.1;
/* Strides whose price climbs less than this when they double have reached the end of the climb. */
static const double climbs = 1.41;
/* A climb follows the stride at least so closely, or something else is seen. */
static const double follows = 0.5;
/* Bandwidths of neighbouring levels of memory differ by more than this. */
static const double level_ratio = 1.3;

/* Which results are meant: of one bench and device, with these parameters. */
struct choice {
    const char *bench, *device, *metric;
    struct am_kv params[PARAMS_MAX]; /* ended by a key of NULL */
};

struct place {
    double x;
    const struct am_result *result;
    struct am_summary summary;
};

/* By rising x, each x once: its best result. */
struct sweep {
    struct place at[PLACES_MAX];
    size_t n;
};

static bool is_param(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

static bool fits(const struct am_result *r, const struct choice *c)
{
    if (strcmp(r->bench, c->bench) != 0 || (c->device && !is_param(r, "device", c->device)))
        return false;
    for (size_t i = 0; i < PARAMS_MAX && c->params[i].key; i++) {
        if (!is_param(r, c->params[i].key, c->params[i].value))
            return false;
    }
    return true;
}

/* Higher is better, or lower for times. */
static bool is_better(const struct choice *c, const struct am_summary *a,
                      const struct am_summary *b)
{
    return strcmp(c->metric, "time") == 0 ? a->median < b->median : a->median > b->median;
}

static struct place find_best(const struct am_result_set *set, const struct choice *c)
{
    struct place best = {.result = NULL};

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_summary s;

        if (fits(r, c) && !is_param(r, "stride", "0") && /* all touch one place: no memory */
            am_result_summary(r, c->metric, &s) && s.median > 0 &&
            (!best.result || is_better(c, &s, &best.summary)))
            best = (struct place){.result = r, .summary = s};
    }
    return best;
}

static void insert(struct sweep *sweep, const struct choice *c, const struct place *p)
{
    size_t i = sweep->n;

    for (size_t k = 0; k < sweep->n; k++) {
        if (fabs(sweep->at[k].x - p->x) < 0.5) {
            if (is_better(c, &p->summary, &sweep->at[k].summary))
                sweep->at[k] = *p;
            return;
        }
    }
    if (sweep->n == PLACES_MAX)
        return;
    for (; i > 0 && sweep->at[i - 1].x > p->x; i--)
        sweep->at[i] = sweep->at[i - 1];
    sweep->at[i] = *p;
    sweep->n++;
}

static struct sweep collect(const struct am_result_set *set, const struct choice *c,
                            const char *axis)
{
    struct sweep sweep = {.n = 0};

    for (size_t i = 0; i < set->n; i++) {
        struct place p = {.x = am_result_number(&set->results[i], axis),
                          .result = &set->results[i]};

        if (fits(p.result, c) && p.x >= 1 && am_result_summary(p.result, c->metric, &p.summary) &&
            p.summary.median > 0)
            insert(&sweep, c, &p);
    }
    return sweep;
}

static const struct place *find_place(const struct sweep *sweep, double x)
{
    for (size_t i = 0; i < sweep->n; i++) {
        if (fabs(sweep->at[i].x - x) < 0.5)
            return &sweep->at[i];
    }
    return NULL;
}

/* ---- rates ---- */

static void add_rate(const struct am_result_set *set, struct am_facts *facts,
                     const struct choice *c, const char *name, const char *what)
{
    const struct place best = find_best(set, c);

    if (!best.result)
        return;
    am_facts_offer(
        facts, (struct am_fact){
                   .id = am_arena_printf(facts->arena, "ocl.%s.%s", c->device, name),
                   .what = what,
                   .unit = "B/s",
                   .value = best.summary.median,
                   .ci = best.summary.ci,
                   .evidence = am_arena_printf(facts->arena, "%s %s", c->bench, best.result->text),
               });
}

static void add_rates(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    static const struct {
        const char *bench, *param, *value, *size, *name, *what;
    } rates[] = {
        {"ocl.global", "kernel", "read", "0", "global.read.peak", "device memory, reading"},
        {"ocl.global", "kernel", "write", "0", "global.write.peak", "device memory, writing"},
        {"ocl.local", "kernel", "read", NULL, "local.read.peak", "local memory, reading"},
        {"ocl.local", "kernel", "write", NULL, "local.write.peak", "local memory, writing"},
        {"ocl.bus", "direction", "h2d", NULL, "bus.h2d.peak", "from the host to the device"},
        {"ocl.bus", "direction", "d2h", NULL, "bus.d2h.peak", "from the device to the host"},
        {"ocl.bus", "direction", "d2d", NULL, "bus.d2d.peak", "copies inside the device"},
    };

    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        const struct choice c = {
            rates[i].bench,
            device,
            "bandwidth",
            {{rates[i].param, rates[i].value}, {rates[i].size ? "size" : NULL, rates[i].size}}};

        add_rate(set, facts, &c, rates[i].name, rates[i].what);
    }
}

/* ---- what one access moves ---- */

/* The narrowest vector that is as fast as any. */
static void add_width(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    const struct choice c = {
        "ocl.global", device, "bandwidth", {{"kernel", "read"}, {"stride", "1"}, {"size", "0"}}};
    const struct sweep widths = collect(set, &c, "width");
    size_t best = 0, i = 0;

    for (size_t k = 1; k < widths.n; k++)
        best = widths.at[k].summary.median > widths.at[best].summary.median ? k : best;
    if (widths.n < 2)
        return;
    while (widths.at[i].summary.median < near_best * widths.at[best].summary.median)
        i++;
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = am_arena_printf(facts->arena, "ocl.%s.global.read.width", device),
                       .what = "words of a vector that reads at full speed",
                       .unit = "",
                       .value = widths.at[i].x,
                       .ci = {i ? widths.at[i - 1].x + 1 : 1, widths.at[i].x, NAN},
                       .evidence = am_arena_printf(
                           facts->arena, "ocl.global stride=1: the narrowest within %.0f %% of %s",
                           100 * (1 - near_best), widths.at[best].result->text),
                   });
}

/* How much dearer an access is at this stride than at stride 1. What interferes only slows: the
 * best samples show the shape. */
static double price(const struct sweep *strides, const struct place *p)
{
    const struct place *const one = find_place(strides, 1);

    return one->summary.max / p->summary.max;
}

/* The power of two from which on doubling the stride costs little more; NULL when it is not seen,
 * or there was nothing to climb. */
static const struct place *find_knee(const struct sweep *strides)
{
    const struct place *p = find_place(strides, 1);

    while (p) {
        const struct place *next = NULL;

        for (double x = 2 * p->x; !next && x <= 1024; x *= 2)
            next = find_place(strides, x);
        if (!next)
            return NULL;
        if (price(strides, next) < climbs * price(strides, p))
            return p->x > 1 && price(strides, p) >= follows * p->x ? p : NULL;
        p = next;
    }
    return NULL;
}

/* The largest power of two below that was measured; 0: none. */
static double place_below(const struct sweep *strides, const struct place *p)
{
    for (double x = p->x / 2; x >= 1; x /= 2) {
        if (find_place(strides, x))
            return x;
    }
    return 0;
}

static void add_knee(struct am_facts *facts, const struct sweep *strides, const struct choice *c,
                     struct am_fact fact, double unit_size)
{
    const struct place *const knee = find_knee(strides);

    if (!knee)
        return;
    fact.value = knee->x * unit_size;
    fact.ci = (struct am_interval){(place_below(strides, knee) + 1) * unit_size, fact.value, NAN};
    fact.evidence = am_arena_printf(
        facts->arena, "%s: an access costs %.3g times that of stride 1 at stride %.0f, and %s",
        c->bench, price(strides, knee), knee->x, "little more at the next power of two");
    am_facts_offer(facts, fact);
}

/* Words at growing distance cost more until each of them is in a piece of its own. Of the shapes
 * whose neighbours lie a stride apart, the one that is not held up by something else tells. */
static void add_segment(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    static const char *const shapes[] = {"strided", "group", "single"};
    struct choice best = {.bench = NULL};
    struct sweep strides = {.n = 0};

    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const struct choice c = {
            "ocl.global",
            device,
            "bandwidth",
            {{"kernel", "read"}, {"shape", shapes[i]}, {"width", "1"}, {"size", "0"}}};
        const struct sweep s = collect(set, &c, "stride");
        const struct place *const one = find_place(&s, 1), *const old = find_place(&strides, 1);

        if (one && (!old || one->summary.max > old->summary.max)) {
            strides = s;
            best = c;
        }
    }
    if (!best.bench)
        return;
    add_knee(facts, &strides, &best,
             (struct am_fact){
                 .id = am_arena_printf(facts->arena, "ocl.%s.global.segment", device),
                 .what = "bytes that memory moves for one scattered word",
                 .unit = "B",
             },
             WORD_BYTES);
}

static void add_banks(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    const struct choice c = {
        "ocl.local", device, "bandwidth", {{"kernel", "read"}, {"width", "1"}}};
    const struct sweep strides = collect(set, &c, "stride");

    if (!find_place(&strides, 1))
        return;
    add_knee(facts, &strides, &c,
             (struct am_fact){
                 .id = am_arena_printf(facts->arena, "ocl.%s.local.banks", device),
                 .what = "banks of local memory, each a word wide",
                 .unit = "",
             },
             1);
}

/* At the most elements that work-items took in both orders. */
static void add_order(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    struct choice c = {
        "ocl.global", device, "bandwidth", {{"kernel", "read"}, {"shape", "row"}, {"size", "0"}}};
    const struct sweep rows = collect(set, &c, "stride");
    const struct place *row = NULL, *column = NULL;
    struct sweep columns;
    struct am_fact fact = {
        .id = am_arena_printf(facts->arena, "ocl.%s.global.column_over_row", device),
        .what = "columns over rows of a matrix, many elements a work-item",
        .unit = "",
    };

    c.params[1].value = "column";
    columns = collect(set, &c, "stride");
    for (size_t i = rows.n; i > 0 && !column; i--) {
        row = &rows.at[i - 1];
        column = row->x > 1 ? find_place(&columns, row->x) : NULL;
    }
    if (!column)
        return;
    am_fact_set_ratio(&fact, &column->summary, &row->summary);
    fact.evidence = am_arena_printf(facts->arena, "ocl.global %s over %s", column->result->text,
                                    row->result->text);
    am_facts_offer(facts, fact);
}

/* ---- caches ---- */

/* Time of a byte over working set, by the width that is fastest. */
static struct am_curve cache_curve(const struct am_result_set *set, const char *device,
                                   struct am_arena *arena)
{
    struct choice c = {"ocl.cache", device, "bandwidth", {{"kernel", "read"}}};
    const struct place best = find_best(set, &c);
    struct am_curve curve = {0};
    struct sweep sizes;

    if (!best.result)
        return curve;
    c.params[1] = (struct am_kv){"width", am_result_text(best.result, "width")};
    sizes = collect(set, &c, "size");
    for (size_t i = 0; i < sizes.n; i++) {
        const struct am_summary *const s = &sizes.at[i].summary;

        (void)am_curve_add(
            &curve, arena,
            (struct am_curve_point){sizes.at[i].x, 1 / s->p95, 1 / s->median, 1 / s->p5});
    }
    return curve;
}

static void add_caches(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    struct am_arena *const arena = facts->arena;
    struct am_curve curve = cache_curve(set, device, arena);
    struct am_plateaus levels;

    if (curve.n < CURVE_MIN || !am_curve_settle(&curve))
        return;
    levels = am_curve_plateaus(&curve, level_ratio);
    for (size_t i = 0; i + 1 < levels.n; i++) {
        const struct am_plateau *const p = &levels.items[i];
        const double above = levels.items[i + 1].level;
        struct am_fact size = {
            .id = am_arena_printf(arena, "ocl.%s.cache%zu.size", device, i + 1),
            .what = "working set that a level of the device's memory holds",
            .unit = "B",
            .evidence = am_arena_printf(arena, "ocl.cache: half way from %.3g to %.3g GB/s",
                                        1e-9 / p->level, 1e-9 / above),
        };

        if (am_curve_crossing(&curve, 0.5 * (p->level + above), AM_CURVE_BEST, &size.value,
                              &size.ci))
            am_facts_offer(facts, size);
        am_facts_offer(facts,
                       (struct am_fact){
                           .id = am_arena_printf(arena, "ocl.%s.cache%zu.bandwidth", device, i + 1),
                           .what = "reading from that level",
                           .unit = "B/s",
                           .value = 1 / p->typical,
                           .ci = {1 / p->hi, 1 / p->lo, NAN},
                           .evidence = "ocl.cache: the plateau below that size",
                       });
    }
}

/* ---- scaling ---- */

static void add_scaling(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    const struct choice c = {"ocl.scale", device, "time", {{"backend", "opencl"}}};
    const struct sweep items = collect(set, &c, "items");
    const struct place best = find_best(set, &c);
    size_t i = 0;

    if (items.n < 2 || !best.result)
        return;
    while (items.at[i].summary.median > near_time * best.summary.median)
        i++;
    am_facts_offer(facts, (struct am_fact){
                              .id = am_arena_printf(facts->arena, "ocl.%s.scale.items", device),
                              .what = "work-items that a vector addition needs",
                              .unit = "",
                              .value = items.at[i].x,
                              .ci = {i ? items.at[i - 1].x + 1 : 1, items.at[i].x, NAN},
                              .evidence = am_arena_printf(
                                  facts->arena, "the fewest within %.0f %% of ocl.scale %s",
                                  100 * (near_time - 1), best.result->text),
                          });
}

static bool is_cpu(const struct am_result *r)
{
    const char *const kind = am_kvs_get(&r->notes, "device_kind");

    return kind && strcmp(kind, "cpu") == 0;
}

/* On a CPU: what OpenCL costs, or gives. On others: what the device gives. */
static void add_native(const struct am_result_set *set, struct am_facts *facts, const char *device)
{
    const struct choice here = {"ocl.scale", device, "time", {{"backend", "opencl"}}};
    const struct place ours = find_best(set, &here);
    struct place native = {.result = NULL};
    struct am_fact fact = {.what = "speed of a vector addition over that of the host's threads",
                           .unit = ""};

    for (size_t i = 0; i < 2; i++) {
        const struct choice there = {
            "ocl.scale", NULL, "time", {{"backend", i ? "openmp" : "pthread"}}};
        const struct place p = find_best(set, &there);

        if (p.result && (!native.result || is_better(&there, &p.summary, &native.summary)))
            native = p;
    }
    if (!ours.result || !native.result ||
        !is_param(ours.result, "size", am_result_text(native.result, "size")))
        return;
    fact.id = am_arena_printf(facts->arena, "ocl.%s.scale.%s", device,
                              is_cpu(ours.result) ? "native_ratio" : "over_host");
    am_fact_set_ratio(&fact, &native.summary, &ours.summary);
    fact.evidence = am_arena_printf(facts->arena, "ocl.scale %s over %s", native.result->text,
                                    ours.result->text);
    am_facts_offer(facts, fact);
}

/* The best of native code, of any number of threads, as am_derive_bandwidth() found it. */
static const struct am_fact *find_native_rate(const struct am_facts *facts, const char *kernel)
{
    const char *const stem = am_arena_printf(facts->arena, "memory.bandwidth.%s", kernel);
    const struct am_fact *best = NULL;

    for (size_t i = 0; stem && i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];

        if (strncmp(f->id, stem, strlen(stem)) == 0 && strcmp(f->unit, "B/s") == 0 &&
            (!best || f->value > best->value))
            best = f;
    }
    return best;
}

static void add_native_rates(const struct am_result_set *set, struct am_facts *facts,
                             const char *device)
{
    static const char *const kernels[] = {"read", "write"};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const struct choice c = {
            "ocl.global", device, "bandwidth", {{"kernel", kernels[i]}, {"size", "0"}}};
        const struct place ours = find_best(set, &c);
        const struct am_fact *const native = find_native_rate(facts, kernels[i]);
        struct am_fact fact = {.what = "OpenCL over native code on the same CPUs", .unit = ""};

        if (!ours.result || !native || !is_cpu(ours.result))
            continue;
        fact.id =
            am_arena_printf(facts->arena, "ocl.%s.global.%s.native_ratio", device, kernels[i]);
        am_fact_set_ratio(&fact, &ours.summary,
                          &(struct am_summary){.median = native->value, .ci = native->ci});
        fact.evidence =
            am_arena_printf(facts->arena, "ocl.global %s over %s", ours.result->text, native->id);
        am_facts_offer(facts, fact);
    }
}

/* ---- all of it, a device at a time ---- */

static const char *device_of(const struct am_result *r)
{
    static const char *const benches[] = {"ocl.global", "ocl.local", "ocl.cache", "ocl.bus"};
    const char *const device = am_result_text(r, "device");

    if (strcmp(r->bench, "ocl.scale") == 0)
        return is_param(r, "backend", "opencl") ? device : NULL;
    for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
        if (strcmp(r->bench, benches[i]) == 0)
            return device;
    }
    return NULL;
}

static bool is_first(const struct am_result_set *set, size_t i, const char *device)
{
    for (size_t k = 0; k < i; k++) {
        const char *const before = device_of(&set->results[k]);

        if (before && strcmp(before, device) == 0)
            return false;
    }
    return true;
}

void am_derive_ocl_memory(const struct am_result_set *set, struct am_facts *facts)
{
    static void (*const parts[])(const struct am_result_set *, struct am_facts *, const char *) = {
        add_rates,  add_width,   add_segment, add_order,        add_banks,
        add_caches, add_scaling, add_native,  add_native_rates,
    };

    for (size_t i = 0; i < set->n; i++) {
        const char *const device = device_of(&set->results[i]);

        if (!device || !is_first(set, i, device))
            continue;
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            parts[k](set, facts, device);
    }
}
