/* SPDX-License-Identifier: MIT */
/* Reads a public descriptor: every word is checked, every text copied. */
#include "bench/own/own.h"

#include "base/text.h"
#include "kernels/isa.h"

#include <stdint.h>
#include <string.h>

/* The descriptor at hand, for messages. */
struct maker {
    const struct archmeter_bench *of;
    struct am_arena *arena;
    struct am_err *err;
};

/* The smallest descriptor: that of version 1. Versions append to it. */
static const size_t bench_size_least =
    offsetof(struct archmeter_bench, fixed_iters) + sizeof(uint64_t);
static const size_t axis_size_least = offsetof(struct archmeter_axis, tune) + sizeof(const char *);
static const size_t metric_size_least =
    offsetof(struct archmeter_metric, better) + sizeof(const char *);

enum { ROW_SIZE_MAX = 4096, CHOICES_MAX = 256 };

static enum am_status no_memory(struct am_err *err)
{
    return am_fail(err, AM_E_NOMEM, "no memory for the benches of a file");
}

enum am_status am_own_copy(const struct archmeter_bench *from, struct am_arena *arena,
                           struct archmeter_bench **out, struct am_err *err)
{
    struct archmeter_bench *const copy = am_arena_alloc(arena, sizeof(*copy));

    if (!copy)
        return no_memory(err);
    if (from->interface_version > ARCHMETER_BENCH_VERSION)
        return am_fail(err, AM_E_USAGE,
                       "a bench was compiled against version %u of archmeter/bench.h, and this "
                       "archmeter knows versions up to %d",
                       (unsigned)from->interface_version, ARCHMETER_BENCH_VERSION);
    if (from->interface_version == 0 || from->size < bench_size_least ||
        from->axis_size < axis_size_least || from->metric_size < metric_size_least ||
        from->axis_size > ROW_SIZE_MAX || from->metric_size > ROW_SIZE_MAX)
        return am_fail(err, AM_E_USAGE,
                       "a bench states sizes that no version of archmeter/bench.h has: describe it "
                       "by ARCHMETER_BENCH()");
    memcpy(copy, from, from->size < sizeof(*copy) ? from->size : sizeof(*copy));
    *out = copy;
    return AM_OK;
}

static const char *quoted_near(const struct maker *m, const char *word, const char *const *names)
{
    size_t n = 0;
    const char *near;

    while (names[n])
        n++;
    near = am_nearest(word, names, n);
    near = near ? am_arena_printf(m->arena, "; did you mean \"%s\"?", near) : "";
    return near ? near : "";
}

static bool is_word(const char *text)
{
    return text && *text &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
               strlen(text);
}

static enum am_status check_name(const struct maker *m, const char *what, const char *name)
{
    if (!is_word(name))
        return am_fail(m->err, AM_E_USAGE,
                       "bench %s: the name of %s must have letters, digits and _ only, not \"%s\"",
                       m->of->name, what, name ? name : "");
    if (strlen(name) >= AM_NAME_MAX)
        return am_fail(m->err, AM_E_USAGE, "bench %s: the name of %s has more than %d letters",
                       m->of->name, what, AM_NAME_MAX - 1);
    return AM_OK;
}

/* NULL stays NULL; so does what there is no memory for, which then lacks. */
static const char *copy_text(const struct maker *m, const char *text)
{
    return text ? am_arena_strdup(m->arena, text) : NULL;
}

/* ---- axes ---- */

static const char *const kind_words[] = {[AM_AXIS_INT] = "count",
                                         [AM_AXIS_SIZE] = "bytes",
                                         [AM_AXIS_REAL] = "number",
                                         [AM_AXIS_NAME] = "name",
                                         NULL};

/* Names that the engine gives a meaning of its own. */
static const char *const reserved[] = {"isa", "node", "on", "side", NULL};

static enum am_status check_axis_name(const struct maker *m, const char *name,
                                      const struct am_axis *earlier, size_t n)
{
    enum am_status s = check_name(m, "an axis", name);

    if (s == AM_OK && am_name_index(reserved, AM_NAMES_ENDED, name) >= 0)
        return am_fail(m->err, AM_E_USAGE, "bench %s: \"%s\" is no name for an axis: archmeter %s",
                       m->of->name, name, "adds one of this name itself");
    for (size_t i = 0; s == AM_OK && i < n; i++) {
        if (strcmp(earlier[i].name, name) == 0)
            s = am_fail(m->err, AM_E_USAGE, "bench %s has two axes \"%s\"", m->of->name, name);
    }
    return s;
}

static enum am_status find_kind(const struct maker *m, const struct archmeter_axis *from,
                                enum am_axis_kind *out)
{
    const char *const dflt = from->choices ? "name" : "count";
    const char *const word = from->kind ? from->kind : dflt;
    const int kind = am_name_index(kind_words, AM_NAMES_ENDED, word);

    if (kind < 0)
        return am_fail(m->err, AM_E_USAGE,
                       "bench %s, axis %s: \"%s\" is no kind (count, bytes, number, name)%s",
                       m->of->name, from->name, word, quoted_near(m, word, kind_words));
    if (from->choices && kind != AM_AXIS_NAME)
        return am_fail(m->err, AM_E_USAGE, "bench %s, axis %s: choices are of names, not of a %s",
                       m->of->name, from->name, word);
    if (strcmp(from->name, "threads") == 0 && kind != AM_AXIS_INT)
        return am_fail(m->err, AM_E_USAGE, "bench %s: the axis threads is a count", m->of->name);
    *out = (enum am_axis_kind)kind;
    return AM_OK;
}

/* "a,b,c" taken apart; of a tunable axis there is also `auto`. */
static enum am_status split_choices(const struct maker *m, const struct archmeter_axis *from,
                                    const char *const **out)
{
    const char **const list = am_arena_array(m->arena, CHOICES_MAX + 2, sizeof(*list));
    const char *rest = from->choices;
    size_t n = 0;

    if (!list)
        return no_memory(m->err);
    while (*rest) {
        const size_t len = strcspn(rest, ",");
        const char *const word = am_arena_strndup(m->arena, rest, len);

        if (!word || n == CHOICES_MAX)
            return am_fail(m->err, AM_E_USAGE, "bench %s, axis %s: more than %d choices",
                           m->of->name, from->name, CHOICES_MAX);
        if (len == 0 || len >= AM_VALUE_TEXT_MAX || strpbrk(word, " =*?:"))
            return am_fail(m->err, AM_E_USAGE, "bench %s, axis %s: \"%s\" is no choice",
                           m->of->name, from->name, word);
        list[n++] = word;
        rest += len + (rest[len] == ',');
    }
    if (from->tune && am_name_index(list, n, "auto") < 0)
        list[n] = "auto";
    *out = list;
    return AM_OK;
}

/* What an open axis means: the first that a tuner would try. */
static enum am_status first_of_tune(const struct maker *m, const struct am_axis *axis,
                                    struct am_value *out)
{
    static const struct am_symbol none[] = {{.name = NULL}};
    struct am_values values = {0};
    struct am_err why = {0};

    if (!axis->tune)
        return AM_OK;
    if (am_axis_parse(axis, axis->tune, strlen(axis->tune), none, m->arena, &values, &why) !=
            AM_OK ||
        values.n == 0 || am_axis_is_open(axis, &values.v[0]))
        return am_fail(m->err, AM_E_USAGE, "bench %s: tune of %s: %s", m->of->name, axis->name,
                       *why.text ? why.text : "no value to begin with");
    *out = values.v[0];
    return AM_OK;
}

static enum am_status make_axis(const struct maker *m, const struct archmeter_axis *from,
                                struct am_axis *to, struct am_value *open)
{
    enum am_axis_kind kind = AM_AXIS_INT;
    enum am_status s = find_kind(m, from, &kind);

    *to = (struct am_axis){.name = copy_text(m, from->name),
                           .kind = kind,
                           .unit = copy_text(m, from->unit),
                           .dflt = copy_text(m, from->values),
                           .quick = copy_text(m, from->quick),
                           .thorough = copy_text(m, from->thorough),
                           .tune = copy_text(m, from->tune),
                           .help = copy_text(m, from->help)};
    if (s == AM_OK && kind == AM_AXIS_SIZE && !to->unit)
        to->unit = "B";
    if (s == AM_OK && !to->dflt && to->tune)
        to->dflt = kind == AM_AXIS_NAME ? "auto" : "0";
    if (s == AM_OK && !to->dflt)
        s = am_fail(m->err, AM_E_USAGE, "bench %s: the axis %s has no values", m->of->name,
                    from->name);
    if (s == AM_OK && from->choices)
        s = split_choices(m, from, &to->choices);
    return s == AM_OK ? first_of_tune(m, to, open) : s;
}

/* Rows are as long as they were when the file was compiled. */
static struct archmeter_axis axis_row(const struct archmeter_bench *of, size_t i)
{
    struct archmeter_axis row = {0};

    memcpy(&row, (const char *)of->axes + i * of->axis_size,
           of->axis_size < sizeof(row) ? of->axis_size : sizeof(row));
    return row;
}

/* The choices are the variants' own, usable here or not. */
static enum am_status add_isa(const struct maker *m, const struct am_own_variants *variants,
                              struct am_axis *to)
{
    const char **const names = am_arena_array(m->arena, variants->n + 1, sizeof(*names));

    if (!names)
        return no_memory(m->err);
    for (size_t i = 0; i < variants->n; i++)
        names[i] = variants->items[i].isa;
    *to = (struct am_axis){.name = "isa",
                           .kind = AM_AXIS_NAME,
                           .choices = names,
                           .ranked = true,
                           .why_not = am_isa_why_not,
                           .dflt = "usable",
                           .help = "the file was compiled once for each of them"};
    return AM_OK;
}

static enum am_status make_axes(const struct maker *m, struct am_own *own,
                                const struct am_axis **out)
{
    struct am_axis *const axes = am_arena_array(m->arena, AM_AXES_MAX + 2, sizeof(*axes));
    struct am_value *const open = am_arena_array(m->arena, AM_AXES_MAX + 2, sizeof(*open));
    enum am_status s = axes && open ? AM_OK : no_memory(m->err);
    size_t n = 0;

    while (s == AM_OK && m->of->axes) {
        const struct archmeter_axis row = axis_row(m->of, n);

        if (!row.name)
            break;
        if (n == AM_AXES_MAX - 1) /* one is kept for isa */
            return am_fail(m->err, AM_E_USAGE, "bench %s has more than %d axes", m->of->name,
                           AM_AXES_MAX - 1);
        s = check_axis_name(m, row.name, axes, n);
        if (s == AM_OK)
            s = make_axis(m, &row, &axes[n], &open[n]);
        n++;
    }
    own->isa_axis = -1;
    if (s == AM_OK && own->variants.items[0].isa) {
        own->isa_axis = (int)n;
        s = add_isa(m, &own->variants, &axes[n]);
    }
    own->open = open;
    *out = axes;
    return s;
}

/* ---- metrics ---- */

/* What follows from a rule; without a unit the rule is not for files. */
static const struct {
    const char *unit;
    enum am_better better;
    const char *help;
} rules[AM_RULE_COUNT] = {
    [AM_RULE_FLOP_RATE] = {"flop/s", AM_HIGHER, "flops of all iterations over their time"},
    [AM_RULE_BYTE_RATE] = {"B/s", AM_HIGHER, "bytes read and written over the time"},
    [AM_RULE_OP_RATE] = {"1/s", AM_HIGHER, "operations over the time"},
    [AM_RULE_TIME_PER_OP] = {"s", AM_LOWER, "time of one operation"},
    [AM_RULE_TIME_PER_ITER] = {"s", AM_LOWER, "time of one iteration"},
    [AM_RULE_CYCLES_PER_OP] = {"cycle", AM_LOWER, "cycles of the core per operation"},
    [AM_RULE_FLOPS_PER_CYCLE] = {"flop/cycle", AM_HIGHER, "flops per cycle of the core"},
    [AM_RULE_BYTES_PER_CYCLE] = {"B/cycle", AM_HIGHER, "bytes per cycle of the core"},
    [AM_RULE_OWN] = {"", AM_HIGHER, "as the bench states it"},
};

static const char *const better_words[] = {[AM_HIGHER] = "higher", [AM_LOWER] = "lower", NULL};

static enum am_status bad_rule(const struct maker *m, const char *metric, const char *word)
{
    const char *words[AM_RULE_COUNT + 1] = {0};
    size_t n = 0;

    for (enum am_rule r = 0; r < AM_RULE_COUNT; r++) {
        if (rules[r].unit)
            words[n++] = am_rule_name(r);
    }
    return am_fail(m->err, AM_E_USAGE,
                   "bench %s, metric %s: \"%s\" is no rule (flops, bytes, ops, time/iter, ...)%s",
                   m->of->name, metric, word, quoted_near(m, word, words));
}

/* Metrics that run_timed() states say themselves what they are. */
static enum am_status complete_own(const struct maker *m, const struct archmeter_metric *from,
                                   struct am_metric *to)
{
    const int better = am_name_index(better_words, AM_NAMES_ENDED, from->better);

    if (!m->of->run_timed)
        return am_fail(m->err, AM_E_USAGE,
                       "bench %s, metric %s: the rule own needs run_timed() in place of run()",
                       m->of->name, from->name);
    if (better < 0)
        return am_fail(m->err, AM_E_USAGE,
                       "bench %s, metric %s: better is \"higher\" or \"lower\", not \"%s\"",
                       m->of->name, from->name, from->better ? from->better : "");
    to->unit = from->unit ? copy_text(m, from->unit) : "";
    to->better = (enum am_better)better;
    return AM_OK;
}

static enum am_status make_metric(const struct maker *m, const struct archmeter_metric *from,
                                  struct am_metric *to)
{
    const char *const word = from->rule ? from->rule : "";
    const enum am_rule rule = am_rule_find(word, strlen(word));
    const enum am_status s = check_name(m, "a metric", from->name);

    if (s != AM_OK)
        return s;
    if (rule == AM_RULE_COUNT || !rules[rule].unit)
        return bad_rule(m, from->name, word);
    *to = (struct am_metric){.name = copy_text(m, from->name),
                             .unit = rules[rule].unit,
                             .better = rules[rule].better,
                             .rule = rule,
                             .help = from->help ? copy_text(m, from->help) : rules[rule].help};
    return rule == AM_RULE_OWN ? complete_own(m, from, to) : AM_OK;
}

static struct archmeter_metric metric_row(const struct archmeter_bench *of, size_t i)
{
    struct archmeter_metric row = {0};

    memcpy(&row, (const char *)of->metrics + i * of->metric_size,
           of->metric_size < sizeof(row) ? of->metric_size : sizeof(row));
    return row;
}

static enum am_status make_metrics(const struct maker *m, const struct am_metric **out)
{
    static const struct am_metric time_only[] = {
        {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "one iteration"}, {.name = NULL}};
    struct am_metric *const metrics =
        am_arena_array(m->arena, AM_METRICS_MAX + 1, sizeof(*metrics));
    enum am_status s = metrics ? AM_OK : no_memory(m->err);
    size_t n = 0;

    while (s == AM_OK && m->of->metrics) {
        const struct archmeter_metric row = metric_row(m->of, n);

        if (!row.name)
            break;
        if (n == AM_METRICS_MAX / 2) /* the rest is for counters and energy */
            return am_fail(m->err, AM_E_USAGE, "bench %s has more than %d metrics", m->of->name,
                           AM_METRICS_MAX / 2);
        s = make_metric(m, &row, &metrics[n++]);
    }
    *out = n ? metrics : time_only;
    return s;
}

/* ---- the whole ---- */

static enum am_status check_whole(const struct maker *m)
{
    const struct archmeter_bench *const b = m->of;

    if (!is_word(b->name) || strlen(b->name) + sizeof("own.") > AM_NAME_MAX)
        return am_fail(m->err, AM_E_USAGE,
                       "\"%s\" is no name for a bench: letters, digits and _, at most %zu",
                       b->name ? b->name : "", AM_NAME_MAX - sizeof("own."));
    if (!b->run == !b->run_timed)
        return am_fail(m->err, AM_E_USAGE, "bench %s has %s: it needs either run() or run_timed()",
                       b->name, b->run ? "both run() and run_timed()" : "no run()");
    return AM_OK;
}

static const struct archmeter_bench *first_usable(const struct am_own_variants *variants)
{
    for (size_t i = 0; i < variants->n; i++) {
        if (variants->items[i].bench)
            return variants->items[i].bench;
    }
    return NULL;
}

enum am_status am_own_describe(const struct am_own_variants *variants, struct am_arena *arena,
                               struct am_bench *out, struct am_err *err)
{
    struct am_own *const own = am_arena_alloc(arena, sizeof(*own));
    const struct maker m = {.of = first_usable(variants), .arena = arena, .err = err};
    enum am_status s = own ? check_whole(&m) : no_memory(err);

    if (s != AM_OK)
        return s;
    own->variants = *variants;
    *out = (struct am_bench){.name = am_arena_printf(arena, "own.%s", m.of->name),
                             .summary = copy_text(&m, m.of->summary ? m.of->summary : m.of->name),
                             .version = m.of->version ? m.of->version : 1,
                             .fixed_iters = m.of->fixed_iters,
                             .cpus = m.of->all_cpus ? AM_CPUS_ALL : AM_CPUS_THREADS,
                             .named_only = true,
                             .data = own};
    s = make_axes(&m, own, &out->axes);
    if (s == AM_OK)
        s = make_metrics(&m, &out->metrics);
    if (s == AM_OK && (!out->name || !out->summary))
        s = no_memory(err);
    am_own_set_hooks(m.of, out);
    return s;
}
