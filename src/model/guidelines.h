/* SPDX-License-Identifier: MIT */
/* Guidelines: what a programmer should do on this machine, as its facts say, each with its evidence
 * and the command that shows it again. */
#ifndef AM_MODEL_GUIDELINES_H
#define AM_MODEL_GUIDELINES_H

#include "base/arena.h"
#include "model/facts.h"

#include <stddef.h>

struct am_guideline {
    const char *id;       /* stable: "core.streams" */
    const char *text;     /* one or two sentences */
    const char *evidence; /* ids and values of the facts behind it */
    const char *command;  /* arguments of archmeter that measure it again */
};

struct am_guidelines {
    struct am_guideline *items;
    size_t n, cap;
    struct am_arena *arena;
};

/* By area: core, memory, cores among each other. A guideline without its facts is not there. */
void am_guidelines_make(const struct am_facts *facts, struct am_arena *arena,
                        struct am_guidelines *out);

#endif
