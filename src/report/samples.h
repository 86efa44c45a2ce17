/* SPDX-License-Identifier: MIT */
/* Raw samples for other programs: CSV, or one JSON object a line. */
#ifndef AM_REPORT_SAMPLES_H
#define AM_REPORT_SAMPLES_H

#include "base/status.h"
#include "report/style.h"
#include "store/store.h"

#include <stdio.h>

/* Streams every sample of benches that match one of the patterns (none: all). Formats CSV and
 * JSON only (AM_E_USAGE otherwise). `written` counts the rows. */
enum am_status am_report_samples(struct am_store *store, const char *const *patterns,
                                 size_t n_patterns, enum am_format format, FILE *out,
                                 size_t *written, struct am_err *err);

#endif
