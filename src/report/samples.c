/* SPDX-License-Identifier: MIT */
/* Raw samples, streamed: a run may hold more of them than fit in memory comfortably. */
#include "report/samples.h"

#include "base/text.h"
#include "report/json.h"
#include "document/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct stream {
    FILE *out;
    enum am_format format;
    const char *const *patterns;
    size_t n_patterns, written;
};

static bool wanted(const struct stream *s, const char *bench)
{
    for (size_t i = 0; i < s->n_patterns; i++) {
        if (am_glob_match(s->patterns[i], bench))
            return true;
    }
    return s->n_patterns == 0;
}

/* Names of the labels, joined by '|'. */
static void label_text(uint32_t labels, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (size_t i = 0; i < AM_LABELS; i++) {
        const size_t used = strlen(buf);

        if (labels & UINT32_C(1) << i)
            (void)am_str_format(buf + used, cap - used, "%s%s", used ? "|" : "", am_label_words[i]);
    }
}

/* Bench names and canonical points hold no quotes unless the file is hostile; quote all the same.
 */
static void csv_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputs("\",", out);
}

static void write_csv(FILE *out, const struct am_raw_sample *raw, const char *labels)
{
    const struct am_sample *s = &raw->sample;
    char value[AM_UNITS_MAX];

    csv_text(out, raw->bench);
    csv_text(out, raw->text);
    csv_text(out, raw->metric);
    csv_text(out, raw->unit);
    am_units_exact(raw->value, value, sizeof(value));
    (void)fprintf(out, "%" PRId64 ",%u,%u,%s,", raw->launch_id, raw->round, raw->sequence,
                  isfinite(raw->value) ? value : "");
    (void)fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.17g,%.17g,", s->iters,
                  s->t0_ns, s->t1_ns, s->elapsed_ns, s->hz_before, s->hz_after);
    (void)fprintf(out, "%" PRIu64 ",%" PRIu64 ",%s\n", s->steal_ns, s->switches, labels);
}

static void write_json(FILE *out, const struct am_raw_sample *raw, const char *labels)
{
    const struct am_sample *s = &raw->sample;
    struct am_json j;

    am_json_init(&j, out, 0);
    am_json_object(&j, NULL);
    am_json_string(&j, "bench", raw->bench);
    am_json_string(&j, "point", raw->text);
    am_json_string(&j, "metric", raw->metric);
    am_json_string(&j, "unit", raw->unit);
    am_json_integer(&j, "launch", raw->launch_id);
    am_json_unsigned(&j, "round", raw->round);
    am_json_unsigned(&j, "sequence", raw->sequence);
    am_json_number(&j, "value", raw->value);
    am_json_unsigned(&j, "iters", s->iters);
    am_json_unsigned(&j, "t0_ns", s->t0_ns);
    am_json_unsigned(&j, "t1_ns", s->t1_ns);
    am_json_unsigned(&j, "elapsed_ns", s->elapsed_ns);
    am_json_number(&j, "hz_before", s->hz_before);
    am_json_number(&j, "hz_after", s->hz_after);
    am_json_unsigned(&j, "steal_ns", s->steal_ns);
    am_json_unsigned(&j, "switches", s->switches);
    am_json_string(&j, "labels", labels);
    am_json_object_end(&j);
}

static enum am_status write_sample(void *self, const struct am_raw_sample *raw, struct am_err *err)
{
    struct stream *s = self;
    char labels[AM_UNITS_MAX];

    if (!wanted(s, raw->bench))
        return AM_OK;
    label_text(raw->sample.labels, labels, sizeof(labels));
    if (s->format == AM_FORMAT_CSV)
        write_csv(s->out, raw, labels);
    else
        write_json(s->out, raw, labels);
    s->written++;
    if (ferror(s->out))
        return am_fail(err, AM_E_SYS, "cannot write the samples");
    return AM_OK;
}

enum am_status am_report_samples(struct am_store *store, const char *const *patterns,
                                 size_t n_patterns, enum am_format format, FILE *out,
                                 size_t *written, struct am_err *err)
{
    struct stream s = {
        .out = out, .format = format, .patterns = patterns, .n_patterns = n_patterns};
    enum am_status status;

    if (format != AM_FORMAT_CSV && format != AM_FORMAT_JSON)
        return am_fail(err, AM_E_USAGE, "--samples needs --format csv or --format json");
    if (format == AM_FORMAT_CSV)
        (void)fputs("bench,point,metric,unit,launch,round,sequence,value,iters,t0_ns,t1_ns,"
                    "elapsed_ns,hz_before,hz_after,steal_ns,switches,labels\n",
                    out);
    status =
        am_store_each_sample(store, n_patterns == 1 ? patterns[0] : NULL, write_sample, &s, err);
    *written = s.written;
    return status;
}
