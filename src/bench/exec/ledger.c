/* SPDX-License-Identifier: MIT */
/* The ledger: read as a whole, written line by line. */
#include "bench/exec/ledger.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEDGER_MAX = 1024 * 1024, HASH_DIGITS = 16 };

/* FNV-1a over the words and their ends. */
static uint64_t hash_words(uint64_t h, const char *const *words)
{
    for (; *words; words++) {
        const char *s = *words;

        do {
            h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
        } while (*s++);
    }
    return h;
}

uint64_t am_exec_hash(uint64_t h, const struct am_exec_program *p)
{
    h = hash_words(h, p->argv);
    for (size_t i = 0; i < p->n_env; i++)
        h = hash_words(h, (const char *const[]){p->env[i], NULL});
    return h;
}

static int open_ledger(int flags)
{
    const char *const path = getenv(AM_EXEC_LEDGER);

    return path ? open(path, flags | O_CLOEXEC) : -1;
}

static const char *read_ledger(struct am_arena *arena)
{
    const int fd = open_ledger(O_RDONLY);
    char *const text = fd >= 0 ? am_arena_alloc(arena, LEDGER_MAX + 1) : NULL;
    size_t len = 0;
    ssize_t n = 1;

    while (text && n > 0 && len < LEDGER_MAX) {
        n = pread(fd, text + len, LEDGER_MAX - len, (off_t)len);
        len += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    return text ? text : "";
}

bool am_exec_ledger_has(uint64_t hash, const char *place, struct am_arena *arena)
{
    const char *ledger = read_ledger(arena);
    const size_t wide = strlen(place);
    char digits[HASH_DIGITS + 1];
    bool same = false;

    (void)am_str_format(digits, sizeof(digits), "%016" PRIx64, hash);
    while (*ledger) {
        const size_t len = strcspn(ledger, "\n");

        if (len == HASH_DIGITS + 1 + wide && strncmp(ledger + HASH_DIGITS + 1, place, wide) == 0)
            same = strncmp(ledger, digits, HASH_DIGITS) == 0;
        ledger += len + (ledger[len] == '\n');
    }
    return same;
}

void am_exec_ledger_note(uint64_t hash, const char *place)
{
    const int fd = open_ledger(O_WRONLY | O_APPEND);
    struct am_text line;

    am_text_init(&line, LEDGER_MAX);
    am_text_addf(&line, "%016" PRIx64 " %s\n", hash, place);
    if (fd >= 0) {
        (void)!write(fd, am_text_str(&line), line.len);
        (void)close(fd);
    }
    am_text_fini(&line);
}
