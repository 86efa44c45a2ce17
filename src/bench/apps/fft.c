/* SPDX-License-Identifier: MIT */
/* app.fft: Fourier transforms by FFTW. FFTW plans, and hands its loops to the executor by a
 * callback; a block is a piece of such a loop. Plans that were measured are remembered per
 * executor. */
#include "bench/apps/fft.h"

#include "base/text.h"
#include "bench/shared/usable.h"

#include <math.h>
#include <string.h>

enum variant { CALLBACK, FFTW_THREADS, UNSPLIT };
enum place { IN, OUT };
enum planning { ESTIMATE, MEASURE };

const char *const am_fft_types[] = {[AM_FFT_F32] = "f32", [AM_FFT_F64] = "f64", NULL};
static const char *const variants[] = {
    [CALLBACK] = "callback", [FFTW_THREADS] = "fftw-threads", [UNSPLIT] = "serial", NULL};
static const char *const places[] = {[IN] = "in", [OUT] = "out", NULL};
static const char *const plans[] = {[ESTIMATE] = "estimate", [MEASURE] = "measure", NULL};

static const struct am_metric metrics[] = {
    {"flops", "flop/s", AM_HIGHER, AM_RULE_FLOP_RATE,
     "5 n log2(n) operations per transform, whatever a plan really needs"},
    {"time", "s", AM_LOWER, AM_RULE_TIME_PER_ITER, "for one transform"},
    {.name = NULL},
};

enum { PURPOSE_MAX = 64 };

/* What points without an executor of ours must say. */
static enum am_status check_variant(const struct am_value *point, const struct am_ctx *ctx,
                                    struct am_err *err)
{
    const struct am_value *const threads = &point[AM_FFT_COMMON + AM_APPS_THREADS];
    const char *const variant = point[AM_FFT_VARIANT].name;
    const enum am_status s = am_usable_threads(threads->i, ctx, err);

    if (s != AM_OK || point[AM_FFT_VARIANT].i == CALLBACK)
        return s;
    if (strcmp(point[AM_FFT_EXECUTOR].name, "serial") != 0)
        return am_fail(err, AM_E_ABSENT, "variant %s has no executor: executor=serial only",
                       variant);
    if (point[AM_FFT_TASK_SIZE].i != 0)
        return am_fail(err, AM_E_ABSENT, "variant %s has no tasks: task_size=0 only", variant);
    if (point[AM_FFT_VARIANT].i == UNSPLIT && threads->i != 1)
        return am_fail(err, AM_E_ABSENT, "serial is one thread, not %lld", (long long)threads->i);
    return AM_OK;
}

static size_t pieces_of(const struct am_value *point)
{
    const int64_t n = point[AM_FFT_N].i, task_size = point[AM_FFT_TASK_SIZE].i;
    const int64_t threads = point[AM_FFT_COMMON + AM_APPS_THREADS].i;
    const int64_t pieces = task_size ? (n + task_size - 1) / task_size : threads;

    return pieces > AM_FFT_PIECES_MAX ? AM_FFT_PIECES_MAX : (size_t)pieces;
}

/* Plans that were measured with one executor are not another's. */
static void name_purpose(const struct am_value *point, char *purpose)
{
    const bool ours = point[AM_FFT_VARIANT].i == CALLBACK;

    (void)am_str_format(purpose, PURPOSE_MAX, "%s-%s-%s-%s", point[AM_FFT_TYPE].name,
                        point[AM_FFT_ISA].name, point[ours ? AM_FFT_EXECUTOR : AM_FFT_VARIANT].name,
                        point[AM_FFT_COMMON + AM_APPS_RUNTIME].name);
    for (char *at = strchr(purpose, ':'); at; at = strchr(at, ':'))
        *at = '_';
}

static void note_plan(const struct am_fft *fft, const struct am_ctx *ctx, size_t pieces)
{
    am_ctx_note(ctx, "fftw", "%s", am_fft_version(fft));
    am_ctx_note(ctx, "codelets", "%s", am_fft_codelets(fft));
    am_ctx_note(ctx, "pieces", "%zu", pieces);
    if (am_fft_wisdom(fft)[0])
        am_ctx_note(ctx, "wisdom", "%s", am_fft_wisdom(fft));
    if (am_fft_pages(fft)[0])
        am_ctx_note(ctx, "pages", "%s", am_fft_pages(fft));
}

static enum am_status make_transform(struct am_fft_state *state, const struct am_ctx *ctx,
                                     const struct am_value *point, struct am_err *err)
{
    char purpose[PURPOSE_MAX];
    const enum am_fft_type type = (enum am_fft_type)point[AM_FFT_TYPE].i;
    const struct am_fft_setup setup = {
        .type = type,
        .n = (size_t)point[AM_FFT_N].i,
        .in_place = point[AM_FFT_PLACE].i == IN,
        .isa = (enum am_fft_isa)point[AM_FFT_ISA].i,
        .measure = point[AM_FFT_PLAN].i == MEASURE,
        .pieces = pieces_of(point),
        .executor = state->engine.executor,
        .engine = state->engine.self,
        .purpose = purpose,
        .seed = ctx->seed,
    };
    enum am_status s;

    name_purpose(point, purpose);
    s = am_fft_new(&setup, &state->fft, err);
    if (s == AM_OK)
        note_plan(state->fft, ctx, setup.pieces);
    return s;
}

static enum am_status prepare(void *state, const struct am_ctx *ctx, const struct am_value *point,
                              struct am_work *work, struct am_err *err)
{
    struct am_fft_state *const w = state;
    const int64_t n = point[AM_FFT_N].i, task_size = point[AM_FFT_TASK_SIZE].i;
    const enum am_fft_type type = (enum am_fft_type)point[AM_FFT_TYPE].i;
    enum am_status s = check_variant(point, ctx, err);

    if (s != AM_OK)
        return s;
    if (n < 1 || n > AM_FFT_N_MAX || task_size < 0)
        return am_fail(err, AM_E_ABSENT, "%lld points in pieces of %lld", (long long)n,
                       (long long)task_size);
    if (am_fft_bytes_most(type, (size_t)n) > (double)ctx->memory_limit_bytes)
        return am_fail(err, AM_E_ABSENT, "%lld points are %g bytes, the limit is %llu",
                       (long long)n, am_fft_bytes_most(type, (size_t)n),
                       (unsigned long long)ctx->memory_limit_bytes);
    if (point[AM_FFT_VARIANT].i == CALLBACK)
        s = am_apps_open(&w->engine, ctx, point, err);
    if (s == AM_OK)
        s = make_transform(w, ctx, point, err);
    work->ops = (double)n;
    work->flops = 5 * (double)n * log2((double)n);
    work->bytes_read = am_fft_bytes(type, (size_t)n) / 3;
    work->bytes_written = work->bytes_read;
    return s;
}

static void run(void *state, uint64_t iters)
{
    const struct am_fft_state *const w = state;

    am_fft_run(w->fft, iters);
}

static enum am_status verify(void *state, double *residual, struct am_err *err)
{
    const struct am_fft_state *const w = state;

    return am_fft_check(w->fft, residual, err);
}

static void finish(void *state)
{
    struct am_fft_state *const w = state;

    am_fft_free(w->fft); /* FFTW forgets the executor before it is closed */
    am_apps_close(&w->engine);
}

static const struct am_axis axes[] = {
    [AM_FFT_EXECUTOR] = {.name = "executor"},
    [AM_FFT_ISA] = {.name = "isa",
                    .kind = AM_AXIS_NAME,
                    .dflt = "widest",
                    .thorough = "usable",
                    .choices = am_fft_isas,
                    .why_not = am_fft_isa_why_not,
                    .ranked = true,
                    .help = "simd: what FFTW was built with, as its planner chooses; scalar: none "
                            "of it; the others: nothing beyond that set"},
    [AM_FFT_TYPE] = {.name = "type",
                     .kind = AM_AXIS_NAME,
                     .dflt = "f32",
                     .thorough = "all",
                     .choices = am_fft_types,
                     .help = "type of real and imaginary part"},
    [AM_FFT_VARIANT] = {.name = "variant",
                        .kind = AM_AXIS_NAME,
                        .dflt = "callback",
                        .choices = variants,
                        .help = "who runs FFTW's loops: the executor through its callback, or "
                                "(executor=serial) FFTW's own threads, or nobody: unsplit"},
    [AM_FFT_PLACE] = {.name = "place",
                      .kind = AM_AXIS_NAME,
                      .dflt = "out",
                      .thorough = "all",
                      .choices = places,
                      .help = "where the outcome goes: into the input's array or another"},
    [AM_FFT_PLAN] = {.name = "plan",
                     .kind = AM_AXIS_NAME,
                     .dflt = "measure",
                     .quick = "estimate",
                     .choices = plans,
                     .help = "how FFTW plans; what it measured is remembered in the user's "
                             "cache folder"},
    [AM_FFT_N] = {.name = "n",
                  .kind = AM_AXIS_INT,
                  .dflt = "16K,1M",
                  .quick = "16K",
                  .thorough = "2:32M:*2,1000,10007,1000000",
                  .help = "points; powers of two and others"},
    [AM_FFT_TASK_SIZE] = {.name = "task_size",
                          .kind = AM_AXIS_INT,
                          .dflt = "0",
                          .help = "points of a piece of FFTW's loops, at least; 0: one per "
                                  "thread"},
    {.name = NULL},
};

const struct am_app am_app_fft = {
    .bench = {.name = "app.fft",
              .summary = "Fourier transforms by FFTW, loop by loop",
              .axes = axes,
              .version = 1,
              .metrics = metrics,
              .state_size = sizeof(struct am_fft_state),
              .prepare = prepare,
              .run = run,
              .verify = verify,
              .finish = finish},
};
