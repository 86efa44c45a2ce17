/* SPDX-License-Identifier: MIT */
/* The benches of all ranks together: an archmeter whose worker is this MPI job. */
#ifndef AM_CLUSTER_JOINT_H
#define AM_CLUSTER_JOINT_H

#include "cluster/job.h"

/* Called by a thread of its own, without MPI, when rank 0 is stuck in a message that never comes;
 * its result is the program's exit code. */
typedef int am_joint_stuck_fn(void *self, struct am_part *part, const char *reason);

/* Rank 0, while all others follow. The results are in part->file; `reason` gets why they are not
 * complete. Where a rank is lost this does not return: `stuck` is called, and the job aborted. */
void am_joint_run(struct am_job *job, struct am_part *part, char reason[AM_PART_REASON_MAX],
                  am_joint_stuck_fn *stuck, void *self);

#endif
