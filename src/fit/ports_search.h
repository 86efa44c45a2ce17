/* SPDX-License-Identifier: MIT */
/* Inside the fit of ports only: mixes by class, and what a use of ports costs. */
#ifndef AM_FIT_PORTS_SEARCH_H
#define AM_FIT_PORTS_SEARCH_H

#include "fit/ports.h"

struct am_portsets_search {
    const struct am_resources_input *input;
    struct am_portsets_model model;
    bool *placed;  /* by class */
    size_t *where; /* mixes of each class, one list behind the other */
    size_t *first; /* of each class in `where`; kinds + 1 */
    unsigned used; /* ports that have a meaning: the first ones */
};

bool am_portsets_search_init(struct am_portsets_search *s, const struct am_resources_input *input,
                             struct am_arena *arena);

/* Mean loss of the mixes of a class whose other classes are placed, with the price of what the use
 * is made of; INFINITY once it is above `most`. Of the mixes, every `stride`-th counts. */
double am_portsets_search_cost(const struct am_portsets_search *s, size_t kind,
                               const struct am_portsets_use *use, size_t stride, double most);

/* Calls `take` with every use that the class may have, by its cycles alone: those of the sets that
 * others use and of sets near them, or of all sets of ports. */
typedef void am_portsets_take_fn(void *self, const struct am_portsets_use *use);
void am_portsets_search_uses(const struct am_portsets_search *s, size_t kind, bool all,
                             am_portsets_take_fn *take, void *self);

#endif
