/* SPDX-License-Identifier: MIT */
/* How things ended: states of points and runs, why points get no more launches, kinds of failures,
 * and why samples are suspect.
 *
 * Each is an enumeration with one table of words, from which the store writes and reads, the
 * protocol's collector judges and every output names. Adding a member is one row here: whoever
 * shows or counts them goes through the table and has the new one at once. A word that is in no
 * table is no outcome: a file that holds one is damaged. */
#ifndef AM_CORE_BENCH_OUTCOME_H
#define AM_CORE_BENCH_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

/* X(enumerator, word, what it means to a person). */
#define AM_POINT_STATE_MAP(X)                                                                      \
    X(AM_POINT_PENDING, "pending", "not reached")                                                  \
    X(AM_POINT_OK, "ok", "measured")                                                               \
    X(AM_POINT_SKIP, "skip", "cannot be measured here")                                            \
    X(AM_POINT_FAIL, "fail", "failed")

#define AM_RUN_STATE_MAP(X)                                                                        \
    X(AM_RUN_RUNNING, "running", "under way, or killed")                                           \
    X(AM_RUN_DONE, "done", "finished")                                                             \
    X(AM_RUN_INTERRUPTED, "interrupted", "interrupted; archmeter resume finishes it")              \
    X(AM_RUN_FAILED, "failed", "ended by an error")

#define AM_STOP_REASON_MAP(X)                                                                      \
    X(AM_STOP_OPEN, "", "more launches are planned")                                               \
    X(AM_STOP_TARGET, "target", "the interval is within the target")                               \
    X(AM_STOP_OUT_OF_REACH, "out-of-reach",                                                        \
      "four times the launches would not have brought the interval within the target")             \
    X(AM_STOP_MAX_LAUNCHES, "max-launches",                                                        \
      "the launches were used up with the interval still wider")                                   \
    X(AM_STOP_BUDGET, "budget", "the budget was spent")                                            \
    X(AM_STOP_SKIP, "skip", "the point cannot be measured here")                                   \
    X(AM_STOP_FAIL, "fail", "it failed too often")                                                 \
    X(AM_STOP_TUNED, "tuned", "the search needed no more")

#define AM_FAILURE_KIND_MAP(X)                                                                     \
    X(AM_FAILURE_NONE, "", "nothing failed")                                                       \
    X(AM_FAILURE_SKIP, "skip", "the bench refused the point")                                      \
    X(AM_FAILURE_REPORTED, "reported", "the bench reported a failure")                             \
    X(AM_FAILURE_SIGNAL, "signal", "the worker was ended by a signal")                             \
    X(AM_FAILURE_EXIT, "exit", "the worker ended with an exit code")                               \
    X(AM_FAILURE_TIMEOUT, "timeout", "the worker took too long and was killed")                    \
    X(AM_FAILURE_PROTOCOL, "protocol", "the worker broke the protocol")                            \
    X(AM_FAILURE_FLOOD, "flood", "the worker said far too much")                                   \
    X(AM_FAILURE_SPAWN, "spawn", "the worker could not be started")

/* Bits of a sample's labels. */
#define AM_LABEL_MAP(X)                                                                            \
    X(AM_LABEL_STEAL, 1, "steal", "the hypervisor ran something else")                             \
    X(AM_LABEL_SWITCH, 2, "switch", "the kernel ran something else on the CPU")                    \
    X(AM_LABEL_DRIFT, 4, "drift", "the core clock changed")                                        \
    X(AM_LABEL_OFF, 8, "off", "the process was stopped, or others had its CPU")

#define AM_OUTCOME_ENUM(id, word, meaning) id,
enum am_point_state { AM_POINT_STATE_MAP(AM_OUTCOME_ENUM) AM_POINT_STATES };
enum am_run_state { AM_RUN_STATE_MAP(AM_OUTCOME_ENUM) AM_RUN_STATES };
enum am_stop_reason { AM_STOP_REASON_MAP(AM_OUTCOME_ENUM) AM_STOP_REASONS };
enum am_failure_kind { AM_FAILURE_KIND_MAP(AM_OUTCOME_ENUM) AM_FAILURE_KINDS };
#undef AM_OUTCOME_ENUM

#define AM_LABEL_ENUM(id, bit, word, meaning) id = bit,
enum am_label { AM_LABEL_MAP(AM_LABEL_ENUM) };
#undef AM_LABEL_ENUM
#define AM_LABEL_COUNT(id, bit, word, meaning) +1
enum { AM_LABELS = 0 AM_LABEL_MAP(AM_LABEL_COUNT) };
#undef AM_LABEL_COUNT

/* The words, by enumerator; those of labels by the number of their bit. */
extern const char *const am_point_states[AM_POINT_STATES];
extern const char *const am_run_states[AM_RUN_STATES];
extern const char *const am_stop_reasons[AM_STOP_REASONS];
extern const char *const am_failure_kinds[AM_FAILURE_KINDS];
extern const char *const am_label_words[AM_LABELS];

/* What each means, parallel to the words. */
extern const char *const am_point_state_meanings[AM_POINT_STATES];
extern const char *const am_run_state_meanings[AM_RUN_STATES];
extern const char *const am_stop_reason_meanings[AM_STOP_REASONS];
extern const char *const am_failure_kind_meanings[AM_FAILURE_KINDS];
extern const char *const am_label_meanings[AM_LABELS];

/* The word, or NULL for the member that stands for "none" ("" in its table): as the store and JSON
 * have it. */
const char *am_stop_reason_word(enum am_stop_reason reason);

#endif
