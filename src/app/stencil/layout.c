/* SPDX-License-Identifier: MIT */
/* Lanes: where they begin, how points get there and back, and what they copy from each other. */
#include "app/stencil/layout.h"

#include "app/stencil/elements.h"

#include <stdint.h>
#include <string.h>

enum {
    LINE_BYTES = 64,
    PAGE_BYTES = 4096,
    /* Loads are held back by stores to the same offset in another page: the second array begins
     * half a page and a line away from the first. */
    STAGGER_BYTES = PAGE_BYTES / 2 + LINE_BYTES,
    BLOCK = 64, /* points of a lane that are moved at once: the vectors they go to stay in L1 */
};

static size_t all_lanes(const struct am_stencil *st)
{
    return st->spec.parts * st->lanes;
}

size_t am_stencil_lane_start(const struct am_stencil *st, size_t lane)
{
    return (size_t)((uint64_t)lane * st->spec.n / all_lanes(st));
}

static size_t lane_length(const struct am_stencil *st, size_t lane)
{
    return am_stencil_lane_start(st, lane + 1) - am_stencil_lane_start(st, lane);
}

/* The last lane that begins at or before the point: the only one of them that is not empty. */
static size_t lane_of(const struct am_stencil *st, size_t point)
{
    return (size_t)((((uint64_t)point + 1) * all_lanes(st) - 1) / st->spec.n);
}

void am_stencil_lay_out(struct am_stencil *st)
{
    const bool sweeps = st->spec.method < AM_STENCIL_BY_SKEW;
    const bool held = st->spec.method == AM_STENCIL_BY_REGISTERS;
    const bool linear = st->spec.method < AM_STENCIL_BY_INTERLEAVED;
    size_t vector, ghost_bytes, array_bytes, edge_bytes, at;

    st->element_bytes = st->spec.type == AM_STENCIL_F32 ? sizeof(float) : sizeof(double);
    st->lanes = linear ? 1 : st->spec.kernels->lanes[st->spec.type];
    st->reach = sweeps ? 1 : held ? SIZE_MAX : st->spec.depth;
    st->ghosts = held ? 0 : st->reach;
    st->length = (st->spec.n + all_lanes(st) - 1) / all_lanes(st);
    vector = am_stencil_vector_bytes(st);
    ghost_bytes = am_elements_up_to(st->ghosts * vector, LINE_BYTES);
    array_bytes = ghost_bytes + am_elements_up_to((st->length + st->ghosts) * vector, LINE_BYTES);
    edge_bytes = sweeps ? 0 : am_elements_up_to(2 * st->ghosts * vector, LINE_BYTES);
    st->place.offset[0] = ghost_bytes;
    at = array_bytes;
    st->place.offset[1] = st->place.offset[0];
    if (sweeps) {
        at = am_elements_up_to(at, PAGE_BYTES) + STAGGER_BYTES;
        st->place.offset[1] = at + ghost_bytes;
        at += array_bytes;
    }
    st->place.edges = at;
    st->place.start = at + edge_bytes;
    st->place.bytes = am_elements_up_to(at + 2 * edge_bytes, PAGE_BYTES);
}

char *am_stencil_array(const struct am_stencil *st, size_t part, unsigned array)
{
    return st->memory + part * st->place.bytes + st->place.offset[array];
}

static char *element(const struct am_stencil *st, unsigned front, size_t lane, size_t i)
{
    char *const array = am_stencil_array(st, lane / st->lanes, front);

    return array + (i * st->lanes + lane % st->lanes) * st->element_bytes;
}

double am_stencil_value(const struct am_stencil *st, size_t point)
{
    const size_t lane = lane_of(st, point);
    const void *const at =
        element(st, st->phase.front, lane, point - am_stencil_lane_start(st, lane));

    return st->spec.type == AM_STENCIL_F32 ? (double)*(const float *)at : *(const double *)at;
}

static void load_lane_block(const struct am_stencil *st, unsigned front, size_t lane, size_t i,
                            size_t count, const char *x)
{
    const size_t n = st->spec.n, bytes = st->element_bytes;
    const size_t point = am_stencil_lane_start(st, lane) + i;
    const size_t straight = point >= n ? 0 : n - point < count ? n - point : count;

    am_elements_move(element(st, front, lane, i), st->lanes, x + point * bytes, 1, straight, bytes);
    if (straight < count) /* the lane's one point too many, beyond the end of the grid */
        am_elements_move(element(st, front, lane, i + straight), st->lanes,
                         x + (point + straight - n) * bytes, 1, count - straight, bytes);
}

void am_stencil_load_part(const struct am_stencil *st, size_t part, unsigned front, const void *x)
{
    for (size_t i = 0; i < st->length; i += BLOCK) {
        const size_t count = st->length - i < BLOCK ? st->length - i : BLOCK;

        for (size_t j = 0; j < st->lanes; j++)
            load_lane_block(st, front, part * st->lanes + j, i, count, x);
    }
}

enum am_status am_stencil_load(struct am_stencil *st, const void *x, struct am_err *err)
{
    const enum am_status s = am_elements_check(st->spec.form, st->spec.type, x, st->spec.n, err);

    if (s != AM_OK)
        return s;
    st->phase.age = 0;
    for (size_t part = 0; part < st->spec.parts; part++)
        am_stencil_load_part(st, part, st->phase.front, x);
    return AM_OK;
}

void am_stencil_store(const struct am_stencil *st, void *x)
{
    for (size_t part = 0; part < st->spec.parts; part++) {
        for (size_t i = 0; i < st->length; i += BLOCK) {
            for (size_t j = 0; j < st->lanes; j++) {
                const size_t lane = part * st->lanes + j, length = lane_length(st, lane);
                const size_t left = length > i ? length - i : 0;
                const size_t point = am_stencil_lane_start(st, lane) + i;

                am_elements_move((char *)x + point * st->element_bytes, 1,
                                 element(st, st->phase.front, lane, i), st->lanes,
                                 left < BLOCK ? left : BLOCK, st->element_bytes);
            }
        }
    }
}

/* Vectors `first` to `first + count` of one lane, counted from its first; their points begin at
 * `point`. Lanes are walked through in turn, however short. */
static void fill_lane(const struct am_stencil *st, unsigned front, size_t lane, ptrdiff_t first,
                      size_t count, size_t point)
{
    const size_t lanes = all_lanes(st);
    size_t owner = lane_of(st, point);
    size_t i = point - am_stencil_lane_start(st, owner);
    char *to = element(st, front, lane, 0) + first * (ptrdiff_t)am_stencil_vector_bytes(st);

    while (count) {
        const size_t there = lane_length(st, owner) - i;
        const size_t some = there < count ? there : count;

        am_elements_move(to, st->lanes, element(st, front, owner, i), st->lanes, some,
                         st->element_bytes);
        to += some * am_stencil_vector_bytes(st);
        count -= some;
        owner = owner + 1 == lanes ? 0 : owner + 1;
        i = 0;
    }
}

static void fill_before(const struct am_stencil *st, size_t lane,
                        const struct am_stencil_pass *pass)
{
    const size_t n = st->spec.n, start = am_stencil_lane_start(st, lane);

    fill_lane(st, pass->front, lane, -(ptrdiff_t)pass->steps, pass->steps,
              (start + n - pass->steps % n) % n);
}

static void fill_after(const struct am_stencil *st, size_t lane, const struct am_stencil_pass *pass)
{
    const size_t start = am_stencil_lane_start(st, lane);

    fill_lane(st, pass->front, lane, (ptrdiff_t)st->length, pass->steps,
              (start + st->length) % st->spec.n);
}

void am_stencil_fill_ghosts(const struct am_stencil *st, size_t part,
                            const struct am_stencil_pass *pass)
{
    for (size_t lane = part * st->lanes; lane < (part + 1) * st->lanes; lane++) {
        fill_before(st, lane, pass);
        fill_after(st, lane, pass);
    }
}

void am_stencil_fill_seams(const struct am_stencil *st, size_t part,
                           const struct am_stencil_pass *pass)
{
    fill_before(st, part * st->lanes, pass);
    fill_after(st, (part + 1) * st->lanes - 1, pass);
}

/* Where a run of points begins in its lane, and how many of `count` lie there. */
static char *run_of(const struct am_stencil *st, size_t point, size_t count, size_t *some)
{
    const size_t lane = lane_of(st, point), i = point - am_stencil_lane_start(st, lane);
    const size_t there = lane_length(st, lane) - i;

    *some = there < count ? there : count;
    return element(st, st->phase.front, lane, i);
}

void am_stencil_read(const struct am_stencil *st, size_t first, size_t count, void *x)
{
    for (size_t done = 0, some; done < count; done += some) {
        const char *const from = run_of(st, first + done, count - done, &some);

        am_elements_move((char *)x + done * st->element_bytes, 1, from, st->lanes, some,
                         st->element_bytes);
    }
}

void am_stencil_write(const struct am_stencil *st, size_t first, size_t count, const void *x)
{
    for (size_t done = 0, some; done < count; done += some) {
        char *const to = run_of(st, first + done, count - done, &some);

        am_elements_move(to, st->lanes, (const char *)x + done * st->element_bytes, 1, some,
                         st->element_bytes);
    }
}
