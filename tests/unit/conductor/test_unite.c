/* SPDX-License-Identifier: MIT */
/* One bench in several workers: choices joined, contradictions told. */
#include "conductor/catalogue.h"
#include "tap.h"

enum { WORKERS = 3 };

static const struct am_metric time_metric[] = {{.name = "time", .unit = "s"}, {0}};
static const struct am_metric rate_metric[] = {{.name = "rate", .unit = "1/s"}, {0}};
static const char *const gomp[] = {"libgomp", NULL}, *const omp[] = {"libomp", NULL},
                         *const third[] = {"third", NULL};
static const char *const third_reason[] = {"no such library", NULL};
static const char *const few[] = {"a", "b", NULL}, *const more[] = {"b", "c", NULL};

/* Three workers with one bench each; the catalogue completes the axes, so they are made anew. */
struct three {
    struct am_axis axes[WORKERS][4];
    struct am_bench benches[WORKERS];
    struct am_worker workers[WORKERS];
    struct am_catalogue catalogue;
};

static void make_three(struct three *t)
{
    static const char *const *const runtimes[WORKERS] = {gomp, omp, third};
    static const char *const names[WORKERS] = {"w0", "w1", "w2"};

    *t = (struct three){0};
    for (size_t i = 0; i < WORKERS; i++) {
        t->axes[i][0] = (struct am_axis){
            .name = "runtime", .kind = AM_AXIS_NAME, .dflt = "usable", .choices = runtimes[i]};
        t->axes[i][1] = (struct am_axis){
            .name = "what", .kind = AM_AXIS_NAME, .dflt = "all", .choices = i ? more : few};
        t->axes[i][2] = (struct am_axis){.name = "n", .kind = AM_AXIS_INT, .dflt = "1"};
        t->benches[i] = (struct am_bench){
            .name = "b", .version = 1, .axes = t->axes[i], .metrics = time_metric};
        t->workers[i] = (struct am_worker){.name = names[i], .benches = &t->benches[i], .n = 1};
    }
    t->axes[2][0].reasons = third_reason;
    t->catalogue = (struct am_catalogue){.workers = t->workers, .n = WORKERS};
}

static void check_axis(const struct am_axis *axis, const char *const want[][3], const char *what)
{
    size_t i = 0;
    bool same = true;

    for (; axis->choices[i] && want[i][0]; i++) {
        const char *const there = am_axis_elsewhere(axis, i), *const why = am_axis_why_not(axis, i);

        same = same && strcmp(axis->choices[i], want[i][0]) == 0 &&
               strcmp(there ? there : "", want[i][1]) == 0 &&
               strcmp(why ? why : "", want[i][2]) == 0;
    }
    ok(same && !axis->choices[i] && !want[i][0], "%s", what);
}

static void test_union(void)
{
    static const char *const first[][3] = {
        {"libgomp", "", ""}, {"libomp", "w1", ""}, {"third", "w2", "no such library"}, {0}};
    static const char *const last[][3] = {
        {"third", "", "no such library"}, {"libgomp", "w0", ""}, {"libomp", "w1", ""}, {0}};
    static const char *const what[][3] = {{"a", "", ""}, {"b", "", ""}, {"c", "w1", ""}, {0}};
    struct am_arena arena = {0};
    struct three t;

    make_three(&t);
    ok(am_catalogue_unite(&t.catalogue, &arena), "three descriptors of one bench are joined");
    check_axis(&t.axes[0][0], first, "the first knows the choices of all, and who has them");
    check_axis(&t.axes[2][0], last, "so does the last");
    check_axis(&t.axes[0][1], what, "a choice that several have stays one's own");
    ok(t.workers[0].n && t.workers[1].n && t.workers[2].n, "all stay usable");
    ok(am_catalogue_is_first(&t.catalogue, &t.benches[0]) &&
           !am_catalogue_is_first(&t.catalogue, &t.benches[1]),
       "the first stands for the name");
    am_arena_fini(&arena);
}

static void contradict(size_t kind, struct am_bench *b, struct am_axis *axes)
{
    switch (kind) {
    case 0: b->version = 2; return;
    case 1: b->metrics = rate_metric; return;
    case 2: axes[2].name = "m"; return;
    case 3: axes[2] = (struct am_axis){0}; return;
    case 4: axes[0].choices = gomp; return;
    default: axes[1].choices = NULL; return;
    }
}

static void test_contradictions(void)
{
    static const char *const want[] = {"another version", "other metrics", "other axes",
                                       "other axes",      "same points",   "other axes"};

    for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
        struct am_arena arena = {0};
        struct three t;

        make_three(&t);
        contradict(i, &t.benches[1], t.axes[1]);
        (void)am_catalogue_unite(&t.catalogue, &arena);
        ok(t.workers[1].n == 0 && t.workers[1].why_not && strstr(t.workers[1].why_not, want[i]) &&
               strstr(t.workers[1].why_not, "w0"),
           "left out: %s", t.workers[1].why_not ? t.workers[1].why_not : "(nothing)");
        ok(t.workers[2].n == 1 && !t.workers[2].why_not, "the third is not its victim");
        am_arena_fini(&arena);
    }
}

int main(void)
{
    test_union();
    test_contradictions();
    return tap_done();
}
