/* SPDX-License-Identifier: MIT */
/* What a program whose work nobody stated or counted would gain on another machine, by what it
 * depends on (model/sensitivity.h): the range of what that part of the machine gains
 * (family/speeds.h). A prediction; says what is missing where there is none. */
#ifndef AM_MODEL_FORESEE_H
#define AM_MODEL_FORESEE_H

#include "family/speeds.h"
#include "model/sensitivity.h"

struct am_foresight {
    const struct am_sensitivity *of;
    const char *why_not;         /* NULL: there is a range */
    const char *by;              /* what it follows, in words */
    struct am_speed_range range; /* n 0: it is not a matter of facts */
};

/* `here`: facts of the machine that measured the program; NULL: nobody has them. */
void am_foresee(const struct am_sensitivity *of, const struct am_facts *here,
                const struct am_facts *there, struct am_arena *arena, struct am_foresight *out);

#endif
