/* SPDX-License-Identifier: MIT */
/* Benches of the user's own: from archmeter/bench.h to the engine's descriptors.
 *
 * The public header is an interface of its own, which only grows; the engine's struct am_bench
 * changes as it likes. In between stand a reader (describe.c), which copies a public descriptor of
 * any version up to the present one, checks every word of it and makes a struct am_bench of it, and
 * one set of hooks (hooks.c), which serve all such benches: they translate the point, call the
 * user's functions and turn what these say into statuses. A bench that was compiled once per
 * instruction set has one descriptor with an axis `isa`, and the functions of every variant. */
#ifndef AM_BENCH_OWN_OWN_H
#define AM_BENCH_OWN_OWN_H

#define ARCHMETER_HOST
#include <archmeter/bench.h>

#include "base/arena.h"
#include "base/status.h"
#include "core/bench/bench.h"

#include <stddef.h>

enum { AM_OWN_VARIANTS_MAX = 8, AM_OWN_BENCHES_MAX = 256 };

/* Of one instruction set. */
struct am_own_variant {
    const char *isa;                     /* NULL: compiled once, for no set in particular */
    const struct archmeter_bench *bench; /* a copy, filled up with zeros; NULL: not usable here */
};

/* All variants of one bench; at least one is usable, and all usable ones have the same name. */
struct am_own_variants {
    struct am_own_variant items[AM_OWN_VARIANTS_MAX];
    size_t n;
};

/* What am_bench.data is. */
struct am_own {
    struct am_own_variants variants;
    int isa_axis;                /* -1: compiled once */
    const struct am_value *open; /* indexed as axes: what a tunable axis is when it is left open */
};

/* Copies a descriptor as its own size and version say it. AM_E_USAGE when it is of a newer version
 * than this program's, or no such descriptor. */
enum am_status am_own_copy(const struct archmeter_bench *from, struct am_arena *arena,
                           struct archmeter_bench **out, struct am_err *err);

/* The engine's descriptor; texts are copied, functions are not. AM_E_USAGE with the nearest valid
 * word for what is wrong. */
enum am_status am_own_describe(const struct am_own_variants *variants, struct am_arena *arena,
                               struct am_bench *out, struct am_err *err);

/* Sets the hooks of a descriptor whose data is a struct am_own. */
void am_own_set_hooks(const struct archmeter_bench *like, struct am_bench *bench);

#endif
