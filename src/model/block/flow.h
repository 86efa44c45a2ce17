/* SPDX-License-Identifier: MIT */
/* The flow of data through a loop: how long each result takes, and the longest chain that runs from
 * one iteration into the next.
 *
 * Some iterations are played with unlimited units. A result is ready by the latency of its
 * instruction behind its last operand; between vector units of two kinds it takes the way that was
 * measured. A load that reads what a store of the loop wrote waits for it: addresses are followed
 * as long as they are sums of a register's value before the loop and constants.
 *
 * Played again with the core's limits, where its window is known: instructions enter the window in
 * order, as many per cycle as the front end hands out, and leave it in order; the oldest whose
 * operands are ready takes what is left of its resources in that cycle and the next ones. */
#ifndef AM_MODEL_BLOCK_FLOW_H
#define AM_MODEL_BLOCK_FLOW_H

#include "model/block/bound.h"

/* The chain that was measured of a form, or of one that does the same; NULL: none (latency.c). */
const struct am_incore_way *am_flow_way(const struct am_incore *core, const char *form);
/* Latency and way of a line whose forms are known (latency.c). */
void am_flow_set(const struct am_incore *core, struct am_predicted_line *line);
/* Finds the lines that load the lower half of a register directly before one that loads the upper
 * half, on cores that do not wait for what it held then (latency.c). */
void am_flow_halves(const struct am_incore *core, struct am_predicted *b);
/* Fills `chain`, which lines are part of it, and `played`. False when memory is refused. */
bool am_flow_play(const struct am_incore *core, struct am_predicted *b);

#endif
