/* SPDX-License-Identifier: MIT */
/* Finds the OpenMP library among the loaded files, and reads what it says of its version. */
#include "bench/omp/library.h"

#include "base/arena.h"
#include "base/fsroot.h"
#include "base/text.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 128, WORD_MAX = 96, DESCRIPTION_MAX = 64 * 1024 };

/* ---- version ---- */

/* Texts that tell a version, by what stands before them. Of several alike the last in the order of
 * names counts: version nodes of symbols stand in a library one after the other. */
static const struct {
    const char *before; /* looked for; what follows up to a character of `ends` is the version */
    const char *ends;
    const char *label;
    bool digit; /* it begins with a digit */
} marks[] = {
    {"@(#) LLVM OMP version: ", "", "LLVM ", false},
    {"@(#) Intel(R) OMP version: ", "", "Intel ", false},
    {" OMP API version: ", "", "API ", false},
    {" OMP build compiler: ", "", "built by ", false},
    {"_OPENMP = '", "'", "OpenMP ", true},
    {"\0GOMP_", "", "symbols GOMP_", true},
};

static size_t mark_size(const char *before)
{
    return *before ? strlen(before) : 1 + strlen(before + 1);
}

/* The text at `at`, as far as it is printable and does not end. */
static size_t word_at(const char *at, size_t left, const char *ends)
{
    size_t n = 0;

    while (n < left && isprint((unsigned char)at[n]) && !strchr(ends, at[n]))
        n++;
    return n;
}

/* The last text behind a mark, by strverscmp; false when there is none. */
static bool find_last(const char *bytes, size_t n, size_t mark, char out[WORD_MAX])
{
    const size_t size = mark_size(marks[mark].before);
    const char *at = bytes;

    *out = '\0';
    while ((at = memmem(at, n - (size_t)(at - bytes), marks[mark].before, size))) {
        char word[WORD_MAX];

        at += size;
        (void)am_str_format(word, sizeof(word), "%.*s",
                            (int)word_at(at, n - (size_t)(at - bytes), marks[mark].ends), at);
        if (*word && (!marks[mark].digit || isdigit((unsigned char)*word)) &&
            strverscmp(word, out) > 0)
            (void)am_str_copy(out, WORD_MAX, word);
    }
    return *out != '\0';
}

void am_omp_library_version(const char *bytes, size_t n, char out[AM_OMP_VERSION_TEXT])
{
    *out = '\0';
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        const size_t used = strlen(out);
        char word[WORD_MAX];

        if (find_last(bytes, n, i, word))
            (void)am_str_format(out + used, AM_OMP_VERSION_TEXT - used, "%s%s%s", used ? ", " : "",
                                marks[i].label, word);
    }
}

static void read_version(struct am_omp_library *library)
{
    const int fd = open(library->path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *bytes = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
        am_omp_library_version(bytes, (size_t)st.st_size, library->version);
        (void)munmap(bytes, (size_t)st.st_size);
    }
    if (fd >= 0)
        (void)close(fd);
}

/* ---- kind ---- */

const char *am_omp_library_kind(bool kmp, bool gomp, const char *version, const char *path)
{
    char name[AM_LIBRARY_NAME_MAX];

    am_library_name(path, name);
    if (strcmp(name, "libnvomp.so") == 0)
        return "libnvomp";
    if (kmp)
        return strstr(version, "Intel") ? "libiomp5" : "libomp";
    return gomp ? "libgomp" : NULL;
}

/* Where a symbol lies that is looked for from a loaded file on; NULL: nowhere. */
static const void *base_of(void *handle, const char *symbol)
{
    void *const at = dlsym(handle, symbol);
    Dl_info info;

    return at && dladdr(at, &info) ? info.dli_fbase : NULL;
}

/* ---- loaded files ---- */

/* Files are noted first and looked at afterwards: nothing is loaded, not even again, while the
 * loader's list is gone through. */
struct files {
    struct am_arena arena;
    struct am_loaded items[FILES_MAX];
    size_t n;
};

static bool note_file(void *self, const struct am_loaded *loaded)
{
    struct files *const files = self;

    files->items[files->n] = *loaded;
    files->items[files->n].path = am_arena_strdup(&files->arena, loaded->path);
    files->n += files->items[files->n].path != NULL;
    return files->n < FILES_MAX;
}

/* The noted file at which the loader's name for it points; the program, which may be called by any
 * name, where none does. */
static const struct am_loaded *file_of(const struct files *files, const char *name)
{
    char path[PATH_MAX];

    for (size_t i = 1; i < files->n && realpath(name, path); i++) {
        if (strcmp(files->items[i].path, path) == 0)
            return &files->items[i];
    }
    return &files->items[0];
}

/* What the library is that a loaded file gets OpenMP's functions from. */
static void identify(void *handle, const Dl_info *info, const struct am_loaded *file,
                     struct am_omp_library *out)
{
    const bool kmp = base_of(handle, "__kmpc_fork_call") == info->dli_fbase;
    const bool gomp = base_of(handle, "GOMP_parallel") == info->dli_fbase;

    *out = (struct am_omp_library){0};
    (void)am_str_copy(out->path, sizeof(out->path), file->path);
    (void)am_str_copy(out->build_id, sizeof(out->build_id), file->build_id);
    read_version(out);
    out->kind = am_omp_library_kind(kmp, gomp, out->version, out->path);
}

/* Looks from one loaded file on. A library sees its own functions first, so that no library stays
 * unseen when all files were asked. `base`: of the library found before, NULL before the first. */
static enum am_status look_from(const struct files *files, size_t i, const void **base,
                                struct am_omp_library *out, struct am_err *err)
{
    void *const handle = dlopen(i ? files->items[i].path : NULL, RTLD_LAZY | RTLD_NOLOAD);
    void *const symbol = handle ? dlsym(handle, "omp_get_thread_num") : NULL;
    enum am_status s = AM_OK;
    Dl_info info;

    if (symbol && dladdr(symbol, &info) && info.dli_fbase != *base) {
        const struct am_loaded *const file = file_of(files, info.dli_fname);

        if (*base)
            s = am_fail(err, AM_E_WRONG, "two OpenMP libraries are loaded: %s and %s", out->path,
                        file->path);
        else
            identify(handle, &info, file, out);
        *base = info.dli_fbase;
    }
    if (handle)
        (void)dlclose(handle);
    return s;
}

enum am_status am_omp_library_find(struct am_omp_library *out, struct am_err *err)
{
    struct files files = {0};
    const void *base = NULL;
    enum am_status s = AM_OK;

    am_loaded_each(note_file, &files);
    for (size_t i = 0; i < files.n && s == AM_OK; i++)
        s = look_from(&files, i, &base, out, err);
    am_arena_fini(&files.arena);
    if (s == AM_OK && !base)
        s = am_fail(err, AM_E_WRONG, "no OpenMP library is loaded");
    if (s == AM_OK && !out->kind)
        s = am_fail(err, AM_E_WRONG, "%s is an OpenMP library of no kind that is known", out->path);
    return s;
}

/* ---- added runtimes ---- */

/* The line "build_id: ..." of a description. */
static bool find_id(const char *text, char build_id[AM_BUILD_ID_TEXT])
{
    static const char key[] = "\nbuild_id: ";
    const char *const at = strstr(text, key);
    const char *const id = at ? at + strlen(key) : "";

    return am_str_format(build_id, AM_BUILD_ID_TEXT, "%.*s", (int)strcspn(id, "\n"), id) &&
           *build_id;
}

bool am_omp_library_added(const char *name, char build_id[AM_BUILD_ID_TEXT])
{
    char path[PATH_MAX], file[PATH_MAX], text[DESCRIPTION_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
    struct am_fsroot root = {0};
    bool found = false;

    if (n <= 0)
        return false;
    path[n] = '\0';
    *strrchr(path, '/') = '\0';
    if (am_str_format(file, sizeof(file), "%s.runtime", name) &&
        am_fsroot_open(&root, path, NULL) == AM_OK) {
        found = am_fsroot_read(&root, file, text, sizeof(text)) > 0 && find_id(text, build_id);
        am_fsroot_close(&root);
    }
    return found;
}
