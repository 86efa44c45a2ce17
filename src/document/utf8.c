/* SPDX-License-Identifier: MIT */
/* Which bytes are UTF-8 (RFC 3629). */
#include "document/utf8.h"

size_t am_utf8_length(const char *text)
{
    static const struct {
        unsigned char lead_lo, lead_hi, next_lo, next_hi;
        size_t len;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *const s = (const unsigned char *)text;

    if (s[0] < 0x80)
        return 1;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        if (s[0] < forms[f].lead_lo || s[0] > forms[f].lead_hi)
            continue;
        if (s[1] < forms[f].next_lo || s[1] > forms[f].next_hi)
            return 0;
        for (size_t i = 2; i < forms[f].len; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return 0;
        }
        return forms[f].len;
    }
    return 0;
}
