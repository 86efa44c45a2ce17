/* SPDX-License-Identifier: MIT */
/* The parts of the family of cores that stand in files of their own. */
#ifndef AM_FAMILY_CORE_H
#define AM_FAMILY_CORE_H

#include "family/family.h"

/* core_peaks.c: peak; narrow_peak; standard, with a remark where one was missed. */
am_derive_fn am_core_derive_peaks, am_core_derive_narrow, am_core_derive_standards;
/* The type of the numbers that a point of cpu.dot multiplies: "bf16"; NULL: not known. */
const char *am_core_dot_type(const struct am_result *result);
const char *am_core_dot_instr(const struct am_result *result); /* "tdpbf16ps" */
/* A multiply-add counts as two. */
#define AM_CORE_DOT_OPERATIONS 2.0
/* core_threads.c: smt_gain; count; clock_busy. What threads on one core and on all cores reach
 * together. */
am_derive_fn am_core_derive_smt, am_core_derive_count, am_core_derive_busy_clock;
/* incore/incore_facts.c: ports_*. What instructions share inside of a core. */
am_derive_fn am_core_derive_ports;

/* core_operands.c: operand_latency and operand_gap; rename_latency, rename_unit and fused. */
am_derive_fn am_core_derive_operands, am_core_derive_idioms;

/* core_sizes.c: window; fetch; targets; branch_pattern and branch_cost. Steps of curves. */
am_derive_fn am_core_derive_window, am_core_derive_fetch, am_core_derive_targets,
    am_core_derive_branch;
/* Instructions that a core has in flight, by fillers that need nothing else; 0: not concluded. */
double am_core_window(const struct am_result_set *set, struct am_arena *arena);
/* Vector operations that wait for their operands at once; 0: not concluded. */
double am_core_waiting(const struct am_result_set *set, struct am_arena *arena);
/* Units whose operations are bound to one as they are handed out, by turns: of sums of which every
 * fourth waits, all that wait go to one of four schedulers then, and fill it. */
struct am_core_turns {
    unsigned units;      /* 0: not concluded, or operations go to any unit */
    unsigned addressing; /* so many of these take operands in memory */
    unsigned places;     /* where operations wait, of each unit */
};
struct am_core_turns am_core_turns(const struct am_result_set *set, struct am_arena *arena);

/* guides/core_guides.c: advice. */
extern const struct am_guideline_rule am_core_guidelines[];

#endif
