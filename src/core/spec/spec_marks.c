/* SPDX-License-Identifier: MIT */
/* The keys of an experiment file that say what a program does: its regions, its work. */
#include "core/spec/spec_reader.h"

#include <math.h>
#include <string.h>

enum { WORK_WORDS = 3 };

/* The program's regions are values of an axis that no template needs. */
enum am_status am_spec_key_mark(struct am_spec_reader *r, const char *value)
{
    struct am_spec_variable *v;
    enum am_status s = am_spec_variable_of(r, AM_SPEC_REGION, &v);

    if (s != AM_OK)
        return s;
    if (!r->now.test.marked && v->values.n)
        return am_spec_bad(r, "%s is a variable here; with marks it is the region", AM_SPEC_REGION);
    if (am_strings_have(&v->values, value))
        return AM_OK;
    if (v->values.n == AM_AXIS_VALUES_MAX)
        return am_spec_bad(r, "more than %d regions", AM_AXIS_VALUES_MAX);
    if (!am_spec_copy_list(&v->values, r->arena) || !am_strings_add(&v->values, r->arena, value))
        return am_spec_no_memory(r);
    v->place = r->place;
    v->declared = true;
    r->now.test.marked = true;
    return AM_OK;
}

/* The same of a region that some executions never enter: no call is a value. */
enum am_status am_spec_key_maybe(struct am_spec_reader *r, const char *value)
{
    const enum am_status s = am_spec_key_mark(r, value);

    if (s != AM_OK)
        return s;
    return am_strings_add(&r->now.test.maybe, r->arena, value) ? AM_OK : am_spec_no_memory(r);
}

/* What one execution does: numbers, variables and their products. */
enum am_status am_spec_key_work(struct am_spec_reader *r, const char *value)
{
    struct am_strings words;
    const char *why = "";
    enum am_status s = AM_OK;

    if (!am_spec_split(value, r->arena, &words, &why))
        return am_spec_bad(r, "%s", why);
    if (words.n > WORK_WORDS)
        return am_spec_bad(r, "write: work FLOPS [BYTES_READ [BYTES_WRITTEN]]");
    for (size_t i = 0; i < words.n && s == AM_OK; i++)
        s = am_spec_check_template(r, words.items[i]);
    r->now.test.work = words;
    return s;
}

bool am_spec_product(const char *text, double *out)
{
    double product = 1;

    for (;;) {
        const size_t n = strcspn(text, "*");
        double factor;

        if (!am_parse_f64(text, n, &factor) || !(factor >= 0 && factor < INFINITY))
            return false;
        product *= factor;
        if (!text[n])
            break;
        text += n + 1;
    }
    *out = product;
    return product < INFINITY;
}

/* One execution serves many points: nothing of these would be done once per point. */
bool am_spec_has_more(const struct am_spec_test *t)
{
    return t->results.n || t->work.n || t->iterations || t->prepare || t->cleanup || t->warmup ||
           t->any_code || t->resources || t->beside;
}
