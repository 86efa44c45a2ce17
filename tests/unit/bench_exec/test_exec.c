/* SPDX-License-Identifier: MIT */
/* The worker `exec`: descriptors from an experiment, command lines, builds, results, clocks. */
#include "bench/exec/cpufreq.h"
#include "bench/exec/interference.h"
#include "bench/exec/ledger.h"
#include "bench/exec/make.h"
#include "bench/exec/program.h"
#include "bench/exec/tests.h"

#include "tap.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[PATH_MAX]; /* of its own, below the working directory */

static const char *in_folder(const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *const path = paths[next++ % 4];

    (void)am_str_format(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *const file = fopen(in_folder(name), "w");

    if (!file)
        return;
    (void)fputs(text, file);
    (void)fclose(file);
}

static const char *get(const char *name)
{
    static char text[4096];
    FILE *const file = fopen(in_folder(name), "r");
    size_t n = 0;

    if (file) {
        n = fread(text, 1, sizeof(text) - 1, file);
        (void)fclose(file);
    }
    text[n] = '\0';
    return text;
}

/* ---- programs ---- */

static void test_program(void)
{
    static const struct {
        const char *argv[4];
        const char *story; /* NULL: it goes well */
        const char *output;
    } cases[] = {
        {{"sh", "-c", "echo out; echo err >&2"}, NULL, "out\nerr\n"},
        {{"sh", "-c", "echo last words; exit 7"}, "exit code 7: last words", "last words\n"},
        {{"sh", "-c", "kill -9 $$"}, "signal 9", ""},
        {{"/no/such/program"}, "cannot start /no/such/program", ""},
        {{"sh", "-c", "test ! -e /proc/self/fd/3 && echo $AM_X && pwd"}, NULL, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct am_exec_program program = {.argv = cases[i].argv,
                                                .folder = folder,
                                                .env = (const char *const[]){"AM_X=7 8"},
                                                .n_env = 1};
        struct am_exec_end end;
        struct am_err err = {0};
        const enum am_status s = am_exec_program_run(&program, &end, &err);

        if (cases[i].story)
            ok(s == AM_E_WRONG && strstr(err.text, cases[i].story), "%s is told (%s)",
               cases[i].story, err.text);
        else
            ok(s == AM_OK && end.elapsed_ns > 0, "program %zu goes well (%s)", i, err.text);
        if (cases[i].output)
            is_str(am_text_str(&end.output), cases[i].output, "and its output is heard");
        else
            ok(strncmp(am_text_str(&end.output), "7 8\n/", 5) == 0,
               "it has its environment and folder, and not the worker's descriptor");
        am_text_fini(&end.output);
    }
}

/* ---- points ---- */

static char notes[1024];

static void on_note(void *self, const char *key, const char *text)
{
    (void)self;
    (void)am_str_format(notes, sizeof(notes), "%s: %s", key, text);
}

/* What a program prints is passed on by the bench, for the conductor to keep; here it would stand
 * between lines of TAP. Returns what quiet_end() puts back. */
static int quiet_begin(void)
{
    const int saved = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)fflush(stdout);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)close(nowhere);
    }
    return saved;
}

static void quiet_end(int saved)
{
    (void)fflush(stdout);
    if (saved >= 0) {
        (void)dup2(saved, STDOUT_FILENO);
        (void)close(saved);
    }
}

/* Prepares a point (labels in axis order), runs it, and gives the first values. */
static enum am_status measure(const struct am_bench *bench, const char *const *labels,
                              struct am_batch *batch, struct am_err *err)
{
    const struct am_ctx ctx = {.bench = bench, .note = on_note};
    void *const state = calloc(1, bench->state_size);
    struct am_value values[AM_AXES_MAX];
    struct am_work work = {0};
    enum am_status s = AM_OK;
    const int saved = quiet_begin();

    for (size_t i = 0; s == AM_OK && bench->axes[i].name; i++)
        s = am_value_parse(&bench->axes[i], labels[i], strlen(labels[i]), &values[i], err);
    if (s == AM_OK)
        s = bench->prepare(state, &ctx, values, &work, err);
    if (s == AM_OK)
        s = bench->run_timed(state, 1, batch, err);
    bench->finish(state);
    free(state);
    quiet_end(saved);
    return s;
}

static const char experiment[] = "test a\n"
                                 "exec sh\n"
                                 "build sh -c 'echo {n} >> built'\n"
                                 "arg -c 'echo \"rt=$1 ms n=$2 [$A] [$3]\"' x {n} {n} '{text}'\n"
                                 "axis n 1,2\n"
                                 "text a b\n"
                                 "env A=<{n}>\n"
                                 "argv tail\n"
                                 "result rt ms lower rt=([0-9]+)\n"
                                 "iterations n=([0-9]+)\n"
                                 "run\n"
                                 "env A=plain\n"
                                 "run\n"
                                 "test mem.latency\n"
                                 "run\n";

static void test_points(void)
{
    struct am_arena arena = {0};
    const struct am_bench **benches = NULL;
    struct am_batch batch = {0};
    struct am_err err = {0};
    char text[8192];

    (void)am_str_format(text, sizeof(text), "folder %s\n%s", folder, experiment);
    put("a.exp", text);
    put("ledger", "");
    (void)setenv(AM_EXEC_LEDGER, in_folder("ledger"), 1);
    ok(am_exec_tests_load(in_folder("a.exp"), &arena, &benches, &err) == AM_OK && benches[0] &&
           !benches[1],
       "a program's test is a bench, a bench of ours is not (%s)", err.text);
    if (!benches || !benches[0])
        return;
    is_str(benches[0]->name, "exec.a", "its name");
    ok(benches[0]->axes[0].kind == AM_AXIS_INT && benches[0]->axes[1].kind == AM_AXIS_NAME,
       "numbers are numbers, texts are names");
    is_str(benches[0]->axes[2].name, "env", "what runs differ in is an axis");
    is_str(benches[0]->metrics[0].unit, "s", "results are in SI units");
    is_str(benches[0]->metrics[1].name, "time", "the time follows");
    is_str(benches[0]->metrics[2].name, "iterations", "then the weight");
    ok(measure(benches[0], (const char *const[]){"2", "a_b", "A=<{n}>"}, &batch, &err) == AM_OK,
       "a point is measured (%s)", err.text);
    is_near(batch.values[0], 2e-3, 1e-15, "its result is scaled");
    is_near(batch.values[2], 2, 1e-15, "its weight is read");
    ok(batch.values[1] > 0 && batch.elapsed_ns > 0, "its time is taken");
    ok(strstr(notes, "command_line: sh -c 'echo") && strstr(notes, "x 2 2 'a b' tail"),
       "its command line is noted (%s)", notes);
    (void)measure(benches[0], (const char *const[]){"2", "a_b", "A=plain"}, &batch, &err);
    is_str(get("built"), "2\n2\n", "another environment is built again");
    (void)measure(benches[0], (const char *const[]){"2", "a_b", "A=plain"}, &batch, &err);
    is_str(get("built"), "2\n2\n", "the same is not");
    (void)measure(benches[0], (const char *const[]){"1", "a_b", "A=plain"}, &batch, &err);
    is_str(get("built"), "2\n2\n1\n", "other words are");
    am_arena_fini(&arena);
}

/* ---- command lines ---- */

static char chosen[1024], attached[1024];

static void on_chosen(void *self, const char *name, const char *value)
{
    const size_t n = strlen(chosen);

    (void)self;
    (void)am_str_format(chosen + n, sizeof(chosen) - n, "%s=%s;", name, value);
}

static void on_attach(void *self, const char *name, const char *type, const void *data, size_t n)
{
    (void)self;
    (void)am_str_format(attached, sizeof(attached), "%s %s %.*s", name, type, (int)n,
                        (const char *)data);
}

static enum am_status time_it(const struct am_bench *bench, const char *const *labels,
                              struct am_batch *batch, struct am_err *err)
{
    const struct am_ctx ctx = {
        .bench = bench, .note = on_note, .chosen = on_chosen, .attach = on_attach};
    void *const state = calloc(1, bench->state_size);
    struct am_value values[AM_AXES_MAX];
    struct am_work work = {0};
    enum am_status s = AM_OK;

    chosen[0] = attached[0] = '\0';
    for (size_t i = 0; s == AM_OK && bench->axes[i].name; i++)
        s = am_value_parse(&bench->axes[i], labels[i], strlen(labels[i]), &values[i], err);
    if (s == AM_OK)
        s = bench->prepare(state, &ctx, values, &work, err);
    if (s == AM_OK)
        s = bench->run_timed(state, 1, batch, err);
    bench->finish(state);
    free(state);
    return s;
}

static const char commands[] = "test time\nshell auto\nexec {command}\nresources yes\n"
                               "printed last\nwarmup 2\ncodes any\n"
                               "prepare echo before {n} >> log\ncleanup echo after >> log\n"
                               "axis n 1,2\n"
                               "command sh -c 'echo $0 >> log; exit $0' {n}\nrun\n"
                               "command echo {n} | tee -a log\nrun\n";

static void test_commands(void)
{
    struct am_arena arena = {0};
    const struct am_bench **benches = NULL;
    struct am_batch batch = {0};
    struct am_err err = {0};
    char text[8192];
    const char *const direct[] = {"1", "sh_-c_'echo_$0_>>_log;_exit_$0'_{n}"};
    const char *const piped[] = {"2", "echo_{n}_|_tee_-a_log"};

    (void)am_str_format(text, sizeof(text), "folder %s\n%s", folder, commands);
    put("c.exp", text);
    put("ledger", "");
    put("log", "");
    ok(am_exec_tests_load(in_folder("c.exp"), &arena, &benches, &err) == AM_OK && benches[0],
       "commands are a bench (%s)", err.text);
    if (!benches || !benches[0])
        return;
    is_str(benches[0]->metrics[1].name, AM_SPEC_CPU, "behind the time: what they use");
    is_str(benches[0]->metrics[5].name, AM_SPEC_CODE, "and the code, where any is good");
    ok(time_it(benches[0], direct, &batch, &err) == AM_OK, "a command runs (%s)", err.text);
    is_str(get("log"), "before 1\n1\nafter\nbefore 1\n1\nafter\nbefore 1\n1\nafter\n",
           "after two that warm it up, each between what comes before and after it");
    is_near(batch.values[5], 1, 1e-12, "its code is a result");
    ok(batch.values[0] > 0 && batch.values[1] >= 0 && batch.values[4] > 0,
       "so are its times and its memory");
    ok(strstr(chosen, "typed=sh -c 'echo $0 >> log; exit $0' 1;starter=direct;memory_floor="),
       "nobody else starts it: %s", chosen);
    is_str(attached, "", "what prints nothing attaches nothing");
    put("log", "");
    (void)time_it(benches[0], direct, &batch, &err);
    is_str(get("log"), "before 1\n1\nafter\n", "it is warmed up once");
    put("log", "");
    ok(time_it(benches[0], piped, &batch, &err) == AM_OK, "a pipe runs (%s)", err.text);
    ok(strstr(chosen, "typed=echo 2 | tee -a log;starter=sh;"), "by a shell: %s", chosen);
    is_str(attached, "output text/plain 2\n", "and what it prints is attached");
    am_arena_fini(&arena);
}

/* ---- what runs beside ---- */

/* Whether the processes take anything within the test's patience. */
static bool takes(const struct am_interference *i, bool bytes)
{
    const struct timespec moment = {.tv_nsec = 10000000};

    for (unsigned tries = 0; tries < 3000; tries++) {
        const struct am_interference_taken taken = am_interference_read(i);

        if (bytes ? taken.bytes > 0 : taken.cpu_s > 0)
            return true;
        (void)nanosleep(&moment, NULL);
    }
    return false;
}

static void test_interference(void)
{
    static const struct {
        const char *text;
        bool bytes;
    } cases[] = {{"spin", false}, {"cache-256K", true}, {"memory-50", true}, {"share-50", false}};
    const int here = sched_getcpu(), same[] = {here, here}; /* one CPU is enough to see them work */
    const struct am_interference_cpus both = am_interference_split(same, 2),
                                      one = am_interference_split(same, 1);
    struct am_interference i = {0};
    struct am_beside beside = {0};
    struct am_err err = {0};

    ok(both.n_program == 1 && both.n_others == 1 && one.n_program == 1 && one.n_others == 0,
       "the program has half of the CPUs, rounded up");
    ok(am_interference_start(&i, &beside, &both, 1 << 20, &err) == AM_OK && i.n == 0,
       "nothing is nothing");
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        struct am_interference_taken end;

        ok(am_beside_parse(cases[k].text, &beside) &&
               am_interference_start(&i, &beside, &both, 1 << 20, &err) == AM_OK && i.n == 1,
           "%s begins (%s)", cases[k].text, err.text);
        ok(takes(&i, cases[k].bytes), "it takes what it must, and counts it");
        end = am_interference_read(&i);
        ok(cases[k].bytes || !(end.bytes > 0), "and nothing else");
        am_interference_stop(&i);
        ok(i.n == 0, "and ends");
    }
    ok(am_beside_parse("spin", &beside) &&
           am_interference_start(&i, &beside, &one, 1 << 20, &err) == AM_E_ABSENT,
       "one CPU has none beside it: %s", err.text);
    am_interference_stop(&i);
}

static void test_nothing(void)
{
    struct am_arena arena = {0};
    const struct am_bench **benches = NULL;
    struct am_err err = {0};

    ok(am_exec_tests_load(NULL, &arena, &benches, &err) == AM_OK && !benches[0],
       "without an experiment there is no bench");
    ok(am_exec_tests_load(in_folder("absent"), &arena, &benches, &err) == AM_E_SYS,
       "one that cannot be read is told");
    am_arena_fini(&arena);
}

/* ---- clocks ---- */

static void test_cpufreq(void)
{
    const int cpus[] = {0, 1};
    static const char *const folders[] = {"sys",
                                          "sys/devices",
                                          "sys/devices/system",
                                          "sys/devices/system/cpu",
                                          "sys/devices/system/cpu/cpu0",
                                          "sys/devices/system/cpu/cpu0/cpufreq"};
    struct am_exec_cpufreq f = {0};
    struct am_err err = {0};

    ok(!am_exec_cpufreq_writable(folder), "no limits, nothing to set");
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        (void)mkdir(in_folder(folders[i]), 0777);
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", "800000\n");
    put("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "3600000\n");
    ok(am_exec_cpufreq_writable(folder), "limits that can be written are found");
    ok(am_exec_cpufreq_set(&f, folder, cpus, 1, 2000000, &err) == AM_OK, "they are set (%s)",
       err.text);
    is_str(get("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq"), "2000000", "the lower");
    is_str(get("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq"), "2000000", "the upper");
    am_exec_cpufreq_restore(&f);
    is_str(get("sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq"), "800000", "and put back");
    ok(am_exec_cpufreq_set(&f, folder, cpus, 2, 2000000, &err) == AM_E_ABSENT &&
           strstr(err.text, "CPU 1"),
       "a CPU without limits is told");
    am_exec_cpufreq_restore(&f);
    is_str(get("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq"), "3600000",
           "and the others are put back");
}

int main(void)
{
    char name[] = "am-exec-XXXXXX";
    struct am_exec_end end;

    if (!mkdtemp(name) || !realpath(name, folder))
        return 1;
    test_program();
    test_points();
    test_commands();
    test_interference();
    test_nothing();
    test_cpufreq();
    (void)am_exec_program_run(
        &(struct am_exec_program){.argv = (const char *const[]){"rm", "-r", folder, NULL},
                                  .folder = "."},
        &end, NULL);
    am_text_fini(&end.output);
    return tap_done();
}
