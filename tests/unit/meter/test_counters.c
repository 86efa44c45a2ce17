/* SPDX-License-Identifier: MIT */
/* Hardware events: names, a library that counts, fails or is missing, and the place of counts among
 * a sample's values. argv[1] is the fake PAPI library. */
#include "conductor/counting.h"
#include "tap.h"
#include "worker/counters.h"

#include <stdlib.h>

static void test_names(void)
{
    static const struct {
        const char *text;
        size_t n; /* 0: refused */
        const char *last;
    } cases[] = {
        {"l2", 2, "PAPI_L2_TCM"},
        {"l2,l3", 4, "PAPI_L3_TCM"},
        {"PAPI_L2_TCA,l2", 2, "PAPI_L2_TCM"},
        {"perf::TASK-CLOCK", 1, "perf::TASK-CLOCK"},
        {"", 0, NULL},
        {"l2,", 0, NULL},
        {"a b", 0, NULL},
        {"a,b,c,d,e,f,g,l2", 0, NULL},
    };
    struct am_arena arena = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_counter_names names;
        struct am_err err = {0};
        const enum am_status s = am_counters_expand(cases[i].text, &arena, &names, &err);

        if (cases[i].n)
            ok(s == AM_OK && names.n == cases[i].n &&
                   strcmp(names.items[names.n - 1], cases[i].last) == 0,
               "\"%s\" are %zu events", cases[i].text, cases[i].n);
        else
            ok(s == AM_E_USAGE && err.text[0], "\"%s\" is refused: %s", cases[i].text, err.text);
    }
    am_arena_fini(&arena);
}

static void test_counting(void)
{
    const struct am_counter_names names = {{"PAPI_L2_TCA", "PAPI_L3_TCM"}, 2};
    struct am_counters *c = NULL;
    struct am_err err = {0};
    double before[2] = {0}, after[2] = {0};

    if (ok(am_counters_open(&names, &c, &err) == AM_OK, "events are counted (%s)", err.text)) {
        ok(am_counters_read(c, before) && am_counters_read(c, after) &&
               after[0] - before[0] == 1000 && after[1] - before[1] == 80,
           "each by its own number");
        ok(am_counters_follow(c), "threads are followed");
    }
    am_counters_close(c);
}

static void test_failures(void)
{
    static const struct {
        const char *fails, *event, *reason;
    } cases[] = {
        {"init", "PAPI_L2_TCA", "does not start"},
        {"start", "PAPI_L2_TCA", "paranoid"},
        {"", "PAPI_NO_SUCH", "PAPI_NO_SUCH cannot be counted: Event does not exist"},
    };
    const struct am_counter_names one = {{"PAPI_L2_TCA"}, 1};
    struct am_counters *c = NULL;
    struct am_err err = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct am_counter_names names = {{cases[i].event}, 1};

        err = (struct am_err){0};

        (void)setenv("FAKE_PAPI", cases[i].fails, 1);
        ok(am_counters_open(&names, &c, &err) == AM_E_ABSENT && !c &&
               strstr(err.text, cases[i].reason),
           "\"%s\" fails: %s", cases[i].fails, err.text);
    }
    (void)setenv("FAKE_PAPI", "inherit", 1);
    ok(am_counters_open(&one, &c, &err) == AM_OK && !am_counters_follow(c),
       "a machine that cannot follow threads counts one, and says so");
    am_counters_close(c);
    c = NULL;
    err = (struct am_err){0};
    (void)unsetenv("FAKE_PAPI");
    (void)setenv("ARCHMETER_PAPI", "/no/such/library.so", 1);
    ok(am_counters_open(&one, &c, &err) == AM_E_ABSENT && strstr(err.text, "not here"),
       "a missing library is told: %s", err.text);
}

/* A worker with one bench of two metrics and 1000 flops an iteration. */
static const struct am_metric own[] = {
    {.name = "time", .unit = "s"}, {.name = "flops", .unit = "flop/s"}, {.name = NULL}};

static struct am_sample attribute(const struct am_counting *counting, const struct am_bench *bench,
                                  unsigned round)
{
    struct am_sample sample = {.iters = 1, .values = {1, 2, 1000, 250, 80}};
    struct am_visit visit = {.samples = &sample, .n_samples = 1, .work = {.flops = 1000}};
    struct am_launch launch = {.visits = &visit, .n_visits = 1, .round = round};
    const struct am_point point = {.bench = bench};
    const struct am_point *const points[] = {&point};

    am_counting_attribute(counting, points, &launch);
    ok(visit.n_metrics == am_metric_count(bench->metrics), "a value for every metric");
    return sample;
}

static void test_places(void)
{
    struct am_arena arena = {0};
    struct am_bench bench = {.name = "x", .metrics = own};
    struct am_worker worker = {.name = "w", .benches = &bench, .n = 1};
    struct am_catalogue catalogue = {.workers = &worker, .n = 1};
    struct am_counting counting = {.events = {{"PAPI_L2_TCA", "PAPI_L2_TCM", "PAPI_L3_TCM"}, 3}};
    struct am_sample s;

    ok(am_counting_extend(&counting, &catalogue, &arena, NULL) == AM_OK &&
           am_metric_count(bench.metrics) == 7 && bench.metrics_added == 5 &&
           strcmp(bench.metrics[2].name, "count:PAPI_L2_TCA") == 0 &&
           strcmp(bench.metrics[5].name, "miss_ratio:l2") == 0 &&
           strcmp(bench.metrics[6].name, "accesses_per_flop:memory") == 0,
       "three counts and the two quotients that they allow");
    ok(am_counting_counts(&counting, 0) && !am_counting_times(&counting, 0) &&
           !am_counting_counts(&counting, 1) && am_counting_times(&counting, 1),
       "launches count or are timed, in turn");
    s = attribute(&counting, &bench, 0);
    ok(isnan(s.values[0]) && isnan(s.values[1]), "what counts has no time");
    ok(s.values[2] == 1000 && s.values[4] == 80 && s.values[5] == 0.25 &&
           fabs(s.values[6] - 0.08) < 1e-12,
       "but counts, a miss ratio and accesses a flop");
    s = attribute(&counting, &bench, 1);
    ok(s.values[0] == 1 && s.values[1] == 2 && isnan(s.values[2]) && isnan(s.values[6]),
       "what is timed has no counts");
    counting.with_time = true;
    s = attribute(&counting, &bench, 1);
    ok(s.values[0] == 1 && s.values[2] == 1000 && s.values[5] == 0.25, "both, where asked for");
    am_arena_fini(&arena);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    (void)setenv("ARCHMETER_PAPI", argv[1], 1);
    test_names();
    test_counting();
    test_failures();
    test_places();
    return tap_done();
}
