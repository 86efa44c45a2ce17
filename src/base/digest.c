/* SPDX-License-Identifier: MIT */
/* FNV-1a of 64 bits over bytes. */
#include "base/digest.h"

#include "base/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024 };

static const uint64_t fnv_start = 0xcbf29ce484222325u, fnv_prime = 0x100000001b3u;

static uint64_t add(uint64_t h, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * fnv_prime;
    return h;
}

void am_digest_text(const char *text, char out[AM_DIGEST_TEXT])
{
    const uint64_t h = add(fnv_start, (const unsigned char *)text, strlen(text));

    (void)am_str_format(out, AM_DIGEST_TEXT, "%016" PRIx64, h);
}

bool am_digest_file(const char *path, char out[AM_DIGEST_TEXT])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char block[BLOCK];
    uint64_t h = fnv_start;
    ssize_t n = -1;

    out[0] = '\0';
    while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
        h = add(h, block, (size_t)n);
    if (fd >= 0)
        (void)close(fd);
    return n == 0 && am_str_format(out, AM_DIGEST_TEXT, "%016" PRIx64, h);
}
