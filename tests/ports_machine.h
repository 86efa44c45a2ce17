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
