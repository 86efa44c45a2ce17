/* SPDX-License-Identifier: MIT */
/* Prints every bench, axis and metric that the tables of families name, one per line with tabs
 * between: kind, bench, name, where it stands. check_family_names.py holds them against what the
 * workers have. */
#include "family/family.h"
#include "family/worth.h"

#include <stdio.h>
#include <string.h>

static void put(const char *kind, const char *bench, const char *name, size_t len,
                const char *place)
{
    (void)printf("%s\t%s\t%.*s\t%s\n", kind, bench, (int)len, name, place);
}

static void put_name(const char *kind, const char *bench, const char *name, const char *place)
{
    if (name)
        put(kind, bench, name, strlen(name), place);
}

/* "variant,n/threads": each of them. */
static void put_list(const char *bench, const char *list, const char *place)
{
    for (const char *p = list ? list : ""; *p;) {
        const size_t n = strcspn(p, ",/");

        put("axis", bench, p, n, place);
        p += n + (p[n] != '\0');
    }
}

/* "pattern=random nt!=0 !node": the axis of each condition. */
static void put_where(const char *bench, const char *where, const char *place)
{
    for (const char *p = where ? where + strspn(where, " ") : ""; *p;) {
        const size_t all = strcspn(p, " "), negated = *p == '!';

        put("axis", bench, p + negated, strcspn(p + negated, "?!=<> "), place);
        p += all;
        p += strspn(p, " ");
    }
}

static void put_figure(const struct am_figure_row *row)
{
    if (!row->bench)
        return;
    put_name("bench", row->bench, row->bench, row->name);
    put_name("metric", row->bench, row->metric, row->name);
    if (row->x && row->x[0] == '@')
        put_name("metric", row->bench, row->x + 1, row->name);
    else
        put_list(row->bench, row->x, row->name);
    put_list(row->bench, row->series, row->name);
    put_list(row->bench, row->panel, row->name);
    put_list(row->bench, row->along, row->name);
    put_where(row->bench, row->where, row->name);
}

static void put_rule(const struct am_fact_rule *rule)
{
    const char *const bench = rule->from.bench;

    if (!bench)
        return;
    put_name("bench", bench, bench, rule->name);
    put_name("metric", bench, rule->from.metric, rule->name);
    put_where(bench, rule->from.where, rule->name);
    put_list(bench, rule->labels, rule->name);
}

static void put_bound(const struct am_bound_row *row)
{
    put_name("bench", row->bench, row->bench, "bounds");
    put_name("metric", row->bench, row->own_share, "bounds");
    put_where(row->bench, row->where, "bounds");
}

int main(void)
{
    for (size_t i = 0; am_families[i]; i++) {
        const struct am_family *const f = am_families[i];

        for (const struct am_fact_rule *rule = f->facts; rule && rule->name; rule++)
            put_rule(rule);
        for (const struct am_figure_row *row = f->figures; row && row->name; row++)
            put_figure(row);
        for (const struct am_bound_row *row = f->bounds; row && row->bench; row++)
            put_bound(row);
    }
    for (const struct am_worth_row *row = am_worth_rows; row->bench; row++) {
        put_name("bench", row->bench, row->bench, "worth");
        put_where(row->bench, row->where, "worth");
    }
    return 0;
}
