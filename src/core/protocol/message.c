/* SPDX-License-Identifier: MIT */
/* What a worker says while it measures: one table row per message, read and written. */
#include "core/protocol/protocol.h"

#include "core/protocol/words.h"

#include <string.h>

/* A field reader is given its word; a false return makes the line a protocol error. */
typedef bool read_fn(const struct am_words *w, struct am_msg *msg);
typedef void write_fn(struct am_text *out, const struct am_msg *msg);

static bool read_nothing(const struct am_words *w, struct am_msg *msg)
{
    (void)w, (void)msg;
    return true;
}

static void write_nothing(struct am_text *out, const struct am_msg *msg)
{
    (void)out, (void)msg;
}

static bool read_hello(const struct am_words *w, struct am_msg *msg)
{
    uint64_t version;

    if (!am_word_u64(w->w[1], &version) || version > UINT32_MAX)
        return false;
    msg->version = (unsigned)version;
    return am_word_decode(w->w[2], msg->worker, sizeof(msg->worker)) &&
           am_word_u64(w->w[3], &msg->clock.overhead_ns) &&
           am_word_u64(w->w[4], &msg->clock.resolution_ns) && am_word_f64(w->w[5], &msg->hz);
}

static void write_hello(struct am_text *out, const struct am_msg *msg)
{
    am_text_addf(out, " %u", msg->version);
    am_word_add(out, msg->worker);
    am_text_addf(out, " %llu %llu", (unsigned long long)msg->clock.overhead_ns,
                 (unsigned long long)msg->clock.resolution_ns);
    am_word_add_f64(out, msg->hz);
}

static bool read_point(const struct am_words *w, struct am_msg *msg)
{
    return am_parse_i64(w->w[1].s, w->w[1].len, &msg->point_id);
}

static void write_point(struct am_text *out, const struct am_msg *msg)
{
    am_text_addf(out, " %lld", (long long)msg->point_id);
}

static bool read_work(const struct am_words *w, struct am_msg *msg)
{
    return am_word_f64(w->w[1], &msg->work.bytes_read) &&
           am_word_f64(w->w[2], &msg->work.bytes_written) &&
           am_word_f64(w->w[3], &msg->work.flops) && am_word_f64(w->w[4], &msg->work.ops);
}

static void write_work(struct am_text *out, const struct am_msg *msg)
{
    am_word_add_f64(out, msg->work.bytes_read);
    am_word_add_f64(out, msg->work.bytes_written);
    am_word_add_f64(out, msg->work.flops);
    am_word_add_f64(out, msg->work.ops);
}

static bool read_verified(const struct am_words *w, struct am_msg *msg)
{
    return am_word_f64(w->w[1], &msg->residual);
}

static void write_verified(struct am_text *out, const struct am_msg *msg)
{
    am_word_add_f64(out, msg->residual);
}

enum { SAMPLE_FIELDS = 10 }; /* words of a sample before its values, the name not counted */

static bool read_sample(const struct am_words *w, struct am_msg *msg)
{
    struct am_sample *s = &msg->sample;
    uint64_t labels;

    if (!am_word_u64(w->w[1], &s->iters) || !am_word_u64(w->w[2], &s->t0_ns) ||
        !am_word_u64(w->w[3], &s->t1_ns) || !am_word_u64(w->w[4], &s->elapsed_ns) ||
        !am_word_f64(w->w[5], &s->hz_before) || !am_word_f64(w->w[6], &s->hz_after) ||
        !am_word_u64(w->w[7], &s->steal_ns) || !am_word_u64(w->w[8], &s->switches) ||
        !am_word_u64(w->w[9], &s->off_ns) || !am_word_u64(w->w[10], &labels) || labels > UINT32_MAX)
        return false;
    if (s->iters == 0 || s->t1_ns < s->t0_ns)
        return false; /* no batch can look like this: the worker lies */
    s->labels = (uint32_t)labels;
    msg->n_values = w->n - 1 - SAMPLE_FIELDS;
    for (size_t i = 0; i < msg->n_values; i++) {
        if (!am_word_f64(w->w[1 + SAMPLE_FIELDS + i], &s->values[i]))
            return false;
    }
    return true;
}

static void write_sample(struct am_text *out, const struct am_msg *msg)
{
    const struct am_sample *s = &msg->sample;

    am_text_addf(out, " %llu %llu %llu %llu", (unsigned long long)s->iters,
                 (unsigned long long)s->t0_ns, (unsigned long long)s->t1_ns,
                 (unsigned long long)s->elapsed_ns);
    am_word_add_f64(out, s->hz_before);
    am_word_add_f64(out, s->hz_after);
    am_text_addf(out, " %llu %llu %llu %u", (unsigned long long)s->steal_ns,
                 (unsigned long long)s->switches, (unsigned long long)s->off_ns, s->labels);
    for (size_t i = 0; i < msg->n_values; i++)
        am_word_add_f64(out, s->values[i]);
}

static bool read_reason(const struct am_words *w, struct am_msg *msg)
{
    return am_word_decode(w->w[1], msg->reason, sizeof(msg->reason));
}

static void write_reason(struct am_text *out, const struct am_msg *msg)
{
    am_word_add(out, msg->reason);
}

/* A name and a text: notes, what was chosen, what is proposed. */
static bool read_keyed(const struct am_words *w, struct am_msg *msg)
{
    return am_word_decode(w->w[1], msg->key, sizeof(msg->key)) && msg->key[0] &&
           am_word_decode(w->w[2], msg->reason, sizeof(msg->reason));
}

static void write_keyed(struct am_text *out, const struct am_msg *msg)
{
    am_word_add(out, msg->key);
    am_word_add(out, msg->reason);
}

static bool read_window(const struct am_words *w, struct am_msg *msg)
{
    return am_word_u64(w->w[1], &msg->begin_ns) && am_word_u64(w->w[2], &msg->end_ns) &&
           msg->begin_ns <= msg->end_ns;
}

static void write_window(struct am_text *out, const struct am_msg *msg)
{
    am_text_addf(out, " %llu %llu", (unsigned long long)msg->begin_ns,
                 (unsigned long long)msg->end_ns);
}

static bool read_attach(const struct am_words *w, struct am_msg *msg)
{
    return am_word_decode(w->w[1], msg->key, sizeof(msg->key)) && msg->key[0] &&
           am_word_decode(w->w[2], msg->type, sizeof(msg->type)) && msg->type[0] &&
           am_word_u64(w->w[3], &msg->length);
}

static void write_attach(struct am_text *out, const struct am_msg *msg)
{
    am_word_add(out, msg->key);
    am_word_add(out, msg->type);
    am_text_addf(out, " %llu", (unsigned long long)msg->length);
}

static bool read_data(const struct am_words *w, struct am_msg *msg)
{
    return am_word_bytes(w->w[1], msg->data, sizeof(msg->data), &msg->n_data);
}

static void write_data(struct am_text *out, const struct am_msg *msg)
{
    am_word_add_bytes(out, msg->data, msg->n_data);
}

static const struct form {
    const char *name;
    size_t min, max; /* words, the name included */
    read_fn *read;
    write_fn *write;
} forms[] = {
    [AM_MSG_HELLO] = {"hello", 6, 6, read_hello, write_hello},
    [AM_MSG_POINT] = {"point", 2, 2, read_point, write_point},
    [AM_MSG_WORK] = {"work", 5, 5, read_work, write_work},
    [AM_MSG_NOTE] = {"note", 3, 3, read_keyed, write_keyed},
    [AM_MSG_CHOSEN] = {"chosen", 3, 3, read_keyed, write_keyed},
    [AM_MSG_WINDOW] = {"window", 3, 3, read_window, write_window},
    [AM_MSG_PROPOSE] = {"propose", 3, 3, read_keyed, write_keyed},
    [AM_MSG_ATTACH] = {"attach", 4, 4, read_attach, write_attach},
    [AM_MSG_DATA] = {"data", 2, 2, read_data, write_data},
    [AM_MSG_VERIFIED] = {"verified", 2, 2, read_verified, write_verified},
    [AM_MSG_SAMPLE] = {"sample", 1 + SAMPLE_FIELDS, 1 + SAMPLE_FIELDS + AM_METRICS_MAX, read_sample,
                       write_sample},
    [AM_MSG_SKIP] = {"skip", 2, 2, read_reason, write_reason},
    [AM_MSG_FAIL] = {"fail", 2, 2, read_reason, write_reason},
    [AM_MSG_END] = {"end", 1, 1, read_nothing, write_nothing},
    [AM_MSG_LIBRARY] = {"library", 3, 3, read_keyed, write_keyed},
    [AM_MSG_DONE] = {"done", 1, 1, read_nothing, write_nothing},
};

/* The beginning of a line as it can be shown: control bytes are replaced. */
static const char *shown(const char *line, size_t len, char *buf, size_t cap)
{
    const size_t keep = len < cap - 1 ? len : cap - 1;

    for (size_t i = 0; i < keep; i++)
        buf[i] = line[i] >= ' ' && line[i] < 0x7f ? line[i] : '?';
    buf[keep] = '\0';
    return buf;
}

enum am_status am_msg_parse(const char *line, size_t len, struct am_msg *msg, struct am_err *err)
{
    char start[64];
    struct am_words w;

    memset(msg, 0, sizeof(*msg));
    if (len >= AM_LINE_MAX)
        return am_fail(err, AM_E_PROTOCOL, "line of %zu bytes is too long", len);
    if (!am_words_split(line, len, &w))
        return am_fail(err, AM_E_PROTOCOL, "not a line of words: \"%s\"",
                       shown(line, len, start, sizeof(start)));
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (!am_word_is(w.w[0], forms[i].name))
            continue;
        msg->kind = (enum am_msg_kind)i;
        if (w.n < forms[i].min || w.n > forms[i].max || !forms[i].read(&w, msg))
            return am_fail(err, AM_E_PROTOCOL, "malformed \"%s\"",
                           shown(line, len, start, sizeof(start)));
        return AM_OK;
    }
    return am_fail(err, AM_E_PROTOCOL, "unknown message \"%s\"",
                   shown(line, len, start, sizeof(start)));
}

void am_msg_write(struct am_text *out, const struct am_msg *msg)
{
    am_text_add(out, forms[msg->kind].name);
    forms[msg->kind].write(out, msg);
    am_text_add(out, "\n");
}
