/* SPDX-License-Identifier: MIT */
/* Innermost loops by their jumps backwards. */
#include "model/block/loops.h"

#include "base/array.h"

#include <string.h>

/* Longer candidates are taken for loops without a look: a file from anybody may have as many as it
 * has instructions. */
enum { FOLLOWED_MAX = 4096 };

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

/* Whether the instruction may go on at a place that it names. */
static bool is_jump(const struct am_insn *in)
{
    return in->aims && (in->flow == AM_FLOW_JUMP || in->flow == AM_FLOW_BRANCH);
}

/* The first instruction of the loop that `i` closes; insns->n when it closes none. */
static size_t top_of(const struct am_insns *insns, size_t i)
{
    const struct am_insn *const in = &insns->items[i];

    return is_jump(in) && in->target <= in->address ? at_address(insns, in->target) : insns->n;
}

/* Whether a loop that was found, and that begins elsewhere, lies inside of what stands between the
 * two. */
static bool holds_one(const struct am_loops *loops, size_t first, size_t last)
{
    for (size_t i = 0; i < loops->n; i++) {
        const struct am_loop *const l = &loops->items[i];

        if (l->first > first && l->last <= last)
            return true;
    }
    return false;
}

/* The loop that was found to begin there, or NULL. */
static struct am_loop *loop_at(const struct am_loops *loops, size_t first)
{
    for (size_t i = loops->n; i-- > 0;) {
        if (loops->items[i].first == first)
            return &loops->items[i];
    }
    return NULL;
}

/* Where execution comes from the first instruction of a candidate without leaving it. */
struct walk {
    const struct am_insns *insns;
    bool *seen;      /* by instruction */
    size_t *waiting; /* seen, and not yet followed */
    bool *leads;     /* back to the top */
    size_t n;
};

static void come_to(struct walk *w, size_t i, const struct am_loop *within)
{
    if (i < within->first || i > within->last || w->seen[i])
        return;
    w->seen[i] = true;
    w->waiting[w->n++] = i;
}

/* Whether the jump at the end is reached from the top: code that is laid out behind a function's
 * end and jumps back into it is no loop, though it lies between a jump and its target. A jump to an
 * unknown place (a table's) may lead there. */
static bool leads_to_its_jump(struct walk *w, const struct am_loop *loop)
{
    bool anywhere = false;

    memset(w->seen + loop->first, 0, (loop->last - loop->first + 1) * sizeof(*w->seen));
    w->n = 0;
    come_to(w, loop->first, loop);
    while (w->n > 0) {
        const size_t i = w->waiting[--w->n];
        const struct am_insn *const in = &w->insns->items[i];

        anywhere = anywhere || (in->flow == AM_FLOW_JUMP && !in->aims);
        if (is_jump(in))
            come_to(w, at_address(w->insns, in->target), loop);
        if (in->flow != AM_FLOW_JUMP && in->flow != AM_FLOW_END)
            come_to(w, i + 1, loop);
    }
    return anywhere || w->seen[loop->last];
}

/* After leads_to_its_jump(): whether all between top and jump are reached and lead back to the top.
 * Jumps inside lead forwards, as no other loop is there. What is never reached fills up lines. */
static bool is_all_of_it(struct walk *w, const struct am_loop *loop)
{
    bool *const leads = w->leads;

    leads[loop->last + 1] = false;
    for (size_t i = loop->last + 1; i-- > loop->first;) {
        const struct am_insn *const in = &w->insns->items[i];
        const size_t to = is_jump(in) ? at_address(w->insns, in->target) : w->insns->n;

        if (!w->seen[i] && strcmp(in->mnemonic, "nop") != 0)
            return false;
        leads[i] = (to == loop->first || (to > i && to <= loop->last && leads[to])) ||
                   (in->flow != AM_FLOW_JUMP && in->flow != AM_FLOW_END && leads[i + 1]);
        if (w->seen[i] && !leads[i])
            return false;
    }
    return true;
}

static void look_inside(const struct am_insns *insns, struct am_loop *loop)
{
    loop->branches = loop->calls = 0;
    for (size_t i = loop->first; i < loop->last; i++) {
        const enum am_flow flow = insns->items[i].flow;

        loop->branches += flow == AM_FLOW_BRANCH || flow == AM_FLOW_JUMP;
        loop->calls += flow == AM_FLOW_CALL;
    }
}

/* A second jump back to where a loop begins: it is longer than it seemed, or has a part elsewhere.
 */
static void lengthen(struct walk *w, struct am_loop *loop, const struct am_loop *to)
{
    if (to->last - to->first < FOLLOWED_MAX && is_all_of_it(w, to)) {
        loop->last = to->last;
        look_inside(w->insns, loop);
    } else {
        loop->elsewhere++;
    }
}

/* Loops end in the order in which their jumps stand: an inner one is seen before the one around it.
 */
bool am_loops_find(const struct am_insns *insns, struct am_arena *arena, struct am_loops *out)
{
    struct walk walk = {.insns = insns,
                        .seen = am_arena_array(arena, insns->n + 1, sizeof(*walk.seen)),
                        .waiting = am_arena_array(arena, insns->n + 1, sizeof(*walk.waiting)),
                        .leads = am_arena_array(arena, insns->n + 1, sizeof(*walk.leads))};

    *out = (struct am_loops){.n = 0};
    if (!walk.seen || !walk.waiting || !walk.leads)
        return false;
    for (size_t i = 0; i < insns->n; i++) {
        struct am_loop candidate = {.first = top_of(insns, i), .last = i};
        struct am_loop *loop;

        if (candidate.first == insns->n || holds_one(out, candidate.first, i) ||
            (i - candidate.first < FOLLOWED_MAX && !leads_to_its_jump(&walk, &candidate)))
            continue;
        loop = loop_at(out, candidate.first);
        if (loop) {
            lengthen(&walk, loop, &candidate);
            continue;
        }
        loop = AM_ARRAY_ADD(arena, out->items, out->n, out->cap);
        if (!loop)
            return false;
        look_inside(insns, &candidate);
        *loop = candidate;
    }
    return true;
}

bool am_loops_marked(const struct am_insns *insns, struct am_arena *arena, struct am_loops *out)
{
    struct am_loop *all;

    if (!am_loops_find(insns, arena, out))
        return false;
    if (out->n || insns->n == 0)
        return true;
    all = AM_ARRAY_ADD(arena, out->items, out->n, out->cap);
    if (!all)
        return false;
    *all = (struct am_loop){.last = insns->n - 1, .marked = true};
    look_inside(insns, all);
    return true;
}
