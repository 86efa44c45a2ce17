/* SPDX-License-Identifier: MIT */
/* The arithmetic of OpenMP overheads, the check of what constructs promise, and what OpenMP
 * libraries say of themselves. */
#include "bench/omp/check.h"
#include "bench/omp/delay.h"
#include "bench/omp/library.h"
#include "bench/omp/overhead.h"
#include "tap.h"

#include <math.h>

/* A clock that moves only when it is told to, but for `step` at every reading. */
struct scripted {
    uint64_t now, step;
};

static uint64_t scripted_now(void *self)
{
    struct scripted *const c = self;

    return c->now += c->step;
}

/* Constructs and references of a known price, which write down their calls. */
struct priced {
    struct scripted *clock;
    uint64_t construct_ns, reference_ns, beside_ns;
    uint64_t constructed, referred, besides; /* iterations */
    unsigned calls;
    char order[64];
};

static void call(struct priced *p, char letter, uint64_t n, uint64_t ns)
{
    p->clock->now += n * ns;
    if (p->calls + 1 < sizeof(p->order))
        p->order[p->calls++] = letter;
}

static void construct(void *self, uint64_t n)
{
    struct priced *const p = self;

    p->constructed += n;
    call(p, 'c', n, p->construct_ns);
}

static void reference(void *self, uint64_t n)
{
    struct priced *const p = self;

    p->referred += n;
    call(p, 'r', n, p->reference_ns);
}

static void beside(void *self, uint64_t n)
{
    struct priced *const p = self;

    p->besides += n;
    call(p, 'b', n, p->beside_ns);
}

static const struct {
    const char *what;
    uint64_t construct_ns, reference_ns, iters;
    double units;
    double time, reference, overhead; /* expected, seconds */
} prices[] = {
    {"a construct beyond its reference", 300, 100, 1000, 1, 300e-9, 100e-9, 200e-9},
    {"a time shared by eight directives", 800, 160, 1000, 8, 100e-9, 20e-9, 80e-9},
    {"a negative overhead stays negative", 90, 100, 1000, 1, 90e-9, 100e-9, -10e-9},
    {"one iteration", 300, 100, 1, 1, 300e-9, 100e-9, 200e-9},
    {"fewer iterations than slices", 300, 100, 3, 1, 300e-9, 100e-9, 200e-9},
    {"iterations that slices do not divide", 300, 100, 1003, 1, 300e-9, 100e-9, 200e-9},
};

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void check_prices(void)
{
    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++) {
        struct scripted time = {.now = 5, .step = 10};
        const struct am_clock clock = {.now_ns = scripted_now, .self = &time, .overhead_ns = 10};
        struct priced p = {.clock = &time,
                           .construct_ns = prices[i].construct_ns,
                           .reference_ns = prices[i].reference_ns};
        const struct am_overhead o = {construct, reference, NULL, prices[i].units};
        struct am_batch batch = {0};

        am_overhead_run(&o, &p, &clock, prices[i].iters, &batch, NULL);
        ok(near(batch.values[AM_OVERHEAD_TIME], prices[i].time) &&
               near(batch.values[AM_OVERHEAD_REFERENCE], prices[i].reference) &&
               near(batch.values[AM_OVERHEAD], prices[i].overhead),
           "%s: %g less %g gives %g", prices[i].what, batch.values[AM_OVERHEAD_TIME],
           batch.values[AM_OVERHEAD_REFERENCE], batch.values[AM_OVERHEAD]);
        ok(batch.elapsed_ns == prices[i].iters * prices[i].construct_ns,
           "%s: elapsed is the construct's time alone", prices[i].what);
        ok(p.referred == prices[i].iters && p.constructed > prices[i].iters,
           "%s: every iteration is timed once, and the team is woken before", prices[i].what);
    }
}

static void check_order(void)
{
    struct scripted time = {.now = 5, .step = 40};
    const struct am_clock clock = {.now_ns = scripted_now, .self = &time, .overhead_ns = 30};
    struct priced p = {.clock = &time, .construct_ns = 7, .reference_ns = 3, .beside_ns = 5};
    const struct am_overhead o = {construct, reference, beside, 1};
    struct am_overhead_times times;
    struct am_batch batch = {0};
    const double hz = 64 * 512 * 1e9 / 10; /* of the chain of adds, by this clock */

    am_overhead_run(&o, &p, &clock, 400, &batch, &times);
    ok(strcmp(p.order, "rccbbbbccrrccbbbbccrrccbb") == 0,
       "slices alternate and are mirrored, wakings included: %s", p.order);
    ok(p.constructed == 405 && p.besides == 405 && p.referred == 400,
       "each slice of a construct is preceded by one iteration");
    ok(near(times.hz, hz), "the core clock is that of the probes: %g", times.hz);
    ok(near(batch.values[AM_OVERHEAD_CYCLES], batch.values[AM_OVERHEAD] * hz),
       "cycles are the overhead by that clock");
    ok(near(times.beside, 5e-9 + 5 * 10e-9 / 400), "what is measured beside comes back");
}

/* An interrupt during one slice: the third call of a construct that is timed. */
static void interrupted(void *self, uint64_t n)
{
    struct priced *const p = self;

    construct(self, n);
    if (n > 1 && p->constructed > 200 && p->besides == 0) {
        p->besides = 1;
        p->clock->now += 1000000;
    }
}

static void check_interrupt(void)
{
    struct scripted time = {.now = 5, .step = 10};
    const struct am_clock clock = {.now_ns = scripted_now, .self = &time, .overhead_ns = 10};
    struct priced p = {.clock = &time, .construct_ns = 300, .reference_ns = 100};
    const struct am_overhead o = {interrupted, reference, NULL, 1};
    struct am_batch batch = {0};

    am_overhead_run(&o, &p, &clock, 500, &batch, NULL);
    ok(near(batch.values[AM_OVERHEAD], 200e-9), "an interrupt costs its slice alone");
    ok(batch.elapsed_ns == 500 * 300 + 1000000, "elapsed is all that went by");
}

/* What happens to a check, a letter each: w work, x alone, 0..9 its turn, j all are there, J more
 * than that should be, h handed over from another thread, k kept by the same one. */
static const struct {
    const char *events;
    struct am_check_promise promise;
    const char *story; /* NULL: kept */
} promises[] = {
    {"www", {3, false, false, false}, NULL},
    {"ww", {3, false, false, false}, "2 pieces of work were done in place of 3"},
    {"wwww", {3, false, false, false}, "4 pieces of work were done in place of 3"},
    {"wxwx", {2, true, false, false}, NULL},
    {"wxw", {2, true, false, false}, "one must be alone"},
    {"w0w1w2", {3, false, true, false}, NULL},
    {"w0w2w1", {3, false, true, false}, "2 pieces of work came out of turn"},
    {"w0w2w1", {3, false, false, false}, NULL},
    {"wjwj", {2, false, false, false}, NULL},
    {"wJwj", {2, false, false, false}, "1 times a thread went on"},
    {"whwh", {2, false, false, true}, NULL},
    {"whwk", {2, false, false, true}, "not contended"},
    {"whwk", {2, false, false, false}, NULL},
};

static void play(struct am_omp_check *c, const char *events)
{
    uint64_t works = 0;

    for (; *events; events++) {
        if (*events == 'w') {
            works++;
            am_check_work(c);
        } else if (*events == 'x') {
            am_check_exclusive(c);
        } else if (*events == 'j' || *events == 'J') {
            am_check_joined(c, works + (*events == 'J'));
        } else if (*events == 'h' || *events == 'k') {
            am_check_handed(c, *events == 'h' ? 1 : 0, 0);
        } else {
            am_check_order(c, (uint64_t)(*events - '0'));
        }
    }
}

static void check_promises(void)
{
    struct am_omp_check c = {0};

    for (size_t i = 0; i < sizeof(promises) / sizeof(promises[0]); i++) {
        struct am_err err = {0};
        double residual = -1;
        enum am_status s;

        am_check_begin(&c);
        ok(c.on, "a check that has begun is on");
        play(&c, promises[i].events);
        s = am_check_end(&c, &promises[i].promise, &residual, &err);
        if (promises[i].story)
            ok(s == AM_E_WRONG && residual > 0 && strstr(err.text, promises[i].story),
               "\"%s\" breaks its promise: %s", promises[i].events, err.text);
        else
            ok(s == AM_OK && residual == 0, "\"%s\" keeps its promise", promises[i].events);
        ok(!c.on, "a check that has ended is off");
    }
}

/* What libraries of known versions carry among their other bytes. */
#define TEXT(text) text "\0"
static const char llvm[] =
    TEXT("x@(#) LLVM OMP API version: 5.0 (201611)") TEXT("@(#) LLVM OMP version: 5.0.20140926")
        TEXT("@(#) LLVM OMP build compiler: Clang 19.1") TEXT("libomp version 9 of nobody");
static const char gnu[] = TEXT("OMP_5.0.2") TEXT("GOMP_4.5") TEXT("GOMP_5.1") TEXT("GOMP_5.0.1")
    TEXT("  _OPENMP = '201511'\n") TEXT("GOMP_parallel");
static const char intel[] = TEXT("@(#) Intel(R) OMP version: 5.0.20230613");

static const struct {
    const char *bytes;
    size_t n;
    bool kmp, gomp;
    const char *path;
    const char *version, *kind; /* expected */
} libraries[] = {
    {llvm, sizeof(llvm), true, true, "/usr/lib/libomp.so.5",
     "LLVM 5.0.20140926, API 5.0 (201611), built by Clang 19.1", "libomp"},
    {llvm, sizeof(llvm), true, true, "/home/x/libgomp.so.1",
     "LLVM 5.0.20140926, API 5.0 (201611), built by Clang 19.1", "libomp"},
    {gnu, sizeof(gnu), false, true, "/usr/lib/libgomp.so.1.0.0", "OpenMP 201511, symbols GOMP_5.1",
     "libgomp"},
    {intel, sizeof(intel), true, true, "/opt/libomp.so", "Intel 5.0.20230613", "libiomp5"},
    {"", 1, true, false, "/opt/libnvomp.so", "", "libnvomp"},
    {"", 0, false, false, "/opt/libother.so", "", NULL},
    {"\0GOMP_", 6, false, true, "/opt/cut.so", "", "libgomp"},
};

static void check_libraries(void)
{
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        char version[AM_OMP_VERSION_TEXT];
        const char *kind;

        am_omp_library_version(libraries[i].bytes, libraries[i].n, version);
        ok(strcmp(version, libraries[i].version) == 0, "library %zu says \"%s\"", i, version);
        kind = am_omp_library_kind(libraries[i].kmp, libraries[i].gomp, version, libraries[i].path);
        ok(kind && libraries[i].kind ? strcmp(kind, libraries[i].kind) == 0
                                     : kind == libraries[i].kind,
           "%s is %s", libraries[i].path, kind ? kind : "of no known kind");
    }
}

static void check_no_library(void)
{
    struct am_omp_library library;
    struct am_err err = {0};

    ok(am_omp_library_find(&library, &err) == AM_E_WRONG && strstr(err.text, "no OpenMP library"),
       "a program without OpenMP has none: %s", err.text);
}

/* The least of many tries: what a busy machine adds is left out. */
static uint64_t least_delay_ns(uint64_t cycles)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 200; i++) {
        const uint64_t t0 = am_now_ns();
        uint64_t t;

        am_delay(cycles);
        t = am_now_ns() - t0;
        least = t < least ? t : least;
    }
    return least;
}

static void check_delay(void)
{
    const uint64_t once = least_delay_ns(20000), twice = least_delay_ns(40000);

    ok(twice > once + once / 2, "twice the delay takes longer: %llu and %llu ns",
       (unsigned long long)once, (unsigned long long)twice);
}

int main(void)
{
    check_prices();
    check_order();
    check_interrupt();
    check_promises();
    check_libraries();
    check_no_library();
    check_delay();
    return tap_done();
}
