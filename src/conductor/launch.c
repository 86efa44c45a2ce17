/* SPDX-License-Identifier: MIT */
/* One launch: choose CPUs, write the request, run the worker, hand back the record. */
#include "conductor/launch.h"

#include "base/rng.h"
#include "conductor/collect.h"
#include "conductor/memory.h"
#include "conductor/process.h"
#include "core/protocol/protocol.h"
#include "topo/places.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CPUS_MAX = 4096,
    OUTPUT_MAX = 8 * 1024,    /* of what a worker prints elsewhere */
    STREAM_SLACK = 64 * 1024, /* protocol bytes beyond those of its points */
    MESSAGE_BYTES = 1024,     /* more than the longest honest message */
    MESSAGES_EXTRA = 64,      /* messages of a point besides its samples */
    ENVIRONMENT_MAX = 2 * AM_AXES_MAX,
    REQUEST_MAX = 128 * 1024, /* fits the socket's buffer: sending never waits */
};

enum am_status am_launcher_init(struct am_launcher *l, const struct am_conductor *conductor,
                                struct am_err *err)
{
    *l = (struct am_launcher){.conductor = conductor, .simulated_ns = am_now_ns()};
    l->cpus = calloc(CPUS_MAX, sizeof(*l->cpus));
    if (!l->cpus)
        return am_fail(err, AM_E_NOMEM, "no memory for the CPU list");
    l->n_cpus = am_topo_cpu_order(conductor->topo, l->cpus, CPUS_MAX);
    l->watch.root = conductor->root;
    l->watch.cpus = am_topo_shape(conductor->topo)->threads;
    l->watch.foreign = conductor->foreign;
    if (conductor->energy)
        l->watch.helper = am_meters_helper(am_energy_rig_meters(conductor->energy));
    if (l->n_cpus == 0)
        return am_fail(err, AM_E_ABSENT, "no CPU this process may use");
    return AM_OK;
}

uint64_t am_launcher_now(const struct am_launcher *l)
{
    return l->conductor->catalogue->simulated ? l->simulated_ns : am_now_ns();
}

void am_launcher_fini(struct am_launcher *l)
{
    free(l->cpus);
    *l = (struct am_launcher){0};
}

static const char *cpu_list(const int *cpus, size_t n, struct am_arena *arena)
{
    struct am_text text;
    const char *list;

    am_text_init(&text, (size_t)16 * CPUS_MAX);
    for (size_t i = 0; i < n; i++)
        am_text_addf(&text, "%s%d", i ? "," : "", cpus[i]);
    list = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return list;
}

/* A launch's seed follows from the run's, the round and the point: it replays. */
static uint64_t launch_seed(uint64_t run_seed, unsigned round, int64_t point_id)
{
    struct am_rng rng;

    am_rng_seed(&rng, run_seed ^ 0x6c61756e6368u, ((uint64_t)round << 40) ^ (uint64_t)point_id);
    return am_rng_u64(&rng);
}

/* What is asked besides the points. */
static struct am_request outline(const struct am_launcher *l, size_t n_cpus, uint64_t seed,
                                 unsigned round)
{
    const struct am_counting *const counting = &l->conductor->counting;
    struct am_request request = {
        .sampler = l->conductor->plan->settings.sampler,
        .seed = seed,
        .memory_limit_bytes = am_memory_available(),
        .cpus = l->cpus,
        .n_cpus = n_cpus,
    };

    if (am_counting_counts(counting, round)) {
        request.n_counters = counting->events.n;
        memcpy(request.counters, counting->events.items,
               counting->events.n * sizeof(*request.counters));
    }
    return request;
}

/* The request's text for these points; they are copied because a request holds them by value. */
static enum am_status write_request(struct am_request request, const struct am_point *const *points,
                                    size_t n, struct am_text *text, struct am_err *err)
{
    request.n_points = n;
    request.points = calloc(n, sizeof(*request.points));
    if (!request.points)
        return am_fail(err, AM_E_NOMEM, "no memory for a request");
    for (size_t i = 0; i < n; i++)
        request.points[i] = *points[i];
    am_request_write(text, &request);
    free(request.points);
    if (text->overflow)
        return am_fail(err, AM_E_LIMIT, "request for %s is longer than %d bytes",
                       points[0]->bench->name, REQUEST_MAX);
    return AM_OK;
}

/* What an honest worker could say about these points beside attachments, with room to spare. */
static size_t stream_limit(const struct am_collect *c)
{
    return STREAM_SLACK + c->n_points * MESSAGE_BYTES * ((size_t)c->samples_max + MESSAGES_EXTRA);
}

/* Changes to a worker's environment; the texts live in the arena. */
struct environment {
    struct am_arena *arena;
    const char *items[ENVIRONMENT_MAX];
    size_t n;
};

static void add_variable(void *self, const char *variable, const char *value)
{
    struct environment *const e = self;
    const char *const text = value ? am_arena_printf(e->arena, "%s=%s", variable, value) : variable;

    if (text && e->n < ENVIRONMENT_MAX)
        e->items[e->n++] = text;
}

/* As it is stored: what was set, "-NAME" for what was taken away; NULL when nothing was changed. */
static const char *environment_text(const struct environment *e)
{
    struct am_text text;
    const char *copy;

    am_text_init(&text, AM_LINE_MAX);
    for (size_t i = 0; i < e->n; i++)
        am_text_addf(&text, "%s%s%s", i ? " " : "", strchr(e->items[i], '=') ? "" : "-",
                     e->items[i]);
    copy = e->n ? am_arena_strdup(e->arena, am_text_str(&text)) : NULL;
    am_text_fini(&text);
    return copy;
}

static void run_worker(struct am_launcher *l, const struct am_worker *worker, size_t n_cpus,
                       const struct am_text *request, struct am_collect *collect)
{
    struct environment environment = {.arena = collect->arena};
    struct am_process process = {
        .program = worker->program,
        .cpus = l->cpus,
        .n_cpus = l->conductor->catalogue->simulated ? 0 : n_cpus,
        .environment = environment.items,
        .input = am_text_str(request),
        .input_len = request->len,
        .limit_s = l->conductor->plan->settings.launch_limit_s,
        .progress_ns = &collect->progress_ns,
        .stream_limit = &collect->stream_limit,
        .output_limit = OUTPUT_MAX,
        .interrupted = l->conductor->interrupted,
        .on_line = am_collect_line,
        .self = collect,
    };
    struct am_process_result result;
    struct am_err why = {0};

    am_point_environment(collect->points[0], add_variable, &environment);
    for (size_t i = 0; i < worker->environment.n && environment.n < ENVIRONMENT_MAX; i++)
        environment.items[environment.n++] = worker->environment.items[i];
    process.n_environment = environment.n;
    collect->launch.environment = environment_text(&environment);
    collect->launch.started_ns = am_launcher_now(l);
    if (am_process_run(&process, &result, &why) == AM_OK) {
        /* Of a launch that was interrupted, the points that had ended stay. */
        am_collect_finish(collect, &result, process.limit_s);
    } else {
        collect->launch.ended_ns = am_launcher_now(l);
        am_collect_unstarted(collect, why.text);
    }
    if (collect->simulated)
        l->simulated_ns = collect->launch.ended_ns;
    am_process_fini(&result);
}

/* The launch itself, on the launcher's CPUs. */
static enum am_status launch(struct am_launcher *l, const struct am_point *const *points, size_t n,
                             unsigned round, struct am_arena *arena, struct am_launch *record,
                             struct am_err *err)
{
    const struct am_plan_settings *set = &l->conductor->plan->settings;
    const struct am_worker *worker = am_catalogue_worker(l->conductor->catalogue, points[0]->bench);
    const size_t threads = am_point_threads(points[0]);
    const bool all = points[0]->bench->cpus == AM_CPUS_ALL || threads > l->n_cpus;
    const size_t n_cpus = all ? l->n_cpus : threads;
    const uint64_t seed = launch_seed(set->seed, round, points[0]->id);
    const struct am_counting *const counting = &l->conductor->counting;
    const struct am_request asked = outline(l, n_cpus, seed, round);
    struct am_collect collect;
    struct am_text request;
    enum am_status s;

    if (!worker || !worker->program)
        return am_fail(err, AM_E_ABSENT, "no worker for %s", points[0]->bench->name);
    am_text_init(&request, REQUEST_MAX);
    s = am_collect_init(&collect, arena, worker->calls_itself ? worker->calls_itself : worker->name,
                        points, n, set->sampler.samples + set->sampler.extra, err);
    if (s == AM_OK)
        s = write_request(asked, points, n, &request, err);
    if (s == AM_OK) {
        collect.n_counts = asked.n_counters;
        collect.drift_limit = set->sampler.drift_limit;
        collect.cpus = n_cpus;
        collect.stream_limit = stream_limit(&collect);
        collect.simulated = l->conductor->catalogue->simulated;
        collect.launch.worker = worker->name;
        collect.launch.round = round;
        collect.launch.seed = seed;
        collect.launch.cpus = cpu_list(l->cpus, n_cpus, arena);
        collect.launch.wall_start = (int64_t)time(NULL);
        am_watch_begin(&l->watch);
        run_worker(l, worker, n_cpus, &request, &collect);
        collect.launch.has_surroundings =
            am_watch_end(&l->watch, n_cpus, &collect.launch.surroundings);
        am_collect_acquit(&collect);
        am_counting_attribute(counting, points, &collect.launch);
        if (l->conductor->energy && am_counting_times(counting, round))
            am_energy_rig_attribute(l->conductor->energy, points, arena, &collect.launch);
        *record = collect.launch;
    }
    am_text_fini(&request);
    return s;
}

/* No process is started for what the machine has no place for: every point is a stored skip. */
static enum am_status refuse(const struct am_launcher *l, const struct am_point *const *points,
                             size_t n, const char *reason, struct am_arena *arena,
                             struct am_launch *record, struct am_err *err)
{
    const struct am_worker *worker = am_catalogue_worker(l->conductor->catalogue, points[0]->bench);
    const uint64_t now = am_launcher_now(l);
    struct am_visit *const visits = am_arena_array(arena, n, sizeof(*visits));
    const char *const told = am_arena_strdup(arena, reason);

    if (!worker || !visits || !told)
        return am_fail(err, AM_E_NOMEM, "no memory for a launch");
    for (size_t i = 0; i < n; i++)
        visits[i] = (struct am_visit){.point_id = points[i]->id,
                                      .state = AM_POINT_SKIP,
                                      .kind = AM_FAILURE_SKIP,
                                      .reason = told};
    *record = (struct am_launch){
        .worker = worker->name,
        .cpus = "",
        .started_ns = now,
        .ended_ns = now,
        .wall_start = (int64_t)time(NULL),
        .visits = visits,
        .n_visits = n,
    };
    return AM_OK;
}

/* How many caches of each level the threads reach, as the system states it, for whoever sorts
 * working sets by level: "8 8 1". */
static void say_caches(const struct am_topo_cpu *cpus, size_t n, struct am_arena *arena,
                       struct am_launch *record)
{
    const char *const text = am_arena_printf(
        arena, "%zu %zu %zu", am_cpus_instances(cpus, n, AM_TOPO_L1),
        am_cpus_instances(cpus, n, AM_TOPO_L2), am_cpus_instances(cpus, n, AM_TOPO_L3));

    for (size_t i = 0; text && i < record->n_visits; i++) {
        if (record->visits[i].state == AM_POINT_OK)
            am_kvs_add(&record->visits[i].chosen, arena, AM_SAID_CACHES, text);
    }
}

enum am_status am_launcher_run(struct am_launcher *l, const struct am_point *const *points,
                               size_t n, unsigned round, struct am_arena *arena,
                               struct am_launch *record, struct am_err *err)
{
    const struct am_topo *const topo = l->conductor->topo;
    const char *const place = am_point_place(points[0]);
    const size_t threads = am_point_threads(points[0]);
    struct am_topo_cpu *const cpus = am_arena_array(arena, l->n_cpus, sizeof(*cpus));
    int *const placed = am_arena_array(arena, l->n_cpus, sizeof(*placed));
    const struct am_launcher whole = *l;
    struct am_err why = {0};
    enum am_status s;

    if (!cpus || !placed)
        return am_fail(err, AM_E_NOMEM, "no memory for the CPUs of a launch");
    if (strcmp(place, AM_PLACE_WHOLE) != 0 &&
        am_place_check(topo, place, (int64_t)threads, &why) != AM_OK) {
        s = refuse(l, points, n, why.text, arena, record, err);
        record->round = round;
        return s;
    }
    l->cpus = placed;
    l->n_cpus = am_place_cpus(topo, place, cpus);
    for (size_t i = 0; i < l->n_cpus; i++)
        placed[i] = cpus[i].cpu;
    s = launch(l, points, n, round, arena, record, err);
    if (s == AM_OK && points[0]->bench->cpus == AM_CPUS_THREADS && threads <= l->n_cpus)
        say_caches(cpus, threads, arena, record);
    l->cpus = whole.cpus;
    l->n_cpus = whole.n_cpus;
    return s;
}
