/* SPDX-License-Identifier: MIT */
/* Made-up cores on which the sums of integers are a class of their own: what else goes to their
 * ports is found there, and what no ports explain by mixes of two. And one of more units than
 * sixteen, the last of which are dividers. */
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

/* Six units of integers, four of memory, four of vectors, two between these and integers; beside
 * them a divider of vectors, one of integers and one of what is done in many steps. */
static const struct pm_machine many = {.name = "many",
                                       .width = 8,
                                       .kinds = {{.name = "slot"},
                                                 {.name = "add", .ops = {0x3f}},
                                                 {.name = "shl", .ops = {0x7}},
                                                 {.name = "imul", .ops = {0xb}},
                                                 {.name = "cmov", .ops = {0x31}},
                                                 {.name = "load", .ops = {0x3c0}},
                                                 {.name = "store", .ops = {0xc0}},
                                                 {.name = "vload", .ops = {0x300}},
                                                 {.name = "fadd", .ops = {0xc00}},
                                                 {.name = "fmul", .ops = {0x3000}},
                                                 {.name = "logic", .ops = {0x3c00}},
                                                 {.name = "shuffle", .ops = {0x1400}},
                                                 {.name = "to_general", .ops = {0x4000}},
                                                 {.name = "to_vector", .ops = {0x8000}},
                                                 {.name = "divide", .ops = {0x3000}, .busy = {4}},
                                                 {.name = "short", .busy = {2.5}},
                                                 {.name = "root", .busy = {7.5}},
                                                 {.name = "idiv", .busy = {0, 6}},
                                                 {.name = "gather", .busy = {0, 0, 5}},
                                                 {.name = "add_load", .ops = {0x3f, 0x3c0}},
                                                 {.name = "fadd_load", .ops = {0xc00, 0x300}},
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

/* Each class beside each in four ratios, and random mixes, without noise. */
static struct data *measure_machine(const struct pm_machine *machine)
{
    static const double ratios[][2] = {{1, 1}, {1, 3}, {3, 1}, {1, 12}};
    struct data *const d = calloc(1, sizeof(*d));
    struct am_rng rng;

    if (!d)
        abort();
    d->machine = *machine;
    pm_close(&d->machine);
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

/* `busy`: cycles that transfers, sums and shifts take of what they share beyond ports. */
static struct data *measure(double busy)
{
    struct pm_machine sharing = planted;

    pm_close(&sharing);
    sharing.kinds[pm_find(&sharing, "transfer")].busy[0] = busy;
    sharing.kinds[pm_find(&sharing, "add")].busy[0] = busy / 4;
    sharing.kinds[pm_find(&sharing, "shl")].busy[0] = busy / 2;
    return measure_machine(&sharing);
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
    const uint32_t set = ports->uses[pm_find(&d->machine, with)].parts[0].set;

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

/* Classes that go to any of the ports of one. */
static size_t users_of(const struct data *d, const struct am_portsets_model *ports,
                       const char *name)
{
    const uint32_t set = ports->uses[pm_find(&d->machine, name)].parts[0].set;
    size_t n = 0;

    for (size_t c = 0; c < d->machine.n; c++) {
        const struct am_portsets_use *const use = &ports->uses[c];

        n += use->n > 0 && (use->parts[0].set & set || (use->n > 1 && use->parts[1].set & set));
    }
    return n;
}

/* What a divider does is one port's, and no slots of the front end, however many units there are
 * beside it; what it takes alone is measured with an error. */
static void check_many(void)
{
    struct am_arena arena = {NULL};
    struct data *const d = measure_machine(&many);
    const struct am_resources_input input = input_of(d);
    const size_t quick = pm_find(&d->machine, "short");
    struct am_portsets_model ports;
    double off = 0;

    d->alone[quick] *= 0.998;
    if (!am_portsets_fit(&input, &arena, &ports))
        abort();
    for (size_t i = 0; i < d->n; i++) {
        const struct am_resources_mix *const mix = &d->mixes[i];

        off += fabs(am_portsets_cycles(&ports, mix->uses, mix->n, NULL) / mix->cycles - 1);
    }
    off /= (double)d->n;
    ok(off < 0.01, "a core of nineteen units is explained but for %.2f %%", 100 * off);
    ok(ports.uses[quick].slots < 2 &&
           ports.uses[quick].parts[0].set == ports.uses[pm_find(&d->machine, "root")].parts[0].set,
       "short and long divisions share their divider, and take no slots of the front end");
    ok(users_of(d, &ports, "short") == 3 && users_of(d, &ports, "idiv") == 1 &&
           users_of(d, &ports, "gather") == 1,
       "and no other goes there (%zu), nor to those of integers (%zu) or of many steps (%zu)",
       users_of(d, &ports, "short"), users_of(d, &ports, "idiv"), users_of(d, &ports, "gather"));
    am_arena_fini(&arena);
    free(d);
}

/* A division so short that two operations of a port take nearly as long is fed by an operation like
 * any other. */
static void check_fed(double cycles)
{
    struct am_arena arena = {NULL};
    struct pm_machine machine = many;
    struct am_resources_input input;
    struct am_portsets_model ports;
    struct data *d;

    pm_close(&machine);
    machine.kinds[pm_find(&machine, "short")].ops[0] = 0xc00;
    machine.kinds[pm_find(&machine, "short")].busy[0] = cycles;
    d = measure_machine(&machine);
    input = input_of(d);
    if (!am_portsets_fit(&input, &arena, &ports))
        abort();
    ok(goes_with(d, &ports, "short", "fadd"),
       "a division of %g cycles begins as a sum does, and keeps its divider busy", cycles);
    am_arena_fini(&arena);
    free(d);
}

int main(void)
{
    check_single();
    check_many();
    check_fed(2.3);
    check_fed(2.5);
    check_pairs();
    return tap_done();
}
