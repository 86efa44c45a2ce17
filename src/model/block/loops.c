/* SPDX-License-Identifier: MIT */
/* Innermost loops by their jumps backwards. */
#include "model/block/loops.h"

#include "base/array.h"

/* The instruction that begins at the address; insns->n when none does. */
static size_t at_address(const struct am_insns *insns, uint64_t address)
{
    size_t lo = 0, hi = insns->n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;

        if (insns->items[mid].address < address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < insns->n && insns->items[lo].address == address ? lo : insns->n;
}

/* The first instruction of the loop that `i` closes; insns->n when it closes none. */
static size_t top_of(const struct am_insns *insns, size_t i)
{
    const struct am_insn *const in = &insns->items[i];

    if ((in->flow != AM_FLOW_JUMP && in->flow != AM_FLOW_BRANCH) || !in->target ||
        in->target > in->address)
        return insns->n;
    return at_address(insns, in->target);
}

/* Whether a loop that was found lies inside of what stands between the two. */
static bool holds_one(const struct am_loops *loops, size_t first, size_t last)
{
    for (size_t i = 0; i < loops->n; i++) {
        const struct am_loop *const l = &loops->items[i];

        if (l->first >= first && l->last <= last && (l->first != first || l->last != last))
            return true;
    }
    return false;
}

static void look_inside(const struct am_insns *insns, struct am_loop *loop)
{
    for (size_t i = loop->first; i < loop->last; i++) {
        const enum am_flow flow = insns->items[i].flow;

        loop->branches += flow == AM_FLOW_BRANCH || flow == AM_FLOW_JUMP;
        loop->calls += flow == AM_FLOW_CALL;
    }
}

/* Loops end in the order in which their jumps stand: an inner one is seen before the one around it.
 */
bool am_loops_find(const struct am_insns *insns, struct am_arena *arena, struct am_loops *out)
{
    *out = (struct am_loops){.n = 0};
    for (size_t i = 0; i < insns->n; i++) {
        const size_t first = top_of(insns, i);
        struct am_loop *loop;

        if (first == insns->n || holds_one(out, first, i))
            continue;
        loop = AM_ARRAY_ADD(arena, out->items, out->n, out->cap);
        if (!loop)
            return false;
        *loop = (struct am_loop){.first = first, .last = i};
        look_inside(insns, loop);
    }
    return true;
}
