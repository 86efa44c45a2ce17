/* SPDX-License-Identifier: MIT */
/* The lines of progress: what they say, and that they fit. */
#include "cli/run/progress_lines.h"
#include "tap.h"

#include <math.h>

static const struct am_axis axes[] = {{.name = "size", .kind = AM_AXIS_SIZE},
                                      {.name = "pages", .kind = AM_AXIS_NAME},
                                      {.name = NULL}};
static const struct am_metric metrics[] = {
    {.name = "latency", .unit = "s"}, {.name = "energy:package", .unit = "J"}, {0}};
static const struct am_bench bench = {.name = "b.latency",
                                      .summary = "load latency by a pointer chase",
                                      .axes = axes,
                                      .metrics = metrics};
static const struct am_value values[][2] = {
    {{.kind = AM_AXIS_SIZE, .i = 4096}, {.kind = AM_AXIS_NAME, .i = -1, .name = "any"}},
    {{.kind = AM_AXIS_SIZE, .i = 1 << 28}, {.kind = AM_AXIS_NAME, .i = -1, .name = "any"}},
};
static const struct am_point points[] = {{.bench = &bench, .values = values[0]},
                                         {.bench = &bench, .values = values[1]}};
static const struct am_progress middle = {.point = &points[1],
                                          .first_point = points,
                                          .points = 2,
                                          .visits_done = 20,
                                          .visits_left = 60,
                                          .elapsed_s = 15,
                                          .eta_s = 45,
                                          .value = 118e-9,
                                          .precision = 0.021,
                                          .visits = 3,
                                          .visits_wanted = 5,
                                          .samples = 100,
                                          .samples_disturbed = 3,
                                          .state = AM_POINT_OK};

static size_t wide(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void test_words(void)
{
    struct am_progress_lines lines;
    struct am_progress p = middle;

    am_progress_lines(&p, 77, true, &lines);
    is_str(lines.far, "[####---------------]  25 %, 20 of 80, 0:15, 0:45 left, 3.0 % disturbed",
           "how far, how long yet, how disturbed");
    is_str(lines.what, "load latency by a pointer chase, size 256 MiB: 118 ns ±2.1 %, 3 of 5",
           "what, as far as it varies, and the value as it settles");
    am_progress_lines(&p, 0, false, &lines);
    is_str(lines.far, " 25 %, 20 of 80, 0:15, 0:45 left, 3.0 % disturbed",
           "a plain line has no bar");
    is_str(lines.what, "load latency by a pointer chase, size 256 MiB: 118 ns +-2.1 %, 3 of 5",
           "nor other than plain characters");
    p.precision = INFINITY;
    p.samples_disturbed = 0;
    p.visits = 1;
    am_progress_lines(&p, 77, true, &lines);
    is_str(lines.what, "load latency by a pointer chase, size 256 MiB: 118 ns, 1 of 5",
           "no interval, none said");
    ok(!strstr(lines.far, "disturbed"), "nothing disturbed, nothing said");
    p.metric = 1;
    am_progress_lines(&p, 77, true, &lines);
    is_str(lines.what, "load latency by a pointer chase, size 256 MiB: 118 nJ, 1 of 5",
           "a tuner may go by another metric");
    p.state = AM_POINT_SKIP;
    p.value = NAN;
    am_progress_lines(&p, 77, true, &lines);
    is_str(lines.what, "load latency by a pointer chase, size 256 MiB: skipped",
           "a point without a value says why");
    p.first_point = NULL;
    am_progress_lines(&p, 77, true, &lines);
    is_str(lines.what, "load latency by a pointer chase, size 256 MiB, pages any: skipped",
           "outside a plan every axis is told");
}

/* In any width, at any time, with any number. */
static void test_widths(void)
{
    size_t too_wide = 0, broken = 0, n = 0;

    for (unsigned columns = 20; columns <= 200; columns++) {
        for (int step = 0; step <= 20; step++) {
            struct am_progress p = middle;
            struct am_progress_lines lines;

            p.elapsed_s = step * 5000.0;
            p.eta_s = (20 - step) * 5000.0;
            p.visits_done = (size_t)step * 100000;
            p.value = pow(10, step - 12);
            am_progress_lines(&p, columns, step % 2, &lines);
            too_wide += wide(lines.far) > columns || wide(lines.what) > columns;
            broken += strchr(lines.far, '\n') || strchr(lines.what, '\n') || !lines.what[0];
            n++;
        }
    }
    ok(too_wide == 0 && broken == 0, "%zu lines fit their terminal", n);
}

static void test_ends(void)
{
    struct am_progress_lines lines;
    struct am_progress p = middle;

    p.elapsed_s = p.eta_s = 0;
    am_progress_lines(&p, 77, true, &lines);
    ok(strstr(lines.far, "100 %"), "a run without time is over: %s", lines.far);
    p.elapsed_s = 60;
    am_progress_lines(&p, 77, true, &lines);
    ok(strstr(lines.far, "[###################] 100 %"), "a full bar at the end: %s", lines.far);
    p.elapsed_s = 0;
    p.eta_s = 60;
    am_progress_lines(&p, 77, true, &lines);
    ok(strstr(lines.far, "[-------------------]   0 %"), "an empty one when it begins: %s",
       lines.far);
}

int main(void)
{
    test_words();
    test_widths();
    test_ends();
    return tap_done();
}
