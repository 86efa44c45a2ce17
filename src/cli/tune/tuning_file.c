/* SPDX-License-Identifier: MIT */
/* The tuning file on disk, and its use by whoever plans. */
#include "cli/tune/tuning_file.h"

#include "base/log.h"
#include "base/text.h"
#include "cli/run/datafile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { USES_KEPT = 64, LINE_BYTES = 64 * 1024 };

/* ---- where ---- */

const char *am_tuning_path(const struct am_cli *cli)
{
    return cli->opt->tuning ? cli->opt->tuning
                            : am_datafile_path("ARCHMETER_TUNING", "tuning", cli->arena);
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

enum am_status am_tuning_load(const char *path, bool needed, struct am_arena *arena,
                              struct am_tuning *out, struct am_err *err)
{
    struct am_text text;
    enum am_status s;
    bool there;

    *out = (struct am_tuning){.arena = arena};
    am_text_init(&text, AM_TUNING_BYTES_MAX);
    s = am_datafile_read(path, "tuning file", &there, &text, err);
    if (s == AM_OK && !there && needed)
        s = am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, strerror(ENOENT));
    if (s == AM_OK && there)
        s = am_tuning_parse(out, path, am_text_str(&text), text.len, err);
    am_text_fini(&text);
    return s;
}

/* ---- changing ---- */

static enum am_status write_file(const char *path, struct am_tuning *tuning, struct am_err *err)
{
    struct am_text text;
    enum am_status s;

    am_text_init(&text, AM_TUNING_BYTES_MAX);
    am_tuning_write(tuning, &text);
    s = am_datafile_write(path, &text, tuning->arena, err);
    am_text_fini(&text);
    return s;
}

enum am_status am_tuning_change(const char *path, struct am_arena *arena, am_tuning_change_fn *fn,
                                void *self, struct am_err *err)
{
    struct am_tuning tuning;
    bool changed = false;
    const int lock = am_datafile_lock(path, arena, err);
    enum am_status s;

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
    if (uses->obstacle)
        am_log(
            AM_LOG_INFO,
            "%zu point%s of which the bench chooses what is open: the nearest entry of %s in %s is "
            "for %s",
            uses->open, uses->open == 1 ? "" : "s", uses->bench, path, uses->obstacle);
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
    if (s == AM_OK && uses.n)
        keep_uses(setup, path, &uses, cli->arena);
    if (s == AM_OK)
        tell_uses(&uses, path);
    return s;
}
