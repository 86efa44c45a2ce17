/* SPDX-License-Identifier: MIT */
/* BLAS libraries by dlopen: which files they are, how they are told to stay on one thread. They
 * are opened locally and nothing of ours exports a name of theirs, so that each finds its own.
 * RTLD_DEEPBIND would add nothing, and sanitizers refuse it. */
#include "app/gemm/gemm_blas.h"

#include "base/text.h"

#include <dlfcn.h>
#include <string.h>

enum { FILES_MAX = 4, CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANS = 111 };

typedef void sgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                      const float *a, int lda, const float *b, int ldb, float beta, float *c,
                      int ldc);
typedef void dgemm_fn(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                      const double *a, int lda, const double *b, int ldb, double beta, double *c,
                      int ldc);
typedef const char *text_fn(void);
typedef const char *arch_fn(int id);
typedef int number_fn(void);
typedef void init_fn(void);
typedef void set_fn(int threads);
typedef void set_long_fn(long threads);

struct library {
    const char *name;
    const char *files[FILES_MAX]; /* tried in this order */
    const char *mark;             /* a symbol that only this library has */
    const char *missing;
    void (*quieten)(void *handle);
    void (*describe)(void *handle, char *about);
};

/* ISO C has no conversion between pointers to objects and to functions; POSIX wants one that
 * works. */
static void *symbol(void *handle, const char *name, void *function_p)
{
    void *const found = dlsym(handle, name);

    memcpy(function_p, &found, sizeof(found));
    return found;
}

static void quieten_openblas(void *handle)
{
    set_fn *set;

    if (symbol(handle, "openblas_set_num_threads", &set))
        set(1);
}

static void describe_openblas(void *handle, char *about)
{
    text_fn *config, *core;

    if (symbol(handle, "openblas_get_config", &config) &&
        symbol(handle, "openblas_get_corename", &core))
        (void)am_str_format(about, AM_BLAS_TEXT_MAX, "%s; kernels for %s", config(), core());
}

static void quieten_blis(void *handle)
{
    set_long_fn *set; /* dim_t, 64 bits unless somebody configured it otherwise */

    if (symbol(handle, "bli_thread_set_num_threads", &set))
        set(1);
}

static void describe_blis(void *handle, char *about)
{
    text_fn *version;
    arch_fn *name;
    number_fn *id;
    init_fn *init;

    if (symbol(handle, "bli_init", &init))
        init(); /* else a query with BLIS_ARCH_TYPE in the environment ends the process */
    if (symbol(handle, "bli_info_get_version_str", &version) &&
        symbol(handle, "bli_arch_string", &name) && symbol(handle, "bli_arch_query_id", &id))
        (void)am_str_format(about, AM_BLAS_TEXT_MAX, "BLIS %s; kernels for %s", version(),
                            name(id()));
}

/* The calls that we open are those without threads. */
static void quieten_atlas(void *handle)
{
    (void)handle;
}

/* ATLAS prints what it knows of itself, so that it is not asked. */
static void describe_atlas(void *handle, char *about)
{
    (void)handle;
    (void)am_str_copy(about, AM_BLAS_TEXT_MAX, "ATLAS; kernels chosen when it was built");
}

static const struct library libraries[] = {
    {"openblas",
     {"libopenblas.so.0", "libopenblas.so"},
     "openblas_get_config",
     "no libopenblas.so.0; install libopenblas0",
     quieten_openblas,
     describe_openblas},
    {"blis",
     {"libblis.so.4", "libblis.so.3", "libblis.so"},
     "bli_arch_query_id",
     "no libblis.so.4; install libblis4",
     quieten_blis,
     describe_blis},
    {"atlas",
     {"libsatlas.so.3", "libcblas.so.3", "libtatlas.so.3"},
     "ATL_dgemm",
     "no libsatlas.so.3 or libcblas.so.3 of ATLAS; install libatlas3-base",
     quieten_atlas,
     describe_atlas},
};
const char *const am_blas_names[] = {"openblas", "blis", "atlas", NULL};

static const struct library *find(const char *name)
{
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
        if (strcmp(libraries[i].name, name) == 0)
            return &libraries[i];
    }
    return NULL;
}

/* RTLD_NODELETE: libraries that have started threads are not to be unmapped under them. */
static void *open_file(const struct library *library)
{
    for (size_t i = 0; i < FILES_MAX && library->files[i]; i++) {
        void *const handle = dlopen(library->files[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

        if (handle && dlsym(handle, library->mark) && dlsym(handle, "cblas_sgemm") &&
            dlsym(handle, "cblas_dgemm"))
            return handle;
        if (handle)
            (void)dlclose(handle);
    }
    return NULL;
}

const char *am_blas_why_not(const char *name)
{
    const struct library *const library = find(name);
    void *handle;

    if (!library)
        return "no such library";
    handle = open_file(library);
    if (!handle)
        return library->missing;
    (void)dlclose(handle);
    return NULL;
}

enum am_status am_blas_open(struct am_blas *blas, const char *name, struct am_err *err)
{
    const struct library *const library = find(name);
    Dl_info info = {0};

    *blas = (struct am_blas){0};
    if (!library)
        return am_fail(err, AM_E_ABSENT, "%s: no such library", name);
    blas->handle = open_file(library);
    if (!blas->handle)
        return am_fail(err, AM_E_ABSENT, "%s: %s", name, library->missing);
    blas->gemm[AM_GEMM_F32] = dlsym(blas->handle, "cblas_sgemm");
    blas->gemm[AM_GEMM_F64] = dlsym(blas->handle, "cblas_dgemm");
    library->quieten(blas->handle);
    library->describe(blas->handle, blas->about);
    if (dladdr(blas->gemm[AM_GEMM_F64], &info) && info.dli_fname)
        (void)am_str_copy(blas->file, sizeof(blas->file), info.dli_fname);
    return AM_OK;
}

void am_blas_close(struct am_blas *blas)
{
    if (blas->handle)
        (void)dlclose(blas->handle);
    *blas = (struct am_blas){0};
}

void am_blas_multiply(const struct am_blas *blas, enum am_gemm_type type,
                      const struct am_gemm_args *args)
{
    const int m = (int)args->m, n = (int)args->n, k = (int)args->k;
    const int lda = (int)args->lda, ldb = (int)args->ldb, ldc = (int)args->ldc;
    const float beta = args->add ? 1 : 0;
    sgemm_fn *sgemm;
    dgemm_fn *dgemm;

    if (type == AM_GEMM_F32) {
        memcpy(&sgemm, &blas->gemm[type], sizeof(sgemm));
        sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, m, n, k, 1, args->a, lda, args->b,
              ldb, beta, args->c, ldc);
        return;
    }
    memcpy(&dgemm, &blas->gemm[type], sizeof(dgemm));
    dgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, m, n, k, 1, args->a, lda, args->b, ldb,
          (double)beta, args->c, ldc);
}
