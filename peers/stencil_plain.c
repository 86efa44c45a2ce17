/* SPDX-License-Identifier: MIT */
/* The plain loops of stencil.c as a rival for stencil_turns.c: grids whose sides are equal. */
#define main plain_main
#include "stencil.c"
#undef main

#include "stencil_rival.h"

struct plain {
    unsigned dim;
    long n, steps;
    REAL *u[2];
};

static int fill(struct plain *plain, size_t elements)
{
    for (int i = 0; i < 2; i++) {
        plain->u[i] = malloc(elements * sizeof(REAL));
        for (size_t k = 0; plain->u[i] && k < elements; k++)
            plain->u[i][k] = (REAL)(k * 2654435761u % 1000) / 1000;
    }
    return plain->u[0] && plain->u[1];
}

void *rival_open(unsigned dim, const size_t n[3], size_t steps, double *updates)
{
    struct plain *const plain = calloc(1, sizeof(*plain));
    size_t elements = 1;

    if (!plain || dim < 2 || dim > 3 || n[0] != n[1] || (dim == 3 && n[0] != n[2]))
        return NULL;
    *plain = (struct plain){.dim = dim, .n = (long)n[0], .steps = (long)(steps + steps % 2)};
    *updates = (double)plain->steps;
    for (unsigned d = 0; d < dim; d++) {
        elements *= n[0] + 2;
        *updates *= (double)n[0];
    }
    return fill(plain, elements) ? plain : NULL;
}

/* As many steps as take the state back to the first array. */
void rival_run(void *self, uint64_t times)
{
    static void (*const steps_of[])(const REAL *restrict, REAL *restrict, long, REAL) = {step_2,
                                                                                       step_3};
    const struct plain *const p = self;
    const REAL r = (REAL)(0.25 / p->dim);

    for (; times; times--) {
        for (long s = 0; s < p->steps; s++)
            steps_of[p->dim - 2](p->u[s & 1], p->u[~s & 1], p->n, r);
    }
}
