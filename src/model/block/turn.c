/* SPDX-License-Identifier: MIT */
/* How long it takes to take a loop's body in and to jump back.
 *
 * A core goes on behind a jump in the next cycle at best. What it takes beyond that was measured:
 * so many operations per cycle (`fetch`), or by the lines that the body lies in (`lines`), or,
 * where neither explains what was measured, as long as measured loops of as many slots. Operations
 * are slots of the front end: an instruction may be more than one. */
#include "model/block/turn.h"

#include <math.h>

struct body {
    uint64_t *at; /* of each instruction, fused ones as one */
    size_t n, slots;
    uint64_t end;
};

static bool lay_out(const struct am_predicted *b, struct am_arena *arena, struct body *out)
{
    const struct am_insn *const last = b->lines[b->n - 1].insn;

    *out = (struct body){.at = am_arena_array(arena, b->n, sizeof(*out->at)),
                         .end = last->address + last->length};
    for (size_t i = 0; out->at && i < b->n; i++) {
        if (b->lines[i].slots > 0)
            out->at[out->n++] = b->lines[i].insn->address;
        out->slots += b->lines[i].slots;
    }
    return out->at != NULL;
}

static double moved_by(const struct am_incore_lines *rule, struct body *body, uint64_t bytes)
{
    for (size_t i = 0; i < body->n; i++)
        body->at[i] += bytes;
    body->end += bytes;
    return am_incore_in_lines(rule, body->at, body->n, body->end);
}

/* Where it is not known where in a line the loop lies, what it takes on average: at a place that
 * takes it in sooner than `floor`, which bounds it everywhere, it takes that. */
static void in_lines(const struct am_incore_lines *rule, struct body *body, unsigned kept,
                     double floor, struct am_turn *out)
{
    const unsigned step = kept ? kept : 1;
    unsigned n = 0;
    double sum = 0;

    *out = (struct am_turn){.least = INFINITY, .elsewhere = INFINITY};
    for (unsigned by = 0; by < rule->bytes; by++) {
        const double cycles = fmax(moved_by(rule, body, by > 0), 1);

        out->elsewhere = fmin(out->elsewhere, cycles);
        if (by % step != 0)
            continue;
        out->least = fmin(out->least, cycles);
        out->most = fmax(out->most, cycles);
        sum += fmax(cycles, floor);
        n++;
    }
    out->cycles = out->most > floor ? sum / n : out->most;
}

bool am_turn_of(const struct am_incore *core, const struct am_predicted *b, unsigned kept,
                struct am_arena *arena, struct am_turn *out)
{
    struct body body;

    if (!lay_out(b, arena, &body))
        return false;
    *out = (struct am_turn){.cycles = 1, .least = 1, .most = 1, .elsewhere = NAN};
    if (core->fetch) {
        out->cycles = (double)((body.slots + core->fetch - 1) / core->fetch);
        out->least = out->most = out->cycles;
    } else if (core->lines.bytes) {
        in_lines(&core->lines, &body, kept, fmax(b->throughput, b->chain), out);
    } else if (body.slots >= 2 && body.slots - 2 < AM_MIX_SET) {
        out->cycles = out->most = fmax(core->turned_round[body.slots - 2], 1);
    }
    return true;
}
