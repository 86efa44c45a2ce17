/* SPDX-License-Identifier: MIT */
/* Marks: events that threads count, and when regions were there. */
#include <archmeter/mark.h>

#include "core/marks/marks.h"

#include "base/clock.h"
#include "marks_fixture.h"
#include "tap.h"

#include <math.h>

enum { TURNS = 50 };

static void nest(void)
{
    for (int i = 0; i < TURNS; i++) {
        am_mark_begin("outer");
        am_mark_begin("inner");
        am_mark_end("inner");
        am_mark_begin("inner");
        am_mark_end("inner");
        am_mark_end("outer");
    }
}

/* ---- events ---- */

enum { PAGES = 300, PAGE = 4096 };

/* The kernel's page faults: one per page that is touched for the first time. */
static void count_faults(void)
{
    char *const memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)madvise(memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
    (void)setenv(AM_MARK_EVENTS_VARIABLE, "1:2:0:0 1:1:0:0", 1);
    am_mark_begin("outer");
    am_mark_begin("touch");
    for (int i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    am_mark_end("touch");
    am_mark_begin("touch"); /* again: they are there now */
    for (int i = 0; i < PAGES; i++)
        memory[i * PAGE] = 2;
    am_mark_end("touch");
    am_mark_end("outer");
}

static void *touch_some(void *unused)
{
    (void)unused;
    count_faults();
    return NULL;
}

static void count_in_turn(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, touch_some, NULL) == 0)
            (void)pthread_join(thread, NULL);
    }
}

static void count_nonsense(void)
{
    (void)setenv(AM_MARK_EVENTS_VARIABLE, "1:2:0:0 ffff:ffff:0:0", 1);
    nest();
}

static bool near_count(double count, double want)
{
    /* Tables and stacks have pages too, and the shadow of a sanitizer has one per eight. */
    return count >= want && count <= want * 9 / 8 + 20;
}

static void test_events(void)
{
    const struct am_marks m = marks_of(count_faults), turns = marks_of(count_in_turn);
    const struct am_marks none = marks_of(count_nonsense), plain = marks_of(nest);
    const struct am_marks_region *const touch = am_marks_find(&m, "touch");
    const struct am_marks_region *const outer = am_marks_find(&m, "outer");
    const struct am_marks_region *const thrice = am_marks_find(&turns, "touch");
    const struct am_marks_region *const inner = am_marks_find(&none, "inner");

    ok(inner && !inner->counted && none.events_error,
       "an event that is none: no region is counted");
    ok(strstr(trouble_of(&none), "could not count events"), "and that is told: %s",
       trouble_of(&none));
    ok(inner && inner->calls == (uint64_t)2 * TURNS, "its calls and times are there all the same");
    ok(!am_marks_find(&plain, "inner")->counted && !plain.events_error,
       "none asked for, none told");
    if (m.events_error) {
        skip_test("perf_event_open is refused here");
        return;
    }
    ok(touch && touch->counted && near_count(touch->counts[0], PAGES),
       "%d pages are touched once (%g faults)", PAGES, touch ? touch->counts[0] : 0);
    ok(touch && touch->counts[1] > 0 && outer && outer->counts[1] >= touch->counts[1],
       "the second event is counted too, and the outer region has what the inner has");
    ok(thrice && thrice->counted && near_count(thrice->counts[0], 3 * PAGES),
       "threads that use one file in turn count their own (%g)", thrice ? thrice->counts[0] : 0);
}

/* ---- moments ---- */

static void pause_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&t, NULL);
}

/* Two regions in turn, inside one that is there all the time. */
static void take_turns(void)
{
    am_mark_begin("whole");
    for (int i = 0; i < 20; i++) {
        am_mark_begin("this");
        pause_ms(1);
        am_mark_end("this");
        am_mark_begin("that");
        pause_ms(1);
        am_mark_end("that");
    }
    am_mark_end("whole");
}

static void take_turns_by_clock(void)
{
    char text[400];

    (void)snprintf(text, sizeof(text), "clock:%s", strchr(getenv(AM_MARK_VARIABLE), ':') + 1);
    (void)setenv(AM_MARK_VARIABLE, text, 1);
    take_turns();
}

static void test_moments(void (*body)(void), const char *clock)
{
    const uint64_t before = am_now_ns();
    const struct am_marks m = marks_of(body);
    const uint64_t after = am_now_ns();
    const struct am_marks_region *const whole = am_marks_find(&m, "whole");
    const struct am_marks_region *const one = am_marks_find(&m, "this");

    ok(whole && whole->begin_ns >= before && whole->end_ns <= after &&
           whole->end_ns > whole->begin_ns &&
           fabs((double)(whole->end_ns - whole->begin_ns) * 1e-9 - whole->time_s) <
               0.05 * whole->time_s,
       "a region that is there in one piece has a time of its own, by the %s", clock);
    ok(one && one->begin_ns == 0 && one->end_ns == 0, "one that takes turns with others has none");
}

int main(void)
{
    test_events();
    test_moments(take_turns, "processor's counter");
    test_moments(take_turns_by_clock, "system's clock");
    am_arena_fini(&arena);
    return tap_done();
}
