/* SPDX-License-Identifier: MIT */
/* Inside the fit of resources only: one start of the descent, weight by weight. */
#ifndef AM_FIT_RESOURCES_DESCENT_H
#define AM_FIT_RESOURCES_DESCENT_H

#include "fit/resources.h"

/* A mix in which a class stands, and how often. */
struct am_resources_where {
    size_t mix;
    double n;
};

/* A mix as one weight sees it: it takes max(others, rest + n w). */
struct am_resources_term {
    double bend; /* the weight from which on this resource bounds the mix */
    double rest, n, others, cycles;
};

struct am_resources_descent {
    const struct am_resources_input *input;
    struct am_arena *arena;
    struct am_resources_where *where; /* by class, one list behind the other */
    size_t *first;                    /* of each class in `where`; kinds + 1 */
    double *w;                        /* kinds x AM_RESOURCES_MAX */
    double *load;                     /* of each mix and resource: n x AM_RESOURCES_MAX */
    double *others;                  /* of each mix: the largest load but that of the one at hand */
    struct am_resources_term *terms; /* room for those of one class */
    size_t resources;
};

/* False when memory is refused, or a mix names what is not there. */
bool am_resources_descent_init(struct am_resources_descent *d,
                               const struct am_resources_input *input, struct am_arena *arena);
/* Fits from the start of this number; 0 is the plain one. */
void am_resources_descend(struct am_resources_descent *d, unsigned start);
/* Goes on from where it is, until little can be gained any more. */
void am_resources_descent_polish(struct am_resources_descent *d);
/* Takes weights (kinds x resources) as they are. */
void am_resources_descent_set(struct am_resources_descent *d, const double *w, size_t resources);

/* Adds resources to those that are there, which stay as they are, while mixes take longer than they
 * explain. */
void am_resources_descent_extend(struct am_resources_descent *d);

double am_resources_descent_weight(const struct am_resources_descent *d, size_t kind, size_t r);
double am_resources_descent_cycles(const struct am_resources_descent *d, size_t mix);
/* Sum of squared relative errors. */
double am_resources_loss(const struct am_resources_descent *d);
/* Must come before the next two are asked for a resource. */
void am_resources_descent_hold(const struct am_resources_descent *d, size_t r);
/* How the loss changes if the class took as much of a resource of its own, and nothing of this one:
 * not at all where nothing shows that it shares the resource with others. */
double am_resources_descent_split(const struct am_resources_descent *d, size_t kind, size_t r);
/* The weights of class and resource at which the loss is higher by `more` at most, all others
 * fixed. */
void am_resources_descent_range(const struct am_resources_descent *d, size_t kind, size_t r,
                                double more, double *lo, double *hi);

#endif
