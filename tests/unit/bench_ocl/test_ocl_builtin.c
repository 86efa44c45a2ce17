/* SPDX-License-Identifier: MIT */
/* The functions of ocl.builtin: Table 1 is complete, references and errors are right, chains stay
 * in their domain. */
#include "bench/ocl/units/builtin.h"
#include "tap.h"

#include <float.h>
#include <stdlib.h>

enum { SAMPLES = 512 };

static const struct am_builtin *find(const char *name)
{
    for (const struct am_builtin *b = am_builtins; b->name; b++) {
        if (strcmp(b->name, name) == 0)
            return b;
    }
    printf("Bail out! no function %s\n", name);
    exit(1);
}

static void check_table(void)
{
    static const int sizes[] = {0, 5, 2, 6, 10, 9, 8, 6, 8, 9}; /* of the paper's Table 1 */
    int counts[10] = {0}, twice = 0, listed = 0;

    for (const struct am_builtin *b = am_builtins; b->name; b++) {
        counts[b->group]++;
        listed += strcmp(am_builtin_names[b - am_builtins], b->name) == 0;
        for (const struct am_builtin *other = am_builtins; other != b; other++)
            twice += strcmp(other->name, b->name) == 0;
    }
    for (int g = 1; g < 10; g++)
        ok(counts[g] == sizes[g], "benchmark-%d of Table 1 has its %d functions", g, sizes[g]);
    ok(!twice, "no function is there twice");
    ok(listed == 63 + counts[0] && !am_builtin_names[listed], "the axis lists each in its place");
    ok(find("acospi")->group == 5, "the paper's acosp is acospi");
    ok(am_builtin_float_only(find("native_sin")) && am_builtin_float_only(find("half_powr")) &&
           !am_builtin_float_only(find("sin")),
       "half_ and native_ are for float alone");
}

/* Values that anyone can check by hand. */
static void check_references(void)
{
    static const struct {
        const char *name;
        double x, y, z, want, second;
    } cases[] = {
        {"sinpi", 0.5, 0, 0, 1, 0},
        {"sinpi", 1.5, 0, 0, -1, 0},
        {"sinpi", -3, 0, 0, 0, 0},
        {"cospi", 1, 0, 0, -1, 0},
        {"cospi", 0.5, 0, 0, 0, 0},
        {"cospi", -2, 0, 0, 1, 0},
        {"tanpi", 0.25, 0, 0, 1, 0},
        {"tanpi", -0.25, 0, 0, -1, 0},
        {"asinpi", 1, 0, 0, 0.5, 0},
        {"acospi", -1, 0, 0, 1, 0},
        {"atanpi", 1, 0, 0, 0.25, 0},
        {"atan2pi", 1, -1, 0, 0.75, 0},
        {"fract", -0.25, 0, 0, 0.75, -1},
        {"fract", 7.5, 0, 0, 0.5, 7},
        {"frexp", 8, 0, 0, 0.5, 4},
        {"modf", -2.5, 0, 0, -0.5, -2},
        {"remquo", 7, 2, 0, -1, 4},
        {"remquo", -29, 3, 0, 1, -10},
        {"rootn", 27, 3.9, 0, 3, 0},
        {"pown", 2, -3, 0, 0.125, 0},
        {"ldexp", 3, 4.5, 0, 48, 0},
        {"ilogb", 0.75, 0, 0, -1, 0},
        {"rsqrt", 16, 0, 0, 0.25, 0},
        {"exp10", 3, 0, 0, 1000, 0},
        {"fma", 2, 3, 4, 10, 0},
        {"fdim", 1, 3, 0, 0, 0},
        {"lgamma", 4, 0, 0, 1.791759469228055, 0},
        {"tgamma", 5, 0, 0, 24, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct am_builtin_operands in = {cases[i].x, cases[i].y, cases[i].z};
        long double second = 0;
        const double got = (double)find(cases[i].name)->reference(&in, true, &second);

        ok(fabs(got - cases[i].want) < 1e-15 * fmax(1, fabs(got)) &&
               (double)second == cases[i].second,
           "%s of %g, %g, %g is %g, %g", cases[i].name, in.x, in.y, in.z, cases[i].want,
           cases[i].second);
    }
}

static void check_ulps(void)
{
    const struct am_builtin_operands one = {1, 2, 0};
    long double p;

    is_near(am_builtin_ulps(false, nextafterf(1.5F, 2), 1.5L), 1, 0, "the next float is 1 ulp off");
    is_near(am_builtin_ulps(true, nextafter(1.5, 2), 1.5L), 1, 0, "so is the next double");
    is_near(am_builtin_ulps(false, nextafterf(1, 0), 1), 0.5, 0,
            "below a power of two numbers are closer: half of one there");
    is_near(am_builtin_ulps(true, 3, 3), 0, 0, "what is right is 0 ulp off");
    ok(isinf(am_builtin_ulps(false, (double)NAN, 1)) && isinf(am_builtin_ulps(true, INFINITY, 1)),
       "what is no number is infinitely far off");
    is_near((double)find("nextafter")->reference(&one, false, &p) - 1, FLT_EPSILON, 0,
            "nextafter steps by a float");
    is_near((double)find("nextafter")->reference(&one, true, &p) - 1, DBL_EPSILON, 0,
            "or by a double");
}

static double error_of(const char *name, bool wide, double x, double first, double second,
                       bool *wrong)
{
    const struct am_builtin_operands in = {x, 0, 0};
    const double got[2] = {first, second};

    return am_builtin_error(find(name), wide, &in, got, wrong);
}

static void check_errors(void)
{
    bool wrong;

    ok(error_of("sin", false, 1, sinf(1), 0, &wrong) < 1 && !wrong, "sinf() is no wrong sine");
    ok(error_of("sin", false, 1, cosf(1), 0, &wrong) > 1e6 && wrong, "a cosine is");
    ok(error_of("sin", false, 1, (double)nextafterf(nextafterf(sinf(1), 2), 2), 0, &wrong) > 1 &&
           !wrong,
       "two places off is an error, but not another function");
    ok(error_of("sin", false, 1, (double)NAN, 0, &wrong) > 1e30 && wrong, "no number is wrong");
    (void)error_of("sincos", true, 1, sin(1), sin(1), &wrong);
    ok(wrong, "the second result counts");
    (void)error_of("native_log", false, 1.0000001, 1e-4, 0, &wrong);
    ok(!wrong, "native_ functions may be far off where the result is small");
    (void)error_of("native_log", false, 100, 2, 0, &wrong);
    ok(wrong, "but not where it is not");
    (void)error_of("ilogb", false, 0.75, 0, 0, &wrong);
    ok(wrong, "an exponent that is off by one is wrong");
}

/* Every function: its samples are of the type, inside, and give results worth comparing. */
static void check_samples(const struct am_builtin *b, bool wide)
{
    size_t outside = 0, odd = 0, useless = 0;

    for (size_t i = 0; i < SAMPLES; i++) {
        const struct am_builtin_operands in = am_builtin_sample(b, wide, i, SAMPLES);
        long double second = 0;
        const long double want = b->reference(&in, wide, &second);

        outside +=
            in.x < (wide ? b->x.lo : (float)b->x.lo) || in.x > (wide ? b->x.hi : (float)b->x.hi);
        odd += !wide && (in.x != (float)in.x || in.y != (float)in.y || in.z != (float)in.z);
        useless += !(fabsl(want) <= (wide ? DBL_MAX : FLT_MAX)) ||
                   (fabsl(want) > 0 && fabsl(want) < (wide ? DBL_MIN : FLT_MIN));
    }
    ok(!outside && !odd && !useless,
       "%s samples of %s: %zu outside, %zu not of the type, %zu useless", wide ? "double" : "float",
       b->name, outside, odd, useless);
}

/* Every function: a chain by its reference stays where the table says, and does not stand still. */
static void check_chain(const struct am_builtin *b, bool wide)
{
    const uint64_t key = am_builtin_key(b, wide);
    const double lo = ldexp(1, b->chain.exponent);
    uint64_t x = am_builtin_start(0, key, 7, wide),
             y = am_builtin_start(0, key, ~UINT64_C(7), wide);
    size_t outside = 0, still = 0;

    for (uint32_t i = 1; i <= SAMPLES; i++) {
        const double second = b->chain.second;
        const struct am_builtin_operands in = {
            am_builtin_value(x, wide), second > 0 ? second : am_builtin_value(y, wide), 0.7};
        long double other = 0;
        const long double result = b->reference(&in, wide, &other);
        const double got[2] = {wide ? (double)result : (double)(float)result,
                               wide ? (double)other : (double)(float)other};
        const double size = b->chain.negative ? -in.x : in.x;

        outside += !(size >= lo && size < 2 * lo) || !isfinite(got[0]);
        y = x;
        x = am_builtin_next(b, wide, got, 0.7, am_builtin_turn(key, wide, i));
        still += x == y;
    }
    ok(!outside && still < 2, "a chain of %s %s stays in its domain: %zu outside, %zu still",
       wide ? "double" : "float", b->name, outside, still);
}

static void check_magnitudes(void)
{
    const struct am_builtin *const b = find("log");
    size_t below = 0;

    for (size_t i = 0; i < SAMPLES; i++)
        below += am_builtin_sample(b, true, i, SAMPLES).x < 1;
    ok(below == SAMPLES / 2, "a range of many decades is sampled by magnitude: half below 1");
    ok(am_builtin_sample(b, true, 5, SAMPLES).x == am_builtin_sample(b, true, 5, SAMPLES).x,
       "samples are the same each time");
    ok(am_builtin_start(0, 0, 1, false) != am_builtin_start(1, 0, 1, false) &&
           am_builtin_turn(0, true, 1) != am_builtin_turn(0, true, 2),
       "chains begin apart, and turns differ");
    ok(am_builtin_value(am_builtin_bits(-0.3, true), true) == -0.3 &&
           am_builtin_value(am_builtin_bits(-0.25, false), false) == -0.25,
       "bits and values are the same thing");
}

int main(void)
{
    check_table();
    check_references();
    check_ulps();
    check_errors();
    check_magnitudes();
    for (const struct am_builtin *b = am_builtins; b->name; b++) {
        for (int wide = 0; wide < 2 - am_builtin_float_only(b); wide++) {
            check_samples(b, wide);
            check_chain(b, wide);
        }
    }
    return tap_done();
}
