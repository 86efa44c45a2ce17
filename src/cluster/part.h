/* SPDX-License-Identifier: MIT */
/* A node's part of a cluster run: an archmeter of its own, its file and what it printed, in a
 * folder of this machine. */
#ifndef AM_CLUSTER_PART_H
#define AM_CLUSTER_PART_H

#include "base/child.h"
#include "base/status.h"
#include "cluster/words.h"

#include <stdint.h>
#include <sys/types.h>

enum { AM_PART_PATH_MAX = 512, AM_PART_REASON_MAX = 400 };

struct am_part {
    char folder[AM_PART_PATH_MAX], file[AM_PART_PATH_MAX], log[AM_PART_PATH_MAX];
    struct am_child child;
    int code;            /* exit code, 128 + signal for others */
    double limit_s;      /* after its start it is stopped; 0: no limit */
    bool late;           /* and was */
    uint64_t stopped_ns; /* when it was asked to end; 0: never */
};

/* A fresh folder below $TMPDIR or /tmp. */
enum am_status am_part_open(struct am_part *part, struct am_err *err);
/* Starts archmeter, the program beside this one. What it prints goes to stderr of this process when
 * `heard`, else to the log. */
enum am_status am_part_start(struct am_part *part, const struct am_strings *command, bool heard,
                             struct am_err *err);
/* True once it is gone. Stops one that is too late, and kills one that does not obey. */
bool am_part_ended(struct am_part *part);
void am_part_stop(struct am_part *part); /* asks it to end, as Ctrl-C does; once */
/* Why a part that ended is not complete; "" when it is. The last line that it printed counts. */
void am_part_reason(const struct am_part *part, char reason[AM_PART_REASON_MAX]);
/* Whether there is a results file. */
bool am_part_has_file(const struct am_part *part);
void am_part_remove(struct am_part *part); /* the folder and what we put there */

#endif
