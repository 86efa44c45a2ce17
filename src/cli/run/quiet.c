/* SPDX-License-Identifier: MIT */
/* Waiting for a quiet moment. */
#include "cli/run/quiet.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "topo/activity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char key_repeats[] = "launches.repeats", variable[] = "ARCHMETER_WAIT";
static const double longest_s = 10, budget_share = 0.1;
static const long look_ns = 250000000; /* 25 ticks of each CPU */

/* What the machine does in a moment, our own sleeping aside. */
static struct am_surroundings look(const struct am_setup *setup)
{
    const struct timespec moment = {.tv_nsec = look_ns};
    const unsigned cpus = am_topo_shape(setup->topo)->threads;
    const uint64_t begin = am_now_ns();
    struct am_activity before, after;
    double seconds;

    am_activity_read(&setup->root, &before);
    if (!setup->simulated.path)
        (void)nanosleep(&moment, NULL);
    am_activity_read(&setup->root, &after);
    seconds = setup->root.synthetic ? am_activity_seconds(&before, &after, cpus)
                                    : (double)(am_now_ns() - begin) * 1e-9;
    return am_activity_between(&before, &after, seconds, 0, cpus);
}

/* How long to wait at most; AM_E_USAGE for a variable that is no time. */
static enum am_status longest_wait(const struct am_cli *cli, const struct am_setup *setup,
                                   double budget_s, double *seconds, struct am_err *err)
{
    const char *const given = getenv(variable);

    *seconds = longest_s;
    if (given && !am_parse_duration(given, seconds))
        return am_fail(err, AM_E_USAGE, "%s=%s: a time with its unit is wanted, as 10s", variable,
                       given);
    if (budget_s > 0)
        *seconds = fmin(*seconds, budget_share * budget_s);
    if (cli->opt->no_wait || cli->opt->joint_axes || setup->simulated.path)
        *seconds = 0;
    return AM_OK;
}

static enum am_status wait_until(const struct am_cli *cli, const struct am_setup *setup,
                                 double seconds, struct am_surroundings *now, struct am_err *err)
{
    const uint64_t end = am_now_ns() + (uint64_t)(seconds * 1e9);
    char why[160];

    am_log(AM_LOG_INFO, "busy: %s; waiting up to %.3g s for a quiet moment (--no-wait: begin now)",
           am_surroundings_text(now, why, sizeof(why)), seconds);
    while (now->labels && am_now_ns() < end) {
        if (cli->interrupted && *cli->interrupted)
            return am_fail(err, AM_E_INTERRUPTED, "interrupted; nothing was measured yet");
        *now = look(setup);
    }
    return AM_OK;
}

/* Joint parts must make the same launches, and who fixes their number wants that number. */
static unsigned repeats_of(const struct am_cli *cli, const struct am_setup *setup, double wait_s)
{
    const bool fixed = cli->opt->no_wait || cli->opt->joint_axes || cli->opt->launches.min ||
                       (wait_s <= 0 && !setup->simulated.path);

    return fixed ? 0 : setup->plan.settings.min_launches;
}

enum am_status am_quiet_begin(const struct am_cli *cli, struct am_setup *setup, double budget_s,
                              struct am_err *err)
{
    struct am_surroundings now = {0};
    char why[160];
    double wait_s;
    enum am_status s = longest_wait(cli, setup, budget_s, &wait_s, err);

    if (s != AM_OK)
        return s;
    setup->plan.settings.repeats = repeats_of(cli, setup, wait_s);
    am_kvs_addf(&setup->settings, cli->arena, key_repeats, "%u", setup->plan.settings.repeats);
    if (wait_s > 0 || cli->opt->strict)
        now = look(setup);
    if (now.labels && wait_s > 0)
        s = wait_until(cli, setup, wait_s, &now, err);
    if (s != AM_OK || !now.labels)
        return s;
    (void)am_surroundings_text(&now, why, sizeof(why));
    if (cli->opt->strict)
        return am_fail(err, AM_E_BUSY, "the machine is busy: %s; nothing was measured (--strict)",
                       why);
    am_log(AM_LOG_WARN, "still busy: %s; measuring all the same, and grading accordingly", why);
    return AM_OK;
}

void am_quiet_recall(const struct am_kvs *settings, struct am_plan_settings *out)
{
    const char *const text = am_kvs_get(settings, key_repeats);
    uint64_t n;

    if (text && am_parse_u64(text, strlen(text), &n) && n <= out->max_launches)
        out->repeats = (unsigned)n;
}
