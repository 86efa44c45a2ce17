/* SPDX-License-Identifier: MIT */
/* Floating-point chains: every accumulator, lane and step, bit by bit. */
#include "kcheck.h"

#include "guarded.h"
#include "kernels/flops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS_SMALL = 9, STEPS_LARGE = 1000, OPERANDS = 2 };

union element {
    float f32;
    double f64;
};

struct chain_case {
    const struct am_flops_variant *v;
    enum am_flops_op op;
    enum am_flops_type type;
    unsigned streams;
};

static size_t element_bytes(enum am_flops_type type)
{
    return type == AM_FLOPS_F32 ? sizeof(float) : sizeof(double);
}

/* mix: both, the streams of the second half in the other order (flops.h). */
static float step_f32(enum am_flops_op op, bool second, float x, float m, float a)
{
    if (op == AM_FLOPS_MIX)
        return second ? fmaf(m, a, x + a) : fmaf(m, a, x) + a;
    return op == AM_FLOPS_FMA ? fmaf(m, a, x) : op == AM_FLOPS_ADD ? x + a : x * m;
}

static double step_f64(enum am_flops_op op, bool second, double x, double m, double a)
{
    if (op == AM_FLOPS_MIX)
        return second ? fma(m, a, x + a) : fma(m, a, x) + a;
    return op == AM_FLOPS_FMA ? fma(m, a, x) : op == AM_FLOPS_ADD ? x + a : x * m;
}

/* `in` as the kernel's; writes n accumulators to `want`. */
static void reference(const struct chain_case *c, const void *in, void *want, uint64_t steps)
{
    const size_t lanes = c->v->lanes[c->type], n = c->streams * lanes;
    const float *const f32 = in;
    const double *const f64 = in;

    for (size_t i = 0; i < n; i++) {
        const size_t m = n + i % lanes, a = m + lanes;
        const bool second = am_flops_adds_first(i / lanes, c->streams);

        if (c->type == AM_FLOPS_F32) {
            float x = f32[i];

            for (uint64_t s = 0; s < steps; s++)
                x = step_f32(c->op, second, x, f32[m], f32[a]);
            ((float *)want)[i] = x;
        } else {
            double x = f64[i];

            for (uint64_t s = 0; s < steps; s++)
                x = step_f64(c->op, second, x, f64[m], f64[a]);
            ((double *)want)[i] = x;
        }
    }
}

/* Values near 1 with all bits in use, so that a second rounding in an fma would show. */
static void fill(const struct chain_case *c, void *in, struct am_rng *rng)
{
    const size_t n = (c->streams + OPERANDS) * c->v->lanes[c->type];

    for (size_t i = 0; i < n; i++) {
        const double x = 1 + (am_rng_unit(rng) - 0.5) * 0x1p-6;

        if (c->type == AM_FLOPS_F32)
            ((float *)in)[i] = (float)x;
        else
            ((double *)in)[i] = x;
    }
}

static bool check_steps(const struct chain_case *c, struct guarded *in, struct guarded *out,
                        struct am_rng *rng, uint64_t steps)
{
    const size_t vector = c->v->lanes[c->type] * element_bytes(c->type);
    unsigned char want[AM_FLOPS_STREAMS_MAX * AM_FLOPS_VEC_BYTES_MAX];
    void *const from = guarded_at_end(in, (c->streams + OPERANDS) * vector);
    void *const to = steps % 2 ? guarded_at_end(out, c->streams * vector)
                               : guarded_at_start(out, c->streams * vector, 0);

    fill(c, from, rng);
    reference(c, from, want, steps);
    c->v->fn[c->op][c->type][c->streams - 1](from, to, steps);
    return memcmp(to, want, c->streams * vector) == 0 && guarded_intact(in) && guarded_intact(out);
}

static bool check_case(const struct chain_case *c, struct guarded *in, struct guarded *out,
                       struct am_rng *rng)
{
    for (uint64_t steps = 0; steps <= STEPS_SMALL; steps++) {
        if (!check_steps(c, in, out, rng, steps))
            return false;
    }
    return check_steps(c, in, out, rng, STEPS_SMALL + 1 + am_rng_below(rng, STEPS_LARGE));
}

/* The table is full exactly where the ISA has the instruction and the registers. */
static bool table_complete(const struct am_flops_variant *v, enum am_flops_op op,
                           enum am_flops_type type)
{
    for (unsigned n = 1; n <= AM_FLOPS_STREAMS_MAX; n++) {
        const bool want = n <= v->streams_max && (!am_flops_fuses(op) || v->has_fma);

        if ((v->fn[op][type][n - 1] != NULL) != want)
            return false;
    }
    return true;
}

static void check_op(const struct am_flops_variant *v, enum am_flops_op op, enum am_flops_type type,
                     struct guarded *in, struct guarded *out, struct am_rng *rng)
{
    static char name[64];
    unsigned bad = 0;

    kcheck_report(table_complete(v, op, type), "%s %s %s: chains where they belong", v->isa,
                  am_flops_ops[op], am_flops_types[type]);
    if (am_flops_fuses(op) && !v->has_fma)
        return;
    (void)snprintf(name, sizeof(name), "flops %s %s %s", v->isa, am_flops_ops[op],
                   am_flops_types[type]);
    guarded_charge(name);
    for (unsigned n = 1; n <= v->streams_max && !bad; n++) {
        if (!check_case(&(struct chain_case){v, op, type, n}, in, out, rng))
            bad = n;
    }
    kcheck_report(!bad, "%s: 1 to %u streams equal the reference%s", name, v->streams_max,
                  bad ? " (not all)" : "");
    if (bad)
        printf("# first wrong with %u streams\n", bad);
}

void kcheck_flops(const char *isa, struct am_rng *rng)
{
    const struct am_flops_variant *const v = am_flops_find(isa);
    struct guarded in = {0}, out = {0};

    kcheck_report(v && strcmp(v->isa, isa) == 0, "%s has its row of chains", isa);
    if (!v || !guarded_new(&in, 1) || !guarded_new(&out, 1)) {
        kcheck_report(false, "%s: no variant or no memory", isa);
        return;
    }
    for (int op = 0; op < AM_FLOPS_OPS; op++) {
        for (int type = 0; type < AM_FLOPS_TYPES; type++)
            check_op(v, (enum am_flops_op)op, (enum am_flops_type)type, &in, &out, rng);
    }
    guarded_free(&in);
    guarded_free(&out);
}
