/* SPDX-License-Identifier: MIT */
/* Lines of memory that iterations of a loop meet. */
#include "model/block/streams.h"

#include <math.h>
#include <string.h>

enum {
    GENERALS = 31, /* of the architecture with most */
    OPERANDS_MAX = 128,
    LINE = 64,
    BEFORE = 64, /* iterations whose lines are near still */
    COUNTED = 64,
    TABLE_PER_ENTRY = 2,
};

/* A register: what one had when the iteration began, and a constant. */
struct value {
    unsigned origin; /* GENERALS: something else */
    int64_t more;
};

struct operand {
    struct value base, index; /* origin GENERALS: none */
    unsigned scale;
    int64_t at; /* behind the sum of both origins */
    unsigned bytes;
    bool loads, stores;
    bool known;
};

struct pass {
    struct value values[GENERALS];
    struct operand operands[OPERANDS_MAX];
    size_t n;
};

/* ---- one iteration ---- */

static struct value value_of(const struct value *values, unsigned r)
{
    return r < GENERALS ? values[r] : (struct value){.origin = GENERALS};
}

static void add_operand(struct pass *p, const struct am_insn *in)
{
    const struct am_insn_memory *const m = &in->memory;
    const bool base = m->base < AM_REG_COUNT, index = m->index < AM_REG_COUNT;
    struct operand *const o = &p->operands[p->n++];

    *o = (struct operand){.base = value_of(p->values, m->base),
                          .index = value_of(p->values, m->index),
                          .scale = index ? m->scale : 0,
                          .bytes = in->memory_bits / 8,
                          .loads = in->loads,
                          .stores = in->stores};
    o->known = m->known && o->bytes && o->bytes <= 2 * LINE &&
               (!base || o->base.origin < GENERALS) && (!index || o->index.origin < GENERALS);
    o->at = o->base.more + (int64_t)o->scale * o->index.more + m->displacement;
}

static struct value moved_on(struct value from, int64_t by)
{
    return (struct value){from.origin, from.more + by};
}

/* A register that is loaded and moved on as a base at once is none of both: such code does what the
 * core likes. */
static struct value value_after(const struct value *before, const struct am_insn *in, unsigned r)
{
    const bool written = (in->writes | in->maybe) >> r & 1, beside = in->beside >> r & 1;

    if (written && !beside && in->moves && r == in->moved_to)
        return moved_on(value_of(before, in->moved_from), in->moved_by);
    if (beside && !written && in->beside_known)
        return moved_on(before[r], in->beside_by);
    return (struct value){.origin = GENERALS};
}

static void step(struct pass *p, const struct am_insn *in)
{
    struct value before[GENERALS];

    memcpy(before, p->values, sizeof(before));
    for (unsigned r = 0; r < GENERALS; r++) {
        if ((in->writes | in->beside | in->maybe) >> r & 1)
            p->values[r] = value_after(before, in, r);
    }
}

/* ---- many of them ---- */

/* By how much the register that is the origin of a value moves on per iteration; false where it is
 * not by a constant. None moves by nothing. */
static bool stride_of(const struct pass *p, const struct value *v, int64_t *out)
{
    *out = 0;
    if (v->origin >= GENERALS)
        return true;
    *out = p->values[v->origin].more;
    return p->values[v->origin].origin == v->origin;
}

static bool is_same_array(const struct operand *a, const struct operand *b)
{
    return a->base.origin == b->base.origin && a->index.origin == b->index.origin &&
           a->scale == b->scale;
}

/* The first operand that shares its registers. */
static size_t array_of(const struct pass *p, size_t i)
{
    size_t first = 0;

    while (!is_same_array(&p->operands[first], &p->operands[i]))
        first++;
    return first;
}

/* A set of lines, open addressing. Keys are never 0. */
struct lines {
    uint64_t *keys;
    size_t cap; /* a power of two, above twice the entries */
};

static bool is_new(struct lines *t, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15)) & (t->cap - 1);

    while (t->keys[at] && t->keys[at] != key)
        at = (at + 1) & (t->cap - 1);
    if (t->keys[at] == key)
        return false;
    t->keys[at] = key;
    return true;
}

/* Bytes of the lines from the address on that nobody met before, by loads or by stores. */
static double meet(struct lines *t, int64_t at, unsigned bytes, size_t array, bool store)
{
    const int64_t first = at >= 0 ? at / LINE : -((-at + LINE - 1) / LINE);
    const int64_t behind = at + (int64_t)bytes;
    double sum = 0;

    for (int64_t line = first; line * LINE < behind; line++) {
        const uint64_t key = ((uint64_t)line * 2 + store) * (OPERANDS_MAX + 1) + array + 1;

        sum += is_new(t, key ? key : 1) ? LINE : 0;
    }
    return sum;
}

static void go_through(const struct pass *p, size_t i, struct lines *t, int64_t k,
                       struct am_streams *sum)
{
    const struct operand *const o = &p->operands[i];
    const size_t array = array_of(p, i);
    int64_t base = 0, index = 0, at;

    if (!stride_of(p, &o->base, &base) || !stride_of(p, &o->index, &index))
        return;
    at = o->at + k * (base + (int64_t)o->scale * index);
    sum->read += o->loads ? meet(t, at, o->bytes, array, false) : 0;
    sum->written += o->stores ? meet(t, at, o->bytes, array, true) : 0;
}

static bool is_followed(const struct pass *p, const struct operand *o)
{
    int64_t stride;

    return o->known && stride_of(p, &o->base, &stride) && stride_of(p, &o->index, &stride);
}

static bool count_lines(const struct pass *p, struct am_arena *scratch, struct am_streams *out)
{
    const size_t most = p->n * (BEFORE + COUNTED) * 2 * 3; /* read and written, three lines each */
    struct lines table = {.cap = 64};

    while (table.cap < TABLE_PER_ENTRY * most)
        table.cap *= 2;
    table.keys = am_arena_array(scratch, table.cap, sizeof(*table.keys));
    for (int64_t k = 0; table.keys && k < BEFORE + COUNTED; k++) {
        struct am_streams sum = {.read = 0};

        for (size_t i = 0; i < p->n; i++) {
            if (is_followed(p, &p->operands[i]))
                go_through(p, i, &table, k, &sum);
        }
        if (k >= BEFORE) {
            out->read += sum.read / COUNTED;
            out->written += sum.written / COUNTED;
        }
    }
    return table.keys != NULL;
}

bool am_streams_count(const struct am_insns *insns, const struct am_loop *loop,
                      struct am_streams *out)
{
    struct am_arena scratch = {NULL};
    struct pass *const p = am_arena_alloc(&scratch, sizeof(*p));
    bool counted = p != NULL;

    *out = (struct am_streams){.read = 0};
    for (unsigned r = 0; p && r < GENERALS; r++)
        p->values[r] = (struct value){.origin = r};
    for (size_t i = loop->first; p && i <= loop->last; i++) {
        const struct am_insn *const in = &insns->items[i];
        const bool memory = in->loads || in->stores;

        out->operands += memory;
        if (memory && p->n < OPERANDS_MAX)
            add_operand(p, in);
        step(p, in);
    }
    if (p) {
        out->unknown = out->operands - p->n;
        for (size_t i = 0; i < p->n; i++)
            out->unknown += !is_followed(p, &p->operands[i]);
        counted = count_lines(p, &scratch, out);
    }
    am_arena_fini(&scratch);
    return counted;
}

/* ---- levels ---- */

double am_streams_cycles(const struct am_streams *streams, const struct am_roofline *roofline,
                         enum am_tier level, double hz)
{
    const double amounts[AM_CEILING_KINDS] = {[AM_CEILING_READ] = streams->read,
                                              [AM_CEILING_WRITE] = streams->written,
                                              [AM_CEILING_BYTES] =
                                                  streams->read + streams->written};
    double seconds = 0;

    for (enum am_ceiling_kind kind = AM_CEILING_READ; kind < AM_CEILING_KINDS; kind++) {
        struct am_roof roof;

        if (!(amounts[kind] > 0))
            continue;
        if (!am_roofline_find(
                roofline,
                &(struct am_roof_query){.kind = kind, .level = level, .threads = 1, .exact = true},
                &roof))
            return NAN;
        seconds = fmax(seconds, amounts[kind] / roof.rate);
    }
    return seconds * hz;
}
