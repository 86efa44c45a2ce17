/* SPDX-License-Identifier: MIT */
/* Which bytes are UTF-8 (RFC 3629), and which characters are only characters. */
#include "base/utf8.h"

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

uint32_t am_utf8_code(const char *text, size_t len)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & masks[len];

    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

bool am_char_is_plain(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } steering[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200e, 0x200f},   {0x2028, 0x202e},
        {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof(steering) / sizeof(steering[0]); i++) {
        if (code >= steering[i].first && code <= steering[i].last)
            return false;
    }
    return true;
}

size_t am_utf8_plain(const char *s)
{
    const size_t len = am_utf8_length(s);

    return len && am_char_is_plain(am_utf8_code(s, len)) ? len : 0;
}
