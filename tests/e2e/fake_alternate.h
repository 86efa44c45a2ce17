/* SPDX-License-Identifier: MIT */
/* A part of the fake worker: a point whose value alternates, for the test of selftest --aa. */
#ifndef AM_TESTS_E2E_FAKE_ALTERNATE_H
#define AM_TESTS_E2E_FAKE_ALTERNATE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* 1000 at every second visit of the chosen point, counted by the bytes of the file that
 * $FAKE_ALTERNATE names; else 1. Rounds visit each point once, so that this parts even rounds from
 * odd ones. */
static inline double fake_alternating(bool chosen)
{
    const char *path = getenv("FAKE_ALTERNATE");
    FILE *const count = path && chosen ? fopen(path, "a") : NULL;
    long visits;

    if (!count)
        return 1;
    (void)fputc('.', count);
    visits = ftell(count);
    (void)fclose(count);
    return visits % 2 ? 1 : 1000;
}

#endif
