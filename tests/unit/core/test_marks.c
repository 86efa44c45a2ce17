/* SPDX-License-Identifier: MIT */
/* Marks: programs that nest, recur, overlap, forget, fork and crash, and what is read of them. */
#include <archmeter/mark.h>

#include "core/marks/marks.h"

#include "marks_fixture.h"
#include "tap.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>

enum { MANY = 1000000, NAMES = 5000, TOO_MANY = 20000, DEEP = 1500, THREADS = 4, TURNS = 50 };

static uint64_t calls_of(const struct am_marks *marks, const char *path)
{
    const struct am_marks_region *const r = am_marks_find(marks, path);

    return r ? r->calls : 0;
}

static void is_calls(const struct am_marks *marks, const char *path, uint64_t calls)
{
    const uint64_t got = calls_of(marks, path);

    ok(got == calls, "%s has %" PRIu64 " calls (%" PRIu64 ")", path, calls, got);
}

/* Self times of all regions are the time of what is outside of all others. */
static void adds_up(const struct am_marks *marks, double outermost)
{
    ok(marks->self_s > 0 && fabs(marks->self_s - outermost) < 1e-9 * outermost + 1e-9,
       "self times (%g s) add up to the outermost regions' (%g s)", marks->self_s, outermost);
}

static double total_of(const struct am_marks *marks, const char *name)
{
    const struct am_marks_region *const r = am_marks_find(marks, name);

    return r ? r->total_s : NAN;
}

static void spin(void)
{
    for (volatile int i = 0; i < 1000; i++)
        continue;
}

/* ---- nesting ---- */

static void nest(void)
{
    for (int i = 0; i < TURNS; i++) {
        am_mark_begin("outer");
        am_mark_begin("inner");
        spin();
        am_mark_end_work("inner", 1e3, 64, 32);
        am_mark_begin("inner");
        am_mark_end("inner");
        am_mark_begin("twice");
        am_mark_end("twice");
        am_mark_end("outer");
        am_mark_begin("twice");
        am_mark_end("twice");
    }
}

static void test_nesting(void)
{
    const struct am_marks m = marks_of(nest);
    const struct am_marks_region *const inner = am_marks_find(&m, "inner");
    const struct am_marks_region *const outer = am_marks_find(&m, "outer");
    const struct am_marks_region *const twice = am_marks_find(&m, "twice");

    ok(m.n == 3 && m.files == 1 && m.processes == 1, "three regions of one thread");
    is_calls(&m, "outer", TURNS);
    is_calls(&m, "inner", 2 * TURNS);
    is_calls(&m, "twice", 2 * TURNS);
    ok(inner && outer && inner->time_s < outer->time_s && outer->self_s > 0 &&
           outer->self_s <= outer->time_s - inner->time_s + 1e-9,
       "inner's time is part of outer's, and no part of its self time");
    ok(outer && m.self_s > outer->total_s && twice &&
           m.self_s < outer->total_s + twice->total_s + 1e-9,
       "self times add up to outer's time and to what is outside of it");
    is_str(inner ? inner->within : NULL, "outer", "inner is within outer");
    is_str(outer ? outer->within : NULL, "", "outer is within none");
    is_str(twice ? twice->within : "?", NULL, "a region may be within and without");
    ok(inner && fabs(inner->flops - 1e3 * TURNS) < 0.5 &&
           fabs(inner->bytes_read - 64 * TURNS) < 0.5 &&
           fabs(inner->bytes_written - 32 * TURNS) < 0.5,
       "stated work is added up");
    ok(inner && inner->longest_s > 0 && inner->longest_s <= inner->time_s, "the longest call");
    is_str(trouble_of(&m), "", "nothing to tell");
}

/* ---- recursion ---- */

static void even(int n);

static void odd(int n)
{
    am_mark_begin("odd");
    spin();
    if (n)
        even(n - 1);
    am_mark_end("odd");
}

static void even(int n)
{
    am_mark_begin("even");
    spin();
    if (n)
        odd(n - 1);
    am_mark_end("even");
}

static void recur(void)
{
    even(99);
}

static void test_recursion(void)
{
    const struct am_marks m = marks_of(recur);
    const struct am_marks_region *const outer = am_marks_find(&m, "even");
    const struct am_marks_region *const inner = am_marks_find(&m, "odd");

    ok(m.n == 2, "a region inside itself is the same region (%zu)", m.n);
    is_calls(&m, "even", 50);
    is_calls(&m, "odd", 50);
    adds_up(&m, total_of(&m, "even"));
    ok(outer && inner && inner->time_s <= outer->time_s && outer->longest_s <= outer->time_s + 1e-9,
       "time counts once, however deep");
}

/* ---- unbalanced ---- */

static void overlap(void)
{
    am_mark_begin("first");
    am_mark_begin("second");
    spin();
    am_mark_end("first");
    am_mark_end("second");
    am_mark_end("never");
    am_mark_begin("third");
    am_mark_end("third");
}

static void test_overlap(void)
{
    const struct am_marks m = marks_of(overlap);

    is_calls(&m, "first", 1);
    is_calls(&m, "second", 1);
    is_calls(&m, "third", 1);
    adds_up(&m, total_of(&m, "first") + total_of(&m, "third"));
    is_str(trouble_of(&m),
           "2 ends without a begin (first: second); 1 calls ended by the end of an outer region "
           "(first: second)",
           "overlapping regions are told");
}

static void stay_open(void)
{
    am_mark_begin("main");
    am_mark_begin("part");
    spin();
    exit(0);
}

static void die(void)
{
    am_mark_begin("done");
    spin();
    am_mark_end("done");
    am_mark_begin("open");
    (void)raise(SIGKILL);
}

static void test_ends(void)
{
    const struct am_marks left = marks_of(stay_open), killed = marks_of(die);

    is_calls(&left, "main", 1);
    is_calls(&left, "part", 1);
    adds_up(&left, total_of(&left, "main"));
    ok(strstr(trouble_of(&left), "2 calls ended by the end of their thread or of the program"),
       "regions that are open at the program's end, end there: %s", trouble_of(&left));
    is_calls(&killed, "done", 1);
    is_calls(&killed, "open", 0);
    is_str(trouble_of(&killed), "1 calls that never ended (first: open)",
           "a program that is killed loses the open region alone");
}

/* ---- many ---- */

static void repeat(void)
{
    for (int i = 0; i < MANY / 2; i++) {
        am_mark_begin("loop");
        am_mark_end("loop");
    }
}

static void name_names(int n)
{
    char name[32];

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < n; i++) {
            (void)snprintf(name, sizeof(name), "region %d", i);
            am_mark_begin(name);
            am_mark_end(name);
        }
    }
}

static void name_many(void)
{
    name_names(NAMES);
}

static void name_too_many(void)
{
    name_names(TOO_MANY);
}

static void dig(void)
{
    static char names[DEEP][16];

    for (int i = 0; i < DEEP; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%d", i);
        am_mark_begin(names[i]);
    }
    for (int i = DEEP; i-- > 0;)
        am_mark_end(names[i]);
    am_mark_begin("after");
    am_mark_end("after");
}

static void name_oddly(void)
{
    char name[300];

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    am_mark_begin(NULL);
    am_mark_end("");
    am_mark_begin(" a\n\xc3\xa4, b=\"{c}\" ");
    am_mark_end(" a\n\xc3\xa4, b=\"{c}\" ");
    am_mark_begin(name);
    am_mark_end(name);
}

static void test_many(void)
{
    const struct am_marks million = marks_of(repeat), many = marks_of(name_many);
    const struct am_marks more = marks_of(name_too_many), deep = marks_of(dig);
    const struct am_marks odd_names = marks_of(name_oddly);
    uint64_t calls = 0;

    is_calls(&million, "loop", MANY / 2);
    ok(many.n == NAMES, "%d names from one buffer are as many regions (%zu)", NAMES, many.n);
    is_calls(&many, "region 4999", 2);
    for (size_t i = 0; i < more.n; i++)
        calls += more.items[i].calls;
    ok(calls == (uint64_t)2 * TOO_MANY && calls_of(&more, "(too many regions)") > 0,
       "no call of %d regions is lost", TOO_MANY);
    is_calls(&deep, "after", 1);
    ok(deep.lost == DEEP - AM_MARK_FRAMES_MAX, "what is nested too deeply is counted");
    adds_up(&deep, total_of(&deep, "0") + total_of(&deep, "after"));
    is_calls(&odd_names, "(unnamed)", 1);
    is_calls(&odd_names, "_a___, b=\"{c}\"_", 1);
    ok(odd_names.n == 3, "a long name is cut, not refused");
    is_str(trouble_of(&odd_names), "", "odd names are balanced");
}

/* ---- threads and processes ---- */

static void *work(void *unused)
{
    (void)unused;
    am_mark_begin("thread");
    spin();
    am_mark_begin("step");
    am_mark_end("step");
    am_mark_end("thread");
    am_mark_begin("forgotten");
    return NULL;
}

static void one_by_one(void)
{
    for (int i = 0; i < TURNS; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, work, NULL) == 0)
            (void)pthread_join(thread, NULL);
    }
}

static pthread_barrier_t barrier;

static void *meet(void *unused)
{
    (void)unused;
    am_mark_begin("together");
    (void)pthread_barrier_wait(&barrier);
    am_mark_end_work("together", 1, 2, 3);
    return NULL;
}

static void together(void)
{
    pthread_t threads[THREADS];

    (void)pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_create(&threads[i], NULL, meet, NULL);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
}

static void test_threads(void)
{
    const struct am_marks in_turn = marks_of(one_by_one), at_once = marks_of(together);
    const struct am_marks_region *const r = am_marks_find(&at_once, "together");

    is_calls(&in_turn, "thread", TURNS);
    is_calls(&in_turn, "step", TURNS);
    is_calls(&in_turn, "forgotten", TURNS);
    ok(in_turn.files == 1, "threads that end hand their file on (%zu)", in_turn.files);
    adds_up(&in_turn, total_of(&in_turn, "thread") + total_of(&in_turn, "forgotten"));
    ok(r && r->calls == THREADS && r->threads == THREADS && at_once.threads == THREADS,
       "threads at a time are told apart");
    ok(r && fabs(r->flops - THREADS) < 0.5 && r->time_s <= r->total_s &&
           r->total_s <= THREADS * r->time_s + 1e-9,
       "time is the longest thread's, work that of all");
}

static void split(void)
{
    am_mark_begin("parent");
    for (int i = 0; i < 3; i++) {
        const pid_t pid = fork();

        if (pid == 0) {
            (void)setenv("PMI_RANK", i == 0 ? "0" : "1", 1);
            am_mark_begin("child");
            spin();
            am_mark_end("child");
            am_mark_end("parent");
            _exit(0);
        }
        (void)waitpid(pid, NULL, 0);
    }
    am_mark_end("parent");
}

static void replace(void)
{
    am_mark_begin("before");
    am_mark_end("before");
    am_mark_begin("across");
    (void)execl("/bin/true", "true", (char *)NULL);
}

static void test_processes(void)
{
    const struct am_marks forked = marks_of(split), replaced = marks_of(replace);

    is_calls(&forked, "parent", 1);
    is_calls(&forked, "child", 3);
    ok(forked.processes == 4 && forked.ranks == 2, "four processes, two ranks (%zu, %zu)",
       forked.processes, forked.ranks);
    ok(forked.unopened == 3, "a child has none of its parent's regions open");
    is_calls(&replaced, "before", 1);
    is_str(trouble_of(&replaced), "1 calls that never ended (first: across)",
           "exec ends no region, and loses none");
}

static void stay_off(void)
{
    (void)unsetenv(AM_MARK_VARIABLE);
    am_mark_begin("off");
    am_mark_end("off");
    _exit(am_mark_state_);
}

static void no_folder(void)
{
    (void)setenv(AM_MARK_VARIABLE, "ticks:/nowhere/at/all", 1);
    am_mark_begin("off");
    am_mark_end("off");
}

static void by_clock(void)
{
    char text[400];

    (void)snprintf(text, sizeof(text), "clock:%s", strchr(getenv(AM_MARK_VARIABLE), ':') + 1);
    (void)setenv(AM_MARK_VARIABLE, text, 1);
    nest();
}

static void test_off(void)
{
    const struct am_marks off = marks_of(stay_off), lost = marks_of(no_folder);
    const struct am_marks clocked = marks_of(by_clock);

    ok(off.n == 0 && off.files == 0, "without the variable nothing is written");
    ok(lost.n == 0 && lost.files == 0, "a folder that is not there turns marks off");
    is_calls(&clocked, "inner", 2 * TURNS);
    ok(total_of(&clocked, "inner") < total_of(&clocked, "outer"), "the system's clock serves too");
}

int main(void)
{
    test_nesting();
    test_recursion();
    test_overlap();
    test_ends();
    test_many();
    test_threads();
    test_processes();
    test_off();
    am_arena_fini(&arena);
    return tap_done();
}
