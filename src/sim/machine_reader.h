/* SPDX-License-Identifier: MIT */
/* What reading lines and reading values of a description share. */
#ifndef AM_SIM_MACHINE_READER_H
#define AM_SIM_MACHINE_READER_H

#include "sim/machine_keys.h"

struct am_sim_reader {
    const char *place;
    unsigned line;
    struct am_arena *arena;
    struct am_sim_machine *out;
    const struct am_sim_section *section; /* at hand; NULL before the first */
    char *base;                           /* of its struct */
    unsigned began;                       /* line of its head */
    uint64_t given;                       /* bit per key of the section at hand */
    uint64_t seen;                        /* bit per section */
    struct am_err *err;
};

/* Tells what is wrong, with the file and the line at hand before it; returns AM_E_USAGE. */
enum am_status am_sim_refuse(struct am_sim_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "; did you mean ...?" in `buf`, or nothing. */
const char *am_sim_hint(const char *word, const char *const *names, size_t n, char *buf,
                        size_t cap);
/* Reads a key's value into its field of the struct at `base`. */
enum am_status am_sim_value_read(struct am_sim_reader *r, const struct am_sim_key *key,
                                 const char *text, void *base);
/* Whether a key may be given more than once. */
bool am_sim_key_repeats(const struct am_sim_key *key);

#endif
