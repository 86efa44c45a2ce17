/* SPDX-License-Identifier: MIT */
/* Files from all nodes to rank 0, and who is given up. No step waits for one node alone. */
#include "cluster/gather.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cluster/talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CODE_REFUSED = 2, NAME_SUFFIX = 8 };

/* What every rank tells at the begin. */
struct introduction {
    int leads;
    char name[MPI_MAX_PROCESSOR_NAME];
};

static double seconds_since(uint64_t then_ns)
{
    return (double)(am_now_ns() - then_ns) * 1e-9;
}

void am_gathering_pause(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = AM_TALK_LOOK_MS * 1000000L}, NULL);
}

static struct introduction introduction_of(const struct am_job *job)
{
    struct introduction me = {.leads = job->leads};
    char name[MPI_MAX_PROCESSOR_NAME];
    int len;

    (void)MPI_Get_processor_name(name, &len);
    (void)am_str_copy(me.name, sizeof(me.name), name);
    return me;
}

void am_gathering_introduce(const struct am_job *job)
{
    const struct introduction me = introduction_of(job);

    (void)MPI_Gather(&me, (int)sizeof(me), MPI_BYTE, NULL, 0, MPI_BYTE, 0, job->talk);
}

static bool is_taken(const struct am_gathering *nodes, size_t before, const char *name)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(nodes->items[i].name, name) == 0)
            return true;
    }
    return false;
}

/* The machine's name as a value of an axis: without what the syntax of values uses, and unique. */
static void name_node(struct am_gathering *nodes, size_t index, const char *name)
{
    struct am_gathered *const g = &nodes->items[index];
    char plain[sizeof(g->name) - NAME_SUFFIX];

    (void)am_str_copy(plain, sizeof(plain), name);
    for (char *c = plain; *c; c++)
        *c = *c <= ' ' || strchr(",=/", *c) ? '_' : *c;
    (void)am_str_copy(g->name, sizeof(g->name), *plain ? plain : "node");
    for (size_t twin = 2; is_taken(nodes, index, g->name); twin++)
        (void)am_str_format(g->name, sizeof(g->name), "%s.%zu", *plain ? plain : "node", twin);
}

static enum am_status meet(const struct am_job *job, struct am_gathering *nodes, struct am_err *err)
{
    struct introduction *const all = calloc((size_t)job->size, sizeof(*all));
    const struct introduction me = introduction_of(job);

    nodes->items = calloc((size_t)job->size, sizeof(*nodes->items));
    nodes->ranks = calloc((size_t)job->size, sizeof(*nodes->ranks));
    if (!all || !nodes->items || !nodes->ranks) {
        free(all);
        return am_fail(err, AM_E_NOMEM, "no memory for %d ranks", job->size);
    }
    (void)MPI_Gather(&me, (int)sizeof(me), MPI_BYTE, all, (int)sizeof(*all), MPI_BYTE, 0,
                     job->talk);
    nodes->n_ranks = job->size;
    for (int rank = 0; rank < job->size; rank++) {
        nodes->ranks[rank] =
            (struct am_gathered_rank){.heard_ns = am_now_ns(), .answering = MPI_REQUEST_NULL};
        if (!all[rank].leads)
            continue;
        nodes->items[nodes->n].leader = rank;
        name_node(nodes, nodes->n, all[rank].name);
        nodes->n++;
    }
    free(all);
    return AM_OK;
}

/* A file that did not come whole is none. */
static void drop_file(struct am_gathered *g, const char *reason)
{
    if (g->incoming)
        (void)fclose(g->incoming);
    g->incoming = NULL;
    if (*g->file)
        (void)unlink(g->file);
    g->file[0] = '\0';
    (void)am_str_copy(g->reason, sizeof(g->reason), reason);
}

static void drop_unwritable(struct am_gathered *g, int error)
{
    char reason[AM_PART_REASON_MAX];

    (void)am_str_format(reason, sizeof(reason), "its file cannot be written on rank 0: %s",
                        strerror(error));
    drop_file(g, reason);
}

static void end(struct am_gathered *g, const char *reason)
{
    g->state = AM_GATHERED_ENDED;
    if (reason)
        (void)am_str_copy(g->reason, sizeof(g->reason), reason);
    if (g->incoming && fclose(g->incoming) != 0) {
        g->incoming = NULL;
        drop_unwritable(g, errno);
    }
    g->incoming = NULL;
    if (*g->reason)
        am_log(AM_LOG_WARN, "node %s: %s", g->name, g->reason);
    else
        am_log(AM_LOG_INFO, "node %s: done after %.1f s", g->name, seconds_since(g->begun_ns));
}

/* ---- beginning ---- */

static bool is_under_way(const struct am_gathered *g)
{
    return g->state == AM_GATHERED_RUNS || g->state == AM_GATHERED_SENDS;
}

/* Whether a node that waits may begin. */
static bool is_due(const struct am_job *job, const struct am_gathering *nodes,
                   const struct am_gathered *g)
{
    if (g->state != AM_GATHERED_WAITS)
        return false;
    for (size_t i = 0; job->words->order == AM_NODES_ONE_BY_ONE && i < nodes->n; i++) {
        const struct am_gathered *const other = &nodes->items[i];

        if (is_under_way(other) || (other < g && other->state == AM_GATHERED_WAITS))
            return false;
    }
    return true;
}

static void begin(struct am_gathered *g)
{
    g->state = AM_GATHERED_RUNS;
    g->begun_ns = am_now_ns();
}

/* ---- hearing ---- */

static struct am_gathered *node_of(struct am_gathering *nodes, int leader)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->items[i].leader == leader)
            return &nodes->items[i];
    }
    return NULL;
}

static void hear_result(struct am_gathering *nodes, struct am_gathered *g,
                        const struct am_talk_result *result)
{
    (void)am_str_copy(g->reason, sizeof(g->reason), result->reason);
    g->left = result->bytes;
    if (g->left == 0) {
        end(g, *g->reason ? NULL : "its archmeter left no results");
        return;
    }
    (void)am_str_format(g->file, sizeof(g->file), "%s/from-%d.db", nodes->own.folder, g->leader);
    g->incoming = fopen(g->file, "wbe");
    if (!g->incoming)
        drop_unwritable(g, errno);
    g->state = AM_GATHERED_SENDS;
}

static void hear_bytes(struct am_gathered *g, const char *piece, size_t n)
{
    if (g->incoming && fwrite(piece, 1, n, g->incoming) != n)
        drop_unwritable(g, errno);
    g->left -= n < g->left ? n : g->left;
    if (g->left == 0)
        end(g, NULL);
}

static int32_t order_for(const struct am_job *job, struct am_gathering *nodes, int rank)
{
    struct am_gathered *const g = node_of(nodes, rank);

    if (nodes->over)
        return nodes->follow ? AM_ORDER_FOLLOW : AM_ORDER_LEAVE;
    if (g && is_due(job, nodes, g)) {
        begin(g);
        return AM_ORDER_RUN;
    }
    return g && g->state == AM_GATHERED_RUNS && *job->interrupted ? AM_ORDER_STOP : AM_ORDER_WAIT;
}

/* Who has just been heard lives: a message to it neither hangs nor fails. */
static void answer(const struct am_job *job, struct am_gathering *nodes, int rank)
{
    struct am_gathered_rank *const r = &nodes->ranks[rank];
    int sent = 0;

    (void)MPI_Test(&r->answering, &sent, MPI_STATUS_IGNORE);
    if (!sent)
        return;
    r->order = order_for(job, nodes, rank);
    (void)MPI_Isend(&r->order, 1, MPI_INT32_T, rank, AM_TALK_ORDER, job->talk, &r->answering);
}

/* One message that is there; false when there is none. */
static bool hear(const struct am_job *job, struct am_gathering *nodes)
{
    char piece[AM_TALK_PIECE];
    MPI_Status status;
    struct am_gathered *g;
    struct am_talk_result result;
    int there = 0, n = 0;

    (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, job->talk, &there, &status);
    if (!there)
        return false;
    (void)MPI_Get_count(&status, MPI_BYTE, &n);
    (void)MPI_Recv(piece, n, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, job->talk,
                   MPI_STATUS_IGNORE);
    nodes->ranks[status.MPI_SOURCE].heard_ns = am_now_ns();
    g = node_of(nodes, status.MPI_SOURCE);
    if (status.MPI_TAG == AM_TALK_ALIVE) {
        answer(job, nodes, status.MPI_SOURCE);
    } else if (!g || g->state == AM_GATHERED_ENDED) {
        return true; /* given up before: it is too late */
    } else if (status.MPI_TAG == AM_TALK_RESULT) {
        memcpy(&result, piece, sizeof(result));
        hear_result(nodes, g, &result);
    } else {
        hear_bytes(g, piece, (size_t)n);
    }
    return true;
}

static void look_at_own(struct am_job *job, struct am_gathering *nodes)
{
    struct am_gathered *const g = node_of(nodes, 0);
    char reason[AM_PART_REASON_MAX];
    struct am_err err = {0};

    if (is_due(job, nodes, g)) {
        begin(g);
        nodes->own.limit_s = job->words->node_limit_s;
        if (am_part_start(&nodes->own, &job->words->local, false, &err) != AM_OK)
            end(g, err.text);
    }
    if (g->state != AM_GATHERED_RUNS || !am_part_ended(&nodes->own))
        return;
    am_part_reason(&nodes->own, reason);
    if (am_part_has_file(&nodes->own))
        (void)am_str_copy(g->file, sizeof(g->file), nodes->own.file);
    end(g, *reason ? reason : NULL);
}

/* ---- giving up ---- */

static bool is_silent(const struct am_job *job, const struct am_gathering *nodes, int rank)
{
    return rank != 0 && seconds_since(nodes->ranks[rank].heard_ns) >
                            am_talk_silence_s(job->words->silence_s, job->size);
}

static void lose(struct am_gathering *nodes, struct am_gathered *g, const char *what,
                 double seconds)
{
    char reason[AM_PART_REASON_MAX];

    (void)am_str_format(reason, sizeof(reason), "%s %g s", what, seconds);
    nodes->ranks[g->leader].lost = true;
    drop_file(g, reason);
    end(g, NULL);
}

/* A node's leader keeps to the limit by itself; rank 0 only where that fails. */
static void give_up_late(const struct am_job *job, struct am_gathering *nodes)
{
    const double limit_s = job->words->node_limit_s;
    const double silence_s = am_talk_silence_s(job->words->silence_s, job->size);

    for (size_t i = 0; i < nodes->n; i++) {
        struct am_gathered *const g = &nodes->items[i];

        if (g->state == AM_GATHERED_ENDED)
            continue;
        if (is_silent(job, nodes, g->leader))
            lose(nodes, g, "no word from it for", silence_s);
        else if (g->leader != 0 && limit_s > 0 && is_under_way(g) &&
                 seconds_since(g->begun_ns) > limit_s + silence_s)
            lose(nodes, g, "it took longer than", limit_s);
        else if (g->state == AM_GATHERED_WAITS && *job->interrupted)
            end(g, "not begun: interrupted before");
    }
}

static bool all_ended(const struct am_gathering *nodes)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->items[i].state != AM_GATHERED_ENDED)
            return false;
    }
    return true;
}

/* Whether every rank that lives knows what comes next; the others are lost. */
static bool all_know(const struct am_job *job, struct am_gathering *nodes)
{
    bool know = true;

    for (int rank = 1; rank < nodes->n_ranks; rank++) {
        struct am_gathered_rank *const r = &nodes->ranks[rank];

        r->lost = r->lost || is_silent(job, nodes, rank);
        know = know && (r->lost || r->order >= (int32_t)AM_ORDER_FOLLOW);
    }
    return know;
}

static void measure(struct am_job *job, struct am_gathering *nodes)
{
    while (!all_ended(nodes)) {
        if (*job->interrupted)
            am_part_stop(&nodes->own);
        give_up_late(job, nodes);
        look_at_own(job, nodes);
        if (!hear(job, nodes))
            am_gathering_pause();
    }
}

enum am_status am_gathering_run(struct am_job *job, struct am_gathering *nodes, struct am_err *err)
{
    enum am_status s = meet(job, nodes, err);

    if (s == AM_OK)
        s = am_part_open(&nodes->own, err);
    if (s == AM_OK && job->words->local.n)
        measure(job, nodes);
    (void)all_know(job, nodes); /* who is lost */
    nodes->over = true;
    nodes->follow =
        s == AM_OK && job->words->joint.n && am_gathering_lost(nodes) < 0 && !*job->interrupted;
    while (nodes->ranks && !all_know(job, nodes)) {
        if (!hear(job, nodes))
            am_gathering_pause();
    }
    return s;
}

int am_gathering_lost(const struct am_gathering *nodes)
{
    for (int rank = 0; rank < nodes->n_ranks; rank++) {
        if (nodes->ranks[rank].lost)
            return rank;
    }
    return -1;
}

bool am_gathering_all_refused(const struct am_gathering *nodes)
{
    return nodes->own.code == CODE_REFUSED;
}

static bool copy_file(const char *from, const char *to)
{
    FILE *const in = fopen(from, "rbe"), *const out = fopen(to, "wbe");
    char piece[4096];
    size_t n = 0;
    bool good = in && out;

    while (good && (n = fread(piece, 1, sizeof(piece), in)) > 0)
        good = fwrite(piece, 1, n, out) == n;
    if (in)
        good = fclose(in) == 0 && good;
    if (out)
        good = fclose(out) == 0 && good;
    return good;
}

/* "cluster.db" -> "cluster.node1.db". */
static void keep(const struct am_gathered *g, const char *output)
{
    const size_t len = strlen(output);
    const size_t stem = len > 3 && strcmp(output + len - 3, ".db") == 0 ? len - 3 : len;
    char path[AM_PART_PATH_MAX + AM_VALUE_TEXT_MAX];

    if (!am_str_format(path, sizeof(path), "%.*s.%s.db", (int)stem, output, g->name) ||
        !copy_file(g->file, path))
        am_log(AM_LOG_WARN, "cannot keep %s: %s", path, strerror(errno));
}

void am_gathering_close(struct am_gathering *nodes, const char *keep_beside)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (*nodes->items[i].file && keep_beside)
            keep(&nodes->items[i], keep_beside);
        if (*nodes->items[i].file)
            (void)unlink(nodes->items[i].file);
    }
    am_part_remove(&nodes->own);
    free(nodes->items);
    free(nodes->ranks);
    *nodes = (struct am_gathering){0};
}
