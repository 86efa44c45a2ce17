/* SPDX-License-Identifier: MIT */
/* Runs the compilers, and keeps what they make. */
#include "cli/own/compile.h"

#include "base/child.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/text.h"
#include "bench/own/library.h"
#include "cli/own/keep.h"
#include "cli/own/prune.h"
#include "core/bench/isas.h"
#include "core/spec/spec.h"
#include "kernels/isa_flags.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMANDS_MAX = 256 * 1024, VERSION_MAX = 4096, COMMAND_SHOWN = 400 };

static const double version_limit_s = 20;
static const double compile_limit_s = 900; /* one command; beyond that a compiler hangs */

static const struct {
    const char *variable, *dflt; /* of the compiler */
    const char *flags;           /* variable */
    const char *name;
} languages[AM_LANGUAGES] = {
    [AM_LANGUAGE_C] = {"CC", "cc", "CFLAGS", "C"},
    [AM_LANGUAGE_CXX] = {"CXX", "c++", "CXXFLAGS", "C++"},
    [AM_LANGUAGE_FORTRAN] = {"FC", "gfortran", "FCFLAGS", "Fortran"},
    [AM_LANGUAGE_STENCIL] = {"CC", "cc", "CFLAGS", "C"},
    [AM_LANGUAGE_OBJECT] = {"CC", "cc", "CFLAGS", "C"},
};

/* One compilation of all files. */
struct job {
    const struct am_own_source *source;
    const struct am_own_tools *tools;
    const char *build;       /* where things are made */
    const char *headers;     /* where archmeter/bench.h lies */
    const char *isa;         /* NULL: for no set in particular */
    struct am_text commands; /* run so far */
    struct am_arena *arena;
    struct am_err *err;
};

static enum am_status no_memory(const struct job *j)
{
    return am_fail(j->err, AM_E_NOMEM, "no memory to compile %s", j->source->name);
}

/* ---- commands ---- */

/* Adds words; one that could not be added is found by run(), which wants an end. */
static bool add(const struct job *j, struct am_strings *argv, const char *word)
{
    return word && am_strings_add(argv, j->arena, word);
}

static bool add_all(const struct job *j, struct am_strings *argv, const struct am_strings *words)
{
    for (size_t i = 0; i < words->n; i++) {
        if (!add(j, argv, words->items[i]))
            return false;
    }
    return true;
}

/* The words of a text of the user's: an option, a variable. NULL: none. */
static enum am_status add_text(const struct job *j, struct am_strings *argv, const char *what,
                               const char *text)
{
    struct am_strings words = {0};
    const char *why = NULL;

    if (text && !am_spec_split(text, j->arena, &words, &why))
        return am_fail(j->err, AM_E_USAGE, "%s: \"%s\": %s", what, text, why);
    return add_all(j, argv, &words) ? AM_OK : no_memory(j);
}

static const char *set_or_null(const char *variable)
{
    const char *const value = getenv(variable);

    return value && *value ? value : NULL;
}

static enum am_status add_compiler(const struct job *j, enum am_language language,
                                   struct am_strings *argv)
{
    const char *const given = j->tools->cc, *const variable = languages[language].variable;
    const char *const set = set_or_null(variable);

    if (given)
        return add_text(j, argv, "--cc", given);
    return add_text(j, argv, variable, set ? set : languages[language].dflt);
}

/* Flags in the order in which the later win: environment, file, command line, instruction set. */
static enum am_status add_flags(const struct job *j, enum am_language language,
                                const struct am_strings *own, struct am_strings *argv)
{
    const char *const variable = languages[language].flags, *const set = set_or_null(variable);
    const char *const isa = j->isa ? am_isa_flags(j->isa) : NULL;
    enum am_status s = add_text(j, argv, variable, set ? set : "-O2");

    if (s == AM_OK && own && !add_all(j, argv, own))
        s = no_memory(j);
    if (s == AM_OK)
        s = add_text(j, argv, "--flags", j->tools->flags);
    if (s == AM_OK && isa)
        s = add_text(j, argv, j->isa, isa);
    return s;
}

/* The command as it is stored and shown: $BUILD for the folder, which is gone afterwards. */
static void note_command(struct job *j, const struct am_strings *argv)
{
    const size_t build = strlen(j->build);

    for (size_t i = 0; i < argv->n; i++) {
        const char *const word = argv->items[i];
        const char *const at = strstr(word, j->build);
        const bool plain = !strpbrk(word, " \t\"'\\$&|;<>()*?");

        am_text_add(&j->commands, i ? " " : "");
        am_text_add(&j->commands, plain ? "" : "'");
        if (at)
            am_text_addf(&j->commands, "%.*s$BUILD%s", (int)(at - word), word, at + build);
        else
            am_text_add(&j->commands, word);
        am_text_add(&j->commands, plain ? "" : "'");
    }
    am_text_add(&j->commands, "\n");
}

static enum am_status tell_refused(const struct job *j, const char *what, const char *program,
                                   const struct am_child *child)
{
    const char *const all = am_text_str(&j->commands);
    const size_t end = j->commands.len ? j->commands.len - 1 : 0;
    size_t begin = end;

    while (begin && all[begin - 1] != '\n')
        begin--;
    if (child->signalled && (child->code == SIGINT || child->code == SIGTERM))
        return am_fail(j->err, AM_E_INTERRUPTED, "%s: compiling was interrupted", what);
    if (child->signalled)
        return am_fail(j->err, AM_E_USAGE, "%s: %s was ended by signal %d (%s)", what, program,
                       child->code, strsignal(child->code));
    return am_fail(j->err, AM_E_USAGE, "%s does not compile (code %d of %.*s%s)", what, child->code,
                   (int)(end - begin < COMMAND_SHOWN ? end - begin : COMMAND_SHOWN), all + begin,
                   end - begin < COMMAND_SHOWN ? "" : " ...");
}

/* What it says, it says to the user. */
static enum am_status run(struct job *j, const char *what, enum am_language language,
                          struct am_strings *argv)
{
    static const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                             {STDOUT_FILENO, STDERR_FILENO}};
    const struct am_child_limits limits = {.seconds = compile_limit_s,
                                           .interrupted = j->tools->interrupted};
    struct am_child_plan plan = {.fds = fds, .n_fds = sizeof(fds) / sizeof(*fds), .apart = true};
    struct am_child child = {0};
    struct am_err why = {0};
    struct am_text nothing; /* is captured */
    enum am_status started;

    note_command(j, argv);
    if (!am_array_reserve(j->arena, &argv->items, argv->n, &argv->cap, 1, sizeof(*argv->items)))
        return no_memory(j);
    argv->items[argv->n] = NULL;
    plan.argv = argv->items;
    am_log(AM_LOG_DEBUG, "compiling %s", what);
    am_text_init(&nothing, 1);
    started = am_child_run(&plan, &limits, &nothing, &child, &why);
    am_text_fini(&nothing);
    if (started != AM_OK)
        return am_fail(j->err, AM_E_ABSENT, "%s needs a compiler for %s: %s (--cc or %s names it)",
                       what, languages[language].name, why.text, languages[language].variable);
    if (*j->tools->interrupted)
        return am_fail(j->err, AM_E_INTERRUPTED, "%s: compiling was interrupted", what);
    if (child.signalled && (double)(child.ended_ns - child.started_ns) > compile_limit_s * 1e9)
        return am_fail(j->err, AM_E_USAGE, "%s: %s had not ended after %.0f s", what,
                       argv->items[0], compile_limit_s);
    return am_child_shell_code(&child) ? tell_refused(j, what, argv->items[0], &child) : AM_OK;
}

/* ---- one file ---- */

static const char *object_of(const struct job *j, size_t i)
{
    return j->source->files[i].language == AM_LANGUAGE_OBJECT
               ? j->source->files[i].path
               : am_arena_printf(j->arena, "%s/%zu.o", j->build, i);
}

#define BYTES(isa, bytes) bytes,
static const int vector_bytes[] = {AM_ISAS(BYTES)};
#undef BYTES

/* What the file is told of the set it is compiled for. A compiler left alone would use the vectors
 * that every machine has for `scalar` too. */
static bool add_isa_words(const struct job *j, struct am_strings *argv)
{
    const int rank = am_isa_rank(j->isa);

    return rank >= 0 && add(j, argv, am_arena_printf(j->arena, "-DARCHMETER_ISA=%s", j->isa)) &&
           add(j, argv,
               am_arena_printf(j->arena, "-DARCHMETER_ISA_BYTES=%d", vector_bytes[rank])) &&
           (rank != AM_ISA_RANK_scalar ||
            (add(j, argv, "-fno-tree-vectorize") && add(j, argv, "-fno-tree-slp-vectorize")));
}

/* `of`: the user's file that `path` is, or was made from. */
static enum am_status compile(struct job *j, const char *of, const char *path,
                              enum am_language language, const struct am_strings *own,
                              const char *object)
{
    struct am_strings argv = {0};
    enum am_status s = add_compiler(j, language, &argv);

    if (s == AM_OK)
        s = add_flags(j, language, own, &argv);
    if (s == AM_OK && language == AM_LANGUAGE_FORTRAN &&
        !(add(j, &argv, "-J") && add(j, &argv, j->build)))
        s = no_memory(j);
    if (s == AM_OK && j->isa && !add_isa_words(j, &argv))
        s = no_memory(j);
    if (s == AM_OK && !(add(j, &argv, j->source->program ? "-fPIE" : "-fPIC") &&
                        add(j, &argv, "-I") && add(j, &argv, j->headers) && add(j, &argv, "-c") &&
                        add(j, &argv, path) && add(j, &argv, "-o") && add(j, &argv, object)))
        s = no_memory(j);
    return s == AM_OK ? run(j, of, language, &argv) : s;
}

static bool has_language(const struct am_own_source *source, enum am_language language)
{
    for (size_t i = 0; i < source->n; i++) {
        if (source->files[i].language == language)
            return true;
    }
    return false;
}

/* Its compiler links: a C++ library is needed by C++, the others take what they are given. */
static enum am_language linking_language(const struct am_own_source *source)
{
    static const enum am_language order[] = {AM_LANGUAGE_CXX, AM_LANGUAGE_FORTRAN, AM_LANGUAGE_C};

    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        if (has_language(source, order[i]))
            return order[i];
    }
    return AM_LANGUAGE_OBJECT;
}

static const char *module_object(const struct job *j)
{
    return am_arena_printf(j->arena, "%s/archmeter.o", j->build);
}

static enum am_status link_all(struct job *j, const char *library)
{
    const enum am_language language = linking_language(j->source);
    const bool fortran = has_language(j->source, AM_LANGUAGE_FORTRAN);
    struct am_strings argv = {0};
    enum am_status s = add_compiler(j, language, &argv);

    if (s == AM_OK)
        s = add_flags(j, language, NULL, &argv);
    for (size_t i = 0; i < j->source->n && s == AM_OK; i++) {
        if (!add_all(j, &argv, &j->source->files[i].flags) || !add(j, &argv, object_of(j, i)))
            s = no_memory(j);
    }
    if (s == AM_OK && fortran && !add(j, &argv, module_object(j)))
        s = no_memory(j);
    if (s == AM_OK)
        s = add_text(j, &argv, "LDFLAGS", set_or_null("LDFLAGS"));
    if (s == AM_OK && !add_all(j, &argv, &j->source->libs))
        s = no_memory(j);
    if (s == AM_OK)
        s = add_text(j, &argv, "LDLIBS", set_or_null("LDLIBS"));
    if (s == AM_OK && fortran && language == AM_LANGUAGE_CXX && !add(j, &argv, "-lgfortran"))
        s = no_memory(j);
    if (s == AM_OK && !(add(j, &argv, j->source->program ? "-pie" : "-shared") &&
                        add(j, &argv, "-o") && add(j, &argv, library)))
        s = no_memory(j);
    return s == AM_OK ? run(j, j->source->name, language, &argv) : s;
}

/* What was made of a description lies beside its object. */
static enum am_status write_made(const struct job *j, const char *path, const char *text)
{
    FILE *const file = path ? fopen(path, "we") : NULL;
    bool written;

    if (!file)
        return am_fail(j->err, AM_E_SYS, "cannot write %s", path ? path : j->build);
    written = fputs(text, file) >= 0;
    written = fclose(file) == 0 && written;
    return written ? AM_OK : am_fail(j->err, AM_E_SYS, "cannot write %s", path);
}

static enum am_status compile_text(struct job *j, size_t i)
{
    const struct am_own_file *const f = &j->source->files[i];
    const char *path = f->path;
    enum am_status s = AM_OK;

    if (f->made) {
        path = am_arena_printf(j->arena, "%s/%zu.c", j->build, i);
        s = write_made(j, path, f->made);
    }
    return s == AM_OK ? compile(j, f->path, path, f->language, &f->flags, object_of(j, i)) : s;
}

/* All files for one instruction set, or for none in particular. */
static enum am_status build_variant(struct job *j)
{
    const char *const library = am_arena_printf(j->arena, "%s/" AM_OWN_LIBRARY "%s%s.so", j->build,
                                                j->isa ? "." : "", j->isa ? j->isa : "");
    const char *const module = am_arena_printf(j->arena, "%s/archmeter/archmeter.f90", j->headers);
    enum am_status s = library && module ? AM_OK : no_memory(j);

    if (s == AM_OK && j->source->files[0].language == AM_LANGUAGE_LIBRARY)
        return am_own_copy_file(j->source->files[0].path, library, j->err);
    if (s == AM_OK && has_language(j->source, AM_LANGUAGE_FORTRAN))
        s = compile(j, module, module, AM_LANGUAGE_FORTRAN, NULL, module_object(j));
    for (size_t i = 0; i < j->source->n && s == AM_OK; i++) {
        if (j->source->files[i].text)
            s = compile_text(j, i);
    }
    return s == AM_OK ? link_all(j, library) : s;
}

static enum am_status build_all(struct job *j)
{
    const char *rest = j->source->isas;
    enum am_status s = AM_OK;

    if (!rest)
        return build_variant(j);
    while (*rest && s == AM_OK) {
        const size_t len = strcspn(rest, ",");

        j->isa = am_arena_strndup(j->arena, rest, len);
        s = j->isa ? build_variant(j) : no_memory(j);
        rest += len + (rest[len] == ',');
    }
    return s;
}

/* ---- what it was done with ---- */

/* "gcc (Debian 12.2.0-14) 12.2.0"; a compiler that does not say is called by its name. */
static const char *version_of(struct job *j)
{
    static const struct am_child_fd fds[] = {{STDIN_FILENO, AM_CHILD_NULL},
                                             {STDOUT_FILENO, AM_CHILD_CAPTURED},
                                             {STDERR_FILENO, AM_CHILD_NULL}};
    struct am_child_plan plan = {.fds = fds, .n_fds = sizeof(fds) / sizeof(*fds), .apart = true};
    struct am_strings argv = {0};
    struct am_child child = {0};
    const char *name = NULL;
    struct am_text said;

    if (j->source->files[0].language == AM_LANGUAGE_LIBRARY)
        return "";
    am_text_init(&said, VERSION_MAX);
    if (add_compiler(j, linking_language(j->source), &argv) == AM_OK && argv.n) {
        name = argv.items[0];
        if (add(j, &argv, "--version") && am_strings_add(&argv, j->arena, NULL)) {
            plan.argv = argv.items;
            (void)am_child_run(&plan, &(struct am_child_limits){.seconds = version_limit_s}, &said,
                               &child, NULL);
        }
    }
    if (said.len)
        name = am_arena_strndup(j->arena, am_text_str(&said), strcspn(am_text_str(&said), "\n"));
    am_text_fini(&said);
    return name ? name : "";
}

enum am_status am_own_compile(const struct am_own_source *source, const struct am_own_tools *tools,
                              struct am_arena *arena, struct am_own_built *out, struct am_err *err)
{
    struct job j = {.source = source, .tools = tools, .arena = arena, .err = err};
    struct am_temp_folder build = {0};
    enum am_status s = am_own_headers(arena, &j.headers, err);

    *out = (struct am_own_built){0};
    if (s == AM_OK)
        s = am_own_new_folder(arena, &build, err);
    if (s != AM_OK)
        return s;
    j.build = build.path;
    am_text_init(&j.commands, COMMANDS_MAX);
    s = build_all(&j);
    if (s == AM_OK) {
        out->compiler = version_of(&j);
        out->commands = am_arena_strdup(arena, am_text_str(&j.commands));
        s = am_own_keep(j.build, arena, &out->folder, err);
    }
    if (s == AM_OK) {
        out->digest = strrchr(out->folder, '/') + 1;
        s = out->compiler && out->commands ? AM_OK : no_memory(&j);
    }
    am_temp_folder_remove(&build);
    am_text_fini(&j.commands);
    return s;
}

const char *am_own_find_built(const char *digest, struct am_arena *arena)
{
    const char *const root = am_own_root(arena, NULL);
    const char *const path = root && strlen(digest) == AM_DIGEST_TEXT - 1 &&
                                     strspn(digest, "0123456789abcdef") == AM_DIGEST_TEXT - 1
                                 ? am_arena_printf(arena, "%s/%s", root, digest)
                                 : NULL;

    return path && am_own_hold(path) ? path : NULL;
}
