/* SPDX-License-Identifier: MIT */
/* Inside the reader of studies only: the keys of its blocks, and what lines of all kinds share. */
#ifndef AM_CORE_SPEC_STUDY_BLOCKS_H
#define AM_CORE_SPEC_STUDY_BLOCKS_H

#include "core/spec/spec_reader.h"
#include "core/spec/study.h"

struct am_study_key {
    const char *name; /* NULL ends a table */
    am_spec_key_fn *set;
};

/* Of the table or figure r->item, and of the claim r->claim; each adds its line to the flat form.
 */
extern const struct am_study_key am_study_item_keys[], am_study_claim_keys[];
/* A field of the figure r->item. */
enum am_status am_study_set_field(struct am_spec_reader *r, enum am_study_field field,
                                  const char *value);

/* The text with one blank where it has several, as lines that go on do; NULL without memory. */
const char *am_study_sentence(struct am_spec_reader *r, const char *text);
/* Only one line of its kind may be there. */
enum am_status am_study_set_once(struct am_spec_reader *r, const char *key, const char *value,
                                 const char **field);
enum am_status am_study_add_line(struct am_spec_reader *r, const char *value,
                                 struct am_strings *list);
/* What the flat form needs of a line that holds no numbers of this machine. */
void am_study_flatten(struct am_spec_reader *r, const char *key, const char *value);

#endif
