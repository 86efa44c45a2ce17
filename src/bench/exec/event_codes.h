/* SPDX-License-Identifier: MIT */
/* Numbers of events for perf_event_open(2), by the names that PAPI and libpfm have for them.
 *
 * A marked program counts events at its marks by itself (archmeter/mark.h), with nothing to link:
 * it is told numbers. Those of the kernel's own events are the same everywhere and stand in a table
 * here; all others are a processor's, and the library libpfm knows them, where it is installed. */
#ifndef AM_BENCH_EXEC_EVENT_CODES_H
#define AM_BENCH_EXEC_EVENT_CODES_H

#include "base/status.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct am_event_code {
    uint64_t type, config, config1, config2;
};

/* AM_E_ABSENT with the reason when nothing here knows the number. */
enum am_status am_event_code(const char *name, struct am_event_code *out, struct am_err *err);

/* All of them, as AM_MARK_EVENTS_VARIABLE of archmeter/mark.h has them. */
enum am_status am_event_codes_text(const char *const *names, size_t n, struct am_text *out,
                                   struct am_err *err);

#endif
