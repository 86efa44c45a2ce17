/* SPDX-License-Identifier: MIT */
/* Raw samples as rows for programs. A run may hold more of them than fit in memory: the table has
 * one row, which the next sample replaces. */
#ifndef AM_DOCUMENT_SAMPLES_H
#define AM_DOCUMENT_SAMPLES_H

#include "document/document.h"

struct am_samples {
    struct am_table table;
    char labels[128];
};

void am_samples_begin(struct am_samples *samples, struct am_arena *arena);
/* Its texts live as long as `raw`. */
void am_samples_put(struct am_samples *samples, const struct am_raw_sample *raw);

#endif
