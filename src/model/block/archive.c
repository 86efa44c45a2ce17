/* SPDX-License-Identifier: MIT */
/* Members of static libraries: a magic word, then headers of 60 bytes, each before its member,
 * which fills an even number of bytes. */
#include "model/block/archive.h"

#include "base/text.h"

#include <ar.h>
#include <stdint.h>
#include <string.h>

bool am_archive_is(const void *data, size_t n)
{
    return n >= SARMAG && memcmp(data, ARMAG, SARMAG) == 0;
}

/* The size that a header states, in decimal digits with blanks behind; false: none. */
static bool read_size(const struct ar_hdr *head, uint64_t *size)
{
    size_t digits = 0;

    while (digits < sizeof(head->ar_size) && head->ar_size[digits] != ' ')
        digits++;
    return digits > 0 && am_parse_u64(head->ar_size, digits, size);
}

/* Tables of symbols and of long names are called "/", "//" and "/SYM64/"; members with a long name
 * "/" and a number. */
static bool is_index(const struct ar_hdr *head)
{
    return head->ar_name[0] == '/' && (head->ar_name[1] < '0' || head->ar_name[1] > '9');
}

bool am_archive_next(const void *data, size_t n, struct am_member *member)
{
    const unsigned char *const bytes = data;
    size_t at = member->next ? member->next : SARMAG;

    if (!am_archive_is(data, n)) {
        const bool first = member->next == 0;

        *member = (struct am_member){.data = bytes, .n = n, .next = n + 1};
        return first;
    }
    while (at <= n && n - at >= sizeof(struct ar_hdr)) {
        struct ar_hdr head;
        uint64_t size;

        memcpy(&head, bytes + at, sizeof(head));
        at += sizeof(head);
        if (memcmp(head.ar_fmag, ARFMAG, sizeof(head.ar_fmag)) != 0 || !read_size(&head, &size))
            return false;
        *member =
            (struct am_member){.data = bytes + at, .n = size < n - at ? (size_t)size : n - at};
        member->next = at + member->n + member->n % 2;
        if (!is_index(&head))
            return true;
        at = member->next;
    }
    return false;
}
