/* SPDX-License-Identifier: MIT */
/* Quantities for people: three digits and an SI prefix. The store keeps SI units. */
#ifndef AM_BASE_UNITS_H
#define AM_BASE_UNITS_H

#include "base/arena.h"

#include <stddef.h>

enum { AM_UNITS_MAX = 64 }; /* longest text written here, terminator included */

/* 1.24e-9 "s" -> "1.24 ns", 4.88e10 "flop/s" -> "48.8 Gflop/s", NAN -> "-". Three digits. Units
 * that count ("cycle", "flop/cycle", none) are not scaled. */
void am_units_value(double value, const char *unit, char *buf, size_t cap);
/* The same in the arena; never NULL. */
const char *am_units_text(double value, const char *unit, struct am_arena *arena);

/* The SI prefix that suits `value`: writes the unit with it ("Gflop/s") and returns what it stands
 * for (1e9). Units that count keep 1. */
double am_units_prefix(double value, const char *unit, char *scaled, size_t cap);

#endif
