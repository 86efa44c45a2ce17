/* SPDX-License-Identifier: MIT */
/* Passes over global memory and walks through local memory, without a device: what they touch. */
#include "bench/ocl/host/passes.h"
#include "bench/ocl/host/walk.h"
#include "tap.h"

#include <stdlib.h>

enum { GROUP = 64, MIB = 1 << 20, BANKS = 32 };

static struct am_ocl_pass fitted(enum am_ocl_shape shape, int64_t width, int64_t stride,
                                 uint64_t bytes)
{
    struct am_ocl_pass p;
    struct am_err err = {0};

    if (am_ocl_pass_choose(&p, shape, width, stride, 0, &err) != AM_OK ||
        am_ocl_pass_fit(&p, bytes, 0, GROUP, &err) != AM_OK)
        printf("Bail out! %s\n", err.text);
    return p;
}

static void check_refused(void)
{
    static const struct {
        enum am_ocl_shape shape;
        int64_t width, stride;
        uint64_t bytes;
        const char *reason;
    } cases[] = {
        {AM_OCL_SINGLE, 3, 1, MIB, "width 3"},
        {AM_OCL_SINGLE, 32, 1, MIB, "width 32"},
        {AM_OCL_SINGLE, 4, -1, MIB, "stride -1"},
        {AM_OCL_GROUP, 4, 5000, MIB, "stride 5000"},
        {AM_OCL_ROW, 1, 0, 4 * MIB, "rows and columns"},
        {AM_OCL_COLUMN, 1, 513, 4 * MIB, "rows and columns"},
        {AM_OCL_ROW, 4, 16, 4 * MIB, "no room for a matrix"},
        {AM_OCL_SINGLE, 4, 1, 3 * MIB, "powers of two"},
        {AM_OCL_SINGLE, 4, 1, 2048, "powers of two"},
        {AM_OCL_SINGLE, 1, 1, UINT64_C(1) << 34, "2^31 elements"},
        {AM_OCL_GROUP, 16, 1, 4096, "too small"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_ocl_pass p;
        struct am_err err = {0};
        enum am_status s =
            am_ocl_pass_choose(&p, cases[i].shape, cases[i].width, cases[i].stride, 0, &err);

        if (s == AM_OK)
            s = am_ocl_pass_fit(&p, cases[i].bytes, 0, GROUP, &err);
        ok(s == AM_E_ABSENT && strstr(err.text, cases[i].reason), "refused: %s", err.text);
    }
}

/* Elements per work-item, where they may be chosen. */
static void check_each(void)
{
    static const struct {
        enum am_ocl_shape shape;
        int64_t each;
        uint32_t count; /* 0: refused */
    } cases[] = {
        {AM_OCL_GROUP, 0, 16},
        {AM_OCL_GROUP, 4, 4},
        {AM_OCL_STRIDED, 1 << 20, 1 << 20},
        {AM_OCL_GROUP, -1, 0},
        {AM_OCL_GROUP, (1 << 20) + 1, 0},
        {AM_OCL_SINGLE, 0, 1},
        {AM_OCL_SINGLE, 4, 0},
        {AM_OCL_ROW, 4, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_ocl_pass p;
        struct am_err err = {0};
        const enum am_status s = am_ocl_pass_choose(&p, cases[i].shape, 4, 1, cases[i].each, &err);

        ok(cases[i].count ? s == AM_OK && p.count == cases[i].count
                          : s == AM_E_ABSENT && strstr(err.text, "each"),
           "%s, each %lld: %s", am_ocl_shape_names[cases[i].shape], (long long)cases[i].each,
           s == AM_OK ? "taken" : err.text);
    }
}

/* How often each element is touched. */
static unsigned *touches(const struct am_ocl_pass *p)
{
    unsigned *const count = calloc(p->elements, sizeof(*count));

    for (uint64_t i = 0; count && i < p->items; i++) {
        for (uint32_t j = 0; j < p->count; j++)
            count[am_ocl_pass_place(p, (uint32_t)i, j)]++;
    }
    return count;
}

/* Shapes that are meant to go over the buffer once do so, whatever is left over at its end. */
static void check_cover(void)
{
    static const struct {
        enum am_ocl_shape shape;
        int64_t stride;
    } cases[] = {
        {AM_OCL_SINGLE, 1}, {AM_OCL_GROUP, 1},    {AM_OCL_STRIDED, 1}, {AM_OCL_ROW, 1},
        {AM_OCL_ROW, 16},   {AM_OCL_ROW, 3},      {AM_OCL_ROW, 512},   {AM_OCL_COLUMN, 1},
        {AM_OCL_COLUMN, 7}, {AM_OCL_COLUMN, 512},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_ocl_pass p = fitted(cases[i].shape, 1, cases[i].stride, 8 * MIB);
        unsigned *const count = touches(&p);
        size_t twice = 0, once = 0;

        for (uint64_t k = 0; count && k < p.elements; k++) {
            once += count[k] == 1;
            twice += count[k] > 1;
        }
        ok(twice == 0 && once == p.items * p.count && p.elements - once < 64 * 1024,
           "%s %lld: %zu of %llu elements once, none twice", am_ocl_shape_names[cases[i].shape],
           (long long)cases[i].stride, once, (unsigned long long)p.elements);
        free(count);
    }
}

static void check_formula(void)
{
    const struct am_ocl_pass p = fitted(AM_OCL_STRIDED, 1, 5, MIB);
    bool same = true;

    for (uint32_t item = 0; item < p.items; item += 97) {
        for (uint32_t j = 0; j < 16; j++)
            same = same && am_ocl_pass_place(&p, item, j) ==
                               ((item * 5 + j * (uint32_t)p.items) & (p.elements - 1));
    }
    ok(same && p.count == 16, "strided is Formula 1: (gid * stride + n) & (size - 1)");
}

/* Rows: one work-item's elements are neighbours. Columns: those of neighbouring work-items. */
static void check_order(void)
{
    const struct am_ocl_pass row = fitted(AM_OCL_ROW, 1, 8, 4 * MIB);
    const struct am_ocl_pass column = fitted(AM_OCL_COLUMN, 1, 8, 4 * MIB);

    ok(am_ocl_pass_place(&row, 5, 3) == am_ocl_pass_place(&row, 5, 2) + 1 &&
           am_ocl_pass_place(&row, 6, 0) == am_ocl_pass_place(&row, 5, 0) + 8,
       "a row's work-item takes neighbours");
    ok(am_ocl_pass_place(&column, 6, 3) == am_ocl_pass_place(&column, 5, 3) + 1 &&
           am_ocl_pass_place(&column, 5, 1) == am_ocl_pass_place(&column, 5, 0) + AM_OCL_MATRIX / 8,
       "a column's work-items are neighbours");
}

/* A wide stride that comes back does not find the lines of the turn before. */
static void check_turns(void)
{
    static const int64_t strides[] = {64, 128, 512};
    enum { LINE = 32 }; /* words */

    for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
        const struct am_ocl_pass p = fitted(AM_OCL_SINGLE, 1, strides[i], MIB);
        const uint32_t turn = (uint32_t)(p.elements / (uint64_t)strides[i]);
        size_t again = 0;

        for (uint32_t k = 0; k < turn; k++)
            again +=
                am_ocl_pass_place(&p, k, 0) / LINE == am_ocl_pass_place(&p, k + turn, 0) / LINE;
        ok(again == 0, "stride %lld: %zu of %u lines found again", (long long)strides[i], again,
           turn);
    }
}

/* The sums of slots by what the buffer holds, against the function that gives them. */
static void check_slots(void)
{
    const struct am_ocl_pass p = fitted(AM_OCL_GROUP, 4, 2, MIB);
    uint32_t slots[AM_OCL_SLOTS] = {0};
    size_t wrong = 0, picked = 0;

    for (uint32_t i = 0; i < p.items; i++) {
        uint32_t sum = 0;

        for (uint32_t j = 0; j < p.count; j++) {
            for (uint32_t w = 0; w < p.width; w++)
                sum += am_ocl_pass_noise(am_ocl_pass_place(&p, i, j) * p.width + w);
        }
        if (((sum + (i * UINT32_C(2654435761) >> 12)) & p.pick) == 0) {
            slots[i >> p.shift] += sum;
            picked++;
        }
    }
    for (uint32_t k = 0; k < AM_OCL_SLOTS; k++)
        wrong += slots[k] != am_ocl_pass_slot(&p, k);
    ok(wrong == 0, "%zu of %d slots differ", wrong, AM_OCL_SLOTS);
    ok(picked >= AM_OCL_SLOTS && picked <= 64 * AM_OCL_SLOTS, "%zu work-items add to them", picked);
}

static void check_small(void)
{
    struct am_ocl_pass p;
    struct am_err err = {0};

    (void)am_ocl_pass_choose(&p, AM_OCL_GROUP, 4, 1, 0, &err);
    ok(am_ocl_pass_fit(&p, 16384, MIB, GROUP, &err) == AM_OK && am_ocl_pass_bytes(&p) == MIB &&
           p.mask == 1023,
       "a launch goes round a small buffer until it has moved enough");
}

/* What is chosen for a device of 140 GB must be a buffer that the pass takes. */
static void check_largest(void)
{
    static const int64_t widths[] = {1, 2, 4, 16};

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct am_ocl_pass p;
        struct am_err err = {0};
        const bool chosen = am_ocl_pass_choose(&p, AM_OCL_SINGLE, widths[i], 1, 0, &err) == AM_OK;
        const uint64_t most = chosen ? am_ocl_pass_bytes_max(&p) : 0;

        ok(chosen && am_ocl_pass_fit(&p, most, 0, GROUP, &err) == AM_OK &&
               am_ocl_pass_fit(&p, 2 * most, 0, GROUP, &err) == AM_E_ABSENT,
           "elements of %lld words: %llu bytes at most", (long long)widths[i],
           (unsigned long long)most);
    }
}

static void check_room(void)
{
    static const struct {
        struct am_ocl_room room;
        uint64_t want;
        const char *what;
    } cases[] = {
        {{true, 32 * MIB, UINT64_C(1) << 40}, 128 * MIB, "a CPU: four times its cache"},
        {{true, 96 * MIB, UINT64_C(1) << 40}, 512 * MIB, "a CPU with a large cache"},
        {{true, 32 * MIB, 100 * MIB}, 64 * MIB, "no more than there is"},
        {{false, 4 * MIB, UINT64_C(1) << 40},
         UINT64_C(16) << 30,
         "a GPU that tells of little cache"},
        {{false, 4 * MIB, UINT64_C(3) << 30}, UINT64_C(2) << 30, "a GPU of little memory"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(am_ocl_room_bytes(&cases[i].room) == cases[i].want, "%s", cases[i].what);
}

/* ---- local memory ---- */

/* The sum of what a work-item reads, as the kernel does; the first words of elements only, since
 * all words of an element are alike. */
static uint32_t walked(const struct am_ocl_walk *w, uint32_t lane, uint32_t turns)
{
    uint32_t sum = 0;

    for (uint32_t t = 0; t < turns; t++) {
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t at = am_ocl_walk_place(w, lane, t, i);

            if (at >= am_ocl_walk_elements(w))
                printf("Bail out! beyond local memory: %u\n", at);
            sum += at * UINT32_C(2654435761) ^ w->key;
        }
    }
    return sum * w->width;
}

static void write_turn(const struct am_ocl_walk *w, uint32_t lane, uint32_t t, uint32_t accesses,
                       uint32_t *memory)
{
    for (uint32_t i = 0; i < accesses; i++)
        memory[am_ocl_walk_place(w, lane, t, i)] =
            (lane * w->stride + t * 5) * UINT32_C(2654435761) ^ w->key;
}

/* How a group may write, or fail to. */
struct writing {
    bool in_step;      /* all make a turn before anybody makes the next; else one after another */
    uint32_t made_of;  /* of so many turns one is made */
    uint32_t accesses; /* of a turn that are made */
    uint32_t from, to; /* work-items that write */
};

enum { TURNS = 300 };

static void write_all(const struct am_ocl_walk *w, const struct writing *how, uint32_t *memory)
{
    for (uint32_t i = 0; i < am_ocl_walk_elements(w); i++)
        memory[i] = ~w->key;
    for (uint32_t k = 0; k < TURNS * w->group; k++) {
        const uint32_t lane = how->in_step ? k % w->group : k / TURNS;
        const uint32_t t = how->in_step ? k / w->group : k % TURNS;

        if (t % how->made_of == 0 && lane >= how->from && lane < how->to)
            write_turn(w, lane, t, how->accesses, memory);
    }
}

/* Elements that hold what nobody can have left there; of one work-item alone, what it has not. */
static uint32_t refuted(const struct am_ocl_walk *w, const struct writing *how, bool alone)
{
    uint32_t *const memory = malloc(am_ocl_walk_elements(w) * sizeof(*memory));
    uint32_t n = 0;

    if (!memory)
        return UINT32_MAX;
    write_all(w, how, memory);
    for (uint32_t i = 0; i < am_ocl_walk_elements(w); i++)
        n += alone ? memory[i] != am_ocl_walk_left(w, how->from, i, TURNS)
                   : !am_ocl_walk_may_hold(w, i, TURNS, memory[i]);
    free(memory);
    return n;
}

static void check_writes(const struct am_ocl_walk *w)
{
    const struct writing apart = {false, 1, 16, 0, w->group}, together = {true, 1, 16, 0, w->group},
                         one = {true, 1, 16, 5, 6};
    static const struct {
        struct writing how;
        const char *what;
    } wrong[] = {
        {{true, 4, 16, 5, 6}, "three turns of four dropped"},
        {{true, 2, 16, 5, 6}, "every second turn dropped"},
        {{true, 1, 15, 5, 6}, "the last access dropped"},
        {{true, TURNS, 16, 5, 6}, "all turns but the first dropped"},
    };

    ok(refuted(w, &together, false) + refuted(w, &apart, false) == 0,
       "width %u, stride %u: what is written in any order is right", w->width, w->stride);
    ok(refuted(w, &one, true) == 0, "and what one work-item writes alone is known");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const uint32_t n = refuted(w, &wrong[i].how, true);

        ok(n > 0, "%s: %u of %u elements tell", wrong[i].what, n, am_ocl_walk_elements(w));
    }
}

static void check_walks(void)
{
    for (uint32_t width = 1; width <= 16; width *= 4) {
        for (uint32_t stride = 0; stride <= 33; stride += 11) {
            struct am_ocl_walk w = {.width = width, .stride = stride, .group = GROUP, .key = 12345};

            ok(am_ocl_walk_result(&w, 7, 9) == walked(&w, 7, 9),
               "reading by vectors of %u at stride %u", width, stride);
            w.writes = true;
            if (stride != 22)
                check_writes(&w);
        }
    }
}

/* How many of the first 32 work-items want the bank that most of them want. */
static uint32_t conflicts(uint32_t stride, uint32_t turn)
{
    const struct am_ocl_walk w = {.width = 1, .stride = stride, .group = 256};
    uint32_t wanted[BANKS] = {0}, most = 0;

    for (uint32_t lane = 0; lane < BANKS; lane++) {
        const uint32_t bank = am_ocl_walk_place(&w, lane, turn, 3) % BANKS;

        most = ++wanted[bank] > most ? wanted[bank] : most;
    }
    return most;
}

static void check_conflicts(void)
{
    unsigned wrong = 0;

    for (uint32_t stride = 1; stride <= 64; stride++) {
        uint32_t want = stride & -stride; /* the greatest power of two in it */

        want = want > BANKS ? BANKS : want;
        for (uint32_t turn = 0; turn < 100; turn++)
            wrong += conflicts(stride, turn) != want;
    }
    ok(wrong == 0, "strides 1 to 64 collide in 32 banks as they should, in every turn");
}

int main(void)
{
    check_refused();
    check_each();
    check_cover();
    check_formula();
    check_order();
    check_turns();
    check_slots();
    check_small();
    check_largest();
    check_room();
    check_walks();
    check_conflicts();
    return tap_done();
}
