/* SPDX-License-Identifier: MIT */
/* The command line of archmeter-mpi: what each node measures, what all ranks do together. */
#include "base/clock.h"
#include "cluster/part.h"
#include "cluster/talk.h"
#include "cluster/words.h"

#include "tap.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const struct am_axis axes[] = {{.name = "ranks"}, {.name = "size"}, {.name = NULL}};
static const struct am_cluster_bench joint[] = {
    {"mpi.pingpong", axes}, {"mpi.halo", axes}, {NULL, NULL}};

static enum am_status parse(const char *line, struct am_arena *arena, struct am_cluster_words *out,
                            struct am_err *err)
{
    const char *argv[32] = {"archmeter-mpi"};
    char *text = am_arena_strdup(arena, line);
    int argc = 1;

    for (char *word = strsep(&text, " "); word && argc < 31; word = strsep(&text, " "))
        argv[argc++] = word;
    return am_cluster_words_parse(argc, argv, joint, arena, out, err);
}

static const char *joined(const struct am_strings *command, struct am_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < command->n; i++)
        text = am_arena_printf(arena, "%s%s%s", text, i ? " " : "", command->items[i]);
    return text;
}

#define AXES "--joint-axes=ranks,size,ranks,size,"

static void test_split(void)
{
    static const struct {
        const char *line, *local, *joint;
    } cases[] = {
        {"run -o x.db", "run " AXES, "run --quick mpi.pingpong mpi.halo"},
        {"run --quick mem.* -o x.db", "run --quick " AXES " mem.*", ""},
        {"run mpi.halo -o x.db --quick", "", "run --quick mpi.halo"},
        {"run * --output=x.db -p size=8", "run -p size=8 " AXES " *",
         "run -p size=8 mpi.pingpong mpi.halo"},
        {"run mpi.halo cpu.* -p isa=avx2 --param=size=8 --param=op=fma -o x.db",
         "run -p isa=avx2 --param=size=8 --param=op=fma " AXES " cpu.*",
         "run --param=size=8 mpi.halo"},
        {"run null mpi.p* --report -o x.db", "run " AXES " null", "run mpi.pingpong"},
        {"run mpi* -o x.db", "", "run mpi.pingpong mpi.halo"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        struct am_cluster_words words;
        struct am_err err = {0};

        ok(parse(cases[i].line, &arena, &words, &err) == AM_OK && strcmp(words.output, "x.db") == 0,
           "%s (%s)", cases[i].line, err.text);
        is_str(joined(&words.local, &arena), cases[i].local, "what every node measures");
        is_str(joined(&words.joint, &arena), cases[i].joint, "what all ranks do together");
        am_arena_fini(&arena);
    }
}

static void test_options(void)
{
    struct am_arena arena = {0};
    struct am_cluster_words words;
    struct am_err err = {0};

    ok(parse("run -o x.db --nodes one-by-one --node-limit 2m --report", &arena, &words, &err) ==
               AM_OK &&
           words.order == AM_NODES_ONE_BY_ONE && words.node_limit_s == 120 && words.report,
       "order, limit and report are read (%s)", err.text);
    ok(words.launch_limit_s == 300, "without a word a launch is one of the longest profile");
    ok(parse("run -o x.db --launch-limit 2s --silence 5s", &arena, &words, &err) == AM_OK &&
           words.launch_limit_s == 2 && words.silence_s == 5,
       "limits of launches and of silence are read (%s)", err.text);
    ok(parse("--help", &arena, &words, &err) == AM_OK && words.help, "--help needs nothing else");
    am_arena_fini(&arena);
}

static void test_bad_words(void)
{
    static const struct {
        const char *line, *story;
    } cases[] = {
        {"run null", "-o FILE"},
        {"run -o", "needs a value"},
        {"run -o x.db --nodes onebyone", "did you mean \"one-by-one\""},
        {"run -o x.db --node-limit soon", "not \"soon\""},
        {"run -o x.db --qick", "--quick"},
        {"show x.db -o y.db", "run only"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        struct am_cluster_words words;
        struct am_err err = {0};

        ok(parse(cases[i].line, &arena, &words, &err) == AM_E_USAGE &&
               strstr(err.text, cases[i].story),
           "%s is refused (%s)", cases[i].line, err.text);
        am_arena_fini(&arena);
    }
}

/* There is no archmeter beside a test program: the part says so. */
static void test_part(void)
{
    struct am_part part;
    struct am_err err = {0};
    const char *items[] = {"run"};
    const struct am_strings command = {.items = items, .n = 1};
    char reason[AM_PART_REASON_MAX], folder[AM_PART_PATH_MAX];

    ok(am_part_open(&part, &err) == AM_OK && access(part.folder, W_OK) == 0,
       "a part has a folder of its own");
    ok(am_part_start(&part, &command, false, &err) != AM_OK && strstr(err.text, "cannot start"),
       "a program that is not there is told (%s)", err.text);
    part.code = 137;
    am_part_reason(&part, reason);
    ok(strstr(reason, "code 137"), "a killed one is told by its code (%s)", reason);
    part.code = 1;
    am_part_reason(&part, reason);
    is_str(reason, "", "code 1 is complete: failed points are stored");
    ok(!am_part_has_file(&part), "without a run there is no file");
    memcpy(folder, part.folder, sizeof(folder));
    am_part_remove(&part);
    ok(access(folder, F_OK) != 0, "and nothing is left behind");
}

/* A process in the place of an archmeter: `how` is what a shell does. */
static void stand_in(struct am_part *part, const char *how)
{
    const char *const argv[] = {"sh", "-c", how, NULL};

    ok(am_child_start(&(struct am_child_plan){.argv = argv}, &part->child, NULL) == AM_OK,
       "a stand-in is started");
}

static void await_end(struct am_part *part)
{
    while (!am_part_ended(part)) /* a hang is the test runner's business */
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static void test_limit(void)
{
    struct am_part part = {.limit_s = 0.05};
    char reason[AM_PART_REASON_MAX];

    stand_in(&part, "exec sleep 60");
    await_end(&part);
    am_part_reason(&part, reason);
    ok(!part.child.running && part.late && strstr(reason, "longer than 0.05 s"),
       "a part that is too late is stopped, and says so (%s)", reason);
    part = (struct am_part){.limit_s = 60};
    stand_in(&part, "exit 130");
    await_end(&part);
    am_part_reason(&part, reason);
    is_str(reason, "interrupted", "one that was interrupted says that");
    ok(!part.late, "and is not late");
}

static void test_intervals(void)
{
    static const struct {
        double asked_s;
        int ranks;
        double interval_s, silence_s;
    } cases[] = {{30, 4, 1, 30}, {1.5, 4, 0.5, 1.5}, {30, 16000, 16, 48}, {1, 2000, 2, 6}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const double interval_s = am_talk_interval_s(cases[i].asked_s, cases[i].ranks);
        const double silence_s = am_talk_silence_s(cases[i].asked_s, cases[i].ranks);

        ok(interval_s == cases[i].interval_s && silence_s == cases[i].silence_s,
           "%d ranks and %g s of silence: a sign of life every %g s, lost after %g s",
           cases[i].ranks, cases[i].asked_s, interval_s, silence_s);
    }
}

int main(void)
{
    test_split();
    test_options();
    test_bad_words();
    test_part();
    test_limit();
    test_intervals();
    return tap_done();
}
