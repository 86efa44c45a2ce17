/* SPDX-License-Identifier: MIT */
/* Readings around launches, and the window that a launch is judged by. */
#include "conductor/watch.h"

#include "base/clock.h"

static const double window_s = 1;

static struct am_watched *reading(struct am_watch *w, size_t index)
{
    return &w->kept[index % AM_WATCH_KEPT];
}

/* A made-up machine has a time of its own: that of its ticks. */
static double time_of(struct am_watch *w, const struct am_activity *now)
{
    const struct am_watched *const last = w->n ? reading(w, w->n - 1) : NULL;

    if (!w->root->synthetic)
        return (double)am_now_ns() * 1e-9;
    return last ? last->at_s + am_activity_seconds(&last->activity, now, w->cpus) : 0;
}

static void look(struct am_watch *w)
{
    struct am_watched now;

    am_activity_read(w->root, &now.activity);
    if (w->helper)
        am_activity_add_helper(w->root, w->helper, &now.activity);
    if (w->foreign)
        now.activity.has_own = now.activity.has_load = false;
    now.at_s = time_of(w, &now.activity);
    *reading(w, w->n++) = now;
}

void am_watch_begin(struct am_watch *w)
{
    if (w->root)
        look(w);
}

/* The latest kept reading that is old enough, or the oldest; `before` is that of the launch. */
static const struct am_watched *window_begin(struct am_watch *w, size_t before)
{
    const size_t oldest = w->n > AM_WATCH_KEPT ? w->n - AM_WATCH_KEPT : 0;
    const double end_s = reading(w, w->n - 1)->at_s;
    size_t i = before;

    while (i > oldest && end_s - reading(w, i)->at_s < window_s)
        i--;
    return reading(w, i);
}

bool am_watch_end(struct am_watch *w, size_t worker_cpus, struct am_surroundings *out)
{
    const struct am_watched *begin, *after;
    struct am_activity first;

    if (!w->root || w->n == 0)
        return false;
    look(w);
    after = reading(w, w->n - 1);
    begin = window_begin(w, w->n - 2);
    first = begin->activity;
    first.runnable = reading(w, w->n - 2)->activity.runnable;
    first.load = reading(w, w->n - 2)->activity.load;
    *out = am_activity_between(&first, &after->activity, after->at_s - begin->at_s, worker_cpus,
                               w->cpus);
    return true;
}
