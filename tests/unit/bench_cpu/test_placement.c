/* SPDX-License-Identifier: MIT */
/* mem.pingpong, mem.sharing, mem.placement and mem.numa through their hooks: work stated, results
 * verified, points refused with their reason. */
#include "base/text.h"
#include "bench_fixture.h"
#include "tap.h"

#include <stdlib.h>

extern const struct am_bench am_bench_mem_pingpong, am_bench_mem_sharing, am_bench_mem_placement,
    am_bench_mem_numa;

enum { CPUS_MAX = 4 };

struct machine {
    int cpus[CPUS_MAX];
    size_t n;
    struct am_clock clock;
};

/* "A" and "B" stand for the first and the second CPU; axes beyond the words take the first value of
 * their default. */
static void make_point(const struct am_bench *b, const struct machine *m, const char *words,
                       struct am_value *point)
{
    for (size_t i = 0; b->axes[i].name; i++) {
        const size_t n = strcspn(words, " ");
        char word[32];
        struct am_err err = {0};

        (void)snprintf(word, sizeof(word), "%.*s", (int)(n ? n : strcspn(b->axes[i].dflt, ",")),
                       n ? words : b->axes[i].dflt);
        if (strcmp(word, "A") == 0 || strcmp(word, "B") == 0)
            (void)snprintf(word, sizeof(word), "%d", m->cpus[word[0] - 'A']);
        if (am_value_parse(&b->axes[i], word, strlen(word), &point[i], &err) != AM_OK)
            printf("Bail out! %s\n", err.text);
        words += n + (words[n] == ' ');
    }
}

static enum am_status run_once(const struct am_bench *b, void *state, uint64_t iters,
                               struct am_err *err)
{
    struct am_batch batch = {0};
    enum am_status s = AM_OK;

    if (b->run)
        b->run(state, iters);
    else
        s = b->run_timed(state, iters, &batch, err);
    if (s == AM_OK && b->run_timed && batch.elapsed_ns == 0)
        s = am_fail(err, AM_E_WRONG, "no time passed");
    return s;
}

struct measured {
    const struct am_bench *bench;
    const char *point;
    double ops, bytes;
    const char *unless; /* a refusal that some machines give */
};

static void check_measured(const struct machine *m, const struct measured *x)
{
    static const uint64_t iters[] = {1, 2, 3, 40};
    const struct am_ctx ctx = {.cpus = m->cpus,
                               .cpu_count = m->n < 2 ? m->n : 2,
                               .seed = 5,
                               .memory_limit_bytes = BX_LIMIT_BYTES,
                               .clock = &m->clock};
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, x->bench->state_size);
    double residual = 1;
    enum am_status s;

    make_point(x->bench, m, x->point, point);
    s = x->bench->prepare(state, &ctx, point, &work, &err);
    if (s == AM_E_ABSENT && x->unless && am_glob_match(x->unless, err.text)) {
        skip_test(err.text);
        x->bench->finish(state);
        free(state);
        return;
    }
    ok(s == AM_OK && work.ops == x->ops && work.bytes_read == x->bytes, "%s %s states its work %s",
       x->bench->name, x->point, err.text);
    for (size_t i = 0; i < sizeof(iters) / sizeof(iters[0]) && s == AM_OK; i++) {
        s = run_once(x->bench, state, iters[i], &err);
        if (s == AM_OK)
            s = x->bench->verify(state, &residual, &err);
    }
    ok(s == AM_OK && residual == 0, "and is right whatever the iterations %s", err.text);
    x->bench->finish(state);
    free(state);
}

struct refused {
    const struct am_bench *bench;
    const char *point;
    size_t cpus; /* that the launch has */
    const char *story;
};

static void check_refused(const struct machine *m, const struct refused *x)
{
    const struct am_ctx ctx = {.cpus = m->cpus,
                               .cpu_count = x->cpus,
                               .memory_limit_bytes = BX_LIMIT_BYTES,
                               .clock = &m->clock};
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    void *const state = calloc(1, x->bench->state_size);

    make_point(x->bench, m, x->point, point);
    ok(x->bench->prepare(state, &ctx, point, &work, &err) == AM_E_ABSENT &&
           am_glob_match(x->story, err.text),
       "%s %s is refused: %s", x->bench->name, x->point, err.text);
    x->bench->finish(state);
    free(state);
}

static const struct measured points[] = {
    {&am_bench_mem_pingpong, "cas A B", 16, 0, NULL},
    {&am_bench_mem_pingpong, "store B A", 16, 0, NULL},
    {&am_bench_mem_sharing, "add shared_line 2", 1, 0, NULL},
    {&am_bench_mem_sharing, "add separate_lines 2", 1, 0, NULL},
    {&am_bench_mem_sharing, "store shared_line 2", 1, 0, NULL},
    {&am_bench_mem_sharing, "store separate_lines 1", 1, 0, NULL},
    {&am_bench_mem_placement, "compact 2 separate 1000000 scalar", 1, 2 * 122 * 4096, NULL},
    {&am_bench_mem_placement, "compact 2 same 1000000 scalar", 1, 2 * 244 * 4096, NULL},
    {&am_bench_mem_placement, "scattered 2 separate 8192 scalar", 1, 8192, NULL},
    {&am_bench_mem_placement, "random 1 same 8192 scalar", 1, 8192, NULL},
    {&am_bench_mem_placement, "same_core 1 separate 4096 scalar", 1, 4096, NULL},
    {&am_bench_mem_numa, "0 0 1048576 scalar", 20000, 20000 * 8 + 1048576, "*has no CPU*"},
};

static const struct refused refusals[] = {
    {&am_bench_mem_pingpong, "cas A A", 2, "CPU * cannot hand a line to itself"},
    {&am_bench_mem_pingpong, "cas A B", 1, "one CPU only*"},
    {&am_bench_mem_pingpong, "cas A 99999", 2, "CPU 99999 is not one that*"},
    {&am_bench_mem_sharing, "add shared_line 3", 2, "3 threads on 2 CPUs"},
    {&am_bench_mem_sharing, "add shared_line 0", 2, "0 threads on 2 CPUs"},
    {&am_bench_mem_placement, "compact 1 same 8192 scalar", 1, "one CPU only*"},
    {&am_bench_mem_placement, "compact 3 same 8192 scalar", 2, "3 cores where there are 2 CPUs"},
    {&am_bench_mem_placement, "compact 0 same 8192 scalar", 2, "0 cores where there are 2 CPUs"},
    {&am_bench_mem_placement, "compact 2 separate 8191 scalar", 2, "size 8191: less than a page*"},
    {&am_bench_mem_placement, "compact 2 same 1073741824 scalar", 2, "needs * bytes of memory*"},
    {&am_bench_mem_numa, "0 1023 1048576 scalar", 2, "there is no memory node 1023"},
    {&am_bench_mem_numa, "4000000000 0 1048576 scalar", 2, "there is no memory node 4000000000"},
    {&am_bench_mem_numa, "0 0 1048576 scalar", 1, "one CPU only*"},
};

int main(void)
{
    struct machine m = {0};

    m.n = bx_cpus(m.cpus, CPUS_MAX);
    am_clock_init(&m.clock);
    if (m.n < 2) {
        skip_test("one CPU only");
        return tap_done();
    }
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        check_measured(&m, &points[i]);
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        check_refused(&m, &refusals[i]);
    return tap_done();
}
