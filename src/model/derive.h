/* SPDX-License-Identifier: MIT */
/* The derivers, one a family of benches; facts.c calls each in the order of its table. */
#ifndef AM_MODEL_DERIVE_H
#define AM_MODEL_DERIVE_H

#include "model/facts.h"

am_old_derive_fn am_derive_flops;  /* cpu.flops: peaks, and the streams that reach them */
am_old_derive_fn am_derive_instr;  /* cpu.instr: latencies and rates of key instructions */
am_old_derive_fn am_derive_memory; /* mem.latency: caches, lines, TLBs and their latencies */
am_old_derive_fn
    am_derive_bandwidth;         /* mem.bandwidth: bytes a second by level, and what raises them */
am_old_derive_fn am_derive_load; /* mem.stanza, mem.loaded: long enough, and busy */
am_old_derive_fn am_derive_coherence; /* mem.pingpong, mem.coherence: ways between cores */
am_old_derive_fn
    am_derive_placement;          /* mem.placement, mem.sharing, mem.numa: does the place matter */
am_old_derive_fn am_derive_clock; /* points that carry seconds and cycles: the core clock */
am_old_derive_fn am_derive_symmetry;  /* mem.pingpong: which CPUs are alike */
am_old_derive_fn am_derive_omp;       /* omp.sync, omp.sched, omp.start: prices of threads */
am_old_derive_fn am_derive_omp_tasks; /* omp.task, omp.array: prices of tasks and of copies */
am_old_derive_fn am_derive_energy;    /* any bench with energy: best by the joule */
am_old_derive_fn am_derive_meter;     /* meter.stability: how steady the energy meters are */
am_old_derive_fn am_derive_task;      /* app.blackscholes, task.overhead: costs of tasks, models */
am_old_derive_fn am_derive_task_memory; /* app.*: what main memory costs applications */
am_old_derive_fn am_derive_runs;        /* omp.*: how clean the runs were */
am_old_derive_fn am_derive_scaling;     /* facts of several threads over those of one; the last */

#endif
