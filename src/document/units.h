/* SPDX-License-Identifier: MIT */
/* Numbers for people: binary sizes, shares, durations; quantities are base/units.h's. */
#ifndef AM_DOCUMENT_UNITS_H
#define AM_DOCUMENT_UNITS_H

#include "base/units.h"
#include "core/bench/axis.h"

#include <stddef.h>

/* 16384 -> "16 KiB"; what is no whole multiple stays in the next smaller unit ("1536 B"). */
void am_units_bytes(int64_t bytes, char *buf, size_t cap);

/* As facts have it: 34567 "B" -> "33.8 KiB" (as caches are made), counts with three digits or
 * whole, all else as am_units_value(). */
void am_units_fact(double value, const char *unit, char *buf, size_t cap);

/* Both with the bound of a quantity that is not resolved from zero, as am_evidence_bound() has it:
 * "< 67.0 ns" where the bound is a number, else the value. */
void am_units_known(double value, double bound, const char *unit, char *buf, size_t cap);
void am_units_known_fact(double value, double bound, const char *unit, char *buf, size_t cap);

struct am_units_ends {
    double lo, hi;
    const char *unit;
};

/* "32-64 KiB": both as facts have them with `mark` between, the unit once where it is the same;
 * sizes near each other have that of the larger one ("0.5-1 MiB"). */
void am_units_between(const struct am_units_ends *ends, const char *mark, char *buf, size_t cap);

/* 0.0123 -> "1.2 %"; one digit after the point below 10 %, none above; NAN or INFINITY -> "-". */
void am_units_share(double share, char *buf, size_t cap);

/* 42 -> "0:42", 3700 -> "1:01:40". */
void am_units_clock(double seconds, char *buf, size_t cap);

/* 0.25 -> "0.3 s", 75 -> "1 min 15 s", 7300 -> "2 h 2 min": an estimate, rounded. */
void am_units_duration(double seconds, char *buf, size_t cap);

/* The value of an axis as shown: sizes in binary units, all else as it is. `text` is canonical. */
void am_units_param(enum am_axis_kind kind, const char *text, char *buf, size_t cap);

/* The shortest decimal text that reads back as the same double; "null" when not finite. */
void am_units_exact(double value, char *buf, size_t cap);

#endif
