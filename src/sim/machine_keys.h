/* SPDX-License-Identifier: MIT */
/* The table of a description's sections and keys. */
#ifndef AM_SIM_MACHINE_KEYS_H
#define AM_SIM_MACHINE_KEYS_H

#include "sim/machine.h"

enum am_sim_value {
    AM_SIM_TEXT,   /* the rest of the line; const char * */
    AM_SIM_COUNT,  /* uint64_t between least and most */
    AM_SIM_BYTES,  /* the same with K, M, G, T as powers of 1024 */
    AM_SIM_NUMBER, /* double between least and most */
    AM_SIM_WORD,   /* one of choices; its index as uint64_t */
    AM_SIM_FLAG,   /* yes or no */
    AM_SIM_SHARE,  /* cores of an instance: core, package or a count */
    AM_SIM_ISA,    /* a row of the kind's ISAs */
    AM_SIM_INSTR,  /* a row of the machine's instructions */
};

struct am_sim_key {
    const char *name; /* NULL ends a table */
    enum am_sim_value value;
    size_t offset; /* in the section's struct */
    double least, most;
    const char *dflt; /* as written in a file; NULL: must be given; "": may be left out */
    const char *const *choices;
    const char *help;
};

struct am_sim_section {
    const char *name;
    bool named; /* "[cache L2]": repeatable, the name is its struct's first member */
    size_t offset, count_offset;   /* in struct am_sim_machine; count: of named ones */
    size_t size, most;             /* of a struct; how many there may be */
    const struct am_sim_key *keys; /* ended by a NULL name */
    const char *help;
};

extern const struct am_sim_section am_sim_sections[];
extern const size_t am_sim_section_count;

#endif
