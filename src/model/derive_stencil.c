/* SPDX-License-Identifier: MIT */
/* What app.stencil shows: how near the arithmetic comes to its bound, what time slices are worth,
 * and from how many steps on a Fourier transform is faster than all stepping. */
#include "model/derive.h"

#include <math.h>
#include <string.h>

static bool is(const struct am_result *r, const char *param, const char *text)
{
    const char *const value = am_result_text(r, param);

    return value && strcmp(value, text) == 0;
}

static bool same(const struct am_result *a, const struct am_result *b, const char *param)
{
    const char *const value = am_result_text(a, param);

    return value && is(b, param, value);
}

/* One thread of the processor, one dimension: what the facts compare. */
static bool is_line(const struct am_result *r)
{
    return strcmp(r->bench, "app.stencil") == 0 && is(r, "dim", "1") && is(r, "device", "cpu") &&
           is(r, "threads", "1") && am_result_text(r, "type") && am_result_text(r, "variant");
}

static bool is_stepped(const struct am_result *r)
{
    return is_line(r) && !is(r, "variant", "fft") && !is(r, "variant", "registers");
}

/* The one with the highest median of a metric, of those that `fits` takes beside `like`. */
typedef bool fits_fn(const struct am_result *r, const struct am_result *like);

static const struct am_result *best_of(const struct am_result_set *set, const char *metric,
                                       const struct am_result *like, fits_fn *fits,
                                       struct am_summary *best)
{
    const struct am_result *found = NULL;
    struct am_summary s;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (!is_stepped(r) || !fits(r, like) || !am_result_summary(r, metric, &s) ||
            (found && s.median <= best->median))
            continue;
        found = r;
        *best = s;
    }
    return found;
}

static bool fits_form(const struct am_result *r, const struct am_result *like)
{
    return same(r, like, "type") && same(r, like, "form");
}

static bool fits_size(const struct am_result *r, const struct am_result *like)
{
    return same(r, like, "type") && same(r, like, "n") && same(r, like, "r");
}

static bool fits_slice(const struct am_result *r, const struct am_result *like)
{
    return fits_size(r, like) && is(r, "variant", "slice");
}

static bool fits_auto(const struct am_result *r, const struct am_result *like)
{
    return fits_size(r, like) && is(r, "variant", "auto");
}

static void add_share(const struct am_result_set *set, const struct am_result *like,
                      struct am_facts *facts)
{
    struct am_summary s;
    const struct am_result *const r = best_of(set, "bound_share", like, fits_form, &s);
    struct am_arena *const a = facts->arena;

    if (!r)
        return;
    am_facts_offer(facts,
                   (struct am_fact){
                       .id = am_arena_printf(a, "stencil.%s.%s.bound_share",
                                             am_result_text(r, "type"), am_result_text(r, "form")),
                       .what = "part of the arithmetic bound that finite differences reach",
                       .unit = "",
                       .value = s.median,
                       .ci = s.ci,
                       .evidence = am_arena_printf(a, "app.stencil %s", r->text),
                   });
}

/* On a grid that both were measured on. */
static void add_gain(const struct am_result_set *set, const struct am_result *like,
                     struct am_facts *facts)
{
    struct am_summary slice, plain;
    struct am_arena *const a = facts->arena;
    struct am_fact fact = {
        .id = am_arena_printf(a, "stencil.%s.n%s.slice_gain", am_result_text(like, "type"),
                              am_result_text(like, "n")),
        .what = "time slices over loops that the compiler vectorised",
        .unit = "",
    };
    const struct am_result *const r = best_of(set, "updates", like, fits_slice, &slice);

    if (!r || !best_of(set, "updates", like, fits_auto, &plain))
        return;
    am_fact_set_ratio(&fact, &slice, &plain);
    fact.evidence = am_arena_printf(a, "app.stencil %s, over variant=auto", r->text);
    am_facts_offer(facts, fact);
}

/* Steps whose stepping takes as long as a transform, which takes the same for any number. */
static void add_break_even(const struct am_result_set *set, const struct am_result *fft,
                           struct am_facts *facts)
{
    struct am_summary updates, time;
    const double points = am_result_number(fft, "n");
    struct am_arena *const a = facts->arena;
    struct am_fact fact = {
        .id = am_arena_printf(a, "stencil.%s.n%s.fft_steps", am_result_text(fft, "type"),
                              am_result_text(fft, "n")),
        .what = "steps from which on a Fourier transform is faster, for constant coefficients",
        .unit = "",
    };
    const struct am_result *const r = best_of(set, "updates", fft, fits_size, &updates);

    if (!r || !(points > 0) || !am_result_summary(fft, "time", &time))
        return;
    fact.value = time.median * updates.median / points;
    fact.ci = (struct am_interval){time.ci.lo * updates.ci.lo / points,
                                   time.ci.hi * updates.ci.hi / points,
                                   fmax(time.ci.coverage + updates.ci.coverage - 1, 0)};
    fact.evidence =
        am_arena_printf(a, "app.stencil variant=fft against the fastest steps: %s", r->text);
    am_facts_offer(facts, fact);
}

void am_derive_stencil(const struct am_result_set *set, struct am_facts *facts)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        if (is_stepped(r))
            add_share(set, r, facts);
        if (is_stepped(r) && is(r, "variant", "slice"))
            add_gain(set, r, facts);
        if (is_line(r) && is(r, "variant", "fft"))
            add_break_even(set, r, facts);
    }
}
