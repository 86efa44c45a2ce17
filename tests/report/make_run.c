/* SPDX-License-Identifier: MIT */
/* Writes runs for tests of the report: make_run FILE small [FACTOR] | many POINTS. */
#include "figure_fixture.h"

#include "base/text.h"

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
    if (s != AM_OK)
        (void)fprintf(stderr, "make_run FILE small [FACTOR] | many POINTS: %s\n", err.text);
    return s == AM_OK ? 0 : 1;
}
