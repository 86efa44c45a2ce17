/* SPDX-License-Identifier: MIT */
/* Building, with a ledger of what stands built. */
#include "bench/exec/make.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEDGER_MAX = 1024 * 1024, COMMANDS_MAX = 256, HASH_DIGITS = 16 };

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

static uint64_t hash_command(uint64_t h, const struct am_exec_program *p)
{
    h = hash_words(h, p->argv);
    for (size_t i = 0; i < p->n_env; i++)
        h = hash_words(h, (const char *const[]){p->env[i], NULL});
    return h;
}

static char *read_ledger(int fd, struct am_arena *arena)
{
    char *const text = am_arena_alloc(arena, LEDGER_MAX + 1);
    size_t len = 0;
    ssize_t n = 1;

    while (text && n > 0 && len < LEDGER_MAX) {
        n = pread(fd, text + len, LEDGER_MAX - len, (off_t)len);
        len += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* Whether the folder's last line has this hash. */
static bool stands_built(const char *ledger, const char *hash, const char *folder)
{
    bool same = false;

    while (*ledger) {
        const size_t len = strcspn(ledger, "\n");

        if (len > HASH_DIGITS + 1 && strlen(folder) == len - HASH_DIGITS - 1 &&
            strncmp(ledger + HASH_DIGITS + 1, folder, strlen(folder)) == 0)
            same = strncmp(ledger, hash, HASH_DIGITS) == 0;
        ledger += len + (ledger[len] == '\n');
    }
    return same;
}

static enum am_status run_all(const struct am_exec_program *commands, size_t n, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < n && s == AM_OK; i++) {
        struct am_exec_end end;
        struct am_err why = {0};

        s = am_exec_program_run(&commands[i], &end, &why);
        if (s != AM_OK)
            (void)am_fail(err, s, "building: %s", why.text);
        am_text_fini(&end.output);
    }
    return s;
}

/* A line that cannot be written costs another build. */
static void note_built(int fd, const char *hash, const char *folder)
{
    struct am_text line;

    am_text_init(&line, LEDGER_MAX);
    am_text_addf(&line, "%s %s\n", hash, folder);
    (void)!write(fd, am_text_str(&line), line.len);
    am_text_fini(&line);
}

enum am_status am_exec_make(const struct am_exec_point *point, struct am_arena *arena,
                            struct am_err *err)
{
    struct am_exec_program *const commands = am_arena_array(arena, COMMANDS_MAX, sizeof(*commands));
    const char *const path = getenv(AM_EXEC_LEDGER);
    const int fd = path ? open(path, O_RDWR | O_APPEND | O_CLOEXEC) : -1;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    char hash[HASH_DIGITS + 1];
    const char *ledger = NULL;
    enum am_status s = commands ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory to build with");
    size_t n = 0;

    for (; s == AM_OK && n < COMMANDS_MAX; n++) {
        s = am_exec_build_command(point, n, arena, &commands[n], err);
        if (s == AM_OK)
            h = hash_command(h, &commands[n]);
        else
            break;
    }
    s = s == AM_E_ABSENT ? AM_OK : s;
    (void)am_str_format(hash, sizeof(hash), "%016" PRIx64, h);
    if (s == AM_OK && n && fd >= 0)
        ledger = read_ledger(fd, arena);
    if (s == AM_OK && n && !(ledger && stands_built(ledger, hash, point->of->folder))) {
        s = run_all(commands, n, err);
        if (s == AM_OK && fd >= 0)
            note_built(fd, hash, point->of->folder);
    }
    if (fd >= 0)
        (void)close(fd);
    return s;
}
