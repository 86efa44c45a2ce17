/* SPDX-License-Identifier: MIT */
/* Inside the reader of studies only: lists of the paper's numbers. */
#ifndef AM_CORE_SPEC_STUDY_LISTS_H
#define AM_CORE_SPEC_STUDY_LISTS_H

#include "core/spec/spec_reader.h"

/* A copy without the blanks around it; NULL without memory. */
const char *am_study_trimmed(struct am_spec_reader *r, const char *text, size_t n);

/* "1-17, 20", "B.1-B.13", "I, II": every number, behind those that the list has. */
enum am_status am_study_parse_list(struct am_spec_reader *r, const char *text, size_t n,
                                   struct am_strings *out);

#endif
