/* SPDX-License-Identifier: MIT */
/* What messages carry: bytes that the receiver can tell from any other message's. */
#ifndef AM_BENCH_MPI_PAYLOAD_H
#define AM_BENCH_MPI_PAYLOAD_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Page-aligned, every byte written; NULL without memory. Freed with free(). */
unsigned char *am_payload_new(size_t bytes);

/* Bytes that belong to a sender and a seed. */
void am_payload_fill(unsigned char *data, size_t bytes, uint64_t seed, int sender);
/* AM_E_WRONG at the first byte from `from` on that is not the one of am_payload_fill(). */
enum am_status am_payload_check(const unsigned char *data, size_t from, size_t bytes, uint64_t seed,
                                int sender, struct am_err *err);

enum { AM_PAYLOAD_STAMP = sizeof(uint64_t) };

/* Writes the number of a message over its first bytes (as many as fit of a stamp), and compares. */
void am_payload_stamp(unsigned char *data, size_t bytes, uint64_t number);
enum am_status am_payload_check_stamp(const unsigned char *data, size_t bytes, uint64_t number,
                                      struct am_err *err);

#endif
