/* SPDX-License-Identifier: MIT */
/* Which ports of a core instructions go to, from the time that mixes of them take.
 *
 * The model: an instruction of a class is a few operations, each of which may go to any port of a
 * set, and takes so many slots of the front end. A mix takes as long as its fullest set of ports:
 * the operations that must go to one of them, shared equally, or the slots that it takes. A core
 * that schedules well reaches that. What is found is stated as resources (fit/resources.h), one per
 * set of ports that bounds a mix.
 *
 * Classes are placed one after the other, in their order, which has those first that tell most of
 * the others (anchors): each takes the sets that explain its mixes with what is placed best, of
 * ports that others use or of new ones. Then each is placed anew while all others stay, until
 * nothing moves. How many ports a class has follows from its cycles alone. A mix that is predicted
 * too long counts four times as much as one too short, since no schedule is better than the ideal,
 * and errors count by their size, not its square: what a core schedules badly says nothing about
 * its ports. */
#ifndef AM_FIT_PORTS_H
#define AM_FIT_PORTS_H

#include "fit/resources.h"

enum {
    AM_PORTSETS_MAX = 24,
    AM_PORTSETS_PARTS = 2, /* operations of different kinds that an instruction has at most */
};

/* Operations of an instruction: how many, and which ports they may go to, as bits. */
struct am_portsets_part {
    uint32_t set;
    double mass;
};

struct am_portsets_use {
    struct am_portsets_part parts[AM_PORTSETS_PARTS];
    unsigned n;
    double slots;
};

struct am_portsets_model {
    struct am_portsets_use *uses; /* by class */
    size_t kinds;
    double slot;         /* cycles of a slot */
    double loss;         /* mean over the mixes */
    const bool *movable; /* by class: it could have other ports, and the mixes would not be
                          * explained worse for certain */
};

/* Cycles of a mix, and the set that bounds it (0: the front end; NULL: not asked for). */
double am_portsets_cycles(const struct am_portsets_model *model,
                          const struct am_resources_use *uses, size_t n, uint32_t *set);

/* False when there is nothing to fit, or memory is refused. */
bool am_portsets_fit(const struct am_resources_input *input, struct am_arena *arena,
                     struct am_portsets_model *out);

/* The same from uses that are there (NULL: none; those without slots neither); what does not take
 * as long alone any more is forgotten. Classes without mixes keep what they have. */
bool am_portsets_fit_from(const struct am_resources_input *input,
                          const struct am_portsets_model *from, struct am_arena *arena,
                          struct am_portsets_model *out);

/* Some cores have other ports while vectors of the widest kind are about: they put two narrower
 * units together, and close the port of one to all vectors. */
struct am_portsets_modes {
    struct am_portsets_model narrow; /* of mixes without a wide class; of all, where not `apart` */
    struct am_portsets_model wide;   /* of mixes with one; only where `apart` */
    bool apart;                      /* the two differ */
};

/* Whether a mix has a wide class, and mixes without one are there too. */
bool am_portsets_has_wide(const struct am_resources_input *input);
/* The mixes with a wide class, or those without, and the time that each class takes alone there.
 * False: there are none, or memory is refused. */
bool am_portsets_choose(const struct am_resources_input *input, bool wide, struct am_arena *arena,
                        struct am_resources_input *out);

/* Fits mixes without a wide class, then from there those with one alone, and all together. Of those
 * with one, a quarter is left out of both: the ports are apart when they explain these better than
 * common ones do, for certain and by more than measurements scatter. False when there is nothing to
 * fit, or memory is refused. */
bool am_portsets_fit_modes(const struct am_resources_input *input, struct am_arena *arena,
                           struct am_portsets_modes *out);

/* The same as weights of resources, classes x resources, the front end first; returns how many
 * there are: one per set that bounds a mix. 0 when memory is refused. */
size_t am_portsets_columns(const struct am_resources_input *input,
                           const struct am_portsets_model *ports, struct am_arena *arena,
                           double **w_p);

#endif
