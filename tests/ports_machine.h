/* SPDX-License-Identifier: MIT */
/* Made-up cores for the tests of port inference: classes of instructions, each with
 * micro-operations that may go to some ports, and units that are busy for several cycles.
 *
 * The time of a mix is that of the best schedule: by Hall's theorem, the largest share of work that
 * can go nowhere but into some set of ports, over the size of the set. Sets that matter are unions
 * of those that micro-operations have. */
#ifndef AM_TESTS_PORTS_MACHINE_H
#define AM_TESTS_PORTS_MACHINE_H

#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { PM_OPS = 3, PM_KINDS = 32, PM_SETS = 512, PM_UNITS = 3 };

struct pm_kind {
    const char *name;      /* NULL ends */
    unsigned ops[PM_OPS];  /* sets of ports, as bits; 0: no more micro-operations */
    double busy[PM_UNITS]; /* cycles of units of which there is one each */
};

struct pm_machine {
    const char *name;
    double width; /* instructions per cycle that the front end hands on */
    struct pm_kind kinds[PM_KINDS];
    size_t n;
    unsigned sets[PM_SETS]; /* filled by pm_close() */
    size_t n_sets;
};

static inline void pm_add_set(struct pm_machine *m, unsigned set)
{
    for (size_t i = 0; i < m->n_sets; i++) {
        if (m->sets[i] == set)
            return;
    }
    if (m->n_sets < PM_SETS)
        m->sets[m->n_sets++] = set;
}

/* Counts the classes, and makes all unions of the sets that they have. */
static inline void pm_close(struct pm_machine *m)
{
    m->n = m->n_sets = 0;
    for (; m->kinds[m->n].name; m->n++) {
        for (size_t k = 0; k < PM_OPS && m->kinds[m->n].ops[k]; k++)
            pm_add_set(m, m->kinds[m->n].ops[k]);
    }
    for (size_t i = 0; i < m->n_sets; i++) {
        for (size_t k = 0; k < i; k++)
            pm_add_set(m, m->sets[i] | m->sets[k]);
    }
}

/* Cycles that one instruction of the class takes of a set of ports at least. */
static inline double pm_share(const struct pm_kind *kind, unsigned set)
{
    double inside = 0;

    for (size_t k = 0; k < PM_OPS && kind->ops[k]; k++)
        inside += (kind->ops[k] & ~set) == 0;
    return inside / (double)__builtin_popcount(set);
}

/* Cycles of a mix by counts of each class. */
static inline double pm_cycles(const struct pm_machine *m, const double *counts)
{
    double most = 0, all = 0;

    for (size_t c = 0; c < m->n; c++)
        all += counts[c];
    most = all / m->width;
    for (size_t i = 0; i < m->n_sets; i++) {
        double sum = 0;

        for (size_t c = 0; c < m->n; c++)
            sum += counts[c] > 0 ? counts[c] * pm_share(&m->kinds[c], m->sets[i]) : 0;
        most = fmax(most, sum);
    }
    for (size_t u = 0; u < PM_UNITS; u++) {
        double sum = 0;

        for (size_t c = 0; c < m->n; c++)
            sum += counts[c] * m->kinds[c].busy[u];
        most = fmax(most, sum);
    }
    return most;
}

/* ---- the same core as it would really run ---- */

enum { PM_BODY = 128, PM_PORTS = 16, PM_WINDOW = 160, PM_PASSES = 48 };

/* The instructions of a mix, spread evenly; returns how many. */
static inline size_t pm_spread(const struct pm_machine *m, const double *counts, size_t *body)
{
    double places[PM_BODY];
    size_t n = 0;

    for (size_t c = 0; c < m->n; c++) {
        const size_t times = (size_t)(counts[c] + 0.5);

        for (size_t i = 0; i < times && n < PM_BODY; i++) {
            const double place = ((double)i + 0.5) / (double)times;
            size_t at = n++;

            for (; at > 0 && places[at - 1] > place; at--) {
                places[at] = places[at - 1];
                body[at] = body[at - 1];
            }
            places[at] = place;
            body[at] = c;
        }
    }
    return n;
}

struct pm_running {
    double ports[PM_PORTS], units[PM_UNITS]; /* when each is free */
    double done[PM_WINDOW];                  /* of the last instructions, in turn */
    double now;                              /* of the front end */
    size_t steps;
};

/* A micro-operation goes to the port with the shortest queue when it is handed out, and stays
 * there: what no schedule of the whole mix would do. */
static inline double pm_issue(struct pm_running *r, unsigned set)
{
    size_t best = PM_PORTS;

    for (size_t p = 0; p < PM_PORTS; p++) {
        const size_t port = (p + r->steps) % PM_PORTS;

        if ((set >> port & 1) &&
            (best == PM_PORTS || fmax(r->ports[port], r->now) < fmax(r->ports[best], r->now)))
            best = port;
    }
    r->ports[best] = fmax(r->ports[best], r->now) + 1;
    return r->ports[best];
}

static inline void pm_step(const struct pm_machine *m, struct pm_running *r, size_t kind)
{
    double done = r->now = fmax(r->now, r->done[r->steps % PM_WINDOW]);

    for (size_t k = 0; k < PM_OPS && m->kinds[kind].ops[k]; k++)
        done = fmax(done, pm_issue(r, m->kinds[kind].ops[k]));
    for (size_t u = 0; u < PM_UNITS; u++) {
        if (m->kinds[kind].busy[u] > 0) {
            r->units[u] = fmax(r->units[u], r->now) + m->kinds[kind].busy[u];
            done = fmax(done, r->units[u]);
        }
    }
    r->done[r->steps++ % PM_WINDOW] = done;
    r->now += 1 / m->width;
}

static inline double pm_latest(const struct pm_running *r)
{
    double latest = r->now;

    for (size_t i = 0; i < PM_WINDOW; i++)
        latest = fmax(latest, r->done[i]);
    return latest;
}

/* Cycles of a mix of whole numbers of instructions: handed out in order, as many per cycle as the
 * front end has, with a bounded number under way. */
static inline double pm_scheduled(const struct pm_machine *m, const double *counts)
{
    size_t body[PM_BODY];
    const size_t n = pm_spread(m, counts, body);
    struct pm_running r = {.now = 0};
    double half = 0;

    for (size_t pass = 0; pass < PM_PASSES; pass++) {
        for (size_t i = 0; i < n; i++)
            pm_step(m, &r, body[i]);
        half = pass + 1 == PM_PASSES / 2 ? pm_latest(&r) : half;
    }
    return (pm_latest(&r) - half) / (PM_PASSES - PM_PASSES / 2);
}

/* A core that nobody has built: as many classes, each of one or two micro-operations on some of 8
 * ports, one of them with a divider. Class 0 takes a slot only. */
static inline void pm_random(struct pm_machine *m, size_t kinds, struct am_rng *rng)
{
    *m = (struct pm_machine){.name = "random", .width = 3 + (double)am_rng_below(rng, 6)};
    for (size_t c = 0; c < kinds && c + 1 < PM_KINDS; c++) {
        m->kinds[c].name = "class";
        for (size_t k = 0; c > 0 && k < 1 + (am_rng_below(rng, 4) == 0); k++) {
            unsigned set = 0;

            for (size_t ports = 1 + am_rng_below(rng, 4); ports > 0; ports--)
                set |= 1u << am_rng_below(rng, 8);
            m->kinds[c].ops[k] = set;
        }
    }
    m->kinds[kinds - 1].busy[0] = 3 + (double)am_rng_below(rng, 6);
    pm_close(m);
}

static inline size_t pm_find(const struct pm_machine *m, const char *name)
{
    size_t i = 0;

    while (i < m->n && __builtin_strcmp(m->kinds[i].name, name) != 0)
        i++;
    return i;
}

static inline double pm_normal(struct am_rng *rng)
{
    return sqrt(-2 * log(am_rng_unit(rng) + 1e-300)) * cos(6.283185307179586 * am_rng_unit(rng));
}

/* A core with vector units of their own, and one in which vectors and integers share ports. Names
 * are those of anchors of cpu.ports where there is such a role. */
#define PM_APART                                                                                   \
    {                                                                                              \
        .name = "units apart", .width = 6, .kinds = {                                              \
            {.name = "slot"},                                                                      \
            {.name = "alu", .ops = {0x00f}},                                                       \
            {.name = "shift", .ops = {0x006}},                                                     \
            {.name = "imul", .ops = {0x002}},                                                      \
            {.name = "cmov", .ops = {0x009}},                                                      \
            {.name = "load", .ops = {0x070}},                                                      \
            {.name = "vload", .ops = {0x030}},                                                     \
            {.name = "store", .ops = {0x080}},                                                     \
            {.name = "fadd", .ops = {0xc00}},                                                      \
            {.name = "fmul", .ops = {0x300}},                                                      \
            {.name = "logic", .ops = {0xf00}},                                                     \
            {.name = "shuffle", .ops = {0x600}},                                                   \
            {.name = "divide", .ops = {0x200}, .busy = {5}},                                       \
            {.name = "add_load", .ops = {0x00f, 0x070}},                                           \
        }                                                                                          \
    }
#define PM_SHARED                                                                                  \
    {                                                                                              \
        .name = "shared ports", .width = 4, .kinds = {                                             \
            {.name = "slot"},                                                                      \
            {.name = "alu", .ops = {0x63}},                                                        \
            {.name = "shift", .ops = {0x41}},                                                      \
            {.name = "imul", .ops = {0x02}},                                                       \
            {.name = "load", .ops = {0x0c}},                                                       \
            {.name = "store", .ops = {0x10, 0x8c}},                                                \
            {.name = "fadd", .ops = {0x03}},                                                       \
            {.name = "logic", .ops = {0x23}},                                                      \
            {.name = "shuffle", .ops = {0x20}},                                                    \
            {.name = "divide", .ops = {0x01}, .busy = {4}},                                        \
            {.name = "blend", .ops = {0x23, 0x23}},                                                \
        }                                                                                          \
    }

#endif
