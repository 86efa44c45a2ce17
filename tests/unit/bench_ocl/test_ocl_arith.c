/* SPDX-License-Identifier: MIT */
/* ocl.arith without a device: half precision, shapes, and chains against closed forms. */
#include "bench/ocl/units/arith.h"
#include "tap.h"

enum { STEPS = 64, LONG = 1 << 16 };

static void check_half(void)
{
    static const struct {
        double value;
        uint16_t bits;
        const char *what;
    } cases[] = {
        {0, 0x0000, "zero"},
        {1, 0x3c00, "one"},
        {-2, 0xc000, "minus two"},
        {65504, 0x7bff, "the largest"},
        {65520, 0x7c00, "half way beyond it: infinity"},
        {0x1p-14, 0x0400, "the smallest normal one"},
        {1 + 0x1p-11, 0x3c00, "a tie goes to the even one below"},
        {1 + 3 * 0x1p-11, 0x3c02, "a tie goes to the even one above"},
        {1 + 0x1p-11 + 0x1p-30, 0x3c01, "just above a tie"},
        {2 - 0x1p-12, 0x4000, "rounding carries into the exponent"},
        {1 / 3.0, 0x3555, "one third"},
    };
    unsigned wrong = 0;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_arith_to_half(cases[i].value) == cases[i].bits, "%s: %#x", cases[i].what,
           (unsigned)am_arith_to_half(cases[i].value));
    for (unsigned bits = 0x0400; bits < 0x7c00; bits++)
        wrong += am_arith_to_half(am_arith_from_half((uint16_t)bits)) != bits;
    ok(wrong == 0, "every normal number comes back: %u do not", wrong);
}

static void check_unroll(void)
{
    static const struct {
        unsigned chains, width, native, want;
    } cases[] = {
        {1, 1, 1, 256}, {1, 16, 16, 256}, {8, 16, 8, 16}, {12, 8, 8, 16},
        {4, 4, 0, 16},  {16, 16, 1, 8},   {1, 1, 0, 256}, {2, 2, 4, 128},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_arith_unroll(cases[i].chains, cases[i].width, cases[i].native) == cases[i].want,
           "%u chains of %u, %u native: %u steps", cases[i].chains, cases[i].width, cases[i].native,
           cases[i].want);
}

static void check_shapes(void)
{
    const struct am_arith_shape fma = {.op = AM_ARITH_FMA,
                                       .type = AM_ARITH_FLOAT,
                                       .quadratic = true,
                                       .width = 8,
                                       .chains = 4,
                                       .unroll = 32};
    const struct am_arith_shape sum = {
        .op = AM_ARITH_ADD, .type = AM_ARITH_INT, .width = 1, .chains = 1, .unroll = 8};
    char text[128];

    ok(am_arith_options(&fma, text, sizeof(text)), "options fit");
    is_str(text, "-DTYPE=float -DWIDTH=8 -DCHAINS=4 -DUNROLL=32 -DOP_FMA -DQUADRATIC",
           "options say all that varies");
    (void)am_arith_options(&sum, text, sizeof(text));
    is_str(text, "-DTYPE=uint -DWIDTH=1 -DCHAINS=1 -DUNROLL=8 -DOP_ADD -DTWO",
           "sums of whole numbers have two values a chain");
    ok(!am_arith_options(&fma, text, 20), "options that do not fit are refused");
    ok(am_arith_refusal(AM_ARITH_FMA, AM_ARITH_INT, false), "there is no fma of whole numbers");
    ok(am_arith_refusal(AM_ARITH_ADD, AM_ARITH_FLOAT, true), "there is no quadratic sum");
    ok(!am_arith_refusal(AM_ARITH_MULADD, AM_ARITH_INT, true), "x*x+r of whole numbers is there");
}

struct chain {
    struct am_arith_shape shape;
    double operands[AM_ARITH_OPERANDS], seeds[AM_ARITH_CHAINS_MAX * AM_ARITH_WIDTH_MAX];
};

static struct chain make(enum am_arith_op op, enum am_arith_type type, bool quadratic)
{
    struct chain c = {
        .shape = {
            .op = op, .type = type, .quadratic = quadratic, .width = 4, .chains = 1, .unroll = 8}};

    am_arith_operands(&c.shape, c.operands);
    am_arith_seeds(&c.shape, 7, c.seeds);
    return c;
}

static double after(const struct chain *c, size_t item, uint64_t steps)
{
    const struct am_arith_data data = {c->operands, c->seeds, false};

    return am_arith_expected(&c->shape, &data, item, 2, steps);
}

/* Where two steps, n times, bring a start value: by formula and not by steps. */
static double closed_form(const struct chain *c, double x, double n)
{
    const double p = am_arith_element(c->shape.type, c->operands, 0);
    const double q = am_arith_element(c->shape.type, c->operands, 1);
    const double r = am_arith_element(c->shape.type, c->operands, 2);

    switch (c->shape.op) {
    case AM_ARITH_ADD: return x + n * (p + q);
    case AM_ARITH_SUB: return x + n * (q - p);
    case AM_ARITH_MUL: return x * pow(p * q, n);
    case AM_ARITH_DIV: return x * pow(q / p, n);
    default: return x * pow(p * q, n) + n * r * (q + 1); /* p * q is 1 but for its rounding */
    }
}

static void check_real(enum am_arith_op op, enum am_arith_type type)
{
    const struct chain c = make(op, type, false);
    const double x = am_arith_element(type, c.seeds, 2) + 3 * 0x1p-8;
    const double far = after(&c, 3, LONG), near = after(&c, 3, STEPS);
    const double away = fabs(after(&c, 4, STEPS) - near) / fabs(near);

    is_near(near, closed_form(&c, x, STEPS / 2.0), type == AM_ARITH_FLOAT ? 1e-5 : 1e-12,
            "a chain is where its formula says");
    ok(isfinite(far) && fabs(far) > 0.1 && fabs(far) < 1e5,
       "%s of %s stays in bounds: %g after %d steps", am_arith_ops[op], am_arith_types[type], far,
       LONG);
    ok(away > am_arith_tolerance(&c.shape, STEPS),
       "another item's result is no substitute: %g away, %g allowed", away,
       am_arith_tolerance(&c.shape, STEPS));
}

static void check_quadratic(enum am_arith_op op)
{
    const struct chain c = make(op, AM_ARITH_DOUBLE, true);
    unsigned at_rest = 0;

    for (uint64_t steps = LONG; steps < LONG + 64; steps += 2) {
        const double x = after(&c, 0, steps);

        at_rest += fabs(after(&c, 0, steps + 2) - x) < 1e-9 || fabs(x) > 1.8;
    }
    ok(at_rest == 0, "a quadratic chain stays within 1.8 and never comes to rest: %u times",
       at_rest);
}

/* A chain that comes to rest would hide that turns were dropped. */
static void check_unrest(enum am_arith_op op, enum am_arith_type type)
{
    const struct chain c = make(op, type, false);
    const double far = after(&c, 3, LONG), quarter = after(&c, 3, LONG / 4);
    const double away = fabs(far - quarter) / fabs(far);

    ok(away > 2 * am_arith_tolerance(&c.shape, LONG),
       "%s of %s: a quarter of the steps ends %g away, %g allowed", am_arith_ops[op],
       am_arith_types[type], away, am_arith_tolerance(&c.shape, LONG));
}

static void check_whole(void)
{
    const struct chain sum = make(AM_ARITH_ADD, AM_ARITH_INT, false);
    const struct chain quotient = make(AM_ARITH_DIV, AM_ARITH_INT, false);
    const uint32_t x = (uint32_t)am_arith_element(AM_ARITH_INT, sum.seeds, 2), y = 2 * x + 1;
    const double far = after(&quotient, 0, LONG);

    /* x += y, y += x, twice: 2x + 3y and 3x + 5y. */
    is_near(after(&sum, 0, 4), (double)(uint32_t)(2 * x + 3 * y + 3 * x + 5 * y), 0,
            "sums of whole numbers go by Fibonacci's numbers");
    ok(far > 100 && far < 1e5, "quotients of whole numbers never become zero: %g", far);
    ok(am_arith_tolerance(&sum.shape, LONG) <= 0, "whole numbers are exact");
}

static void check_sum_of_chains(void)
{
    struct chain c = make(AM_ARITH_ADD, AM_ARITH_DOUBLE, false);
    double sum = 0;

    c.shape.chains = 3;
    am_arith_seeds(&c.shape, 7, c.seeds);
    for (size_t k = 0; k < 3; k++)
        sum += am_arith_element(AM_ARITH_DOUBLE, c.seeds, k * 4 + 2);
    is_near(after(&c, 0, 0), sum, 0, "an item stores the sum of its chains, lane by lane");
}

int main(void)
{
    check_half();
    check_unroll();
    check_shapes();
    for (int op = 0; op < AM_ARITH_OPS; op++) {
        check_real((enum am_arith_op)op, AM_ARITH_FLOAT);
        check_real((enum am_arith_op)op, AM_ARITH_DOUBLE);
        check_unrest((enum am_arith_op)op, AM_ARITH_FLOAT);
        check_unrest((enum am_arith_op)op, AM_ARITH_DOUBLE);
    }
    check_quadratic(AM_ARITH_FMA);
    check_quadratic(AM_ARITH_MULADD);
    check_whole();
    check_sum_of_chains();
    return tap_done();
}
