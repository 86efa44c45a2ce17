/* SPDX-License-Identifier: MIT */
/* Progress, told between launches only: nothing is drawn while a kernel is timed. */
#include "cli/run/progress.h"

#include "base/log.h"
#include "base/text.h"
#include "cli/run/output.h"
#include "document/units.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double plain_interval_s = 30;

void am_progress_begin(struct am_progress_view *view, const struct am_options *opt,
                       const struct am_plan *plan)
{
    *view = (struct am_progress_view){
        .silent = opt->quiet,
        .interactive = am_output_interactive(),
        .verbose = opt->verbose,
        .min_launches = plan->settings.min_launches,
    };
}

static void erase(struct am_progress_view *view)
{
    if (view->drawn)
        (void)fputs("\r\033[K", stderr);
    view->drawn = false;
}

void am_progress_line(const struct am_progress *p, unsigned min_launches, unsigned columns,
                      char *buf, size_t cap)
{
    const double whole = p->elapsed_s + p->eta_s;
    const int percent = whole > 0 ? (int)(100 * p->elapsed_s / whole) : 100;
    const unsigned round = p->round + 1;
    char point[AM_POINT_TEXT_MAX], eta[AM_UNITS_MAX], of[AM_UNITS_MAX] = "";

    am_point_text(p->point, point, sizeof(point));
    am_units_clock(p->eta_s, eta, sizeof(eta));
    if (round <= min_launches)
        (void)am_str_format(of, sizeof(of), "/%u", min_launches);
    (void)am_str_format(buf, cap, "[%3d%%] ETA %s, round %u%s, %zu/%zu points done, %s %s", percent,
                        eta, round, of, p->points_done, p->points, p->point->bench->name, point);
    /* the last column stays free: terminals wrap when it is written */
    if (columns > 1 && strlen(buf) >= columns)
        buf[columns - 1] = '\0';
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

void am_progress_show(void *self, const struct am_progress *p)
{
    struct am_progress_view *view = self;
    char line[AM_POINT_TEXT_MAX * 2];

    tell_reason(view, p);
    if (view->silent)
        return;
    if (view->interactive) {
        am_progress_line(p, view->min_launches, am_output_columns(STDERR_FILENO), line,
                         sizeof(line));
        (void)fprintf(stderr, "\r%s\033[K", line);
        (void)fflush(stderr);
        view->drawn = true;
    } else if (p->elapsed_s - view->last_plain_s >= plain_interval_s) {
        am_progress_line(p, view->min_launches, 0, line, sizeof(line));
        am_log(AM_LOG_INFO, "%s", line);
        view->last_plain_s = p->elapsed_s;
    }
}

void am_progress_end(struct am_progress_view *view)
{
    erase(view);
    (void)fflush(stderr);
}
