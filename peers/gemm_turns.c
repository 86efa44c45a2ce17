/* SPDX-License-Identifier: MIT */
/* app.gemm with our own kernels in turn with BLAS libraries and with the peak of the units.
 *
 *     gemm_turns f32|f64 N THREADS ISA LIBRARY...
 *
 * ISA is that of our own side, `best` the widest that this machine runs; libraries choose theirs by
 * variables of the environment, each its own.
 * A library is called once per product on whole matrices, with its own threads. Their outcome is
 * compared with the definition, element by element at random places. `peak` is a loop of fused
 * multiply-adds in registers, or of what there is without them, on all threads at the same time. */
#include "turns.h"

#include "base/large.h"
#include "kernels/flops.h"
#include "kernels/gemm.h"

#include <dlfcn.h>
#include <math.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, CHECKED = 64, PEAK_STEPS = 50000, PEAK_BLOCKS = 8 };

typedef void sgemm_fn(int, int, int, int, int, int, float, const float *, int, const float *, int,
                      float, float *, int);
typedef void dgemm_fn(int, int, int, int, int, int, double, const double *, int, const double *,
                      int, double, double *, int);
typedef const char *text_fn(void);
typedef int number_fn(void);
typedef void init_fn(void);
typedef const char *arch_fn(int id);

struct rival {
    sgemm_fn *sgemm; /* of the two the one that is not NULL */
    dgemm_fn *dgemm;
    const void *a, *b;
    void *c;
    size_t n;
};

struct peak {
    am_flops_fn *fn;
    void *engine;
    size_t blocks;
};

static void *find(void *library, const char *name, void *function_p)
{
    void *const found = dlsym(library, name);

    memcpy(function_p, &found, sizeof(found)); /* C has no cast from objects to functions */
    return found;
}

/* Which kernels it chose: one that does not know this CPU may have taken those of an old one. */
static void say_kernels(void *library, const char *name)
{
    text_fn *core;
    arch_fn *arch;
    number_fn *id;
    init_fn *init;

    if (find(library, "bli_init", &init))
        init(); /* BLIS_ARCH_TYPE is looked up among what this makes */
    if (find(library, "openblas_get_corename", &core))
        printf("# %s: kernels for %s\n", name, core());
    if (find(library, "bli_arch_string", &arch) && find(library, "bli_arch_query_id", &id))
        printf("# %s: kernels for %s\n", name, arch(id()));
}

static bool open_rival(struct rival *rival, const char *file, bool single)
{
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!library || !find(library, single ? "cblas_sgemm" : "cblas_dgemm",
                          single ? (void *)&rival->sgemm : (void *)&rival->dgemm)) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    say_kernels(library, file);
    return true;
}

static void run_rival(void *self, uint64_t times)
{
    const struct rival *const r = self;
    const int n = (int)r->n;

    for (; times; times--) {
        if (r->sgemm)
            r->sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, 1, r->a, n, r->b, n, 0, r->c, n);
        else
            r->dgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, n, n, n, 1, r->a, n, r->b, n, 0, r->c, n);
    }
}

static double get(const struct rival *r, const void *matrix, size_t i)
{
    return r->sgemm ? (double)((const float *)matrix)[i] : ((const double *)matrix)[i];
}

static bool is_right(const struct rival *r, const char *name)
{
    const double unit = r->sgemm ? 0x1p-23 : 0x1p-52;

    for (int k = 0; k < CHECKED; k++) {
        const size_t i = (size_t)(drand48() * (double)r->n), j = (size_t)(drand48() * (double)r->n);
        long double sum = 0;
        double error;

        for (size_t l = 0; l < r->n; l++)
            sum += (long double)get(r, r->a, i * r->n + l) * get(r, r->b, l * r->n + j);
        error = fabs((double)(get(r, r->c, i * r->n + j) - sum));
        if (!(error <= unit * (double)r->n)) {
            printf("# %s is wrong by %g at %zu, %zu\n", name, error, i, j);
            return false;
        }
    }
    return true;
}

/* On huge pages, as our own are. */
static void *get_matrix(size_t n, bool single)
{
    void *const m = am_large_alloc(n * n * (single ? sizeof(float) : sizeof(double)));

    for (size_t i = 0; m && i < n * n; i++) {
        if (single)
            ((float *)m)[i] = (float)(2 * drand48() - 1);
        else
            ((double *)m)[i] = 2 * drand48() - 1;
    }
    return m;
}

/* ---- peak ---- */

static void run_peak_block(void *app, size_t block)
{
    const struct peak *const peak = app;
    const double in[(AM_FLOPS_STREAMS_MAX + 2) * AM_FLOPS_VEC_BYTES_MAX / sizeof(double)] = {0};
    double out[AM_FLOPS_STREAMS_MAX * AM_FLOPS_VEC_BYTES_MAX / sizeof(double)];

    (void)block;
    peak->fn(in, out, PEAK_STEPS);
}

static void run_peak(void *self, uint64_t times)
{
    struct peak *const peak = self;
    const struct am_blocks blocks = {.count = peak->blocks, .app = peak, .run = run_peak_block};

    am_executor_task_dbf.run(peak->engine, &blocks, times);
}

/* More blocks than threads: one that begins late has fewer. `flops` of the side is of them all. */
static bool open_peak(struct peak *peak, struct turns_side *side, bool single, const char *isa,
                      const struct turns_cpus *cpus)
{
    const struct am_flops_variant *const v = am_flops_find(isa);
    const enum am_flops_type type = single ? AM_FLOPS_F32 : AM_FLOPS_F64;
    const enum am_flops_op op = v->has_fma ? AM_FLOPS_FMA : AM_FLOPS_ADD;
    const size_t blocks = cpus->threads * PEAK_BLOCKS;
    const struct am_executor_setup setup = {
        .threads = cpus->threads, .cpus = cpus->list, .cpu_count = cpus->threads};
    unsigned streams = v->streams_max < 12 ? v->streams_max : 12;
    struct am_err err = {0};

    while (streams > 1 && !v->fn[op][type][streams - 1])
        streams--;
    peak->fn = v->fn[op][type][streams - 1];
    peak->blocks = blocks;
    *side = (struct turns_side){.name = "peak", .run = run_peak, .self = peak};
    side->flops = (double)blocks * PEAK_STEPS * streams * v->lanes[type] * am_flops_count(op);
    return peak->fn &&
           am_executor_task_dbf.open(&am_executor_task_dbf, &setup, &peak->engine, &err) == AM_OK;
}

static bool open_sides(struct rival *rivals, struct turns_side *sides, char **files, size_t n_files,
                       bool single, size_t n)
{
    const void *const a = get_matrix(n, single), *const b = get_matrix(n, single);
    void *const c = get_matrix(n, single);

    for (size_t i = 0; i < n_files; i++) {
        rivals[i] = (struct rival){.a = a, .b = b, .c = c, .n = n};
        if (!a || !b || !c || !open_rival(&rivals[i], files[i], single))
            return false;
        sides[i] = (struct turns_side){
            .name = files[i], .run = run_rival, .self = &rivals[i], .flops = 2 * pow((double)n, 3)};
    }
    return true;
}

/* Each rival multiplies once more, so that what is looked at is its own. */
static bool all_right(struct rival *rivals, const struct turns_side *sides, size_t n,
                      struct turns_own *own)
{
    bool good = turns_verify(own);

    for (size_t i = 0; i < n; i++) {
        const size_t bytes = rivals[i].n * rivals[i].n * (rivals[i].sgemm ? 4 : 8);

        memset(rivals[i].c, 0xff, bytes); /* no number */
        run_rival(&rivals[i], 1);
        good = is_right(&rivals[i], sides[i].name) && good;
    }
    return good;
}

/* NULL: unknown, or this machine cannot run it. */
static const char *isa_of(const char *word)
{
    if (strcmp(word, "best") == 0)
        return turns_best_isa();
    return am_isa_index(word) < 0 || am_isa_why_not(word) ? NULL : word;
}

int main(int argc, char **argv)
{
    const bool single = argc > 1 && strcmp(argv[1], "f32") == 0;
    const size_t n = argc > 4 ? turns_number(argv[2]) : 0;
    const size_t threads = argc > 4 ? turns_number(argv[3]) : 0;
    const char *const isa = argc > 4 ? isa_of(argv[4]) : NULL;
    const size_t n_rivals = argc > 5 ? (size_t)argc - 5 : 0;
    struct rival rivals[TURNS_SIDES_MAX] = {0};
    struct turns_side sides[TURNS_SIDES_MAX];
    struct turns_own own = {0};
    struct turns_cpus cpus;
    struct peak peak;
    char words[256];

    if (n == 0 || n > 46340 || threads == 0 || !isa || n_rivals == 0 ||
        n_rivals > TURNS_SIDES_MAX - 2 || (!single && strcmp(argv[1], "f64") != 0) ||
        !turns_take_cpus(&cpus, threads)) {
        fprintf(stderr,
                "usage: gemm_turns f32|f64 N THREADS ISA LIBRARY...   (CPUs for all threads)\n");
        return 2;
    }
    (void)setenv("OPENBLAS_NUM_THREADS", argv[3], 1);
    (void)setenv("BLIS_NUM_THREADS", argv[3], 1);
    /* Libraries first: their threads inherit the CPUs before ours are bound to one each. */
    if (!open_sides(rivals, sides + 1, argv + 5, n_rivals, single, n))
        return 3;
    (void)snprintf(
        words, sizeof(words),
        "executor=%s isa=%s type=%s variant=own n=%zu task_size=%zu threads=%zu " TURNS_PLACE,
        threads == 1 ? "serial" : "task:dbf", isa, argv[1], n, n, threads);
    if (!turns_open(&own, "app.gemm", words, &cpus) ||
        !open_peak(&peak, &sides[n_rivals + 1], single, isa, &cpus))
        return 3;
    sides[0] = (struct turns_side){
        .name = "own", .run = turns_run_own, .self = &own, .flops = own.work.flops};
    turns_run_own(&own, 1);
    if (!turns_verify(&own))
        return 1;
    turns_serve(sides, n_rivals + 2, &cpus);
    turns_run_own(&own, 1);
    return all_right(rivals, sides + 1, n_rivals, &own) ? 0 : 1;
}
