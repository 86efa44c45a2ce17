/* SPDX-License-Identifier: MIT */
/* What axes mean, whatever a bench calls them: how many threads a point has, on which device it
 * ran, in which precision, by which instruction set, over how many bytes.
 *
 * Layers above ask by these roles and name no axis. The names stand in one table (roles.c). */
#ifndef AM_FAMILY_ROLES_H
#define AM_FAMILY_ROLES_H

#include "evidence/evidence.h"

#include <stdbool.h>

/* The axis that points of a merged file have before their own: the machine's name. */
extern const char am_node_axis[];

/* Whether a bench measures the energy meters themselves: without them it is nothing. */
bool am_bench_needs_meters(const char *bench);

/* The full name of a metric of energy whose scope is open ("power:"), as results of the bench have
 * it: of the package, else of the platform, the board, the mains, a GPU, anything. NULL: none. */
const char *am_energy_metric(const struct am_result_set *set, const char *bench,
                             const char *open_name);

/* A question that users ask by one word in place of a bench and its axes. */
struct am_topic {
    const char *word;
    const char *bench;
    const char *params[4]; /* "axis=values" each, where the user gives none; ended by NULL */
};
/* NULL: the word is none. */
const struct am_topic *am_topic_find(const char *word);

/* Axes that are a choice and no question, separated by commas: any value of them does the same
 * work. */
extern const char am_way_axes[];
/* Whether this is one of them. */
bool am_axis_is_way(const char *axis);

/* Threads of a point; 1 when it has no such axis. */
double am_result_threads(const struct am_result *result);
/* Whether the number of its threads is known: by an axis, by what the launch said, or because its
 * worker has one. */
bool am_result_states_threads(const struct am_result *result);
/* The device that a point was measured on, by its name; NULL: the processor ("cpu"), or none is
 * named: a number tells none. */
const char *am_result_device(const struct am_result *result);
/* "f32" or "f64", however the bench spells it; NULL when it has no precision. */
const char *am_result_type(const struct am_result *result);
/* The instruction set; NULL when it has none. */
const char *am_result_isa(const struct am_result *result);
/* The operation that the point repeats ("fma"); NULL when it has none. */
const char *am_result_operation(const struct am_result *result);
/* Bytes that the point works on, as an axis states them; NAN when none does. */
double am_result_size(const struct am_result *result);

#endif
