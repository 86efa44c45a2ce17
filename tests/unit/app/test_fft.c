/* SPDX-License-Identifier: MIT */
/* app.fft on the executors of the worker `task`: right, the same on each, wrong ones noticed, and
 * remembered plans that cannot harm. */
#include "app/fft/fft_check.h"
#include "app/fft/fft_wisdom.h"
#include "bench/apps/fft.h"
#include "bench/task/executors.h"
#include "apps_fixture.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct am_bench *bench;

enum { POINTS_MAX = 4096, NOTE_MAX = 1024 };

/* The latest note of a key. */
struct notes {
    const char *key;
    char text[NOTE_MAX];
};

static void take_note(void *self, const char *key, const char *text)
{
    struct notes *const notes = self;

    if (strcmp(key, notes->key) == 0)
        (void)snprintf(notes->text, sizeof(notes->text), "%s", text);
}

/* As a worker does it: run, verify, run longer, verify again. The outcome is copied to `outcome`,
 * where that is not NULL, before it is spoilt. */
static void check_visit(const char *words, const struct am_ctx *ctx, void *outcome)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1, n;
    struct am_fft_state *const state = calloc(1, bench->state_size);
    enum am_status s;

    bx_point(bench, words, point);
    n = (double)point[AM_FFT_N].i;
    s = bench->prepare(state, ctx, point, &work, &err);
    for (uint64_t iters = 1; s == AM_OK && iters <= 22; iters += 7) {
        bench->run(state, iters);
        if (outcome)
            memcpy(outcome, am_fft_outcome(state->fft), (size_t)n * 2 * sizeof(double));
        s = bench->verify(state, &residual, &err);
    }
    ok(s == AM_OK && residual >= 0 && residual <= 1, "%s: %.2g of the allowed error %s", words,
       residual, err.text);
    ok(work.flops == 5 * n * log2(n) && work.ops == n && work.bytes_read == work.bytes_written,
       "its work is stated");
    if (s == AM_OK)
        ok(bench->verify(state, &residual, &err) == AM_E_WRONG, "an outcome is not taken twice: %s",
           err.text);
    bench->finish(state);
    free(state);
}

/* executor isa type variant place plan n task_size */
static const char *const visits[] = {
    "serial simd f64 callback out estimate 1 0",
    "serial simd f32 callback in estimate 2 0",
    "serial simd f64 serial out estimate 3 0",
    "task:bf simd f32 callback out estimate 1000 100",
    "task:default simd f64 callback in estimate 1009 64",
    "task:dbf scalar f32 callback in estimate 16384 1024",
    "task:wf scalar f64 callback out estimate 16384 100",
    "task:wf simd f64 callback in estimate 16384 2048",
    "task:wf simd f32 callback in estimate 65536 2048",
    "serial simd f64 fftw-threads out estimate 16384 0",
    "task:dbf simd f64 callback out measure 1024 256",
};

static void check_visits(const struct am_ctx *ctx)
{
    for (size_t i = 0; i < sizeof(visits) / sizeof(visits[0]); i++) {
        char words[160];

        (void)snprintf(words, sizeof(words), "%s own 1 close cores default", visits[i]);
        check_visit(words, ctx, NULL);
    }
}

/* Who runs the pieces does not show in the outcome. */
static void check_executors(const struct am_ctx *ctx)
{
    static double first[2 * POINTS_MAX], other[2 * POINTS_MAX];

    for (size_t e = 0; am_task_executors[e]; e++) {
        char words[160];

        (void)snprintf(words, sizeof(words),
                       "%s simd f64 callback out estimate %d 512 own %zu close cores yield",
                       am_task_executors[e]->name, POINTS_MAX, e ? ctx->cpu_count : 1);
        check_visit(words, ctx, e ? other : first);
        ok(!e || memcmp(first, other, sizeof(first)) == 0, "%s: the same bits as serial",
           am_task_executors[e]->name);
    }
}

/* What a point's prepare notes under a key. */
static const char *note_of(const char *key, const char *words, const struct am_ctx *base)
{
    static struct notes notes;
    struct am_ctx ctx = *base;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, bench->state_size);

    notes = (struct notes){.key = key};
    ctx.note = take_note;
    ctx.said_self = &notes;
    bx_point(bench, words, point);
    ok(bench->prepare(state, &ctx, point, &work, &err) == AM_OK, "%s %s", words, err.text);
    bench->finish(state);
    free(state);
    return notes.text;
}

/* Sets in any order: a planner that knows more must not be left over. */
static void check_sets(const struct am_ctx *ctx)
{
    static const char *const orders[] = {"simd", "sse2", "scalar", "sse2", "avx", "sse2", "simd"};

    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++) {
        for (int type = 0; type < AM_FFT_TYPES; type++) {
            char words[160];
            const char *note;

            if (am_fft_isa_why_not(orders[i]))
                continue;
            (void)snprintf(words, sizeof(words),
                           "serial %s %s serial out estimate 4096 0 own 1 close cores default",
                           orders[i], am_fft_types[type]);
            note = note_of("codelets", words, ctx);
            ok(*note && (!strstr(note, "avx") || strcmp(orders[i], "sse2") != 0) &&
                   (strcmp(orders[i], "scalar") == 0) == (strcmp(note, "scalar") == 0),
               "%s, %s: codelets of %s", orders[i], am_fft_types[type], note);
        }
    }
}

static void check_codelets(const struct am_ctx *ctx)
{
    is_str(note_of("codelets",
                   "serial scalar f64 serial out estimate 4096 0 own 1 close cores default", ctx),
           "scalar", "a plan without vector code has none");
    ok(strstr(note_of("fftw",
                      "serial simd f32 serial out estimate 4096 0 own 1 close cores default", ctx),
              "fftw-3") != NULL,
       "the library's version is noted");
    is_str(note_of("pieces",
                   "task:bf simd f32 callback out estimate 4096 500 own 1 close cores default",
                   ctx),
           "9", "pieces of 500 points are nine");
}

/* None yet, then from the file, then nonsense in the file, then no folder at all: never a fault. */
static void check_wisdom(const struct am_ctx *ctx, const char *folder)
{
    const char *const point = "serial simd f64 callback out measure 60 0 own 1 close cores default";
    char path[AM_FFT_PATH_MAX], other[AM_FFT_PATH_MAX];
    const char *note = note_of("wisdom", point, ctx);
    char *text;
    FILE *file;

    ok(strncmp(note, "none yet in ", 12) == 0 && strstr(note, folder), "first: %s", note);
    (void)snprintf(path, sizeof(path), "%s", note + 12);
    ok(access(path, R_OK) == 0, "it is written");
    note = note_of("wisdom", point, ctx);
    ok(strncmp(note, "from ", 5) == 0 && strcmp(note + 5, path) == 0, "then: %s", note);
    file = fopen(path, "w");
    (void)fputs("(fftw-3.3.10 fftw_wisdom #x0", file);
    (void)fclose(file);
    note = note_of("wisdom", point, ctx);
    ok(strncmp(note, "not understood", 14) == 0, "nonsense: %s", note);
    text = am_fft_wisdom_read(path);
    ok(text && strstr(text, "codelet"), "and it is right again");
    free(text);
    ok(am_fft_wisdom_path("v", "a", path) && am_fft_wisdom_path("v", "b", other) &&
           strcmp(path, other) != 0,
       "purposes have files of their own");
    ok(!am_fft_wisdom_read(folder), "a folder is no wisdom");
    (void)setenv("XDG_CACHE_HOME", "/proc/no/such/folder", 1);
    ok(note_of("wisdom", point, ctx)[0], "a folder that cannot be made is no fault");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("HOME");
    is_str(note_of("wisdom", point, ctx), "no folder to keep it in", "no folder is no fault");
    (void)setenv("XDG_CACHE_HOME", folder, 1);
}

/* Transforms by the definition, then with a fault in the outcome or in the way back. */
static void check_judge(enum am_fft_type type, uint64_t transforms)
{
    enum { N = 12 };
    static double x[2 * N], y[2 * N], z[2 * N];
    struct am_fft_outcome o = {
        .type = type, .n = N, .source = x, .data = y, .back = z, .transforms = transforms};
    const double pairs = (double)((transforms - 1) / 2), tau = 6.283185307179586;
    struct am_err err = {0};
    double residual = 0;

    for (size_t i = 0; i < 2 * N; i++)
        am_fft_put(type, x, i, sin((double)(i * i)));
    for (size_t k = 0; k < N; k++) {
        const size_t bin = (transforms - 1) / 2 % 2 ? (N - k) % N : k;
        double re = 0, im = 0;

        for (size_t i = 0; i < N; i++) {
            const double a = -tau * (double)(i * bin % N) / N;
            const double p = am_fft_get(type, x, 2 * i), q = am_fft_get(type, x, 2 * i + 1);

            re += p * cos(a) - q * sin(a);
            im += p * sin(a) + q * cos(a);
        }
        am_fft_put(type, y, 2 * k, re * pow(N, pairs));
        am_fft_put(type, y, 2 * k + 1, im * pow(N, pairs));
        am_fft_put(type, z, 2 * k, am_fft_get(type, x, 2 * bin) * pow(N, pairs + 1));
        am_fft_put(type, z, 2 * k + 1, am_fft_get(type, x, 2 * bin + 1) * pow(N, pairs + 1));
    }
    ok(am_fft_judge(&o, &residual, &err) == AM_OK && residual <= 1,
       "%s, %llu transforms by the definition are right: %.2g %s", am_fft_types[type],
       (unsigned long long)transforms, residual, err.text);
    am_fft_put(type, y, 2, am_fft_get(type, y, 2) * 1.001);
    ok(am_fft_judge(&o, &residual, &err) == AM_E_WRONG, "a bin that is off is noticed: %s",
       err.text);
    am_fft_put(type, y, 2, am_fft_get(type, y, 2) / 1.001);
    am_fft_put(type, z, 7, (double)NAN);
    ok(am_fft_judge(&o, &residual, &err) == AM_E_WRONG, "a way back that leads elsewhere is too");
}

/* Arrays of some size are tried on pages of both kinds; which won does not show in the outcome, in
 * place neither, where every transform makes the numbers greater. */
static void check_pages(size_t n, bool in_place, bool tried)
{
    const struct am_fft_setup setup = {.type = AM_FFT_F64,
                                       .n = n,
                                       .in_place = in_place,
                                       .isa = AM_FFT_SIMD,
                                       .pieces = 1,
                                       .purpose = "pages",
                                       .seed = 3};
    struct am_fft *fft = NULL;
    struct am_err err = {0};
    double residual = -1;
    const enum am_status made = am_fft_new(&setup, &fft, &err);

    if (!ok(made == AM_OK, "%zu points are made %s", n, err.text))
        return;
    ok(tried == (strncmp(am_fft_pages(fft), "huge: ", 6) == 0 ||
                 strncmp(am_fft_pages(fft), "small: ", 7) == 0),
       "its pages are %s: %s", tried ? "tried" : "not tried", am_fft_pages(fft));
    ok(am_fft_check(fft, &residual, &err) == AM_E_WRONG, "trials are no outcome: %s", err.text);
    am_fft_run(fft, 1);
    ok(am_fft_check(fft, &residual, &err) == AM_OK && residual <= 1, "it is right: %.2g %s",
       residual, err.text);
    am_fft_free(fft);
}

static void check_refused(const struct am_ctx *ctx)
{
    const struct bx_refused refused[] = {
        {bench, "serial simd f32 callback out estimate 64 0 own 2 close cores default",
         "one thread"},
        {bench, "task:bf simd f32 fftw-threads out estimate 64 0 own 1 close cores default",
         "executor=serial only"},
        {bench, "serial simd f32 fftw-threads out estimate 64 8 own 1 close cores default",
         "no tasks"},
        {bench, "serial simd f32 serial out estimate 64 0 own 2 close cores default", "one thread"},
        {bench, "task:bf simd f32 callback out estimate 64 0 own 99 close cores default",
         "99 threads"},
        {bench, "task:bf simd f32 callback out estimate 0 0 own 1 close cores default", "0 points"},
        {bench, "task:bf simd f32 callback out estimate 64 -5 own 1 close cores default", "-5"},
        {bench, "task:bf simd f64 callback out estimate 10000000 0 own 1 close cores default",
         "limit"},
    };
    struct am_ctx two = *ctx;

    two.cpu_count = 2; /* refused before anybody is placed on them */
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        bx_check_refused(&refused[i], &two);
    bx_check_notices(bench,
                     "task:dbf simd f32 callback out estimate 64 0 own 1 close cores default", ctx);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

int main(void)
{
    int cpus[2] = {0, 0};
    struct am_clock clock;
    struct am_ctx ctx = {.cpus = cpus,
                         .cpu_count = bx_cpus(cpus, 2),
                         .seed = 42,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};
    char folder[] = P_tmpdir "/test_fft_XXXXXX", kept[sizeof(folder) + 16];

    if (!mkdtemp(folder))
        return 1;
    (void)setenv("XDG_CACHE_HOME", folder, 1);
    bench = ax_bench(&am_task_set, "app.fft");
    ctx.bench = bench;
    am_clock_init(&clock);
    check_visits(&ctx);
    check_executors(&ctx);
    check_codelets(&ctx);
    check_sets(&ctx);
    check_wisdom(&ctx, folder);
    for (int type = 0; type < AM_FFT_TYPES; type++) {
        check_judge((enum am_fft_type)type, 1);
        check_judge((enum am_fft_type)type, 3);
        check_judge((enum am_fft_type)type, 5);
    }
    check_pages(1024, false, false);
    check_pages(1 << 16, false, true);
    check_pages(1 << 16, true, true);
    check_pages(1 << 21, false, true);
    check_refused(&ctx);
    (void)snprintf(kept, sizeof(kept), "%s/archmeter", folder);
    ok(access(kept, X_OK) == 0, "plans are kept in archmeter's own folder");
    (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return tap_done();
}
