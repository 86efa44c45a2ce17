/* SPDX-License-Identifier: MIT */
/* The tuning file on disk, and its use by whoever plans. */
#include "cli/tune/tuning_file.h"

#include "base/log.h"
#include "base/text.h"
#include "cli/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USES_KEPT = 64, LINE_BYTES = 64 * 1024, FOLDER_MODE = 0777, LOCK_MODE = 0666 };

/* ---- where ---- */

const char *am_tuning_path(const struct am_cli *cli)
{
    const char *const given = getenv("ARCHMETER_TUNING");
    const char *const data = getenv("XDG_DATA_HOME");
    const char *const home = getenv("HOME");

    if (cli->opt->tuning)
        return cli->opt->tuning;
    if (given && *given)
        return given;
    if (data && *data == '/') /* a relative one is to be ignored, says its specification */
        return am_arena_printf(cli->arena, "%s/archmeter/tuning", data);
    return home && *home ? am_arena_printf(cli->arena, "%s/.local/share/archmeter/tuning", home)
                         : NULL;
}

const char *am_tuning_machine(const struct am_setup *setup, struct am_arena *arena)
{
    static const char *const keys[] = {"vendor",  "family",    "model",    "stepping",
                                       "variant", "l1d_bytes", "l2_bytes", "l3_bytes"};
    struct am_kvs facts = {0};
    struct am_text text;
    const char *name, *copy;

    am_machine_describe(setup->topo, &setup->root, arena, &facts);
    am_text_init(&text, AM_TUNING_MACHINE_MAX - 1);
    name = am_kvs_get(&facts, "model_name");
    am_text_add(&text, name ? name : "unknown");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *const value = am_kvs_get(&facts, keys[i]);

        if (value && strcmp(value, "unknown") != 0)
            am_text_addf(&text, " %s=%s", keys[i], value);
    }
    copy = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return copy;
}

/* ---- reading ---- */

static enum am_status read_text(const char *path, int fd, struct am_text *out, struct am_err *err)
{
    char part[16 * 1024];
    struct stat st;
    ssize_t n;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return am_fail(err, AM_E_USAGE, "%s:1: this is no tuning file, but a folder or a device",
                       path);
    while ((n = read(fd, part, sizeof(part))) > 0)
        am_text_addn(out, part, (size_t)n);
    if (n < 0)
        return am_fail(err, AM_E_SYS, "cannot read %s", path);
    if (out->overflow)
        return am_fail(err, AM_E_USAGE, "%s:1: larger than a tuning file may be", path);
    return AM_OK;
}

enum am_status am_tuning_load(const char *path, bool needed, struct am_arena *arena,
                              struct am_tuning *out, struct am_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct am_text text;
    enum am_status s;

    *out = (struct am_tuning){.arena = arena};
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR) && !needed)
        return AM_OK;
    if (fd < 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    am_text_init(&text, AM_TUNING_BYTES_MAX);
    s = read_text(path, fd, &text, err);
    (void)close(fd);
    if (s == AM_OK)
        s = am_tuning_parse(out, path, am_text_str(&text), text.len, err);
    am_text_fini(&text);
    return s;
}

/* ---- changing ---- */

/* Makes the folders above a path, as mkdir -p. */
static enum am_status make_folders(const char *path, struct am_arena *arena, struct am_err *err)
{
    char *const folder = am_arena_strdup(arena, path);

    if (!folder)
        return am_fail(err, AM_E_NOMEM, "no memory for %s", path);
    for (char *slash = strchr(folder, '/'); slash; slash = strchr(slash + 1, '/')) {
        if (slash == folder)
            continue; /* the root is there */
        *slash = '\0';
        if (mkdir(folder, FOLDER_MODE) != 0 && errno != EEXIST)
            return am_fail(err, AM_E_SYS, "cannot make the folder %s", folder);
        *slash = '/';
    }
    return AM_OK;
}

/* The lock lies beside the file, which itself is replaced by every change; it stays there: whoever
 * removed it would part those who wait from those who come. */
static int take_lock(const char *path, struct am_arena *arena, struct am_err *err)
{
    const char *const name = am_arena_printf(arena, "%s.lock", path);
    const int fd = name ? open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, LOCK_MODE) : -1;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fd >= 0 && fcntl(fd, F_OFD_SETLKW, &lock) == 0)
        return fd;
    (void)am_fail(err, AM_E_SYS, "cannot lock %s", path);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static enum am_status write_file(const char *path, struct am_tuning *tuning, struct am_err *err)
{
    struct am_output output;
    struct am_text text;
    enum am_status s, closed;

    am_text_init(&text, AM_TUNING_BYTES_MAX);
    am_tuning_write(tuning, &text);
    s = text.overflow ? am_fail(err, AM_E_LIMIT, "%s would become too large", path)
                      : am_output_open(&output, path, tuning->arena, err);
    if (s == AM_OK) {
        const bool whole = fwrite(am_text_str(&text), 1, text.len, output.file) == text.len;

        closed = am_output_close(&output, true, err);
        s = whole ? closed : am_fail(err, AM_E_SYS, "cannot write %s", path);
    }
    am_text_fini(&text);
    return s;
}

enum am_status am_tuning_change(const char *path, struct am_arena *arena, am_tuning_change_fn *fn,
                                void *self, struct am_err *err)
{
    struct am_tuning tuning;
    bool changed = false;
    enum am_status s = make_folders(path, arena, err);
    const int lock = s == AM_OK ? take_lock(path, arena, err) : -1;

    if (lock < 0)
        return AM_E_SYS;
    s = am_tuning_load(path, false, arena, &tuning, err);
    if (s == AM_OK)
        s = fn(self, &tuning, &changed, err);
    if (s == AM_OK && changed)
        s = write_file(path, &tuning, err);
    (void)close(lock);
    return s;
}

/* ---- use ---- */

static void keep_uses(struct am_setup *setup, const char *path, const struct am_tuning_uses *uses,
                      struct am_arena *arena)
{
    am_kvs_add(&setup->settings, arena, "tuning.file", path);
    for (size_t i = 0; i < uses->n && i < USES_KEPT; i++) {
        const struct am_tuning_use *const use = &uses->items[i];
        const char *const key = am_arena_printf(arena, "tuning.entry.%zu", i + 1);
        struct am_text line;

        am_text_init(&line, LINE_BYTES);
        am_tuning_entry_text(use->entry, &line);
        if (key)
            am_kvs_addf(&setup->settings, arena, key, "%zu point%s, %u power%s of two away: %s",
                        use->points, use->points == 1 ? "" : "s", use->apart,
                        use->apart == 1 ? "" : "s", am_text_str(&line));
        am_text_fini(&line);
    }
    if (uses->n > USES_KEPT)
        am_kvs_addf(&setup->settings, arena, "tuning.entries", "%zu", uses->n);
}

static void tell_uses(const struct am_tuning_uses *uses, const char *path)
{
    size_t points = 0;

    for (size_t i = 0; i < uses->n; i++) {
        struct am_text text;

        am_text_init(&text, LINE_BYTES);
        am_tuning_entry_text(uses->items[i].entry, &text);
        am_log(AM_LOG_DEBUG, "tuned: %s", am_text_str(&text));
        am_text_fini(&text);
        points += uses->items[i].points;
    }
    if (points)
        am_log(AM_LOG_INFO, "%zu point%s with tuned values of %s (--no-tuning leaves them out)",
               points, points == 1 ? "" : "s", path);
}

static bool any_open(const struct am_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        if (am_tuning_is_open(&plan->points[i]))
            return true;
    }
    return false;
}

/* The user's tuning file is not even read when no point of this plan could use it. */
enum am_status am_setup_tuning(const struct am_cli *cli, struct am_setup *setup, struct am_err *err)
{
    const char *const path = am_tuning_path(cli);
    const char *machine;
    struct am_tuning_uses uses;
    struct am_tuning tuning;
    enum am_status s;

    if (cli->opt->no_tuning || !path || (!cli->opt->tuning && !any_open(&setup->plan)))
        return AM_OK;
    s = am_tuning_load(path, cli->opt->tuning != NULL, cli->arena, &tuning, err);
    if (s != AM_OK || tuning.n == 0)
        return s;
    machine = am_tuning_machine(setup, cli->arena);
    if (!machine)
        return am_fail(err, AM_E_NOMEM, "no memory for the tuned plan");
    s = am_tuning_apply(&tuning, machine, &setup->plan, cli->arena, &uses, err);
    if (s == AM_OK && uses.n) {
        keep_uses(setup, path, &uses, cli->arena);
        tell_uses(&uses, path);
    }
    return s;
}
