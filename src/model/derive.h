/* SPDX-License-Identifier: MIT */
/* The derivers, one a family of benches; facts.c calls each in the order of its table. */
#ifndef AM_MODEL_DERIVE_H
#define AM_MODEL_DERIVE_H

#include "model/facts.h"

am_old_derive_fn am_derive_task; /* app.blackscholes, task.overhead: costs of tasks, models */
am_old_derive_fn am_derive_task_memory; /* app.*: what main memory costs applications */

#endif
