/* SPDX-License-Identifier: MIT */
/* Texts of what runs beside a program. */
#include "core/spec/beside.h"

#include "base/text.h"

#include <string.h>

enum { PERCENT_MAX = 100, SHARE_MAX = 50 /* equal rights: the scheduler gives no more */ };

#define WORD(id, word, amount) [id] = word,
const char *const am_beside_words[AM_BESIDE_KINDS] = {AM_BESIDE_MAP(WORD)};
#undef WORD

#define AMOUNT(id, word, amount) [id] = amount,
static const bool has_amount[AM_BESIDE_KINDS] = {AM_BESIDE_MAP(AMOUNT)};
#undef AMOUNT

/* A number above zero, with K, M or G behind it. */
static bool parse_amount(const char *text, uint64_t *out)
{
    static const char suffixes[] = "KMG";
    const size_t n = strlen(text);
    const char *const suffix = n ? strchr(suffixes, text[n - 1]) : NULL;
    const unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;

    if (!am_parse_u64(text, n - (suffix != NULL), out) || *out == 0 || *out > UINT64_MAX >> shift)
        return false;
    *out <<= shift;
    return true;
}

bool am_beside_parse(const char *text, struct am_beside *out)
{
    const size_t n = strcspn(text, "-");

    for (unsigned i = 0; i < AM_BESIDE_KINDS; i++) {
        if (strlen(am_beside_words[i]) != n || strncmp(am_beside_words[i], text, n) != 0)
            continue;
        *out = (struct am_beside){.kind = (enum am_beside_kind)i};
        if (!has_amount[i])
            return text[n] == '\0';
        if (text[n] == '\0' || !parse_amount(text + n + 1, &out->amount))
            return false;
        return (i != AM_BESIDE_MEMORY || out->amount <= PERCENT_MAX) &&
               (i != AM_BESIDE_SHARE || out->amount <= SHARE_MAX);
    }
    return false;
}
