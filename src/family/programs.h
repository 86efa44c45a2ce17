/* SPDX-License-Identifier: MIT */
/* Programs that are not ours: which results are theirs. */
#ifndef AM_FAMILY_PROGRAMS_H
#define AM_FAMILY_PROGRAMS_H

#include "evidence/evidence.h"

#include <stdbool.h>

/* Whether it is of a program, or of a region of one, and not of a bench. */
bool am_result_is_program(const struct am_result *result);

#endif
