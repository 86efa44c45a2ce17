/* SPDX-License-Identifier: MIT */
/* Files among the operands: compiled, published to the worker, kept with the run. */
#include "cli/own/own.h"

#include "base/log.h"
#include "base/text.h"
#include "bench/own/library.h"
#include "cli/own/compile.h"
#include "cli/own/source.h"
#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FOLDERS_MAX = 64 * 1024, TEXT_KEPT_MAX = 256 * 1024, STORY_MAX = 512 };

static const char worker_name[] = "own", all_own[] = "own.*", own_prefix[] = "own.";
/* Of a run: fingerprints of the files in the order named, parted by colons. */
static const char key_digests[] = "own.code", key_base_digests[] = "own.base.code";
static const char key_file[] = "own.1.file";

static const uint64_t takes_files = UINT64_C(1) << AM_CMD_LIST | UINT64_C(1) << AM_CMD_PLAN |
                                    UINT64_C(1) << AM_CMD_RUN | UINT64_C(1) << AM_CMD_TUNE |
                                    UINT64_C(1) << AM_CMD_RESUME;

/* ---- what is stored ---- */

/* A text that every reader of the file accepts. */
static const char *clean_text(const char *text, struct am_arena *arena)
{
    struct am_text out;
    const char *copy;

    if (strlen(text) > TEXT_KEPT_MAX)
        return "(too long to be kept)";
    am_text_init(&out, (size_t)TEXT_KEPT_MAX + 1);
    while (*text) {
        const size_t n = am_utf8_length(text);

        am_text_addn(&out, n ? text : "?", n ? n : 1);
        text += n ? n : 1;
    }
    copy = am_arena_strdup(arena, am_text_str(&out));
    am_text_fini(&out);
    return copy ? copy : "";
}

static void keep(struct am_kvs *kept, struct am_arena *arena, const char *prefix, const char *key,
                 const char *value)
{
    const char *const name = am_arena_printf(arena, "%s.%s", prefix, key);

    if (name && value)
        am_kvs_add(kept, arena, name, clean_text(value, arena));
}

/* ---- compiling ---- */

/* One side: its files, and how they are compiled. */
struct side {
    struct am_strings files;
    struct am_own_tools tools;
    const char *prefix;     /* of the keys */
    struct am_text folders; /* parted by colons */
    struct am_text digests;
};

static enum am_status compile_file(struct side *side, size_t i, struct am_arena *arena,
                                   struct am_kvs *kept, struct am_err *err)
{
    const char *const prefix = am_arena_printf(arena, "%s.%zu", side->prefix, i + 1);
    struct am_own_source source = {0};
    struct am_own_built built;
    enum am_status s = am_own_read(side->files.items[i], arena, &source, err);

    if (s == AM_OK)
        s = am_own_compile(&source, &side->tools, arena, &built, err);
    if (s != AM_OK)
        return s;
    if (!prefix || strchr(built.folder, ':'))
        return am_fail(err, AM_E_USAGE, "%s: a folder for compiled benches has no colon",
                       built.folder);
    am_text_addf(&side->folders, "%s%s", i ? ":" : "", built.folder);
    am_text_addf(&side->digests, "%s%s", i ? ":" : "", built.digest);
    keep(kept, arena, prefix, "file", source.name);
    keep(kept, arena, prefix, "compiler", built.compiler);
    keep(kept, arena, prefix, "commands", built.commands);
    for (size_t k = 0; k < source.n; k++) {
        const char *const key = am_arena_printf(arena, "source %s", source.files[k].path);

        if (key && source.files[k].text)
            keep(kept, arena, prefix, key, source.files[k].text);
    }
    return AM_OK;
}

static enum am_status compile_side(struct side *side, struct am_arena *arena, struct am_kvs *kept,
                                   struct am_err *err)
{
    enum am_status s = AM_OK;

    am_text_init(&side->folders, FOLDERS_MAX);
    am_text_init(&side->digests, FOLDERS_MAX);
    for (size_t i = 0; i < side->files.n && s == AM_OK; i++)
        s = compile_file(side, i, arena, kept, err);
    if (s == AM_OK && (side->folders.overflow || side->digests.overflow))
        s = am_fail(err, AM_E_USAGE, "too many files");
    return s;
}

static void side_fini(struct side *side)
{
    am_text_fini(&side->folders);
    am_text_fini(&side->digests);
}

static enum am_status compile_new(const struct am_options *opt, const struct am_strings *files,
                                  struct am_cli *cli, struct am_err *err)
{
    struct side side = {.files = *files,
                        .tools = {opt->own_cc, opt->own_flags, cli->interrupted},
                        .prefix = worker_name};
    enum am_status s = compile_side(&side, cli->arena, &cli->own, err);

    if (s == AM_OK && setenv(AM_OWN_FOLDERS, am_text_str(&side.folders), 1) != 0)
        s = am_fail(err, AM_E_SYS, "cannot tell the worker of the files");
    if (s == AM_OK)
        am_kvs_add(&cli->own, cli->arena, key_digests, am_text_str(&side.digests));
    side_fini(&side);
    return s;
}

/* ---- the base of a run with two sides ---- */

static bool has_base(const struct am_options *opt)
{
    return opt->against_source || opt->against_flags || opt->against_cc;
}

/* What is not said of the base is as for the new side. */
static enum am_status compile_base(struct am_options *opt, const struct am_strings *files,
                                   struct am_cli *cli, struct am_err *err)
{
    struct am_arena *const arena = cli->arena;
    struct am_kvs *const kept = &cli->own;
    struct am_strings other = {0};
    struct side side = {.files = *files,
                        .tools = {opt->against_cc ? opt->against_cc : opt->own_cc,
                                  opt->against_flags ? opt->against_flags : opt->own_flags,
                                  cli->interrupted},
                        .prefix = "own.base"};
    const char *variable = NULL;
    enum am_status s;

    if (opt->against_source && am_strings_add(&other, arena, opt->against_source))
        side.files = other;
    s = compile_side(&side, arena, kept, err);
    if (s == AM_OK)
        variable = am_arena_printf(arena, AM_OWN_FOLDERS "=%s", am_text_str(&side.folders));
    if (s == AM_OK && (!variable || !am_strings_add(&opt->against_env, arena, variable)))
        s = am_fail(err, AM_E_NOMEM, "no memory for the other side");
    if (s == AM_OK)
        am_kvs_add(kept, arena, key_base_digests, am_text_str(&side.digests));
    if (s == AM_OK && strcmp(am_text_str(&side.digests), am_kvs_get(kept, key_digests)) == 0)
        am_log(AM_LOG_WARN, "both sides came to the same code: only noise can differ");
    side_fini(&side);
    return s;
}

/* ---- operands ---- */

/* Patterns stay; where none of them names benches of the files, all of these are meant. */
static bool part_operands(const struct am_options *opt, struct am_arena *arena,
                          struct am_strings *files, struct am_strings *others)
{
    const size_t first = opt->command == AM_CMD_RESUME ? 1 : 0; /* the results file */
    bool named = opt->command == AM_CMD_RESUME, ok = true;

    for (size_t i = 0; i < opt->operands.n && ok; i++) {
        const char *const word = opt->operands.items[i];
        const bool is_file = i >= first && am_own_is_source(word);

        ok = am_strings_add(is_file ? files : others, arena, word);
        named = named || (!is_file && strncmp(word, own_prefix, strlen(own_prefix)) == 0);
    }
    return ok && (named || files->n == 0 || am_strings_add(others, arena, all_own));
}

static enum am_status check_words(const struct am_options *opt, const struct am_strings *files,
                                  const struct am_strings *others, struct am_err *err)
{
    if (opt->command == AM_CMD_RESUME && others->n > 1)
        return am_fail(err, AM_E_USAGE,
                       "resume takes one results file, and the files of its own benches; \"%s\" is "
                       "neither",
                       others->items[1]);
    if (files->n && opt->machine)
        return am_fail(
            err, AM_E_USAGE,
            "%s: a machine that is only described runs no code: benches of your own need "
            "this one",
            files->items[0]);
    if (files->n)
        return AM_OK;
    if (opt->own_cc || opt->own_flags || has_base(opt))
        return am_fail(err, AM_E_USAGE,
                       "compilers and flags are for benches of your own: name a source file "
                       "(archmeter run ./file.c)");
    return AM_OK;
}

enum am_status am_own_settle(struct am_options *opt, struct am_cli *cli, struct am_err *err)
{
    struct am_strings files = {0}, others = {0};
    enum am_status s;

    (void)unsetenv(AM_OWN_FOLDERS); /* files that nobody named are not measured */
    if (opt->command == AM_CMD_COUNT || !(takes_files >> opt->command & 1) || opt->help)
        return AM_OK;
    if (!part_operands(opt, cli->arena, &files, &others))
        return am_fail(err, AM_E_NOMEM, "no memory for the command line");
    s = check_words(opt, &files, &others, err);
    if (s != AM_OK || files.n == 0)
        return s;
    s = compile_new(opt, &files, cli, err);
    if (s == AM_OK && has_base(opt))
        s = compile_base(opt, &files, cli, err);
    opt->operands = others;
    return s;
}

/* ---- what earlier runs measured ---- */

/* The folders of fingerprints that are parted by colons, parted alike; NULL when one of them is not
 * there, which `missing` names then. */
static const char *find_folders(const char *digests, struct am_arena *arena, const char **missing)
{
    const char *found = NULL;
    struct am_text folders;

    *missing = NULL;
    am_text_init(&folders, FOLDERS_MAX);
    for (const char *rest = digests; *rest && !*missing;) {
        const size_t len = strcspn(rest, ":");
        const char *const digest = am_arena_strndup(arena, rest, len);
        const char *const folder = digest ? am_own_find_built(digest, arena) : NULL;

        if (!folder)
            *missing = digest ? digest : "?";
        am_text_addf(&folders, "%s%s", folders.len ? ":" : "", folder ? folder : "");
        rest += len + (rest[len] == ':');
    }
    if (!*missing)
        found = am_arena_strdup(arena, am_text_str(&folders));
    am_text_fini(&folders);
    return found;
}

static enum am_status tell_worker(const char *folders, struct am_err *err)
{
    return folders && setenv(AM_OWN_FOLDERS, folders, 1) == 0
               ? AM_OK
               : am_fail(err, AM_E_SYS, "cannot tell the worker of the files");
}

/* The base's launches get the folders by their environment, as by --against-source. */
static enum am_status tell_base(struct am_cli *cli, const char *folders, struct am_err *err)
{
    struct am_options *const opt = am_arena_alloc(cli->arena, sizeof(*opt));
    const char *const variable = am_arena_printf(cli->arena, AM_OWN_FOLDERS "=%s", folders);

    if (opt)
        *opt = *cli->opt;
    if (!opt || !variable || !am_strings_add(&opt->against_env, cli->arena, variable))
        return am_fail(err, AM_E_NOMEM, "no memory for the other side");
    cli->opt = opt;
    return AM_OK;
}

/* Of a run of this kind: the code of one side, or why it cannot be had. */
static enum am_status recall_new(const struct am_cli *cli, const struct am_kvs *stored,
                                 struct am_err *err)
{
    const char *const then = am_kvs_get(stored, key_digests);
    const char *const now = am_kvs_get(&cli->own, key_digests);
    const char *const file = am_kvs_get(stored, key_file);
    const char *folders, *missing;

    if (now && strcmp(now, then) == 0)
        return AM_OK;
    if (now)
        return am_fail(err, AM_E_USAGE,
                       "the files are not what the run was begun with: they come to %s, and the "
                       "run measured %s",
                       now, then);
    folders = find_folders(then, cli->arena, &missing);
    if (missing)
        return am_fail(err, AM_E_ABSENT,
                       "what the run measured (%s) is no longer among the compiled benches: name "
                       "the file again, archmeter resume FILE %s",
                       missing, file ? file : "./file.c");
    return tell_worker(folders, err);
}

enum am_status am_own_recall(struct am_cli *cli, const struct am_kvs *stored, struct am_err *err)
{
    const char *const base = am_kvs_get(stored, key_base_digests);
    const char *folders, *missing;
    enum am_status s;

    if (!am_kvs_get(stored, key_digests))
        return AM_OK;
    s = recall_new(cli, stored, err);
    if (s != AM_OK || !base)
        return s;
    folders = find_folders(base, cli->arena, &missing);
    if (missing)
        return am_fail(err, AM_E_ABSENT,
                       "what the run's base measured (%s) is no longer among the compiled benches: "
                       "measure both sides anew",
                       missing);
    return tell_base(cli, folders, err);
}

enum am_status am_own_recall_sides(struct am_cli *cli, const struct am_kvs *a,
                                   const struct am_kvs *b, struct am_err *err)
{
    const char *const code_a = am_kvs_get(a, key_digests), *const code_b =
                                                               am_kvs_get(b, key_digests);
    const char *folders, *missing;
    enum am_status s;

    if (!code_b)
        return AM_OK;
    folders = find_folders(code_b, cli->arena, &missing);
    if (missing)
        return am_fail(err, AM_E_ABSENT,
                       "what B measured (%s of %s) is no longer among the compiled benches",
                       missing, am_kvs_get(b, key_file) ? am_kvs_get(b, key_file) : "a file");
    s = tell_worker(folders, err);
    if (s != AM_OK || !code_a || strcmp(code_a, code_b) == 0)
        return s;
    folders = find_folders(code_a, cli->arena, &missing);
    if (missing)
        return am_fail(err, AM_E_ABSENT,
                       "what A measured (%s of %s) is no longer among the compiled benches",
                       missing, am_kvs_get(a, key_file) ? am_kvs_get(a, key_file) : "a file");
    return tell_base(cli, folders, err);
}

/* ---- the worker ---- */

bool am_own_has(const struct am_kvs *settings)
{
    return am_kvs_get(settings, key_digests) != NULL;
}

bool am_own_measured(const char *worker)
{
    return worker && strcmp(worker, worker_name) == 0;
}

bool am_own_same_worker(const struct am_kvs *build_a, const struct am_kvs *build_b)
{
    static const char key[] = "worker.own";
    const char *const a = am_kvs_get(build_a, key), *const b = am_kvs_get(build_b, key);

    return a && b && strcmp(a, b) == 0;
}

/* What the worker itself said, out of what the catalogue says of its end. */
static void told_by_worker(const char *why, char *buf, size_t cap)
{
    static const char voice[] = "archmeter: ";
    const char *const said = strstr(why, voice);

    (void)am_str_copy(buf, cap, said ? said + strlen(voice) : why);
    buf[strcspn(buf, "\n")] = '\0';
}

enum am_status am_own_check(const struct am_catalogue *catalogue, const struct am_kvs *kept,
                            struct am_err *err)
{
    const char *const first = am_kvs_get(kept, key_file);
    const char *const file = am_kvs_get(kept, "own.2.file") ? "one of the files" : first;
    char story[STORY_MAX];

    if (!first)
        return AM_OK;
    for (size_t i = 0; i < catalogue->n; i++) {
        const struct am_worker *const w = &catalogue->workers[i];

        if (strcmp(w->calls_itself ? w->calls_itself : w->name, worker_name) != 0)
            continue;
        told_by_worker(w->why_not ? w->why_not : "", story, sizeof(story));
        return w->why_not ? am_fail(err, AM_E_USAGE, "%s: %s", file, story) : AM_OK;
    }
    return am_fail(err, AM_E_ABSENT, "the worker program %s is not here: %s cannot be measured",
                   worker_name, file);
}

void am_own_build(const struct am_kvs *kept, struct am_arena *arena, struct am_kvs *build)
{
    const char *const code = am_kvs_get(kept, key_digests);
    const char *const base = am_kvs_get(kept, key_base_digests);

    if (code)
        am_kvs_add(build, arena, "worker.own.code", code);
    if (base)
        am_kvs_add(build, arena, "worker.own@base.code", base);
}
