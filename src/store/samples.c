/* SPDX-License-Identifier: MIT */
/* A point's samples with their values: two statements go through their tables side by side, in the
 * same order. Looking the values of each sample up would take longer than all else of a load. */
#include "store/read.h"

#include <math.h>

const char am_read_sql_samples[] =
    "SELECT v.launch, v.round, v.id, s.seq, s.labels, s.elapsed_ns, s.hz_before, s.hz_after"
    " FROM visit v CROSS JOIN sample s ON s.visit = v.id"
    " WHERE v.point = ?1 AND v.state = 'ok' AND (?2 = 0 OR v.round % ?2 = ?3)"
    " ORDER BY v.launch, s.seq";
const char am_read_sql_values[] =
    "SELECT v.launch, x.seq, x.metric, x.value FROM visit v CROSS JOIN value x ON x.visit = v.id"
    " WHERE v.point = ?1 AND v.state = 'ok' AND (?2 = 0 OR v.round % ?2 = ?3)"
    " ORDER BY v.launch, x.seq, x.metric";

/* Goes to the first value that is not before the sample; true when it is the sample's. Values of
 * samples that are not there are passed over. */
static bool reach(struct am_db_rows *values, bool *there, const struct am_read_value *sample)
{
    for (; *there; *there = am_db_rows_next(values)) {
        const int64_t launch = am_db_get_int(values, 0), seq = am_db_get_int(values, 1);

        if (launch > sample->launch || (launch == sample->launch && seq > sample->seq))
            return false;
        if (launch == sample->launch && seq == sample->seq)
            return true;
    }
    return false;
}

/* One more row of the list, as the sample is; NULL sets rows->status. */
static struct am_read_value *add(struct am_db_rows *rows, struct am_read_list *list,
                                 const struct am_read_value *sample)
{
    struct am_read_value *const items =
        am_db_rows_room(rows, list->items, list->n, &list->cap, sizeof(*items));

    if (!items)
        return NULL;
    list->items = items;
    items[list->n] = *sample;
    return &items[list->n++];
}

/* A point has one visit per launch: launches tell its visits apart. */
enum am_status am_read_samples(struct am_db_rows *samples, struct am_db_rows *values,
                               const struct am_read_bench *bench, int64_t point,
                               struct am_read_list *out)
{
    bool there;

    out->n = 0;
    am_db_rows_bind(samples, 1, point);
    am_db_rows_bind(values, 1, point);
    there = am_db_rows_next(values);
    while (values->status == AM_OK && am_db_rows_next(samples)) {
        const struct am_read_value sample = {
            .launch = am_db_get_int(samples, 0),
            .round = am_db_get_unsigned(samples, 1),
            .visit = am_db_get_int(samples, 2),
            .seq = am_db_get_int(samples, 3),
            .labels = am_db_get_unsigned(samples, 4),
            .elapsed_ns = am_db_get_int(samples, 5),
            .hz_before = am_db_get_real(samples, 6, NAN),
            .hz_after = am_db_get_real(samples, 7, NAN),
            .metric = bench->n_metrics,
            .value = NAN,
        };
        const size_t before = out->n;

        for (; reach(values, &there, &sample); there = am_db_rows_next(values)) {
            struct am_read_value *const row = add(samples, out, &sample);

            if (!row)
                break;
            row->metric = am_read_index(values, 2, bench->metric_ids, bench->n_metrics);
            row->value = am_db_get_real(values, 3, NAN);
        }
        if (out->n == before)
            (void)add(samples, out, &sample);
    }
    return samples->status == AM_OK ? values->status : samples->status;
}
