/* SPDX-License-Identifier: MIT */
/* What loops of cpu.loop say of a front end that reads by lines, on made-up cores. */
#include "family/incore/incore.h"
#include "result_fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct am_result *add_result(struct rx_run *run, const char *bench, const char *text)
{
    struct am_result *const r = rx_add(run, bench, text, (const struct rx_metric[]){{0}});

    r->metrics = am_arena_array(&run->arena, AM_MIX_SET, sizeof(*r->metrics));
    return r;
}

static void put(struct rx_run *run, struct am_result *r, unsigned number, double value)
{
    rx_metric_put(run, &r->metrics[r->n_metrics++],
                  &(struct rx_metric){.name = am_arena_printf(&run->arena, "loop_%u", number),
                                      .unit = "cycle",
                                      .value = value});
}

#define PLACE(name, begin, more, fewest, step) {#name, begin, 3 + (more), fewest, step},
static const struct place {
    const char *name;
    unsigned begin, bytes, fewest, step;
} places[AM_MIX_PLACES] = {AM_MIX_PLACE_MAP(PLACE)};
#undef PLACE
enum { BACK = 9, WIDTH = 8, SLOTS_MAX = 80 };

static double cycles_of(const struct am_incore_lines *rule, unsigned begin, unsigned bytes,
                        unsigned n)
{
    uint64_t at[SLOTS_MAX];

    for (unsigned k = 0; k <= n; k++)
        at[k] = begin + (uint64_t)k * bytes;
    return fmax(fmax(1, (n + 1) / (double)WIDTH),
                rule ? am_incore_in_lines(rule, at, n + 1, at[n] + BACK) : 1);
}

static void say_place(struct rx_run *run, struct am_result *r, const struct place *p)
{
    am_kvs_addf(&r->chosen, &run->arena, "begin", "%u", p->begin);
    am_kvs_addf(&r->chosen, &run->arena, "bytes", "%u", p->bytes);
    am_kvs_addf(&r->chosen, &run->arena, "back", "%d", BACK);
    am_kvs_addf(&r->chosen, &run->arena, "fewest", "%u", p->fewest);
    am_kvs_addf(&r->chosen, &run->arena, "step", "%u", p->step);
}

/* Loops as the bench has them, of the first `n` places, on a core of that rule; every `odd`th,
 * where that is not 0, takes twice as long. */
static struct am_incore found(const struct am_incore_lines *rule, size_t n, unsigned odd)
{
    struct rx_run run = {0};
    struct am_incore core = {.fetch = 0};

    for (size_t p = 0; p < n; p++) {
        struct am_result *const r = add_result(
            &run, "cpu.loop", am_arena_printf(&run.arena, "with=%s on=machine", places[p].name));

        say_place(&run, r, &places[p]);
        for (unsigned i = 0; i < AM_MIX_SET; i++)
            put(&run, r, i + 1,
                cycles_of(rule, places[p].begin, places[p].bytes,
                          places[p].fewest + i * places[p].step) *
                    (odd && (i + p) % odd == 0 ? 2 : 1));
    }
    am_evidence_settle(&run.set);
    if (!am_incore_read_ways(&run.set, &run.arena, &core))
        abort();
    am_arena_fini(&run.arena);
    return core;
}

/* Cores with other numbers than those of a Zen 5, which are the first. */
static const struct am_incore_lines rules[] = {{64, 6, 2, 2, true, true},
                                               {64, 6, 2, 2, true, false},
                                               {64, 8, 1, 1, false, false},
                                               {32, 4, 2, 1, true, false},
                                               {128, 6, 3, 3, false, true}};

static void check_found(void)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const struct am_incore core = found(&rules[i], AM_MIX_PLACES, 0);
        double most = 0;

        for (unsigned n = 2; n < SLOTS_MAX; n++) {
            const double own = cycles_of(&rules[i], n * 7 % AM_MIX_LINE, 5, n);

            most = fmax(most, fabs(cycles_of(&core.lines, n * 7 % AM_MIX_LINE, 5, n) / own - 1));
        }
        ok(core.lines.bytes == rules[i].bytes && core.lines.entry == rules[i].entry && most < 1e-9,
           "lines of %u bytes, %u entries of %u slots per cycle: loops that were not measured are "
           "missed by %.1f %% at most",
           core.lines.bytes, core.lines.most, core.lines.entry, 100 * most);
    }
}

static void check_refused(void)
{
    struct am_incore core = found(NULL, AM_MIX_PLACES, 0);

    ok(core.lines.bytes == 0, "a core that takes its slots has no rule");
    core = found(&rules[0], AM_MIX_PLACES, 3);
    ok(core.lines.bytes == 0 && core.turned_round[AM_MIX_SET - 1] > 1,
       "nor one whose loops none explains: a third of them takes twice as long");
    core = found(&rules[0], 1, 0);
    ok(core.lines.bytes == 0 && core.turned_round[AM_MIX_SET - 1] > 1,
       "loops at one place say nothing of others");
}

/* A file from anybody: results that have but two loops, each at a place of its own. */
static void check_many_places(void)
{
    struct rx_run run = {0};
    struct am_incore core = {.fetch = 0};

    for (unsigned begin = 0; begin <= AM_MIX_LINE; begin++) {
        const struct place p = {"any", begin, 3, 1 + begin, 1};
        struct am_result *const r = add_result(
            &run, "cpu.loop", am_arena_printf(&run.arena, "with=at_%u on=machine", begin));

        say_place(&run, r, &p);
        for (unsigned i = 0; i < 2; i++)
            put(&run, r, i + 1, cycles_of(&rules[0], begin, p.bytes, p.fewest + i));
    }
    am_evidence_settle(&run.set);
    if (!am_incore_read_ways(&run.set, &run.arena, &core))
        abort();
    ok(core.lines.bytes != 0 && core.lines_error < 0.01,
       "two loops at each place of a line, each place of a result of its own: lines of %u bytes miss them "
       "by %.1f %%",
       core.lines.bytes, 100 * core.lines_error);
    am_arena_fini(&run.arena);
}

/* What was measured on a Zen 5: slots in a first line and in a second, cycles. */
static void check_measured(void)
{
    static const struct {
        unsigned begin, bytes, n;
        double cycles;
    } zen[] = {{0, 3, 11, 1.5},   {0, 3, 12, 3},  {0, 3, 19, 4},  {32, 3, 8, 2},
               {32, 3, 12, 1.63}, {48, 3, 18, 3}, {0, 4, 30, 7},  {16, 3, 35, 7},
               {48, 8, 18, 3},    {0, 7, 18, 3},  {32, 8, 29, 4}, {32, 2, 30, 6},
               {48, 5, 24, 3.13}, {16, 6, 18, 3}};
    double most = 0;

    for (size_t i = 0; i < sizeof(zen) / sizeof(zen[0]); i++)
        most = fmax(
            most,
            fabs(cycles_of(&rules[0], zen[i].begin, zen[i].bytes, zen[i].n) / zen[i].cycles - 1));
    ok(most < 0.01, "loops as a Zen 5 was seen to take them are missed by %.1f %% at most",
       100 * most);
}

int main(void)
{
    check_found();
    check_refused();
    check_many_places();
    check_measured();
    return tap_done();
}
