/* SPDX-License-Identifier: MIT */
/* Every rank but 0 while nodes are measured: shows that it lives and obeys; the leader of a node
 * runs its part and sends the file. Nothing here waits for rank 0 longer than for silence. */
#include "cluster/job.h"
#include "cluster/talk.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* Between two signs of life where nothing is measured that they could disturb, and when a launcher
 * is about to kill. */
enum { EAGER_NS = 200000000, HURRY_NS = 50000000 };

/* What a rank knows of rank 0. */
struct watch {
    const struct am_job *job;
    uint64_t interval_ns, silence_ns;
    uint64_t shown_ns, heard_ns; /* last sign of life, last order */
    MPI_Request showing;
    int32_t order; /* the latest */
    bool gone;     /* rank 0 says nothing any more */
};

static void pause_ms(long ms)
{
    (void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* What rank 0 has said, and a sign of life when one is due. */
static void look(struct watch *w)
{
    const MPI_Comm talk = w->job->talk;
    const uint64_t now = am_now_ns();
    int there = 0, sent = 0;

    (void)MPI_Iprobe(0, AM_TALK_ORDER, talk, &there, MPI_STATUS_IGNORE);
    if (there) {
        (void)MPI_Recv(&w->order, 1, MPI_INT32_T, 0, AM_TALK_ORDER, talk, MPI_STATUS_IGNORE);
        w->heard_ns = now;
    }
    (void)MPI_Test(&w->showing, &sent, MPI_STATUS_IGNORE);
    if (sent && now - w->shown_ns >= (*w->job->interrupted ? HURRY_NS : w->interval_ns)) {
        (void)MPI_Isend(NULL, 0, MPI_BYTE, 0, AM_TALK_ALIVE, talk, &w->showing);
        w->shown_ns = now;
    }
    w->gone = now - w->heard_ns > w->silence_ns;
}

static void await_order(struct watch *w, enum am_talk_order least)
{
    for (look(w); !w->gone && w->order < (int32_t)least; look(w))
        pause_ms(AM_TALK_LOOK_MS);
}

/* Until the part has ended. */
static void attend(struct watch *w, struct am_part *part)
{
    while (!am_part_ended(part)) {
        look(w);
        if (w->gone || w->order == AM_ORDER_STOP || *w->job->interrupted)
            am_part_stop(part);
        pause_ms(AM_TALK_LOOK_MS);
    }
}

/* False when rank 0 does not take it. */
static bool deliver(struct watch *w, const void *data, size_t bytes, enum am_talk_tag tag)
{
    MPI_Request request;
    int sent = 0;

    (void)MPI_Isend(data, (int)bytes, MPI_BYTE, 0, tag, w->job->talk, &request);
    for (;;) {
        (void)MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        if (sent)
            return true;
        look(w);
        if (w->gone)
            return false;
        pause_ms(1);
    }
}

static void send_file(struct watch *w, const struct am_part *part, struct am_talk_result *result)
{
    FILE *const file = am_part_has_file(part) ? fopen(part->file, "rbe") : NULL;
    char piece[AM_TALK_PIECE];
    struct stat st;
    bool taken;

    if (file && fstat(fileno(file), &st) == 0)
        result->bytes = (uint64_t)st.st_size;
    taken = deliver(w, result, sizeof(*result), AM_TALK_RESULT);
    for (uint64_t left = result->bytes; taken && left > 0;) {
        const size_t want = left < AM_TALK_PIECE ? (size_t)left : AM_TALK_PIECE;

        for (size_t got = fread(piece, 1, want, file); got < want; got++)
            piece[got] = 0; /* unreadable: the merge will refuse it, and no byte may be missing */
        taken = deliver(w, piece, want, AM_TALK_BYTES);
        left -= want;
    }
    if (file)
        (void)fclose(file);
}

/* The part's file stays until rank 0 has it all. */
static void lead(struct watch *w, struct am_part *part)
{
    struct am_talk_result result = {0};
    struct am_err err = {0};
    enum am_status s = am_part_open(part, &err);

    w->order = AM_ORDER_WAIT; /* to run was said once */
    part->limit_s = w->job->words->node_limit_s;
    if (s == AM_OK)
        s = am_part_start(part, &w->job->words->local, false, &err);
    if (s == AM_OK) {
        attend(w, part);
        am_part_reason(part, result.reason);
    } else {
        (void)am_str_copy(result.reason, sizeof(result.reason), err.text);
    }
    if (!w->gone)
        send_file(w, part, &result);
    if (w->job->size < AM_TALK_A_SECOND / 5)
        w->interval_ns = EAGER_NS;
}

bool am_job_take_part(struct am_job *job, bool *follow)
{
    struct am_part part = {0};
    struct watch w = {
        .job = job,
        .interval_ns = (uint64_t)(1e9 * am_talk_interval_s(job->words->silence_s, job->size)),
        .silence_ns = (uint64_t)(1e9 * am_talk_silence_s(job->words->silence_s, job->size)),
        .heard_ns = am_now_ns(),
        .showing = MPI_REQUEST_NULL,
    };

    if (job->leads && job->words->local.n) {
        await_order(&w, AM_ORDER_RUN);
        if (w.order == AM_ORDER_RUN)
            lead(&w, &part);
    }
    await_order(&w, AM_ORDER_FOLLOW);
    *follow = w.order == AM_ORDER_FOLLOW;
    if (w.gone)
        am_log(AM_LOG_ERROR, "archmeter-mpi: rank %d ends: no word from rank 0 for %g s%s%s",
               job->rank, (double)w.silence_ns * 1e-9,
               *part.folder ? "; what was measured here is in " : "", part.file);
    else
        am_part_remove(&part);
    return !w.gone;
}
