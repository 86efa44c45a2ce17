/* SPDX-License-Identifier: MIT */
/* Axes that several native benches have. */
#ifndef AM_BENCH_CPU_AXES_H
#define AM_BENCH_CPU_AXES_H

#include "bench/cpu/hwprefetch.h"
#include "bench/shared/memory.h"
#include "bench/shared/usable.h"
#include "core/bench/bench.h"
#include "core/bench/place.h"
#include "kernels/isa.h"
#include "kernels/stream.h"

/* Rows of an axis table. The arguments are the fields that differ: .dflt always, .help for isa and
 * threads, .quick and .thorough where wanted. */
#define AM_AXIS_ISA(...)                                                                           \
    {                                                                                              \
        .name = "isa", .kind = AM_AXIS_NAME, .choices = am_isa_names, .ranked = true,              \
        .why_not = am_isa_why_not, __VA_ARGS__                                                     \
    }

#define AM_AXIS_PAGES(...)                                                                         \
    {                                                                                              \
        .name = "pages", .kind = AM_AXIS_NAME, .choices = am_pages_names,                          \
        .help = "any: huge pages where the system gives them; small, huge: only those",            \
        __VA_ARGS__                                                                                \
    }

#define AM_AXIS_THREADS(...)                                                                       \
    {                                                                                              \
        .name = "threads", .kind = AM_AXIS_INT, .thorough = "1:cpus:*2,cpus", __VA_ARGS__          \
    }

#define AM_AXIS_HWPREFETCH(...)                                                                    \
    {                                                                                              \
        .name = "hwprefetch", .kind = AM_AXIS_NAME, .choices = am_hwprefetch_names,                \
        .why_not = am_hwprefetch_why_not,                                                          \
        .help = "the processor's own prefetchers: as they are, all off, all on (needs root)",      \
        __VA_ARGS__                                                                                \
    }

/* The streaming loops of an instruction set that can be used here; AM_E_ABSENT with its reason. */
enum am_status am_axes_find_stream(const char *isa, const struct am_stream_variant **variant_p,
                                   struct am_err *err);

#endif
