/* SPDX-License-Identifier: MIT */
/* Sizes of a core from made-up curves: launches that were quick beyond a step, and the times of
 * simulated cores whose sizes are known. */
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
static void add_point(struct rx_run *run, const char *filler, int count, double cycles, double last)
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
}

/* 160 cycles up to the step, 320 beyond it; the last launch of one point takes `odd`. */
struct curve {
    const char *what;
    int step, at;
    double odd;
    double lo, value, hi; /* of the fact; 0: there is none */
    const char *remark;   /* NULL: none */
};

static const struct curve curves[] = {
    {"nobody was quick beyond the step", 240, 400, 321, 240, 248, 256, NULL},
    {"one launch was: the step is not the end", 240, 400, 162, 240, 408, 416, NULL},
    {"at the step itself, which nobody confirms, it is wider", 240, 256, 165, 240, 256, 272, NULL},
    {"half-way up is not quick", 240, 400, 250, 240, 248, 256, NULL},
    {"before the step everybody is", 240, 112, 160, 240, 248, 256, NULL},
    {"quicker than chains that come together was timed wrongly", 240, 400, 100, 240, 248, 256,
     NULL},
    {"with the largest count: nobody knows the end", 240, TO, 161, 0, 0, 0, "largest count"},
    {"a curve without a step needs no end", 1000, 400, 100, 0, 0, 0, "no clear step"},
};

static void check_curve(const struct curve *c)
{
    struct rx_run run = {0};
    struct am_facts facts;
    const struct am_fact *f;

    for (int n = FROM; n <= TO; n += STEP) {
        const double cycles = n > c->step ? 320 : 160;

        add_point(&run, "store", n, cycles, n == c->at ? c->odd : cycles);
    }
    facts = derive(&run);
    f = am_facts_only(&facts, "core.window", "filler=store");
    ok(c->value > 0 ? f && fabs(f->value - c->value) < 1e-9 && fabs(f->ci.lo - c->lo) < 1e-9 &&
                          fabs(f->ci.hi - c->hi) < 1e-9
                    : !f,
       "%s: %g (%g to %g)", c->what, f ? f->value : NAN, f ? f->ci.lo : NAN, f ? f->ci.hi : NAN);
    ok(c->remark ? facts.n_remarks == 1 && strstr(facts.remarks[0], c->remark)
                 : facts.n_remarks == 0,
       "and %s", facts.n_remarks ? facts.remarks[0] : "nothing is remarked");
    if (c->value > 300)
        ok(f && strstr(f->evidence, "quick with 400"), "the evidence says so: %s",
           f ? f->evidence : "");
    am_arena_fini(&run.arena);
}

/* ---- simulated cores ---- */

/* Hands out and retires in order, so many per cycle; a division waits for the one before it of its
 * chain, all else is done at once. Registers are those beyond the architectural ones: each
 * instruction that writes one holds it until it retires. */
enum { WIDTH = 6, RETIRES = 8, LINKS = 24, DIVIDES = 14, PASSES = 24, IN_FLIGHT_MAX = 1024 };

struct core {
    int places, general, vector;
};

struct filler {
    const char *name;
    bool general, vector; /* registers that it writes */
};

static const struct filler fillers[] = {
    {"zero", false, false}, {"general", true, false}, {"vector", false, true}};

/* Instruction i of a pass of two chains with `count` fillers behind each: the chain, or -1. */
static int chain_of(int i, int count)
{
    const int half = LINKS + count;

    return i % half < LINKS ? i / half : -1;
}

struct flight {
    long done[IN_FLIGHT_MAX]; /* when each is; a ring in the order of the program */
    bool divides[IN_FLIGHT_MAX];
    long first, next; /* instructions since the begin */
    int general, vector;
};

static void retire(struct flight *f, const struct filler *filler, long now)
{
    for (int k = 0; k < RETIRES && f->first < f->next && f->done[f->first % IN_FLIGHT_MAX] <= now;
         k++, f->first++) {
        const bool divides = f->divides[f->first % IN_FLIGHT_MAX];

        f->general -= !divides && filler->general;
        f->vector -= divides || filler->vector;
    }
}

static bool has_room(const struct flight *f, const struct core *core, const struct filler *filler,
                     bool divides)
{
    return f->next - f->first < core->places &&
           (divides || !filler->general || f->general < core->general) &&
           (!(divides || filler->vector) || f->vector < core->vector);
}

/* Cycles of a pass in the steady state. */
static double pass_of(const struct core *core, const struct filler *filler, int count)
{
    const long pass = 2L * (LINKS + count);
    struct flight f = {.first = 0};
    long ready[2] = {0, 0}, now = 0, begun = 0;

    for (; f.first < PASSES * pass; now++) {
        if (begun == 0 && f.first >= PASSES / 2 * pass)
            begun = now;
        retire(&f, filler, now);
        for (int k = 0; k < WIDTH; k++) {
            const int chain = chain_of((int)(f.next % pass), count);
            const bool divides = chain >= 0;

            if (!has_room(&f, core, filler, divides))
                break;
            if (divides)
                ready[chain] = (ready[chain] > now ? ready[chain] : now) + DIVIDES;
            f.done[f.next % IN_FLIGHT_MAX] = divides ? ready[chain] : now + 1;
            f.divides[f.next % IN_FLIGHT_MAX] = divides;
            f.general += !divides && filler->general;
            f.vector += divides || filler->vector;
            f.next++;
        }
    }
    return (double)(now - begun) / (PASSES - PASSES / 2);
}

static const struct core cores[] = {{224, 130, 150}, {256, 160, 130}, {320, 180, 192},
                                    {512, 243, 280}, {630, 360, 430}, {512, 600, 600}};
static const struct {
    int from, to, step;
} grids[] = {{8, 760, 8}, {16, 736, 24}};

/* The size that a filler meets first. */
static int smallest(const struct core *core, const struct filler *filler)
{
    const int size = filler->general ? core->general : filler->vector ? core->vector : core->places;

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

int main(void)
{
    check_cores();
    for (size_t i = 0; i < sizeof(curves) / sizeof(curves[0]); i++)
        check_curve(&curves[i]);
    return tap_done();
}
