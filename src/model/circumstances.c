/* SPDX-License-Identifier: MIT */
/* Differences of two runs beside their numbers, and signs that the machine changed. */
#include "model/circumstances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* When rows are said to have moved together: so many rows, so many of them to one side. */
enum { SHIFT_ROWS = 8 };
static const double shift_one_sided = 0.75, suspects_many = 0.2;

/* ---- what differs ---- */

/* Facts that differ from minute to minute and say nothing about what was compared. */
static bool is_fleeting(const char *key)
{
    static const char *const keys[] = {
        "load", "steal_share", "memory_available_bytes", "swap_free_bytes",
        /* where the code of own benches lay, whose fingerprint (own.code) is told */
        "env.ARCHMETER_OWN", "library.own.bench.so",
        /* where programs find their description, which the settings have */
        "env.ARCHMETER_EXPERIMENT", "env.ARCHMETER_EXPERIMENT_LEDGER"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i], key) == 0)
            return true;
    }
    return false;
}

static void add_difference(struct am_kvs *out, struct am_arena *arena, const char *key,
                           const char *a, const char *b)
{
    if (strcmp(a, b) == 0 || is_fleeting(key))
        return;
    if (strchr(a, '\n') || strchr(b, '\n')) /* a source text: both files have it */
        am_kvs_addf(out, arena, key, "%zu bytes | %zu bytes", strlen(a), strlen(b));
    else
        am_kvs_addf(out, arena, key, "%s | %s", a, b);
}

static void add_differences(const struct am_kvs *a, const struct am_kvs *b, struct am_arena *arena,
                            struct am_kvs *out)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *other = am_kvs_get(b, a->items[i].key);

        add_difference(out, arena, a->items[i].key, a->items[i].value, other ? other : "(none)");
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!am_kvs_get(a, b->items[i].key))
            add_difference(out, arena, b->items[i].key, "(none)", b->items[i].value);
    }
}

/* ---- remarks ---- */

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

bool am_machine_same(const struct am_kvs *a, const struct am_kvs *b)
{
    const char *const x = am_kvs_get(a, "key"), *const y = am_kvs_get(b, "key");

    return x && y && strcmp(x, y) == 0;
}

bool am_run_same(const struct am_run_info *a, const struct am_run_info *b)
{
    return same_text(a->started, b->started) && same_text(a->command, b->command) &&
           a->settings.seed == b->settings.seed;
}

static bool differ(const struct am_kvs *a, const struct am_kvs *b, const char *key)
{
    const char *const va = am_kvs_get(a, key), *const vb = am_kvs_get(b, key);

    return va && vb && strcmp(va, vb) != 0;
}

/* The keys of the build that differ, "" when none does; those of workers by the worker's name. */
static const char *build_differences(const struct am_kvs *a, const struct am_kvs *b,
                                     struct am_arena *arena)
{
    static const char worker[] = "worker.";
    const size_t prefix = sizeof(worker) - 1;
    const char *all = "";

    for (size_t i = 0; all && i < a->n; i++) {
        const char *const key = a->items[i].key;
        const bool of_worker = strncmp(key, worker, prefix) == 0;

        if (differ(a, b, key))
            all = am_arena_printf(arena, "%s%s%s%s", all, *all ? ", " : "",
                                  of_worker ? "program of worker " : "",
                                  of_worker ? key + prefix : key);
    }
    return all ? all : "";
}

static void remark_origin(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_kvs *out)
{
    const char *const build = build_differences(&a->build, &b->build, arena);

    if (settings->basis == AM_BASIS_ONE_RUN && am_run_same(&a->run, &b->run))
        am_kvs_add(out, arena, "same_run",
                   "A and B are one run (or copies of it): what differs was changed in the file");
    if (differ(&a->machine, &b->machine, "key"))
        am_kvs_add(out, arena, "machine", "A and B were measured on different machines");
    if (*build)
        am_kvs_addf(out, arena, "build",
                    "A and B were measured by different builds of archmeter: %s", build);
    if (a->run.synthetic || b->run.synthetic)
        am_kvs_addf(out, arena, "synthetic", "%s of a simulated machine",
                    a->run.synthetic && b->run.synthetic ? "A and B are"
                    : a->run.synthetic                   ? "A is"
                                                         : "B is");
}

static const struct am_finding *finding_of(const struct am_findings *all, const char *id)
{
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->items[i].id, id) == 0)
            return &all->items[i];
    }
    return NULL;
}

static bool is_trouble(const struct am_finding *f)
{
    return f->level == AM_LEVEL_WARN || f->level == AM_LEVEL_ERROR;
}

/* The first number of a text; NAN when it has none. */
static double first_number(const char *text)
{
    char *end;

    text += strcspn(text, "0123456789");
    return *text ? strtod(text, &end) : NAN;
}

/* Other by enough that a reader should know: by words, or by more than a quarter in the number. */
static bool is_other(const struct am_finding *a, const struct am_finding *b)
{
    const double x = first_number(a->value), y = first_number(b->value);

    if (a->level != b->level)
        return true;
    if (isnan(x) || isnan(y))
        return strcmp(a->value, b->value) != 0;
    return fabs(x - y) > 0.25 * fmax(x, y);
}

/* What doctor warned of on one side, or of another degree on both. */
static void remark_findings(const struct am_findings *a, const struct am_findings *b,
                            struct am_arena *arena, struct am_kvs *out)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct am_finding *const fa = &a->items[i], *const fb = finding_of(b, fa->id);

        if (fb && (is_trouble(fa) || is_trouble(fb)) && is_other(fa, fb))
            am_kvs_addf(out, arena, fa->id, "%s in A: %s; in B: %s", fa->id, fa->value, fb->value);
    }
}

/* The change of one row, sortable into benches. */
struct moved {
    const char *bench;
    double d;
};

static int by_bench(const void *x, const void *y)
{
    const struct moved *const a = x, *const b = y;
    const int order = strcmp(a->bench, b->bench);

    return order ? order : (a->d > b->d) - (a->d < b->d);
}

/* Most rows of a bench moved to one side, and the middle one by more than matters. The n changes
 * are sorted. */
static void remark_shift(const struct moved *rows, size_t n, double delta, struct am_arena *arena,
                         struct am_kvs *out)
{
    const double middle = (rows[n / 2].d + rows[(n - 1) / 2].d) / 2;
    const char *const key = am_arena_printf(arena, "machine_changed.%s", rows[0].bench);
    size_t along = 0;

    for (size_t i = 0; i < n; i++)
        along += middle > 0 ? rows[i].d > 0 : rows[i].d < 0;
    if (!key || n < SHIFT_ROWS || !(fabs(middle) > log1p(delta)) ||
        (double)along < shift_one_sided * (double)n)
        return;
    am_kvs_addf(out, arena, key,
                "the machine changed, or everything that %s runs: %zu of its %zu rows are %s, the "
                "middle one by %.3g %%; measure both sides again, in turns",
                rows[0].bench, along, n, middle > 0 ? "slower" : "faster",
                100 * expm1(fabs(middle)));
}

static void remark_shifts(const struct am_comparison *c, double delta, struct am_arena *arena,
                          struct am_kvs *out)
{
    struct moved *const rows = am_arena_array(arena, c->n + 1, sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; rows && i < c->n; i++) {
        if (isfinite(c->rows[i].change.d))
            rows[n++] = (struct moved){c->rows[i].a->bench, c->rows[i].change.d};
    }
    if (n)
        qsort(rows, n, sizeof(*rows), by_bench);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(rows[end].bench, rows[i].bench) == 0;)
            end++;
        remark_shift(&rows[i], end - i, delta, arena, out);
    }
}

static void remark_many(const struct am_comparison *c, struct am_arena *arena, struct am_kvs *out)
{
    size_t flagged = c->count[AM_VERDICT_SUSPECT];

    for (unsigned v = 0; v < AM_VERDICT_COUNT; v++)
        flagged += am_verdict_direction((enum am_verdict)v) ? c->count[v] : 0;
    if (c->n_judged >= SHIFT_ROWS && (double)flagged > suspects_many * (double)c->n_judged)
        am_kvs_addf(out, arena, "many_changed",
                    "%zu of %zu rows look changed: more likely the machine than all of them; "
                    "measure both sides again, in turns",
                    flagged, c->n_judged);
}

void am_circumstances_add(const struct am_result_set *a, const struct am_result_set *b,
                          const struct am_compare_settings *settings, struct am_arena *arena,
                          struct am_comparison *out)
{
    add_differences(&a->machine, &b->machine, arena, &out->differences);
    add_differences(&a->environment, &b->environment, arena, &out->differences);
    add_differences(&a->settings, &b->settings, arena, &out->differences);
    add_differences(&a->build, &b->build, arena, &out->differences);
    remark_origin(a, b, settings, arena, &out->remarks);
    remark_findings(&a->findings, &b->findings, arena, &out->remarks);
    if (settings->basis == AM_BASIS_WITHIN_RUN)
        return; /* both sides had the same machine */
    remark_shifts(out, settings->delta, arena, &out->remarks);
    remark_many(out, arena, &out->remarks);
}
