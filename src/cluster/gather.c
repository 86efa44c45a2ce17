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

enum { CODE_REFUSED = 2 };

/* What every rank tells at the begin. */
struct introduction {
    int leads;
    char name[MPI_MAX_PROCESSOR_NAME];
};

static uint64_t now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
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

/* The machine's name as a value of an axis: without what the syntax of values uses, and unique. */
static void name_node(struct am_gathering *nodes, size_t index, const char *name)
{
    struct am_gathered *const g = &nodes->items[index];
    size_t same = 0;

    (void)am_str_copy(g->name, sizeof(g->name) - 8, name);
    for (char *c = g->name; *c; c++)
        *c = *c <= ' ' || strchr(",=", *c) ? '_' : *c;
    for (size_t i = 0; i < index; i++)
        same += strncmp(nodes->items[i].name, g->name, strlen(g->name)) == 0;
    if (same)
        (void)am_str_format(g->name + strlen(g->name), 8, ".%zu", same + 1);
}

static enum am_status meet(const struct am_job *job, struct am_gathering *nodes, struct am_err *err)
{
    struct introduction *const all = calloc((size_t)job->size, sizeof(*all));
    const struct introduction me = introduction_of(job);

    nodes->items = calloc((size_t)job->size, sizeof(*nodes->items));
    if (!all || !nodes->items) {
        free(all);
        return am_fail(err, AM_E_NOMEM, "no memory for %d ranks", job->size);
    }
    (void)MPI_Gather(&me, (int)sizeof(me), MPI_BYTE, all, (int)sizeof(*all), MPI_BYTE, 0,
                     job->talk);
    for (int rank = 0; rank < job->size; rank++) {
        if (!all[rank].leads)
            continue;
        nodes->items[nodes->n].leader = rank;
        name_node(nodes, nodes->n, all[rank].name);
        nodes->n++;
    }
    free(all);
    return AM_OK;
}

static void end(struct am_gathered *g, const char *reason)
{
    g->state = AM_GATHERED_ENDED;
    if (reason)
        (void)am_str_copy(g->reason, sizeof(g->reason), reason);
    if (g->incoming && fclose(g->incoming) != 0 && !*g->reason)
        (void)am_str_format(g->reason, sizeof(g->reason), "its file cannot be written here: %s",
                            strerror(errno));
    g->incoming = NULL;
    if (*g->reason)
        am_log(AM_LOG_WARN, "node %s: %s", g->name, g->reason);
    else
        am_log(AM_LOG_INFO, "node %s: done after %.1f s", g->name,
               (double)(now_ns() - g->begun_ns) * 1e-9);
}

/* ---- beginning ---- */

static void begin(struct am_job *job, struct am_gathering *nodes, struct am_gathered *g)
{
    struct am_err err = {0};

    g->state = AM_GATHERED_RUNS;
    g->begun_ns = g->heard_ns = now_ns();
    if (g->leader != 0)
        (void)MPI_Send(NULL, 0, MPI_BYTE, g->leader, AM_TALK_GO, job->talk);
    else if (am_part_start(&nodes->own, &job->words->local, false, &err) != AM_OK)
        end(g, err.text);
}

static void begin_due(struct am_job *job, struct am_gathering *nodes)
{
    bool busy = false;

    for (size_t i = 0; i < nodes->n; i++) {
        struct am_gathered *const g = &nodes->items[i];

        if (g->state == AM_GATHERED_WAITS && !(busy && job->words->order == AM_NODES_ONE_BY_ONE))
            begin(job, nodes, g);
        busy = busy || g->state == AM_GATHERED_RUNS || g->state == AM_GATHERED_SENDS;
    }
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
    g->state = AM_GATHERED_SENDS;
}

static void hear_bytes(struct am_gathered *g, const char *piece, size_t n)
{
    if (g->incoming && fwrite(piece, 1, n, g->incoming) != n && !*g->reason)
        (void)am_str_format(g->reason, sizeof(g->reason), "its file cannot be written here: %s",
                            strerror(errno));
    g->left -= n < g->left ? n : g->left;
    if (g->left == 0)
        end(g, g->incoming ? NULL : "its file cannot be written here");
}

/* One message that is there; false when there is none. */
static bool hear(const struct am_job *job, struct am_gathering *nodes, char *piece)
{
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
    g = node_of(nodes, status.MPI_SOURCE);
    if (!g || g->state == AM_GATHERED_ENDED)
        return true; /* given up before: it is too late */
    g->heard_ns = now_ns();
    if (status.MPI_TAG == AM_TALK_RESULT) {
        memcpy(&result, piece, sizeof(result));
        hear_result(nodes, g, &result);
    } else if (status.MPI_TAG == AM_TALK_BYTES) {
        hear_bytes(g, piece, (size_t)n);
    }
    return true;
}

static void look_at_own(struct am_gathering *nodes)
{
    struct am_gathered *const g = node_of(nodes, 0);
    char reason[AM_PART_REASON_MAX];

    if (g->state != AM_GATHERED_RUNS)
        return;
    g->heard_ns = now_ns();
    if (!am_part_ended(&nodes->own))
        return;
    am_part_reason(&nodes->own, reason);
    if (am_part_has_file(&nodes->own))
        (void)am_str_copy(g->file, sizeof(g->file), nodes->own.file);
    end(g, *reason ? reason : NULL);
}

/* ---- giving up ---- */

static void give_up_late(const struct am_job *job, struct am_gathering *nodes)
{
    const uint64_t now = now_ns();
    const double limit_s = job->words->node_limit_s;
    char reason[AM_PART_REASON_MAX];

    for (size_t i = 0; i < nodes->n; i++) {
        struct am_gathered *const g = &nodes->items[i];
        const bool under_way = g->state == AM_GATHERED_RUNS || g->state == AM_GATHERED_SENDS;

        if (under_way && (double)(now - g->heard_ns) * 1e-9 > job->words->silence_s) {
            g->lost = true;
            g->file[0] = '\0';
            (void)am_str_format(reason, sizeof(reason), "no word from it for %g s",
                                job->words->silence_s);
            end(g, reason);
        } else if (under_way && limit_s > 0 && (double)(now - g->begun_ns) * 1e-9 > limit_s) {
            g->lost = g->leader != 0;
            g->file[0] = '\0';
            (void)am_str_format(reason, sizeof(reason), "it took longer than %g s", limit_s);
            if (g->leader == 0)
                am_part_stop(&nodes->own);
            end(g, reason);
        }
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

enum am_status am_gathering_run(struct am_job *job, struct am_gathering *nodes, struct am_err *err)
{
    char *const piece = malloc(AM_TALK_PIECE);
    enum am_status s = meet(job, nodes, err);

    if (s == AM_OK && !piece)
        s = am_fail(err, AM_E_NOMEM, "no memory for files");
    if (s == AM_OK)
        s = am_part_open(&nodes->own, err);
    while (s == AM_OK && job->words->local.n && !all_ended(nodes)) {
        if (*job->interrupted)
            am_part_stop(&nodes->own);
        begin_due(job, nodes);
        look_at_own(nodes);
        give_up_late(job, nodes);
        if (!hear(job, nodes, piece))
            am_gathering_pause();
    }
    free(piece);
    return s;
}

bool am_gathering_lost(const struct am_gathering *nodes)
{
    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->items[i].lost)
            return true;
    }
    return false;
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
    nodes->items = NULL;
    nodes->n = 0;
}
