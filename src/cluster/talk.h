/* SPDX-License-Identifier: MIT */
/* What ranks and rank 0 say to each other. Inside the cluster only.
 *
 * A library may end or hang whoever sends to a rank that is dead. So rank 0 begins no conversation:
 * every rank shows now and then that it lives, and gets its order in return. */
#ifndef AM_CLUSTER_TALK_H
#define AM_CLUSTER_TALK_H

#include "cluster/part.h"

#include <stdint.h>

enum am_talk_tag {
    AM_TALK_ALIVE = 11, /* to rank 0: still there */
    AM_TALK_ORDER,      /* its answer: an enum am_talk_order as int32_t */
    AM_TALK_RESULT,     /* the part has ended: struct am_talk_result, then its bytes */
    AM_TALK_BYTES,      /* a piece of the file */
};

enum am_talk_order {
    AM_ORDER_WAIT, /* or: go on */
    AM_ORDER_RUN,  /* begin the node's part */
    AM_ORDER_STOP, /* end it as Ctrl-C does, and send what there is */
    AM_ORDER_FOLLOW,
    AM_ORDER_LEAVE, /* nothing is left to do */
};

enum {
    /* Bytes of a piece: little enough for libraries to send it at once, whole. A larger one could
     * lose its sender half-way, and rank 0 would wait for the rest. */
    AM_TALK_PIECE = 3072,
    AM_TALK_LOOK_MS = 20,     /* between two looks */
    AM_TALK_ALIVE_MS = 1000,  /* between two signs of life */
    AM_TALK_A_SECOND = 1000,  /* signs of life that rank 0 gets a second, at most */
    AM_TALK_SIGNS_MISSED = 3, /* at least, before a rank counts as silent */
};

struct am_talk_result {
    uint64_t bytes; /* of the file; 0: none */
    char reason[AM_PART_REASON_MAX];
};

/* Seconds between two signs of life in a job of so many ranks, where so long a silence means that
 * somebody is gone. */
static inline double am_talk_interval_s(double silence_s, int ranks)
{
    const double usual_s = AM_TALK_ALIVE_MS * 1e-3, crowded_s = (double)ranks / AM_TALK_A_SECOND;
    const double wanted_s = silence_s / AM_TALK_SIGNS_MISSED;
    const double s = wanted_s < usual_s ? wanted_s : usual_s;

    return s > crowded_s ? s : crowded_s;
}

/* The silence that was asked for, or the least that so many ranks allow. */
static inline double am_talk_silence_s(double asked_s, int ranks)
{
    const double least_s = AM_TALK_SIGNS_MISSED * am_talk_interval_s(asked_s, ranks);

    return asked_s > least_s ? asked_s : least_s;
}

#endif
