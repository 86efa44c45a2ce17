/* SPDX-License-Identifier: MIT */
/* The report: one self-contained HTML file that needs no network and works without its script. */
#ifndef AM_REPORT_HTML_H
#define AM_REPORT_HTML_H

#include "base/arena.h"
#include "base/status.h"
#include "model/compare.h"
#include "store/store.h"

#include <stddef.h>
#include <stdio.h>

struct am_html_input {
    const struct am_result_set *sets; /* the first is shown, the others are compared with it */
    size_t n;
    struct am_compare_settings compare;
    const char *command; /* that makes this report, as typed */
    struct am_arena *arena;
};

/* Byte-stable: the same input gives the same file. */
enum am_status am_report_html(const struct am_html_input *input, FILE *out, struct am_err *err);

#endif
