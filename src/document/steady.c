/* SPDX-License-Identifier: MIT */
/* The table of repetitions of equal work. */
#include "document/results.h"

#include "core/stats/steady.h"
#include "family/steadiness.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2 };

static void add_row(struct am_table *t, const struct am_result_metric *m, const struct am_steady *y)
{
    am_table_row(t);
    (void)am_table_text(t, m->name);
    (void)am_table_number(t, AM_FORM_COUNT, (double)y->n);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, y->median, m->unit);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, y->mean, m->unit);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, y->sigma, m->unit);
    (void)am_table_number(t, AM_FORM_SHARE, y->sigma / fabs(y->mean));
    (void)am_table_quantity(t, AM_FORM_QUANTITY, y->min, m->unit);
    (void)am_table_quantity(t, AM_FORM_QUANTITY, y->max, m->unit);
    (void)am_table_number(t, AM_FORM_COUNT, (double)y->outliers);
}

static void tell_meters(struct am_body *b, const struct am_result_set *set)
{
    const struct {
        const struct am_kvs *of;
        const char *prefix, *what;
    } told[] = {{&set->settings, "energy.meter.", ""},
                {&set->environment, "energy.period.", "update period "}};

    for (size_t t = 0; t < sizeof(told) / sizeof(*told); t++) {
        const size_t skip = strlen(told[t].prefix);

        for (size_t i = 0; i < told[t].of->n; i++) {
            const struct am_kv *const kv = &told[t].of->items[i];

            if (strncmp(kv->key, told[t].prefix, skip) != 0)
                continue;
            am_block_addf(b, AM_BLOCK_PARAGRAPH, am_arena_printf(b->arena, "%s: ", kv->key + skip),
                          "%s%s", told[t].what, kv->value)
                ->indent = INDENT;
        }
    }
}

void am_steady_blocks(struct am_body *b, const struct am_result *result,
                      const struct am_result_set *set)
{
    static const struct am_column columns[] = {{.title = "quantity"},
                                               {.title = "repetitions", .right = true, .rank = 1},
                                               {.title = "median", .right = true},
                                               {.title = "mean", .right = true},
                                               {.title = "sigma", .right = true},
                                               {.title = "of mean", .right = true},
                                               {.title = "min", .right = true, .rank = 1},
                                               {.title = "max", .right = true, .rank = 1},
                                               {.title = "beyond 3 sigma", .right = true}};
    struct am_table *table;
    size_t most = 0;
    bool lacking = false;

    if (!am_steadiness_is(result))
        return;
    (void)am_block_add(b, AM_BLOCK_SUBHEADING, result->bench, "all repetitions of equal work");
    table = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));
    table->indent = INDENT;
    for (size_t i = 0; i < result->n_metrics; i++) {
        struct am_steady y;

        if (!am_steadiness_tells(&result->metrics[i]) ||
            !am_steady_describe(&result->metrics[i].series, b->arena, &y))
            continue;
        add_row(table, &result->metrics[i], &y);
        most = y.n > most ? y.n : most;
        lacking |= y.n < most; /* the time comes first, and has them all */
    }
    if (lacking)
        am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                     "Repetitions that a meter lacks had no valid window; the file's table note "
                     "says why.")
            ->indent = INDENT;
    tell_meters(b, set);
}
