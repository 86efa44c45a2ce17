/* SPDX-License-Identifier: MIT */
/* The results file: one SQLite database per run.
 *
 * A run is begun once, with machine, environment, settings, build, doctor's findings, benches and
 * points; then every launch is one commit with all its samples; then the run is ended. Only raw
 * samples are stored: whatever is shown is computed from them on loading. Promised: a file always
 * holds whole launches, however the writer died; (point, round) is unique, so that resuming can
 * double nothing; one process writes at a time; everything is sealed in the commit that writes it
 * (store/seal.h), and loading tells whether the seals hold. Loaded texts and arrays live in the
 * caller's arena. Files of earlier schema versions (from 2 on) are read as if they were of this one
 * (store/version.h); doc/internals/schema.md describes the tables. */
#ifndef AM_STORE_STORE_H
#define AM_STORE_STORE_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/kv.h"
#include "base/status.h"
#include "core/bench/bench.h"
#include "core/bench/plan.h"
#include "core/measure/surroundings.h"
#include "core/stats/grade.h"
#include "core/stats/summary.h"
#include "topo/doctor.h"

#include <stdbool.h>
#include <stdint.h>

enum { AM_SCHEMA_VERSION = 5 };

struct am_store;

/* Creates a file that must not exist yet (AM_E_USAGE if it does). It is removed again by
 * am_store_close() as long as no run was begun. */
enum am_status am_store_create(const char *path, struct am_store **store_p, struct am_err *err);
/* Opens an existing run for reading, or for going on. A file that is no archmeter run, or of an
 * unknown schema version, is refused as the caller's mistake (AM_E_USAGE); one that cannot be read,
 * or (writable) is being written by somebody else, as AM_E_STORE; the message says which. A file of
 * an earlier version is read as if it were of this one; opened for writing it becomes one of this.
 * Reading changes nothing, except that what a writer killed in the middle of a commit left is
 * rolled back.
 */
enum am_status am_store_open(const char *path, bool writable, struct am_store **store_p,
                             struct am_err *err);
void am_store_close(struct am_store *store); /* accepts NULL */

/* Facts of the whole run, fixed before the first launch. */
struct am_run_info {
    const char *name;    /* the file's base name; set on reading */
    const char *command; /* the command line as typed */
    const char *version; /* archmeter's */
    const char *started; /* ISO 8601, UTC */
    const char *ended;   /* NULL while unfinished */
    enum am_run_state state;
    const char *label; /* the user's --tag, or NULL */
    bool synthetic;    /* read below a false root */
    double launched_s; /* in launches, by the clock of the machine they ran on; set on reading */
    struct am_plan_settings settings;
};

/* Writes run, machine, environment, settings, build, findings, benches and points in one
 * transaction and sets every point's id. The settings are the plan's; the state is AM_RUN_RUNNING;
 * `started` NULL is now. `worker_of(bench)` is the worker's name. */
struct am_run_facts {
    struct am_run_info info;
    const struct am_kvs *machine, *environment, *settings, *build;
    const struct am_findings *findings;
    const char *(*worker_of)(const void *self, const struct am_bench *bench);
    const void *self;
};
enum am_status am_store_begin_run(struct am_store *store, const struct am_run_facts *facts,
                                  struct am_plan *plan, struct am_err *err);
/* Adds points that a search thought of during the run, in one commit, and sets their ids. Another
 * point of the bench and worker was in the plan. */
enum am_status am_store_add_points(struct am_store *store, const char *worker,
                                   struct am_point *const *points, size_t n, struct am_err *err);
/* Sets the state and, unless it is AM_RUN_RUNNING (resume begins with that), the time of the end.
 */
enum am_status am_store_end_run(struct am_store *store, enum am_run_state state,
                                struct am_err *err);

/* Adds circumstances that were learned, or settings that were made, during the run; a key that is
 * there already is replaced. */
enum am_status am_store_put_environment(struct am_store *store, const struct am_kvs *facts,
                                        struct am_err *err);
enum am_status am_store_put_settings(struct am_store *store, const struct am_kvs *settings,
                                     struct am_err *err);

/* How one point fared in one launch; its state is never AM_POINT_PENDING. */
/* A file that a worker made beside its samples. */
struct am_attachment {
    const char *name, *type; /* type: a media type */
    const void *data;        /* of one that was loaded, a byte 0 stands behind the last */
    size_t n;                /* bytes */
};

struct am_visit {
    int64_t point_id;
    enum am_point_state state;
    enum am_failure_kind kind; /* AM_FAILURE_NONE when ok, AM_FAILURE_SKIP of skips */
    const char *reason;        /* for a person; NULL when ok */
    bool has_work, has_residual;
    struct am_work work;
    double residual; /* the worst of those reported */
    struct am_sample *samples;
    size_t n_samples, n_metrics;
    struct am_kvs notes;    /* the worker's remarks, for people */
    struct am_kvs chosen;   /* what it was done with: axes, and names of the bench's own */
    struct am_kvs proposed; /* what a tuner may try: axis -> values */
    /* When it was measured, where that was not between the times of its samples; not stored. */
    bool has_window;
    uint64_t window_begin_ns, window_end_ns; /* both 0: at no time of its own */
    struct am_attachment *attachments;
    size_t n_attachments;
};

/* One worker process. */
struct am_launch {
    unsigned round;
    uint64_t seed;
    const char *worker, *cpus; /* program name; "0,1" */
    const char *environment;   /* what was changed for it, NULL when nothing */
    int pid;
    uint64_t started_ns, ended_ns; /* monotonic raw: spawn, and reaped */
    int64_t wall_start;            /* Unix time, seconds */
    uint64_t clock_overhead_ns, clock_resolution_ns;
    double hz;             /* core clock at the worker's start */
    bool has_surroundings; /* somebody looked */
    struct am_surroundings surroundings;
    const char *output; /* what it printed elsewhere (bounded), NULL if nothing */
    struct am_kvs
        libraries; /* that it had loaded: path -> build id; kept once per run and worker */
    struct am_visit *visits; /* one per requested point */
    size_t n_visits;
};

/* Stores a launch with everything in it in one commit. A (point, round) already stored is refused;
 * whatever fails, the file keeps all earlier launches and nothing of this one. Metric values that
 * no result may hold (core/bench/sane.h) are stored as NULL. */
enum am_status am_store_put_launch(struct am_store *store, const struct am_launch *launch,
                                   struct am_err *err);

/* Why points get no more launches, in one commit. */
struct am_stop {
    int64_t point_id;
    enum am_stop_reason reason; /* AM_STOP_OPEN opens the point again */
};
enum am_status am_store_put_stops(struct am_store *store, const struct am_stop *stops, size_t n,
                                  struct am_err *err);

/* ---- reading ---- */

struct am_result_metric {
    const char *name, *unit;
    enum am_better better;
    struct am_systematic systematic; /* as the bench stated it */
    struct am_series series; /* only launches in which the point was ok, in their order; values that
                              * are not finite are left out */
    /* Set by the layer above, once, when the run is loaded: evidence/evidence.h. */
    bool has_summary;
    struct am_summary summary;
    struct am_grading grading;
};

struct am_result_param {
    const char *name;
    enum am_axis_kind kind;
    const char *text; /* canonical */
};

struct am_result {
    int64_t point_id;
    const char *bench, *worker;
    unsigned version;
    const char *text; /* "size=4096 pattern=random" */
    struct am_result_param *params;
    size_t n_params;
    enum am_point_state state; /* AM_POINT_OK when one visit was, else what the latest was */
    const char *reason;        /* of the latest skip or failure when state is not ok, else NULL */
    enum am_stop_reason stop_reason;
    struct am_work work;
    struct am_timing timing;
    double residual; /* worst over launches; NAN when never verified */
    size_t failures; /* launches in which it failed, skips not counted */
    struct am_result_metric *metrics;
    size_t n_metrics;
    /* Each as the latest launch that said any had it. */
    struct am_kvs notes;  /* the worker's remarks, for people */
    struct am_kvs chosen; /* what it was done with: axes, and names of the bench's own */
    struct am_attachment *attachments;
    size_t n_attachments;
    /* Of these what launches measured of parts of their time (`code_...`, `step_...`), of all of
     * them and in their order: a name comes once per launch. */
    struct am_kvs parts;
};

struct am_failure {
    const char *bench, *text, *reason, *output;
    enum am_failure_kind kind;
    unsigned round;
};

/* How a machine's part of a run ended. */
enum am_node_state { AM_NODE_DONE, AM_NODE_PARTIAL, AM_NODE_LOST, AM_NODE_STATES };
extern const char *const am_node_states[]; /* "done", "partial", "lost"; by enumerator */

struct am_node {
    const char *name;
    enum am_node_state state;
    const char *reason;                    /* NULL when done */
    size_t points, ok;                     /* planned, and with a result */
    const char *command, *started, *ended; /* of its own file; NULL: not known */
    struct am_kvs facts;
};

struct am_nodes {
    struct am_node *items;
    size_t n; /* 0: the file of one machine */
};

/* How quiet the machine was, over all launches of a run. */
struct am_quiet {
    size_t launches;              /* that somebody looked around at; 0: nothing is known */
    size_t busy;                  /* of those */
    size_t by[AM_BUSY_KINDS];     /* busy ones by the number of the label's bit */
    double others, steal;         /* means over launches, in CPUs; NAN: unknown */
    double load_least, load_most; /* of the load averages; NAN: unknown */
};

/* Whether a file is as archmeter wrote it (doc/internals/seals.md). */
enum am_seal_state {
    AM_SEAL_UNCHECKED, /* nobody asked */
    AM_SEAL_NONE,      /* of a version that had no seals */
    AM_SEAL_PARTLY,    /* of such a version, and gone on with: the launches since then are sealed;
                        * or of an earlier form of seals, which tell less */
    AM_SEAL_HOLDS,
    AM_SEAL_BROKEN,
};
struct am_seal {
    enum am_seal_state state;
    size_t sealed, unsealed;     /* launches */
    const char *story;           /* what does not hold, or an earlier form does not tell; or NULL */
    char digest[AM_DIGEST_TEXT]; /* of all that is sealed; "" when nothing is, or it is broken */
};

struct am_result_set {
    struct am_run_info run;
    struct am_seal seal;
    struct am_kvs machine, environment;
    struct am_kvs settings; /* what was asked for beside run.settings: options, meters, tuning, the
                             * experiment */
    struct am_kvs build;
    struct am_findings findings;
    struct am_nodes nodes; /* of a merged file */
    struct am_result *results;
    size_t n;
    struct am_failure *failures; /* skips and failures, by point and then launch */
    size_t n_failures;
    size_t launches;       /* of the selected benches and rounds */
    struct am_quiet quiet; /* of the whole run */
};

/* Which part of a run to load. */
struct am_filter {
    const char *pattern;           /* glob over bench names, NULL: all */
    unsigned round_mod, round_rem; /* with mod > 0: only rounds r with r % mod == rem */
    bool check;                    /* compare the seals: of a file from elsewhere */
};
/* `filter` NULL loads everything. Results are in plan order; memory belongs to the arena. */
enum am_status am_store_load(struct am_store *store, const struct am_filter *filter,
                             struct am_arena *arena, struct am_result_set *out, struct am_err *err);

/* For resume: the settings and, for every stored point, which rounds have a visit. */
struct am_resume_point {
    int64_t point_id;
    const char *bench, *worker, *text;
    unsigned version;
    enum am_stop_reason stop_reason;
    unsigned *rounds;          /* rounds with a visit, ascending */
    size_t n_rounds, failures; /* failures: rounds in which it failed, skips not counted */
};
struct am_resume {
    struct am_run_info run;
    struct am_resume_point *points; /* in plan order */
    size_t n;
    double spent_s; /* sum of the launches' durations */
};
enum am_status am_store_load_resume(struct am_store *store, struct am_arena *arena,
                                    struct am_resume *out, struct am_err *err);

/* The attachment of that name; NULL: there is none. */
const struct am_attachment *am_result_attachment(const struct am_result *result, const char *name);

/* One metric value of one raw sample as stored, for export; only of launches in which the point was
 * ok. Texts live until the callback returns. */
struct am_raw_sample {
    const char *bench, *text, *metric, *unit;
    int64_t launch_id;
    uint64_t launch_started_ns; /* spawn of its worker, on the clock of sample.t0_ns */
    unsigned round, sequence;
    double value;            /* NAN when it was not finite */
    struct am_sample sample; /* of its values only this metric's is set */
};
typedef enum am_status am_raw_fn(void *self, const struct am_raw_sample *raw, struct am_err *err);
/* By point, launch, sequence, metric. A status other than AM_OK from `fn` ends it. */
enum am_status am_store_each_sample(struct am_store *store, const char *pattern, am_raw_fn *fn,
                                    void *self, struct am_err *err);

const char *am_store_sqlite_version(void);

#endif
