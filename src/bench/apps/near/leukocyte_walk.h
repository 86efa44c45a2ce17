/* SPDX-License-Identifier: MIT */
/* The way of a step of the form lanes through memory, without its arithmetic. */
#ifndef AM_BENCH_APPS_NEAR_LEUKOCYTE_WALK_H
#define AM_BENCH_APPS_NEAR_LEUKOCYTE_WALK_H

#include "bench/shared/walk.h"
#include "kernels/mgvf.h"

#include <stddef.h>

/* The layout that a step's loop knows by itself. */
struct am_leuko_layout {
    size_t block;     /* rows at a time */
    size_t row_bytes; /* of the field; the edge map's have twice as many */
};

/* What is done with a line. Known where the walk is compiled, or each would be a call. */
struct am_leuko_touch {
    void (*read)(void *self, const void *line);
    void (*write)(void *self, void *line);
    void *self;
};

/* A loop over the rows of a block, written out where their number is known: clang does so by itself
 * where it optimises. */
#if defined(__clang__)
#define AM_LEUKO_EACH
#else
#define AM_LEUKO_EACH _Pragma("GCC unroll 4")
#endif

/* n rows from row i on, line by line from left to right: those rows of the field, the one above and
 * the one below (a border row is its own neighbour); of the edge map; and where the new rows go. */
__attribute__((always_inline)) static inline void
am_leuko_walk_block(const struct am_mgvf_step *s, size_t row_bytes, size_t i, const size_t n,
                    const struct am_leuko_touch *touch)
{
    const char *from = (const char *)s->from + i * row_bytes;
    const char *edge = (const char *)s->edge + 2 * i * row_bytes;
    char *to = (char *)s->to + i * row_bytes;
    const size_t above = i > 0 ? row_bytes : 0;
    const size_t below = (i + n < s->rows ? n : n - 1) * row_bytes;

    for (size_t left = row_bytes;; left -= AM_WALK_LINE) {
        touch->read(touch->self, from - above);
        AM_LEUKO_EACH for (size_t row = 0; row < n; row++)
            touch->read(touch->self, from + row * row_bytes);
        touch->read(touch->self, from + below);
        AM_LEUKO_EACH for (size_t row = 0; row < n; row++)
            touch->read(touch->self, edge + 2 * row * row_bytes);
        if (left > AM_WALK_LINE / 2) { /* or the row ends in the middle of a line */
            AM_LEUKO_EACH for (size_t row = 0; row < n; row++)
                touch->read(touch->self, edge + 2 * row * row_bytes + AM_WALK_LINE);
        }
        AM_LEUKO_EACH for (size_t row = 0; row < n; row++)
            touch->write(touch->self, to + row * row_bytes);
        if (left <= AM_WALK_LINE)
            return;
        from += AM_WALK_LINE;
        edge += (size_t)2 * AM_WALK_LINE;
        to += AM_WALK_LINE;
    }
}

/* Rows first, ..., last - 1 in the blocks that the loop has. Blocks of the same height are the same
 * code, as those of the loop are: between two lines there is hardly anything but the lines. */
__attribute__((always_inline)) static inline void
am_leuko_walk_rows(const struct am_mgvf_step *s, const struct am_leuko_layout *l, size_t first,
                   size_t last, const struct am_leuko_touch *touch)
{
    const struct am_mgvf_step step = *s; /* copies: what is written could be anything */
    const struct am_leuko_layout layout = *l;
    size_t n;

    for (size_t i = first; i < last; i += n) {
        n = last - i < layout.block ? last - i : layout.block;
        if (n == 4)
            am_leuko_walk_block(&step, layout.row_bytes, i, 4, touch);
        else if (n == 3)
            am_leuko_walk_block(&step, layout.row_bytes, i, 3, touch);
        else
            am_leuko_walk_block(&step, layout.row_bytes, i, n, touch);
    }
}

#endif
