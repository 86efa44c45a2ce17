/* SPDX-License-Identifier: MIT */
/* Where something stands in the files of an experiment. */
#ifndef AM_CORE_SPEC_PLACE_H
#define AM_CORE_SPEC_PLACE_H

struct am_spec_place {
    const char *file;
    unsigned line;   /* from 1; 0: nowhere */
    unsigned column; /* from 1; 0: not said */
};

#endif
