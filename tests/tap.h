/* SPDX-License-Identifier: MIT */
/* A test is a program that prints TAP: one sentence a check, a plan at the end. */
#ifndef AM_TESTS_TAP_H
#define AM_TESTS_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many random cases to try: all, or a tenth under sanitizers, which make each ten times as
 * long. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TAP_CASES(n) (((n) + 9) / 10)
#endif
#endif
#ifndef TAP_CASES
#define TAP_CASES(n) (n)
#endif

static int tap_run, tap_failed;

static inline bool tap_report(bool pass, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static inline bool tap_report(bool pass, const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    printf("%sok %d - ", pass ? "" : "not ", ++tap_run);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    if (!pass) {
        tap_failed++;
        printf("# failed at %s:%d\n", file, line);
    }
    fflush(stdout);
    return pass;
}

/* ok(condition, "sentence with %d", ...) */
#define ok(pass, ...) tap_report((pass), __FILE__, __LINE__, __VA_ARGS__)

static inline bool tap_is_str(const char *got, const char *want, const char *file, int line,
                              const char *what)
{
    const bool same = got && want ? strcmp(got, want) == 0 : got == want;

    tap_report(same, file, line, "%s", what);
    if (!same) {
        printf("# got  \"");
        fputs(got ? got : "(null)", stdout);
        printf("\"\n# want \"");
        fputs(want ? want : "(null)", stdout);
        printf("\"\n");
    }
    return same;
}

#define is_str(got, want, what) tap_is_str((got), (want), __FILE__, __LINE__, (what))

static inline bool tap_is_near(double got, double want, double tolerance, const char *file,
                               int line, const char *what)
{
    const bool near = fabs(got - want) <= tolerance * (fabs(want) > 1 ? fabs(want) : 1);

    tap_report(near, file, line, "%s", what);
    if (!near)
        printf("# got %.17g want %.17g\n", got, want);
    return near;
}

/* Within tolerance relative to max(1, |want|). */
#define is_near(got, want, tol, what) tap_is_near((got), (want), (tol), __FILE__, __LINE__, (what))

#define skip_test(why) printf("ok %d # SKIP %s\n", ++tap_run, (why))

/* Ends main(): prints the plan, returns the exit code. */
static inline int tap_done(void)
{
    printf("1..%d\n", tap_run);
    return tap_failed ? 1 : 0;
}

#endif
