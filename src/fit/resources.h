/* SPDX-License-Identifier: MIT */
/* Which resources of a core instructions share, from the time that mixes of them take.
 *
 * The model: there are resources, one of them the front end; an instruction of class c takes
 * w[c][r] cycles of resource r, and a mix takes as long as its busiest resource. A unit that can do
 * one instruction per cycle is a resource with a weight of 1; k units that share the work equally
 * are one with a weight of 1/k. Every assignment of instructions to ports is such a model: each set
 * of ports is a resource, of which an instruction that needs k of them anywhere in the set takes
 * k over the size of the set.
 *
 * The fit minimises the squared relative errors of all mixes by exact descent, one weight at a
 * time, adds resources while mixes take longer than those that are there explain, and drops those
 * without which nothing is explained worse. It is done from several starts. Weights have intervals:
 * the range that the measurements leave, all others fixed, widened by what starts that fit as well
 * found. A resource that such a start does not have is not certain: two mappings fit equally then.
 * The same input and seed give the same model on every machine. */
#ifndef AM_FIT_RESOURCES_H
#define AM_FIT_RESOURCES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AM_RESOURCES_MAX = 64 };

struct am_resources_use {
    size_t kind; /* the class */
    double n;    /* how many of it; above zero */
};

struct am_resources_mix {
    const struct am_resources_use *uses; /* each class once */
    size_t n;
    double cycles; /* measured */
};

struct am_resources_input {
    size_t kinds;        /* classes */
    const double *alone; /* cycles of one instruction of each class among its like */
    size_t slot;         /* the class that takes a slot of the front end and nothing else */
    const struct am_resources_mix *mixes;
    size_t n;
    const bool *wide; /* classes of the widest vectors (NULL: none). Some cores have other ports
                       * for all classes while one of them is about */
    const double *alone_wide; /* as `alone`, but beside one of these (NULL, or NAN of a class: not
                               * measured; as alone) */
    double noise;             /* relative standard deviation of a measurement */
    uint64_t seed;            /* of the starts but the first */
    unsigned starts;
};

struct am_resources_weight {
    double value, lo, hi; /* cycles per instruction */
};

struct am_resources_model {
    size_t kinds, resources; /* resource 0 is the front end */
    const struct am_resources_weight
        *weights;        /* of class c and resource r at [c * resources + r] */
    const bool *certain; /* by resource: every start that fits as well has it */
    double error;        /* mean absolute relative error of the mixes */
    double within;       /* share of the mixes that are within twice the noise, 1 % at least */
    unsigned starts;     /* tried */
    unsigned equal;      /* that fit as well as the best */
    unsigned as_best;    /* of those: with the same resources */
    const bool *movable; /* by class: it could go to other ports (fit/ports.h); NULL: the fit has no
                          * ports */
    const bool *wide;    /* the input's */
    /* What holds for mixes with a wide class, where these make ports others; NULL: they do not. */
    const struct am_resources_model *beside_wide;
};

/* False when there is nothing to fit, or memory is refused. */
bool am_resources_fit(const struct am_resources_input *input, struct am_arena *arena,
                      struct am_resources_model *out);

/* The same, begun with the sets of ports (fit/ports.h) that bound mixes; further resources are
 * added for what no schedule of ports explains, where mixes that did not help to find them are
 * explained clearly better. Mixes with a wide class have a model of their own where the ports that
 * explain all others do not explain them. */
bool am_resources_fit_ports(const struct am_resources_input *input, struct am_arena *arena,
                            struct am_resources_model *out);

/* The model that holds for a mix: itself, or the one beside wide classes. */
const struct am_resources_model *am_resources_beside(const struct am_resources_model *model,
                                                     const struct am_resources_use *uses, size_t n);

/* Cycles of a mix, and the resource that bounds it (NULL: not asked for), of the model that holds
 * for it. */
double am_resources_cycles(const struct am_resources_model *model,
                           const struct am_resources_use *uses, size_t n, size_t *resource);
const struct am_resources_weight *am_resources_weight(const struct am_resources_model *model,
                                                      size_t kind, size_t resource);
/* Whether the interval is so narrow that the weight says something: a tenth of the class's cycles
 * alone, or less. */
bool am_resources_is_decided(const struct am_resources_weight *weight, double alone);

#endif
