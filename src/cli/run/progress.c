/* SPDX-License-Identifier: MIT */
/* Progress, told between launches only: nothing is drawn while a kernel is timed. */
#include "cli/run/progress.h"

#include "base/log.h"
#include "cli/run/output.h"
#include "cli/run/progress_lines.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* Columns at the right edge that stay free: terminals wrap when the last one is written, and what
 * they echo of Ctrl-C must not begin a line of its own. */
enum { EDGE = 3, COLUMNS_LEAST = 20 };

/* Between plain lines: some seconds, and in a long run a twentieth of it. */
static const double plain_least_s = 15, plain_share = 0.05;

void am_progress_begin(struct am_progress_view *view, const struct am_options *opt, bool utf8)
{
    *view = (struct am_progress_view){
        .silent = opt->quiet,
        .interactive = am_output_interactive(),
        .verbose = opt->verbose,
        .utf8 = utf8,
    };
}

/* The cursor stands in the second line, and goes to the beginning of the first. */
static void erase(struct am_progress_view *view)
{
    if (view->drawn)
        (void)fputs("\r\033[K\033[1A\033[K", stderr);
    view->drawn = false;
}

/* A failure is told at once; a skip only to those who want to know everything. */
static void tell_reason(struct am_progress_view *view, const struct am_progress *p)
{
    const bool failed = p->state == AM_POINT_FAIL;
    char point[AM_POINT_TEXT_MAX];

    if (!failed && !(p->state == AM_POINT_SKIP && view->verbose))
        return;
    am_point_text(p->point, point, sizeof(point));
    erase(view);
    am_log(failed ? AM_LOG_WARN : AM_LOG_INFO, "%s %s: %s: %s", p->point->bench->name, point,
           failed ? "failed" : "skipped", p->reason ? p->reason : "no reason given");
}

static unsigned usable_columns(void)
{
    const unsigned columns = am_output_columns(STDERR_FILENO);

    return columns > COLUMNS_LEAST + EDGE ? columns - EDGE : COLUMNS_LEAST;
}

void am_progress_show(void *self, const struct am_progress *p)
{
    struct am_progress_view *view = self;
    struct am_progress_lines lines;

    tell_reason(view, p);
    if (view->silent)
        return;
    if (view->interactive) {
        am_progress_lines(p, usable_columns(), view->utf8, &lines);
        erase(view);
        (void)fprintf(stderr, "%s\n%s", lines.far, lines.what);
        (void)fflush(stderr);
        view->drawn = true;
    } else if (p->elapsed_s - view->last_plain_s >=
               fmax(plain_least_s, plain_share * (p->elapsed_s + p->eta_s))) {
        am_progress_lines(p, 0, view->utf8, &lines);
        am_log(AM_LOG_INFO, "%s: %s", lines.far, lines.what);
        view->last_plain_s = p->elapsed_s;
    }
}

void am_progress_end(struct am_progress_view *view)
{
    erase(view);
    (void)fflush(stderr);
}
