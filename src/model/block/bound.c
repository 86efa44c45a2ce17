/* SPDX-License-Identifier: MIT */
/* Bounds of a loop: pressure on resources; the flow of data is in flow.c. */
#include "model/block/bound.h"

#include "base/text.h"
#include "model/block/flow.h"
#include "model/block/turn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const am_limit_words[AM_LIMITS] = {[AM_LIMIT_RESOURCE] = "resource",
                                               [AM_LIMIT_CHAIN] = "chain",
                                               [AM_LIMIT_JUMP] = "jump",
                                               [AM_LIMIT_WINDOW] = "window",
                                               [AM_LIMIT_TURNS] = "turns"};

/* ---- resources ---- */

struct pressing {
    const struct am_incore *core;
    double *at, *lo, *hi; /* by resource */
};

enum {
    LINE = 64,       /* bytes of a line of the first-level cache */
    SLOTS_MOST = 64, /* of an instruction */
};

static double alone_of(const struct am_incore *core, const char *form)
{
    const struct am_incore_form *const f = form ? am_incore_find(core, form) : NULL;

    return f && f->kind < core->n_kinds ? core->kinds[f->kind].alone : NAN;
}

/* What a load that reaches into a second line counts beyond one that does not, as far as that was
 * measured: two accesses make one more. Stores are taken to be two. */
static double crossing_more(const struct am_incore *core, const struct am_insn *in)
{
    const struct am_form_pair *const pair = am_form_crossing(in->arch);
    const double ratio = pair ? alone_of(core, pair->indexed) / alone_of(core, pair->plain) : NAN;

    return in->loads && ratio > 1 ? ratio - 1 : 1;
}

/* How many accesses an access counts as: one that begins at no multiple of its size crosses a line
 * in some iterations. Registers are taken to hold multiples. */
static double accesses(const struct am_incore *core, const struct am_insn *in)
{
    const unsigned bytes = in->memory_bits / 8 / (in->moved > 1 ? in->moved : 1);
    const bool apart = bytes && bytes <= LINE && in->memory.base < AM_REG_COUNT &&
                       in->memory.displacement % (int64_t)bytes != 0;

    return apart ? 1 + crossing_more(core, in) * (double)bytes / LINE : 1;
}

/* Forms of which one takes longer than the other by this factor are two. */
static const double clearly = 1.1;

/* How often a form counts: of all resources, and beyond that of those behind the front end. */
struct weight {
    double times, accesses;
};

/* A load or store beside an operation has no slot of its own. */
static void press(const struct pressing *p, const char *form, struct weight by, bool beside)
{
    const struct am_incore_form *const f = form[0] ? am_incore_find(p->core, form) : NULL;

    for (size_t r = beside ? 1 : 0; f && r < p->core->model.resources; r++) {
        const struct am_resources_weight *const w =
            am_resources_weight(&p->core->model, f->kind, r);

        const double n = by.times * (r ? by.accesses : 1);

        p->at[r] += n * w->value;
        p->lo[r] += n * w->lo;
        p->hi[r] += n * w->hi;
    }
}

static double front_of(const struct am_incore *core, const char *form)
{
    const struct am_incore_form *const f = form ? am_incore_find(core, form) : NULL;

    return f && f->kind < core->n_kinds ? am_resources_weight(&core->model, f->kind, 0)->value
                                        : NAN;
}

/* A load and nothing else, maybe of a part of a register that is extended. */
static bool is_load(const struct am_predicted_line *line)
{
    const bool operates = line->insn->vector_bits ? line->insn->from_vector : line->latency > 0;

    return !line->forms.operation[0] || (!line->forms.load[0] && !operates);
}

/* The pair where its indexed form was measured; NULL: it was not. */
static const struct am_form_pair *measured_pair(const struct am_incore *core, enum am_arch arch,
                                                enum am_form_indexed what)
{
    const struct am_form_pair *const pair = am_form_indexed(arch, what);

    return pair && am_incore_find(core, pair->indexed) ? pair : NULL;
}

/* What was measured without and with an index that does most like the instruction; NULL: nothing.
 */
static const struct am_form_pair *indexed_pair(const struct am_incore *core,
                                               const struct am_insn *in)
{
    const bool updates = (in->reads & in->writes & ~(UINT64_C(1) << AM_REG_FLAGS)) != 0;
    const enum am_form_indexed what = in->stores                    ? AM_INDEXED_STORE
                                      : in->vector_bits && in->vex  ? AM_INDEXED_VECTOR_LOAD
                                      : in->vector_bits && !in->vex ? AM_INDEXED_OLD_VECTOR
                                      : updates                     ? AM_INDEXED_UPDATE
                                                                    : AM_INDEXED_LOAD;
    const struct am_form_pair *pair = NULL;

    if (in->stores && (in->vector_bits || in->immediate))
        pair = measured_pair(core, in->arch,
                             in->vector_bits ? AM_INDEXED_VECTOR_STORE : AM_INDEXED_CONSTANT_STORE);
    if (!pair)
        pair = measured_pair(core, in->arch, what);
    return pair ? pair : am_form_indexed(in->arch, AM_INDEXED_LOAD);
}

/* What an operand with an index takes of the front end beyond one without: nothing, or a slot of
 * its own where a core takes the two parts in apart. Loads alone have one part. */
static double index_slots(const struct am_incore *core, const struct am_predicted_line *line)
{
    const struct am_insn *const in = line->insn;
    const struct am_form_pair *const pair = indexed_pair(core, in);
    const double slot = front_of(core, am_form_slot(in->arch));
    double more;

    if (!pair || in->memory.index >= AM_REG_COUNT || !(in->loads || in->stores) ||
        (in->loads && !in->stores && is_load(line)))
        return 0;
    more = front_of(core, pair->indexed) - front_of(core, pair->plain);
    return more > slot / 2 ? more : 0;
}

/* What a store of a general register with an index takes of units beyond one without: some cores
 * read three registers for it, and use an integer unit to do so. One of a constant may have such a
 * unit anyhow. */
static void press_indexed_store(const struct pressing *p, const struct am_insn *in)
{
    const struct am_form_pair *const constant =
        in->immediate ? measured_pair(p->core, in->arch, AM_INDEXED_CONSTANT_STORE) : NULL;
    const struct am_form_pair *const pair =
        constant ? constant : am_form_indexed(in->arch, AM_INDEXED_STORE);
    const double least = front_of(p->core, am_form_slot(in->arch)) / 2;
    const struct am_incore_form *const with = pair ? am_incore_find(p->core, pair->indexed) : NULL;
    const struct am_incore_form *const without = pair ? am_incore_find(p->core, pair->plain) : NULL;

    if (!in->stores || in->loads || in->vector_bits || in->memory.index >= AM_REG_COUNT || !with ||
        !without || with->kind >= p->core->n_kinds || without->kind >= p->core->n_kinds)
        return;
    for (size_t r = 1; r < p->core->model.resources; r++) {
        const double more = am_resources_weight(&p->core->model, with->kind, r)->value -
                            am_resources_weight(&p->core->model, without->kind, r)->value;

        p->at[r] += more > least ? more : 0;
        p->lo[r] += more > least ? more : 0;
        p->hi[r] += more > least ? more : 0;
    }
}

/* What is not known takes a slot at least. */
static void press_line(const struct pressing *p, const struct am_predicted_line *line)
{
    const struct am_insn_forms *const forms = &line->forms;
    const bool nothing = !forms->operation[0] && !forms->load[0] && !forms->store[0];
    const struct weight once = {1, 1}, moved = {forms->times, accesses(p->core, line->insn)};
    double more;

    if (forms->match == AM_FORM_UNKNOWN && nothing)
        press(p, am_form_slot(line->insn->arch), once, false);
    press(p, forms->operation, once, false);
    press(p, forms->load, moved, forms->operation[0] != '\0');
    press(p, forms->store, moved, forms->operation[0] != '\0' || forms->load[0] != '\0');
    press_indexed_store(p, line->insn);
    more = index_slots(p->core, line);
    p->at[0] += more;
    p->lo[0] += more;
    p->hi[0] += more;
}

static bool press_all(struct am_predicted *b, const struct am_incore *core, struct am_arena *arena)
{
    const size_t resources = core->model.resources;
    double *const lo = am_arena_array(arena, resources, sizeof(*lo));
    double *const hi = am_arena_array(arena, resources, sizeof(*hi));

    b->pressure = am_arena_array(arena, resources, sizeof(*b->pressure));
    for (size_t i = 0; i < b->n; i++) {
        b->lines[i].use = am_arena_array(arena, resources, sizeof(*b->lines[i].use));
        if (!b->pressure || !lo || !hi || !b->lines[i].use)
            return false;
        press_line(&(struct pressing){core, b->lines[i].use, lo, hi}, &b->lines[i]);
        for (size_t r = 0; r < resources; r++)
            b->pressure[r] += b->lines[i].use[r];
    }
    for (size_t r = 0; r < resources; r++) {
        b->busiest = b->pressure[r] > b->pressure[b->busiest] ? r : b->busiest;
        b->lo = fmax(b->lo, lo[r]);
        b->hi = fmax(b->hi, hi[r]);
    }
    b->throughput = b->pressure[b->busiest];
    for (size_t r = 0; r < resources; r++)
        b->next = r == b->busiest ? b->next : fmax(b->next, b->pressure[r]);
    for (size_t i = 0; i < b->n; i++)
        b->lines[i].pressure = b->lines[i].use[b->busiest];
    return true;
}

/* ---- all of it ---- */

static bool is_measured(const void *self, const char *name)
{
    const struct am_incore_form *const f = am_incore_find(self, name);

    return f && f->kind < ((const struct am_incore *)self)->n_kinds;
}

/* Slots of the front end of a line; none of what is fused. */
static unsigned slots_of(const struct am_incore *core, const struct am_predicted_line *line)
{
    const double slot = front_of(core, am_form_slot(line->insn->arch));
    const double own = slot > 0 ? floor(line->use[0] / slot + 0.5) : 1;

    return line->forms.match == AM_FORM_NONE ? 0 : (unsigned)fmin(fmax(own, 1), SLOTS_MOST);
}

/* The front end takes so long at least. */
static void press_front(struct am_predicted *b, double cycles)
{
    if (cycles <= b->pressure[0])
        return;
    b->pressure[0] = cycles;
    if (cycles > b->throughput) {
        b->next = b->busiest == 0 ? b->next : b->throughput;
        b->busiest = 0;
        b->throughput = cycles;
        b->hi = fmax(b->hi, cycles);
    }
}

/* Where instructions of two slots may not stand anywhere, the front end takes longer than its slots
 * say. False when memory is refused. */
static bool press_groups(struct am_predicted *b, const struct am_incore *core,
                         struct am_arena *arena)
{
    unsigned *const slots = am_arena_array(arena, b->n, sizeof(*slots));

    for (size_t i = 0; slots && i < b->n; i++)
        slots[i] = b->lines[i].slots;
    if (slots && core->split_first)
        press_front(b, am_incore_groups(core, slots, b->n));
    return slots != NULL;
}

/* Where fewer vectors are taken in per cycle than there are slots, those of a loop that moves some
 * from or to memory more slowly than those of one that does not. */
static void press_vectors(struct am_predicted *b, const struct am_incore *core)
{
    bool moved = false;
    double n = 0, most;

    for (size_t i = 0; i < b->n; i++) {
        const struct am_insn *const in = b->lines[i].insn;

        if (in->vector_bits || in->to_vector || in->from_vector) {
            n++;
            moved = moved || in->loads || in->stores;
        }
    }
    most = core->vectors[moved ? AM_MIX_IN_moved_vectors : AM_MIX_IN_vectors];
    if (most > 0)
        press_front(b, n / most);
}

/* What the window makes of the bounds is named from here on. */
static const double window_least = 1.05;

static void decide(struct am_predicted *b)
{
    b->limit = AM_LIMIT_JUMP;
    b->cycles = b->jump.cycles;
    b->hi = fmax(b->hi, b->jump.most);
    if (b->throughput >= b->cycles) {
        b->limit = AM_LIMIT_RESOURCE;
        b->cycles = b->throughput;
    }
    if (b->chain > b->cycles) {
        b->limit = AM_LIMIT_CHAIN;
        b->cycles = b->chain;
    }
    if (b->played > b->cycles) {
        b->limit = b->played > window_least * b->cycles ? AM_LIMIT_WINDOW : b->limit;
        b->cycles = b->played;
    }
    b->free = b->cycles;
    if (b->turned > b->cycles) {
        b->limit = b->turned > window_least * b->cycles ? AM_LIMIT_TURNS : b->limit;
        b->cycles = b->turned;
        b->hi = fmax(b->hi, b->turned);
    }
}

/* Bytes within which two stores complete in one cycle: a line, or half of one. */
static int64_t store_block(const struct am_incore *core, enum am_arch arch)
{
    const struct am_form_pair *const plain = am_form_indexed(arch, AM_INDEXED_STORE);

    return plain && alone_of(core, am_form_store_halves(arch)) >
                        clearly * alone_of(core, plain->plain)
               ? LINE / 2
               : LINE;
}

/* Whether the store that comes before this one, maybe in the iteration before, goes to another
 * line, or half of one where that counts, as far as their addresses say. */
static bool is_other_line(const struct am_incore *core, const struct am_insn *body, size_t n,
                          size_t at)
{
    const struct am_insn *const in = &body[at], *other = in;

    for (size_t i = 1; i <= n && in->stores; i++) {
        other = &body[(at + n - i) % n];
        if (other->stores)
            break;
    }
    return in->stores && other != in &&
           (in->memory.base != other->memory.base || in->memory.index != other->memory.index ||
            llabs(in->memory.displacement - other->memory.displacement) >=
                store_block(core, in->arch));
}

/* A store to another line than the one before it takes as long as such stores do, if that is
 * longer, whatever register it comes from. */
static void store_apart(const struct am_incore *core, struct am_predicted_line *line)
{
    const char *const lines = am_form_store_lines(line->insn->arch);

    if (line->forms.store[0] && alone_of(core, lines) > clearly * alone_of(core, line->forms.store))
        (void)am_str_copy(line->forms.store, sizeof(line->forms.store), lines);
}

enum am_arch am_core_arch(const struct am_incore *core)
{
    enum am_arch arch = AM_ARCHS;

    while (arch > 0 && !am_incore_find(core, am_form_slot(--arch)))
        ;
    return arch;
}

/* 512-bit vectors anywhere in a loop are about in all of its passes. */
static bool is_wide(const struct am_insns *insns, const struct am_loop *loop)
{
    static const unsigned widest = 512;

    for (size_t i = loop->first; i <= loop->last; i++) {
        if (insns->items[i].vector_bits == widest)
            return true;
    }
    return false;
}

bool am_loop_predict(const struct am_incore *measured, const struct am_insns *insns,
                     const struct am_loop *loop, struct am_arena *arena, struct am_predicted *out)
{
    const bool wide = is_wide(insns, loop);
    const struct am_incore *const core = am_incore_beside(measured, wide);
    const bool load_known =
        am_incore_way(core, am_form_load(insns->items[loop->first].arch)) != NULL;
    struct am_insn_around around;
    bool loads = false;

    *out = (struct am_predicted){
        .loop = loop, .core = core, .wide = wide, .n = loop->last - loop->first + 1};
    out->lines = am_arena_array(arena, out->n, sizeof(*out->lines));
    for (size_t i = 0; out->lines && i < out->n; i++) {
        struct am_predicted_line *const line = &out->lines[i];

        line->insn = &insns->items[loop->first + i];
        around.before = i ? line[-1].insn : NULL;
        around.after = i + 1 < out->n ? &insns->items[loop->first + i + 1] : NULL;
        around.other_line = is_other_line(core, &insns->items[loop->first], out->n, i);
        am_insn_forms(line->insn, &around, is_measured, core, &line->forms);
        if (around.other_line)
            store_apart(core, line);
        am_flow_set(core, line);
        out->unknown += line->forms.match == AM_FORM_UNKNOWN;
        out->like += line->forms.match == AM_FORM_LIKE;
        out->latencies_unknown +=
            isnan(line->latency) && line->insn->writes != 0 && line->forms.match != AM_FORM_UNKNOWN;
        loads = loads || line->insn->loads;
    }
    out->latencies_unknown += !load_known && loads;
    if (!out->lines || !press_all(out, core, arena))
        return false;
    for (size_t i = 0; i < out->n; i++)
        out->lines[i].slots = slots_of(core, &out->lines[i]);
    if (!press_groups(out, core, arena))
        return false;
    press_vectors(out, core);
    if (!am_flow_play(core, out) || !am_turn_of(core, out, insns->kept, arena, &out->jump))
        return false;
    decide(out);
    return true;
}
