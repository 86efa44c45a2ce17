/* SPDX-License-Identifier: MIT */
/* Facts of one family from a run made by hand, and what a test wants of them. */
#ifndef AM_TESTS_FAMILY_FIXTURE_H
#define AM_TESTS_FAMILY_FIXTURE_H

#include "family/families.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Settles the run and applies the family's rules. */
static inline struct am_facts fx_derive(struct rx_run *run, const struct am_family *family)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(family, &run->set, &facts);
    return facts;
}

/* The only fact of that name and labels has the value, within a relative 3e-3; NAN: there is none.
 */
static inline void fx_check(const struct am_facts *facts, const char *name, const char *where,
                            double want, const char *of)
{
    const struct am_fact *const f = am_facts_only(facts, name, where);

    if (isnan(want)) {
        ok(!am_facts_next(facts, name, where, NULL), "%s: nothing is said of %s %s", of, name,
           where ? where : "");
        return;
    }
    ok(f && fabs(f->value / want - 1) < 3e-3, "%s: %s %s is %g, meant to be %g", of, name,
       where ? where : "", f ? f->value : NAN, want);
    ok(f && f->ci.lo <= f->value && f->value <= f->ci.hi && f->evidence && f->what,
       "with its interval and evidence: %s", f ? f->evidence : "none");
}

/* The row of a figure; the family has it, or the test ends. */
static inline const struct am_figure_row *fx_figure(const struct am_family *family,
                                                    const char *name)
{
    const struct am_figure_row *row = family->figures;

    while (row->name && strcmp(row->name, name) != 0)
        row++;
    if (!ok(row->name != NULL, "there is a figure %s", name))
        exit(tap_done());
    return row;
}

#endif
