/* SPDX-License-Identifier: MIT */
/* What leaders of nodes and rank 0 say to each other. Inside the cluster only. */
#ifndef AM_CLUSTER_TALK_H
#define AM_CLUSTER_TALK_H

#include "cluster/part.h"

#include <stdint.h>

enum am_talk_tag {
    AM_TALK_GO = 11, /* rank 0 to a leader: begin */
    AM_TALK_ALIVE,   /* a leader to rank 0: still there */
    AM_TALK_RESULT,  /* the part has ended: struct am_talk_result, then its bytes */
    AM_TALK_BYTES,   /* a piece of the file */
};

enum {
    AM_TALK_PIECE = 1 << 20, /* bytes of a piece at most */
    AM_TALK_LOOK_MS = 20,    /* between two looks */
    AM_TALK_ALIVE_MS = 1000, /* between two signs of life */
};

struct am_talk_result {
    uint64_t bytes; /* of the file; 0: none */
    char reason[AM_PART_REASON_MAX];
};

#endif
