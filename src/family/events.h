/* SPDX-License-Identifier: MIT */
/* Work from hardware events: floating-point operations and bytes to and from memory, as the events
 * of a microarchitecture tell them (table in events.c).
 *
 * A quantity is known only where every event of one way to it was counted in the result: half of
 * the widths of an instruction set would be half of the truth. Events of memory controllers count
 * what the whole machine does, which is said. */
#ifndef AM_FAMILY_EVENTS_H
#define AM_FAMILY_EVENTS_H

#include "base/arena.h"
#include "base/kv.h"
#include "evidence/evidence.h"

#include <stdbool.h>
#include <stddef.h>

struct am_counted {
    struct am_work work; /* of one iteration: bytes are those of memory, not of caches */
    const char *from;    /* the events, and what they leave out, for a person */
};

/* Events that a result counted. False, with *missing (what to count here, or why nothing helps) in
 * the arena, where neither operations nor bytes are known from them. */
bool am_events_work(const struct am_result *result, const struct am_kvs *machine,
                    struct am_arena *arena, struct am_counted *out, const char **missing);

/* The events that tell work on an architecture ("Zen 3"), in the order in which they are preferred;
 * returns how many, at most cap. */
size_t am_events_names(const char *architecture, const char **names, size_t cap);

#endif
