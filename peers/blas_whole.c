/* SPDX-License-Identifier: MIT */
/* A BLAS library called as one calls it: one product of whole matrices by its CBLAS interface, with
 * the library's own threads. Shares no code with archmeter; peers/apps.py compiles and runs it.
 *
 *     blas_whole LIBRARY f32|f64 N THREADS     prints flop/s, the median of batches
 */
#include <limits.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    BATCHES = 9,
    BATCHES_MIN = 3, /* where a product is so long that more take more than ENOUGH_NS */
    BATCH_NS = 20000000,
    PAGE_BYTES = 2 << 20,
    ROW_MAJOR = 101,
    NO_TRANS = 111,
};
#define ENOUGH_NS 2000000000LL

typedef void sgemm_fn(int, int, int, int, int, int, float, const float *, int, const float *, int,
                      float, float *, int);
typedef void dgemm_fn(int, int, int, int, int, int, double, const double *, int, const double *,
                      int, double, double *, int);

struct product {
    sgemm_fn *sgemm; /* of the two the one that is not NULL */
    dgemm_fn *dgemm;
    void *a, *b, *c;
    int n;
};

static long long now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void run(const struct product *p, int times)
{
    const int n = p->n;

    for (; times; times--) {
        if (p->sgemm)
            p->sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, 1, p->a, n, p->b, n, 0, p->c, n);
        else
            p->dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, 1, p->a, n, p->b, n, 0, p->c, n);
    }
}

/* On huge pages, as archmeter asks for them. */
static void *get_matrix(size_t n, size_t element)
{
    const size_t bytes = (n * n * element + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    void *const m = aligned_alloc(PAGE_BYTES, bytes);

    if (!m)
        return NULL;
    (void)madvise(m, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < n * n; i++) {
        if (element == sizeof(float))
            ((float *)m)[i] = (float)(2 * drand48() - 1);
        else
            ((double *)m)[i] = 2 * drand48() - 1;
    }
    return m;
}

static int in_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double measure(const struct product *p)
{
    double rates[BATCHES];
    long long begin, all = now_ns();
    int times = 1, n = 0;

    run(p, 1);
    if (now_ns() - all < BATCH_NS) {
        begin = now_ns();
        run(p, 1);
        times += (int)(BATCH_NS / (now_ns() - begin + 1));
    }
    for (all = now_ns(); n < BATCHES && (n < BATCHES_MIN || now_ns() - all < ENOUGH_NS); n++) {
        begin = now_ns();
        run(p, times);
        rates[n] = 2 * pow(p->n, 3) * times / (double)(now_ns() - begin) * 1e9;
    }
    qsort(rates, (size_t)n, sizeof(rates[0]), in_order);
    return rates[n / 2];
}

/* The whole word as a number above 0; 0 when it is none. */
static int number_of(const char *word)
{
    char *end;
    const long n = strtol(word, &end, 10);

    return *word && !*end && n > 0 && n < INT_MAX ? (int)n : 0;
}

int main(int argc, char **argv)
{
    struct product p = {0};
    void *library, *found;
    const int single = argc == 5 && strcmp(argv[2], "f32") == 0;
    const size_t element = single ? sizeof(float) : sizeof(double);

    if (argc != 5 || (!single && strcmp(argv[2], "f64") != 0) || number_of(argv[3]) < 1 ||
        number_of(argv[4]) < 1) {
        fprintf(stderr, "usage: blas_whole LIBRARY f32|f64 N THREADS\n");
        return 2;
    }
    (void)setenv("OPENBLAS_NUM_THREADS", argv[4], 1);
    (void)setenv("BLIS_NUM_THREADS", argv[4], 1);
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    found = library ? dlsym(library, single ? "cblas_sgemm" : "cblas_dgemm") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    memcpy(single ? (void *)&p.sgemm : (void *)&p.dgemm, &found, sizeof(found));
    p.n = number_of(argv[3]);
    p.a = get_matrix((size_t)p.n, element);
    p.b = get_matrix((size_t)p.n, element);
    p.c = get_matrix((size_t)p.n, element);
    if (!p.a || !p.b || !p.c)
        return 3;
    printf("%.6e\n", measure(&p));
    return 0;
}
