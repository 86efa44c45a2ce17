/* SPDX-License-Identifier: MIT */
/* Sizes of a core from made-up curves: launches that were quick beyond a step, and the times of
 * simulated cores whose sizes are known. */
#include "family/core.h"
#include "family/families.h"

#include "fact_fixture.h"
#include "tap.h"

#include <math.h>

enum { FROM = 16, TO = 496, STEP = 16 };

static struct am_facts derive(struct rx_run *run)
{
    struct am_facts facts = {.arena = &run->arena};

    am_evidence_settle(&run->set);
    am_family_derive(&am_family_core, &run->set, &facts);
    return facts;
}

/* A point whose last launch took something else than the others. */
static struct am_result *add_point(struct rx_run *run, const char *filler, int count, double cycles,
                                   double last)
{
    char text[64];
    struct am_result *r;
    double *const values = am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, RX_LAUNCHES, sizeof(*launches));

    (void)snprintf(text, sizeof(text), "filler=%s count=%d", filler, count);
    r = rx_add(run, "cpu.window", text,
               (const struct rx_metric[]){{"cycles", "cycle", cycles}, {0}});
    r->metrics[0].better = AM_LOWER;
    for (size_t i = 0; i < RX_LAUNCHES; i++) {
        values[i] = i + 1 < RX_LAUNCHES ? cycles * (1 + 0.001 * (double)i) : last;
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1};
    }
    r->metrics[0].series.launches = launches;
    return r;
}

/* 160 cycles up to the step, 320 beyond it; the last launch of one point takes `odd`. */
struct curve {
    const char *what;
    int step, at;
    double odd;
    bool drifted;         /* the clock of that launch changed */
    double lo, value, hi; /* of the fact; 0: there is none */
    const char *remark;   /* NULL: none */
};

static const struct curve curves[] = {
    {"nobody was quick beyond the step", 240, 400, 321, false, 240, 248, 256, NULL},
    {"one launch was: the step is not the end", 240, 400, 162, false, 240, 408, 416, NULL},
    {"at the step itself, which nobody confirms, it is wider", 240, 256, 165, false, 240, 256, 272,
     NULL},
    {"one launch was, by a clock that changed: that shows nothing", 240, 400, 162, true, 240, 248,
     256, NULL},
    {"half-way up is not quick", 240, 400, 250, false, 240, 248, 256, NULL},
    {"before the step everybody is", 240, 112, 160, false, 240, 248, 256, NULL},
    {"quicker than chains that come together was timed wrongly", 240, 400, 100, false, 240, 248,
     256, NULL},
    {"with the largest count: nobody knows the end", 240, TO, 161, false, 0, 0, 0, "largest count"},
    {"a curve without a step needs no end", 1000, 400, 100, false, 0, 0, 0, "no clear step"},
};

static void check_curve(const struct curve *c)
{
    static const uint32_t drift = AM_LABEL_DRIFT;
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (int n = FROM; n <= TO; n += STEP) {
        const double cycles = n > c->step ? 320 : 160;

        struct am_result *const r =
            add_point(&run, "store", n, cycles, n == c->at ? c->odd : cycles);

        if (n == c->at && c->drifted)
            r->metrics[0].series.launches[RX_LAUNCHES - 1].labels = &drift;
    }
    facts = derive(&run);
    f = am_facts_only(&facts, "core.window", "filler=store");
    ok(c->value > 0 ? f && fabs(f->value - c->value) < 1e-9 && fabs(f->ci.lo - c->lo) < 1e-9 &&
                          fabs(f->ci.hi - c->hi) < 1e-9
                    : !f,
       "%s: %g (%g to %g)", c->what, f ? f->value : NAN, f ? f->ci.lo : NAN, f ? f->ci.hi : NAN);
    ok(c->remark ? facts.n_remarks == 1 && strstr(facts.remarks[0].text, c->remark)
                 : facts.n_remarks == 0,
       "and %s", facts.n_remarks ? facts.remarks[0].text : "nothing is remarked");
    if (c->value > 300)
        ok(f && strstr(f->evidence, "quick with 400"), "the evidence says so: %s",
           f ? f->evidence : "");
    am_arena_fini(&run.arena);
}

/* ---- simulated cores ---- */

/* Hands out and retires in order, so many per cycle; a division waits for the one before it of its
 * chain, all else is done at once, or waits for the chain before it. Registers are those beyond the
 * architectural ones: each instruction that writes one holds it until it retires. Neighbours that
 * write the same register share a place where the core merges them. What waits for its operands
 * has an entry of the scheduler until then, divisions as well where they go to the same one. */
enum { WIDTH = 6, RETIRES = 8, LINKS = 24, DIVIDES = 14, PASSES = 24, IN_FLIGHT_MAX = 1024 };

struct core {
    int places, general, vector, entries; /* entries 0: as many as places */
    int merges;                           /* equal neighbours in a place; 0: one */
    int loads;                            /* in their queue until they retire; 0: any number */
};

struct filler {
    const char *name;
    bool general, vector; /* registers that it writes */
    bool waits, same;     /* for the chain; each as the one before it */
    bool loads;           /* is one, and where it writes both kinds, three of eight general ones */
};

enum { GENERAL = 1, VECTOR = 2 };

/* The registers that the k-th filler behind a chain writes. */
static int writes(const struct filler *filler, int k)
{
    static const bool general[8] = {[1] = true, [4] = true, [6] = true};

    if (filler->loads && filler->general && filler->vector)
        return general[k % 8] ? GENERAL : VECTOR;
    return (filler->general ? GENERAL : 0) | (filler->vector ? VECTOR : 0);
}

static const struct filler fillers[] = {
    {.name = "zero"}, {.name = "general", .general = true}, {.name = "vector", .vector = true}};
static const struct filler waiting = {.name = "waiting_vector", .waits = true};

/* Instruction i of a pass of two chains with `count` fillers behind each: the chain, or -1. */
static int chain_of(int i, int count)
{
    const int half = LINKS + count;

    return i % half < LINKS ? i / half : -1;
}

struct flight {
    long done[IN_FLIGHT_MAX];  /* when each is; a ring in the order of the program */
    long begun[IN_FLIGHT_MAX]; /* when each leaves the scheduler */
    bool divides[IN_FLIGHT_MAX];
    int writes[IN_FLIGHT_MAX]; /* kinds of registers */
    int size[IN_FLIGHT_MAX];   /* how much of a place, in parts of PLACE, it takes */
    long first, next;          /* instructions since the begin */
    int general, vector, places, loads;
};

enum { PLACE = 12 }; /* parts */

static void retire(struct flight *f, const struct filler *filler, long now)
{
    for (int k = 0; k < RETIRES && f->first < f->next && f->done[f->first % IN_FLIGHT_MAX] <= now;
         k++, f->first++) {
        const bool divides = f->divides[f->first % IN_FLIGHT_MAX];

        f->general -= (f->writes[f->first % IN_FLIGHT_MAX] & GENERAL) != 0;
        f->vector -= (f->writes[f->first % IN_FLIGHT_MAX] & VECTOR) != 0;
        f->loads -= !divides && filler->loads;
        f->places -= f->size[f->first % IN_FLIGHT_MAX];
    }
}

static int in_scheduler(const struct flight *f, long now)
{
    int n = 0;

    for (long i = f->first; i < f->next; i++)
        n += f->begun[i % IN_FLIGHT_MAX] > now;
    return n;
}

static int size_of(const struct core *core, const struct filler *filler, bool divides)
{
    return !divides && filler->same && core->merges > 1 ? PLACE / core->merges : PLACE;
}

static bool has_room(const struct flight *f, const struct core *core, const struct filler *filler,
                     bool divides, int registers, long now)
{
    return f->places + size_of(core, filler, divides) <= core->places * PLACE &&
           f->next - f->first < IN_FLIGHT_MAX &&
           (core->entries == 0 || in_scheduler(f, now) < core->entries) &&
           (divides || !filler->loads || core->loads == 0 || f->loads < core->loads) &&
           (!(registers & GENERAL) || f->general < core->general) &&
           (!(registers & VECTOR) || f->vector < core->vector);
}

/* Cycles of a pass in the steady state. */
static double pass_of(const struct core *core, const struct filler *filler, int count)
{
    const long pass = 2L * (LINKS + count);
    struct flight f = {.first = 0};
    long ready[2] = {0, 0}, now = 0, begun = 0;
    int last = 0;

    for (; f.first < PASSES * pass; now++) {
        if (begun == 0 && f.first >= PASSES / 2 * pass)
            begun = now;
        retire(&f, filler, now);
        for (int k = 0; k < WIDTH; k++) {
            const int chain = chain_of((int)(f.next % pass), count);
            const bool divides = chain >= 0;
            const int registers =
                divides ? VECTOR : writes(filler, (int)(f.next % pass) % (LINKS + count) - LINKS);

            if (!has_room(&f, core, filler, divides, registers, now))
                break;
            if (divides) {
                last = chain;
                f.begun[f.next % IN_FLIGHT_MAX] = ready[chain] > now ? ready[chain] : now;
                ready[chain] = f.begun[f.next % IN_FLIGHT_MAX] + DIVIDES;
            } else {
                f.begun[f.next % IN_FLIGHT_MAX] =
                    filler->waits && ready[last] > now ? ready[last] : now;
            }
            f.done[f.next % IN_FLIGHT_MAX] =
                divides ? ready[chain] : f.begun[f.next % IN_FLIGHT_MAX] + 1;
            f.divides[f.next % IN_FLIGHT_MAX] = divides;
            f.size[f.next % IN_FLIGHT_MAX] = size_of(core, filler, divides);
            f.places += f.size[f.next % IN_FLIGHT_MAX];
            f.writes[f.next % IN_FLIGHT_MAX] = registers;
            f.general += (registers & GENERAL) != 0;
            f.vector += (registers & VECTOR) != 0;
            f.loads += !divides && filler->loads;
            f.next++;
        }
    }
    return (double)(now - begun) / (PASSES - PASSES / 2);
}

static const struct core cores[] = {{224, 130, 150, 0, 0, 0}, {256, 160, 130, 0, 0, 0},
                                    {320, 180, 192, 0, 2, 0}, {512, 243, 280, 0, 0, 0},
                                    {630, 360, 430, 0, 4, 0}, {512, 600, 600, 0, 0, 0}};
static const struct {
    int from, to, step;
} grids[] = {{8, 760, 8}, {16, 736, 24}};

/* The size that a filler meets first. */
static int smallest(const struct core *core, const struct filler *filler)
{
    const int size = filler->general  ? core->general
                     : filler->vector ? core->vector
                     : filler->waits  ? core->entries
                                      : core->places;

    return size < core->places ? size : core->places;
}

static void check_core(const struct core *core, const struct filler *filler, size_t grid)
{
    const int truth = smallest(core, filler);
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;
    char label[32];

    for (int n = grids[grid].from; n <= grids[grid].to; n += grids[grid].step) {
        const double cycles = pass_of(core, filler, n);

        add_point(&run, filler->name, n, cycles, cycles * 1.01);
    }
    facts = derive(&run);
    (void)snprintf(label, sizeof(label), "filler=%s", filler->name);
    f = am_facts_only(&facts, "core.window", label);
    ok(f && f->ci.lo <= truth && truth <= f->ci.hi &&
           fabs(f->value - truth) <= 0.75 * grids[grid].step,
       "a core of %d places, %d and %d registers, %s in steps of %d: %d is %g (%g to %g)",
       core->places, core->general, core->vector, filler->name, grids[grid].step, truth,
       f ? f->value : NAN, f ? f->ci.lo : NAN, f ? f->ci.hi : NAN);
    am_arena_fini(&run.arena);
}

static void check_cores(void)
{
    for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
        for (size_t k = 0; k < sizeof(fillers) / sizeof(fillers[0]); k++) {
            for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++)
                check_core(&cores[i], &fillers[k], g);
        }
    }
}

/* Why fillers differ from their neighbours: zeros of one register show twice the places of a core
 * that merges them, and zeros in turn do not. */
static void check_merging(void)
{
    static const struct core merging = {320, 400, 400, 0, 2, 0}, plain = {320, 400, 400, 0, 0, 0};
    static const struct filler same = {.name = "zero", .same = true}, in_turn = {.name = "zero"};

    ok(pass_of(&merging, &same, 400) < 1.5 * pass_of(&merging, &same, 100) &&
           pass_of(&merging, &same, 660) > 1.5 * pass_of(&merging, &same, 100),
       "equal neighbours fit twice into a core that merges them");
    ok(fabs(pass_of(&merging, &in_turn, 400) - pass_of(&plain, &in_turn, 400)) < 1e-9,
       "others do not");
}

/* Divisions wait in the same scheduler as vector sums. */
static void check_schedulers(void)
{
    static const struct core with[] = {
        {320, 400, 400, 64, 0, 0}, {512, 400, 400, 97, 0, 0}, {224, 400, 400, 128, 0, 0}};

    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
        for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++)
            check_core(&with[i], &waiting, g);
    }
}

/* What cpu.window says of loads of a core. */
static double loads_of(const struct core *core, const struct filler *filler)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;
    double value;

    for (int n = grids[0].from; n <= grids[0].to; n += grids[0].step) {
        const double cycles = pass_of(core, filler, n);

        add_point(&run, "load", n, cycles, cycles * 1.01);
    }
    facts = derive(&run);
    f = am_facts_only(&facts, "core.window", "filler=load");
    value = f ? f->value : NAN;
    am_arena_fini(&run.arena);
    return value;
}

/* Why loads go to both kinds of registers: a queue of more places than there are general registers
 * shows by those, and the registers show where all go to general ones. */
static void check_loads(void)
{
    static const struct filler both = {.name = "load",
                                       .general = true,
                                       .vector = true,
                                       .loads = true},
                               one = {.name = "load", .general = true, .loads = true};
    static const struct core longer = {448, 200, 330, 0, 0, 300},
                             shorter = {448, 200, 330, 0, 0, 88}, none = {448, 200, 330, 0, 0, 0};

    ok(fabs(loads_of(&longer, &both) - 300) <= grids[0].step, "a queue of 300 is %g by both kinds",
       loads_of(&longer, &both));
    ok(fabs(loads_of(&longer, &one) - 200) <= grids[0].step, "and 200 general registers by one: %g",
       loads_of(&longer, &one));
    ok(fabs(loads_of(&shorter, &both) - 88) <= grids[0].step, "one of 88 is %g",
       loads_of(&shorter, &both));
    ok(loads_of(&none, &both) > 448 - 2 * LINKS, "without one the window ends first: %g",
       loads_of(&none, &both));
}

/* Of sums of which every fourth waits, a core that binds them by turns holds as many as of such
 * that all wait, and one that does not four times as many. */
static const struct turning {
    const char *what;
    int waiting, fourth, operand; /* where the step is; 0: not measured */
    unsigned turns, addressing, places;
} turnings[] = {
    {"as many: by turns", 96, 96, 0, 4, 4, 26},
    {"with three of four that address memory", 96, 96, 72, 4, 3, 26},
    {"and with all", 96, 112, 96, 4, 4, 26},
    {"four times as many: any that has room", 96, 384, 72, 0, 0, 0},
    {"three times as many, since registers end first", 96, 288, 0, 0, 0, 0},
    {"one of the two was not measured", 0, 96, 0, 0, 0, 0},
    {"nor the other", 96, 0, 72, 0, 0, 0},
};

static void add_curve(struct rx_run *run, const char *filler, int step)
{
    for (int n = FROM; step > 0 && n <= TO; n += STEP)
        add_point(run, filler, n, n > step ? 320 : 160, n > step ? 321 : 161);
}

static void check_turns(void)
{
    for (size_t i = 0; i < sizeof(turnings) / sizeof(turnings[0]); i++) {
        const struct turning *const t = &turnings[i];
        struct rx_run run = {0};
        struct am_core_turns turns;

        add_curve(&run, "waiting", t->waiting);
        add_curve(&run, "waiting_fourth", t->fourth);
        add_curve(&run, "waiting_operand", t->operand);
        am_evidence_settle(&run.set);
        turns = am_core_turns(&run.set, &run.arena);
        ok(turns.units == t->turns && turns.addressing == t->addressing &&
               turns.places + 1 >= t->places && turns.places <= t->places + 1,
           "%s: %u units by turns, %u of them, %u places", t->what, turns.units, turns.addressing,
           turns.places);
        am_arena_fini(&run.arena);
    }
}

int main(void)
{
    check_cores();
    check_merging();
    check_schedulers();
    check_loads();
    check_turns();
    for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
        check_curve(&curves[i]);
    return tap_done();
}
