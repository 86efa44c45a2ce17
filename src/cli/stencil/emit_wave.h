/* SPDX-License-Identifier: MIT */
/* The part of a stencil's waves that depends on its formula: blocks of rows in registers, in one
 * dimension slices. The rest is lanes.c.txt with ends.c.txt and wave.c.txt, or with slice.c.txt. */
#ifndef AM_CLI_STENCIL_EMIT_WAVE_H
#define AM_CLI_STENCIL_EMIT_WAVE_H

#include "base/text.h"
#include "cli/stencil/weights.h"

/* Which block of a table it is, by planes and rows: whole ones, and what is left over of them. */
#define AM_EMIT_BLOCK_KINDS                                                                        \
    "enum { NAME_ROW_ALONE, NAME_PLANES, NAME_WHOLE, NAME_WHOLE_AHEAD, NAME_ROWS, NAME_SOME_ROW, " \
    "NAME_SOME_ROWS };\n"

/* Sizes of blocks, and the function that sets weights from parameters. */
void am_emit_wave_constants(const struct am_description *d, struct am_text *out);
void am_emit_wave_weights(const struct am_description *d, struct am_text *out);
/* Functions of all blocks and their table NAME_blocks. */
void am_emit_wave_blocks(const struct am_description *d, struct am_text *out);
/* NAME_slice() and NAME_slice_point(). */
void am_emit_wave_slices(const struct am_description *d, struct am_text *out);

/* The same for formulas that are no sums of weighted neighbours: several fields, coefficients,
 * products of fields, sources. */
bool am_emit_has_waves(const struct am_description *d);
void am_emit_field_constants(const struct am_description *d, struct am_text *out);
void am_emit_field_blocks(const struct am_description *d, struct am_text *out);

/* What an update's formula reads, as variables of a function whose argument b__ has a row of the
 * present state, of what is made, and of coefficients; `loop` is wave or fold. */
void am_emit_declare(const struct am_description *d, size_t update, const char *loop,
                     struct am_text *out);
/* Of each array that an update reads the row that it reads first, (y, z) rows away: what is to be
 * prefetched. Arrays are called as am_emit_declare() does. */
typedef void am_emit_newest_fn(const void *self, const char *name, const char *array,
                               const int row[2]);
void am_emit_newest(const struct am_description *d, size_t update, am_emit_newest_fn *write,
                    const void *self);
/* A field or a coefficient at some point. */
bool am_emit_is_value(const struct am_description *d, const struct am_formula_node *node);

/* Blocks of steps that are not made in place: the body of one block's function. */
void am_emit_sums(const struct am_description *d, const struct am_weights *w, const int rows[2],
                  bool ahead, struct am_text *out);

/* Products are added as a + (b + (c + d)): compilers fuse the first product of a sum with it, so
 * that the neighbours, which are ready last, wait for one operation only. */
void am_emit_begin_product(struct am_text *out, size_t value, int *open); /* *open: -1 at first */
void am_emit_end_products(struct am_text *out, int open);
/* w0, w1, ...: vectors of the weights. */
void am_emit_weight_vectors(const struct am_weights *w, const char *from, struct am_text *out);

#endif
