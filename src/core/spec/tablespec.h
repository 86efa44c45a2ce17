/* SPDX-License-Identifier: MIT */
/* The output file of `archmeter table`: which queries make which files (grammar in
 * doc/guide/table.md). Parsing is pure, and bounds everything. */
#ifndef AM_CORE_TABLESPEC_H
#define AM_CORE_TABLESPEC_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { AM_TABLESPEC_TEXT_MAX = 1024 * 1024, AM_TABLESPEC_FILES_MAX = 1024 };

enum am_tableform {
    AM_TABLEFORM_TEX,
    AM_TABLEFORM_CSV,
    AM_TABLEFORM_DATA, /* for gnuplot */
    AM_TABLEFORM_MD,
    AM_TABLEFORM_COUNT,
};

struct am_tablespec_query {
    const char *sql;
    unsigned line; /* where it begins */
};

/* One file to be written. */
struct am_tablespec_file {
    const char *name;
    unsigned line;
    const char *db; /* the latest `set db`; NULL: none */
    enum am_tableform form;
    const char *separator, *newline; /* NULL: the form's own */
    bool right;                      /* later queries add columns instead of rows */
    bool escape;                     /* cells are written so that the form shows them as they are */
    int header;                      /* 1 yes, 0 no, -1 as the form does */
    struct am_tablespec_query *queries;
    size_t n;
};

struct am_tablespec {
    const char *file; /* the specification's own name */
    struct am_tablespec_file *files;
    size_t n;
};

/* AM_E_USAGE with "FILE:LINE: ..." for whatever is wrong. */
enum am_status am_tablespec_parse(const char *file, const char *text, size_t len,
                                  struct am_arena *arena, struct am_tablespec *out,
                                  struct am_err *err);

#endif
