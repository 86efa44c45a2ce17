/* SPDX-License-Identifier: MIT */
/* Regular expressions that read a number from a program's output. */
#ifndef AM_CORE_SPEC_REGEX_H
#define AM_CORE_SPEC_REGEX_H

enum { AM_SPEC_LINE_MAX = 4096 }; /* of an output line; the rest is not looked at */

/* What is wrong with a POSIX extended expression, or NULL. Those whose compilation or matching
 * could take all memory or time are refused. */
const char *am_spec_regex_check(const char *pattern);

enum am_spec_match { AM_SPEC_MATCHED, AM_SPEC_NO_MATCH, AM_SPEC_NO_NUMBER };

/* The number in the first line of `text` that matches: its first group, or the whole match. */
enum am_spec_match am_spec_regex_find(const char *pattern, const char *text, double *out);

#endif
