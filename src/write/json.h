/* SPDX-License-Identifier: MIT */
/* The tree of a document (document/data.h) as JSON on a stream. */
#ifndef AM_WRITE_JSON_H
#define AM_WRITE_JSON_H

#include "document/data.h"

#include <stdbool.h>
#include <stdio.h>

struct am_json {
    struct am_data data; /* first: what documents are handed */
    FILE *out;
    unsigned depth;  /* of open objects and arrays */
    unsigned pretty; /* containers at this depth and deeper stay on one line */
    bool filled;     /* the innermost container has a member */
};

void am_json_init(struct am_json *j, FILE *out, unsigned pretty);

#endif
