/* SPDX-License-Identifier: MIT */
/* Marks in machine code, by their bytes. */
#include "model/block/marks.h"

#include <string.h>

enum { MARK = 8 }; /* bytes of each */

struct marks {
    unsigned char begin[MARK], end[MARK];
};

static const struct marks marks[AM_ARCHS] = {
    /* movl $111 (or 222), %ebx; a nop with two prefixes */
    [AM_ARCH_X86_64] = {{0xbb, 0x6f, 0, 0, 0, 0x64, 0x67, 0x90},
                        {0xbb, 0xde, 0, 0, 0, 0x64, 0x67, 0x90}},
    /* mov x1, #111 (or 222); four bytes */
    [AM_ARCH_AARCH64] = {{0xe1, 0x0d, 0x80, 0xd2, 0xd5, 0x03, 0x20, 0x1f},
                         {0xc1, 0x1b, 0x80, 0xd2, 0xd5, 0x03, 0x20, 0x1f}},
};

/* Where the mark begins, from `from` on; n where it is not. */
static size_t find(const unsigned char *mark, const unsigned char *bytes, size_t n, size_t from)
{
    for (size_t at = from; n >= MARK && at <= n - MARK; at++) {
        if (bytes[at] == mark[0] && memcmp(bytes + at, mark, MARK) == 0)
            return at;
    }
    return n;
}

enum am_marking am_marks_next(enum am_arch arch, const unsigned char *bytes, size_t n, size_t from,
                              struct am_marked *out)
{
    const size_t begin = find(marks[arch].begin, bytes, n, from);
    const size_t end = begin < n ? find(marks[arch].end, bytes, n, begin + MARK) : n;

    if (begin == n)
        return AM_MARKS_NONE;
    *out = (struct am_marked){.first = begin + MARK, .n = end - begin - MARK, .behind = end + MARK};
    return end == n ? AM_MARKS_OPEN : AM_MARKS_FOUND;
}
