/* SPDX-License-Identifier: MIT */
/* Waves of a described stencil as a rival for stencil_turns.c: an export of
 * examples/stencil/heat2d.sten or heat3d.sten in the shape that it is exported with.
 *
 *     archmeter stencil export heat3d.sten --loop wave --type f32 -o heat3d.c
 *     cc -std=gnu17 -O3 -march=native -DEXPORT='"heat3d.c"' -DNAME=heat3d_f32 -DREAL=float
 * -DDEPTH=8 -DSTRIP=32 -shared -fPIC -o heat3d.so peers/stencil_described.c */
#define _GNU_SOURCE
#include EXPORT

#include "stencil_rival.h"

#include <stdlib.h>
#include <sys/mman.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define OF(word) PASTE(NAME, word)

struct described {
    struct OF(_waves) waves;
    struct OF(_shape) shape;
    struct OF(_team) team;
    long steps;
};

enum { HUGE_BYTES = 2 << 20 };

/* Huge pages, as stencil_turns.c has them. */
static REAL *allocate(long elements)
{
    const size_t wanted = (size_t)elements * sizeof(REAL);
    const size_t bytes = (wanted + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
    void *const memory = aligned_alloc(HUGE_BYTES, bytes);

    if (memory) {
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
        memset(memory, 0, bytes);
    }
    return memory;
}

static void set_points(struct OF(_waves) * w, const long n[3])
{
    for (long z = 0; z < n[2]; z++) {
        for (long y = 0; y < n[1]; y++) {
            for (long x = 0; x < n[0]; x++) {
                const unsigned i = (unsigned)((z * n[1] + y) * n[0] + x);

                *OF(_wave_at)(w, x, y, z) = (REAL)(i * 2654435761U % 1000) / 1000;
            }
        }
    }
    OF(_wave_close)(w);
}

void *rival_open(unsigned dim, const size_t n[3], size_t steps, double *updates)
{
    struct described *const d = calloc(1, sizeof(*d));
    const long sides[3] = {(long)n[0], (long)n[1], (long)n[2]};

    if (!d || dim != OF(_DIMENSIONS))
        return NULL;
    d->shape.depth = DEPTH;
    d->shape.strip = STRIP;
    d->team.threads = 1;
    d->steps = (long)steps;
    if (!OF(_wave_lay_out)(&d->waves, sides, DEPTH, 1))
        return NULL;
    d->waves.field = allocate(d->waves.elements);
    if (!d->waves.field)
        return NULL;
    d->waves.parameter[0] = (REAL)0.25 / (REAL)dim;
    set_points(&d->waves, sides);
    *updates = (double)(n[0] * n[1] * n[2]) * (double)steps;
    return d;
}

void rival_run(void *self, uint64_t times)
{
    struct described *const d = self;

    for (; times; times--)
        OF(_wave_run)(&d->waves, &d->shape, &d->team, d->steps, 0);
}
