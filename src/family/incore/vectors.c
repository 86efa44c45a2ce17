/* SPDX-License-Identifier: MIT */
/* How many vectors a core takes in per cycle.
 *
 * Loops of cpu.loop have vectors alone, of several kinds, so that no kind of units is busy all the
 * time: zeros, which need none, logic, and, where vectors are moved, loads and stores. A core that
 * takes in as many vectors as there are slots takes as long as these; one that takes in fewer takes
 * longer, by the same number of them per cycle in all loops. The number that explains them is used
 * where it does so clearly better than slots and units. */
#include "family/incore/incore.h"

#include <math.h>
#include <string.h>

#define NAME(name, moved) {#name, moved},
static const struct {
    const char *name;
    bool moved;
} names[AM_MIX_ALL_VECTORS] = {AM_MIX_ALL_VECTORS_MAP(NAME)};
#undef NAME

enum { KINDS = 4 };
static const char *const forms[KINDS] = {"pxor_xmm_zero", "pand_xmm", "movups_xmm_m128",
                                         "movups_m128_xmm"};

/* How long a loop of so many of each kind takes, where `most` are taken in per cycle. */
static double predicted(const unsigned counts[KINDS], const double alone[KINDS], double width,
                        double most)
{
    double units = 1, n = 0;

    for (size_t k = 0; k < KINDS; k++) {
        units = counts[k] && alone[k] > 1 / width ? fmax(units, counts[k] * alone[k]) : units;
        n += counts[k];
    }
    return fmax(fmax(units, (n + 1) / width), n / most);
}

static double deviation(const double *cycles, bool moved, const double alone[KINDS], double width,
                        double most)
{
    double sum = 0;

    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        const unsigned counts[] = AM_MIX_ALL_VECTORS_OF(i + 1, moved);

        sum += fabs(predicted(counts, alone, width, most) / cycles[i] - 1);
    }
    return sum / AM_MIX_SET;
}

static double find_most(const double *cycles, bool moved, const double alone[KINDS], double width)
{
    static const double close = 0.06, clearly = 0.5;
    enum { STEPS = 20 }; /* per vector */
    double best = clearly * deviation(cycles, moved, alone, width, width), found = 0;

    for (unsigned i = STEPS; i < width * STEPS; i++) {
        const double most = (double)i / STEPS;
        const double d = deviation(cycles, moved, alone, width, most);

        if (d <= close && d < best) {
            best = d;
            found = most;
        }
    }
    return found;
}

void am_incore_read_vectors(struct am_incore *core, const struct am_result *result)
{
    const char *const with = am_result_text(result, "with");
    double cycles[AM_MIX_SET], alone[KINDS];
    size_t kind = 0;

    while (with && kind < AM_MIX_ALL_VECTORS && strcmp(names[kind].name, with) != 0)
        kind++;
    if (!with || kind == AM_MIX_ALL_VECTORS || core->width < 2)
        return;
    for (size_t k = 0; k < KINDS; k++) {
        const struct am_incore_form *const form = am_incore_find(core, forms[k]);

        alone[k] = form ? form->alone.value : NAN;
        if (k > 0 && !(alone[k] > 0)) /* a zero needs no unit */
            return;
    }
    alone[0] = 0;
    for (unsigned i = 0; i < AM_MIX_SET; i++) {
        cycles[i] = am_incore_loop(core, result, i);
        if (!(cycles[i] > 0))
            return;
    }
    core->vectors[kind] = find_most(cycles, names[kind].moved, alone, core->width);
}
