/* SPDX-License-Identifier: MIT */
/* Messages with a content that can be checked. */
#include "bench/mpi/payload.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 4096, STAMP = AM_PAYLOAD_STAMP };

unsigned char *am_payload_new(size_t bytes)
{
    const size_t room = (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    unsigned char *const data = aligned_alloc(ALIGNMENT, room);

    if (data)
        memset(data, 0, room);
    return data;
}

/* Mixed as splitmix64 does: seeds and senders that differ in their lowest bit have other bytes. */
static unsigned char byte_at(size_t i, uint64_t seed, int sender)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) + seed +
                 ((uint64_t)sender + 1) * UINT64_C(0xd1342543de82ef95);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned char)(x >> 56);
}

void am_payload_fill(unsigned char *data, size_t bytes, uint64_t seed, int sender)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = byte_at(i, seed, sender);
}

enum am_status am_payload_check(const unsigned char *data, size_t from, size_t bytes, uint64_t seed,
                                int sender, struct am_err *err)
{
    for (size_t i = from; i < bytes; i++) {
        if (data[i] != byte_at(i, seed, sender))
            return am_fail(err, AM_E_WRONG, "byte %zu from rank %d is %u, not %u", i, sender,
                           data[i], byte_at(i, seed, sender));
    }
    return AM_OK;
}

void am_payload_stamp(unsigned char *data, size_t bytes, uint64_t number)
{
    memcpy(data, &number, bytes < STAMP ? bytes : STAMP);
}

enum am_status am_payload_check_stamp(const unsigned char *data, size_t bytes, uint64_t number,
                                      struct am_err *err)
{
    uint64_t got = 0, want = 0;

    memcpy(&got, data, bytes < STAMP ? bytes : STAMP);
    memcpy(&want, &number, bytes < STAMP ? bytes : STAMP);
    if (got == want)
        return AM_OK;
    return am_fail(err, AM_E_WRONG, "the message is number %llu, not %llu", (unsigned long long)got,
                   (unsigned long long)want);
}
