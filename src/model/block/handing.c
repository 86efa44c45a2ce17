/* SPDX-License-Identifier: MIT */
/* How many of a kind are handed out per cycle. */
#include "model/block/handing.h"

#include <math.h>
#include <string.h>

/* Whether a unit for general registers does something of it: moves from memory are loads alone, and
 * what renaming does needs none. */
static bool operates(const struct am_predicted_line *line)
{
    const struct am_insn *const in = line->insn;
    const bool moves = in->loads && strncmp(in->mnemonic, "mov", 3) == 0;

    return !in->vector_bits && line->forms.operation[0] && !line->forms.eliminated &&
           !line->renamed && !moves;
}

static void kinds_of(const struct am_predicted_line *line, bool kinds[AM_MIX_ROWS])
{
    const struct am_insn *const in = line->insn;
    const bool vector = in->vector_bits || in->to_vector;

    kinds[AM_MIX_ROW_operations] = operates(line);
    kinds[AM_MIX_ROW_loads] = in->loads;
    kinds[AM_MIX_ROW_stores] = in->stores;
    kinds[AM_MIX_ROW_vector_loads] = in->loads && vector;
    kinds[AM_MIX_ROW_loading_operations] = in->loads && operates(line);
}

double am_handing_out(struct am_handing *h, const struct am_predicted_line *line, double at)
{
    static const double nothing = 1e-9;
    bool kinds[AM_MIX_ROWS], full = false;

    kinds_of(line, kinds);
    if (floor(at + nothing) > h->cycle) {
        h->cycle = floor(at + nothing);
        memset(h->handed, 0, sizeof(h->handed));
    }
    for (size_t k = 0; k < AM_MIX_ROWS; k++)
        full = full || (kinds[k] && h->core->handed[k] && h->handed[k] >= h->core->handed[k]);
    if (full) {
        at = h->cycle += 1;
        memset(h->handed, 0, sizeof(h->handed));
    }
    for (size_t k = 0; k < AM_MIX_ROWS; k++)
        h->handed[k] += kinds[k];
    return at;
}
