/* SPDX-License-Identifier: MIT */
/* The keys of an experiment file that speak of a program's own measurements: its regions. */
#include "core/spec/spec_reader.h"

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

/* One execution serves many points: nothing of these would be done once per point. */
bool am_spec_has_more(const struct am_spec_test *t)
{
    return t->results.n || t->iterations || t->prepare || t->cleanup || t->warmup || t->any_code ||
           t->resources;
}
