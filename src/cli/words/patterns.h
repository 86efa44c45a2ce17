/* SPDX-License-Identifier: MIT */
/* Patterns of names, as operands of commands give them. */
#ifndef AM_CLI_PATTERNS_H
#define AM_CLI_PATTERNS_H

#include "base/status.h"
#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>

/* True when a pattern matches one of n names. */
bool am_pattern_matches_any(const char *pattern, const char *const *names, size_t n);
/* Refuses a pattern that matches none of the names (n of them). */
enum am_status am_check_patterns(const struct am_strings *patterns, const char *const *names,
                                 size_t n, struct am_err *err);
/* True when there are no patterns, or one matches. */
bool am_patterns_match(const struct am_strings *patterns, const char *name);

#endif
