/* SPDX-License-Identifier: MIT */
/* One launch on a simulated machine: its CPUs, what it got of shared caches, and its questions.
 *
 * An answer is what an undisturbed batch takes on this machine: exact work of one iteration,
 * seconds of one iteration, and the values of metrics that benches compute themselves. Noise is
 * added later (noise.h), so that every metric of a sample tells the same time. */
#ifndef AM_SIM_LAUNCH_H
#define AM_SIM_LAUNCH_H

#include "base/rng.h"
#include "core/protocol/protocol.h"
#include "sim/layout.h"

enum { AM_SIM_CHOSEN_MAX = 6 };

struct am_sim_launch {
    const struct am_sim_layout *layout;
    const struct am_request *request;
    const char *worker;              /* whose part it plays: "omp-gcc" */
    size_t turn;                     /* of its points: each is drawn for as a launch of its own */
    struct am_rng rng;               /* of this launch */
    double share[AM_SIM_CACHES_MAX]; /* part of an instance that is ours, by cache */
    double memory_share;             /* part of memory bandwidth that is ours */
};

struct am_sim_question {
    struct am_sim_launch *launch;
    const struct am_point *point;
};

struct am_sim_answer {
    struct am_work work;      /* of one iteration */
    double seconds;           /* of one iteration */
    double hz;                /* core clock of the threads meanwhile, their mean */
    double hz_least, hz_most; /* of the threads; 0: all alike */
    double setup_bytes;       /* memory that is allocated and filled before */
    double setup_s;           /* and what else is done before */
    double unnoised; /* 1: the batch takes the best of many slices, so noise hardly shows */
    double own[AM_METRICS_MAX];
    struct {
        const char *name;
        char value[64];
    } chosen[AM_SIM_CHOSEN_MAX];
    size_t n_chosen;
};

/* Fills in a zeroed answer. AM_E_ABSENT: a skip with the reason. */
typedef enum am_status am_sim_answer_fn(const struct am_sim_question *q, struct am_sim_answer *a,
                                        struct am_err *err);

/* Answers by name or pattern of bench; the tables of the answer_*.c files, each ended by NULL. */
struct am_sim_answerer {
    const char *bench;
    am_sim_answer_fn *answer;
};
extern const struct am_sim_answerer am_sim_core_answers[], am_sim_chase_answers[],
    am_sim_stream_answers[], am_sim_share_answers[], am_sim_omp_answers[], am_sim_ocl_answers[],
    am_sim_mpi_answers[], am_sim_app_answers[];

/* Answers with the table's function, after checking threads and memory. */
enum am_status am_sim_ask(const struct am_sim_question *q, struct am_sim_answer *a,
                          struct am_err *err);

/* ---- what answers use ---- */

static inline const struct am_sim_machine *am_sim_machine_of(const struct am_sim_question *q)
{
    return q->launch->layout->machine;
}

/* The point's value on an axis, `dflt` where the bench has no such axis. */
int64_t am_sim_int(const struct am_sim_question *q, const char *axis, int64_t dflt);
const char *am_sim_name(const struct am_sim_question *q, const char *axis, const char *dflt);
bool am_sim_is(const struct am_sim_question *q, const char *axis, const char *name);
/* The value of an own metric; passes over one that the bench has not. */
void am_sim_own(const struct am_sim_question *q, struct am_sim_answer *a, const char *metric,
                double value);
/* Says what code reads of the launch: an axis that is attested, or a name of the bench's own. */
void am_sim_choose(struct am_sim_answer *a, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* CPUs of a point's threads: `out` has room for AM_SIM_CPUS_MAX. */
struct am_sim_team {
    const struct am_sim_cpu *cpus[AM_SIM_CPUS_MAX];
    size_t n;
};
/* The first `n` of the launch's CPUs, which stand in the order of placement. */
void am_sim_team_first(const struct am_sim_question *q, size_t n, struct am_sim_team *out);
/* The core clocks of the team while all of it executes `isa`. */
void am_sim_team_clocks(const struct am_sim_team *team, const char *isa, struct am_sim_answer *a);
/* CPU by its number; NULL when there is none. */
const struct am_sim_cpu *am_sim_cpu_at(const struct am_sim_question *q, int64_t number);

/* Clock in GHz of a CPU while the team is busy; `isa` NULL: code without vectors. */
double am_sim_ghz(const struct am_sim_cpu *cpu, const char *isa, const struct am_sim_team *team);
/* Threads of the team on the same core as `cpu`, itself included; at least 1. */
size_t am_sim_on_core(const struct am_sim_team *team, const struct am_sim_cpu *cpu);

#endif
