/* SPDX-License-Identifier: MIT */
/* Names that a description cannot give, since generated code means something else by them. */
#ifndef AM_CLI_TAKEN_H
#define AM_CLI_TAKEN_H

/* Why the name is taken, as what follows it in a sentence; NULL: it is not. */
const char *am_taken_why(const char *name);

#endif
