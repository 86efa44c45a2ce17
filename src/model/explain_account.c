/* SPDX-License-Identifier: MIT */
/* The account of a point's time in sentences. */
#include "model/explain.h"

#include "base/text.h"

#include <math.h>

static bool is_refuted(const struct am_core_bound *c)
{
    return c->share_lo > 1 - c->held;
}

static void add_loops(const struct am_core_bound *c, struct am_text *text)
{
    am_text_addf(text,
                 "Its loops need %s%.0f %% of the time (%.0f to %.0f): %.3g cycles per pass, by "
                 "%s.",
                 c->unknown ? "at least " : "", 100 * c->share, 100 * c->share_lo,
                 100 * c->share_hi, c->cycles, c->limit);
    if (is_refuted(c))
        am_text_add(text, " Even its best samples take less: the model is wrong here.");
}

/* Less than this is no part of an account in whole percents. */
static const double told_least = 0.005;

static void add_beside(const struct am_explanation *e, struct am_text *text)
{
    const struct am_core_bound *const c = &e->core;

    if (c->near > 0)
        am_text_addf(text, " On data in the first-level cache they take %.0f %%, measured",
                     100 * c->near);
    if (c->begin >= told_least)
        am_text_addf(text, "; of that, to begin and end them, however often they turn, %.0f %%",
                     100 * c->begin);
    if (c->near > 0)
        am_text_add(text, ".");
    if (c->moved > 0)
        am_text_addf(text, " Bytes from %s need %.0f %%.", am_tier_title(e->level), 100 * c->moved);
    if (c->moved_l2 > 0)
        am_text_addf(text, " Bytes from L2 need %.0f %%.", 100 * c->moved_l2);
    for (size_t i = 0; i < c->n_steps; i++)
        am_text_addf(text, " Its step %s takes %.0f %%, measured.", c->steps[i].name,
                     100 * c->steps[i].share);
}

/* With its evidence: whose fault it is, the samples do not say. */
static void add_held(const struct am_explanation *e, struct am_text *text)
{
    const struct am_core_bound *const c = &e->core;
    const struct am_summary *const m = &e->measured;

    if (c->held >= told_least)
        am_text_addf(text,
                     " Its best samples do without %.0f %%: the same code and work, but samples "
                     "spread by %.0f %% inside of launches and by %.0f %% between them; %zu of %zu "
                     "were seen to be disturbed.",
                     100 * c->held, 100 * m->within, 100 * m->between, m->labelled, m->taken);
}

static void add_left(const struct am_core_bound *c, struct am_text *text)
{
    if (isnan(c->left_apart)) {
        am_text_add(text, " The point is of grade C: what is left is not concluded.");
        return;
    }
    am_text_addf(text, " %.0f %% are left", 100 * c->left_apart);
    if (c->left_beside - c->left_apart >= told_least)
        am_text_addf(text, " if loops and bytes come one after the other, %.0f %% if they overlap",
                     100 * c->left_beside);
    am_text_addf(text, " (%.0f to %.0f): their cause is not measured.", 100 * c->left_lo,
                 100 * c->left_hi);
}

enum { WORDS_MAX = 2048 };

const char *am_explain_account(const struct am_explanation *e, struct am_arena *arena)
{
    struct am_text text;
    const char *words;

    if (!(e->core.share > 0))
        return NULL;
    am_text_init(&text, WORDS_MAX);
    add_loops(&e->core, &text);
    add_beside(e, &text);
    add_held(e, &text);
    if (!is_refuted(&e->core))
        add_left(&e->core, &text);
    words = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return words;
}

const char *am_explain_left(const struct am_explanation *e, struct am_arena *arena)
{
    const struct am_core_bound *const c = &e->core;

    if (!(c->share > 0))
        return NULL;
    if (is_refuted(c))
        return "its loops take less than their instructions were expected to: see its account";
    if (isnan(c->left_apart))
        return "nothing is concluded of grade C: see its account";
    if (c->left_beside - c->left_apart < told_least)
        return am_arena_printf(arena, "%.0f %% left, cause not measured: see its account",
                               100 * c->left_apart);
    return am_arena_printf(arena, "%.0f to %.0f %% left, cause not measured: see its account",
                           100 * c->left_apart, 100 * c->left_beside);
}
