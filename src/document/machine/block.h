/* SPDX-License-Identifier: MIT */
/* What bounds the loops of a function inside of a core. */
#ifndef AM_DOCUMENT_MACHINE_BLOCK_H
#define AM_DOCUMENT_MACHINE_BLOCK_H

#include "document/document.h"
#include "model/block/bound.h"
#include "model/block/streams.h"

struct am_loop_view {
    const char *file, *function; /* where the code is from */
    const char *run;             /* whose measurements it is held against */
    const struct am_incore *core;
    const struct am_predicted *blocks;
    const struct am_streams *streams; /* of each */
    size_t n;
    const struct am_roofline *roofline;
    double hz; /* of the core's clock; NAN: not known */
};

struct am_document am_document_loops(const struct am_loop_view *view);

#endif
