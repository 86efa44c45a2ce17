/* SPDX-License-Identifier: MIT */
/* What else the machine did around the launches of a run: labels per launch, and the whole. */
#include "store/read.h"

#include <math.h>
#include <string.h>

static void take_load(struct am_quiet *quiet, double load)
{
    if (isnan(load))
        return;
    quiet->load_least = fmin(load, quiet->load_least); /* fmin passes over NAN */
    quiet->load_most = fmax(load, quiet->load_most);
}

/* A mean over the launches in which it was known. */
struct mean {
    double sum;
    size_t n;
};

static void take_part(struct mean *m, double value)
{
    if (isnan(value))
        return;
    m->sum += fmax(0, value);
    m->n++;
}

static double mean_of(const struct mean *m)
{
    return m->n ? m->sum / (double)m->n : (double)NAN;
}

/* What is not known adds nothing; NAN where neither is. */
static double sum_known(double a, double b)
{
    if (isnan(a) && isnan(b))
        return NAN;
    return fmax(a, 0) + fmax(b, 0); /* fmax passes over NAN */
}

static void count(struct am_quiet *quiet, uint32_t labels)
{
    quiet->launches++;
    quiet->busy += labels != 0;
    for (size_t k = 0; k < AM_BUSY_KINDS; k++)
        quiet->by[k] += (labels & UINT32_C(1) << k) != 0;
}

enum am_status am_read_surroundings(struct am_store *store, struct am_arena *arena,
                                    struct am_read_labels *out, struct am_quiet *quiet,
                                    struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    struct mean others = {0}, steal = {0};
    size_t cap = 0;

    *out = (struct am_read_labels){0};
    *quiet = (struct am_quiet){.load_least = NAN, .load_most = NAN};
    am_db_rows_open(&rows, "SELECT launch, labels, load, others, steal FROM surroundings"
                           " ORDER BY launch");
    while (am_db_rows_next(&rows)) {
        struct am_read_label *const items =
            am_db_rows_room(&rows, out->items, out->n, &cap, sizeof(*items));

        if (!items)
            break;
        out->items = items;
        items[out->n++] = (struct am_read_label){
            .launch = am_db_get_int(&rows, 0),
            .labels = am_db_get_unsigned(&rows, 1),
            .others = sum_known(am_db_get_real(&rows, 3, NAN), am_db_get_real(&rows, 4, NAN))};
        count(quiet, items[out->n - 1].labels);
        take_load(quiet, am_db_get_real(&rows, 2, NAN));
        take_part(&others, am_db_get_real(&rows, 3, NAN));
        take_part(&steal, am_db_get_real(&rows, 4, NAN));
    }
    quiet->others = mean_of(&others);
    quiet->steal = mean_of(&steal);
    return am_db_rows_close(&rows);
}

struct am_read_label am_read_label(const struct am_read_labels *labels, int64_t launch)
{
    size_t from = 0, to = labels->n;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (labels->items[middle].launch < launch)
            from = middle + 1;
        else
            to = middle;
    }
    return from < labels->n && labels->items[from].launch == launch
               ? labels->items[from]
               : (struct am_read_label){.launch = launch, .others = NAN};
}
