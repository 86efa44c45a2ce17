/* SPDX-License-Identifier: MIT */
/* The machine model in words: what was measured of each part beside what the system states, where
 * the two disagree, what could not be concluded, and what follows for programs. */
#ifndef AM_DOCUMENT_MODEL_H
#define AM_DOCUMENT_MODEL_H

#include "document/document.h"
#include "family/family.h"
#include "model/roofline.h"

struct am_known_machines; /* document/known.h */

struct am_model_view {
    const struct am_result_set *set;
    const struct am_facts *facts;
    const struct am_guidelines *guidelines;
    const struct am_roofline *roofline;
    const char *node; /* the machine's name in a merged file; NULL: of a file of its own */
    bool read;        /* from a file of `model -o`: the results behind it are not at hand */
    const struct am_known_machines *known; /* among which it is placed; NULL: none */
};

/* For programs: the machine model as a file has it (doc/guide/machine-file.md), which
 * am_machine_read() reads again; CSV: the facts. */
void am_model_blocks(struct am_body *b, const struct am_model_view *view);
struct am_document am_document_model(const struct am_model_view *view);

void am_data_model(struct am_data *d, const struct am_model_view *view);

/* ---- parts of a page ---- */

/* The tables of cores and memory; `told` (one per fact) is set where a fact is in them. */
void am_model_tables(struct am_body *b, const struct am_facts *facts, bool *told);
void am_model_guidelines(struct am_body *b, const struct am_guidelines *guidelines);

#endif
