/* SPDX-License-Identifier: MIT */
/* Made-up cores on which the sums of integers are a class of their own: what else goes to their
 * ports is found there, and what no ports explain by mixes of two. */
#include "fit/ports.h"
#include "fit/resources_pairs.h"
#include "ports_machine.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { MIXES_MAX = 4096, USES_MAX = 8, ALU = 0xf, LOAD = 0x70, VECTOR = 0x780 };

/* More sets than are all looked at, each but those of vectors used by one of the first classes. */
static const struct pm_machine planted = {.name = "single",
                                          .width = 6,
                                          .kinds = {{.name = "slot"},
                                                    {.name = "add", .ops = {ALU}},
                                                    {.name = "shl", .ops = {0x3}},
                                                    {.name = "imul", .ops = {0x1}},
                                                    {.name = "cmov", .ops = {0xc}},
                                                    {.name = "load", .ops = {LOAD}},
                                                    {.name = "store", .ops = {0x30}},
                                                    {.name = "vload", .ops = {0x50}},
                                                    {.name = "vstore", .ops = {0x20}},
                                                    {.name = "fadd", .ops = {0x180}},
                                                    {.name = "fmul", .ops = {0x600}},
                                                    {.name = "logic", .ops = {VECTOR}},
                                                    {.name = "shuffle", .ops = {0x380}},
                                                    {.name = "cross", .ops = {0x300}},
                                                    {.name = "vmul", .ops = {0x600}},
                                                    {.name = "convert", .ops = {0x180}},
                                                    {.name = "to_vector", .ops = {0x80}},
                                                    {.name = "transfer", .ops = {0x2}},
                                                    {.name = "fadd_2", .ops = {0x180, 0x180}},
                                                    {.name = "fmul_2", .ops = {0x600, 0x600}},
                                                    {.name = "cross_2", .ops = {0x300, 0x300}},
                                                    {.name = "logic_2", .ops = {VECTOR, VECTOR}},
                                                    {.name = "fmul_3", .ops = {0x600}},
                                                    {.name = "fadd_3", .ops = {0x180}},
                                                    {.name = "late_sum", .ops = {ALU}},
                                                    {.name = "late_load", .ops = {ALU, LOAD}},
                                                    {.name = NULL}}};

struct data {
    struct pm_machine machine;
    double alone[PM_KINDS];
    struct am_resources_mix mixes[MIXES_MAX];
    struct am_resources_use uses[MIXES_MAX][USES_MAX];
    size_t n;
};

static void add(struct data *d, const double *counts)
{
    struct am_resources_use *const uses = d->uses[d->n];
    size_t n = 0;

    for (size_t c = 0; c < d->machine.n && n < USES_MAX; c++) {
        if (counts[c] > 0)
            uses[n++] = (struct am_resources_use){.kind = c, .n = counts[c]};
    }
    d->mixes[d->n++] =
        (struct am_resources_mix){.uses = uses, .n = n, .cycles = pm_cycles(&d->machine, counts)};
}

/* Each class beside each in four ratios, and random mixes, without noise. `busy`: cycles that
 * transfers, sums and shifts take of what they share beyond ports. */
static struct data *measure(double busy)
{
    static const double ratios[][2] = {{1, 1}, {1, 3}, {3, 1}, {1, 12}};
    struct data *const d = calloc(1, sizeof(*d));
    struct am_rng rng;

    if (!d)
        abort();
    d->machine = planted;
    pm_close(&d->machine);
    d->machine.kinds[pm_find(&d->machine, "transfer")].busy[0] = busy;
    d->machine.kinds[pm_find(&d->machine, "add")].busy[0] = busy / 4;
    d->machine.kinds[pm_find(&d->machine, "shl")].busy[0] = busy / 2;
    am_rng_seed(&rng, 3, 1);
    for (size_t a = 0; a < d->machine.n; a++) {
        double counts[PM_KINDS] = {0};

        counts[a] = 1;
        d->alone[a] = pm_cycles(&d->machine, counts);
        add(d, counts);
        for (size_t k = 0; k < a * 4; k++) {
            double two[PM_KINDS] = {0};

            two[a] = ratios[k % 4][0];
            two[k / 4] = ratios[k % 4][1];
            add(d, two);
        }
    }
    for (int i = 0; i < 600; i++) {
        double counts[PM_KINDS] = {0};

        for (size_t k = 4 + am_rng_below(&rng, 4); k > 0; k--)
            counts[am_rng_below(&rng, d->machine.n)] += 1;
        add(d, counts);
    }
    return d;
}

static struct am_resources_input input_of(const struct data *d)
{
    return (struct am_resources_input){.kinds = d->machine.n,
                                       .alone = d->alone,
                                       .slot = 0,
                                       .mixes = d->mixes,
                                       .n = d->n,
                                       .noise = 1e-3};
}

/* Whether an operation of the class goes where those of another do. */
static bool goes_with(const struct data *d, const struct am_portsets_model *ports, const char *name,
                      const char *with)
{
    const struct am_portsets_use *const use = &ports->uses[pm_find(&d->machine, name)];
    const uint16_t set = ports->uses[pm_find(&d->machine, with)].parts[0].set;

    for (unsigned p = 0; p < use->n; p++) {
        if (use->parts[p].set == set && fabs(use->parts[p].mass - 1) < 1e-9)
            return true;
    }
    return false;
}

static void check_single(void)
{
    struct am_arena arena = {NULL};
    struct data *const d = measure(0);
    const struct am_resources_input input = input_of(d);
    struct am_portsets_model ports;

    if (!am_portsets_fit(&input, &arena, &ports))
        abort();
    ok(goes_with(d, &ports, "late_sum", "add"), "what comes late goes to the ports of sums");
    ok(goes_with(d, &ports, "late_load", "add") && goes_with(d, &ports, "late_load", "load"),
       "and so does its part of two");
    ok(goes_with(d, &ports, "shl", "shl") &&
           (ports.uses[pm_find(&d->machine, "shl")].parts[0].set &
            ~ports.uses[pm_find(&d->machine, "add")].parts[0].set) == 0,
       "shifts stay among the ports of sums");
    am_arena_fini(&arena);
    free(d);
}

/* The columns that are added to those of ports. */
static size_t added(const struct data *d, struct am_arena *arena, double **w, size_t *n)
{
    const struct am_resources_input input = input_of(d);
    struct am_portsets_model ports;
    size_t before;

    if (!am_portsets_fit(&input, arena, &ports))
        abort();
    before = *n = am_portsets_columns(&input, &ports, arena, w);
    if (before == 0 || !am_resources_pairs_add(&input, arena, w, n))
        abort();
    return *n - before;
}

static void check_pairs(void)
{
    struct am_arena arena = {NULL};
    struct data *const with = measure(1), *const without = measure(0);
    const size_t transfer = pm_find(&with->machine, "transfer");
    double *w;
    size_t n, found = 0;

    ok(added(without, &arena, &w, &n) == 0, "what ports explain gets no resource beyond them");
    (void)added(with, &arena, &w, &n);
    for (size_t r = 0; r < n; r++)
        found += fabs(w[transfer * n + r] - 1) < 0.01 &&
                 fabs(w[pm_find(&with->machine, "add") * n + r] - 0.25) < 0.01 &&
                 fabs(w[pm_find(&with->machine, "shl") * n + r] - 0.5) < 0.01 &&
                 w[pm_find(&with->machine, "cmov") * n + r] < 0.01;
    ok(found == 1, "what transfers, sums and shifts share beyond ports is found (%zu)", found);
    am_arena_fini(&arena);
    free(with);
    free(without);
}

int main(void)
{
    check_single();
    check_pairs();
    return tap_done();
}
