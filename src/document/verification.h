/* SPDX-License-Identifier: MIT */
/* What verify says of a results file, and what other documents say of its seals. */
#ifndef AM_DOCUMENT_VERIFICATION_H
#define AM_DOCUMENT_VERIFICATION_H

#include "document/document.h"
#include "store/verify.h"

struct am_document am_document_verification(const struct am_verification *verification);

/* One sentence: whether the file is as it was written. Made in the arena. */
const char *am_seal_sentence(const struct am_seal *seal, struct am_arena *arena);
/* "seal": state, digest, launches. */
void am_data_seal(struct am_data *d, const struct am_seal *seal);

#endif
