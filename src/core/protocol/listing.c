/* SPDX-License-Identifier: MIT */
/* What `worker --list` prints: bench descriptors without their hooks, written and read. */
#include "core/protocol/protocol.h"

#include "core/protocol/words.h"

#include <string.h>

enum { BENCHES_MAX = 1024, CHOICES_MAX = 4096, SYSTEMATIC_MAX = 512 };

static const char *const kind_names[] = {
    [AM_AXIS_INT] = "int",
    [AM_AXIS_SIZE] = "size",
    [AM_AXIS_REAL] = "real",
    [AM_AXIS_NAME] = "name",
};

static const char *const cpus_names[] = {[AM_CPUS_THREADS] = "threads", [AM_CPUS_ALL] = "all"};
static const char *const quick_names[] = {"quick", "named"}; /* indexed by named_only */
static const char *const timed_names[] = {
    [AM_TIMED_UNKNOWN] = NULL, [AM_TIMED_BATCH] = "batch", [AM_TIMED_OWN] = "own"};
static const char mixes_name[] = "mixes";
static const char *const better_names[] = {[AM_HIGHER] = "higher", [AM_LOWER] = "lower"};

static const char *const key_names[] = {
    [AM_KEY_EXACT] = "exact", [AM_KEY_CLASS] = "class", [AM_KEY_FREE] = "free"};

static const char ranked_name[] = "ranked"; /* in place of "name" */

static void write_choices(struct am_text *out, const struct am_axis *a)
{
    const char *const *choices = a->enumerate ? a->enumerate() : a->choices;

    for (size_t i = 0; choices && choices[i]; i++) {
        am_text_add(out, "choice");
        am_word_add(out, choices[i]);
        am_word_add(out, a->why_not ? a->why_not(choices[i]) : NULL);
        am_word_add(out, !a->env ? NULL : a->env_values ? a->env_values[i] : choices[i]);
        am_text_add(out, "\n");
    }
}

static void write_axis(struct am_text *out, const struct am_axis *a)
{
    am_text_add(out, "axis");
    am_word_add(out, a->name);
    am_word_add(out, a->ranked ? ranked_name : kind_names[a->kind]);
    am_word_add(out, a->unit);
    am_word_add(out, a->dflt);
    am_word_add(out, a->quick);
    am_word_add(out, a->thorough);
    am_word_add(out, a->help);
    am_word_add(out, a->env);
    am_text_add(out, "\n");
    if (a->tune || a->key != AM_KEY_EXACT) {
        am_text_add(out, "tune");
        am_word_add(out, a->tune);
        am_word_add(out, key_names[a->key]);
        am_text_add(out, "\n");
    }
    write_choices(out, a);
}

static void write_metric(struct am_text *out, const struct am_metric *m,
                         const struct am_systematic *stated)
{
    struct am_text systematic;

    am_text_init(&systematic, SYSTEMATIC_MAX);
    if (stated)
        am_systematic_write(stated, &systematic);
    am_text_add(out, "metric");
    am_word_add(out, m->name);
    am_word_add(out, m->unit);
    am_word_add(out, better_names[m->better]);
    am_word_add(out, am_rule_name(m->rule));
    am_word_add(out, m->help);
    if (systematic.len)
        am_word_add(out, am_text_str(&systematic));
    am_text_add(out, "\n");
    am_text_fini(&systematic);
}

static void write_bench(struct am_text *out, const struct am_bench *b)
{
    am_text_add(out, "bench");
    am_word_add(out, b->name);
    am_text_addf(out, " %u %llu %u", b->version, (unsigned long long)b->fixed_iters,
                 b->points_per_launch);
    am_word_add(out, cpus_names[b->cpus]);
    am_word_add(out, quick_names[b->named_only]);
    am_word_add_f64(out, b->target);
    am_word_add(out, b->summary);
    if (timed_names[am_bench_timed(b)])
        am_word_add(out, timed_names[am_bench_timed(b)]);
    if (timed_names[am_bench_timed(b)] && b->mixes)
        am_word_add(out, mixes_name);
    am_text_add(out, "\n");
    for (size_t i = 0; b->axes[i].name; i++)
        write_axis(out, &b->axes[i]);
    for (size_t i = 0; b->metrics[i].name; i++)
        write_metric(out, &b->metrics[i], am_systematic_find(b->systematic, b->metrics[i].name));
}

void am_listing_write(struct am_text *out, const char *worker,
                      const struct am_bench *const *benches)
{
    am_text_addf(out, "listing %d", AM_PROTOCOL_VERSION);
    am_word_add(out, worker);
    am_text_add(out, "\n");
    for (size_t i = 0; benches[i]; i++)
        write_bench(out, benches[i]);
    am_text_add(out, "end\n");
}

/* Reading. The parts of the bench at hand are gathered in fixed tables and copied when it ends. */
struct reader {
    struct am_arena *arena;
    struct am_listing *out;
    struct am_bench *benches;
    struct am_axis axes[AM_AXES_MAX + 1];
    struct am_metric metrics[AM_METRICS_MAX + 1];
    struct am_systematic systematic[AM_METRICS_MAX + 1];
    /* Of the axis at hand, CHOICES_MAX + 1 each. */
    const char **choices, **reasons, **env_values;
    size_t n_axes, n_metrics, n_systematic, n_choices;
    uint64_t version; /* of the protocol, as the first line has it; 0: none was read */
    bool ended;
};
typedef bool line_fn(struct reader *r, const struct am_words *w);

static void *copy(struct am_arena *arena, const void *data, size_t count, size_t size)
{
    void *p = am_arena_array(arena, count, size);

    if (p)
        memcpy(p, data, count * size);
    return p;
}

static bool close_axis(struct reader *r)
{
    struct am_axis *a;

    if (r->n_choices == 0)
        return true;
    a = &r->axes[r->n_axes - 1];
    r->choices[r->n_choices] = NULL;
    r->reasons[r->n_choices] = NULL;
    r->env_values[r->n_choices] = NULL;
    a->choices = copy(r->arena, r->choices, r->n_choices + 1, sizeof(*r->choices));
    a->reasons = copy(r->arena, r->reasons, r->n_choices + 1, sizeof(*r->reasons));
    a->env_values = copy(r->arena, r->env_values, r->n_choices + 1, sizeof(*r->env_values));
    r->n_choices = 0;
    return a->choices && a->reasons && a->env_values;
}

static bool close_bench(struct reader *r)
{
    struct am_bench *b;

    if (r->out->n == 0)
        return true;
    if (!close_axis(r) || r->n_metrics == 0)
        return false;
    b = &r->benches[r->out->n - 1];
    r->axes[r->n_axes] = (struct am_axis){0};
    r->metrics[r->n_metrics] = (struct am_metric){0};
    b->axes = copy(r->arena, r->axes, r->n_axes + 1, sizeof(*r->axes));
    b->metrics = copy(r->arena, r->metrics, r->n_metrics + 1, sizeof(*r->metrics));
    r->systematic[r->n_systematic] = (struct am_systematic){0};
    b->systematic = copy(r->arena, r->systematic, r->n_systematic + 1, sizeof(*r->systematic));
    r->n_axes = r->n_metrics = r->n_systematic = 0;
    return b->axes && b->metrics && b->systematic;
}

static bool read_listing(struct reader *r, const struct am_words *w)
{
    return w->n == 3 && !r->out->worker && am_word_u64(w->w[1], &r->version) &&
           r->version == AM_PROTOCOL_VERSION && am_word_dup(w->w[2], r->arena, &r->out->worker) &&
           r->out->worker;
}

static int find_name(const char *const *names, size_t n, struct am_word w)
{
    for (size_t i = 0; i < n; i++) {
        if (am_word_is(w, names[i]))
            return (int)i;
    }
    return -1;
}

static bool read_bench(struct reader *r, const struct am_words *w)
{
    struct am_bench *b;
    uint64_t version, points;
    const bool mixes = w->n == 11 && am_word_is(w->w[10], mixes_name);
    const bool says_timed = w->n == 10 || mixes;
    const bool whole = w->n == 9 || says_timed;
    const int cpus = whole ? find_name(cpus_names, 2, w->w[5]) : -1;
    const int named_only = whole ? find_name(quick_names, 2, w->w[6]) : -1;
    const int timed = says_timed ? 1 + find_name(timed_names + 1, 2, w->w[9]) : AM_TIMED_UNKNOWN;

    if (cpus < 0 || named_only < 0 || (says_timed && timed == AM_TIMED_UNKNOWN) ||
        r->out->n == BENCHES_MAX || !close_bench(r))
        return false;
    b = &r->benches[r->out->n];
    if (!am_word_dup(w->w[1], r->arena, &b->name) || !b->name || strlen(b->name) >= AM_NAME_MAX ||
        !am_word_u64(w->w[2], &version) || version > UINT32_MAX ||
        !am_word_u64(w->w[3], &b->fixed_iters) || !am_word_u64(w->w[4], &points) ||
        points > UINT32_MAX || !am_word_f64(w->w[7], &b->target) ||
        !am_word_dup(w->w[8], r->arena, &b->summary))
        return false;
    b->cpus = (enum am_cpus)cpus;
    b->named_only = named_only == 1;
    b->timed = (enum am_timed_by)timed;
    b->version = (unsigned)version;
    b->points_per_launch = (unsigned)points;
    b->mixes = mixes;
    r->out->n++;
    return true;
}

static bool read_axis(struct reader *r, const struct am_words *w)
{
    struct am_axis *a = &r->axes[r->n_axes];
    const bool ranked = w->n == 9 && am_word_is(w->w[2], ranked_name);
    const int kind = ranked ? AM_AXIS_NAME : w->n == 9 ? find_name(kind_names, 4, w->w[2]) : -1;

    if (kind < 0 || r->out->n == 0 || r->n_axes == AM_AXES_MAX || !close_axis(r))
        return false;
    *a = (struct am_axis){.kind = (enum am_axis_kind)kind, .ranked = ranked};
    if (!am_word_dup(w->w[1], r->arena, &a->name) || !a->name || strlen(a->name) >= AM_NAME_MAX ||
        !am_word_dup(w->w[3], r->arena, &a->unit) || !am_word_dup(w->w[4], r->arena, &a->dflt) ||
        !a->dflt || !am_word_dup(w->w[5], r->arena, &a->quick) ||
        !am_word_dup(w->w[6], r->arena, &a->thorough) ||
        !am_word_dup(w->w[7], r->arena, &a->help) || !am_word_dup(w->w[8], r->arena, &a->env))
        return false;
    r->n_axes++;
    return true;
}

/* Of the axis above, before its choices. */
static bool read_tune(struct reader *r, const struct am_words *w)
{
    const int key = w->n == 3 ? find_name(key_names, 3, w->w[2]) : -1;

    if (key < 0 || r->n_axes == 0 || r->n_choices || r->n_metrics)
        return false;
    r->axes[r->n_axes - 1].key = (enum am_axis_key)key;
    return am_word_dup(w->w[1], r->arena, &r->axes[r->n_axes - 1].tune);
}

static bool read_choice(struct reader *r, const struct am_words *w)
{
    if (w->n != 4 || r->n_axes == 0 || r->axes[r->n_axes - 1].kind != AM_AXIS_NAME ||
        r->n_choices == CHOICES_MAX)
        return false;
    if (!am_word_dup(w->w[1], r->arena, &r->choices[r->n_choices]) || !r->choices[r->n_choices] ||
        strlen(r->choices[r->n_choices]) >= AM_VALUE_TEXT_MAX ||
        !am_word_dup(w->w[2], r->arena, &r->reasons[r->n_choices]) ||
        !am_word_dup(w->w[3], r->arena, &r->env_values[r->n_choices]))
        return false;
    r->n_choices++;
    return true;
}

/* The seventh word, where there is one. */
static bool read_systematic(struct reader *r, const struct am_words *w, const char *metric)
{
    struct am_systematic *const s = &r->systematic[r->n_systematic];
    const char *text = NULL;

    if (w->n == 6)
        return true;
    if (!am_word_dup(w->w[6], r->arena, &text) || !text || !am_systematic_parse(text, r->arena, s))
        return false;
    s->metric = metric;
    r->n_systematic++;
    return true;
}

static bool read_metric(struct reader *r, const struct am_words *w)
{
    struct am_metric *m = &r->metrics[r->n_metrics];
    const int better = w->n == 6 || w->n == 7 ? find_name(better_names, 2, w->w[3]) : -1;

    if (better < 0 || r->out->n == 0 || r->n_metrics == AM_METRICS_MAX)
        return false;
    *m = (struct am_metric){.better = (enum am_better)better,
                            .rule = am_rule_find(w->w[4].s, w->w[4].len)};
    if (m->rule == AM_RULE_COUNT || !am_word_dup(w->w[1], r->arena, &m->name) || !m->name ||
        strlen(m->name) >= AM_NAME_MAX || !am_word_dup(w->w[2], r->arena, &m->unit) || !m->unit ||
        !am_word_dup(w->w[5], r->arena, &m->help) || !read_systematic(r, w, m->name))
        return false;
    r->n_metrics++;
    return true;
}

static bool read_end(struct reader *r, const struct am_words *w)
{
    r->ended = w->n == 1 && close_bench(r);
    return r->ended;
}

static const struct {
    const char *name;
    line_fn *read;
} lines[] = {
    {"listing", read_listing}, {"bench", read_bench}, {"axis", read_axis}, {"choice", read_choice},
    {"metric", read_metric},   {"end", read_end},     {"tune", read_tune},
};

static bool read_line(struct reader *r, const char *line, size_t len)
{
    struct am_words w;

    if (r->ended || !am_words_split(line, len, &w) ||
        (r->out->worker == NULL) != am_word_is(w.w[0], "listing"))
        return false;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (am_word_is(w.w[0], lines[i].name))
            return lines[i].read(r, &w);
    }
    return false;
}

enum am_status am_listing_parse(const char *text, size_t len, struct am_arena *arena,
                                struct am_listing *out, struct am_err *err)
{
    struct reader r = {.arena = arena, .out = out};
    const char *line;
    size_t line_len;
    unsigned number = 0;

    *out = (struct am_listing){0};
    r.benches = am_arena_array(arena, BENCHES_MAX, sizeof(*r.benches));
    r.choices = am_arena_array(arena, CHOICES_MAX + 1, sizeof(*r.choices));
    r.reasons = am_arena_array(arena, CHOICES_MAX + 1, sizeof(*r.reasons));
    r.env_values = am_arena_array(arena, CHOICES_MAX + 1, sizeof(*r.env_values));
    if (!r.benches || !r.choices || !r.reasons || !r.env_values)
        return am_fail(err, AM_E_NOMEM, "no memory for a worker's listing");
    out->benches = r.benches;
    while (am_line_next(&text, &len, &line, &line_len)) {
        number++;
        if (read_line(&r, line, line_len))
            continue;
        if (number == 1 && r.version && r.version != AM_PROTOCOL_VERSION)
            return am_fail(
                err, AM_E_PROTOCOL,
                "worker speaks protocol %llu, not %d: it was built with another archmeter",
                (unsigned long long)r.version, AM_PROTOCOL_VERSION);
        return am_fail(err, AM_E_PROTOCOL, "listing line %u is malformed: \"%.*s\"", number,
                       (int)(line_len < 60 ? line_len : 60), line);
    }
    if (!r.ended)
        return am_fail(err, AM_E_PROTOCOL, "listing has no \"end\"");
    return AM_OK;
}
