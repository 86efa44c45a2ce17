/* SPDX-License-Identifier: MIT */
/* Inside the fit of ports only: mixes by class, and what a use of ports costs. */
#ifndef AM_FIT_PORTS_SEARCH_H
#define AM_FIT_PORTS_SEARCH_H

#include "fit/ports.h"

enum {
    AM_PORTSETS_MIX_PARTS = 32, /* kinds of operations in a mix, room for one use more */
    AM_PORTSETS_TELLING = 24,   /* classes that tell most of the others: the first ones, anchors */
};

/* A mix without the class that is being placed. */
struct am_portsets_rest {
    const struct am_portsets_part *parts;
    size_t n;
    double slots;
    double mass;   /* of all parts */
    double most;   /* cycles by its ports */
    double times;  /* of the class */
    double cycles; /* of all of the mix, measured */
};

struct am_portsets_search {
    const struct am_resources_input *input;
    struct am_portsets_model model;
    bool *placed;                   /* by class */
    size_t *where;                  /* mixes of each class, one list behind the other */
    size_t *first;                  /* of each class in `where`; kinds + 1 */
    unsigned used;                  /* ports that have a meaning: the first ones */
    size_t held;                    /* the class that is being placed */
    struct am_portsets_rest *rests; /* its mixes whose other classes are placed */
    size_t n_rests;
    struct am_portsets_part *parts; /* of the rests, one behind the other */
    size_t n_parts;
    double telling; /* share of these that could show operations beside a slow unit */
};

bool am_portsets_search_init(struct am_portsets_search *s, const struct am_resources_input *input,
                             struct am_arena *arena);

/* Makes a class the one that is placed, while all others stay as they are. */
void am_portsets_search_hold(struct am_portsets_search *s, size_t kind);

/* What one of the held class's mixes loses by a use of it. */
double am_portsets_search_loss(const struct am_portsets_search *s, size_t mix,
                               const struct am_portsets_use *use);

/* Mean loss of the held class's mixes; INFINITY once it is above `most`. */
double am_portsets_search_mean(const struct am_portsets_search *s,
                               const struct am_portsets_use *use, double most);

/* The same with the price of what the use is made of, by every `stride`-th of the mixes. */
double am_portsets_search_cost(const struct am_portsets_search *s,
                               const struct am_portsets_use *use, size_t stride, double most);

/* Whether an instruction of the class takes as long alone as the use says. */
bool am_portsets_search_fits_alone(const struct am_portsets_search *s, size_t kind,
                                   const struct am_portsets_use *use);

/* Calls `take` with uses that the held class may have, by its cycles alone: of all sets of ports;
 * of the sets that others use, one or two of them, and of sets near them; or of these sets alone.
 */
typedef void am_portsets_take_fn(void *self, const struct am_portsets_use *use);
enum am_portsets_breadth { AM_PORTSETS_ALL, AM_PORTSETS_NEAR, AM_PORTSETS_IN_USE };
void am_portsets_search_uses(const struct am_portsets_search *s, enum am_portsets_breadth breadth,
                             am_portsets_take_fn *take, void *self);
/* The same of a set and those that differ from it by one port. */
void am_portsets_search_near(const struct am_portsets_search *s, uint32_t set,
                             am_portsets_take_fn *take, void *self);

/* ports_exchange.c: of each class whether it could have other ports, the rest as it is, and the
 * mixes would not be explained worse for certain. Other names of ports are no other ports. */
void am_portsets_exchange(struct am_portsets_search *s, bool *movable);

#endif
