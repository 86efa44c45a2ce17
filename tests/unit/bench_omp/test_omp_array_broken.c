/* SPDX-License-Identifier: MIT */
/* omp.array notices clauses that break their promise: these stand in for array_clauses.c. */
#include "bench/omp/array.h"
#include "omp_fixture.h"

extern const struct am_bench am_bench_omp_array;

enum { ELEMENTS = 9 };

/* One thread, no OpenMP: each construct with one thing left out. */
struct arrays {
    double original[ELEMENTS], copy[ELEMENTS];
};

static struct arrays arrays;

static void call(struct am_array_job *job, double *body, double *seen)
{
    job->body(job, 0, body);
    job->seen(job, 0, seen);
    job->left(job, 0, arrays.original);
}

/* No copy at all. */
static void on_original(void *self, uint64_t n)
{
    for (; n; n--)
        call(self, arrays.original, arrays.original);
}

/* A copy that nobody filled, or that was not brought back. */
static void on_copy(void *self, uint64_t n)
{
    for (; n; n--)
        call(self, arrays.copy, arrays.copy);
}

/* What one thread made does not reach the other. */
static void not_handed_on(void *self, uint64_t n)
{
    double other[ELEMENTS] = {0};

    for (; n; n--)
        call(self, arrays.copy, other);
}

/* One element too few is copied. */
static void short_copy(void *self, uint64_t n)
{
    for (; n; n--) {
        memcpy(arrays.copy, arrays.original, (ELEMENTS - 1) * sizeof(double));
        call(self, arrays.copy, arrays.copy);
    }
}

/* The result replaces the original in place of being added to it. */
static void not_added(void *self, uint64_t n)
{
    struct am_array_job *const job = self;

    for (; n; n--) {
        memset(arrays.copy, 0, sizeof(arrays.copy));
        job->body(job, 0, arrays.copy);
        job->seen(job, 0, arrays.copy);
        memcpy(arrays.original, arrays.copy, sizeof(arrays.copy));
        job->left(job, 0, arrays.original);
    }
}

/* The work is done twice. */
static void twice(void *self, uint64_t n)
{
    struct am_array_job *const job = self;

    for (; n; n--) {
        job->body(job, 0, arrays.copy);
        call(job, arrays.copy, arrays.copy);
    }
}

/* As it should be, for one thread: the harness itself breaks nothing. */
static void right(void *self, uint64_t n)
{
    for (; n; n--) {
        memcpy(arrays.copy, arrays.original, sizeof(arrays.copy));
        call(self, arrays.copy, arrays.copy);
    }
}

static am_overhead_fn *clauses[AM_ARRAY_CLAUSES];

static double *copy(void)
{
    return arrays.original;
}

const struct am_array_size *am_array_find(int64_t elements)
{
    static const struct am_array_size size = {ELEMENTS, arrays.original, copy, clauses};

    return elements == ELEMENTS ? &size : NULL;
}

am_overhead_fn *am_array_plain(enum am_array_clause clause)
{
    (void)clause;
    return right;
}

void am_array_serial(void *self, uint64_t n)
{
    right(self, n);
}

static const struct {
    enum am_array_clause clause;
    am_overhead_fn *fn;
    bool right;
    const char *what;
} cases[] = {
    {AM_ARRAY_PRIVATE, right, true, "private as it should be"},
    {AM_ARRAY_FIRSTPRIVATE, right, true, "firstprivate as it should be"},
    {AM_ARRAY_PRIVATE, on_original, false, "private without a copy"},
    {AM_ARRAY_PRIVATE, twice, false, "private with work done twice"},
    {AM_ARRAY_FIRSTPRIVATE, on_copy, false, "firstprivate with a copy not filled"},
    {AM_ARRAY_FIRSTPRIVATE, short_copy, false, "firstprivate with a copy one element short"},
    {AM_ARRAY_LASTPRIVATE, on_copy, false, "lastprivate not brought back"},
    {AM_ARRAY_COPYIN, short_copy, false, "copyin one element short"},
    {AM_ARRAY_COPYPRIVATE, not_handed_on, false, "copyprivate not handed on"},
    {AM_ARRAY_REDUCTION, on_original, false, "reduction on the original"},
    {AM_ARRAY_REDUCTION, not_added, false, "reduction that forgets the original"},
};

int main(void)
{
    const struct am_ctx ctx = ox_context();

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_batch batch = {0};
        struct am_err err = {0};
        char own[64];
        enum am_status s;

        (void)snprintf(own, sizeof(own), "%s %d",
                       am_bench_omp_array.axes[0].choices[cases[i].clause], ELEMENTS);
        clauses[cases[i].clause] = cases[i].fn;
        s = ox_visit(&am_bench_omp_array, own, 1, &ctx, &batch, &err);
        ok(s == (cases[i].right ? AM_OK : AM_E_WRONG), "%s: %s", cases[i].what,
           s == AM_OK ? "passes" : err.text);
    }
    return tap_done();
}
