/* SPDX-License-Identifier: MIT */
/* Bounds by the widest x86-64 cores that exist. */
#include "bench/shared/bound.h"

/* Vector instructions of one kind per cycle, by the width of the vector. */
struct width {
    size_t vec_bytes;
    double fused;  /* fma, add or mul: units that do it */
    double mixed;  /* fma and add together: cores with adders beside their multipliers */
    double loads;  /* 4 x 8 B: Zen 5; 3 x 16 B and 3 x 32 B: Golden and Lion Cove; 2 x 64 B */
    double stores; /* 2 since Ice Lake and Zen 3 */
};

/* Four narrow units: Skymont. Two wide multipliers and two wide adders: Zen 2 and later. */
static const struct width widths[] = {
    {8, 4, 8, 4, 2},
    {16, 4, 8, 3, 2},
    {32, 2, 4, 3, 2},
    {64, 2, 4, 2, 2},
};

#if defined(__x86_64__)
enum { KNOWN_WIDTHS = sizeof(widths) / sizeof(widths[0]) };
#else
enum { KNOWN_WIDTHS = 0 };
#endif

static const struct width *find(size_t vec_bytes)
{
    for (size_t i = 0; i < (size_t)KNOWN_WIDTHS; i++) {
        if (widths[i].vec_bytes == vec_bytes)
            return &widths[i];
    }
    return NULL;
}

double am_bound_flops(enum am_flops_op op, enum am_flops_type type, size_t vec_bytes)
{
    const size_t element = type == AM_FLOPS_F32 ? sizeof(float) : sizeof(double);
    /* A scalar's registers are as wide as its element. */
    const struct width *const w = find(vec_bytes < sizeof(double) ? sizeof(double) : vec_bytes);
    const double lanes = (double)(vec_bytes / element);

    if (!w)
        return 0;
    if (op == AM_FLOPS_MIX) /* half of the instructions are of each kind, 1.5 operations each */
        return w->mixed * lanes * am_flops_count(op) / 2;
    return w->fused * lanes * am_flops_count(op);
}

double am_bound_bytes(double bytes_read, double bytes_written, size_t vec_bytes)
{
    const struct width *const w = find(vec_bytes);
    double load_cycles, store_cycles;

    if (!w)
        return 0;
    load_cycles = bytes_read / (w->loads * (double)vec_bytes);
    store_cycles = bytes_written / (w->stores * (double)vec_bytes);
    return (bytes_read + bytes_written) / (load_cycles > store_cycles ? load_cycles : store_cycles);
}
