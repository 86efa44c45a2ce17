/* SPDX-License-Identifier: MIT */
/* Names of functions as their author wrote them.
 *
 * A C++ compiler encodes name spaces, classes and types of parameters in a symbol's name, and both
 * kinds of compilers put something behind the names of copies that they make (`f.constprop.0`).
 * What is read of an encoded name are the identifiers of the function itself, without templates'
 * and functions' parameters: "ns::S::total". */
#ifndef AM_MODEL_BLOCK_NAMES_H
#define AM_MODEL_BLOCK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The readable name of a symbol, in `to`; false: it is not encoded, or in a way that is not read.
 */
bool am_name_read(const char *symbol, char *to, size_t size);

/* Whether a user who wrote `wanted` may mean this symbol, which is not called so: its readable name
 * is that, or ends in it from a name space on, or it is a copy of such a function. Parameters and
 * template arguments in `wanted` count for nothing. The unlikely halves of functions (`.cold`) are
 * never meant. */
bool am_name_is_meant(const char *wanted, const char *symbol);

#endif
