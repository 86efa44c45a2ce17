/* SPDX-License-Identifier: MIT */
/* An ordered list of key = value facts. */
#include "base/kv.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_CAP = 4096 };

void am_kvs_add(struct am_kvs *kvs, struct am_arena *a, const char *key, const char *value)
{
    const char *k = am_arena_strdup(a, key);
    const char *v = am_arena_strdup(a, value);

    struct am_kv *const item = k && v ? AM_ARRAY_ADD(a, kvs->items, kvs->n, kvs->cap) : NULL;

    if (item)
        *item = (struct am_kv){.key = k, .value = v};
}

void am_kvs_addf(struct am_kvs *kvs, struct am_arena *a, const char *key, const char *fmt, ...)
{
    char value[VALUE_CAP];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(value, sizeof(value), fmt, ap);
    va_end(ap);
    am_kvs_add(kvs, a, key, value);
}

const char *am_kvs_get(const struct am_kvs *kvs, const char *key)
{
    for (size_t i = 0; i < kvs->n; i++) {
        if (strcmp(kvs->items[i].key, key) == 0)
            return kvs->items[i].value;
    }
    return NULL;
}
