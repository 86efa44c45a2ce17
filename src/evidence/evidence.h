/* SPDX-License-Identifier: MIT */
/* A run as typed evidence: every metric summarised and graded once, when the run is loaded.
 *
 * A summary's interval holds what launches scatter by and what the bench states of its systematic
 * uncertainty (core/bench/systematic.h). Standards of known latency are judged here too: where one
 * is missed, whatever counts cycles is of grade C (evidence/standards.h).
 *
 * What is above this layer (families, model, documents) takes summaries and grades from the
 * results and computes no statistics of samples itself. It may assume that every result of a set
 * that am_evidence_load() filled, or am_evidence_settle() went over, is settled; results are never
 * changed afterwards. Points are compared by the values of their axes, never by text. */
#ifndef AM_EVIDENCE_EVIDENCE_H
#define AM_EVIDENCE_EVIDENCE_H

#include "store/store.h"

/* am_store_load(), then am_evidence_settle(). */
enum am_status am_evidence_load(struct am_store *store, const struct am_filter *filter,
                                struct am_arena *arena, struct am_result_set *out,
                                struct am_err *err);

/* Summarises and grades every metric of every result that is ok. For sets that were made by hand or
 * put together from loaded ones; going over a settled set again changes nothing. */
void am_evidence_settle(struct am_result_set *set);
void am_evidence_settle_result(struct am_result *result);

/* All that is known of a quantity whose interval reaches from below zero to above it, as a
 * difference of two times may: that it is less than this. NAN where the interval does not, or where
 * zero is a value like others (counts, shares; times that were measured themselves never have an
 * interval below it). Whoever shows a number shows "< 67 ns" in
 * its place. */
double am_evidence_bound(const struct am_interval *ci, const char *unit);

/* The metric of a result that is ok and has values of it; NULL otherwise. A name of NULL is the
 * primary metric. Its `summary` and `grading` are set. */
const struct am_result_metric *am_result_metric(const struct am_result *result, const char *name);

/* The metric that a difference was made of (core/bench/systematic.h); the metric itself when it is
 * none. */
const struct am_result_metric *am_result_base(const struct am_result *result,
                                              const struct am_result_metric *metric);

/* What that one came to, in the unit of the metric: what a share of the time comes to is a share of
 * this. 0 where it has no values. */
double am_result_whole(const struct am_result *result, const struct am_result_metric *metric);

/* The parameter, or NULL when the bench has no such axis. */
const struct am_result_param *am_result_param(const struct am_result *result, const char *axis);
/* Its value as a number (of counts, sizes and reals); NAN otherwise. */
double am_result_number(const struct am_result *result, const char *axis);
/* Its text; NULL when the bench has no such axis. */
const char *am_result_text(const struct am_result *result, const char *axis);
bool am_result_is(const struct am_result *result, const char *axis, const char *text);

/* Equality by value: numbers as numbers, names as names; two absent ones are the same. */
bool am_param_same(const struct am_result_param *a, const struct am_result_param *b);
/* -1, 0, 1: numbers by size, names by their bytes. */
int am_param_order(const struct am_result_param *a, const struct am_result_param *b);
/* Whether two results of one bench agree in the axis. */
bool am_result_same(const struct am_result *a, const struct am_result *b, const char *axis);

/* A result with its parameters by the names of their axes: what points of several runs are matched
 * by, whatever the order of the axes. */
struct am_keyed {
    const struct am_result *result;
    const struct am_result_param **params; /* as many as the result has */
};
/* False when memory is refused. */
bool am_keyed_make(const struct am_result *result, struct am_arena *arena, struct am_keyed *out);
/* -1, 0, 1: by bench, then axis by axis, by value. 0: they are the same point. */
int am_keyed_order(const struct am_keyed *a, const struct am_keyed *b);

#endif
