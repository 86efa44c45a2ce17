/* SPDX-License-Identifier: MIT */
/* The words of outcomes, made from the lists in the header. */
#include "core/bench/outcome.h"

#define WORD(id, word, meaning) [id] = word,
#define MEANING(id, word, meaning) [id] = meaning,

const char *const am_point_states[] = {AM_POINT_STATE_MAP(WORD)};
const char *const am_point_state_meanings[] = {AM_POINT_STATE_MAP(MEANING)};
const char *const am_run_states[] = {AM_RUN_STATE_MAP(WORD)};
const char *const am_run_state_meanings[] = {AM_RUN_STATE_MAP(MEANING)};
const char *const am_stop_reasons[] = {AM_STOP_REASON_MAP(WORD)};
const char *const am_stop_reason_meanings[] = {AM_STOP_REASON_MAP(MEANING)};
const char *const am_failure_kinds[] = {AM_FAILURE_KIND_MAP(WORD)};
const char *const am_failure_kind_meanings[] = {AM_FAILURE_KIND_MAP(MEANING)};

#define LABEL_WORD(id, bit, word, meaning) word,
#define LABEL_MEANING(id, bit, word, meaning) meaning,

const char *const am_label_words[] = {AM_LABEL_MAP(LABEL_WORD)};
const char *const am_label_meanings[] = {AM_LABEL_MAP(LABEL_MEANING)};

const char *am_stop_reason_word(enum am_stop_reason reason)
{
    return *am_stop_reasons[reason] ? am_stop_reasons[reason] : NULL;
}
