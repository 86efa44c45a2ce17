/* SPDX-License-Identifier: MIT */
/* Models by name: the file's first byte tells a model from a run. */
#include "cli/run/machines.h"

#include "base/json_read.h"
#include "cli/run/runs.h"
#include "cli/run/setup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to `cap` bytes of a regular file; -1 when it is none, or cannot be read. */
static ssize_t read_some(const char *path, char *to, size_t cap)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t n = fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ? -1 : 1;
    size_t len = 0;

    while (n > 0 && len < cap) {
        n = read(fd, to + len, cap - len);
        len += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        (void)close(fd);
    return n < 0 ? -1 : (ssize_t)len;
}

bool am_machine_is_file(const char *path)
{
    char begin[64];
    const ssize_t n = read_some(path, begin, sizeof(begin) - 1);
    size_t blanks;

    if (n <= 0)
        return false;
    begin[n] = '\0';
    blanks = strspn(begin, " \t\r\n");
    return begin[blanks] == '{' || begin[blanks] == '[';
}

static enum am_status read_model(const struct am_cli *cli, const char *path,
                                 struct am_machine_models *out, struct am_err *err)
{
    char *const text = am_arena_alloc(cli->arena, (size_t)AM_JSON_BYTES_MAX + 1);
    const ssize_t n = text ? read_some(path, text, (size_t)AM_JSON_BYTES_MAX + 1) : -1;

    out->items = am_arena_alloc(cli->arena, sizeof(*out->items));
    out->n = 1;
    if (!out->items || n < 0)
        return am_fail(err, AM_E_SYS, "%s: cannot be read", path);
    return am_machine_read(path, text, (size_t)n, cli->arena, out->items, err);
}

enum am_status am_load_machines(const struct am_cli *cli, const char *word, const char *node,
                                struct am_machine_models *out, struct am_err *err)
{
    const struct am_strings all = {0};
    struct am_result_set set = {0};
    const char *path;
    enum am_status s = am_runs_resolve(word, cli->arena, &path, err);

    if (s != AM_OK)
        return s;
    if (am_machine_is_file(path)) {
        s = read_model(cli, path, out, err);
    } else {
        s = am_load_file(cli, word, &all, &set, err);
        if (s == AM_OK)
            s = am_machines_make(&set, cli->arena, out, err);
    }
    return s == AM_OK ? am_machines_choose(out, node, err) : s;
}

enum am_status am_load_machine(const struct am_cli *cli, const char *word, const char *node,
                               struct am_machine_model *out, struct am_err *err)
{
    struct am_machine_models models = {0};
    const enum am_status s = am_load_machines(cli, word, node, &models, err);

    if (s != AM_OK)
        return s;
    if (models.n > 1)
        return am_fail(err, AM_E_USAGE,
                       "%s holds %zu machines; choose one by --node, for example --node %s", word,
                       models.n, models.items[0].node);
    *out = models.items[0];
    return AM_OK;
}
