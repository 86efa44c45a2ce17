/* SPDX-License-Identifier: MIT */
/* Raw samples as rows. */
#include "document/samples.h"

#include "base/text.h"

#include <string.h>

void am_samples_begin(struct am_samples *samples, struct am_arena *arena)
{
    static const char *const keys[] = {
        "bench",     "point",    "metric",   "unit",     "launch", "round",
        "sequence",  "value",    "iters",    "t0_ns",    "t1_ns",  "elapsed_ns",
        "hz_before", "hz_after", "steal_ns", "switches", "off_ns", "labels"};

    am_table_init(&samples->table, arena);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        am_table_column(&samples->table, (struct am_column){.key = keys[i]});
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

void am_samples_put(struct am_samples *samples, const struct am_raw_sample *raw)
{
    const struct am_sample *const s = &raw->sample;
    const uint64_t place[] = {(uint64_t)raw->launch_id, raw->round, raw->sequence};
    const uint64_t times[] = {s->iters, s->t0_ns, s->t1_ns, s->elapsed_ns};
    struct am_table *const t = &samples->table;

    label_text(s->labels, samples->labels, sizeof(samples->labels));
    t->n_rows = 0;
    am_table_row(t);
    (void)am_table_text(t, raw->bench);
    (void)am_table_text(t, raw->text);
    (void)am_table_text(t, raw->metric);
    (void)am_table_text(t, raw->unit);
    for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++)
        (void)am_table_whole(t, place[i]);
    (void)am_table_number(t, AM_FORM_NUMBER, raw->value);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        (void)am_table_whole(t, times[i]);
    (void)am_table_number(t, AM_FORM_NUMBER, s->hz_before);
    (void)am_table_number(t, AM_FORM_NUMBER, s->hz_after);
    (void)am_table_whole(t, s->steal_ns);
    (void)am_table_whole(t, s->switches);
    (void)am_table_whole(t, s->off_ns);
    (void)am_table_text(t, samples->labels);
}
