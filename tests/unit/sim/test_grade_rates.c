/* SPDX-License-Identifier: MIT */
/* How often a graded number is wrong, on simulated machines whose truth is known.
 *
 * A point whose iterations take a known time is launched as the conductor would: five launches, up
 * to five repeats of disturbed ones, seconds of other points between them, under noise and
 * neighbours of many kinds and strengths. Its summary is wrong when the truth lies outside its
 * interval by more than the tolerance. Limits were confirmed with `scenes` in view; `unseen` are
 * other shapes of disturbance, with seeds of their own, whose rates are told apart. Without
 * arguments a part is run and the rates are held against what doc/internals/grades.md promises;
 * `--table SEEDS` prints the tables of that page (tools/grade_tables.py writes them there). */
#include "core/bench/plan.h"
#include "core/measure/surroundings.h"
#include "core/stats/grade.h"
#include "sim/noise.h"

#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { LAUNCHES_MAX = 16, SAMPLES_MAX = 16, CPUS = 2, PART_SEEDS = 150, FEWEST = 50 };

static const double tolerance = 0.02;
static const double between_s = 3;  /* launches of other points */
static const double window_s = 1;   /* of conductor/watch.c */
static const double truth = 1e-6;   /* seconds of one iteration */
static const double grain_s = 0.04; /* of counting CPU time in ticks, as topo/activity.c has it */

static const struct am_axis no_axes[] = {{.name = NULL}};
static const struct am_metric metrics[] = {{"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, ""},
                                           {.name = NULL}};
static const struct am_bench bench = {
    .name = "b", .summary = "b", .version = 1, .axes = no_axes, .metrics = metrics};

/* ---- machines ---- */

struct scene {
    const char *group, *what;
    struct am_sim_noise noise; /* clock_ns, clock_step_ns and drift_s are filled in */
    struct am_sim_neighbour neighbour;
};

/* A neighbour that is here for a share of the time, in visits of about so many seconds. */
#define NEIGHBOUR(share, length, slowing, ...)                                                     \
    {                                                                                              \
        .on_s = (length), .off_s = (length) * (1 - (share)) / (share), .slow = (slowing),          \
        __VA_ARGS__                                                                                \
    }
#define NOBODY                                                                                     \
    {                                                                                              \
        .on_s = 0                                                                                  \
    }
#define QUIET .sample = 0.006, .launch = 0.01

static const struct scene scenes[] = {
    {"quiet", "1 % between launches", {QUIET}, NOBODY},
    {"quiet", "3 % between launches", {.sample = 0.006, .launch = 0.03}, NOBODY},
    {"quiet", "10 % between launches", {.sample = 0.006, .launch = 0.1}, NOBODY},
    {"tail", "15 % of samples, mean + 80 %", {QUIET, .tail_chance = 0.15, .tail = 0.8}, NOBODY},
    {"tail", "50 % of samples, mean + 20 %", {QUIET, .tail_chance = 0.5, .tail = 0.2}, NOBODY},
    {"modes", "10 % of launches x 1.3", {QUIET, .mode_chance = 0.1, .mode = 1.3}, NOBODY},
    {"modes", "25 % of launches x 1.3", {QUIET, .mode_chance = 0.25, .mode = 1.3}, NOBODY},
    {"modes", "40 % of launches x 1.3", {QUIET, .mode_chance = 0.4, .mode = 1.3}, NOBODY},
    {"drift", "clock falls by 2 %", {QUIET, .drift = 0.02}, NOBODY},
    {"drift", "clock falls by 6 %", {QUIET, .drift = 0.06}, NOBODY},
    {"seen", "5 %, 0.5 s, x 2.4", {QUIET}, NEIGHBOUR(0.05, 0.5, 2.4, .switches = true)},
    {"seen", "20 %, 0.5 s, x 2.4", {QUIET}, NEIGHBOUR(0.2, 0.5, 2.4, .switches = true)},
    {"seen", "20 %, 20 s, x 2.4", {QUIET}, NEIGHBOUR(0.2, 20, 2.4, .switches = true)},
    {"seen", "50 %, 0.05 s, x 1.5", {QUIET}, NEIGHBOUR(0.5, 0.05, 1.5, .switches = true)},
    {"seen", "50 %, 5 s, x 2.4", {QUIET}, NEIGHBOUR(0.5, 5, 2.4, .switches = true)},
    {"seen", "80 %, 5 s, x 2.4", {QUIET}, NEIGHBOUR(0.8, 5, 2.4, .switches = true)},
    {"seen", "97 %, 20 s, x 2.4", {QUIET}, NEIGHBOUR(0.97, 20, 2.4, .switches = true)},
    {"stolen", "5 %, 0.5 s, x 1.8", {QUIET}, NEIGHBOUR(0.05, 0.5, 1.8, .steal = true)},
    {"stolen", "20 %, 5 s, x 1.8", {QUIET}, NEIGHBOUR(0.2, 5, 1.8, .steal = true)},
    {"stolen", "50 %, 0.5 s, x 1.8", {QUIET}, NEIGHBOUR(0.5, 0.5, 1.8, .steal = true)},
    {"stolen", "50 %, 5 s, x 1.2", {QUIET}, NEIGHBOUR(0.5, 5, 1.2, .steal = true)},
    {"stolen", "80 %, 5 s, x 1.8", {QUIET}, NEIGHBOUR(0.8, 5, 1.8, .steal = true)},
    {"stolen", "97 %, 20 s, x 1.8", {QUIET}, NEIGHBOUR(0.97, 20, 1.8, .steal = true)},
    {"silent", "20 %, 3 s, x 1.35", {QUIET}, NEIGHBOUR(0.2, 3, 1.35, .steal = false)},
    {"silent", "50 %, 3 s, x 1.35", {QUIET}, NEIGHBOUR(0.5, 3, 1.35, .steal = false)},
};
enum { SCENES = sizeof(scenes) / sizeof(scenes[0]) };

/* Several kinds at once, modes that are faster, rare and long outliers, a clock that rises, visits
 * of other lengths: nothing of it was looked at when limits were chosen. Not to be changed after
 * their rates: add new ones instead. */
static const struct scene unseen[] = {
    {"quiet", "5 % between launches", {.sample = 0.02, .launch = 0.05}, NOBODY},
    {"tail", "3 % of samples, mean + 500 %", {QUIET, .tail_chance = 0.03, .tail = 5}, NOBODY},
    {"tail", "every sample, mean + 5 %", {QUIET, .tail_chance = 1, .tail = 0.05}, NOBODY},
    {"modes", "20 % of launches x 0.8", {QUIET, .mode_chance = 0.2, .mode = 0.8}, NOBODY},
    {"modes", "15 % of launches x 2.5", {QUIET, .mode_chance = 0.15, .mode = 2.5}, NOBODY},
    {"drift", "clock rises by 4 %", {QUIET, .drift = -0.04}, NOBODY},
    {"several",
     "modes 15 % x 1.15, tail 20 % + 30 %, drift 3 %",
     {QUIET, .mode_chance = 0.15, .mode = 1.15, .tail_chance = 0.2, .tail = 0.3, .drift = 0.03},
     NOBODY},
    {"several",
     "seen 30 %, 2 s, x 3; modes 15 % x 1.2",
     {QUIET, .mode_chance = 0.15, .mode = 1.2},
     NEIGHBOUR(0.3, 2, 3, .switches = true)},
    {"several",
     "stolen 30 %, 1 s, x 1.4; 3 % between launches",
     {.sample = 0.01, .launch = 0.03},
     NEIGHBOUR(0.3, 1, 1.4, .steal = true)},
    {"seen", "10 %, 60 s, x 1.3", {QUIET}, NEIGHBOUR(0.1, 60, 1.3, .switches = true)},
    {"seen", "65 %, 0.3 s, x 1.15", {QUIET}, NEIGHBOUR(0.65, 0.3, 1.15, .switches = true)},
    {"seen", "98 %, 90 s, x 1.5", {QUIET}, NEIGHBOUR(0.98, 90, 1.5, .switches = true)},
    {"stolen", "35 %, 0.1 s, x 3", {QUIET}, NEIGHBOUR(0.35, 0.1, 3, .steal = true)},
    {"stolen", "65 %, 12 s, x 1.5", {QUIET}, NEIGHBOUR(0.65, 12, 1.5, .steal = true)},
    {"stolen", "98 %, 90 s, x 1.5", {QUIET}, NEIGHBOUR(0.98, 90, 1.5, .steal = true)},
    {"silent", "10 %, 30 s, x 1.6", {QUIET}, NEIGHBOUR(0.1, 30, 1.6, .steal = false)},
    {"silent", "35 %, 0.4 s, x 1.1", {QUIET}, NEIGHBOUR(0.35, 0.4, 1.1, .steal = false)},
};
enum { UNSEEN = sizeof(unseen) / sizeof(unseen[0]), UNSEEN_SEED = 7000001 };

static const char description[] = "[machine]\nname m\nvendor v\nmodel x\n"
                                  "[kind k]\ncores 2\none_ghz 4\nall_ghz 4\nisa scalar 64 2 4 4\n"
                                  "[cache L1]\nlevel 1\nsize 32K\ncycles 4\nbytes_per_cycle 64\n"
                                  "[memory]\nsize 16G\nlatency_ns 100\ncore_gbs 10\nnode_gbs 30\n";

/* ---- one point ---- */

struct stage {
    struct am_arena arena;
    struct am_sim_machine machine;
    struct am_sim_layout layout;
    struct am_plan_settings settings;
    struct am_request request;
    struct am_sim_clock clock;
    int cpus[CPUS];
    double values[LAUNCHES_MAX][SAMPLES_MAX];
    uint32_t labels[LAUNCHES_MAX][SAMPLES_MAX];
    struct am_launch_values launches[LAUNCHES_MAX];
    size_t n, drifted, taken;
    bool blind; /* nothing can be read around launches */
};

static bool open_stage(struct stage *s)
{
    struct am_err err = {0};

    *s = (struct stage){.settings = am_profile_settings(AM_PROFILE_QUICK)};
    s->settings.repeats = s->settings.min_launches;
    s->request = (struct am_request){.cpus = s->cpus, .n_cpus = 1, .sampler = s->settings.sampler};
    return am_sim_machine_read("m", description, strlen(description), &s->arena, &s->machine,
                               &err) == AM_OK &&
           am_sim_layout_make(&s->layout, &s->machine, &s->arena);
}

static void set_scene(struct stage *s, const struct scene *scene, uint64_t seed)
{
    struct am_rng rng;

    s->machine.noise = scene->noise;
    s->machine.noise.clock_ns = 20;
    s->machine.noise.clock_step_ns = 10;
    s->machine.noise.drift_s = 30;
    s->machine.neighbour = scene->neighbour;
    s->machine.seed = seed;
    am_rng_seed(&rng, seed, 77);
    s->clock = (struct am_sim_clock){
        .now_s = fabs(scene->noise.drift) > 0 ? 2 : 2 + 60 * am_rng_unit(&rng), .stamp_ns = 1};
    s->n = s->drifted = s->taken = 0;
}

/* What the conductor would have read around the launch that began then, and before it up to the
 * length of its window. One CPU is ours all the time; a neighbour outside takes its part of that.
 */
static uint32_t busy_since(const struct stage *s, double begun)
{
    const struct am_sim_machine *const m = &s->machine;
    const double length = fmax(window_s, s->clock.now_s - begun), first = s->clock.now_s - length;
    const bool before = am_sim_visited(m, begun, 0.01) > 0,
               after = am_sim_visited(m, s->clock.now_s, 0.01) > 0;
    const double cpus = m->neighbour.switches ? am_sim_neighbour_cpus(m) : 0;
    const struct am_surroundings around = {
        .runnable = before && after ? ceil(cpus) : 0,
        .others = am_sim_visited(m, first, length) * cpus,
        .steal =
            m->neighbour.steal ? am_sim_visited(m, first, length) * (1 - 1 / m->neighbour.slow) : 0,
    };
    const struct am_surroundings_scale scale = {length, grain_s, CPUS};

    return am_surroundings_judge(&around, &scale);
}

static void take_samples(struct stage *s, struct am_sim_visit *v, struct am_launch_values *out)
{
    const struct am_sampler_settings *const set = &s->settings.sampler;
    const double begin = s->clock.now_s;
    size_t clean = 0;

    while (clean < set->samples && out->n < set->samples + set->extra &&
           (out->n == 0 || (s->clock.now_s - begin) * 1e9 < (double)set->max_point_ns)) {
        struct am_sample x;

        am_sim_visit_sample(v, &s->clock, &x);
        s->values[s->n][out->n] = x.values[0];
        s->labels[s->n][out->n++] = x.labels;
        clean += x.labels == 0;
        s->drifted += (x.labels & AM_LABEL_DRIFT) != 0;
        s->taken++;
    }
}

static void launch_once(struct stage *s, uint64_t seed)
{
    struct am_sim_launch launch = {.layout = &s->layout, .request = &s->request};
    const struct am_point point = {.bench = &bench};
    const struct am_sim_question q = {&launch, &point};
    const struct am_sim_answer answer = {.seconds = truth, .hz = 4e9, .work = {.ops = 1}};
    struct am_launch_values *const out = &s->launches[s->n];
    const double begun = s->clock.now_s;
    struct am_sim_visit v;

    s->request.seed = seed;
    am_sim_launch_draw(&launch, &s->clock);
    *out = (struct am_launch_values){.values = s->values[s->n], .labels = s->labels[s->n]};
    am_sim_visit_begin(&v, &q, &answer, &s->clock);
    take_samples(s, &v, out);
    out->busy = s->blind ? 0 : busy_since(s, begun);
    s->n++;
}

/* Launches and repeats, as conductor.c decides on them. */
static void measure_point(struct stage *s, uint64_t seed)
{
    size_t counted = 0, repeats = 0;

    while (counted < s->settings.min_launches && s->n < LAUNCHES_MAX) {
        launch_once(s, seed * LAUNCHES_MAX + s->n);
        if (repeats < s->settings.repeats && am_launch_disturbed(&s->launches[s->n - 1]))
            repeats++;
        else
            counted++;
        am_sim_clock_advance(&s->clock, between_s);
    }
}

struct judged {
    enum am_grade grade;
    bool wrong;
    double error; /* beyond the interval, relative */
    double measures[AM_REASONS];
};

static bool judge_point(struct stage *s, const struct scene *scene, uint64_t seed,
                        struct judged *out)
{
    struct am_series all = {s->launches, 0};
    struct am_summary summary;
    struct am_grade_input input = {.summary = &summary, .verified = true};

    set_scene(s, scene, seed);
    measure_point(s, seed);
    all.n = s->n;
    if (!am_summarise(&all, &summary))
        return false;
    input.all_samples = s->taken;
    input.drifted = s->drifted;
    out->grade = am_grade(&input).grade;
    out->error = fmax(summary.ci.lo / truth - 1, 1 - summary.ci.hi / truth);
    out->wrong = out->error > tolerance;
    for (int i = 0; i < AM_REASONS; i++)
        out->measures[i] = am_grade_measure((enum am_reason)i, &input);
    return true;
}

/* ---- rates by machine ---- */

struct rates {
    size_t n[AM_GRADES], wrong[AM_GRADES];
};

static void add_rates(struct rates *sum, const struct rates *r)
{
    for (int g = 0; g < AM_GRADES; g++) {
        sum->n[g] += r->n[g];
        sum->wrong[g] += r->wrong[g];
    }
}

static double share(size_t part, size_t all)
{
    return all ? (double)part / (double)all : 0;
}

/* Seeds from `first` on. Keeps what it judged where `kept` is given. */
static struct rates rates_of(struct stage *s, const struct scene *scene, uint64_t first,
                             size_t seeds, struct judged *kept)
{
    struct rates r = {0};

    for (size_t i = 0; i < seeds; i++) {
        struct judged one;

        if (!judge_point(s, scene, first + i, &one))
            continue;
        r.n[one.grade]++;
        r.wrong[one.grade] += one.wrong;
        if (kept)
            kept[i] = one;
    }
    return r;
}

static void print_cell(size_t wrong, size_t n)
{
    if (n)
        printf(" %.1f %% |", 100 * share(wrong, n));
    else
        printf(" - |");
}

static void print_rates(const char *group, const char *what, const struct rates *r)
{
    const size_t all = r->n[0] + r->n[1] + r->n[2];

    printf("| %s | %s |", group, what);
    for (int g = 0; g < AM_GRADES; g++)
        printf(" %.0f %% |", 100 * share(r->n[g], all));
    for (int g = 0; g < AM_GRADES; g++)
        print_cell(r->wrong[g], r->n[g]);
    printf("\n");
}

/* ---- rates by limit ---- */

/* Whether only this reason can keep the point from A, and measures more than `above` up to `upto`.
 */
static bool is_alone(const struct judged *j, enum am_reason reason, double above, double upto)
{
    for (int k = 0; k < AM_REASONS; k++) {
        if (k != (int)reason && j->measures[k] > am_grade_rows[k].a)
            return false;
    }
    return j->measures[reason] > above && j->measures[reason] <= upto;
}

/* How often such points of all machines are wrong, by what the reason measures. */
static void print_reason(enum am_reason reason, const struct judged *all, size_t n)
{
    static const double shares[] = {-1, 0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1};
    static const double counts[] = {-1, 0, 1, 2, 3, 4};
    const bool counted = reason == AM_REASON_LAUNCHES;
    const double *const edges = counted ? counts : shares;
    const size_t m =
        counted ? sizeof(counts) / sizeof(counts[0]) : sizeof(shares) / sizeof(shares[0]);

    for (size_t e = 1; e < m; e++) {
        size_t here = 0, wrong = 0, far = 0;

        for (size_t i = 0; i < n; i++) {
            if (!is_alone(&all[i], reason, edges[e - 1], edges[e]))
                continue;
            here++;
            wrong += all[i].wrong;
            far += all[i].error > 5 * tolerance;
        }
        if (here >= FEWEST)
            printf("| `%s` | %g | %zu | %.1f %% | %.1f %% |\n", am_reason_words[reason], edges[e],
                   here, 100 * share(wrong, here), 100 * share(far, here));
    }
}

static void print_machines(struct stage *s, const struct scene *machines, size_t n, uint64_t first,
                           size_t seeds)
{
    struct rates all = {0};

    printf("| noise | how much | A | B | C | wrong of A | wrong of B | wrong of C |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < n; i++) {
        const struct rates r = rates_of(s, &machines[i], first, seeds, NULL);

        print_rates(machines[i].group, machines[i].what, &r);
        add_rates(&all, &r);
    }
    print_rates("all", "", &all);
}

/* Without repeats: with them hardly anything is a little disturbed. A reason is tried where the
 * others leave it to itself. */
static void print_limits(struct stage *s, size_t seeds, struct judged *kept)
{
    static const struct {
        enum am_reason reason;
        bool blind;
        unsigned fewest; /* launches */
    } rows[] = {
        {AM_REASON_LAUNCHES, false, 1}, {AM_REASON_WIDE, false, 5},  {AM_REASON_DISTURBED, true, 5},
        {AM_REASON_BUSY, false, 5},     {AM_REASON_MODES, false, 5},
    };

    s->settings.repeats = 0;
    printf("\n| reason | up to | points | wrong | by more than 10 %% |\n"
           "| --- | --- | --- | --- | --- |\n");
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        const unsigned counts = 6 - rows[r].fewest;
        const size_t part = seeds / counts;

        s->blind = rows[r].blind;
        for (size_t i = 0; i < SCENES * counts; i++) {
            s->settings.min_launches = rows[r].fewest + (unsigned)(i / SCENES);
            (void)rates_of(s, &scenes[i % SCENES], 1, part, kept + i * part);
        }
        print_reason(rows[r].reason, kept, part * SCENES * counts);
    }
}

static int print_tables(size_t seeds)
{
    struct judged *const kept = calloc(seeds * SCENES + 1, sizeof(*kept));
    struct stage s;

    if (!kept || !open_stage(&s))
        return 1;
    print_machines(&s, scenes, SCENES, 1, seeds);
    printf("\n");
    print_machines(&s, unseen, UNSEEN, UNSEEN_SEED, seeds);
    print_limits(&s, seeds, kept);
    am_arena_fini(&s.arena);
    free(kept);
    return 0;
}

/* ---- the part that every test run makes ---- */

static void test_part(void)
{
    struct rates told = {0};
    struct stage s;

    if (!ok(open_stage(&s), "the machine is read"))
        return;
    for (size_t i = 0; i < SCENES; i++) {
        const struct rates r = rates_of(&s, &scenes[i], 1, PART_SEEDS, NULL);

        if (strcmp(scenes[i].group, "silent") != 0) /* nothing tells of these */
            add_rates(&told, &r);
        if (strstr(scenes[i].what, "97 %"))
            ok(r.n[AM_GRADE_C] == PART_SEEDS, "%s %s: nothing is concluded (A %zu, B %zu)",
               scenes[i].group, scenes[i].what, r.n[AM_GRADE_A], r.n[AM_GRADE_B]);
        if (i == 0)
            ok(r.n[AM_GRADE_A] > PART_SEEDS * 9 / 10, "a quiet machine is A: %zu of %d",
               r.n[AM_GRADE_A], PART_SEEDS);
    }
    ok(share(told.wrong[AM_GRADE_A], told.n[AM_GRADE_A]) <= 0.02, "of grade A %.2f %% are wrong",
       100 * share(told.wrong[AM_GRADE_A], told.n[AM_GRADE_A]));
    ok(share(told.wrong[AM_GRADE_B], told.n[AM_GRADE_B]) <= 0.1, "of grade B %.2f %% are wrong",
       100 * share(told.wrong[AM_GRADE_B], told.n[AM_GRADE_B]));
    ok(told.n[AM_GRADE_B] && told.n[AM_GRADE_C], "all grades occur");
    am_arena_fini(&s.arena);
}

/* Of machines that were not in view: never quiet ones conclude nothing, and what is told of B holds
 * wherever something could be seen. */
static void test_unseen(void)
{
    struct rates told = {0};
    struct stage s;

    if (!ok(open_stage(&s), "the machine is read"))
        return;
    for (size_t i = 0; i < UNSEEN; i++) {
        const struct rates r = rates_of(&s, &unseen[i], UNSEEN_SEED, PART_SEEDS, NULL);

        if (strcmp(unseen[i].group, "silent") != 0)
            add_rates(&told, &r);
        if (strstr(unseen[i].what, "98 %"))
            ok(r.n[AM_GRADE_C] >= PART_SEEDS * 19 / 20,
               "%s %s: nothing is concluded (A %zu, B %zu)", unseen[i].group, unseen[i].what,
               r.n[AM_GRADE_A], r.n[AM_GRADE_B]);
    }
    ok(share(told.wrong[AM_GRADE_B], told.n[AM_GRADE_B]) <= 0.1, "unseen: of B %.2f %% are wrong",
       100 * share(told.wrong[AM_GRADE_B], told.n[AM_GRADE_B]));
    printf("# unseen: of A %.2f %% are wrong\n",
           100 * share(told.wrong[AM_GRADE_A], told.n[AM_GRADE_A]));
    am_arena_fini(&s.arena);
}

int main(int argc, char **argv)
{
    uint64_t seeds;

    if (argc == 3 && strcmp(argv[1], "--table") == 0)
        return am_parse_u64(argv[2], strlen(argv[2]), &seeds) ? print_tables((size_t)seeds) : 2;
    test_part();
    test_unseen();
    return tap_done();
}
