/* SPDX-License-Identifier: MIT */
/* Transforms by FFTW: planning, remembered plans, its loops as blocks. */
#include "app/fft/fft.h"

#include "app/fft/fft_api.h"
#include "app/fft/fft_check.h"
#include "app/fft/fft_vectors.h"
#include "app/fft/fft_wisdom.h"
#include "base/clock.h"
#include "base/large.h"
#include "base/rng.h"
#include "base/text.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    STAGGER_BYTES = 5 * LINE_BYTES, /* arrays of a power of two do not share their sets */
    PART = 8192,                    /* points filled by one block */
    PLAN_SECONDS = 10,              /* then FFTW takes the best so far */
    TRIALS_MIN = 2,                 /* timed transforms on pages of each kind, */
    TRIALS_MAX = 5,                 /* fewer where they take long */
    TRIALS_NS = 500000000,          /* after which there are no more than TRIALS_MIN */
    TRIED_BYTES_MAX = 1 << 30,      /* of all arrays: beyond it they are on huge pages untried */
};

/* The sizes between which numbers in place may grow, as powers of two: far from numbers that are
 * not normal, at both ends. */
static const struct {
    int first, last;
} ranges[AM_FFT_TYPES] = {[AM_FFT_F32] = {-60, 90}, [AM_FFT_F64] = {-400, 900}};

/* Arrays on pages of a kind, and what was planned for them. */
struct place {
    void *memory;
    void *source, *data, *back; /* input; outcome; the outcome's inverse */
    void *plan, *inverse;
};

struct am_fft {
    struct am_fft_setup setup;
    const struct am_fft_api *api;
    struct place at;
    uint64_t transforms; /* of the data since the input was put there */
    uint64_t period;     /* in place: of them at most */
    uint64_t times;      /* that the current run has to do */
    char codelets[AM_FFT_TEXT_MAX], wisdom[AM_FFT_TEXT_MAX], pages[AM_FFT_TEXT_MAX];
};

static const struct am_fft_api *const apis[AM_FFT_TYPES] = {
    [AM_FFT_F32] = &am_fft_api_f32,
    [AM_FFT_F64] = &am_fft_api_f64,
};

/* ---- vector code ---- */

const char *const am_fft_isas[AM_FFT_ISAS + 1] = {[AM_FFT_SCALAR] = "scalar",
                                                  [AM_FFT_SSE2] = "sse2",
                                                  [AM_FFT_AVX] = "avx",
                                                  [AM_FFT_SIMD] = "simd"};

#ifdef __x86_64__
static const char *missing(int isa)
{
    return isa == AM_FFT_AVX && !__builtin_cpu_supports("avx") ? "this CPU does not have it" : NULL;
}
#else
static const char *missing(int isa)
{
    return isa == AM_FFT_SSE2 || isa == AM_FFT_AVX ? "this architecture does not have it" : NULL;
}
#endif

const char *am_fft_isa_why_not(const char *isa)
{
    const int i = am_name_index(am_fft_isas, AM_FFT_ISAS, isa);

    return i < 0 ? "FFTW does not have it" : missing(i);
}

/* ---- loops as blocks ---- */

struct jobs {
    void *(*work)(char *);
    char *first;
    size_t size;
};

static void run_job(void *app, size_t block)
{
    const struct jobs *const jobs = app;

    (void)jobs->work(jobs->first + block * jobs->size);
}

static void run_loop(void *(*work)(char *), char *first, size_t size, int n, void *data)
{
    const struct am_fft *const fft = data;
    struct jobs jobs = {.work = work, .first = first, .size = size};
    const struct am_blocks blocks = {.count = (size_t)n, .app = &jobs, .run = run_job};

    fft->setup.executor->run(fft->setup.engine, &blocks, 1);
}

/* Where loops in blocks are run by all threads, everything happens in a block: threads then wait
 * for the next loop inside of a run instead of for the next run. */
static void run_inside(struct am_fft *fft, void (*run)(void *app, size_t block))
{
    const struct am_executor *const executor = fft->setup.executor;
    const struct am_blocks blocks = {.count = 1, .app = fft, .run = run};

    if (!executor || executor->flat)
        run(fft, 0);
    else
        executor->run(fft->setup.engine, &blocks, 1);
}

/* ---- arrays ---- */

double am_fft_bytes(enum am_fft_type type, size_t n)
{
    return 3 * 2 * (double)apis[type]->real * (double)n;
}

static size_t array_bytes(const struct am_fft *fft)
{
    return 2 * fft->api->real * fft->setup.n;
}

static bool get_memory(struct am_fft *fft, bool huge)
{
    const size_t step =
        (array_bytes(fft) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + STAGGER_BYTES;
    char *const base = huge ? am_large_alloc(3 * step) : am_large_alloc_small(3 * step);

    fft->at.memory = base;
    fft->at.source = base;
    fft->at.data = base ? base + step : NULL;
    fft->at.back = base ? base + 2 * step : NULL;
    return base;
}

/* Random points; out of place no outcome, in place the same. */
static void fill_part(void *app, size_t block)
{
    struct am_fft *const fft = app;
    const enum am_fft_type type = fft->setup.type;
    const double size = fft->setup.in_place ? ldexp(1, ranges[type].first) : 1;
    const size_t part = 2 * (size_t)PART, begin = block * part, left = 2 * fft->setup.n - begin;
    struct am_rng rng;

    am_rng_seed(&rng, fft->setup.seed, block);
    for (size_t i = begin; i < begin + (left < part ? left : part); i++) {
        const double x = size * (2 * am_rng_unit(&rng) - 1);

        am_fft_put(type, fft->at.source, i, x);
        am_fft_put(type, fft->at.data, i, fft->setup.in_place ? x : NAN);
        am_fft_put(type, fft->at.back, i, NAN);
    }
}

static void fill(struct am_fft *fft)
{
    const struct am_executor *const executor = fft->setup.executor;
    const struct am_blocks blocks = {
        .count = (fft->setup.n + PART - 1) / PART, .app = fft, .run = fill_part};

    if (executor)
        executor->run(fft->setup.engine, &blocks, 1);
    for (size_t i = 0; !executor && i < blocks.count; i++)
        fill_part(fft, i);
    fft->transforms = 0;
}

/* ---- work ---- */

static void transform(void *app, size_t block)
{
    struct am_fft *const fft = app;

    (void)block;
    for (uint64_t left = fft->times; left; left--) {
        if (fft->setup.in_place && fft->transforms >= fft->period) {
            memcpy(fft->at.data, fft->at.source, array_bytes(fft));
            fft->transforms = 0;
        }
        fft->api->execute(fft->at.plan);
        fft->transforms++;
    }
}

void am_fft_run(struct am_fft *fft, uint64_t times)
{
    fft->times = times;
    run_inside(fft, transform);
}

/* ---- plans ---- */

static void make_plan(void *app, size_t block)
{
    struct am_fft *const fft = app;
    const struct am_fft_setup *const setup = &fft->setup;
    const unsigned how = setup->measure ? FFTW_MEASURE : FFTW_ESTIMATE;

    (void)block;
    fft->at.plan =
        fft->api->plan((int)setup->n, setup->in_place ? fft->at.data : fft->at.source, fft->at.data,
                       FFTW_FORWARD, how | (setup->isa == AM_FFT_SCALAR ? FFTW_NO_SIMD : 0));
}

/* Whether there were remembered plans; the note says what became of them. */
static bool recall(struct am_fft *fft, const char *path)
{
    char *const text = am_fft_wisdom_read(path);
    const bool known = text && fft->api->learn(text);

    (void)am_str_format(fft->wisdom, sizeof(fft->wisdom), "%s %s",
                        known  ? "from"
                        : text ? "not understood and written anew:"
                               : "none yet in",
                        path);
    free(text);
    return known;
}

/* Only what is new is written. */
static void remember(const struct am_fft *fft, const char *path, const char *before)
{
    char *const after = fft->api->wisdom();

    if (after && (!before || strcmp(before, after) != 0))
        (void)am_fft_wisdom_write(path, after);
    free(after);
}

static void plan_by_trial(struct am_fft *fft)
{
    char path[AM_FFT_PATH_MAX], *before = NULL;
    const bool place = am_fft_wisdom_path(fft->api->version, fft->setup.purpose, path);

    fft->api->forget();
    if (!place)
        (void)am_str_copy(fft->wisdom, sizeof(fft->wisdom), "no folder to keep it in");
    else if (recall(fft, path))
        before = fft->api->wisdom();
    fft->api->limit(PLAN_SECONDS);
    run_inside(fft, make_plan);
    if (place && fft->at.plan)
        remember(fft, path, before);
    free(before);
}

/* The endings of codelets' names; up to AVX in the order of enum am_fft_isa. */
static const char *const endings[] = {
    [AM_FFT_SCALAR] = "scalar",
    [AM_FFT_SSE2] = "sse2",
    [AM_FFT_AVX] = "avx",
    "avx_128_fma",
    "avx2",
    "avx2_128",
    "avx512",
    "neon",
    "altivec",
    "vsx",
    "generic_simd128",
    "generic_simd256",
};
enum { ENDINGS = sizeof(endings) / sizeof(endings[0]) };

/* Index into endings of the name of `length` characters: the longest that fits, or scalar. */
static size_t ending_of(const char *name, size_t length)
{
    size_t best = 0;

    for (size_t i = 1; i < ENDINGS; i++) {
        const size_t n = strlen(endings[i]);

        if (n < length && name[length - n - 1] == '_' &&
            strncmp(name + length - n, endings[i], n) == 0 && (!best || n > strlen(endings[best])))
            best = i;
    }
    return best;
}

/* What stands between quotes in a plan's text is the name of a codelet. */
static unsigned find_endings(const char *text)
{
    unsigned found = 0;

    for (const char *at = strchr(text, '"'); at; at = strchr(at, '"')) {
        const size_t length = strcspn(at + 1, "\"");

        found |= 1U << ending_of(at + 1, length);
        at += 1 + length;
        at += *at == '"';
    }
    return found;
}

static enum am_status look_at_plan(struct am_fft *fft, struct am_err *err)
{
    char *const text = fft->api->describe(fft->at.plan);
    const unsigned found = text ? find_endings(text) : 0;
    struct am_text list;

    free(text);
    am_text_init(&list, sizeof(fft->codelets));
    for (size_t i = 0; i < ENDINGS; i++) {
        if (found >> i & 1)
            am_text_addf(&list, "%s%s", list.len ? " " : "", endings[i]);
    }
    (void)am_str_copy(fft->codelets, sizeof(fft->codelets), am_text_str(&list));
    am_text_fini(&list);
    if (fft->setup.isa != AM_FFT_SIMD && found >> (fft->setup.isa + 1))
        return am_fail(err, AM_E_WRONG, "a plan of %s has other code: %s",
                       am_fft_isas[fft->setup.isa], fft->codelets);
    return AM_OK;
}

static enum am_status make_plans(struct am_fft *fft, struct am_err *err)
{
    const struct am_fft_setup *const setup = &fft->setup;

    fft->api->split(1, NULL, NULL);
    fft->at.inverse =
        fft->api->plan((int)setup->n, fft->at.data, fft->at.back, FFTW_BACKWARD, FFTW_ESTIMATE);
    fft->api->split((int)setup->pieces, setup->executor ? run_loop : NULL, fft);
    if (setup->measure)
        plan_by_trial(fft);
    else
        make_plan(fft, 0);
    if (!fft->at.plan || !fft->at.inverse)
        return am_fail(err, AM_E_ABSENT, "FFTW has no plan for %zu points", setup->n);
    return look_at_plan(fft, err);
}

/* A transform of random points makes them sqrt(n) times greater. */
static uint64_t period_of(const struct am_fft_setup *setup)
{
    const double growth = log2((double)setup->n) / 2;

    return (uint64_t)((ranges[setup->type].last - ranges[setup->type].first) /
                      (growth > 0.5 ? growth : 0.5));
}

/* ---- making and choosing ---- */

static void drop(struct am_fft *fft)
{
    if (fft->at.plan)
        fft->api->destroy(fft->at.plan);
    if (fft->at.inverse)
        fft->api->destroy(fft->at.inverse);
    free(fft->at.memory);
    fft->at.plan = fft->at.inverse = fft->at.memory = NULL;
}

/* Arrays on pages of a kind, and plans. Pages belong to who works on them: they are filled first.
 */
static enum am_status build(struct am_fft *fft, bool huge, struct am_err *err)
{
    drop(fft);
    if (!get_memory(fft, huge))
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", fft->setup.n);
    fill(fft);
    return make_plans(fft, err);
}

static bool is_tried(enum am_fft_type type, size_t n)
{
    const double bytes = am_fft_bytes(type, n);

    return bytes >= AM_LARGE_PAGE && bytes <= TRIED_BYTES_MAX;
}

double am_fft_bytes_most(enum am_fft_type type, size_t n)
{
    return (is_tried(type, n) ? 2 : 1) * am_fft_bytes(type, n);
}

static void exchange(struct am_fft *fft, struct place *other)
{
    const struct place at = fft->at;

    fft->at = *other;
    *other = at;
    fft->transforms = 0; /* in place: all trials are fewer than a period */
}

/* As it is measured later: after a transform of the same arrays, not of the others. */
static void try_once(struct am_fft *fft, uint64_t *least_ns)
{
    uint64_t begin, took;

    am_fft_run(fft, 1);
    begin = am_now_ns();
    am_fft_run(fft, 1);
    took = am_now_ns() - begin;
    *least_ns = took < *least_ns ? took : *least_ns;
}

/* In turn, so that what else happens to the machine happens to both. The faster stays. */
static void choose_faster(struct am_fft *fft, struct place *other)
{
    const uint64_t begin = am_now_ns();
    uint64_t huge_ns = UINT64_MAX, small_ns = UINT64_MAX;

    for (int i = 0; i < TRIALS_MAX && (i < TRIALS_MIN || am_now_ns() - begin < TRIALS_NS); i++) {
        try_once(fft, &huge_ns);
        exchange(fft, other);
        try_once(fft, &small_ns);
        exchange(fft, other);
    }
    (void)am_str_format(
        fft->pages, sizeof(fft->pages), "%s: %.4g us on huge, %.4g us on small ones",
        huge_ns <= small_ns ? "huge" : "small", (double)huge_ns * 1e-3, (double)small_ns * 1e-3);
    if (small_ns < huge_ns)
        exchange(fft, other);
}

/* Strides of a power of two meet in few sets of a cache that goes by physical addresses, where a
 * huge page is; on small ones they meet in more, but want more entries of the TLB. Which is worse
 * depends on the machine, on n, and on which pages the kernel has: both are tried where either may
 * be, and the very pages that were faster are kept. */
static enum am_status choose_pages(struct am_fft *fft, struct am_err *err)
{
    const bool tried = is_tried(fft->setup.type, fft->setup.n);
    struct place other = {.source = NULL};
    enum am_status s = AM_OK;

    if (tried) {
        s = build(fft, false, err);
        exchange(fft, &other);
    }
    if (s == AM_OK)
        s = build(fft, true, err);
    if (s == AM_OK && tried) {
        choose_faster(fft, &other);
        fill(fft); /* trials in place have made it greater */
    }
    exchange(fft, &other);
    drop(fft);
    exchange(fft, &other);
    return s;
}

enum am_status am_fft_new(const struct am_fft_setup *setup, struct am_fft **fft_p,
                          struct am_err *err)
{
    struct am_fft *fft;
    enum am_status s;

    if (setup->n == 0 || setup->n > AM_FFT_N_MAX || setup->pieces == 0 ||
        setup->pieces > AM_FFT_PIECES_MAX)
        return am_fail(err, AM_E_LIMIT, "%zu points in %zu pieces", setup->n, setup->pieces);
    fft = calloc(1, sizeof(*fft));
    if (!fft)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", setup->n);
    fft->setup = *setup;
    fft->api = apis[setup->type];
    fft->period = period_of(setup);
    if (am_fft_vectors_allow(setup->isa)) {
        for (size_t i = 0; i < AM_FFT_TYPES; i++)
            apis[i]->clean();
    }
    s = fft->api->init() ? choose_pages(fft, err)
                         : am_fail(err, AM_E_ABSENT, "FFTW cannot initialise its threads");
    if (s != AM_OK) {
        am_fft_free(fft);
        return s;
    }
    if (setup->measure)
        fill(fft); /* trials have overwritten it */
    *fft_p = fft;
    return AM_OK;
}

void am_fft_free(struct am_fft *fft)
{
    if (!fft)
        return;
    fft->api->split(1, NULL, NULL);
    drop(fft);
    free(fft);
}

const char *am_fft_version(const struct am_fft *fft)
{
    return fft->api->version;
}

const char *am_fft_codelets(const struct am_fft *fft)
{
    return fft->codelets;
}

const char *am_fft_wisdom(const struct am_fft *fft)
{
    return fft->wisdom;
}

const char *am_fft_pages(const struct am_fft *fft)
{
    return fft->pages;
}

/* ---- verification ---- */

/* All bits set are no number; in place nothing is transformed again. */
static void spoil(struct am_fft *fft)
{
    if (fft->setup.in_place)
        memcpy(fft->at.data, fft->at.source, array_bytes(fft));
    else
        memset(fft->at.data, 0xff, array_bytes(fft));
    fft->transforms = 0;
}

/* An even number of transforms in place leads back to the input: one more shows bins. */
enum am_status am_fft_check(struct am_fft *fft, double *residual, struct am_err *err)
{
    struct am_fft_outcome outcome = {.type = fft->setup.type,
                                     .n = fft->setup.n,
                                     .seed = fft->setup.seed,
                                     .source = fft->at.source,
                                     .data = fft->at.data,
                                     .back = fft->at.back};
    enum am_status s;

    if (fft->transforms == 0)
        return am_fail(err, AM_E_WRONG, "wrong: nothing was transformed");
    if (fft->setup.in_place && fft->transforms % 2 == 0)
        am_fft_run(fft, 1);
    outcome.transforms = fft->setup.in_place ? fft->transforms : 1;
    fft->api->execute(fft->at.inverse);
    s = am_fft_judge(&outcome, residual, err);
    spoil(fft);
    return s;
}

const void *am_fft_outcome(const struct am_fft *fft)
{
    return fft->at.data;
}
