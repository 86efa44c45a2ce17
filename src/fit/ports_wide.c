/* SPDX-License-Identifier: MIT */
/* Whether a core has other ports while wide vectors are about, and which. */
#include "fit/ports.h"

#include <math.h>

enum {
    TESTED = 4,      /* every so many mixes with a wide class test what the others say */
    TESTS_LEAST = 8, /* fewer tell nothing */
};
/* Deviations of a mean by which it must differ from zero, to differ for certain. */
static const double for_certain = 2;

/* With a wide class or without one, and of those with one: which. */
enum part {
    NARROW = 1 << 0,
    WIDE_FITTED = 1 << 1,
    WIDE_TESTING = 1 << 2,
    WIDE = WIDE_FITTED | WIDE_TESTING,
};

static bool has_wide(const struct am_resources_input *input, const struct am_resources_mix *mix)
{
    for (size_t k = 0; k < mix->n; k++) {
        if (input->wide[mix->uses[k].kind])
            return true;
    }
    return false;
}

/* Mixes of these parts, and what each class takes alone there. False: none, or no memory. */
static bool choose(const struct am_resources_input *input, unsigned parts, struct am_arena *arena,
                   struct am_resources_input *out)
{
    const bool only_wide = !(parts & NARROW) && input->alone_wide;
    struct am_resources_mix *const mixes = am_arena_array(arena, input->n, sizeof(*mixes));
    double *const alone = am_arena_array(arena, input->kinds, sizeof(*alone));
    size_t seen = 0;

    if (!mixes || !alone)
        return false;
    for (size_t c = 0; c < input->kinds; c++)
        alone[c] =
            only_wide && !isnan(input->alone_wide[c]) ? input->alone_wide[c] : input->alone[c];
    *out = *input;
    out->mixes = mixes;
    out->alone = alone;
    out->n = 0;
    for (size_t i = 0; i < input->n; i++) {
        enum part part = NARROW;

        if (has_wide(input, &input->mixes[i]))
            part = ++seen % TESTED ? WIDE_FITTED : WIDE_TESTING;
        if (parts & part)
            mixes[out->n++] = input->mixes[i];
    }
    return out->n > 0;
}

bool am_portsets_choose(const struct am_resources_input *input, bool wide, struct am_arena *arena,
                        struct am_resources_input *out)
{
    return choose(input, wide ? WIDE : NARROW, arena, out);
}

bool am_portsets_has_wide(const struct am_resources_input *input)
{
    size_t n = 0;

    for (size_t i = 0; input->wide && i < input->n; i++)
        n += has_wide(input, &input->mixes[i]);
    return n > 0 && n < input->n;
}

static double error_of(const struct am_portsets_model *model, const struct am_resources_mix *mix)
{
    return fabs(am_portsets_cycles(model, mix->uses, mix->n, NULL) / mix->cycles - 1);
}

/* Whether the second explains the mixes better than the first for certain, and by more than they
 * scatter. */
static bool is_better(const struct am_resources_input *tests, const struct am_portsets_model *first,
                      const struct am_portsets_model *second)
{
    const double n = (double)tests->n;
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < tests->n; i++) {
        const double gain = error_of(first, &tests->mixes[i]) - error_of(second, &tests->mixes[i]);

        sum += gain;
        squares += gain * gain;
    }
    mean = sum / n;
    return tests->n >= TESTS_LEAST &&
           mean > for_certain * sqrt(fmax(squares / n - mean * mean, 0) / (n - 1)) &&
           mean > tests->noise;
}

/* One set of ports for all mixes but those that test, and one for the wide ones among them. */
static bool compare(const struct am_resources_input *input, struct am_arena *arena,
                    struct am_portsets_modes *m)
{
    struct am_resources_input all, fitted, tests;
    struct am_portsets_model same, other;

    if (!choose(input, NARROW | WIDE_FITTED, arena, &all) ||
        !choose(input, WIDE_FITTED, arena, &fitted) || !choose(input, WIDE_TESTING, arena, &tests))
        return true;
    if (!am_portsets_fit_from(&all, &m->narrow, arena, &same) ||
        !am_portsets_fit_from(&fitted, &m->narrow, arena, &other))
        return false;
    m->apart = is_better(&tests, &same, &other);
    m->wide = other;
    return true;
}

/* A wide class is never without itself, but stands for narrower instructions that were not
 * measured: it has the same ports for these. */
static void lend_wide(const struct am_resources_input *input, struct am_portsets_modes *m)
{
    for (size_t c = 0; c < input->kinds; c++) {
        if (input->wide[c])
            m->narrow.uses[c] = m->wide.uses[c];
    }
}

bool am_portsets_fit_modes(const struct am_resources_input *input, struct am_arena *arena,
                           struct am_portsets_modes *out)
{
    struct am_resources_input narrow, wide;
    struct am_portsets_model rough;

    *out = (struct am_portsets_modes){.apart = false};
    if (!choose(input, NARROW, arena, &narrow) || !am_portsets_fit(&narrow, arena, &out->narrow) ||
        !compare(input, arena, out))
        return false;
    rough = out->wide;
    if (!out->apart)
        return am_portsets_fit(input, arena, &out->narrow);
    if (!choose(input, WIDE, arena, &wide) ||
        !am_portsets_fit_from(&wide, &rough, arena, &out->wide))
        return false;
    lend_wide(input, out);
    return true;
}
