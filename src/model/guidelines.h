/* SPDX-License-Identifier: MIT */
/* Guidelines: what a programmer should do on this machine, as its facts say, each with its evidence
 * and the command that shows it again. */
#ifndef AM_MODEL_GUIDELINES_H
#define AM_MODEL_GUIDELINES_H

#include "base/arena.h"
#include "family/family.h"
#include "model/facts.h"

#include <stddef.h>

/* By area: core, memory, cores among each other. A guideline without its facts is not there. */
void am_guidelines_make(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guidelines *out);

#endif
