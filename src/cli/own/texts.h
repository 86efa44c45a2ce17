/* SPDX-License-Identifier: MIT */
/* Files that are built into the program: the headers of own benches, and what `new bench` writes.
 */
#ifndef AM_CLI_OWN_TEXTS_H
#define AM_CLI_OWN_TEXTS_H

extern const char am_own_header[];  /* include/archmeter/bench.h */
extern const char am_own_fortran[]; /* include/archmeter/archmeter.f90 */

/* With NAME where the bench's name belongs. */
extern const char am_own_new_c[], am_own_new_cxx[], am_own_new_fortran[];

#endif
