/* SPDX-License-Identifier: MIT */
/* archmeter predict: cycles of a function's loops, by what a run measured of single instructions
 * and their mixes. */
#include "cli/cli.h"
#include "cli/run/machines.h"
#include "document/machine/block.h"
#include "write/write.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file's bytes, mapped. Zero-initialise. */
struct mapped {
    void *data;
    size_t n;
};

static enum am_status map_file(const char *path, struct mapped *out, struct am_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    enum am_status s = AM_OK;

    if (fd < 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be opened", path);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0) {
        s = am_fail(err, AM_E_USAGE, "%s: not a file with anything in it", path);
    } else {
        void *const data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (data == MAP_FAILED)
            s = am_fail(err, AM_E_SYS, "%s", path);
        else
            *out = (struct mapped){data, (size_t)st.st_size};
    }
    (void)close(fd);
    return s;
}

static void unmap(struct mapped *m)
{
    if (m->data)
        (void)munmap(m->data, m->n);
}

/* What the run knows of the inside of a core. */
static enum am_status load_core(const struct am_cli *cli, const char *word,
                                struct am_machine_model *machine, struct am_incore *core,
                                struct am_err *err)
{
    const char *why_not;
    const enum am_status s = am_load_machine(cli, word, NULL, machine, err);

    if (s != AM_OK)
        return s;
    if (machine->read)
        return am_fail(err, AM_E_USAGE,
                       "%s is a machine model, which has no mixes of instructions: name a run",
                       word);
    if (am_incore_infer(&machine->set, cli->arena, core, &why_not))
        return AM_OK;
    return am_fail(err, AM_E_USAGE, "%s: %s (archmeter run %s)", machine->name,
                   why_not ? why_not : "it has no mixes of instructions", am_incore_needs);
}

static enum am_status predict_loops(const struct am_cli *cli, const struct am_insns *insns,
                                    struct am_loop_view *view, struct am_err *err)
{
    struct am_loops loops;
    struct am_predicted *blocks;

    if (!am_loops_find(insns, cli->arena, &loops))
        return am_fail(err, AM_E_NOMEM, "no memory for the loops of %s", view->function);
    if (loops.n == 0)
        return am_fail(err, AM_E_USAGE, "%s: %s has no loop", view->file, view->function);
    blocks = am_arena_array(cli->arena, loops.n, sizeof(*blocks));
    for (size_t i = 0; blocks && i < loops.n; i++) {
        if (!am_loop_predict(view->core, insns, &loops.items[i], cli->arena, &blocks[i]))
            blocks = NULL;
    }
    if (!blocks)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu loops", loops.n);
    view->blocks = blocks;
    view->n = loops.n;
    return AM_OK;
}

enum am_status am_cmd_predict(struct am_cli *cli, struct am_err *err)
{
    const char *const file = cli->opt->operands.items[0];
    const char *const run = cli->opt->on.n ? cli->opt->on.items[0] : "latest";
    struct mapped mapped = {.data = NULL};
    struct am_machine_model machine;
    struct am_incore core;
    struct am_code code = {.name = NULL};
    struct am_insns insns = {.n = 0};
    struct am_loop_view view = {.file = file, .core = &core};
    enum am_status s;

    if (cli->opt->on.n > 1)
        return am_fail(err, AM_E_USAGE, "--on names one run, not %zu", cli->opt->on.n);
    s = map_file(file, &mapped, err);
    if (s == AM_OK)
        s = am_elf_function(file, mapped.data, mapped.n, cli->opt->function, cli->arena, &code,
                            err);
    if (s == AM_OK)
        s = am_insns_decode(&code, cli->arena, &insns, err);
    if (s == AM_OK)
        s = load_core(cli, run, &machine, &core, err);
    if (s == AM_OK && code.arch != am_core_arch(&core))
        s = am_fail(err, AM_E_USAGE, "%s has code of %s, but %s was measured on %s", file,
                    am_arch_names[code.arch], machine.name, am_arch_names[am_core_arch(&core)]);
    if (s == AM_OK) {
        view.function = code.name;
        view.run = machine.name;
        s = predict_loops(cli, &insns, &view, err);
    }
    if (s == AM_OK) {
        const struct am_document document = am_document_loops(&view);

        am_write(&document, &cli->style, cli->arena, stdout);
    }
    unmap(&mapped);
    return s;
}
