/* SPDX-License-Identifier: MIT */
/* Rates of arithmetic units, by the chains of cpu.flops. */
#include "bench/apps/ports.h"

#include <math.h>
#include <string.h>

enum {
    STEPS = 6000,          /* about 20 us */
    TRIES = 12,            /* what disturbs a probe only makes it longer */
    TRIES_MAX = 4 * TRIES, /* who shares the core does so for milliseconds */
    VECTORS = AM_FLOPS_STREAMS_MAX + 2,
};

/* Units complete whole instructions, or halves of vectors: what is 5 % beside a multiple of a half
 * is that, and the rest is the error of the two clocks. */
static double to_half(double rate)
{
    const double near = nearbyint(2 * rate) / 2;

    return near > 0 && fabs(rate - near) <= 0.05 * near ? near : rate;
}

static bool is_half(double rate)
{
    return 2 * rate == nearbyint(2 * rate);
}

static double rate_of(am_flops_fn *fn, unsigned instructions, const void *in,
                      const struct am_clock *clock)
{
    _Alignas(64) unsigned char out[VECTORS * AM_FLOPS_VEC_BYTES_MAX];
    double best = 0;

    if (!fn)
        return 0;
    for (int i = 0; i < TRIES || (i < TRIES_MAX && !is_half(to_half(best))); i++) {
        const double hz = am_clock_core_hz(clock);
        const uint64_t begin = clock->now_ns(clock->self);
        uint64_t elapsed;
        double rate;

        fn(in, out, STEPS);
        elapsed = clock->now_ns(clock->self) - begin;
        rate = elapsed && hz > 0 ? (double)STEPS * instructions * 1e9 / ((double)elapsed * hz) : 0;
        best = rate > best ? rate : best;
    }
    return to_half(best);
}

double am_ports_mixed(double mul, double add, double measured)
{
    const double sum = mul + add, whole = ceil(2 * to_half(measured)) / 2;

    return measured >= 0.85 * sum ? sum : fmin(whole, sum);
}

void am_ports_measure(const char *isa, enum am_flops_type type, const struct am_clock *clock,
                      struct am_ports *ports)
{
    const struct am_flops_variant *const v = am_flops_find(isa);
    _Alignas(64) unsigned char in[VECTORS * AM_FLOPS_VEC_BYTES_MAX];
    const enum am_flops_op multiply = v->has_fma ? AM_FLOPS_FMA : AM_FLOPS_MUL;

    const unsigned n = v->streams_max;

    memset(in, 0, sizeof(in)); /* zeros stay zeros: no chain leaves the range of fast numbers */
    ports->fuses = v->has_fma;
    ports->mul = rate_of(v->fn[multiply][type][n - 1], n, in, clock);
    ports->add = rate_of(v->fn[AM_FLOPS_ADD][type][n - 1], n, in, clock);
    ports->mixed = am_ports_mixed(
        ports->mul, ports->add,
        v->has_fma ? rate_of(v->fn[AM_FLOPS_MIX][type][n - 1], 2 * n, in, clock)
                   : rate_of(v->products_sums[type], 2 * AM_FLOPS_EXTREMES_STREAMS, in, clock));
    ports->extremes = rate_of(v->extremes[type], AM_FLOPS_EXTREMES_STREAMS, in, clock);
    ports->extremes_sums =
        rate_of(v->extremes_sums[type], 2 * AM_FLOPS_EXTREMES_STREAMS, in, clock);
}

double am_ports_peak(const struct am_ports *ports)
{
    const double together = fmax(ports->mixed, fmax(ports->mul, ports->add));

    return ports->fuses && ports->mul > 0 ? ports->mul + together : together;
}

double am_ports_cycles(const struct am_ports *ports, unsigned muls, unsigned adds)
{
    double cycles;

    if (!(ports->mul > 0 && ports->add > 0))
        return 0;
    cycles = fmax(muls / ports->mul, adds / ports->add);
    return ports->mixed > 0 ? fmax(cycles, (muls + adds) / ports->mixed) : cycles;
}

/* Where extremes and additions in turn are no faster than the faster of them alone, they have the
 * same units; where separate units would not be faster either, nothing is known. */
enum am_ports_extremes am_ports_place_extremes(const struct am_ports *p)
{
    static const double clearly = 1.25;
    const double faster = fmax(p->extremes, p->add), apart = 2 * fmin(p->extremes, p->add);

    if (!(p->extremes_sums > 0) || !(apart > clearly * faster))
        return AM_PORTS_EXTREMES_UNKNOWN;
    return p->extremes_sums <= clearly * faster ? AM_PORTS_EXTREMES_ON_ADDERS
                                                : AM_PORTS_EXTREMES_APART;
}

/* Extremes and additions that complete per cycle together. Where nothing is known all units are
 * theirs: a bound may be too low, not too high. */
static double extremes_and_sums(const struct am_ports *p)
{
    return am_ports_place_extremes(p) == AM_PORTS_EXTREMES_ON_ADDERS ? fmax(p->extremes, p->add)
                                                                     : p->extremes + p->add;
}

double am_ports_cycles_with(const struct am_ports *ports, unsigned muls, unsigned adds,
                            unsigned extremes)
{
    const double all = ports->mixed > 0 ? ports->mixed : ports->mul + ports->add;
    double cycles = am_ports_cycles(ports, muls, adds);

    if (!(cycles > 0))
        return 0;
    cycles = fmax(cycles, (muls + adds + extremes) / all);
    if (!(ports->extremes > 0 && ports->extremes_sums > 0))
        return cycles;
    return fmax(cycles,
                fmax(extremes / ports->extremes, (adds + extremes) / extremes_and_sums(ports)));
}
