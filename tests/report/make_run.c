/* SPDX-License-Identifier: MIT */
/* Writes runs for tests of the report and of large files: make_run FILE small [FACTOR] | many
 * POINTS; seals launches that were put into a file by hand: make_run FILE seal; prints what loading
 * a file costs, in seconds of processor time without and with comparing its seals: make_run FILE
 * load. */
#include "figure_fixture.h"

#include "base/text.h"
#include "seal_again.h"
#include "store/db.h"

#include <time.h>

enum { SIZES = 64, LAUNCHES = 5 };

/* POINTS points of mem.latency with 25 samples each, under 64 sizes. */
static enum am_status make_many(const char *path, size_t points, struct am_err *err)
{
    static char names[GX_POINTS_MAX / SIZES + 1][32];
    static char numbers[SIZES * 16];
    struct gx_bench bench = gx_benches[0];
    struct gx_plan *const g = calloc(1, sizeof(*g));
    const size_t patterns = (points + SIZES - 1) / SIZES;
    enum am_status s;

    if (!g || patterns > GX_POINTS_MAX / SIZES)
        return am_fail(err, AM_E_LIMIT, "at most %d points", GX_POINTS_MAX);
    for (size_t i = 0; i < SIZES; i++) {
        const size_t used = strlen(numbers);

        (void)snprintf(numbers + used, sizeof(numbers) - used, "%s%zu", i ? " " : "",
                       (i + 1) * 4096);
    }
    for (size_t i = 0; i < patterns; i++)
        (void)snprintf(names[i], sizeof(names[i]), "pattern%zu", i);
    bench.numbers = numbers;
    gx_add(g, &bench, names, patterns);
    s = gx_store(path, g, LAUNCHES, 1, err);
    free(g);
    return s;
}

/* ---- loading ---- */

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum am_status time_load(const char *path, bool check, double *seconds, struct am_err *err)
{
    struct am_store *store = NULL;
    struct am_arena arena = {0};
    struct am_result_set set = {0};
    const double begun = cpu_seconds();
    enum am_status s = am_store_open(path, false, &store, err);

    if (s == AM_OK)
        s = am_store_load(store, &(struct am_filter){.check = check}, &arena, &set, err);
    am_store_close(store);
    *seconds = cpu_seconds() - begun;
    if (s == AM_OK && check && set.seal.state != AM_SEAL_HOLDS)
        s = am_fail(err, AM_E_STORE, "%s", set.seal.story ? set.seal.story : "it is not sealed");
    am_arena_fini(&arena);
    return s;
}

static enum am_status tell_load(const char *path, struct am_err *err)
{
    double without = 0, with = 0;
    enum am_status s = time_load(path, false, &without, err); /* brings the file into memory */

    if (s == AM_OK)
        s = time_load(path, false, &without, err);
    if (s == AM_OK)
        s = time_load(path, true, &with, err);
    if (s == AM_OK)
        printf("%.3f %.3f\n", without, with);
    return s;
}

int main(int argc, char **argv)
{
    struct am_err err = {0};
    enum am_status s = AM_E_USAGE;
    uint64_t points = 0;
    double factor = 1;

    if (argc > 3 && strcmp(argv[2], "many") == 0 && am_parse_u64(argv[3], strlen(argv[3]), &points))
        s = make_many(argv[1], points, &err);
    else if (argc > 2 && strcmp(argv[2], "small") == 0 &&
             (argc == 3 || am_parse_f64(argv[3], strlen(argv[3]), &factor)))
        s = gx_make(argv[1], factor, &err);
    else if (argc == 3 && strcmp(argv[2], "seal") == 0)
        s = sa_seal(argv[1], &err);
    else if (argc == 3 && strcmp(argv[2], "load") == 0)
        s = tell_load(argv[1], &err);
    if (s != AM_OK)
        (void)fprintf(stderr, "make_run FILE small [FACTOR] | many POINTS | seal | load: %s\n",
                      err.text);
    return s == AM_OK ? 0 : 1;
}
