/* SPDX-License-Identifier: MIT */
/* A node's leader: runs its part when told to, shows that it lives, and sends the file. */
#include "cluster/job.h"
#include "cluster/talk.h"

#include "base/log.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void await_go(const struct am_job *job)
{
    int there = 0;

    while (!there) {
        (void)MPI_Iprobe(0, AM_TALK_GO, job->talk, &there, MPI_STATUS_IGNORE);
        if (!there)
            pause_ms(AM_TALK_LOOK_MS);
    }
    (void)MPI_Recv(NULL, 0, MPI_BYTE, 0, AM_TALK_GO, job->talk, MPI_STATUS_IGNORE);
}

/* Until the part has ended; a sign of life now and then, too rarely to disturb it. */
static void attend(const struct am_job *job, struct am_part *part)
{
    long since_ms = 0;

    while (!am_part_ended(part)) {
        if (*job->interrupted)
            am_part_stop(part);
        pause_ms(AM_TALK_LOOK_MS);
        since_ms += AM_TALK_LOOK_MS;
        if (since_ms < AM_TALK_ALIVE_MS)
            continue;
        since_ms = 0;
        (void)MPI_Send(NULL, 0, MPI_BYTE, 0, AM_TALK_ALIVE, job->talk);
    }
}

static void send_file(const struct am_job *job, const struct am_part *part,
                      struct am_talk_result *result)
{
    FILE *const file = am_part_has_file(part) ? fopen(part->file, "rbe") : NULL;
    char *const piece = malloc(AM_TALK_PIECE);
    struct stat st;
    uint64_t left;

    if (file && piece && fstat(fileno(file), &st) == 0)
        result->bytes = (uint64_t)st.st_size;
    (void)MPI_Send(result, (int)sizeof(*result), MPI_BYTE, 0, AM_TALK_RESULT, job->talk);
    for (left = result->bytes; left > 0;) {
        const size_t want = left < AM_TALK_PIECE ? (size_t)left : AM_TALK_PIECE;
        const size_t got = fread(piece, 1, want, file);

        if (got < want) { /* it cannot shrink; what is missing must still arrive as bytes */
            for (size_t i = got; i < want; i++)
                piece[i] = 0;
        }
        (void)MPI_Send(piece, (int)want, MPI_BYTE, 0, AM_TALK_BYTES, job->talk);
        left -= want;
    }
    free(piece);
    if (file)
        (void)fclose(file);
}

void am_job_take_part(struct am_job *job)
{
    struct am_talk_result result = {0};
    struct am_part part = {0};
    struct am_err err = {0};
    enum am_status s;

    if (!job->leads || job->words->local.n == 0)
        return;
    await_go(job);
    s = am_part_open(&part, &err);
    if (s == AM_OK)
        s = am_part_start(&part, &job->words->local, false, &err);
    if (s == AM_OK) {
        attend(job, &part);
        am_part_reason(&part, result.reason);
    } else {
        (void)am_str_copy(result.reason, sizeof(result.reason), err.text);
    }
    send_file(job, &part, &result);
    am_part_remove(&part);
}
