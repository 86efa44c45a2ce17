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
enum { BACK = 9, WIDTH = 8, SLOTS_MAX = 160, SLOTS_MEASURED = 158 /* with the jump */ };

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

/* Loops of a core of that rule; every `odd`th takes so many times as long. */
struct loops {
    const struct am_incore_lines *rule;
    unsigned odd; /* 0: none does */
    double times;
};

static struct am_result *add_loops(struct rx_run *run, const struct place *p,
                                   const struct loops *loops)
{
    struct am_result *const r =
        add_result(run, "cpu.loop", am_arena_printf(&run->arena, "with=%s on=machine", p->name));

    for (unsigned i = 0; i < AM_MIX_SET; i++)
        put(run, r, i + 1,
            cycles_of(loops->rule, p->begin, p->bytes, p->fewest + i * p->step) *
                (loops->odd && (i + p->begin / 16) % loops->odd == 0 ? loops->times : 1));
    return r;
}

static struct am_incore read_core(struct rx_run *run)
{
    struct am_incore core = {.fetch = 0};

    am_evidence_settle(&run->set);
    if (!am_incore_read_ways(&run->set, &run->arena, &core))
        abort();
    am_arena_fini(&run->arena);
    return core;
}

/* By the first `n` of some places. */
static struct am_incore found_at(const struct place *list, size_t n, const struct loops *loops)
{
    struct rx_run run = {0};

    for (size_t p = 0; p < n; p++)
        say_place(&run, add_loops(&run, &list[p], loops), &list[p]);
    return read_core(&run);
}

/* By loops as the bench has them. */
static struct am_incore found(const struct am_incore_lines *rule, unsigned odd, double times)
{
    return found_at(places, AM_MIX_PLACES, &(const struct loops){rule, odd, times});
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
        const struct am_incore core = found(&rules[i], 0, 1);
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
    static const struct place alike[] = {
        {"nothing", 0, 3, 1, 1}, {"a", 0, 4, 1, 1}, {"b", 0, 6, 2, 2}, {"c", 0, 3, 18, 2}};
    /* loops at the beginning of a line of 128 bytes end in it */
    static const struct am_incore_lines wide = {128, 8, 1, 1, false, false};
    static const struct am_incore_lines dear = {32, 3, 1, 4, false, false};
    const struct loops loops = {&rules[0], 0, 1};
    struct am_incore core = found(NULL, 0, 1);

    ok(core.lines.bytes == 0, "a core that takes its slots has no rule");
    core = found(NULL, 2, 1.01);
    ok(core.lines.bytes == 0, "nor one that does so with some noise: %.4f", core.lines_error);
    core = found(&rules[0], 3, 2);
    ok(core.lines.bytes == 0 && core.turned_round[AM_MIX_SET - 1] > 1,
       "nor one whose loops none explains: a third of them takes twice as long");
    core = found(&dear, 2, 1.2);
    ok(core.lines.bytes == 0, "or half of them a fifth longer: %.3f", core.lines_error);
    core = found(&rules[0], 2, 1.01);
    ok(core.lines.bytes == 64 && core.lines_error < 0.006, "a hundredth is noise: %.4f",
       core.lines_error);
    core = found_at(places, 1, &loops);
    ok(core.lines.bytes == 0 && core.turned_round[AM_MIX_SET - 1] > 1,
       "loops at one place say nothing of others");
    core = found_at(alike, sizeof(alike) / sizeof(alike[0]), &loops);
    ok(core.lines.bytes == 0, "nor do four times as many that all begin with a line");
    core = found(&wide, 0, 1);
    ok(core.fetch == 8 && core.lines.bytes == 0,
       "where a number per cycle explains short loops, that is kept (%u)", core.fetch);
}

/* A file from anybody: places that no loop can have, each of loops that take far too long. */
static void check_hostile(void)
{
    static const struct place beyond[] = {{"many", 0, 3, 137, 1}, /* the last two of its loops */
                                          {"step", 0, 3, 150, 160}};
    static const struct {
        const char *key, *value;
    } wrong[] = {{"begin", "65"},   {"begin", "-1"},  {"begin", "nan"},
                 {"bytes", "0"},    {"bytes", "17"},  {"bytes", "1e1"},
                 {"back", "0"},     {"back", "9999"}, {"fewest", "0"},
                 {"fewest", "161"}, {"step", "161"},  {"step", "18446744073709551616"},
                 {"fewest", NULL},  {"begin", NULL}};
    static const struct place p = {"wrong", 16, 3, 1, 1};
    const struct loops good = {&rules[0], 0, 1}, slow = {&rules[0], 1, 100};
    struct rx_run run = {0};
    struct am_incore core;

    for (size_t k = 0; k < AM_MIX_PLACES; k++)
        say_place(&run, add_loops(&run, &places[k], &good), &places[k]);
    for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
        struct am_result *const r = add_loops(&run, &p, &slow);
        struct am_kvs said;

        say_place(&run, r, &p);
        said = r->chosen;
        r->chosen = (struct am_kvs){0};
        for (size_t i = 0; i < said.n; i++) {
            const bool other = strcmp(said.items[i].key, wrong[k].key) == 0;

            if (!other || wrong[k].value)
                am_kvs_add(&r->chosen, &run.arena, said.items[i].key,
                           other ? wrong[k].value : said.items[i].value);
        }
    }
    for (size_t k = 0; k < 2; k++) {
        struct am_result *const r = add_result(
            &run, "cpu.loop", am_arena_printf(&run.arena, "with=%s on=machine", beyond[k].name));

        say_place(&run, r, &beyond[k]);
        for (unsigned i = 0; i < AM_MIX_SET; i++)
            put(&run, r, i + 1,
                beyond[k].fewest + i * beyond[k].step <= SLOTS_MEASURED
                    ? cycles_of(&rules[0], 0, 3, beyond[k].fewest + i * beyond[k].step)
                    : 1e6);
    }
    for (size_t k = 1; k <= 5; k++) /* with those before as many as are looked at */
        say_place(&run, add_loops(&run, &places[k], &good), &places[k]);
    for (size_t k = 1; k <= 5; k++)
        say_place(&run, add_loops(&run, &places[k], &slow), &places[k]);
    core = read_core(&run);
    ok(core.lines.bytes == 64 && core.lines.entry == 6 && core.lines_error < 1e-9,
       "places that no loop can have, and more loops than there is room for, are left out: "
       "lines of %u bytes, %g",
       core.lines.bytes, core.lines_error);
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
    check_hostile();
    check_many_places();
    check_measured();
    return tap_done();
}
