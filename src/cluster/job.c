/* SPDX-License-Identifier: MIT */
/* Rank 0 of a cluster run: tells nodes to begin, gathers their files, measures what all ranks do
 * together, merges. */
#include "evidence/evidence.h"
#include "cluster/job.h"

#include "base/log.h"
#include "base/text.h"
#include "cluster/gather.h"
#include "cluster/joint.h"
#include "core/bench/axis.h"
#include "document/nodes.h"
#include "store/merge.h"
#include "write/write.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char joint_name[] = "all-ranks";

enum { EXIT_COMPLETE = 0, EXIT_INCOMPLETE = 1, EXIT_WORDS = 2, EXIT_NOTHING = 3 };

/* What cannot be written is told before hours of measuring. */
static enum am_status check_output(const char *path, struct am_err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    if (fd < 0)
        return am_fail(err, AM_E_SYS, "cannot create %s", path);
    (void)close(fd);
    (void)unlink(path);
    return AM_OK;
}

enum am_status am_job_open(struct am_job *job, struct am_err *err)
{
    MPI_Comm local;
    int local_rank, all = AM_OK;
    enum am_status s = am_mpi_group_open(&job->group, err);

    if (s == AM_OK && am_mpi_group_rank(job->group) == 0)
        s = check_output(job->words->output, err);
    (void)MPI_Allreduce(&s, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (all != AM_OK)
        return s != AM_OK ? s : am_fail(err, (enum am_status)all, "another rank cannot");
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &job->talk);
    (void)MPI_Comm_rank(job->talk, &job->rank);
    (void)MPI_Comm_size(job->talk, &job->size);
    (void)MPI_Comm_split_type(job->talk, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    (void)MPI_Comm_rank(local, &local_rank);
    (void)MPI_Comm_free(&local);
    job->leads = local_rank == 0;
    return AM_OK;
}

static enum am_status merge(const struct am_job *job, const struct am_gathering *nodes,
                            const struct am_node_part *joint, struct am_err *err)
{
    struct am_node_part *const parts = calloc(nodes->n + 1, sizeof(*parts));
    enum am_status s;
    size_t n = 0;

    if (!parts)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu nodes", nodes->n);
    for (size_t i = 0; job->words->local.n && i < nodes->n; i++) {
        const struct am_gathered *const g = &nodes->items[i];

        parts[n++] = (struct am_node_part){.name = g->name,
                                           .path = *g->file ? g->file : NULL,
                                           .reason = *g->reason ? g->reason : NULL};
    }
    if (job->words->joint.n)
        parts[n++] = *joint;
    s = am_store_merge(job->words->output, &(struct am_merge){job->command, parts, n, NULL}, err);
    free(parts);
    return s;
}

/* What the merged file says of its nodes, and the exit code that follows. */
static int tell(const char *path)
{
    struct am_arena arena = {0};
    struct am_store *store = NULL;
    struct am_result_set set = {0};
    const struct am_document document = am_document_nodes(&set.nodes);
    struct am_err err = {0};
    int code = EXIT_COMPLETE;

    if (am_store_open(path, false, &store, &err) != AM_OK ||
        am_evidence_load(store, NULL, &arena, &set, &err) != AM_OK) {
        am_log(AM_LOG_ERROR, "%s", err.text);
        code = EXIT_NOTHING;
    }
    am_store_close(store);
    am_write(&document, &(struct am_style){.utf8 = true}, &arena, stdout);
    (void)fflush(stdout);
    for (size_t i = 0; i < set.nodes.n; i++)
        code = set.nodes.items[i].state == AM_NODE_DONE ? code : EXIT_INCOMPLETE;
    am_arena_fini(&arena);
    return code;
}

static void write_report(const struct am_job *job)
{
    const char *items[] = {"report", job->words->output};
    const struct am_strings command = {.items = items, .n = 2};
    struct am_part page = {0};
    struct am_err err = {0};

    (void)am_str_format(page.file, sizeof(page.file), "%s.html", job->words->output);
    if (am_part_start(&page, &command, true, &err) != AM_OK) {
        am_log(AM_LOG_ERROR, "%s", err.text);
        return;
    }
    while (!am_part_ended(&page))
        am_gathering_pause();
}

/* Whatever happened before: what was measured becomes one file. */
static int finish(const struct am_job *job, const struct am_gathering *nodes,
                  const struct am_node_part *joint)
{
    struct am_err err = {0};

    if (merge(job, nodes, joint, &err) != AM_OK) {
        am_log(AM_LOG_ERROR, "archmeter-mpi: %s", err.text);
        for (size_t i = 0; i < nodes->n; i++) {
            if (*nodes->items[i].reason)
                am_log(AM_LOG_ERROR, "%s: %s", nodes->items[i].name, nodes->items[i].reason);
        }
        return am_gathering_all_refused(nodes) ? EXIT_WORDS : EXIT_NOTHING;
    }
    am_log(AM_LOG_INFO, "results: %s\nnext:    archmeter show %s   |   archmeter report %s",
           job->words->output, job->words->output, job->words->output);
    if (job->words->report)
        write_report(job);
    return tell(job->words->output);
}

/* Files of the nodes, and what else lies in folders of ours. */
static void tidy(const struct am_job *job, struct am_gathering *nodes, struct am_part *joint)
{
    am_part_remove(joint);
    am_gathering_close(nodes, job->words->keep ? job->words->output : NULL);
}

/* Called when rank 0 hangs in a message that will never come: its own thread, no MPI. */
struct last_resort {
    const struct am_job *job;
    struct am_gathering *nodes;
};

static int finish_alone(void *self, struct am_part *part, const char *reason)
{
    const struct last_resort *const r = self;
    const struct am_node_part joint = {
        .name = joint_name, .path = am_part_has_file(part) ? part->file : NULL, .reason = reason};
    const int code = finish(r->job, r->nodes, &joint);

    tidy(r->job, r->nodes, part);
    return code;
}

static void measure_together(struct am_job *job, struct am_gathering *nodes, struct am_part *part,
                             char reason[AM_PART_REASON_MAX])
{
    struct last_resort resort = {job, nodes};
    const int lost = am_gathering_lost(nodes);

    if (nodes->follow && lost < 0) {
        if (job->words->local.n) /* a library may end this rank with another one */
            am_log(AM_LOG_INFO, "all ranks measure; until then the nodes' files are in %s",
                   nodes->own.folder);
        am_joint_run(job, part, reason, finish_alone, &resort);
        am_mpi_dismiss(job->group);
    } else if (job->words->joint.n && lost >= 0) {
        (void)am_str_format(reason, AM_PART_REASON_MAX, "not measured: rank %d was lost before",
                            lost);
    } else if (job->words->joint.n) {
        (void)am_str_copy(reason, AM_PART_REASON_MAX, "not begun: interrupted before");
    }
}

int am_job_conduct(struct am_job *job, bool *lost)
{
    struct am_gathering nodes = {0};
    struct am_part part = {0};
    struct am_err err = {0};
    struct am_node_part joint = {.name = joint_name};
    char reason[AM_PART_REASON_MAX] = "";
    int code;

    if (am_gathering_run(job, &nodes, &err) != AM_OK) {
        am_log(AM_LOG_ERROR, "archmeter-mpi: %s", err.text);
        *lost = true;
        return EXIT_NOTHING;
    }
    *lost = am_gathering_lost(&nodes) >= 0;
    measure_together(job, &nodes, &part, reason);
    joint.path = part.folder[0] && am_part_has_file(&part) ? part.file : NULL;
    joint.reason = *reason ? reason : NULL;
    code = finish(job, &nodes, &joint);
    tidy(job, &nodes, &part);
    return code;
}
