/* SPDX-License-Identifier: MIT */
/* What runs beside a program while it is measured, to take something of the machine from it.
 *
 * A program that becomes slower when a part of the machine is taken depends on that part. Each
 * value is a text that stands in an experiment file and in results:
 *
 *   none        nothing
 *   spin        the other CPUs compute in registers: what they share with the program but caches
 *               and memory (clock, SMT threads of its cores)
 *   cache-8M    the same CPUs walk over so many bytes, all together, again and again
 *   memory-50   they write memory, past the caches, for so many percent of their time
 *   share-25    the program's own CPUs compute too, meant to get so many percent of the time
 */
#ifndef AM_CORE_SPEC_BESIDE_H
#define AM_CORE_SPEC_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, word, has an amount) */
#define AM_BESIDE_MAP(X)                                                                           \
    X(AM_BESIDE_NONE, "none", false)                                                               \
    X(AM_BESIDE_SPIN, "spin", false)                                                               \
    X(AM_BESIDE_CACHE, "cache", true)   /* bytes */                                                \
    X(AM_BESIDE_MEMORY, "memory", true) /* percent, 1 to 100 */                                    \
    X(AM_BESIDE_SHARE, "share", true)   /* percent, 1 to 50 */

#define AM_BESIDE_ENUM(id, word, amount) id,
enum am_beside_kind { AM_BESIDE_MAP(AM_BESIDE_ENUM) AM_BESIDE_KINDS };
#undef AM_BESIDE_ENUM

struct am_beside {
    enum am_beside_kind kind;
    uint64_t amount;
};

extern const char *const am_beside_words[AM_BESIDE_KINDS];

/* False when the text is none of these. */
bool am_beside_parse(const char *text, struct am_beside *out);

#endif
