/* SPDX-License-Identifier: MIT */
/* Iterations of a loop, played by latencies. */
#include "model/block/flow.h"

#include "base/text.h"
#include "model/block/handing.h"
#include "model/block/memory.h"
#include "model/block/turns.h"

#include <math.h>
#include <string.h>

enum {
    ITERATIONS_LEAST = 64,
    ITERATIONS_MOST = 512,
    STEPS = 4096, /* instructions that are played at least, of bodies that are not too short */
    WINDOW_MOST = 1 << 20, /* of a file from anybody */
    LOADS_MAX = 64,
    STORES_MAX = 256,             /* the last ones that a load may meet */
    CYCLES_KEPT = 4096,           /* of resources: more than a window of instructions reaches */
    GENERALS = AM_REG_ARM_VECTOR, /* of the architecture with most */
};

/* ---- addresses ---- */

/* The value of a general register: what another had before the loop, or an unknown one (a number
 * of its own), and a constant. */
struct value {
    size_t origin;
    int64_t more;
};

struct place {
    struct value base, index; /* index.origin SIZE_MAX: none */
    unsigned scale;
    int64_t at;     /* behind the sum of both origins */
    unsigned bytes; /* 0: not known where */
};

static struct place place_of(const struct value *values, const struct am_insn *in)
{
    const struct am_insn_memory *const m = &in->memory;
    const struct value none = {.origin = SIZE_MAX};
    struct place p = {.base = m->base < GENERALS ? values[m->base] : none,
                      .index = m->index < GENERALS ? values[m->index] : none,
                      .scale = m->index < GENERALS ? m->scale : 0,
                      .bytes = m->known ? in->memory_bits / 8 : 0};

    p.at = p.base.more + (int64_t)p.scale * p.index.more + m->displacement;
    return p;
}

/* Whether a load finds all that it reads in what the store wrote. */
static bool holds(const struct place *store, const struct place *load)
{
    return store->bytes && load->bytes && store->base.origin == load->base.origin &&
           store->index.origin == load->index.origin && store->scale == load->scale &&
           store->at <= load->at && store->at + store->bytes >= load->at + load->bytes;
}

/* ---- the flow of data ---- */

/* When a value is ready, by which step (iteration and line: 0 for none, else step + 1), and from
 * which kind of units. */
struct ready {
    double at;
    size_t by;
    enum am_incore_home home;
    double away, other;
    double clash, took; /* to additions of numbers of another size; the latency of what made it */
};

struct written {
    struct place place;
    struct ready ready;
    const struct am_insn *by;
};

struct loaded {
    struct place place;
    size_t origin; /* of the value there */
};

/* The core's limits while a loop is played. */
struct limits {
    size_t window, resources;
    size_t n;     /* instructions that entered the window */
    double front; /* when the next instruction is handed out */
    struct am_handing handing;
    double *retired;  /* of the last `window` instructions, in turn */
    double last;      /* of them */
    double *left;     /* of each cycle that is kept, by resource */
    uint64_t *cycles; /* which they are */
    size_t waiting;   /* vector operations that may wait at once; 0: not known */
    double *entries;  /* when each of their places is free */
    struct am_turns turns;
    struct am_memory_turns memory;
};

struct flow {
    const struct am_predicted *block;
    struct limits *limits;       /* NULL: none */
    double load;                 /* latency */
    double forward[AM_FORWARDS]; /* of a load behind the store that wrote it */
    struct ready regs[AM_REG_COUNT];
    struct value values[GENERALS];
    struct written stores[STORES_MAX];
    size_t n_stores;                 /* in all; the last are kept */
    struct loaded loaded[LOADS_MAX]; /* pointers that nothing in the loop stores */
    size_t n_loaded;
    size_t *before; /* of each step: the one that it waited for, as above */
};

/* Each of the two was measured there and back. Of what is at home with neither kind of additions
 * the ways to both are known. */
static double way_between(const struct ready *from, const struct am_predicted_line *to)
{
    static const double alike = 0.3;

    if (from->clash > 0 && to->home == AM_HOME_FLOAT && fabs(from->took - to->latency) < alike)
        return from->clash;
    if (to->clash > 0 && from->home == AM_HOME_FLOAT && fabs(from->took - to->latency) < alike)
        return to->clash;
    if (from->home == AM_HOME_ANY || to->home == AM_HOME_ANY || from->home == to->home)
        return 0;
    if (from->home == AM_HOME_APART)
        return (to->home == AM_HOME_FLOAT ? from->away : from->other) / 2;
    if (to->home == AM_HOME_APART)
        return (from->home == AM_HOME_FLOAT ? to->away : to->other) / 2;
    return (from->away + to->away) / 4;
}

static void wait_until(struct ready *until, double at, const struct ready *what)
{
    if (at > until->at)
        *until = (struct ready){at,          what->by,    what->home, what->away,
                                what->other, what->clash, what->took};
}

static void wait_for(const struct flow *f, uint64_t regs, double more,
                     const struct am_predicted_line *line, struct ready *until)
{
    for (size_t r = 0; r < AM_REG_COUNT; r++) {
        if (regs >> r & 1)
            wait_until(until, f->regs[r].at + more + way_between(&f->regs[r], line), &f->regs[r]);
    }
}

static bool same_operand(const struct am_insn *a, const struct am_insn *b)
{
    return a->memory.base == b->memory.base && a->memory.index == b->memory.index &&
           a->memory.displacement == b->memory.displacement;
}

static enum am_forward forward_of(const struct am_insn *load, const struct am_insn *store)
{
    static const unsigned small = 32; /* bits: cores that know places by their text know no less */

    if (load->vector_bits || load->to_vector)
        return AM_FORWARD_VECTOR;
    if (load->memory_bits < small && strncmp(load->mnemonic, "movsx", 5) != 0)
        return AM_FORWARD_SMALL;
    if (load->stores)
        return load->from_general ? AM_FORWARD_UPDATE : AM_FORWARD_UPDATE_CONSTANT;
    if (strncmp(load->mnemonic, "movsx", 5) == 0)
        return AM_FORWARD_SIGNED;
    return same_operand(load, store) && load->memory.index >= AM_REG_COUNT ? AM_FORWARD_SAME
                                                                           : AM_FORWARD_OTHER;
}

/* The last store that wrote what the line loads: its data come through the store's queue. */
static void wait_for_store(const struct flow *f, const struct am_predicted_line *line,
                           struct ready *until)
{
    const struct place place = place_of(f->values, line->insn);
    const size_t kept = f->n_stores < STORES_MAX ? f->n_stores : STORES_MAX;

    for (size_t i = 0; i < kept; i++) {
        const struct written *const w = &f->stores[(f->n_stores - 1 - i) % STORES_MAX];
        const double forward = f->forward[forward_of(line->insn, w->by)];

        if (holds(&w->place, &place)) {
            if (!isnan(forward))
                wait_until(until, w->ready.at + forward, &w->ready);
            return;
        }
    }
}

/* The value that is loaded from a place that the loop does not store to is the same each time: its
 * origin, or the one given where it was not loaded before. */
static size_t loaded_origin(struct flow *f, const struct am_insn *in, size_t other)
{
    const struct place place = place_of(f->values, in);
    const size_t kept = f->n_stores < STORES_MAX ? f->n_stores : STORES_MAX;

    for (size_t i = 0; i < kept; i++) {
        if (holds(&f->stores[i].place, &place))
            return other;
    }
    for (size_t i = 0; i < f->n_loaded; i++) {
        if (holds(&f->loaded[i].place, &place) && f->loaded[i].place.at == place.at)
            return f->loaded[i].origin;
    }
    if (place.bytes && f->n_loaded < LOADS_MAX)
        f->loaded[f->n_loaded++] = (struct loaded){place, other};
    return other;
}

static struct value value_after(struct flow *f, const struct am_insn *in, unsigned r, size_t step)
{
    const size_t fresh = GENERALS * (step + 1) + r;

    if (in->moves && r == in->moved_to)
        return (struct value){f->values[in->moved_from].origin,
                              f->values[in->moved_from].more + in->moved_by};
    return (struct value){.origin = in->loads && strcmp(in->mnemonic, "mov") == 0
                                        ? loaded_origin(f, in, fresh)
                                        : fresh};
}

/* Of a base that an access moves on. */
static struct value base_after(const struct flow *f, const struct am_insn *in, unsigned r,
                               size_t step)
{
    return in->beside_known ? (struct value){f->values[r].origin, f->values[r].more + in->beside_by}
                            : (struct value){.origin = GENERALS * (step + 1) + r};
}

static void follow(struct flow *f, const struct am_insn *in, size_t step)
{
    struct value after[GENERALS];

    memcpy(after, f->values, sizeof(after));
    for (unsigned r = 0; r < GENERALS; r++) {
        if ((in->writes | in->maybe) >> (AM_REG_GENERAL + r) & 1)
            after[r] = value_after(f, in, r, step);
        else if (in->beside >> (AM_REG_GENERAL + r) & 1)
            after[r] = base_after(f, in, r, step);
    }
    memcpy(f->values, after, sizeof(after));
}

static void keep_store(struct flow *f, const struct am_insn *in, const struct ready *ready)
{
    f->stores[f->n_stores++ % STORES_MAX] =
        (struct written){.place = place_of(f->values, in), .ready = *ready, .by = in};
}

/* ---- limits ---- */

/* What is left of the resources in a cycle. */
static double *left_in(const struct limits *l, uint64_t cycle)
{
    const size_t at = cycle % CYCLES_KEPT;
    double *const left = &l->left[at * l->resources];

    if (l->cycles[at] != cycle) {
        l->cycles[at] = cycle;
        for (size_t r = 0; r < l->resources; r++)
            left[r] = 1;
    }
    return left;
}

/* Takes so much of a resource from the cycle on; returns the cycle in which the first was had. */
static uint64_t take(const struct limits *l, size_t r, double wanted, uint64_t from)
{
    static const double nothing = 1e-9;
    uint64_t first = UINT64_MAX;

    for (uint64_t cycle = from; wanted > nothing && cycle < from + CYCLES_KEPT; cycle++) {
        double *const left = &left_in(l, cycle)[r];
        const double had = fmin(*left, wanted);

        first = had > nothing && first == UINT64_MAX ? cycle : first;
        *left -= had;
        wanted -= had;
    }
    return first == UINT64_MAX ? from : first;
}

/* Whether it waits for its operands where vector operations do. */
static bool waits_as_vector(const struct am_predicted_line *line)
{
    return line->insn->vector_bits && line->forms.operation[0] && !line->forms.eliminated &&
           !line->renamed;
}

/* The place that is free first; SIZE_MAX: it needs none. */
static size_t free_place(const struct limits *l, const struct am_predicted_line *line)
{
    size_t first = 0;

    if (l->waiting == 0 || !waits_as_vector(line))
        return SIZE_MAX;
    for (size_t i = 1; i < l->waiting; i++)
        first = l->entries[i] < l->entries[first] ? i : first;
    return first;
}

/* When the instruction enters the window, and with it the place where it waits. */
static double enter(struct limits *l, const struct am_predicted_line *line, size_t place)
{
    l->front = fmax(l->front, l->retired[l->n % l->window]);
    if (place != SIZE_MAX)
        l->front = fmax(l->front, l->entries[place]);
    l->front = am_turns_enter(&l->turns, line, am_handing_out(&l->handing, line, l->front));
    l->front += line->use[0];
    return l->front;
}

/* When it begins, at this time or later: as soon as it has something of the resources that it needs
 * most. What else it takes a little of is a matter of throughput, and holds nothing up. */
static double take_all(struct limits *l, const struct am_predicted_line *line, double at)
{
    const size_t bound = am_turns_resource(&l->turns, line);
    static const double most = 0.5;
    const uint64_t from = (uint64_t)at;
    double begun = at, largest = 0;

    for (size_t r = 1; r < l->resources; r++)
        largest = fmax(largest, line->use[r]);
    for (size_t r = 1; r < l->resources; r++) {
        const double wanted = bound && r == bound ? 0 : line->use[r];

        if (wanted > 0) {
            const double first = (double)take(l, r, wanted, from);

            begun = wanted >= most * largest ? fmax(begun, first) : begun;
        }
    }
    return am_turns_begin(&l->turns, line, begun);
}

/* When an instruction begins whose operands are ready at this time, behind a load or without. */
static double begin(struct limits *l, const struct am_predicted_line *line, double ready,
                    double load)
{
    const size_t place = free_place(l, line);
    const double at = fmax(ready, enter(l, line, place) + load);
    const double begun =
        take_all(l, line, am_memory_turns_begin(&l->memory, line, l->front, at, load));

    if (place != SIZE_MAX)
        l->entries[place] = begun;
    return begun;
}

static void leave(struct limits *l, double done)
{
    l->last = fmax(l->last, done);
    l->retired[l->n++ % l->window] = l->last;
}

/* ---- iterations ---- */

/* A base that an access moves on is there one cycle behind what it was. */
static void move_on(struct flow *f, size_t step, const struct am_insn *in, double at)
{
    for (size_t r = 0; r < AM_REG_COUNT; r++) {
        if (in->beside >> r & 1)
            f->regs[r] = (struct ready){.at = at, .by = step + 1};
    }
}

/* Loads begin when their address is known, and the operation when all of its operands are. */
static double play_line(struct flow *f, size_t step, const struct am_predicted_line *line)
{
    const struct am_insn *const in = line->insn;
    /* What is fused takes no place of its own. */
    struct limits *const limits = line->forms.match == AM_FORM_NONE ? NULL : f->limits;
    struct ready until = {.at = 0}, base = {.at = 0}, done;

    if (!line->forms.eliminated && !line->afresh)
        wait_for(f, in->reads, 0, line, &until);
    wait_for(f, in->address_reads, in->loads ? f->load : 0, line, &until);
    if (line->index_more > 0)
        wait_for(f, UINT64_C(1) << in->memory.index, f->load + line->index_more, line, &until);
    if (line->base_more > 0 && in->memory.base < AM_REG_COUNT)
        wait_for(f, UINT64_C(1) << in->memory.base, line->base_more, line, &until);
    if (in->loads) {
        until.at = fmax(until.at, f->load);
        wait_for_store(f, line, &until);
    }
    f->before[step] = until.by;
    if (limits)
        until.at = begin(limits, line, until.at, in->loads ? f->load : 0);
    done = (struct ready){.at = until.at + (isnan(line->latency) ? 1 : line->latency),
                          .by = step + 1,
                          .home = line->renamed ? until.home : line->home,
                          .away = line->renamed ? until.away : line->away,
                          .other = line->renamed ? until.other : line->other,
                          .clash = line->renamed ? until.clash : line->clash,
                          .took = line->renamed ? until.took : line->latency};
    if (in->stores)
        keep_store(f, in, &done);
    wait_for(f, in->beside, 1, line, &base);
    move_on(f, step, in, base.at);
    for (size_t r = 0; r < AM_REG_COUNT; r++) {
        if (in->writes >> r & 1)
            f->regs[r] = done;
    }
    follow(f, in, step);
    if (limits)
        leave(limits, done.at);
    return done.at;
}

/* Goes back from the step that was done last until it meets a line for the second time, and marks
 * what lies between: the last step may only hang on the chain, as a store of each sum does. */
static bool mark_chain(struct am_predicted *b, const size_t *before, size_t last,
                       struct am_arena *scratch)
{
    size_t *const seen = am_arena_array(scratch, b->n, sizeof(*seen)); /* one more than the step */
    size_t at = last;

    if (!seen)
        return false;
    while (!seen[at % b->n]) {
        seen[at % b->n] = at + 1;
        if (!before[at])
            return true; /* it does not come back: no chain from one to the next */
        at = before[at] - 1;
    }
    for (size_t k = seen[at % b->n] - 1; k != at; k = before[k] - 1)
        b->lines[k % b->n].on_chain = true;
    return true;
}

static double latency_of(const struct am_incore *core, const char *form)
{
    const struct am_incore_way *const way = am_flow_way(core, form);

    return way ? way->latency : NAN;
}

static size_t iterations_of(const struct am_predicted *b)
{
    const size_t wanted = STEPS / b->n;

    return wanted < ITERATIONS_LEAST ? ITERATIONS_LEAST
                                     : (wanted > ITERATIONS_MOST ? ITERATIONS_MOST : wanted);
}

/* Plays all iterations; returns the cycles per iteration of the second half, and the step that was
 * done last. */
static double play(struct flow *f, const struct am_predicted *b, size_t *last)
{
    const size_t iterations = iterations_of(b);
    double half = 0, latest = 0, begun = 0;

    for (size_t r = 0; r < GENERALS; r++)
        f->values[r] = (struct value){.origin = r};
    for (size_t k = 0; k < iterations; k++) {
        for (size_t i = 0; i < b->n; i++) {
            const double done = play_line(f, k * b->n + i, &b->lines[i]);

            if (done >= latest && (b->lines[i].insn->writes || b->lines[i].insn->stores)) {
                latest = done;
                *last = k * b->n + i;
            }
        }
        if (f->limits) /* a jump back per cycle */
            f->limits->front = begun = fmax(f->limits->front, begun + 1);
        half = k + 1 == iterations / 2 ? latest : half;
    }
    return (latest - half) / (double)(iterations - iterations / 2);
}

static bool open_limits(const struct am_incore *core, struct am_arena *arena, struct limits *l)
{
    *l = (struct limits){.window = (size_t)fmin(core->window, WINDOW_MOST),
                         .resources = core->model.resources,
                         .handing = {.core = core},
                         .waiting = (size_t)fmin(core->waiting, WINDOW_MOST)};
    l->entries = am_arena_array(arena, l->waiting + 1, sizeof(*l->entries));
    l->retired = am_arena_array(arena, l->window, sizeof(*l->retired));
    l->left = am_arena_array(arena, CYCLES_KEPT * l->resources, sizeof(*l->left));
    l->cycles = am_arena_array(arena, CYCLES_KEPT, sizeof(*l->cycles));
    for (size_t i = 0; l->cycles && i < CYCLES_KEPT; i++)
        l->cycles[i] = UINT64_MAX;
    return l->entries && l->retired && l->left && l->cycles;
}

/* Of what was not measured, that of a plain store and load. An instruction that loads, operates and
 * stores was measured with its operation of one cycle, which counts apart. */
static double forward_latency(const struct am_incore *core, enum am_arch arch, enum am_forward how)
{
    const char *const form = am_form_forward(arch, how);
    const double own = form ? latency_of(core, form) : NAN;
    const bool updates = how == AM_FORWARD_UPDATE || how == AM_FORWARD_UPDATE_CONSTANT;

    if (isnan(own) && how == AM_FORWARD_VECTOR) /* no core renames those */
        return am_form_forward(arch, AM_FORWARD_OTHER)
                   ? latency_of(core, am_form_forward(arch, AM_FORWARD_OTHER))
                   : NAN;
    if (isnan(own))
        return latency_of(core, am_form_forward(arch, AM_FORWARD_SAME));
    return updates ? fmax(own - 1, 0) : own;
}

static double load_latency(const struct am_incore *core, const struct am_predicted *b)
{
    const double load = latency_of(core, am_form_load(b->lines[0].insn->arch));

    return isnan(load) ? 1 : load;
}

static void start(const struct am_incore *core, const struct am_predicted *b, size_t *before,
                  struct flow *f)
{
    const enum am_arch arch = b->lines[0].insn->arch;

    *f = (struct flow){.block = b, .load = b->load, .before = before};
    for (int i = 0; i < AM_FORWARDS; i++)
        f->forward[i] = forward_latency(core, arch, (enum am_forward)i);
}

/* Played with bound operations, on average over what comes first: a program comes in anyhow. */
static bool play_turns(const struct am_incore *core, struct am_predicted *b, struct flow *f,
                       struct am_arena *scratch)
{
    static const double more = 1.01; /* than is handed out: not by an error of the weights */
    const enum am_arch arch = b->lines[0].insn->arch;
    const size_t begins = am_turns_begins(core);
    size_t *const before = f->before;
    struct limits limits;
    size_t last = 0;
    double sum = 0;

    for (size_t first = 0; first < begins; first++) {
        if (!open_limits(core, scratch, &limits) ||
            !am_turns_open(core, arch, first, scratch, &limits.turns) ||
            !am_memory_turns_open(core, scratch, &limits.memory))
            return false;
        if (limits.turns.units.n == 0 && limits.memory.units.n == 0)
            return true;
        if (limits.turns.units.n &&
            b->pressure[limits.turns.resource] > more * fmax(b->pressure[0], 1))
            am_turns_fill(&limits.turns);
        start(core, b, before, f);
        f->limits = &limits;
        sum += play(f, b, &last);
    }
    b->turned = sum / (double)begins;
    return true;
}

static bool play_all(const struct am_incore *core, struct am_predicted *b, struct am_arena *scratch)
{
    struct flow *const f = am_arena_alloc(scratch, sizeof(*f));
    size_t *const before = am_arena_array(scratch, b->n * iterations_of(b), sizeof(*before));
    struct limits limits;
    size_t last = 0;

    if (!f || !before)
        return false;
    start(core, b, before, f);
    b->chain = play(f, b, &last);
    if (b->chain > 0 && !mark_chain(b, before, last, scratch))
        return false;
    if (!(core->window >= 1))
        return true;
    if (!open_limits(core, scratch, &limits))
        return false;
    start(core, b, before, f);
    f->limits = &limits;
    b->played = play(f, b, &last);
    return play_turns(core, b, f, scratch);
}

bool am_flow_play(const struct am_incore *core, struct am_predicted *b)
{
    struct am_arena scratch = {NULL};
    bool played;

    b->played = b->turned = NAN;
    b->load = load_latency(core, b);
    am_flow_halves(core, b);
    played = play_all(core, b, &scratch);
    am_arena_fini(&scratch);
    return played;
}
