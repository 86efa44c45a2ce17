/* SPDX-License-Identifier: MIT */
/* The stencil: every method, form and layout against the reference, and its refusals. */
#include "app/stencil/reference.h"
#include "app/stencil/stencil.h"
#include "base/rng.h"
#include "kernels/isa.h"
#include "tap.h"

#include <stdlib.h>

enum { PAGE_BYTES = 4096, CASES = 10 };

/* One problem with its reference. */
struct trial {
    struct am_stencil_spec spec;
    struct am_stencil st;
    void *memory, *x; /* x: values of the element type */
    long double *want;
};

static double value(const struct trial *t, size_t i)
{
    return t->spec.type == AM_STENCIL_F32 ? (double)((const float *)t->x)[i]
                                          : ((const double *)t->x)[i];
}

static void set_value(const struct trial *t, size_t i, double v)
{
    if (t->spec.type == AM_STENCIL_F32)
        ((float *)t->x)[i] = (float)v;
    else
        ((double *)t->x)[i] = v;
}

/* The state is random, or 1 everywhere, at step 0; `want` is the state after `steps`. */
static bool trial_begin(struct trial *t, const struct am_stencil_spec *spec, size_t steps,
                        struct am_rng *rng)
{
    struct am_err err = {0};
    size_t bytes;

    *t = (struct trial){.spec = *spec};
    if (am_stencil_bytes(spec, &bytes, &err) != AM_OK)
        return false;
    t->memory = aligned_alloc(PAGE_BYTES, bytes);
    t->x = malloc(spec->n * sizeof(double));
    t->want = malloc((spec->n + 2 * steps) * sizeof(*t->want));
    memset(t->memory, 0xff, bytes); /* NaN: never a result */
    for (size_t i = 0; i < spec->n; i++)
        set_value(t, i, rng ? 2 * am_rng_unit(rng) - 1 : 1);
    for (size_t i = 0; i < spec->n + 2 * steps; i++)
        t->want[i] = value(t, (i + spec->n - steps % spec->n) % spec->n);
    am_stencil_reference(t->want, spec->n, steps, spec->r);
    return am_stencil_init(&t->st, spec, t->memory, &err) == AM_OK &&
           am_stencil_load(&t->st, t->x, &err) == AM_OK;
}

/* The largest difference from the reference; NaN counts as infinite. */
static double trial_error(struct trial *t)
{
    double worst = 0;

    memset(t->x, 0xff, t->spec.n * (t->spec.type == AM_STENCIL_F32 ? 4 : 8));
    am_stencil_store(&t->st, t->x);
    for (size_t i = 0; i < t->spec.n; i++) {
        const double off = fabs((double)(value(t, i) - t->want[i]));

        if (!(off <= worst))
            worst = isnan(off) ? INFINITY : off;
    }
    return worst;
}

static void trial_end(struct trial *t)
{
    free(t->memory);
    free(t->x);
    free(t->want);
}

static size_t below(struct am_rng *rng, size_t n)
{
    return (size_t)(am_rng_u64(rng) % n);
}

static const double rs[] = {0.25, 0.1, 0.4, 0.02, 1.0 / 3, 0.5, 0.001};

/* Small grids and large, few steps and more than there are points, passes of every depth. */
static bool check_random(struct am_stencil_spec spec, struct am_rng *rng, size_t *cases)
{
    for (int i = 0; i < CASES; i++) {
        const size_t steps = below(rng, i % 2 ? 12 : 150);
        struct trial t;
        double off;

        spec.n = 1 + below(rng, i < CASES / 2 ? 40 : 700);
        spec.depth = 1 + below(rng, i % 3 ? 20 : 90);
        spec.parts = 1 + below(rng, 3);
        if (i % 3 == 0) /* lanes of one length */
            spec.n = (1 + spec.n / 10) * spec.parts * spec.kernels->lanes[spec.type];
        spec.r = rs[below(rng, sizeof(rs) / sizeof(rs[0]))];
        if (!trial_begin(&t, &spec, steps, rng)) { /* centred, r = 1/2 */
            trial_end(&t);
            continue;
        }
        am_stencil_run(&t.st, steps);
        off = trial_error(&t);
        trial_end(&t);
        *cases += 1;
        if (!(off <= am_stencil_tolerance(spec.type, steps))) {
            printf("# %s %s width %u: n %zu, %zu steps, depth %zu, parts %zu, r %g: off by %g\n",
                   am_stencil_forms[spec.form], am_stencil_types[spec.type], spec.width, spec.n,
                   steps, spec.depth, spec.parts, spec.r, off);
            return false;
        }
    }
    return true;
}

static void test_methods(const struct am_stencil_variant *kernels, struct am_rng *rng)
{
    for (int method = 0; am_stencil_methods[method]; method++) {
        const bool slice = method == AM_STENCIL_BY_SLICE;
        size_t cases = 0;
        bool right = true;

        if (method == AM_STENCIL_BY_REGISTERS || method == AM_STENCIL_BY_WAVE ||
            (method == AM_STENCIL_BY_AUTO && strcmp(kernels->isa, "scalar") == 0))
            continue;
        for (unsigned width = 1; width <= (slice ? kernels->width_max : 1); width++) {
            for (int i = 0; i < AM_STENCIL_FORMS * AM_STENCIL_TYPES && right; i++) {
                const struct am_stencil_spec spec = {
                    .kernels = kernels,
                    .method = (enum am_stencil_method)method,
                    .form = (enum am_stencil_form)(i / AM_STENCIL_TYPES),
                    .type = (enum am_stencil_type)(i % AM_STENCIL_TYPES),
                    .width = width};

                right = check_random(spec, rng, &cases);
            }
        }
        ok(right && cases > 0, "%s %s: %zu random problems agree with the reference", kernels->isa,
           am_stencil_methods[method], cases);
    }
}

/* Grids of the few sizes that registers hold. */
static void test_held(const struct am_stencil_variant *kernels, struct am_rng *rng)
{
    size_t cases = 0;
    bool right = true;

    for (size_t i = 0; i < AM_STENCIL_HELD_WIDTHS * AM_STENCIL_FORMS * AM_STENCIL_TYPES; i++) {
        const size_t steps = below(rng, 150);
        struct am_stencil_spec spec = {
            .kernels = kernels,
            .method = AM_STENCIL_BY_REGISTERS,
            .form = (enum am_stencil_form)(i / AM_STENCIL_TYPES % AM_STENCIL_FORMS),
            .type = (enum am_stencil_type)(i % AM_STENCIL_TYPES),
            .r = rs[i % 5],
            .parts = 1};
        struct trial t;

        spec.n = kernels->held[i % AM_STENCIL_HELD_WIDTHS].width * kernels->lanes[spec.type];
        right = trial_begin(&t, &spec, steps, rng) && right;
        am_stencil_run(&t.st, steps);
        right = trial_error(&t) <= am_stencil_tolerance(spec.type, steps) && right;
        trial_end(&t);
        cases++;
    }
    ok(right, "%s registers: %zu random problems agree with the reference", kernels->isa, cases);
}

/* The plainest set that is sure to be there, but with several lanes. */
static struct am_stencil_spec some_spec(void)
{
    return (struct am_stencil_spec){.kernels = am_stencil_find(am_isa_names[1]),
                                    .method = AM_STENCIL_BY_SLICE,
                                    .type = AM_STENCIL_F64,
                                    .n = 211,
                                    .r = 0.3,
                                    .depth = 20,
                                    .width = 5,
                                    .parts = 3};
}

static void test_edges(struct am_rng *rng)
{
    static const struct {
        size_t n, steps, depth;
        const char *what;
    } cases[] = {
        {1, 5, 3, "one point"},
        {2, 7, 4, "two points, each other's neighbours twice"},
        {3, 100, 64, "fewer points than lanes, more steps than points"},
        {40, 0, 8, "no step at all"},
        {64, 64, 1, "passes of one step"},
        {17, 31, 31, "a pass longer than the grid"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_stencil_spec spec = some_spec();
        bool right = true;

        spec.n = cases[i].n;
        spec.depth = cases[i].depth;
        for (int form = 0; form < AM_STENCIL_FORMS; form++) {
            struct trial t;

            spec.form = (enum am_stencil_form)form;
            right = trial_begin(&t, &spec, cases[i].steps, rng) && right;
            am_stencil_run(&t.st, cases[i].steps);
            right = trial_error(&t) <= am_stencil_tolerance(spec.type, cases[i].steps) && right;
            trial_end(&t);
        }
        ok(right, "%s: right in all forms", cases[i].what);
    }
}

/* What these tests would not notice, they would not test. */
static void test_planted(struct am_rng *rng)
{
    struct am_stencil_spec spec = some_spec();
    struct trial t;
    struct am_stencil_pass pass;

    ok(trial_begin(&t, &spec, 20, rng), "a problem to spoil");
    am_stencil_run(&t.st, 19);
    ok(trial_error(&t) > 100 * am_stencil_tolerance(spec.type, 20), "a step too few is noticed");
    trial_end(&t);

    (void)trial_begin(&t, &spec, 20, rng);
    spec.r = 0.3001;
    (void)am_stencil_coefs(spec.form, spec.type, spec.r, &t.st.coefs, NULL);
    am_stencil_run(&t.st, 20);
    ok(trial_error(&t) > 100 * am_stencil_tolerance(spec.type, 20), "another r is noticed");
    trial_end(&t);

    (void)trial_begin(&t, &spec, 20, rng);
    pass = am_stencil_next(&t.st, &t.st.phase, 20);
    for (size_t part = 0; part < spec.parts; part++)
        am_stencil_exchange(&t.st, part, &pass);
    t.st.length--; /* the last vector of each part is left as it was */
    for (size_t part = 0; part < spec.parts; part++)
        am_stencil_advance(&t.st, part, &pass);
    t.st.length++;
    ok(trial_error(&t) > 100 * am_stencil_tolerance(spec.type, 20), "a seam off by one is noticed");
    trial_end(&t);
}

/* Blocks of an executor: any order within exchange and within advance. */
static void test_blocks(struct am_rng *rng)
{
    static const enum am_stencil_method methods[] = {AM_STENCIL_BY_AUTO, AM_STENCIL_BY_PREFETCH,
                                                     AM_STENCIL_BY_SLICE};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        struct am_stencil_spec spec = some_spec();
        struct trial t;
        size_t left = 50;

        spec.method = methods[i];
        spec.form = AM_STENCIL_scaled;
        (void)trial_begin(&t, &spec, left, rng);
        while (left) {
            const struct am_stencil_pass pass = am_stencil_next(&t.st, &t.st.phase, left);

            for (size_t part = spec.parts; part-- > 0;)
                am_stencil_exchange(&t.st, part, &pass);
            for (size_t part = spec.parts; part-- > 0;)
                am_stencil_advance(&t.st, part, &pass);
            am_stencil_passed(&t.st, &t.st.phase, &pass);
            left -= pass.steps;
        }
        ok(trial_error(&t) <= am_stencil_tolerance(spec.type, 50), "%s: parts in any order",
           am_stencil_methods[methods[i]]);
        trial_end(&t);
    }
}

static double error_of(enum am_stencil_form form, enum am_stencil_type type, double r,
                       struct am_rng *rng)
{
    struct am_stencil_spec spec = some_spec();
    struct trial t;
    double off = INFINITY;

    spec.form = form;
    spec.type = type;
    spec.r = r;
    spec.n = 501;
    spec.depth = 60;
    spec.parts = 1;
    if (trial_begin(&t, &spec, 600, rng)) {
        am_stencil_run(&t.st, 600);
        off = trial_error(&t);
    }
    trial_end(&t);
    return off;
}

/* Over all r for which the cheaper form is chosen, on the same data. */
static void test_accuracy(void)
{
    static const double choices[] = {0.5,  0.45, 0.4,  0.35, 1.0 / 3, 0.3,
                                     0.25, 0.2,  0.15, 0.1,  0.05};

    for (int type = 0; type < AM_STENCIL_TYPES; type++) {
        double paper = 0, scaled = 0;

        for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
            for (uint64_t seed = 1; seed <= 3; seed++) {
                struct am_rng one, two;

                am_rng_seed(&one, seed, 0);
                two = one;
                paper = fmax(paper, error_of(AM_STENCIL_paper, (enum am_stencil_type)type,
                                             choices[i], &one));
                scaled = fmax(scaled, error_of(am_stencil_form_for(choices[i]),
                                               (enum am_stencil_type)type, choices[i], &two));
            }
        }
        ok(scaled <= paper, "%s: the form chosen is off by %.2g at most, the paper's by %.2g",
           am_stencil_types[type], scaled, paper);
        ok(paper < (type ? 1e-14 : 6e-6), "%s: and both by little", am_stencil_types[type]);
    }
    ok(am_stencil_form_for(0.01) == AM_STENCIL_paper, "small r keep the paper's form");
}

/* What a step gains or loses, it gains or loses a thousand times. */
static void test_conservation(void)
{
    static const double choices[] = {0.1, 0.3, 1.0 / 3, 0.45, 0.007};

    for (int i = 0; i < AM_STENCIL_FORMS * AM_STENCIL_TYPES; i++) {
        struct am_stencil_spec spec = some_spec();
        double worst = 0;

        spec.form = (enum am_stencil_form)(i / AM_STENCIL_TYPES);
        spec.type = (enum am_stencil_type)(i % AM_STENCIL_TYPES);
        for (size_t k = 0; k < sizeof(choices) / sizeof(choices[0]); k++) {
            struct trial t;

            spec.r = choices[k];
            spec.depth = 100;
            (void)trial_begin(&t, &spec, 1000, NULL);
            am_stencil_run(&t.st, 1000);
            worst = fmax(worst, trial_error(&t));
            trial_end(&t);
        }
        ok(worst <= 250 * (spec.type == AM_STENCIL_F32 ? 0x1p-23 : 0x1p-52),
           "%s %s: a constant state is off by %.2g after 1000 steps", am_stencil_forms[spec.form],
           am_stencil_types[spec.type], worst);
    }
}

static void test_refusals(void)
{
    static const struct {
        const char *isa;
        enum am_stencil_method method;
        enum am_stencil_form form;
        double r;
        unsigned width;
        size_t n, depth;
        const char *reason;
    } cases[] = {
        {"scalar", AM_STENCIL_BY_AUTO, AM_STENCIL_paper, 0.25, 1, 9, 1, "no vectors"},
        {"scalar", AM_STENCIL_BY_SCALAR, AM_STENCIL_paper, 0, 1, 9, 1, "r is above 0"},
        {"scalar", AM_STENCIL_BY_SCALAR, AM_STENCIL_paper, 0.51, 1, 9, 1, "at most 0.5"},
        {"scalar", AM_STENCIL_BY_SCALAR, AM_STENCIL_paper, NAN, 1, 9, 1, "r is above 0"},
        {"scalar", AM_STENCIL_BY_SCALAR, AM_STENCIL_centred, 0.5, 1, 9, 1, "leaves the range"},
        {"scalar", AM_STENCIL_BY_SLICE, AM_STENCIL_paper, 0.25, 0, 9, 1, "slices of 1 to"},
        {"scalar", AM_STENCIL_BY_SLICE, AM_STENCIL_paper, 0.25, 29, 9, 1, "slices of 1 to"},
        {"scalar", AM_STENCIL_BY_SLICE, AM_STENCIL_paper, 0.25, 3, 9, 0, "1 step or more"},
        {"scalar", AM_STENCIL_BY_SKEW, AM_STENCIL_paper, 0.25, 3, 0, 1, "0 grid points"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_stencil_spec spec = {am_stencil_find(cases[i].isa),
                                             cases[i].method,
                                             cases[i].form,
                                             AM_STENCIL_F64,
                                             cases[i].n,
                                             cases[i].r,
                                             cases[i].depth,
                                             cases[i].width,
                                             1};
        struct am_err err = {0};
        size_t bytes;

        ok(am_stencil_bytes(&spec, &bytes, &err) == AM_E_ABSENT &&
               strstr(err.text, cases[i].reason) && bytes == 0,
           "%s is refused: %s", am_stencil_methods[cases[i].method], err.text);
    }
}

/* What a form that scales cannot hold is refused before it overflows. */
static void test_magnitude(struct am_rng *rng)
{
    struct am_stencil_spec spec = some_spec();
    struct am_err err = {0};
    struct trial t;

    spec.type = AM_STENCIL_F32;
    spec.form = AM_STENCIL_scaled;
    (void)trial_begin(&t, &spec, 0, rng);
    set_value(&t, 3, 2 * am_stencil_magnitude(spec.form, spec.type));
    ok(am_stencil_load(&t.st, t.x, &err) == AM_E_LIMIT && strstr(err.text, "point 3"),
       "values that leave no room for growth are refused: %s", err.text);
    set_value(&t, 3, NAN);
    ok(am_stencil_load(&t.st, t.x, &err) == AM_E_LIMIT, "so is what is no number");
    for (size_t i = 0; i < spec.n; i++)
        set_value(&t, i, am_stencil_magnitude(spec.form, spec.type));
    ok(am_stencil_load(&t.st, t.x, NULL) == AM_OK, "the largest magnitude is taken");
    am_stencil_run(&t.st, 400);
    am_stencil_store(&t.st, t.x);
    ok(fabs(value(&t, 7) / am_stencil_magnitude(spec.form, spec.type) - 1) < 1e-5,
       "and does not overflow");
    trial_end(&t);
}

int main(void)
{
    struct am_rng rng;

    am_rng_seed(&rng, 4, 0);
    for (int i = 0; am_isa_names[i]; i++) {
        if (am_isa_why_not(am_isa_names[i]))
            continue;
        test_methods(am_stencil_find(am_isa_names[i]), &rng);
        test_held(am_stencil_find(am_isa_names[i]), &rng);
    }
    test_edges(&rng);
    test_planted(&rng);
    test_blocks(&rng);
    test_accuracy();
    test_conservation();
    test_refusals();
    test_magnitude(&rng);
    return tap_done();
}
