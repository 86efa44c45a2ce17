/* SPDX-License-Identifier: MIT */
/* Adds, describes and removes OpenMP runtimes. */
#include "cli/own/runtimes.h"

#include "base/child.h"
#include "base/digest.h"
#include "base/text.h"
#include "bench/own/library.h"
#include "cli/own/keep.h"
#include "cli/run/datafile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_BYTES_MAX = 32,
    DESCRIPTION_MAX = 64 * 1024,
    TOLD_MAX = 16 * 1024,
    PROGRAM_MODE = 0755
};

static const double ask_limit_s = 20;

#define PROGRAM_PREFIX "archmeter-worker-omp-"
#define DESCRIPTION_ENDING ".runtime"
#define LINKS_PREFIX "lib-"

/* Names under which programs look for OpenMP libraries. */
static const char *const sonames[] = {"libgomp.so.1", "libomp.so.5", "libomp.so",
                                      "libomp5.so",   "libiomp5.so", "libnvomp.so"};

/* ---- places ---- */

const char *am_runtimes_folder(struct am_arena *arena)
{
    return am_datafile_path("ARCHMETER_RUNTIMES", "runtimes", arena);
}

/* Where the sources lie: beside the program in a build folder, else where it was installed. */
static const char *find_sources(struct am_arena *arena)
{
    static const char *const places[] = {"src/bench/omp/kit", "../libexec/archmeter/runtime"};
    const char *const main =
        am_datafile_beside(places, sizeof(places) / sizeof(*places), "main_omp.c", arena);

    return main ? am_arena_strndup(arena, main, (size_t)(strrchr(main, '/') - main)) : NULL;
}

/* The files of one runtime. */
struct places {
    const char *folder, *program, *description;
    const char *links; /* the folder of names that lead to a given library; NULL: none was given */
};

static enum am_status places_of(const char *name, struct am_arena *arena, struct places *out,
                                struct am_err *err)
{
    out->folder = am_runtimes_folder(arena);
    if (!out->folder)
        return am_fail(err, AM_E_ABSENT, "no place for runtimes: set HOME or XDG_DATA_HOME");
    out->program = am_arena_printf(arena, "%s/" PROGRAM_PREFIX "%s", out->folder, name);
    out->description = am_arena_printf(arena, "%s/%s" DESCRIPTION_ENDING, out->folder, name);
    out->links = NULL;
    return out->program && out->description ? AM_OK
                                            : am_fail(err, AM_E_NOMEM, "no memory for a runtime");
}

/* ---- descriptions ---- */

/* The value of a line "key: value"; "" where there is none. */
static const char *value_of(const char *text, const char *key, struct am_arena *arena)
{
    const size_t len = strlen(key);
    const char *value = NULL;

    for (const char *line = text; *line && !value; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, key, len) == 0 && strncmp(line + len, ": ", 2) == 0)
            value = am_arena_strndup(arena, line + len + 2, strcspn(line + len + 2, "\n"));
        if (!line[strcspn(line, "\n")])
            break;
    }
    return value ? value : "";
}

static void describe(const char *text, struct am_arena *arena, struct am_runtime *out)
{
    out->compiler = value_of(text, "compiler", arena);
    out->flags = value_of(text, "flags", arena);
    out->library = value_of(text, "library", arena);
    out->build_id = value_of(text, "build_id", arena);
    out->kind = value_of(text, "kind", arena);
    out->version = value_of(text, "version", arena);
}

/* Asks a program which library serves it: lines "key: value". */
static enum am_status ask_library(const char *program, struct am_text *told, struct am_err *err)
{
    static const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                             {STDOUT_FILENO, AM_CHILD_CAPTURED},
                                             {STDERR_FILENO, AM_CHILD_CAPTURED}};
    const char *const argv[] = {program, "--library", NULL};
    const struct am_child_plan plan = {
        .argv = argv, .fds = fds, .n_fds = sizeof(fds) / sizeof(*fds), .apart = true};
    struct am_child child = {0};
    const enum am_status s =
        am_child_run(&plan, &(struct am_child_limits){.seconds = ask_limit_s}, told, &child, err);

    if (s == AM_OK && am_child_shell_code(&child) != 0)
        return am_fail(err, AM_E_USAGE, "the compiled program does not run: %.*s",
                       (int)strcspn(am_text_str(told), "\n"), am_text_str(told));
    return s;
}

/* ---- adding ---- */

static enum am_status check_name(const char *name, struct am_err *err)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz";
    static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    /* values of the build's own workers, and names of these */
    static const char *const taken[] = {"libgomp", "libomp", "libomp-gcc",
                                        "gcc",     "clang",  "gcc-libomp"};
    const size_t n = strlen(name);

    if (!n || n > NAME_BYTES_MAX || !strchr(first, *name) || strspn(name, others) != n)
        return am_fail(err, AM_E_USAGE,
                       "\"%s\" is no name for a runtime: a small letter, then small letters, "
                       "digits, - and _, at most %d",
                       name, NAME_BYTES_MAX);
    if (am_name_index(taken, sizeof(taken) / sizeof(*taken), name) >= 0)
        return am_fail(err, AM_E_USAGE, "\"%s\" is a name of this build: choose another", name);
    return AM_OK;
}

/* Whether a file has the text among its bytes; -1 when it cannot be read. */
static int file_has(const char *path, const char *text)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *bytes = MAP_FAILED;
    int found = -1;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
        found = memmem(bytes, (size_t)st.st_size, text, strlen(text)) != NULL;
        (void)munmap(bytes, (size_t)st.st_size);
    }
    if (fd >= 0)
        (void)close(fd);
    return found;
}

static void remove_links(const char *folder)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(sonames) / sizeof(*sonames); i++) {
        if (am_str_format(path, sizeof(path), "%s/%s", folder, sonames[i]))
            (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* Whatever name the program's linker wrote down for the library, here it leads to the given one.
 * The folder is named by the library, so that adding a runtime again changes nothing for the
 * program that is there. */
static enum am_status make_links(struct places *places, const char *library, struct am_arena *arena,
                                 struct am_err *err)
{
    char target[PATH_MAX], path[PATH_MAX], digest[AM_DIGEST_TEXT];
    bool ok = realpath(library, target) != NULL;

    am_digest_string(ok ? target : "", digest);
    places->links = am_arena_printf(arena, "%s/" LINKS_PREFIX "%.16s", places->folder, digest);
    ok = ok && places->links && (mkdir(places->links, PROGRAM_MODE) == 0 || errno == EEXIST);
    for (size_t i = 0; i < sizeof(sonames) / sizeof(*sonames) && ok; i++)
        ok = am_str_format(path, sizeof(path), "%s/%s", places->links, sonames[i]) &&
             (symlink(target, path) == 0 || errno == EEXIST);
    return ok ? AM_OK : am_fail(err, AM_E_SYS, "cannot make links in %s", places->folder);
}

static int is_links(const struct dirent *entry)
{
    return strncmp(entry->d_name, LINKS_PREFIX, strlen(LINKS_PREFIX)) == 0;
}

static int is_description(const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name), ending = strlen(DESCRIPTION_ENDING);

    return n > ending && strcmp(entry->d_name + n - ending, DESCRIPTION_ENDING) == 0;
}

/* Whether a description of the folder names the links. */
static bool is_needed(const char *folder, const char *links)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_description, alphasort);
    bool found = false;

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];

        found = found || (am_str_format(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) &&
                          file_has(path, links) > 0);
        free(entries[i]);
    }
    free((void *)entries);
    return found;
}

/* Removes links that no runtime needs, under the folder's lock: of runtimes that were removed, or
 * could not be added. */
static void sweep_links(const char *folder)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_links, alphasort);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];

        if (!is_needed(folder, entries[i]->d_name) &&
            am_str_format(path, sizeof(path), "%s/%s", folder, entries[i]->d_name))
            remove_links(path);
        free(entries[i]);
    }
    free((void *)entries);
}

static bool add_lib(struct am_own_source *source, struct am_arena *arena, const char *word)
{
    return word && am_strings_add(&source->libs, arena, word);
}

/* The sources as one program, linked with the rest of a worker. */
static enum am_status gather(const char *sources, const char *libraries, struct am_arena *arena,
                             struct am_own_source *out, struct am_err *err)
{
    enum am_status s = am_own_read(sources, arena, out, err);

    if (s != AM_OK)
        return s;
    out->program = true;
    if (!add_lib(out, arena, am_arena_printf(arena, "%s/libarchmeter_omp.a", sources)) ||
        !add_lib(out, arena, "-lm") || !add_lib(out, arena, "-ldl") ||
        !add_lib(out, arena, "-lpthread") ||
        (libraries && !(add_lib(out, arena, "-Wl,--disable-new-dtags") &&
                        add_lib(out, arena, am_arena_printf(arena, "-Wl,-rpath,%s", libraries)))))
        return am_fail(err, AM_E_NOMEM, "no memory to compile a runtime");
    return AM_OK;
}

/* The user's words, an option for OpenMP where they have none, and what the sources are told. */
static const char *flags_of(const char *name, const struct am_own_tools *tools, int kmp,
                            struct am_arena *arena)
{
    static const char *const given[] = {"openmp", "-mp", "-homp"};
    const char *const words = am_arena_printf(arena, "%s %s", tools->cc ? tools->cc : "",
                                              tools->flags ? tools->flags : "");
    bool asked = false;

    for (size_t i = 0; words && i < sizeof(given) / sizeof(*given); i++)
        asked = asked || strstr(words, given[i]);
    return am_arena_printf(arena, "%s%s '-DAM_OMP_NAME=\"%s\"' '-DAM_OMP_LIBRARY=\"added\"'%s",
                           asked ? "" : "-fopenmp ", tools->flags ? tools->flags : "", name,
                           kmp < 0   ? ""
                           : kmp > 0 ? " -DAM_OMP_KMP=1"
                                     : " -DAM_OMP_KMP=0");
}

static enum am_status compile(const char *name, const struct am_own_tools *tools,
                              const char *library, struct places *places, struct am_arena *arena,
                              struct am_own_built *out, struct am_err *err)
{
    const char *const sources = find_sources(arena);
    const int kmp = library ? file_has(library, "__kmpc_fork_call") : -1;
    struct am_own_tools mine = *tools;
    struct am_own_source source = {0};
    enum am_status s;

    if (!sources)
        return am_fail(err, AM_E_ABSENT,
                       "the sources of the OpenMP benches are not beside this program: builds with "
                       "a sanitizer have none");
    if (library && kmp < 0)
        return am_fail(err, AM_E_USAGE, "%s: is no library that can be read", library);
    mine.flags = flags_of(name, tools, kmp, arena);
    s = mine.flags ? am_datafile_folders(places->program, arena, err)
                   : am_fail(err, AM_E_NOMEM, "no memory for the flags");
    if (s == AM_OK && library)
        s = make_links(places, library, arena, err);
    if (s == AM_OK)
        s = gather(sources, places->links, arena, &source, err);
    return s == AM_OK ? am_own_compile(&source, &mine, arena, out, err) : s;
}

/* Writes the description, then lets the program appear. */
static enum am_status publish(const struct places *places, const char *fresh,
                              const struct am_own_tools *tools, const struct am_own_built *built,
                              struct am_text *told, struct am_arena *arena, struct am_err *err)
{
    struct am_text text;
    enum am_status s;

    am_text_init(&text, DESCRIPTION_MAX);
    am_text_addf(&text, "archmeter-runtime 1\n%scompiler: %s\nflags: %s\n", am_text_str(told),
                 built->compiler, tools->flags ? tools->flags : "");
    if (places->links)
        am_text_addf(&text, "links: %s\n", places->links);
    for (const char *line = built->commands; *line; line += strcspn(line, "\n") + 1)
        am_text_addf(&text, "command: %.*s\n", (int)strcspn(line, "\n"), line);
    s = text.overflow ? am_fail(err, AM_E_LIMIT, "the compiler's commands are too long to be kept")
                      : am_datafile_write(places->description, &text, arena, err);
    am_text_fini(&text);
    if (s == AM_OK && rename(fresh, places->program) != 0)
        s = am_fail(err, AM_E_SYS, "cannot keep %s", places->program);
    return s;
}

/* Asks the program that was compiled, and lets it appear. */
static enum am_status keep(const struct places *places, const struct am_own_tools *tools,
                           const struct am_own_built *built, struct am_text *told,
                           struct am_arena *arena, struct am_err *err)
{
    const char *const fresh = am_arena_printf(arena, "%s.new", places->program);
    const char *const made = am_arena_printf(arena, "%s/" AM_OWN_LIBRARY ".so", built->folder);
    enum am_status s = fresh && made ? am_own_copy_file(made, fresh, err)
                                     : am_fail(err, AM_E_NOMEM, "no memory for a runtime");

    if (s == AM_OK && chmod(fresh, PROGRAM_MODE) != 0)
        s = am_fail(err, AM_E_SYS, "cannot keep %s", fresh);
    if (s == AM_OK)
        s = ask_library(fresh, told, err);
    if (s == AM_OK)
        s = publish(places, fresh, tools, built, told, arena, err);
    if (s != AM_OK && fresh)
        (void)unlink(fresh);
    return s;
}

enum am_status am_runtime_add(const char *name, const struct am_own_tools *tools,
                              const char *library, struct am_arena *arena, struct am_runtime *out,
                              struct am_err *err)
{
    struct places places;
    struct am_own_built built = {0};
    struct am_text told;
    enum am_status s = check_name(name, err);
    int lock;

    if (s == AM_OK)
        s = places_of(name, arena, &places, err);
    lock = s == AM_OK ? am_datafile_lock(places.folder, arena, err) : -1;
    if (lock < 0)
        return s == AM_OK ? AM_E_SYS : s;
    am_text_init(&told, TOLD_MAX);
    s = compile(name, tools, library, &places, arena, &built, err);
    if (s == AM_OK)
        s = keep(&places, tools, &built, &told, arena, err);
    sweep_links(places.folder);
    *out = (struct am_runtime){.name = name, .program = places.program, .trouble = ""};
    describe(am_text_str(&told), arena, out);
    out->compiler = built.compiler;
    out->flags = tools->flags ? tools->flags : "";
    am_text_fini(&told);
    (void)close(lock);
    return s;
}

/* ---- what was added ---- */

/* Whether it still runs on the library it was added with. */
static const char *trouble_of(const struct am_runtime *r, struct am_arena *arena)
{
    struct am_err err = {0};
    struct am_text told;
    const char *trouble = "";

    am_text_init(&told, TOLD_MAX);
    if (access(r->program, X_OK) != 0)
        trouble = "its program is gone";
    else if (ask_library(r->program, &told, &err) != AM_OK)
        trouble = am_arena_strdup(arena, err.text);
    else if (strcmp(value_of(am_text_str(&told), "build_id", arena), r->build_id) != 0)
        trouble = am_arena_printf(arena, "its library is another one now: %s",
                                  value_of(am_text_str(&told), "library", arena));
    am_text_fini(&told);
    return trouble ? trouble : "no memory to look at it";
}

static enum am_status load(const char *name, struct am_arena *arena, struct am_runtime *out,
                           struct am_err *err)
{
    struct places places;
    struct am_text text;
    bool there = false;
    enum am_status s = places_of(name, arena, &places, err);

    if (s != AM_OK)
        return s;
    am_text_init(&text, DESCRIPTION_MAX);
    s = am_datafile_read(places.description, "description of a runtime", &there, &text, err);
    if (s == AM_OK) {
        *out = (struct am_runtime){.name = name, .program = places.program};
        describe(am_text_str(&text), arena, out);
        out->trouble = trouble_of(out, arena);
    }
    am_text_fini(&text);
    return s;
}

enum am_status am_runtimes_load(struct am_arena *arena, struct am_runtimes *out, struct am_err *err)
{
    const char *const folder = am_runtimes_folder(arena);
    struct dirent **entries = NULL;
    const int n = folder ? scandir(folder, &entries, is_description, alphasort) : 0;
    enum am_status s = AM_OK;

    *out = (struct am_runtimes){0};
    for (int i = 0; i < n; i++) {
        const char *const name = am_arena_strndup(
            arena, entries[i]->d_name, strlen(entries[i]->d_name) - strlen(DESCRIPTION_ENDING));
        struct am_runtime *const r = AM_ARRAY_ADD(arena, out->items, out->n, out->cap);

        if (s == AM_OK)
            s = name && r ? load(name, arena, r, err)
                          : am_fail(err, AM_E_NOMEM, "no memory for the runtimes");
        free(entries[i]);
    }
    free((void *)entries);
    return s;
}

enum am_status am_runtime_remove(const char *name, struct am_arena *arena, struct am_err *err)
{
    struct places places;
    enum am_status s = check_name(name, err);
    int lock;

    if (s == AM_OK)
        s = places_of(name, arena, &places, err);
    if (s == AM_OK && access(places.description, F_OK) != 0)
        s = am_fail(err, AM_E_USAGE, "no runtime \"%s\" was added", name);
    lock = s == AM_OK ? am_datafile_lock(places.folder, arena, err) : -1;
    if (lock < 0)
        return s == AM_OK ? AM_E_SYS : s;
    (void)unlink(places.program);
    if (unlink(places.description) != 0)
        s = am_fail(err, AM_E_SYS, "cannot remove %s", places.description);
    sweep_links(places.folder);
    (void)close(lock);
    return s;
}
