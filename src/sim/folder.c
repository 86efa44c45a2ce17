/* SPDX-License-Identifier: MIT */
/* A simulated machine on disk. */
#include "sim/folder.h"

#include "sim/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "archmeter-worker-"
#define SIMULATOR "sim"

enum { REASONS_MAX = 64 * 1024 };

struct maker {
    struct am_arena *arena;
    struct am_sim_folder *out;
    const struct am_sim_machine *machine;
    const char *simulator; /* program */
    struct am_err *err;
};

/* Why no simulated machine plays this worker; NULL: it is played. */
static const char *why_not(const struct am_sim_machine *m, const char *worker)
{
    if (strcmp(worker, "exec") == 0)
        return "programs of experiments are not simulated";
    if (strcmp(worker, "ocl") == 0 && m->n_devices == 0)
        return "the simulated machine has no OpenCL device";
    return NULL;
}

static enum am_status make_folder(struct maker *k, const char *leaf)
{
    const char *const path = am_arena_printf(k->arena, "%s/%s", k->out->path, leaf);

    if (!path)
        return am_fail(k->err, AM_E_NOMEM, "no memory for a machine's folder");
    return mkdir(path, 0755) == 0 ? AM_OK : am_fail(k->err, AM_E_SYS, "folder \"%s\"", path);
}

static enum am_status link_to(struct maker *k, const char *target, const char *folder,
                              const char *worker)
{
    const char *const path =
        am_arena_printf(k->arena, "%s/%s/" PREFIX "%s", k->out->path, folder, worker);

    if (!path)
        return am_fail(k->err, AM_E_NOMEM, "no memory for a machine's folder");
    return symlink(target, path) == 0 ? AM_OK : am_fail(k->err, AM_E_SYS, "link \"%s\"", path);
}

static enum am_status put_file(struct maker *k, const char *leaf, const char *text, size_t len)
{
    const char *const path = am_arena_printf(k->arena, "%s/%s", k->out->path, leaf);
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
    const bool written = fd >= 0 && write(fd, text, len) == (ssize_t)len;

    if (fd >= 0)
        (void)close(fd);
    return written ? AM_OK : am_fail(k->err, AM_E_SYS, "file \"%s\" of a machine", leaf);
}

/* Links for every worker that is played; the others become lines of workers.txt. */
static enum am_status add_workers(struct maker *k, const struct am_sim_program *programs, size_t n)
{
    struct am_text left_out;
    enum am_status s = AM_OK;

    am_text_init(&left_out, REASONS_MAX);
    for (size_t i = 0; i < n && s == AM_OK; i++) {
        const char *const reason = why_not(k->machine, programs[i].name);

        if (!programs[i].program || strcmp(programs[i].name, SIMULATOR) == 0)
            continue;
        if (reason) {
            am_text_addf(&left_out, "%s %s\n", programs[i].name, reason);
            continue;
        }
        s = link_to(k, programs[i].program, "real", programs[i].name);
        if (s == AM_OK)
            s = link_to(k, k->simulator, "workers", programs[i].name);
    }
    if (s == AM_OK && left_out.len)
        s = put_file(k, "workers/workers.txt", am_text_str(&left_out), left_out.len);
    am_text_fini(&left_out);
    return s;
}

static enum am_status copy_description(struct maker *k, const char *from)
{
    char *const text = am_arena_alloc(k->arena, AM_SIM_FILE_MAX);
    const int fd = open(from, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t n = 0;

    while (text && fd >= 0 && len < AM_SIM_FILE_MAX &&
           (n = read(fd, text + len, AM_SIM_FILE_MAX - len)) > 0)
        len += (size_t)n;
    if (fd >= 0)
        (void)close(fd);
    if (!text || fd < 0 || n < 0)
        return am_fail(k->err, AM_E_SYS, "machine description \"%s\"", from);
    return put_file(k, "machine", text, len);
}

static enum am_status fill(struct maker *k, const char *description,
                           const struct am_sim_program *programs, size_t n)
{
    static const char *const folders[] = {"root", "workers", "real", "listing"};
    struct am_sim_layout layout;
    enum am_status s = AM_OK;

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && s == AM_OK; i++)
        s = make_folder(k, folders[i]);
    if (s == AM_OK && !am_sim_layout_make(&layout, k->machine, k->arena))
        s = am_fail(k->err, AM_E_NOMEM, "no memory for the machine's CPUs");
    if (s == AM_OK)
        s = copy_description(k, description);
    if (s == AM_OK)
        s = add_workers(k, programs, n);
    return s == AM_OK ? am_sim_tree_write(&layout, k->out->root, k->err) : s;
}

static const char *find_simulator(const struct am_sim_program *programs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(programs[i].name, SIMULATOR) == 0)
            return programs[i].program;
    }
    return NULL;
}

/* Thousands of small files are quickest in memory. */
static const char *temporary(void)
{
    static const char memory[] = "/dev/shm";
    const char *const asked = getenv("TMPDIR");

    if (asked && *asked)
        return asked;
    return access(memory, W_OK | X_OK) == 0 ? memory : "/tmp";
}

/* The empty folder, with the names of what it will hold. */
static enum am_status open_folder(struct maker *k)
{
    const char *const base = temporary();
    const char *path;

    if (!am_temp_folder_make(base, "machine", k->arena, &k->out->folder))
        return am_fail(k->err, AM_E_SYS, "a folder in \"%s\" for the simulated machine", base);
    path = k->out->folder.path;
    k->out->root = am_arena_printf(k->arena, "%s/root", path);
    k->out->workers = am_arena_printf(k->arena, "%s/workers", path);
    k->out->path = path;
    return k->out->root && k->out->workers
               ? AM_OK
               : am_fail(k->err, AM_E_NOMEM, "no memory for a machine's folder");
}

enum am_status am_sim_folder_make(const char *description, const struct am_sim_program *programs,
                                  size_t n, struct am_arena *arena, struct am_sim_folder *out,
                                  struct am_err *err)
{
    struct am_sim_machine *const m = am_arena_alloc(arena, sizeof(*m));
    struct maker k = {.arena = arena,
                      .out = out,
                      .machine = m,
                      .simulator = find_simulator(programs, n),
                      .err = err};
    enum am_status s;

    *out = (struct am_sim_folder){0};
    if (!m)
        return am_fail(err, AM_E_NOMEM, "no memory for a machine");
    s = am_sim_machine_load(description, arena, m, err);
    if (s == AM_OK && !k.simulator)
        s = am_fail(err, AM_E_ABSENT, "the program " PREFIX SIMULATOR " is not here");
    if (s == AM_OK)
        s = open_folder(&k);
    if (s == AM_OK)
        s = fill(&k, description, programs, n);
    out->name = m->name;
    out->seed = m->seed;
    out->power = m->power;
    if (s != AM_OK)
        am_sim_folder_remove(out);
    return s;
}

void am_sim_folder_remove(struct am_sim_folder *folder)
{
    am_temp_folder_remove(&folder->folder);
    folder->path = NULL;
}
