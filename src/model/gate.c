/* SPDX-License-Identifier: MIT */
/* What keeps a comparison from passing as a gate. */
#include "model/gate.h"

#include "base/text.h"
#include "model/pairs.h"

enum { WHY_BYTES = 4096, NAMED_MAX = 3 };

/* Rows that look slower beyond delta and are not decided. */
static bool looks_slower(const struct am_comparison_row *row)
{
    return am_row_is_open(row) && row->change.d > 0;
}

static size_t tell_slower(const struct am_comparison *c, struct am_text *why)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct am_comparison_row *const row = &c->rows[i];

        if (!looks_slower(row) || n++ >= NAMED_MAX)
            continue;
        am_text_addf(why, "%s%s %s (%s, x%.3g)",
                     n > 1 ? ", " : "; looks slower and is not decided: ", row->a->bench,
                     row->a->text, am_verdict_name(row->verdict), 1 / row->speedup);
    }
    if (n > NAMED_MAX)
        am_text_addf(why, " and %zu more", n - NAMED_MAX);
    return n;
}

static size_t tell_lost(const struct am_comparison *c, struct am_text *why)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_missing; i++) {
        const struct am_missing_row *const row = &c->missing[i];

        if (!row->lost || n++ >= NAMED_MAX)
            continue;
        am_text_addf(why, "%s%s %s (%s)",
                     n > 1 ? ", " : "; the base has what cannot be compared: ", row->result->bench,
                     row->result->text, row->why);
    }
    if (n > NAMED_MAX)
        am_text_addf(why, " and %zu more", n - NAMED_MAX);
    return n;
}

enum am_gate am_gate_of(const struct am_comparison *c, const struct am_gate_demands *demands,
                        struct am_arena *arena, const char **why)
{
    const size_t undecided = c->count[AM_VERDICT_SUSPECT] + c->count[AM_VERDICT_UNDECIDED];
    struct am_text text;
    bool open;
    char *copy;

    am_text_init(&text, WHY_BYTES);
    open = tell_slower(c, &text) > 0;
    open |= tell_lost(c, &text) > 0;
    if (c->n == undecided) {
        am_text_addf(&text, "; %s", c->n ? "no row is decided" : "nothing can be compared");
        open = true;
    }
    if (demands->decided && undecided) {
        am_text_addf(&text, "; %zu rows are not decided", undecided);
        open = true;
    }
    if (demands->complete && c->n_missing) {
        am_text_addf(&text, "; %zu points cannot be compared", c->n_missing);
        open = true;
    }
    copy = am_arena_strdup(arena, text.len ? am_text_str(&text) + 2 : "");
    *why = copy ? copy : "";
    am_text_fini(&text);
    if (c->count[AM_VERDICT_SLOWER])
        return AM_GATE_FAILED;
    return open ? AM_GATE_OPEN : AM_GATE_PASSED;
}
