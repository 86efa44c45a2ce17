/* SPDX-License-Identifier: MIT */
/* Rank 0's view of the nodes: who they are, how their parts go, and the files that came. */
#ifndef AM_CLUSTER_GATHER_H
#define AM_CLUSTER_GATHER_H

#include "cluster/job.h"
#include "core/bench/axis.h"

#include <stdint.h>
#include <stdio.h>

enum am_gathered_state {
    AM_GATHERED_WAITS,
    AM_GATHERED_RUNS,
    AM_GATHERED_SENDS,
    AM_GATHERED_ENDED
};

struct am_gathered {
    char name[AM_VALUE_TEXT_MAX]; /* of the machine, unique */
    int leader;                   /* its rank */
    enum am_gathered_state state;
    uint64_t begun_ns;
    uint64_t left; /* bytes that are still to come */
    FILE *incoming;
    char file[AM_PART_PATH_MAX]; /* "" when none came */
    char reason[AM_PART_REASON_MAX];
};

struct am_gathered_rank {
    uint64_t heard_ns;
    MPI_Request answering;
    int32_t order; /* the latest that it got */
    bool lost;     /* says nothing any more, or must not be waited for */
};

struct am_gathering {
    struct am_gathered *items;
    size_t n;
    struct am_gathered_rank *ranks;
    int n_ranks;
    struct am_part own; /* rank 0's part; received files lie in its folder */
    bool over;          /* every node has ended */
    bool follow;        /* then: whether ranks are to follow */
};

/* Collective in its begin (all ranks answer). Ends when every node has ended or is given up, and
 * every rank that lives knows what comes next: to follow, where there is a phase of all ranks and
 * none is lost. */
enum am_status am_gathering_run(struct am_job *job, struct am_gathering *nodes, struct am_err *err);
/* The other ranks' side of that begin. */
void am_gathering_introduce(const struct am_job *job);

/* The first rank that is lost, -1 when there is none. */
int am_gathering_lost(const struct am_gathering *nodes);
/* Whether every part refused its words. */
bool am_gathering_all_refused(const struct am_gathering *nodes);
void am_gathering_pause(void); /* between two looks */
/* Removes the files; `keep_beside`, a results file or NULL, gets copies beside it. */
void am_gathering_close(struct am_gathering *nodes, const char *keep_beside);

#endif
