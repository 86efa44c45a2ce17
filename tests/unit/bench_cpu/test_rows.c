/* SPDX-License-Identifier: MIT */
/* Rows of instructions alone, without benches: what runs under qemu as well. */
#include "kernels/mix/row.h"
#include "tap.h"

#include <stdlib.h>

static void check_between(struct am_row_area *area)
{
    size_t wrong = 0, loops = 0;

    for (int filler = 0; filler < AM_ROW_FILLERS; filler++) {
        for (size_t count = 0; count <= 600; count += 150, loops++) {
            struct am_mix_room room = {.base = NULL};
            struct am_err err = {0};
            am_row_fn *fn;

            am_row_start(area);
            if (am_row_between(&room, (enum am_row_filler)filler, count, &fn, &err) != AM_OK) {
                /* not every machine has them */
                wrong += filler != AM_ROW_mask && filler != AM_ROW_waiting_operand;
                continue;
            }
            fn(area, 5);
            wrong += !am_row_is_right(area, 5) || am_row_is_right(area, 4);
            am_mix_room_close(&room);
        }
    }
    ok(wrong == 0, "%zu loops of two chains end where five passes end", loops);
}

#if defined(__aarch64__)
enum { ZERO_BYTES = 4 };
#else
enum { ZERO_BYTES = 3 };
#endif

/* Cores keep equal neighbours in one place: zeros go to registers in turn. Fillers begin where the
 * code of a row without any differs. */
static void check_turns(void)
{
    enum { COUNT = 8 };
    struct am_mix_room none = {.base = NULL}, room = {.base = NULL};
    struct am_err err = {0};
    size_t same = 0, at = 0;
    am_row_fn *fn;

    ok(am_row_between(&none, AM_ROW_zero, 0, &fn, &err) == AM_OK &&
           am_row_between(&room, AM_ROW_zero, COUNT, &fn, &err) == AM_OK,
       "rows of zeros are made");
    while (none.base[at] == room.base[at])
        at++;
    for (size_t i = 0; i + 1 < COUNT; i++, at += ZERO_BYTES)
        same += memcmp(&room.base[at], &room.base[at + ZERO_BYTES], ZERO_BYTES) == 0;
    ok(same == 0, "no two neighbours write the same register");
    am_mix_room_close(&none);
    am_mix_room_close(&room);
}

/* The bytes of a filler that loads, and whether it does so to a vector register. */
#if defined(__aarch64__)
static size_t load_bytes(const unsigned char *code, bool *vector)
{
    *vector = code[3] & 0x04;
    return 4;
}
#else
static size_t load_bytes(const unsigned char *code, bool *vector)
{
    *vector = code[0] == 0x66;
    return *vector ? 5 : 4;
}
#endif

/* A queue of loads may be longer than there are registers of one kind: of eight in a row five go to
 * vectors, and three to general registers. */
static void check_loads(void)
{
    enum { COUNT = 8, VECTORS = 5 };
    struct am_mix_room none = {.base = NULL}, room = {.base = NULL};
    struct am_err err = {0};
    size_t vectors = 0, at = 0;
    am_row_fn *fn;

    ok(am_row_between(&none, AM_ROW_load, 0, &fn, &err) == AM_OK &&
           am_row_between(&room, AM_ROW_load, COUNT, &fn, &err) == AM_OK,
       "rows of loads are made");
    while (none.base[at] == room.base[at])
        at++;
    for (size_t i = 0; i < COUNT; i++) {
        bool vector;

        at += load_bytes(&room.base[at], &vector);
        vectors += vector;
    }
    ok(vectors == VECTORS, "%zu of %d loads go to vectors", vectors, COUNT);
    am_mix_room_close(&none);
    am_mix_room_close(&room);
}

/* Longer than a branch on a register reaches on some architectures. */
static void check_plain(struct am_row_area *area)
{
    struct am_mix_room room = {.base = NULL};
    struct am_err err = {0};
    am_row_fn *fn;

    am_row_start(area);
    ok(am_row_plain(&room, AM_ROW_BYTES_MAX, AM_ROW_WIDE_BYTES, &fn, &err) == AM_OK,
       "the longest row is made");
    fn(area, 3);
    ok(am_row_is_right(area, 0) && area->passed == 5, "runs and leaves the chains alone");
    am_mix_room_close(&room);
}

/* Every jump is taken: the row ends, and nothing between them runs. */
static void check_jumps(struct am_row_area *area)
{
    static const size_t rows[][2] = {{1, 8}, {7, 16}, {4096, 64}, {65536, 64}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct am_mix_room room = {.base = NULL};
        struct am_err err = {0};
        am_row_fn *fn;
        bool right;

        am_row_start(area);
        right = am_row_jumps(&room, rows[i][0], rows[i][1], &fn, &err) == AM_OK;
        if (right)
            fn(area, 3);
        ok(right && area->passed == 5 && am_row_is_right(area, 0), "%zu jumps %zu bytes apart",
           rows[i][0], rows[i][1]);
        am_mix_room_close(&room);
    }
}

/* What a load of `load` bytes takes at `offset` of a store of `store` bytes, over memory of zeros.
 */
static uint64_t passed_on(uint64_t value, const struct am_row_pair *pair, unsigned char *memory)
{
    uint64_t out = 0;

    memcpy(memory, &value, pair->store);
    memcpy(&out, memory + pair->offset, pair->load);
    return out;
}

static void check_pairs(struct am_row_area *area)
{
    size_t wrong = 0, kinds = 0;

    for (size_t store = 1; store <= 8; store *= 2) {
        for (size_t load = 1; load <= 8; load *= 2) {
            for (size_t offset = 0; offset < store; offset++, kinds++) {
                const struct am_row_pair pair = {store, load, offset};
                unsigned char memory[64] = {0};
                struct am_mix_room room = {.base = NULL};
                struct am_err err = {0};
                uint64_t expected = 5;
                am_row_fn *fn;

                am_row_start(area);
                memset(area->pair, 0x5a, sizeof(area->pair));
                memset(memory, 0x5a, sizeof(memory));
                wrong += am_row_pairs(&room, &pair, &fn, &err) != AM_OK;
                fn(area, 2);
                for (int i = 0; i < 2 * AM_ROW_PAIRS; i++)
                    expected = passed_on(expected, &pair, memory);
                wrong += area->passed != expected;
                am_mix_room_close(&room);
            }
        }
    }
    ok(wrong == 0, "%zu kinds of pairs pass on what memory would", kinds);
}

int main(void)
{
    struct am_row_area *const area = aligned_alloc(4096, 4096);

    if (!area)
        return 1;
    check_between(area);
    check_turns();
    check_loads();
    check_plain(area);
    check_jumps(area);
    check_pairs(area);
    free(area);
    return tap_done();
}
