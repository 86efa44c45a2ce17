/* SPDX-License-Identifier: MIT */
/* The account of a point's time in sentences. */
#include "model/explain.h"

#include "base/text.h"

#include <math.h>

/* Even the best samples take less than the loops need by all accounts, or they did near. */
static bool is_refuted(const struct am_core_bound *c)
{
    return c->near.share > 0 ? c->inside_hi < 0 : c->share_lo > 1 - c->held;
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

static void add_part(const struct am_core_part *part, struct am_text *text)
{
    am_text_addf(text, "%.0f %% (%.0f to %.0f)", 100 * part->share, 100 * part->lo, 100 * part->hi);
}

/* The loops near, what of it is no prediction's, and what was waited for. */
static void add_near(const struct am_core_bound *c, struct am_text *text)
{
    am_text_add(text, " On data in the first-level cache they take ");
    add_part(&c->near, text);
    am_text_add(text, ", measured");
    if (c->begin.share >= told_least)
        am_text_addf(text, "; of that, to begin and end them, however often they turn, %.0f %%",
                     100 * c->begin.share);
    if (c->crossing.share >= told_least)
        am_text_addf(text, "; because its rows begin between lines of memory, %.0f %%",
                     100 * c->crossing.share);
    if (c->inside >= told_least)
        am_text_addf(text,
                     "; %.0f %% of it (%.0f to %.0f) are spent in the core beyond what its "
                     "instructions were predicted to need: measured, but not why",
                     100 * c->inside, 100 * c->inside_lo, 100 * c->inside_hi);
    if (c->inside <= -told_least)
        am_text_addf(text, "; %.0f %% were predicted beyond that", -100 * c->inside);
    am_text_add(text, ".");
    if (c->waited >= told_least)
        am_text_addf(text, " Where their data lie, %s takes %.0f %% more%s.",
                     c->far.share > 0 ? "the same" : "it", 100 * c->waited,
                     c->far.share > 0 ? ", measured" : "");
}

/* What moves the data: measured in place of roofs. */
static void add_moved(const struct am_explanation *e, struct am_text *text)
{
    const struct am_core_bound *const c = &e->core;

    if (c->walk.share > 0) {
        am_text_add(text, " To touch the same lines in the same order, without arithmetic, takes ");
        add_part(&c->walk, text);
        am_text_addf(text, ", measured, of which %.0f %% are taken in the first-level cache too.",
                     100 * c->walk_near.share);
        return;
    }
    if (c->moved > 0)
        am_text_addf(text, " Bytes from %s need %.0f %%.", am_tier_title(e->level), 100 * c->moved);
    if (c->moved_l2 > 0)
        am_text_addf(text, " Bytes that come from L2 again need %.0f %%.", 100 * c->moved_l2);
}

static void add_beside(const struct am_explanation *e, struct am_text *text)
{
    const struct am_core_bound *const c = &e->core;

    if (c->near.share > 0)
        add_near(c, text);
    add_moved(e, text);
    for (size_t i = 0; i < c->n_steps; i++) {
        am_text_addf(text, " Its step %s takes ", c->steps[i].name);
        add_part(&c->steps[i].part, text);
        am_text_add(text, ", measured.");
    }
    if (c->over >= told_least)
        am_text_addf(text, " Measured apart, these parts take %.0f %% more than the whole.",
                     100 * c->over);
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
    if (!is_refuted(&e->core) || e->core.near.share > 0)
        add_left(&e->core, &text);
    words = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return words;
}

/* "; 9 % in the core, not predicted", where it is so. */
static const char *inside_words(const struct am_core_bound *c, struct am_arena *arena)
{
    const char *const words =
        c->near.share > 0 && c->inside >= told_least
            ? am_arena_printf(arena, "; %.0f %% in the core, not predicted", 100 * c->inside)
            : "";

    return words ? words : "";
}

const char *am_explain_left(const struct am_explanation *e, struct am_arena *arena)
{
    const struct am_core_bound *const c = &e->core;

    if (!(c->share > 0))
        return NULL;
    if (is_refuted(c) && !(c->near.share > 0))
        return "its loops take less than their instructions were expected to: see its account";
    if (isnan(c->left_apart))
        return "nothing is concluded of grade C: see its account";
    if (c->left_beside - c->left_apart < told_least)
        return am_arena_printf(arena, "%.0f %% left, cause not measured%s: see its account",
                               100 * c->left_apart, inside_words(c, arena));
    return am_arena_printf(arena, "%.0f to %.0f %% left, cause not measured: see its account",
                           100 * c->left_apart, 100 * c->left_beside);
}
