/* SPDX-License-Identifier: MIT */
/* The screen of commands from made-up executions: rows, verdicts that are true, and that it fits.
 */
#include "base/rng.h"
#include "base/text.h"
#include "core/spec/commands.h"
#include "document/commands/timing.h"
#include "model/among.h"
#include "write/write.h"

#include "result_fixture.h"
#include "tap.h"

#include <stdlib.h>

enum { LAUNCHES = 12 };

/* A command whose executions take `seconds` with a noise of `spread`, drawn by the seed. */
static struct am_result *put_command(struct rx_run *run, const char *line, double seconds,
                                     double spread, uint64_t seed)
{
    const char *const point = am_arena_printf(&run->arena, "command=c%zu", run->set.n);
    struct am_result *const r = rx_add(run, "exec." AM_COMMANDS_TEST, point,
                                       (const struct rx_metric[]){{AM_SPEC_TIME, "s", seconds},
                                                                  {AM_SPEC_CPU, "s", 0.9 * seconds},
                                                                  {AM_SPEC_MEMORY, "B", 3 << 20}});
    double *const values = am_arena_array(&run->arena, LAUNCHES, sizeof(*values));
    struct am_launch_values *const launches =
        am_arena_array(&run->arena, LAUNCHES, sizeof(*launches));
    struct am_rng rng;

    am_rng_seed(&rng, seed, run->set.n);
    for (size_t i = 0; i < LAUNCHES; i++) {
        values[i] = seconds * (1 + spread * (2 * am_rng_unit(&rng) - 1));
        launches[i] = (struct am_launch_values){.values = &values[i], .n = 1};
    }
    r->metrics[0].series = (struct am_series){.launches = launches, .n = LAUNCHES};
    am_kvs_add(&r->chosen, &run->arena, AM_SPEC_TYPED, line);
    am_kvs_add(&r->chosen, &run->arena, AM_SPEC_STARTER,
               am_spec_needs_shell(line) ? AM_SPEC_STARTER_SHELL : AM_SPEC_STARTER_NONE);
    am_kvs_add(&r->chosen, &run->arena, AM_SPEC_FLOOR, "2097152");
    return r;
}

static struct rx_run begin(void)
{
    struct rx_run run = {0};

    am_kvs_add(&run.set.settings, &run.arena, AM_COMMANDS_KIND, AM_COMMANDS_KIND_TIME);
    am_kvs_add(&run.set.machine, &run.arena, "model_name", "Made Up 3000");
    run.set.run.state = AM_RUN_DONE;
    return run;
}

/* As `archmeter time` shows it. `doubted`: a command whose times are of grade C; NULL: none. */
static char *shown_with(struct rx_run *run, enum am_format format, bool all,
                        struct am_result *doubted)
{
    static const struct am_compare_settings settings = {
        .delta = 0.02, .level = 0.95, .basis = AM_BASIS_WITHIN_RUN, .graded = true};
    struct am_timed_commands commands;
    struct am_comparison pairs;
    const struct am_timing_view view = {.set = &run->set,
                                        .commands = &commands,
                                        .pairs = &pairs,
                                        .settings = &settings,
                                        .path = "x.db",
                                        .all = all};
    const struct am_document document = am_document_timing(&view);
    const struct am_style style = {.format = format, .utf8 = true};
    const struct am_result *results[RX_RESULTS_MAX];
    struct am_err err = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    am_evidence_settle(&run->set);
    for (size_t i = 0; i < run->set.n; i++)
        run->set.results[i].metrics[0].grading = (struct am_grading){0};
    if (doubted)
        doubted->metrics[0].grading.grade = AM_GRADE_C;
    ok(am_timed_is(&run->set) && am_timed_of(&run->set, &run->arena, &commands), "commands");
    for (size_t i = 0; i < commands.n; i++)
        results[i] = commands.items[i].result;
    ok(am_compare_among(results, commands.n, &settings, &run->arena, &pairs, &err) == AM_OK,
       "%zu pairs (%s)", pairs.n, err.text);
    am_write(&document, &style, &run->arena, out);
    (void)fclose(out);
    return text;
}

static char *shown(struct rx_run *run, enum am_format format, bool all)
{
    return shown_with(run, format, all, NULL);
}

static bool has(const char *text, const char *part)
{
    const bool found = strstr(text, part) != NULL;

    if (!found)
        printf("# \"%s\" is not on the screen\n", part);
    return found;
}

static void fits(const char *text, const char *what)
{
    size_t lines = 0, widest = 0, wide = 0;

    for (const char *c = text; *c; c++) {
        if (*c == '\n') {
            lines++;
            wide = 0;
        } else if (((unsigned char)*c & 0xc0) != 0x80) {
            wide++;
        }
        widest = wide > widest ? wide : widest;
    }
    ok(lines <= AM_TIMING_LINES && widest <= AM_TIMING_COLUMNS,
       "%s fits: %zu lines of up to %zu columns", what, lines, widest);
}

static void test_verdicts(void)
{
    struct rx_run run = begin();
    char *text;

    (void)put_command(&run, "slow --very-long-option=with/a/long/value and more", 0.2, 0.01, 7);
    (void)put_command(&run, "fast | sort", 0.1, 0.01, 7);
    (void)put_command(&run, "fast2", 0.1, 0.001, 7);
    (void)put_command(&run, "fast3", 0.1, 0.001, 7);
    text = shown(&run, AM_FORMAT_TABLE, false);
    ok(has(text, "faster than A: significant"), "a command of half the time is faster");
    ok(has(text, "2.0"), "twice, about");
    ok(strstr(text, "C and D are the same within 2 %") ||
           strstr(text, "D and C are the same within 2 %"),
       "equal ones with little noise are the same");
    ok(has(text, "slow --very-long-option=with.."), "a long line is cut");
    ok(has(text, "/bin/sh starts B"), "who is started by a shell is said");
    ok(has(text, "3 MiB"), "memory above the worker's own is told");
    fits(text, "four commands");
    free(text);
    am_arena_fini(&run.arena);
}

/* Grade C concludes nothing: not that a command is faster, whatever the factor. */
static void test_grades(void)
{
    struct rx_run run = begin();
    struct am_result *busy;
    char *text;

    (void)put_command(&run, "slow", 0.2, 0.01, 7);
    busy = put_command(&run, "busy", 0.1, 0.01, 7);
    (void)put_command(&run, "fast", 0.1, 0.001, 7);
    (void)put_command(&run, "alike", 0.1, 0.001, 7);
    text = shown_with(&run, AM_FORMAT_TABLE, true, busy);
    ok(has(text, "B may be 2.0") && has(text, "faster than A: unsure, grade C"),
       "a difference of a command of grade C is unsure");
    ok(has(text, "C is 2.0") && has(text, "faster than A: significant"), "others are not");
    ok(has(text, "the same within 2 %"), "nor is what is the same");
    free(text);
    text = shown_with(&run, AM_FORMAT_JSON, true, busy);
    ok(has(text, "\"verdict\": \"faster?\"") && has(text, "\"verdict\": \"faster\"") &&
           has(text, "one of them of grade C"),
       "JSON says the same, and why");
    free(text);
    text = shown_with(&run, AM_FORMAT_TABLE, true, NULL);
    ok(strstr(text, "grade C") == NULL && has(text, "B is 2.0"), "without it both are");
    free(text);
    am_arena_fini(&run.arena);
}

/* Noise of 40 % against a difference of 1 %. */
static void test_undecided(void)
{
    struct rx_run run = begin();
    char *text;

    (void)put_command(&run, "a", 0.1, 0.4, 11);
    (void)put_command(&run, "b", 0.101, 0.4, 12);
    (void)put_command(&run, "c", 0.13, 0.4, 13);
    text = shown(&run, AM_FORMAT_TABLE, false);
    ok(has(text, "undecided"), "what noise hides is undecided");
    ok(strstr(text, "significant") == NULL, "and nothing is called significant");
    fits(text, "what is unsure");
    free(text);
    am_arena_fini(&run.arena);
}

static void test_failed(void)
{
    struct rx_run run = begin();
    struct am_result *r;
    char *text;

    (void)put_command(&run, "a", 0.1, 0.01, 1);
    r = put_command(&run, "b", 0.1, 0.01, 1);
    r->state = AM_POINT_FAIL;
    r->reason = "b ended with exit code 3";
    r->failures = 1;
    run.set.run.state = AM_RUN_INTERRUPTED;
    text = shown(&run, AM_FORMAT_TABLE, false);
    ok(has(text, "B fail: b ended with exit code 3"), "a failure has its reason");
    ok(has(text, "archmeter resume x.db"), "and how to go on");
    free(text);
    am_arena_fini(&run.arena);
}

static void test_many(void)
{
    struct rx_run run = begin();
    char *text;

    for (size_t i = 0; i < 30; i++)
        (void)put_command(&run, "many", 0.1 * (double)(i + 1), 0.01, i);
    text = shown(&run, AM_FORMAT_TABLE, false);
    fits(text, "thirty commands");
    ok(has(text, "pairs more: archmeter show -v"), "what is left out is counted");
    free(text);
    text = shown(&run, AM_FORMAT_TABLE, true);
    ok(has(text, "A2"), "all are there when asked for");
    free(text);
    text = shown(&run, AM_FORMAT_CSV, false);
    ok(has(text, "name,command,median"), "CSV has a row per command");
    free(text);
    text = shown(&run, AM_FORMAT_JSON, false);
    ok(has(text, "\"verdicts\"") && has(text, "\"faster\": \"A\""), "JSON has the verdicts");
    free(text);
    am_arena_fini(&run.arena);
}

int main(void)
{
    test_verdicts();
    test_grades();
    test_undecided();
    test_failed();
    test_many();
    return tap_done();
}
