/* SPDX-License-Identifier: MIT */
/* An ordered list of pairs of texts, key = value: the machine, environment, settings and build of a
 * run, or the remarks of a worker. Keys keep the order in which they were added; texts are copied
 * into the arena that is given to each addition. */
#ifndef AM_BASE_KV_H
#define AM_BASE_KV_H

#include "base/arena.h"

#include <stddef.h>

struct am_kv {
    const char *key;
    const char *value;
};

/* Zero-initialise; memory belongs to the arena given to the additions. */
struct am_kvs {
    struct am_kv *items;
    size_t n, cap;
};

/* Both texts are copied. A refused allocation drops the fact, never the program. */
void am_kvs_add(struct am_kvs *kvs, struct am_arena *a, const char *key, const char *value);
void am_kvs_addf(struct am_kvs *kvs, struct am_arena *a, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
const char *am_kvs_get(const struct am_kvs *kvs, const char *key); /* NULL when absent */

#endif
