/* SPDX-License-Identifier: MIT */
/* What `archmeter time` says: the commands beside each other, and which of them is faster.
 *
 * For people one screen: a row per command (median, spread, minimum, CPU time, memory), a line per
 * pair of commands with its verdict, how quiet the machine was, what to type next. What does not
 * fit is counted. For programs everything: CSV has a row per command, JSON the whole run with
 * commands and verdicts. */
#ifndef AM_DOCUMENT_COMMANDS_TIMING_H
#define AM_DOCUMENT_COMMANDS_TIMING_H

#include "document/document.h"
#include "family/timed.h"
#include "model/compare.h"

enum { AM_TIMING_LINES = 24, AM_TIMING_COLUMNS = 80 };

struct am_timing_view {
    const struct am_result_set *set;
    const struct am_timed_commands *commands;
    const struct am_comparison *pairs; /* of all commands (model/among.h) */
    const struct am_compare_settings *settings;
    const char *path; /* of the results, for what to type next; NULL: nothing is told */
    bool all;         /* every row and every pair, however many lines that makes */
};

struct am_document am_document_timing(const struct am_timing_view *view);

#endif
