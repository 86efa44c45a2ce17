/* SPDX-License-Identifier: MIT */
/* archmeter-mpi: a run on every machine of an MPI job, and one file of it all. */
#include "base/log.h"
#include "base/text.h"
#include "bench/mpi/relay.h"
#include "cli/words/help.h"
#include "cluster/gather.h"
#include "cluster/job.h"
#include "cluster/talk.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EXIT_WORDS = 2,
    EXIT_NOTHING = 3,
    COMMAND_MAX = 16 * 1024,
    JOINT_MAX = 64,
    FOLLOW_SPARE_S = 60,
    FAREWELL_S = 3600
};

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void catch_signals(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    const struct sigaction action = {.sa_handler = on_signal};

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    (void)sigaction(SIGUSR1, &action, NULL); /* launchers pass it on without killing afterwards */
    (void)sigaction(SIGPIPE, &ignore, NULL); /* a message to a rank that has died */
}

/* Launchers bind ranks to cores; a node's archmeter places threads on the whole machine. What a
 * control group takes away stays away. */
static void unbind(void)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    (void)sched_setaffinity(0, sizeof(all), &all);
}

static const char *command_line(int argc, char **argv, struct am_arena *arena)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, COMMAND_MAX);
    for (int i = 0; i < argc; i++)
        am_text_addf(&text, "%s%s", i ? " " : "", argv[i]);
    copy = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy ? copy : "archmeter-mpi";
}

static void joint_benches(struct am_cluster_bench out[JOINT_MAX])
{
    size_t n = 0;

    for (; am_mpi_benches[n] && n < JOINT_MAX - 1; n++)
        out[n] = (struct am_cluster_bench){am_mpi_benches[n]->descriptor.name,
                                           am_mpi_benches[n]->descriptor.axes};
    out[n] = (struct am_cluster_bench){0};
}

static void introduce(bool help)
{
    (void)fputs(help ? am_cluster_usage : "archmeter-mpi ", stdout);
    (void)fputs(help ? "" : am_cli_version(), stdout);
    (void)fputs(help ? "" : "\n", stdout);
}

/* Ranks that nobody leads any more end by themselves, even out of a message that never comes: no
 * launch lasts longer than its limit. */
static void follow(const struct am_job *job)
{
    const double limit_s =
        job->words->launch_limit_s + am_talk_silence_s(job->words->silence_s, job->size);

    am_mpi_follow(job->group, (unsigned)limit_s + FOLLOW_SPARE_S);
}

/* Rank 0 last: the job ends with it, unless some rank is gone already. */
static int run(struct am_job *job)
{
    bool lost = false, follows = false;
    int code = 0;

    if (job->rank != 0) {
        am_gathering_introduce(job);
        if (!am_job_take_part(job, &follows))
            _exit(EXIT_NOTHING); /* MPI_Finalize would wait for rank 0 */
        if (follows)
            follow(job);
        (void)alarm(FAREWELL_S); /* rank 0 merges now; should it be gone, nobody waits for ever */
        return 0;
    }
    code = am_job_conduct(job, &lost);
    (void)fflush(NULL);
    if (lost)
        (void)MPI_Abort(MPI_COMM_WORLD, code);
    return code;
}

int main(int argc, char **argv)
{
    struct am_cluster_bench joint[JOINT_MAX];
    struct am_arena arena = {0};
    struct am_cluster_words words;
    struct am_job job = {.words = &words, .interrupted = &interrupted};
    struct am_err err = {0};
    int given, code = EXIT_NOTHING, rank;
    enum am_status s;

    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    catch_signals();
    unbind();
    (void)setenv(AM_MPI_SOCKET, AM_MPI_NO_JOB, 1); /* no node's own archmeter starts ranks */
    joint_benches(joint);
    job.command = command_line(argc, argv, &arena);
    s = am_cluster_words_parse(argc, (const char *const *)(void *)argv, joint, &arena, &words,
                               &err);
    if (s == AM_OK && (words.help || words.version)) {
        if (rank == 0)
            introduce(words.help);
        code = 0;
    } else {
        if (s == AM_OK)
            s = am_job_open(&job, &err);
        if (s == AM_OK)
            code = run(&job);
        else if (rank == 0)
            am_log(AM_LOG_ERROR, "archmeter-mpi: %s", err.text);
        code = s == AM_E_USAGE ? EXIT_WORDS : code;
    }
    am_mpi_group_close(job.group);
    am_arena_fini(&arena);
    (void)MPI_Finalize();
    return code;
}
