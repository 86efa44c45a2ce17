/* SPDX-License-Identifier: MIT */
/* app.fft in turn with FFTW as one calls it: a complex transform of N points, out of place. With
 * -DF32 in single precision (fft_turns_f32).
 *
 *     fft_turns N THREADS estimate|measure EXECUTOR
 *
 * FFTW has one planner and one callback per process: the rivals are processes of their own, which
 * do a piece when they are asked to. `fftw` has its arrays from fftw_malloc(), `fftw-huge` on huge
 * pages as our own are; both have FFTW's own threads. */
#include "turns.h"

#include "base/large.h"

#include <fftw3.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(F32)
#define X(name) fftwf_##name
#define TYPE "f32"
#define UNIT 0x1p-24
typedef float real;
#else
#define X(name) fftw_##name
#define TYPE "f64"
#define UNIT 0x1p-53
typedef double real;
#endif

enum {
    RIVALS = 2,
    CHECKED = 1 << 22, /* points of all bins that are looked at, of one bin at least */
    CHECKED_MAX = 4,
};

struct rival {
    int ask, answer; /* ends of pipes */
    pid_t pid;
};

/* ---- in a process of its own ---- */

struct transform {
    X(plan) plan;
    X(complex) * in, *out;
    int n;
};

static bool make_transform(struct transform *t, int n, int threads, bool measure, bool huge)
{
    const size_t bytes = (size_t)n * sizeof(*t->in);

    if (!X(init_threads)())
        return false;
    X(plan_with_nthreads)(threads);
    t->n = n;
    t->in = huge ? am_large_alloc(bytes) : X(malloc)(bytes);
    t->out = huge ? am_large_alloc(bytes) : X(malloc)(bytes);
    t->plan = t->in && t->out ? X(plan_dft_1d)(n, t->in, t->out, FFTW_FORWARD,
                                               measure ? FFTW_MEASURE : FFTW_ESTIMATE)
                              : NULL;
    for (int i = 0; t->plan && i < n; i++) {
        t->in[i][0] = (real)(2 * drand48() - 1);
        t->in[i][1] = (real)(2 * drand48() - 1);
        t->out[i][0] = t->out[i][1] = (real)NAN;
    }
    return t->plan;
}

/* Some bins against their definition. */
static bool is_right(const struct transform *t)
{
    const int bins = CHECKED / t->n < CHECKED_MAX ? CHECKED / t->n : CHECKED_MAX;

    for (int k = 0; k < (bins > 0 ? bins : 1); k++) {
        const int bin = (int)(drand48() * t->n);
        long double re = 0, im = 0;

        for (int i = 0; i < t->n; i++) {
            const long long turn = (long long)bin * i % t->n;
            const double angle = -2 * M_PI * (double)turn / t->n;

            re += t->in[i][0] * (long double)cos(angle) - t->in[i][1] * (long double)sin(angle);
            im += t->in[i][0] * (long double)sin(angle) + t->in[i][1] * (long double)cos(angle);
        }
        if (!(fabs((double)(t->out[bin][0] - re)) + fabs((double)(t->out[bin][1] - im)) <=
              16 * UNIT * sqrt((double)t->n) * log2((double)t->n)))
            return false;
    }
    return true;
}

/* A number of times comes in, a byte goes out when they are done: 1, or 0 of a wrong outcome. */
static void serve(const struct transform *t, int ask, int answer)
{
    uint64_t times;
    char good;

    while (read(ask, &times, sizeof(times)) == sizeof(times)) {
        for (uint64_t i = 0; i < times; i++)
            X(execute)(t->plan);
        good = times > 0 || is_right(t);
        if (write(answer, &good, 1) != 1)
            return;
    }
}

/* ---- here ---- */

static char ask(const struct rival *r, uint64_t times)
{
    char good = 0;

    if (write(r->ask, &times, sizeof(times)) != sizeof(times) || read(r->answer, &good, 1) != 1)
        exit(3);
    return good;
}

static void run_rival(void *self, uint64_t times)
{
    (void)ask(self, times);
}

static bool start(struct rival *r, int n, int threads, bool measure, bool huge)
{
    int to[2], from[2];
    struct transform t;

    if (pipe(to) != 0 || pipe(from) != 0)
        return false;
    r->pid = fork();
    if (r->pid == 0) {
        (void)close(to[1]);
        (void)close(from[0]);
        if (make_transform(&t, n, threads, measure, huge))
            serve(&t, to[0], from[1]);
        _exit(0);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    r->ask = to[1];
    r->answer = from[0];
    return r->pid > 0;
}

static bool all_right(struct turns_own *own, const struct rival *rivals)
{
    bool good = turns_verify(own);

    for (size_t i = 0; i < RIVALS; i++) {
        if (!ask(&rivals[i], 0)) {
            printf("# a transform of FFTW's is wrong\n");
            good = false;
        }
    }
    return good;
}

int main(int argc, char **argv)
{
    const size_t n = argc == 5 ? turns_number(argv[1]) : 0;
    const size_t threads = argc == 5 ? turns_number(argv[2]) : 0;
    const bool measure = argc == 5 && strcmp(argv[3], "measure") == 0;
    const double flops = 5 * (double)n * log2((double)n);
    struct turns_own own = {0};
    struct rival rivals[RIVALS];
    struct turns_side sides[1 + RIVALS] = {
        {.name = "own", .run = turns_run_own, .self = &own, .flops = flops},
        {.name = "fftw", .run = run_rival, .self = &rivals[0], .flops = flops},
        {.name = "fftw-huge", .run = run_rival, .self = &rivals[1], .flops = flops},
    };
    struct turns_cpus cpus;
    char words[256];

    if (n < 2 || n > 1 << 28 || threads == 0 || !turns_take_cpus(&cpus, threads)) {
        fprintf(stderr,
                "usage: fft_turns N THREADS estimate|measure EXECUTOR   (CPUs for all threads)\n");
        return 2;
    }
    for (size_t i = 0; i < RIVALS; i++) {
        if (!start(&rivals[i], (int)n, (int)threads, measure, i == 1))
            return 3;
    }
    (void)snprintf(words, sizeof(words),
                   "executor=%s isa=simd type=" TYPE
                   " variant=callback place=out plan=%s n=%zu task_size=0 threads=%zu " TURNS_PLACE,
                   argv[4], measure ? "measure" : "estimate", n, threads);
    if (!turns_open(&own, "app.fft", words, &cpus))
        return 3;
    turns_run_own(&own, 1);
    if (!turns_verify(&own))
        return 1;
    turns_serve(sides, 1 + RIVALS, &cpus);
    turns_run_own(&own, 1);
    return all_right(&own, rivals) ? 0 : 1;
}
