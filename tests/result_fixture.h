/* SPDX-License-Identifier: MIT */
/* Made-up results for the tests of facts: parameters from the text of a point. */
#ifndef AM_TESTS_RESULT_FIXTURE_H
#define AM_TESTS_RESULT_FIXTURE_H

#include "base/arena.h"
#include "store/store.h"

#include <stdbool.h>
#include <string.h>

/* Gives `r` the parameters that `text` names ("size=4096 pages=any"), `max` at the most: numbers
 * are sizes, everything else names. */
static inline void rx_params(struct am_arena *arena, struct am_result *r, const char *text,
                             size_t max)
{
    r->params = am_arena_array(arena, max, sizeof(*r->params));
    for (const char *p = text; *p && r->n_params < max; p += strspn(p, " ")) {
        const size_t name = strcspn(p, "="), value = strcspn(p + name + 1, " ");
        const bool number = p[name + 1] >= '0' && p[name + 1] <= '9';

        r->params[r->n_params++] = (struct am_result_param){
            am_arena_strndup(arena, p, name), number ? AM_AXIS_SIZE : AM_AXIS_NAME,
            am_arena_strndup(arena, p + name + 1, value)};
        p += name + 1 + value;
    }
}

#endif
