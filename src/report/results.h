/* SPDX-License-Identifier: MIT */
/* A run's results as a person or a program reads them. Everything comes from the store. */
#ifndef AM_REPORT_RESULTS_H
#define AM_REPORT_RESULTS_H

#include "base/arena.h"
#include "report/json.h"
#include "report/style.h"
#include "store/store.h"

#include <stdio.h>

/* Writes the whole set in style->format. */
void am_report_results(const struct am_result_set *set, const struct am_style *style,
                       struct am_arena *arena, FILE *out);

/* "AMD EPYC ..., 64 cores, 128 threads, 256 GiB": one line from the machine's facts. */
void am_report_machine_line(const struct am_kvs *machine, char *buf, size_t cap);

/* Parts that other JSON documents share. */
void am_json_run(struct am_json *j, const char *key, const struct am_result_set *set);
void am_json_facts(struct am_json *j, const char *key, const struct am_kvs *facts);
void am_json_point(struct am_json *j, const char *key, const struct am_result *result);
void am_json_findings(struct am_json *j, const char *key, const struct am_findings *findings);
const char *am_better_name(enum am_better better);

/* One per format family; am_report_results() chooses. */
void am_report_results_text(const struct am_result_set *set, const struct am_style *style,
                            struct am_arena *arena, FILE *out); /* table, md, tex */
void am_report_results_json(const struct am_result_set *set, FILE *out);
void am_report_results_csv(const struct am_result_set *set, struct am_arena *arena, FILE *out);

#endif
