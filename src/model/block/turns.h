/* SPDX-License-Identifier: MIT */
/* Integer units that operations are bound to as they are handed out, by turns or by chance.
 *
 * Such a core does not look which unit is free: an operation waits for its unit while others idle,
 * and a chain of one cycle per iteration loses one wherever an older operation, which became ready
 * at the same time, has its unit. A unit has places for operations that wait: one whose places are
 * taken is passed over, so that a unit that falls behind gets fewer. An operation with an operand
 * in memory is bound to one of the units that address memory, the next of them in turn where the
 * turn is another's. Of those that are ready a unit begins the oldest. Instructions of several
 * operations are bound to none.
 *
 * Or operations are bound to one of several schedulers, each with as many units, of which it takes
 * whichever is free: then those that are ready may meet in one while units of another idle. By what
 * such a core binds them is not known: it is played by chance. */
#ifndef AM_MODEL_BLOCK_TURNS_H
#define AM_MODEL_BLOCK_TURNS_H

#include "base/rng.h"
#include "model/block/bound.h"
#include "model/block/units.h"

struct am_turns {
    struct am_units units; /* n 0: operations go to any that is free */
    size_t addressing;     /* so many take operands in memory, the first ones */
    size_t resource;       /* that stands for all units */
    size_t next;           /* whose turn it is */
    size_t places;         /* of a unit, where operations wait */
    size_t place;          /* of the line at hand, among those of all units */
    double *until;         /* by place: when it is free again */
    size_t schedulers;     /* that operations are bound to by chance; 0: to units, by turns */
    size_t scheduler;      /* of the line at hand */
    struct am_rng rng;     /* of chance */
};

/* In how many ways a loop is to be played, which differ in what comes first; one where the core
 * binds no operations, or that is not known. */
size_t am_turns_begins(const struct am_incore *core);

/* Units of a core that binds operations, the first turn being that of unit `first` (by chance:
 * another sequence for each); none (n 0) where it does not, or where its resources have no such
 * units. False when memory is refused. */
bool am_turns_open(const struct am_incore *core, enum am_arch arch, size_t first,
                   struct am_arena *arena, struct am_turns *out);

/* As if operations had waited in all places before, of which each unit begins one per cycle: where
 * more is handed out than units do, that is how it ends, but only after many iterations. */
void am_turns_fill(struct am_turns *turns);

/* The resource that the unit of a line stands for, which it need not take otherwise; 0: it is not
 * bound. */
size_t am_turns_resource(const struct am_turns *turns, const struct am_predicted_line *line);

/* Binds the next line, in the order of the program, that may be handed out at this time; returns
 * when it is: as soon as one of its units has a place. */
double am_turns_enter(struct am_turns *turns, const struct am_predicted_line *line, double at);

/* Takes the unit of the line that entered last from this time on; returns when it begins. */
double am_turns_begin(struct am_turns *turns, const struct am_predicted_line *line, double at);

#endif
