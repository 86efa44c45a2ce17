/* SPDX-License-Identifier: MIT */
/* What the conductor asks of a worker, written and read. */
#include "core/protocol/protocol.h"

#include "base/array.h"
#include "core/protocol/words.h"

#include <string.h>

enum { CPUS_MAX = 4096 };

static void write_point(struct am_text *out, const struct am_point *p)
{
    char value[AM_VALUE_TEXT_MAX];

    am_text_addf(out, "point %lld", (long long)p->id);
    am_word_add(out, p->bench->name);
    for (size_t i = 0; p->bench->axes[i].name && !p->bench->axes[i].of_plan; i++) {
        am_value_text(&p->values[i], value, sizeof(value));
        am_text_addf(out, " %s=", p->bench->axes[i].name);
        am_word_encode(out, value);
    }
    am_text_add(out, "\n");
}

void am_request_write(struct am_text *out, const struct am_request *r)
{
    const struct am_sampler_settings *s = &r->sampler;

    am_text_addf(out, "request %d\n", AM_PROTOCOL_VERSION);
    am_text_addf(out, "sampler %llu %llu %u %u %u %a\n", (unsigned long long)s->min_batch_ns,
                 (unsigned long long)s->max_point_ns, s->warmup, s->samples, s->extra,
                 s->drift_limit);
    am_text_addf(out, "seed %llu\n", (unsigned long long)r->seed);
    am_text_addf(out, "memory %llu\n", (unsigned long long)r->memory_limit_bytes);
    am_text_add(out, "cpus ");
    for (size_t i = 0; i < r->n_cpus; i++)
        am_text_addf(out, "%s%d", i ? "," : "", r->cpus[i]);
    am_text_add(out, "\n");
    for (size_t i = 0; i < r->n_counters; i++) {
        am_text_add(out, "counter");
        am_word_add(out, r->counters[i]);
        am_text_add(out, "\n");
    }
    for (size_t i = 0; i < r->n_points; i++)
        write_point(out, &r->points[i]);
    am_text_add(out, "go\n");
}

/* Reading: one function per line, chosen by its first word. */
struct reader {
    const struct am_bench *const *benches;
    struct am_arena *arena;
    struct am_request *out;
    size_t cap_points;
    bool go;
};
typedef bool line_fn(struct reader *r, const struct am_words *w);

static bool to_unsigned(struct am_word w, unsigned *out)
{
    uint64_t v;

    if (!am_word_u64(w, &v) || v > UINT32_MAX)
        return false;
    *out = (unsigned)v;
    return true;
}

static bool read_request(struct reader *r, const struct am_words *w)
{
    uint64_t version;

    (void)r;
    return w->n == 2 && am_word_u64(w->w[1], &version) && version == AM_PROTOCOL_VERSION;
}

static bool read_sampler(struct reader *r, const struct am_words *w)
{
    struct am_sampler_settings *s = &r->out->sampler;

    return w->n == 7 && am_word_u64(w->w[1], &s->min_batch_ns) &&
           am_word_u64(w->w[2], &s->max_point_ns) && to_unsigned(w->w[3], &s->warmup) &&
           to_unsigned(w->w[4], &s->samples) && to_unsigned(w->w[5], &s->extra) &&
           am_word_f64(w->w[6], &s->drift_limit);
}

static bool read_seed(struct reader *r, const struct am_words *w)
{
    return w->n == 2 && am_word_u64(w->w[1], &r->out->seed);
}

static bool read_memory(struct reader *r, const struct am_words *w)
{
    return w->n == 2 && am_word_u64(w->w[1], &r->out->memory_limit_bytes);
}

static bool read_cpus(struct reader *r, const struct am_words *w)
{
    const char *s = w->n == 2 ? w->w[1].s : NULL;
    const char *end = s ? s + w->w[1].len : NULL;

    if (!s || r->out->cpus)
        return false;
    r->out->cpus = am_arena_array(r->arena, CPUS_MAX, sizeof(int));
    while (r->out->cpus && s <= end) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        const char *stop = comma ? comma : end;
        uint64_t cpu;

        if (r->out->n_cpus == CPUS_MAX || !am_parse_u64(s, (size_t)(stop - s), &cpu) ||
            cpu > INT32_MAX)
            return false;
        r->out->cpus[r->out->n_cpus++] = (int)cpu;
        if (!comma)
            return true;
        s = comma + 1;
    }
    return false;
}

static bool read_counter(struct reader *r, const struct am_words *w)
{
    struct am_request *const out = r->out;

    return w->n == 2 && out->n_counters < AM_EVENTS_MAX &&
           am_word_dup(w->w[1], r->arena, &out->counters[out->n_counters]) &&
           out->counters[out->n_counters++];
}

static const struct am_bench *find_bench(const struct am_bench *const *benches, struct am_word w)
{
    for (size_t i = 0; benches[i]; i++) {
        if (am_word_is(w, benches[i]->name))
            return benches[i];
    }
    return NULL;
}

/* One "axis=value" word; every axis must be given, in table order. */
static bool read_value(struct reader *r, const struct am_axis *axis, struct am_word w,
                       struct am_value *out)
{
    const size_t n = strlen(axis->name);
    char *text;

    if (w.len <= n || memcmp(w.s, axis->name, n) != 0 || w.s[n] != '=')
        return false;
    w = (struct am_word){.s = w.s + n + 1, .len = w.len - n - 1};
    text = am_arena_alloc(r->arena, w.len + 1); /* not am_word_dup(): "-" is a name here */
    return text && am_word_decode(w, text, w.len + 1) &&
           am_value_parse(axis, text, strlen(text), out, NULL) == AM_OK;
}

static bool push_point(struct reader *r, struct am_point p)
{
    struct am_request *const out = r->out;
    struct am_point *const added =
        AM_ARRAY_ADD(r->arena, out->points, out->n_points, r->cap_points);

    if (added)
        *added = p;
    return added;
}

static bool read_point(struct reader *r, const struct am_words *w)
{
    struct am_point p = {0};
    struct am_value *values;
    size_t n;

    if (w->n < 3 || !am_parse_i64(w->w[1].s, w->w[1].len, &p.id))
        return false;
    p.bench = find_bench(r->benches, w->w[2]);
    n = p.bench ? am_axis_count(p.bench->axes) : 0;
    if (!p.bench || w->n != 3 + n)
        return false;
    values = am_arena_array(r->arena, n ? n : 1, sizeof(*values));
    for (size_t i = 0; i < n; i++) {
        if (!values || !read_value(r, &p.bench->axes[i], w->w[3 + i], &values[i]))
            return false;
    }
    p.values = values;
    return values && push_point(r, p);
}

static bool read_go(struct reader *r, const struct am_words *w)
{
    r->go = w->n == 1 && r->out->n_points > 0 && r->out->n_cpus > 0;
    return r->go;
}

static const struct {
    const char *name;
    line_fn *read;
} lines[] = {
    {"request", read_request}, {"sampler", read_sampler}, {"seed", read_seed},
    {"memory", read_memory},   {"cpus", read_cpus},       {"point", read_point},
    {"counter", read_counter}, {"go", read_go},
};

static bool read_line(struct reader *r, const char *line, size_t len)
{
    struct am_words w;

    if (!am_words_split(line, len, &w))
        return false;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (am_word_is(w.w[0], lines[i].name))
            return lines[i].read(r, &w);
    }
    return false;
}

enum am_status am_request_parse(const char *text, size_t len, const struct am_bench *const *benches,
                                struct am_arena *arena, struct am_request *out, struct am_err *err)
{
    struct reader r = {.benches = benches, .arena = arena, .out = out};
    const char *line;
    size_t line_len;
    unsigned number = 0;

    *out = (struct am_request){0};
    while (!r.go && am_line_next(&text, &len, &line, &line_len)) {
        number++;
        if ((number == 1) != (line_len >= 8 && memcmp(line, "request ", 8) == 0) ||
            !read_line(&r, line, line_len))
            return am_fail(err, AM_E_PROTOCOL, "request line %u is malformed: \"%.*s\"", number,
                           (int)(line_len < 60 ? line_len : 60), line);
    }
    if (!r.go)
        return am_fail(err, AM_E_PROTOCOL, "request ends before its \"go\"");
    return AM_OK;
}
