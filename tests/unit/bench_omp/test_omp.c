/* SPDX-License-Identifier: MIT */
/* The benches of an OpenMP worker through their hooks, on the runtime that the program is linked
 * with: every construct and schedule keeps its promises, and the launch is attested. */
#include "bench_fixture.h"
#include "base/text.h"
#include "bench/omp/runtime.h"

extern const struct am_bench am_bench_omp_region, am_bench_omp_sched, am_bench_omp_start,
    am_bench_omp_sync, am_bench_omp_target, am_bench_omp_touch;

/* The runtime's own word: it may have bound this thread before main(). */
extern int omp_get_num_procs(void);

enum { CPUS = 2, NOTES = 16, NOTE_BYTES = 128 };

/* The notes of one point, and what was chosen. */
struct notes {
    size_t n;
    char keys[NOTES][NOTE_BYTES], texts[NOTES][NOTE_BYTES];
};

static void take_note(void *self, const char *key, const char *text)
{
    struct notes *const notes = self;

    if (notes->n == NOTES)
        return;
    (void)snprintf(notes->keys[notes->n], NOTE_BYTES, "%s", key);
    (void)snprintf(notes->texts[notes->n++], NOTE_BYTES, "%s", text);
}

static const char *note(const struct notes *notes, const char *key)
{
    for (size_t i = 0; i < notes->n; i++) {
        if (strcmp(notes->keys[i], key) == 0)
            return notes->texts[i];
    }
    return "";
}

/* A bench, its own axes' values, and for how many threads. */
struct visit {
    const struct am_bench *bench;
    const char *own;
    int threads;
};

static void point_of(const struct visit *v, struct am_value *point)
{
    char words[256];

    (void)snprintf(words, sizeof(words), "%s %s %d close cores %s", v->own, am_omp_runtimes[0],
                   v->threads, v->bench == &am_bench_omp_region ? "auto" : "default");
    bx_point(v->bench, words, point);
}

/* One visit as a worker makes it: run, verify, run longer, verify again. */
static enum am_status visit(const struct visit *v, const struct am_ctx *ctx, struct am_batch *batch,
                            struct am_err *err)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    double residual = 0;
    void *const state = calloc(1, v->bench->state_size);
    enum am_status s;

    point_of(v, point);
    s = v->bench->prepare(state, ctx, point, &work, err);
    if (s == AM_OK)
        s = v->bench->run_timed(state, 1, batch, err);
    if (s == AM_OK)
        s = v->bench->verify(state, &residual, err);
    if (s == AM_OK)
        s = v->bench->run_timed(state, 9, batch, err);
    if (s == AM_OK)
        s = v->bench->verify(state, &residual, err);
    if (v->bench->finish)
        v->bench->finish(state);
    free(state);
    return s;
}

/* What a runtime lacks, by a part of the construct's name; of so many threads, 0: of any. */
static const struct {
    const char *runtime, *part;
    int threads;
    const char *story;
    bool maybe; /* newer compilers have it */
} missing[] = {
    {"*", "_contended", 1, "second thread", false},
    {"libgomp", "_hint", 0, "omp_init_lock_with_hint", false},
    {"libomp-gcc", "doacross", 1, "crashes", false},
    {"libomp-gcc", "allocate", 0, "does not know", false},
    {"libomp", "masked", 0, "does not know", true},
    {"libomp", "scope", 0, "does not know", true},
    {"libomp", "loop", 0, "does not know", true},
    {"libomp", "scan", 0, "does not know", true},
};

/* The row of a construct that is skipped, -1 for one that is there. */
static int find_missing(const char *construct, int threads)
{
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        if (am_glob_match(missing[i].runtime, am_omp_runtimes[0]) &&
            strstr(construct, missing[i].part) &&
            (missing[i].threads == 0 || missing[i].threads == threads))
            return (int)i;
    }
    return -1;
}

static void check_construct(const struct am_ctx *ctx, const char *name, int threads)
{
    char own[64];
    const struct visit v = {&am_bench_omp_sync, own, threads};
    const int row = find_missing(name, threads);
    struct am_batch batch = {0};
    struct am_err err = {0};
    enum am_status s;
    bool there, skipped;

    (void)snprintf(own, sizeof(own), "%s 50", name);
    s = visit(&v, ctx, &batch, &err);
    there = s == AM_OK && batch.elapsed_ns > 0;
    skipped = row >= 0 && s == AM_E_ABSENT && strstr(err.text, missing[row].story);
    if (row < 0)
        ok(there, "%s of %d is right %s", name, threads, err.text);
    else
        ok(skipped || (missing[row].maybe && there), "%s of %d is skipped: %s", name, threads,
           err.text);
}

static void check_constructs(const struct am_ctx *ctx)
{
    const char *const *names = am_bench_omp_sync.axes[0].choices;

    for (; *names; names++) {
        for (int threads = 1; threads <= (int)ctx->cpu_count; threads++)
            check_construct(ctx, *names, threads);
    }
}

static void check_schedules(const struct am_ctx *ctx)
{
    static const int chunks[] = {0, 1, 7, 1024};
    static const char *const shapes[] = {"even", "spikes", "random", "ramp"};
    const char *const *names = am_bench_omp_sched.axes[0].choices;

    for (; *names; names++) {
        for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
            char own[64];
            const struct visit v = {&am_bench_omp_sched, own, (int)ctx->cpu_count};
            const bool there =
                chunks[i] ? strcmp(*names, "auto") != 0 : strcmp(*names, "taskloop_num_tasks") != 0;
            struct am_batch batch = {0};
            struct am_err err = {0};
            enum am_status s;

            (void)snprintf(own, sizeof(own), "%s %d 10 %s", *names, chunks[i], shapes[i % 4]);
            s = visit(&v, ctx, &batch, &err);
            ok(s == (there ? AM_OK : AM_E_ABSENT) ||
                   (s == AM_E_ABSENT && strstr(err.text, "breaks")),
               "%s with chunk %d: %s", *names, chunks[i],
               s == AM_OK ? "every iteration once" : err.text);
        }
    }
}

/* Team, gap, work, imbalance, crowd, regions, spin. */
static const char *const regions[] = {
    "fixed 0 1000 0 1 20 auto",  "fixed 50 1000 100 1 20 none", "resized 0 1000 0 1 20 auto",
    "nested 0 1000 50 2 5 auto", "fixed 0 0 0 1 1 auto",        "fixed 0 1000 50 2 5 auto",
};

static void check_regions(const struct am_ctx *ctx)
{
    enum { TIME, OVERHEAD, OVERHEAD_CYCLES, REFERENCE, P99, WORST, LOST, MEAN };

    for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
        const struct visit v = {&am_bench_omp_region, regions[i], (int)ctx->cpu_count};
        struct am_batch batch = {0};
        struct am_err err = {0};
        const enum am_status s = visit(&v, ctx, &batch, &err);
        const double *const x = batch.values;

        if (ctx->cpu_count < 2 && strncmp(regions[i], "fixed", 5) != 0) {
            ok(s == AM_E_ABSENT, "%s needs more than a CPU: %s", regions[i], err.text);
            continue;
        }
        ok(s == AM_OK && x[TIME] > 0 && x[P99] >= x[TIME] && x[WORST] >= x[P99],
           "regions %s are right, their tail beyond their middle %s", regions[i], err.text);
        ok(x[LOST] >= x[OVERHEAD], "regions %s: imbalance is lost too: %g and %g", regions[i],
           x[OVERHEAD], x[LOST]);
        ok(x[MEAN] + x[REFERENCE] > 0 && x[MEAN] + x[REFERENCE] <= x[WORST] * 1.000001,
           "regions %s: their mean is not beyond the worst: %g", regions[i], x[MEAN]);
    }
}

/* Devices are rare: without one the points say so. */
static void check_targets(const struct am_ctx *ctx)
{
    const char *const *names = am_bench_omp_target.axes[0].choices;

    for (; *names; names++) {
        for (int device = 0; device < 2; device++) {
            char own[64];
            const struct visit v = {&am_bench_omp_target, own, (int)ctx->cpu_count};
            struct am_batch batch = {0};
            struct am_err err = {0};
            enum am_status s;

            (void)snprintf(own, sizeof(own), "%s %s 4096", *names, device ? "device" : "host");
            s = visit(&v, ctx, &batch, &err);
            ok(s == AM_OK || (s == AM_E_ABSENT && ((device && strstr(err.text, "no device")) ||
                                                   strstr(err.text, "breaks the runtime") ||
                                                   strstr(err.text, "for gcc's code"))),
               "target %s: %s", own, s == AM_OK ? "every value is right" : err.text);
        }
    }
}

static void check_touches(const struct am_ctx *ctx)
{
    static const char *const own[] = {"one 1048576", "team 1048576"};
    enum { TOUCH, PER_PAGE, USE, USE_RATE };

    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
        const struct visit v = {&am_bench_omp_touch, own[i], (int)ctx->cpu_count};
        struct am_batch batch = {0};
        struct am_err err = {0};
        const enum am_status s = visit(&v, ctx, &batch, &err);

        ok(s == AM_OK && batch.values[TOUCH] > batch.values[PER_PAGE] && batch.values[USE_RATE] > 0,
           "pages touched by %s are all there: %g s per page %s", own[i], batch.values[PER_PAGE],
           err.text);
    }
}

static void check_start(const struct am_ctx *ctx)
{
    const char *const *names = am_bench_omp_start.axes[0].choices;

    for (; *names; names++) {
        const struct visit v = {&am_bench_omp_start, *names, (int)ctx->cpu_count};
        struct am_batch batch = {0};
        struct am_err err = {0};

        ok(visit(&v, ctx, &batch, &err) == AM_OK && batch.values[0] > 0 && batch.values[1] > 0,
           "the first %s takes time %s", *names, err.text);
    }
}

static void check_notes(const struct am_ctx *ctx, struct notes *notes)
{
    const struct visit v = {&am_bench_omp_sync, "barrier 50", (int)ctx->cpu_count};
    struct am_batch batch = {0};
    struct am_err err = {0};
    char text[32];

    notes->n = 0;
    ok(visit(&v, ctx, &batch, &err) == AM_OK, "a point to be noted %s", err.text);
    ok(strcmp(note(notes, "runtime"), am_omp_runtimes[0]) == 0, "the library mapped is %s",
       note(notes, "runtime"));
    (void)snprintf(text, sizeof(text), "%zu", ctx->cpu_count);
    ok(strcmp(note(notes, "threads"), text) == 0, "the team obtained has %s", text);
    ok(strcmp(note(notes, "binding"), "close") == 0, "the binding of the environment is in force");
    ok(strlen(note(notes, "openmp")) == 6, "OpenMP is of %s", note(notes, "openmp"));
    ok(note(notes, "compiler")[0] != '\0', "the compiler is %s", note(notes, "compiler"));
    ok(note(notes, "library")[0] == '/' && strlen(note(notes, "library_build_id")) >= 16 &&
           note(notes, "library_version")[0] != '\0',
       "%s of %s says that it is %s", note(notes, "library"), note(notes, "library_build_id"),
       note(notes, "library_version"));
    ok(strstr(note(notes, "reference"), "one thread") != NULL, "the reference is said: %s",
       note(notes, "reference"));
    ok(note(notes, "cpus")[0] != '\0', "the threads run on %s", note(notes, "cpus"));
}

static void check_refusals(const struct am_ctx *ctx)
{
    static const struct visit refused[] = {
        {&am_bench_omp_sync, "barrier 50", CPUS + 1},
        {&am_bench_omp_sched, "static 0 50 even", CPUS + 1},
        {&am_bench_omp_start, "parallel", CPUS + 1},
        {&am_bench_omp_sync, "barrier -1", 1},
        {&am_bench_omp_sched, "dynamic 1025 50 even", 1},
        {&am_bench_omp_sched, "dynamic 1 -1 even", 1},
        {&am_bench_omp_sched, "guided 1024 50 even", 2},
        {&am_bench_omp_region, "fixed -1 1000 0 1 20 auto", 1},
        {&am_bench_omp_region, "fixed 0 1000 101 1 20 auto", 1},
        {&am_bench_omp_region, "fixed 0 1000 0 0 20 auto", 1},
        {&am_bench_omp_region, "fixed 0 1000 0 1 0 auto", 1},
        {&am_bench_omp_region, "nested 0 1000 0 1 20 auto", 1},
        {&am_bench_omp_target, "region host 4", 1},
        {&am_bench_omp_touch, "one 1", 1},
        {&am_bench_omp_touch, "team 1073741824", 1},
    };

    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct am_batch batch = {0};
        struct am_err err = {0};

        ok(visit(&refused[i], ctx, &batch, &err) == AM_E_ABSENT && err.text[0],
           "%s %s of %d is refused: %s", refused[i].bench->name, refused[i].own, refused[i].threads,
           err.text);
    }
}

int main(void)
{
    static const int cpus[CPUS] = {0, 1}; /* their number counts: the runtime places threads */
    const int procs = omp_get_num_procs();
    struct notes notes = {0};
    struct am_clock clock;
    struct am_ctx ctx = {
        .cpus = cpus,
        .cpu_count = procs < CPUS ? (size_t)procs : CPUS,
        .clock = &clock,
        .memory_limit_bytes = 64 << 20,
        .note = take_note,
        .chosen = take_note,
        .said_self = &notes,
    };

    am_clock_init(&clock);
    check_start(&ctx);
    check_notes(&ctx, &notes);
    check_constructs(&ctx);
    check_schedules(&ctx);
    check_regions(&ctx);
    check_targets(&ctx);
    check_touches(&ctx);
    check_refusals(&ctx);
    return tap_done();
}
