/* SPDX-License-Identifier: MIT */
/* The findings of doctor, written out. */
#ifndef AM_REPORT_FINDINGS_H
#define AM_REPORT_FINDINGS_H

#include "base/arena.h"
#include "report/style.h"
#include "topo/doctor.h"

#include <stdbool.h>
#include <stdio.h>

/* `synthetic`: they are of a false root, not of this machine, and say so. */
void am_report_findings(const struct am_findings *findings, bool synthetic,
                        const struct am_style *style, struct am_arena *arena, FILE *out);

#endif
