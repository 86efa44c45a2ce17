/* SPDX-License-Identifier: MIT */
/* Inside the store only: the parts of a merge, checked before they are copied.
 *
 * A part is a run like any other: it is opened and read once as such, so that nothing foreign is
 * attached, no number is copied that readers would refuse, and its seals are compared. That takes
 * about as long as the copying does; threads do it for the parts to come, a few of them ahead of
 * the one that is copied, and so does the thread that copies while it would wait. Each part stays
 * open until it was copied, so that a change of the file between its check and its copy is noticed.
 *
 * One thread uses these functions, and takes the parts in their order. */
#ifndef AM_STORE_PARTS_H
#define AM_STORE_PARTS_H

#include "base/digest.h"
#include "store/merge.h"

/* Tables of which a part may have no row: copying these is then not even begun. */
enum am_part_table {
    AM_PART_FAILURE,
    AM_PART_NOTE,
    AM_PART_CHOSEN,
    AM_PART_PROPOSED,
    AM_PART_ATTACHMENT,
    AM_PART_OFF_CPU,
};
#define AM_PART_HAS(table) (1u << AM_PART_##table)

/* What is known of a part before its rows are copied. */
struct am_checked_part {
    struct am_store *store; /* NULL where it cannot be taken: `failed` tells why */
    struct am_err failed;
    unsigned version;     /* of its schema */
    unsigned has;         /* AM_PART_HAS() of the tables with rows */
    bool synthetic;       /* as its run says */
    bool ended;           /* its run is done */
    bool sealed;          /* every row of it, and the seals hold */
    struct am_err broken; /* why its seals do not hold; no text where they do, or it has none */
    struct am_err remark; /* what its seals do not tell */
    unsigned char plan[AM_DIGEST_BYTES]; /* of its benches, axes and metrics with their ids */
    int64_t state; /* SQLite's number of the file's contents, as this connection sees it */
};

struct am_parts;

enum am_status am_parts_open(const struct am_merge *merge, struct am_parts **parts_p,
                             struct am_err *err);
/* The next part, which has a file; it lives until the one after it is asked for. */
const struct am_checked_part *am_parts_next(struct am_parts *parts);
/* Whether the file is still the one that was checked. */
bool am_checked_part_is_same(const struct am_checked_part *part);
/* Accepts NULL. Waits for the checks under way. */
void am_parts_close(struct am_parts *parts);

#endif
