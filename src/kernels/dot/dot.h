/* SPDX-License-Identifier: MIT */
/* Multiply-adds of narrow types: dot products of bytes, words and bfloat16 within a vector,
 * half-precision sums, tiles, and scalable vectors of any length.
 *
 * A form is one instruction (of older sets: two) with a fixed number of accumulators, each of which
 * waits only for itself. A step adds the same products to every accumulator, so that where it must
 * be after any number of steps is known without rounding: integers wrap, and sums of floating-point
 * forms are whole numbers that their accumulators hold exactly for AM_DOT_STEPS steps.
 * am_dot_fill() makes such operands, am_dot_wrong() compares with the reference. */
#ifndef AM_KERNELS_DOT_DOT_H
#define AM_KERNELS_DOT_DOT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_DOT_STREAMS = 12, /* accumulators of vector forms */
    AM_DOT_WIDE_STREAMS =
        24, /* of those with vectors of AM_DOT_WIDE_BYTES, which have 32 registers */
    AM_DOT_WIDE_BYTES = 64,
    AM_DOT_TILES = 4,     /* of forms with tiles: two by two */
    AM_DOT_STEPS = 4000,  /* of one call at most: half-precision sums are exact so long */
    AM_DOT_SUMS = 4096,   /* bytes of all accumulators: 12 vectors of 256, or 4 tiles of 1024 */
    AM_DOT_SOURCE = 2048, /* bytes of an operand: a vector, or two tiles */
};

/* The memory that kernels take; they know the offsets (dot.c asserts them). */
struct am_dot_operands {
    _Alignas(64) unsigned char sums[AM_DOT_SUMS];
    unsigned char a[AM_DOT_SOURCE], b[AM_DOT_SOURCE];
    unsigned char tiles[64]; /* the tiles' shapes */
};

/* What accumulators and operands are made of. */
enum am_dot_element {
    AM_DOT_U8,
    AM_DOT_I8,
    AM_DOT_I16,
    AM_DOT_I32,
    AM_DOT_BF16,
    AM_DOT_F16,
    AM_DOT_F32,
    AM_DOT_F64,
    AM_DOT_TYPES
};

/* Which products belong to an accumulator: of its own lane; of a row and a column of small
 * matrices within the vector; or of tiles. */
enum am_dot_layout { AM_DOT_LANES, AM_DOT_MATRIX, AM_DOT_TILE };

/* `steps` steps from the operands' sums, at most AM_DOT_STEPS and at least one; the sums afterwards
 * are left in `out`. */
typedef void am_dot_fn(const struct am_dot_operands *in, unsigned char *out, uint64_t steps);
/* `passes` passes over the same instructions, between which a chain of dependent ones goes on:
 * AM_DOT_CHAIN cycles per pass, whatever else is done, as long as the sums need less. */
typedef void am_dot_chain_fn(const struct am_dot_operands *in, uint64_t passes);

struct am_dot_form {
    const char *name;  /* the instruction; NULL ends the table */
    const char *needs; /* CPU features, separated by spaces */
    enum am_dot_element a, b, sum;
    enum am_dot_layout shape;
    unsigned bytes; /* of a vector; 0: as long as the machine's scalable ones are */
    am_dot_fn *run;
    am_dot_chain_fn *chained;
    unsigned chain; /* cycles of the chain per pass */
};

extern const struct am_dot_form am_dot_forms[];
/* Their names alone, ended by NULL. */
extern const char *const am_dot_names[];

/* NULL when there is none of that name. */
const struct am_dot_form *am_dot_find(const char *name);
/* NULL when this machine can execute it, else the reason. */
const char *am_dot_why_not(const char *name);
/* Asks the system for what the form's registers need: once per process, before any thread of it
 * works with them. AM_E_ABSENT where it is refused. */
enum am_status am_dot_open(const struct am_dot_form *form, struct am_err *err);

/* Accumulators that a step adds to, elements in each, and products that a step adds to one. */
size_t am_dot_streams(const struct am_dot_form *form);
size_t am_dot_sums(const struct am_dot_form *form);
size_t am_dot_products(const struct am_dot_form *form);

/* Operands from the seed: the same ones from the same. */
void am_dot_fill(const struct am_dot_form *form, uint64_t seed, struct am_dot_operands *out);
/* The first accumulator's element (of all in their order) that is not where so many steps lead;
 * SIZE_MAX when all are. */
size_t am_dot_wrong(const struct am_dot_form *form, const struct am_dot_operands *in,
                    const unsigned char *out, uint64_t steps);

#endif
