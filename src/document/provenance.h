/* SPDX-License-Identifier: MIT */
/* What measured a run: programs, compilers, flags, libraries, drivers, system.
 *
 * All of it stands in the file: the build as the conductor knew it, the circumstances, and what
 * workers noted beside their results. Here it is ordered by what it is said of: archmeter itself,
 * each worker, the system; of a merged file also what nodes have of their own. */
#ifndef AM_DOCUMENT_PROVENANCE_H
#define AM_DOCUMENT_PROVENANCE_H

#include "document/document.h"
#include "store/store.h"

struct am_document am_document_provenance(const struct am_result_set *set);

#endif
