/* SPDX-License-Identifier: MIT */
/* Folders of compiled benches. */
#include "cli/own/keep.h"

#include "base/digest.h"
#include "base/text.h"
#include "bench/own/library.h"
#include "cli/own/prune.h"
#include "cli/own/texts.h"
#include "cli/run/datafile.h"
#include "kernels/isa.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MAX = 1024 * 1024, BLOCK = 64 * 1024, FILE_MODE = 0755 };

const char *am_own_root(struct am_arena *arena, struct am_err *err)
{
    const char *const root = am_datafile_path("ARCHMETER_OWN_CACHE", "own", arena);

    if (!root)
        (void)am_fail(err, AM_E_ABSENT, "no place for compiled benches: set HOME or XDG_DATA_HOME");
    return root;
}

/* ---- headers ---- */

static enum am_status write_header(const char *path, const char *content, struct am_arena *arena,
                                   struct am_err *err)
{
    struct am_text now, wanted;
    struct am_err ignored = {0};
    bool there = false;
    enum am_status s;

    am_text_init(&now, HEADER_MAX);
    am_text_init(&wanted, HEADER_MAX);
    am_text_add(&wanted, content);
    s = am_datafile_folders(path, arena, err);
    if (s == AM_OK && (am_datafile_read(path, "header", &there, &now, &ignored) != AM_OK ||
                       !there || strcmp(am_text_str(&now), content) != 0))
        s = am_datafile_write(path, &wanted, arena, err);
    am_text_fini(&now);
    am_text_fini(&wanted);
    return s;
}

enum am_status am_own_headers(struct am_arena *arena, const char **folder, struct am_err *err)
{
    const char *const root = am_own_root(arena, err);
    const char *const both = am_arena_printf(arena, "%s%s", am_own_header, am_own_fortran);
    char digest[AM_DIGEST_TEXT];
    const char *header, *module;
    enum am_status s;

    if (!root)
        return AM_E_ABSENT;
    am_digest_string(both ? both : "", digest);
    *folder = am_arena_printf(arena, "%s/include-%s", root, digest);
    header = am_arena_printf(arena, "%s/archmeter/bench.h", *folder);
    module = am_arena_printf(arena, "%s/archmeter/archmeter.f90", *folder);
    if (!both || !*folder || !header || !module)
        return am_fail(err, AM_E_NOMEM, "no memory for the headers");
    (void)am_own_hold(*folder); /* where it is there, nobody takes it away now */
    s = write_header(header, am_own_header, arena, err);
    return s == AM_OK ? write_header(module, am_own_fortran, arena, err) : s;
}

/* ---- folders ---- */

enum am_status am_own_new_folder(struct am_arena *arena, struct am_temp_folder *out,
                                 struct am_err *err)
{
    const char *const root = am_own_root(arena, err);
    const char *const inside = root ? am_arena_printf(arena, "%s/x", root) : NULL;
    enum am_status s = inside ? am_datafile_folders(inside, arena, err) : AM_E_ABSENT;

    if (s == AM_OK && !am_temp_folder_make(root, "compile", arena, out))
        s = am_fail(err, AM_E_SYS, "cannot make a folder in %s", root);
    return s;
}

/* Calls `fn` with the path of each library that the folder has. */
typedef bool library_fn(void *self, const char *path);

static bool each_library(const char *folder, struct am_arena *arena, library_fn *fn, void *self)
{
    const char *path = am_arena_printf(arena, "%s/" AM_OWN_LIBRARY ".so", folder);
    bool ok = path && (access(path, F_OK) != 0 || fn(self, path));

    for (size_t i = 0; ok && am_isa_names[i]; i++) {
        path = am_arena_printf(arena, "%s/" AM_OWN_LIBRARY ".%s.so", folder, am_isa_names[i]);
        ok = path && (access(path, F_OK) != 0 || fn(self, path));
    }
    return ok;
}

/* Name and fingerprint of a library, a line each. */
static bool add_digest(void *self, const char *path)
{
    char digest[AM_DIGEST_TEXT];
    const bool read = am_digest_file(path, digest);

    am_text_addf(self, "%s %s\n", strrchr(path, '/'), digest);
    return read;
}

static bool move_to(void *self, const char *path)
{
    char to[4096];

    return am_str_format(to, sizeof(to), "%s%s", (const char *)self, strrchr(path, '/')) &&
           chmod(path, FILE_MODE) == 0 && rename(path, to) == 0;
}

/* A folder appears with all its libraries, and held: readers never see half of it, and nobody
 * removes it before it is used. */
static bool publish(const char *folder, const char *to, struct am_arena *arena)
{
    char *const done = am_arena_printf(arena, "%s/done", folder);

    if (!done || mkdir(done, FILE_MODE) != 0 || !each_library(folder, arena, move_to, done) ||
        !am_own_hold(done))
        return false;
    /* where another process was first, its folder has the same */
    return rename(done, to) == 0 || am_own_hold(to);
}

enum am_status am_own_keep(const char *folder, struct am_arena *arena, const char **kept,
                           struct am_err *err)
{
    const char *const root = am_own_root(arena, err);
    char digest[AM_DIGEST_TEXT] = "";
    enum am_status s = AM_OK;
    struct am_text names;

    am_text_init(&names, BLOCK);
    if (!root || !each_library(folder, arena, add_digest, &names) || names.overflow)
        s = am_fail(err, AM_E_SYS, "cannot read what was compiled in %s", folder);
    am_digest_string(am_text_str(&names), digest);
    am_text_fini(&names);
    *kept = am_arena_printf(arena, "%s/%s", root ? root : "", digest);
    if (s == AM_OK && !*kept)
        s = am_fail(err, AM_E_NOMEM, "no memory to keep what was compiled");
    if (s == AM_OK && !am_own_hold(*kept) && !publish(folder, *kept, arena))
        s = am_fail(err, AM_E_SYS, "cannot keep what was compiled in %s", *kept);
    if (s == AM_OK)
        am_own_prune(root, arena);
    return s;
}

enum am_status am_own_copy_file(const char *from, const char *to, struct am_err *err)
{
    FILE *const in = fopen(from, "rbe");
    FILE *const out = fopen(to, "wbe");
    char block[BLOCK];
    bool ok = in && out;
    size_t n;

    while (ok && (n = fread(block, 1, sizeof(block), in)) > 0)
        ok = fwrite(block, 1, n, out) == n;
    ok = ok && !ferror(in);
    if (in)
        (void)fclose(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    return ok ? AM_OK : am_fail(err, AM_E_SYS, "cannot copy %s", from);
}
