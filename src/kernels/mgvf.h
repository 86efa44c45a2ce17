/* SPDX-License-Identifier: MIT */
/* Loops of the motion gradient vector flow: one Jacobi step of a band of rows.
 *
 * Most forms take fields as they are (struct am_mgvf_step). The form `lanes` has a layout of its
 * own, which am_mgvf_pack_fn makes and am_mgvf_unpack_fn undoes:
 *
 *     A row of C columns is m vectors of L lanes. Lane l of vector v is column start(l) + v, where
 *     start(l) = l (m - 1) - min(l, early): lanes are far apart, and neighbours in x are whole
 *     vectors. m is the least such that L (m - 1) + 1 >= C; the first `early` starts lie one
 *     column earlier than the others, so that the last lane ends with the last column. Columns
 *     that two lanes have are computed by both, with the same bits, and counted once.
 *     There is no frame. In place of E a row has the pairs A, B, vector by vector:
 *     A = diffusion (1 - pull E), B = pull E^2. */
#ifndef AM_KERNELS_MGVF_H
#define AM_KERNELS_MGVF_H

#include <stdbool.h>
#include <stddef.h>

enum am_mgvf_type { AM_MGVF_F32, AM_MGVF_F64, AM_MGVF_TYPES };

/* How the Heaviside weight of a difference is computed.
 *
 *     atan    atan(z / epsilon) / pi + 1/2
 *     minmax  the limit of small epsilon: a step, so that weight times difference is a maximum or
 *             a minimum with 0; with epsilon 1e-10 it differs by 3.2e-11 at most
 */
enum am_mgvf_heaviside { AM_MGVF_ATAN, AM_MGVF_MINMAX, AM_MGVF_HEAVISIDES };

/* Names by enumerator, ended by NULL. */
extern const char *const am_mgvf_types[];
extern const char *const am_mgvf_heavisides[];

enum {
    AM_MGVF_ALIGN = 64,      /* bytes: of column 0 of every row */
    AM_MGVF_LEAD = 64,       /* bytes before column 0 that belong to the row */
    AM_MGVF_CONSTANTS = 640, /* bytes that the form lanes keeps from step to step */
};

/* One step of a field of rows x columns elements. Element (i, j) of a matrix lies at i * stride +
 * j. The fields `from` and `to` have a frame of one element that repeats their border: rows -1 and
 * `rows`, columns -1 and `columns` are readable. Each row has AM_MGVF_LEAD bytes before column 0
 * and is filled up to a multiple of AM_MGVF_ALIGN bytes behind column `columns`; all of that
 * belongs to the row, and a loop may overwrite it with anything but infinities and NaNs. Behind the
 * last row of the frame AM_MGVF_LEAD bytes more are readable. */
struct am_mgvf_step {
    const void *edge; /* E; no frame, padding behind a row's last column is zero */
    const void *from; /* F of the step before */
    void *to;
    size_t rows, columns; /* both at least 2 */
    size_t stride;        /* elements; a multiple of AM_MGVF_ALIGN bytes */
    double diffusion;     /* mu / lambda */
    double pull;          /* 1 / lambda */
    double epsilon;
    double *sums;    /* one per row; form lanes has parts in their place */
    void *parts;     /* form lanes: a vector per block of rows, aligned to AM_MGVF_ALIGN */
    void *constants; /* form lanes: AM_MGVF_CONSTANTS bytes, aligned likewise; packing fills them */
    void *scratch;   /* what the loop asked for; NULL when nothing */
    unsigned every;  /* form lanes: see there; others count every row */
    bool gathers;    /* form lanes: see there */
};

/* With d_k the differences of the 8 neighbours to F(i,j) and H_k their weights, for the direction
 * (1, 1):
 *
 *     h = F + diffusion * sum H_k d_k
 *     F' = h - pull * E * (h - E)
 *
 * Writes rows first, ..., last - 1 of `to`, their frame (columns -1 and `columns`; row 0's band
 * also row -1, the last row's band also row `rows`) and sums[i] = sum over j of |F'(i,j) - F(i,j)|.
 * A row's bits depend neither on the band it is in nor on who else is running. */
typedef void am_mgvf_fn(const struct am_mgvf_step *step, size_t first, size_t last);

/* Dense fields of doubles, row after row, to and from the layout of `lanes`. Packing fills
 * step->from, step->constants and what step->edge points to, rows 2 * stride apart; unpacking reads
 * step->from. */
typedef void am_mgvf_pack_fn(const struct am_mgvf_step *step, const double *edge,
                             const double *field);
typedef void am_mgvf_unpack_fn(const struct am_mgvf_step *step, double *field);

/* Form lanes: the sum of |F' - F| over the rows that were counted, of the parts that all bands have
 * left. Its bits depend on no band. */
typedef double am_mgvf_change_fn(const struct am_mgvf_step *step);

/* The loops there are.
 *
 *     naive   row pointers, a pass for each difference and weight, the C library's atan eight times
 *     atan    one pass of vectors, six arcs by a polynomial
 *     minmax  one pass of vectors, six extremes
 *     lanes   the same mathematics with lanes far apart, several rows in registers, and half of
 *             the additions as products by 1 with an addition: extremes and additions share units
 *
 * Sums are added lane by lane and then across: the same for any band, and between ISAs equal
 * to a few units of the type's last place.
 *
 * What is special with lanes: bands begin at multiples of `block` rows (struct am_mgvf_variant);
 * a block leaves its sum as a vector of parts, which am_mgvf_change_fn adds up when all bands have
 * ended: lanes are added across once per step, not once per block. Where `every` is 2 or 4, only
 * one row of so many is counted within a block of full height (all rows of a lower one): sums are
 * then lower bounds. `to` may be `from` less one stride, if all rows are one band: a row is then
 * written over the row before it. With `gathers` rows are stepped in their order, from wherever the
 * call before has ended, and all blocks of a step add to one vector of parts. Fields have at least
 * AM_MGVF_LANES_LEAST(L) columns. */
enum am_mgvf_form {
    AM_MGVF_BY_NAIVE,
    AM_MGVF_BY_ATAN,
    AM_MGVF_BY_MINMAX,
    AM_MGVF_BY_LANES,
    AM_MGVF_FORMS
};
extern const char *const am_mgvf_forms[]; /* by enumerator, ended by NULL */

enum { AM_MGVF_NAIVE_MATRICES = 16 }; /* in the scratch of the naive loop */

typedef void am_mgvf_code_fn(void); /* code to be shown, not called */

struct am_mgvf_variant {
    const char *isa;
    unsigned lanes[AM_MGVF_TYPES];
    am_mgvf_fn *fn[AM_MGVF_FORMS][AM_MGVF_TYPES];
    am_mgvf_pack_fn *pack[AM_MGVF_TYPES];
    am_mgvf_unpack_fn *unpack[AM_MGVF_TYPES];
    am_mgvf_change_fn *change[AM_MGVF_TYPES];
    size_t block; /* rows at a time of the form lanes */
    /* Where it spends its time: blocks of which one row in AM_MGVF_EVERY_MAX is counted. One turn
     * of the longest loop steps AM_MGVF_TURN vectors of each of the block's rows. */
    am_mgvf_code_fn *hot[AM_MGVF_TYPES];
};

enum {
    AM_MGVF_EVERY_MAX = 4,
    AM_MGVF_TURN = 3,
    AM_MGVF_USUAL_COLUMNS = 81, /* of fields that lanes has loops of their own for */
};
#define AM_MGVF_LANES_LEAST(lanes) ((size_t)(lanes) + 2) /* three vectors per row */

const struct am_mgvf_variant *am_mgvf_find(const char *isa); /* NULL when unknown */

/* Bytes of scratch for the naive loop, either type; the others need none. */
size_t am_mgvf_naive_scratch(size_t rows, size_t columns);

/* Arithmetic instructions that a vector of the form lanes needs with every row counted, the fewest
 * cycles of the forms; loads, stores and the removal of a sign are not counted. Beside them it has
 * two loads of A and B, (block + 5) / block of the field, and a store. The form minmax has 5
 * products, 9 sums and 6 extremes. */
enum {
    AM_MGVF_PRODUCTS = 8, /* 4 of them additions written as products by 1, where those are fused */
    AM_MGVF_FUSED = 4,    /* of the products, those that an addition goes with besides */
    AM_MGVF_SUMS = 3,
    AM_MGVF_EXTREMES = 6,
};

#endif
