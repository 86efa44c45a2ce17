/* SPDX-License-Identifier: MIT */
/* What documents of runs share: the line that names the machine, and parts of the tree. */
#ifndef AM_DOCUMENT_RUN_H
#define AM_DOCUMENT_RUN_H

#include "document/document.h"
#include "store/store.h"

/* "AMD EPYC ..., 64 cores, 128 threads, 256 GiB": one line from the machine's facts; never NULL. */
const char *am_machine_line(const struct am_kvs *machine, struct am_arena *arena);
/* " "label"" of a run that has one, else ""; never NULL. */
const char *am_run_label(const struct am_run_info *run, struct am_arena *arena);

const char *am_better_name(enum am_better better);
enum am_tone am_level_tone(enum am_level level);
/* A summary without values: everything NAN. */
extern const struct am_summary am_summary_none;

void am_data_run(struct am_data *d, const char *key, const struct am_result_set *set);
/* The same without the settings, as "run": where a machine model comes from. */
void am_data_origin(struct am_data *d, const struct am_result_set *set);
/* The machine's facts; numbers are numbers. */
void am_data_machine(struct am_data *d, const struct am_kvs *machine);
void am_data_pairs(struct am_data *d, const char *key, const struct am_kvs *pairs);
void am_data_point(struct am_data *d, const char *key, const struct am_result *result);
void am_data_grading(struct am_data *d, struct am_grading grading); /* "grade" and "reasons" */

#endif
