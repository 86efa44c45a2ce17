/* SPDX-License-Identifier: MIT */
/* Rank 0 calls, the others follow: one command a hook, the same state on every rank. */
#include "bench/mpi/group.h"

#include "base/log.h"
#include "base/text.h"
#include "core/bench/plan.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG_COMMAND = 1, IDLE_LEAST_NS = 20000, IDLE_MOST_NS = 2000000 };

enum op { OP_PREPARE, OP_RUN, OP_VERIFY, OP_FINISH, OP_DISMISS };

/* What rank 0 sends to every other. */
struct command {
    int32_t op, bench;
    uint64_t iters, seed;
    char point[AM_POINT_TEXT_MAX]; /* prepare: "ranks=2 size=8", every axis in its order */
};

struct am_mpi_group {
    MPI_Comm control; /* of commands: they meet no message of a bench */
    int rank, size, local_rank, local_size;
    struct am_clock clock;
    int *cpus;
    size_t cpu_count;
    void *kept;

    /* The point at hand. */
    const struct am_mpi_bench *bench;
    struct am_mpi_team team; /* comm is MPI_COMM_NULL on ranks that have no part in it */
    void *state;
};

/* What a descriptor of am_mpi_descriptors() leads its hooks to. */
struct link {
    const struct am_mpi_bench *bench;
    struct am_mpi_group *group;
};

/* The state of the worker's engine: only the way to the group's. */
struct handle {
    struct am_mpi_group *group;
};

/* ---- the group ---- */

static enum am_status find_cpus(struct am_mpi_group *g, struct am_err *err)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return am_fail(err, AM_E_SYS, "cannot read the CPUs of this process");
    g->cpus = calloc((size_t)CPU_COUNT(&set), sizeof(*g->cpus));
    if (!g->cpus)
        return am_fail(err, AM_E_NOMEM, "no memory for the CPUs");
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &set))
            g->cpus[g->cpu_count++] = cpu;
    }
    return AM_OK;
}

enum am_status am_mpi_group_open(struct am_mpi_group **group_p, struct am_err *err)
{
    struct am_mpi_group *const g = calloc(1, sizeof(*g));
    MPI_Comm local;
    enum am_status s;

    if (!g)
        return am_fail(err, AM_E_NOMEM, "no memory for the group of ranks");
    /* A rank that is gone must not end those that write its story: errors return, here and in every
     * communicator made of this one, and verification tells what did not arrive. */
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    (void)MPI_Comm_dup(MPI_COMM_WORLD, &g->control);
    (void)MPI_Comm_rank(g->control, &g->rank);
    (void)MPI_Comm_size(g->control, &g->size);
    (void)MPI_Comm_split_type(g->control, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    (void)MPI_Comm_rank(local, &g->local_rank);
    (void)MPI_Comm_size(local, &g->local_size);
    (void)MPI_Comm_free(&local);
    am_clock_init(&g->clock);
    g->team.comm = MPI_COMM_NULL;
    s = find_cpus(g, err);
    if (s == AM_OK)
        *group_p = g;
    else
        am_mpi_group_close(g);
    return s;
}

void am_mpi_group_close(struct am_mpi_group *g)
{
    if (!g)
        return;
    (void)MPI_Comm_free(&g->control);
    free(g->cpus);
    am_mpi_forget(g);
    free(g);
}

int am_mpi_group_rank(const struct am_mpi_group *group)
{
    return group->rank;
}

/* ---- commands ---- */

static void call_all(const struct am_mpi_group *g, const struct command *command)
{
    for (int rank = 1; rank < g->size; rank++)
        (void)MPI_Send(command, (int)sizeof(*command), MPI_BYTE, rank, TAG_COMMAND, g->control);
}

/* Sleeps between two looks: a rank without a command must not take a CPU from one that works. */
static void await_command(const struct am_mpi_group *g, struct command *command)
{
    long pause_ns = IDLE_LEAST_NS;
    int there = 0;

    for (;;) {
        (void)MPI_Iprobe(0, TAG_COMMAND, g->control, &there, MPI_STATUS_IGNORE);
        if (there)
            break;
        (void)nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = pause_ns < IDLE_MOST_NS ? pause_ns * 2 : pause_ns;
    }
    (void)MPI_Recv(command, (int)sizeof(*command), MPI_BYTE, 0, TAG_COMMAND, g->control,
                   MPI_STATUS_IGNORE);
}

/* The first failure of all ranks becomes that of each. */
static enum am_status agree(const struct am_mpi_group *g, enum am_status s, struct am_err *err)
{
    struct {
        int status, rank;
    } mine = {(int)s, g->team.rank}, worst = mine;
    char text[sizeof(err->text)] = "";

    (void)MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, g->team.comm);
    if (worst.status == AM_OK)
        return AM_OK;
    if (worst.rank == g->team.rank)
        (void)am_str_copy(text, sizeof(text), err->text);
    (void)MPI_Bcast(text, (int)sizeof(text), MPI_CHAR, worst.rank, g->team.comm);
    return am_fail(err, (enum am_status)worst.status, "rank %d: %s", worst.rank, text);
}

/* ---- hooks, on every rank ---- */

static enum am_status form_team(struct am_mpi_group *g, int64_t ranks, uint64_t seed,
                                struct am_err *err)
{
    const bool member = g->rank < ranks;

    if (ranks < 1 || ranks > g->size)
        return am_fail(err, AM_E_ABSENT, "%lld ranks, and the job has %d", (long long)ranks,
                       g->size);
    (void)MPI_Comm_split(g->control, member ? 0 : MPI_UNDEFINED, g->rank, &g->team.comm);
    g->team = (struct am_mpi_team){.comm = g->team.comm,
                                   .rank = g->rank,
                                   .size = (int)ranks,
                                   .local_rank = g->local_rank,
                                   .local_size = g->local_size,
                                   .seed = seed,
                                   .clock = &g->clock,
                                   .cpus = g->cpus,
                                   .cpu_count = g->cpu_count,
                                   .kept = &g->kept};
    return AM_OK;
}

/* One CPU per rank, in turn; benches with threads of their own bind those. */
static void bind_rank(const struct am_mpi_group *g)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)g->cpus[(size_t)g->local_rank % g->cpu_count], &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
}

static enum am_status begin_point(struct am_mpi_group *g, const struct am_value *point,
                                  uint64_t seed, const struct am_ctx *ctx, struct am_work *work,
                                  struct am_err *err)
{
    const int ranks = am_axis_find(g->bench->descriptor.axes, "ranks");
    enum am_status s = form_team(g, point[ranks].i, seed, err);

    if (s != AM_OK || g->team.comm == MPI_COMM_NULL)
        return s;
    g->team.ctx = ctx;
    bind_rank(g);
    g->state = calloc(1, g->bench->state_size);
    s = g->state ? g->bench->prepare(g->state, &g->team, point, work, err)
                 : am_fail(err, AM_E_NOMEM, "no memory for a state");
    return agree(g, s, err);
}

static void run_point(struct am_mpi_group *g, uint64_t iters, struct am_batch *batch)
{
    uint64_t longest = 0;

    batch->elapsed_ns = 0;
    g->bench->run(g->state, iters, batch);
    (void)MPI_Reduce(&batch->elapsed_ns, &longest, 1, MPI_UINT64_T, MPI_MAX, 0, g->team.comm);
    batch->elapsed_ns = longest;
}

static enum am_status verify_point(struct am_mpi_group *g, double *residual, struct am_err *err)
{
    double mine = 0;
    enum am_status s = g->bench->verify(g->state, &mine, err);

    s = agree(g, s, err);
    (void)MPI_Reduce(&mine, residual, 1, MPI_DOUBLE, MPI_MAX, 0, g->team.comm);
    return s;
}

static void end_point(struct am_mpi_group *g)
{
    if (g->team.comm == MPI_COMM_NULL)
        return;
    if (g->state)
        g->bench->finish(g->state);
    free(g->state);
    g->state = NULL;
    (void)MPI_Comm_free(&g->team.comm);
}

/* ---- rank 0 ---- */

static enum am_status lead_prepare(void *state, const struct am_ctx *ctx,
                                   const struct am_value *point, struct am_work *work,
                                   struct am_err *err)
{
    const struct link *const link = ctx->bench->data;
    struct am_mpi_group *const g = link->group;
    struct command command = {.op = OP_PREPARE, .seed = ctx->seed};
    const struct am_point text = {.bench = ctx->bench, .values = point};

    while (am_mpi_benches[command.bench] != link->bench)
        command.bench++;
    am_point_text(&text, command.point, sizeof(command.point));
    ((struct handle *)state)->group = g;
    g->bench = link->bench;
    call_all(g, &command);
    am_ctx_note(ctx, "timing", "local clocks, the longest of all ranks");
    am_ctx_note(ctx, "layout", "%d of %d ranks on this machine, %zu CPUs", g->local_size, g->size,
                g->cpu_count);
    return begin_point(g, point, ctx->seed, ctx, work, err);
}

static enum am_status lead_run(void *state, uint64_t iters, struct am_batch *batch,
                               struct am_err *err)
{
    struct am_mpi_group *const g = ((struct handle *)state)->group;
    const struct command command = {.op = OP_RUN, .iters = iters};

    (void)err;
    if (g->bench->recall && g->bench->recall(g->state, iters, batch))
        return AM_OK;
    call_all(g, &command);
    run_point(g, iters, batch);
    return AM_OK;
}

static enum am_status lead_verify(void *state, double *residual, struct am_err *err)
{
    struct am_mpi_group *const g = ((struct handle *)state)->group;
    const struct command command = {.op = OP_VERIFY};

    call_all(g, &command);
    return verify_point(g, residual, err);
}

static void lead_finish(void *state)
{
    struct am_mpi_group *const g = ((struct handle *)state)->group;
    const struct command command = {.op = OP_FINISH};

    if (!g)
        return;
    call_all(g, &command);
    end_point(g);
}

const struct am_bench **am_mpi_descriptors(struct am_mpi_group *group, struct am_arena *arena)
{
    const struct am_bench **list;
    struct am_bench *benches;
    struct link *links;
    size_t n = 0;

    while (am_mpi_benches[n])
        n++;
    list = am_arena_array(arena, n + 1, sizeof(*list));
    benches = am_arena_array(arena, n, sizeof(*benches));
    links = am_arena_array(arena, n, sizeof(*links));
    for (size_t i = 0; list && benches && links && i < n; i++) {
        links[i] = (struct link){am_mpi_benches[i], group};
        benches[i] = am_mpi_benches[i]->descriptor;
        benches[i].data = &links[i];
        benches[i].cpus = AM_CPUS_ALL;
        benches[i].state_size = sizeof(struct handle);
        benches[i].prepare = lead_prepare;
        benches[i].run_timed = lead_run;
        benches[i].verify = lead_verify;
        benches[i].finish = lead_finish;
        list[i] = &benches[i];
    }
    return benches && links ? list : NULL;
}

void am_mpi_forget(struct am_mpi_group *group)
{
    free(group->kept);
    group->kept = NULL;
}

void am_mpi_dismiss(struct am_mpi_group *group)
{
    const struct command command = {.op = OP_DISMISS};

    call_all(group, &command);
}

/* ---- the others ---- */

/* The values of a point's text, in the order of the axes. */
static enum am_status read_point(const struct am_axis *axes, char *text, struct am_value *values,
                                 struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; axes[i].name && s == AM_OK; i++) {
        char *const word = strsep(&text, " ");
        const char *const value = word ? strchr(word, '=') : NULL;

        s = value ? am_value_parse(&axes[i], value + 1, strlen(value + 1), &values[i], err)
                  : am_fail(err, AM_E_PROTOCOL, "axis %s is missing", axes[i].name);
    }
    return s;
}

static void follow_prepare(struct am_mpi_group *g, struct command *command)
{
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};

    g->bench = am_mpi_benches[command->bench];
    if (read_point(g->bench->descriptor.axes, command->point, point, &err) == AM_OK) {
        (void)begin_point(g, point, command->seed, NULL, &work, &err); /* rank 0 tells it */
        return;
    }
    /* Rank 0 wrote it with the same table: the programs differ, and nothing can be agreed upon. */
    am_log(AM_LOG_ERROR, "worker mpi, rank %d: %s", g->rank, err.text);
    (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

void am_mpi_follow(struct am_mpi_group *g, unsigned limit_s)
{
    struct command command;
    struct am_batch batch;
    struct am_err err = {0};
    double residual;

    for (;;) {
        (void)alarm(limit_s);
        await_command(g, &command);
        (void)alarm(command.op == OP_DISMISS ? 0 : limit_s);
        if (command.op == OP_DISMISS)
            return;
        if (command.op == OP_PREPARE)
            follow_prepare(g, &command);
        else if (command.op == OP_FINISH)
            end_point(g);
        else if (g->team.comm == MPI_COMM_NULL)
            continue;
        else if (command.op == OP_RUN)
            run_point(g, command.iters, &batch);
        else
            (void)verify_point(g, &residual, &err);
    }
}
