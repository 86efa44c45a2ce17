/* SPDX-License-Identifier: MIT */
/* Machines that are known: their models side by side, in the figures that everybody asks for. */
#ifndef AM_DOCUMENT_KNOWN_H
#define AM_DOCUMENT_KNOWN_H

#include "document/document.h"
#include "model/machine.h"

struct am_known {
    struct am_machine_model model;
    const char *name; /* of its file, without the ending */
    const char *path;
    bool shipped; /* with the program; else it is the user's own */
};

struct am_known_machines {
    struct am_known *items;
    size_t n, cap;
};

/* The machine of this run comes first, marked: where it stands among the others. Nothing without
 * any other machine. */
void am_known_table(struct am_body *b, const struct am_known_machines *known,
                    const struct am_result_set *set, const struct am_facts *facts);

struct am_known_view {
    const struct am_known_machines *known;
    const char *folder; /* where the user's own are looked for; NULL: nowhere */
};
/* The list, with where each comes from. */
struct am_document am_document_known(const struct am_known_view *view);

#endif
