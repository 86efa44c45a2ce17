/* SPDX-License-Identifier: MIT */
/* What the conductor believes of a worker, and what disturbs it. */
#include "base/text.h"
#include "conductor/collect.h"
#include "core/protocol/protocol.h"
#include "tap.h"
#include "worker/disturbance.h"

#include <stdlib.h>

static const struct am_axis axes[] = {{0}};
static const struct am_metric metrics[] = {{.name = "time", .unit = "s", .rule = AM_RULE_OWN}, {0}};
static const struct am_bench bench = {.name = "b", .axes = axes, .metrics = metrics};
static const struct am_point first = {.bench = &bench, .id = 1},
                             second = {.bench = &bench, .id = 2};
static const struct am_point *const points[] = {&first, &second};

#define HELLO "hello 3 w 20 1 0x1p+31"
#define WORK "work 0 0 0 1"

/* Each case: lines, how many of them are taken, the visits then, and the state of the last. NOW is
 * replaced by a time inside the launch. */
static const struct {
    const char *what;
    const char *lines[10];
    size_t taken, visits;
    enum am_point_state last;
} cases[] = {
    {"a good launch",
     {HELLO, "point 1", WORK, "verified 0", "sample 1 NOW NOW 1 1 1 0 0 0 0 1", "end", "point 2",
      "skip no", "done"},
     9,
     2,
     AM_POINT_SKIP},
    {"no greeting", {"point 1"}, 0, 1, AM_POINT_FAIL},
    {"another version", {"hello 1 w 20 1 1"}, 0, 1, AM_POINT_FAIL},
    {"another worker", {"hello 3 x 20 1 1"}, 0, 1, AM_POINT_FAIL},
    {"a second greeting", {HELLO, HELLO}, 1, 1, AM_POINT_FAIL},
    {"points out of order", {HELLO, "point 2"}, 1, 1, AM_POINT_FAIL},
    {"a sample outside a point", {HELLO, "sample 1 NOW NOW 1 1 1 0 0 0 0 1"}, 1, 1, AM_POINT_FAIL},
    {"a sample before its work",
     {HELLO, "point 1", "sample 1 NOW NOW 1 1 1 0 0 0 0 1"},
     2,
     1,
     AM_POINT_FAIL},
    {"work twice", {HELLO, "point 1", WORK, WORK}, 3, 1, AM_POINT_FAIL},
    {"a sample from before the launch",
     {HELLO, "point 1", WORK, "sample 1 5 6 1 1 1 0 0 0 0 1"},
     3,
     1,
     AM_POINT_FAIL},
    {"a sample from the future",
     {HELLO, "point 1", WORK, "sample 1 NOW 18446744073709551615 1 1 1 0 0 0 0 1"},
     3,
     1,
     AM_POINT_FAIL},
    {"too many values",
     {HELLO, "point 1", WORK, "sample 1 NOW NOW 1 1 1 0 0 0 0 1 1"},
     3,
     1,
     AM_POINT_FAIL},
    {"an end without a sample", {HELLO, "point 1", WORK, "end"}, 3, 1, AM_POINT_FAIL},
    {"done too early", {HELLO, "point 1", "skip no", "done"}, 3, 2, AM_POINT_FAIL},
    {"words after done",
     {HELLO, "point 1", "skip no", "point 2", "skip no", "done", "done"},
     6,
     2,
     AM_POINT_SKIP},
};

/* Puts the current time in place of each NOW. */
static const char *with_now(const char *line, char *buf, size_t cap)
{
    struct am_text text;
    const char *p;

    am_text_init(&text, cap - 1);
    while ((p = strstr(line, "NOW")) != NULL) {
        am_text_addn(&text, line, (size_t)(p - line));
        am_text_addf(&text, "%llu", (unsigned long long)am_now_ns());
        line = p + 3;
    }
    am_text_add(&text, line);
    (void)am_str_copy(buf, cap, am_text_str(&text));
    am_text_fini(&text);
    return buf;
}

static void test_collect(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_process_result result = {.end = AM_END_REFUSED};
        struct am_arena arena = {0};
        struct am_collect c;
        struct am_err err = {0};
        size_t taken = 0;
        char buf[256];

        (void)am_collect_init(&c, &arena, "w", points, 2, 5, &err);
        c.launch.started_ns = am_now_ns();
        while (taken < 10 && cases[i].lines[taken]) {
            const char *line = with_now(cases[i].lines[taken], buf, sizeof(buf));

            if (am_collect_line(&c, line, strlen(line), &result.refusal) != AM_OK)
                break;
            taken++;
        }
        if (!cases[i].lines[taken])
            result.end = AM_END_EXIT;
        am_collect_finish(&c, &result, 1);
        ok(taken == cases[i].taken && c.launch.n_visits == cases[i].visits &&
               c.launch.visits[c.launch.n_visits - 1].state == cases[i].last,
           "%s: %zu lines taken, %zu visits (%s)", cases[i].what, taken, c.launch.n_visits,
           result.refusal.text);
        am_arena_fini(&arena);
    }
}

/* One line inside the only point of a bench with a tunable axis, which asks for w. */
static bool is_taken(int64_t w, const char *const *lines, size_t n, struct am_visit *visit,
                     struct am_arena *arena, struct am_err *err)
{
    static const struct am_axis tunable[] = {
        {.name = "w", .kind = AM_AXIS_INT, .dflt = "0", .tune = "1:8"}, {0}};
    static const struct am_bench tuned = {.name = "t", .axes = tunable, .metrics = metrics};
    const struct am_value value = {.kind = AM_AXIS_INT, .i = w};
    const struct am_point point = {.bench = &tuned, .values = &value, .id = 1};
    const struct am_point *const asked[] = {&point};
    struct am_collect c;
    bool good;

    good = am_collect_init(&c, arena, "w", asked, 1, 5, err) == AM_OK &&
           am_collect_line(&c, HELLO, strlen(HELLO), err) == AM_OK &&
           am_collect_line(&c, "point 1", 7, err) == AM_OK;
    for (size_t i = 0; good && i < n; i++)
        good = am_collect_line(&c, lines[i], strlen(lines[i]), err) == AM_OK;
    if (!good)
        am_collect_unstarted(&c, "refused"); /* closes the point at hand */
    *visit = c.launch.visits[0];
    return good;
}

/* What is chosen attests an axis that the point fixes, and is a value where it leaves it open;
 * notes are for people and say nothing of axes. */
static void test_said(void)
{
    static const struct {
        int64_t asked;
        const char *lines[4];
        bool taken;
    } said[] = {
        {0, {"chosen w 7"}, true},
        {0, {"chosen w many"}, false},
        {3, {"chosen w 3"}, true},
        {3, {"chosen w 7"}, false},
        {0, {"chosen device_kind cpu"}, true},
        {0, {"chosen w 7", "chosen w 7"}, false},
        {0, {"note other many"}, true},
        {3, {"note w 3"}, false},
        {0, {"note other a", "note other b"}, false},
        {0, {"propose w 1:4"}, true},
        {0, {"propose depth 1:4"}, false},
        {0, {"propose w 1:4", "propose w 1:5"}, false},
        {0, {"attach a text/plain 0", "chosen w 7"}, true},
        {0, {"attach a text/plain 3", "data 0102", "data 03", "chosen w 7"}, true},
        {0, {"attach a text/plain 3", "data 0102", "chosen w 7"}, false},
        {0, {"attach a text/plain 3", "data 01020304"}, false},
        {0, {"data 01"}, false},
        {0, {"attach a text/plain 1", "data 01", "attach a text/plain 1"}, false},
        {0, {"attach a text/plain 8388608"}, true},
        {0, {"attach a text/plain 8388609"}, false},
        {0, {"attach a text/plain 18446744073709551615"}, false},
    };

    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
        struct am_arena arena = {0};
        struct am_visit visit;
        struct am_err err = {0};
        size_t n = 0;

        while (n < 4 && said[i].lines[n])
            n++;
        ok(is_taken(said[i].asked, said[i].lines, n, &visit, &arena, &err) == said[i].taken,
           "w=%lld and \"%s\": %s", (long long)said[i].asked, said[i].lines[n - 1],
           said[i].taken ? "taken" : err.text);
        am_arena_fini(&arena);
    }
}

#define STOLEN "sample 1 NOW NOW 1 1 1 5000000 0 0 1 1"

/* Takes lines until one is refused; returns how many were taken. */
static size_t take_lines(struct am_collect *c, const char *const *lines, size_t n,
                         struct am_err *err)
{
    char buf[256];
    size_t taken = 0;

    for (; taken < n; taken++) {
        const char *const line = with_now(lines[taken], buf, sizeof(buf));

        if (am_collect_line(c, line, strlen(line), err) != AM_OK)
            break;
    }
    return taken;
}

/* A sample with stolen time in a busy launch: held against the host's clock, not a device's. */
static void test_acquitted(void)
{
    static const struct {
        const char *clock;
        bool acquitted;
    } rows[] = {
        {"chosen clock device", true}, {"chosen clock host", false}, {"note clock device", false}};
    static const struct am_bench timed = {
        .name = "d", .axes = axes, .metrics = metrics, .timed = AM_TIMED_OWN};
    static const struct am_point point = {.bench = &timed, .id = 1};
    const struct am_point *const asked[] = {&point, &second};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const char *const lines[] = {HELLO, "point 1", rows[i].clock, WORK,   STOLEN,
                                     "end", "point 2", WORK,          STOLEN, "end"};

        for (size_t n = 1; n <= 2;
             n++) { /* alone in its launch, and beside a point of the host's */
            const size_t given = n == 1 ? 6 : 10;
            const bool whole = rows[i].acquitted && n == 1;
            struct am_arena arena = {0};
            struct am_collect c;
            struct am_err err = {0};
            size_t taken;

            (void)am_collect_init(&c, &arena, "w", asked, n, 5, &err);
            c.launch.started_ns = am_now_ns();
            c.cpus = 1;
            taken = take_lines(&c, lines, given, &err);
            c.launch.surroundings.labels = 1;
            am_collect_acquit(&c);
            ok(taken == given && (c.launch.visits[0].samples[0].labels == 0) == rows[i].acquitted &&
                   (c.launch.surroundings.labels == 0) == whole &&
                   (am_visit_busy(&c.launch, 0) == 0) == rows[i].acquitted &&
                   c.launch.visits[0].samples[0].steal_ns == 5000000,
               "\"%s\", %zu points: %s", rows[i].clock, n,
               taken == given ? "as it should be" : err.text);
            ok(n == 1 ||
                   (c.launch.visits[1].samples[0].labels == 1 && am_visit_busy(&c.launch, 1) == 1),
               "what the host times bears what disturbed the host");
            am_arena_fini(&arena);
        }
    }
}

/* Who does not take its own time has no device's clock; a failure may end the process before the
 * first point of another bench, and nothing else may. */
static void test_ends(void)
{
    static const struct am_bench other = {.name = "o", .axes = axes, .metrics = metrics};
    static const struct am_point stranger = {.bench = &other, .id = 2};
    static const struct {
        const char *what;
        const char *lines[8];
        const struct am_point *next;
        size_t taken, visits;
    } rows[] = {
        {"a device's clock of a bench without one",
         {HELLO, "point 1", "chosen clock device"},
         &second,
         2,
         0},
        {"done behind a failure, another bench next",
         {HELLO, "point 1", "fail no", "done"},
         &stranger,
         4,
         1},
        {"the same, the same bench next", {HELLO, "point 1", "fail no", "done"}, &second, 3, 1},
        {"done behind a skip", {HELLO, "point 1", "skip no", "done"}, &stranger, 3, 1},
        {"done before the first point", {HELLO, "done"}, &stranger, 1, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct am_point *const asked[] = {&first, rows[i].next};
        struct am_arena arena = {0};
        struct am_collect c;
        struct am_err err = {0};
        size_t n = 0, taken;

        while (rows[i].lines[n])
            n++;
        (void)am_collect_init(&c, &arena, "w", asked, 2, 5, &err);
        c.launch.started_ns = am_now_ns();
        c.cpus = 1;
        taken = take_lines(&c, rows[i].lines, n, &err);
        ok(taken == rows[i].taken && c.launch.n_visits == rows[i].visits, "%s: %zu of %zu lines %s",
           rows[i].what, taken, n, err.text);
        am_arena_fini(&arena);
    }
}

static void test_attached(void)
{
    static const char *const lines[] = {"attach a text/plain 3", "data 4100", "data ff",
                                        "attach b image/png 2", "data 01"};
    struct am_arena arena = {0};
    struct am_visit visit;
    struct am_err err = {0};

    ok(is_taken(0, lines, 3, &visit, &arena, &err) && visit.n_attachments == 1 &&
           visit.attachments[0].n == 3 && memcmp(visit.attachments[0].data, "A\0\xff", 3) == 0,
       "an attachment is put together (%s)", err.text);
    is_str(visit.attachments[0].type, "text/plain", "with its type");
    (void)is_taken(0, lines, 5, &visit, &arena, &err);
    ok(visit.n_attachments == 2, "the second is under way");
    ok(!is_taken(0, (const char *const[]){lines[0], lines[1], "end"}, 3, &visit, &arena, &err) &&
           visit.n_attachments == 0,
       "what is cut short is dropped (%s)", err.text);
    am_arena_fini(&arena);
}

static bool takes(struct am_collect *c, const char *line, struct am_err *err)
{
    return am_collect_line(c, line, strlen(line), err) == AM_OK;
}

/* So much as if it had been attached before: a megabyte is not sent to see that it is too much. */
static void test_attached_bounds(void)
{
    enum { OF_LAUNCH = 128 * 1024 * 1024 };
    struct am_arena arena = {0};
    struct am_collect c;
    struct am_err err = {0};

    (void)am_collect_init(&c, &arena, "w", points, 2, 5, &err);
    ok(takes(&c, HELLO, &err) && takes(&c, "point 1", &err) && !c.attached, "a point begins");
    c.attached = AM_ATTACHMENTS_MAX - 3;
    c.attached_all = OF_LAUNCH - 7;
    ok(takes(&c, "attach a text/plain 3", &err) && takes(&c, "data 010203", &err),
       "a point's attachments may be as large as is said (%s)", err.text);
    ok(am_collect_line(&c, "attach b text/plain 1", 21, &err) == AM_E_LIMIT,
       "and no byte larger: %s", err.text);
    ok(takes(&c, "skip no", &err) && takes(&c, "point 2", &err) &&
           takes(&c, "attach a text/plain 4", &err) && takes(&c, "data 01020304", &err),
       "the next point has the same again, up to what a launch may have (%s)", err.text);
    ok(am_collect_line(&c, "attach b text/plain 1", 21, &err) == AM_E_LIMIT &&
           takes(&c, "attach b text/plain 0", &err),
       "a launch's attachments are bounded, too");
    am_arena_fini(&arena);
}

static void test_attached_count(void)
{
    struct am_arena arena = {0};
    struct am_collect c;
    struct am_err err = {0};
    unsigned n = 0;
    char line[64];

    (void)am_collect_init(&c, &arena, "w", points, 2, 5, &err);
    (void)(takes(&c, HELLO, &err) && takes(&c, "point 1", &err));
    do
        (void)am_str_format(line, sizeof(line), "attach a%u text/plain 0", n);
    while (takes(&c, line, &err) && ++n < 100);
    ok(n == 8 && err.status == AM_E_LIMIT, "%u attachments of a point, then: %s", n, err.text);
    am_arena_fini(&arena);
}

/* How a worker ends after its last point: what it says of itself by its exit code, and an end
 * before it was done, fail that point; what happens behind `done` is told only. */
static void test_late_trouble(void)
{
    static const char *const skipped[] = {HELLO, "point 1", "skip no", "done"};
    static const char *const good[] = {HELLO, "point 1", WORK, "sample 1 NOW NOW 1 1 1 0 0 0 0 1",
                                       "end", "done"};
    static const struct {
        struct am_process_result result;
        const char *const *lines;
        size_t n;
        enum am_point_state state;
        const char *told; /* with the output, or as the reason of a failure; NULL: nothing */
    } ends[] = {
        {{.end = AM_END_EXIT}, skipped, 4, AM_POINT_SKIP, NULL},
        {{.end = AM_END_EXIT, .code = 3}, skipped, 4, AM_POINT_SKIP, "exit code 3"},
        {{.end = AM_END_SIGNAL, .code = 11}, skipped, 4, AM_POINT_SKIP, "signal 11"},
        {{.end = AM_END_INTERRUPTED}, skipped, 4, AM_POINT_SKIP, NULL},
        {{.end = AM_END_EXIT}, good, 6, AM_POINT_OK, NULL},
        {{.end = AM_END_EXIT, .code = 3}, good, 6, AM_POINT_FAIL, "exit code 3"},
        {{.end = AM_END_EXIT}, good, 5, AM_POINT_FAIL, "without saying"},
        {{.end = AM_END_SIGNAL, .code = 11}, good, 5, AM_POINT_FAIL, "signal 11"},
        {{.end = AM_END_SIGNAL, .code = 11}, good, 6, AM_POINT_OK, "signal 11"},
        {{.end = AM_END_TIMEOUT}, good, 6, AM_POINT_OK, "no end within"},
        {{.end = AM_END_EXIT, .left_behind = 2},
         good,
         6,
         AM_POINT_OK,
         "left behind, and killed: 2"},
        {{.end = AM_END_INTERRUPTED}, good, 6, AM_POINT_OK, NULL},
    };

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        struct am_arena arena = {0};
        struct am_collect c;
        struct am_err err = {0};
        const char *told;
        char buf[256];

        (void)am_collect_init(&c, &arena, "w", points, 1, 5, &err);
        c.launch.started_ns = am_now_ns();
        for (size_t k = 0; k < ends[i].n; k++) {
            const char *const line = with_now(ends[i].lines[k], buf, sizeof(buf));

            (void)am_collect_line(&c, line, strlen(line), &err);
        }
        am_collect_finish(&c, &ends[i].result, 1);
        told = ends[i].state == AM_POINT_FAIL ? c.launch.visits[0].reason : c.launch.output;
        ok(c.launch.n_visits == 1 && c.launch.visits[0].state == ends[i].state,
           "end %zu after the last point: state %s (%s)", i, am_point_states[ends[i].state],
           err.text);
        ok(ends[i].told ? told && strstr(told, ends[i].told) : !told, "and is told: %s",
           told ? told : "nothing");
        am_arena_fini(&arena);
    }
}

/* A worker that dies has often said why on stderr: its last line belongs to the reason, as text. */
static void test_last_words(void)
{
    static char flood[1000];
    static const struct {
        const char *said, *reason;
    } rows[] = {
        {"", "worker ended with exit code 127"},
        {" \n\n", "worker ended with exit code 127"},
        {"one\nw: undefined symbol: __kmpc_x\n\n",
         "worker ended with exit code 127: w: undefined symbol: __kmpc_x"},
        {"\033[2Jgone \303\244\377", "worker ended with exit code 127: ?[2Jgone \303\244?"},
        {flood, NULL},
    };

    memset(flood, 'x', sizeof(flood) - 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct am_process_result result = {.end = AM_END_EXIT, .code = 127};
        struct am_arena arena = {0};
        struct am_collect c;
        struct am_err err = {0};
        const char *reason;

        (void)am_collect_init(&c, &arena, "w", points, 1, 5, &err);
        am_text_init(&result.err, 4096);
        am_text_add(&result.err, rows[i].said);
        am_collect_finish(&c, &result, 1);
        reason = c.launch.visits[0].reason;
        if (rows[i].reason)
            ok(strcmp(reason, rows[i].reason) == 0, "last words: %s", reason);
        else
            ok(strlen(reason) < 250 && strstr(reason, ": ...xxx"), "a long line is shortened");
        am_text_fini(&result.err);
        am_arena_fini(&arena);
    }
}

static void test_steal(void)
{
    static const char text[] = "cpu  1 2 3 4 5 6 7 80 9 10\n"
                               "cpu0 1 2 3 4 5 6 7 30 9 10\n"
                               "cpu1 1 2 3 4 5 6 7 50 9 10\n"
                               "cpu10 1 2 3 4 5 6 7 7 0 0\n"
                               "intr 5 5\n";
    static const int both[] = {0, 1}, ten[] = {10};

    ok(am_disturbance_steal_ticks(text, both, 2) == 80, "steal is summed over our CPUs");
    ok(am_disturbance_steal_ticks(text, ten, 1) == 7, "and over no others");
    ok(am_disturbance_steal_ticks("", both, 2) == 0, "an unreadable file gives none");
}

/* How long threads waited for a CPU, and whether anybody began meanwhile. */
static void test_waited(void)
{
    static const char *const bad[] = {"", "5", "5 x 2", " 5 6"};
    const int cpus[] = {0};
    struct am_disturbance_probe probe;
    struct am_disturbance disturbance;
    struct am_disturbance_totals totals;
    uint64_t ns = 0;

    ok(am_disturbance_waited("169160787 357340425 71\n", &ns) && ns == 357340425,
       "the second number of schedstat is the time of waiting");
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        ok(!am_disturbance_waited(bad[i], &ns), "\"%s\" does not say", bad[i]);
    ok(am_disturbance_newest("0.07 0.10 0.20 1/123 4567\n") == 4567, "who began last");
    ok(am_disturbance_newest("") == 0 && am_disturbance_newest("a b") == 0, "or nobody knows");
    am_disturbance_open(&probe, cpus, 1, &disturbance);
    disturbance.read(disturbance.self, &totals);
    ok(totals.threads == 1 && totals.newest > 0, "this process has one thread: %llu",
       (unsigned long long)totals.threads);
    am_disturbance_close(&probe);
}

int main(void)
{
    test_collect();
    test_said();
    test_acquitted();
    test_ends();
    test_attached();
    test_attached_bounds();
    test_attached_count();
    test_late_trouble();
    test_last_words();
    test_steal();
    test_waited();
    return tap_done();
}
