/* SPDX-License-Identifier: MIT */
/* archmeter predict: cycles of a function's loops, by what a run measured of single instructions
 * and their mixes. */
#include "base/array.h"
#include "cli/cli.h"
#include "cli/run/machines.h"
#include "document/machine/block.h"
#include "write/write.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
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
    struct stat st = {0};
    enum am_status s = AM_OK;

    if (fd < 0)
        return am_fail(err, AM_E_USAGE, "%s: cannot be read: %s", path, strerror(errno));
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0) {
        s = am_fail(err, AM_E_USAGE, "%s: %s", path,
                    S_ISREG(st.st_mode)   ? "an empty file"
                    : S_ISDIR(st.st_mode) ? "a directory, not an object file or a program"
                                          : "neither an object file nor a program");
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
    if (machine->facts.core) {
        *core = *machine->facts.core;
        return AM_OK;
    }
    if (am_incore_infer(&machine->set, cli->arena, core, &why_not))
        return AM_OK;
    return am_fail(err, AM_E_USAGE, "%s: %s (archmeter run %s)", machine->name,
                   why_not ? why_not : "it has no mixes of instructions", am_incore_needs);
}

/* What is predicted: the code of a function, or of several marked blocks. */
struct pieces {
    struct am_codes codes;
    struct am_insns *insns; /* of each */
    struct am_loops *loops; /* of each */
    size_t n_loops;
    bool marked;
};

/* Decodes the pieces and finds their loops. */
static enum am_status find_loops(const struct am_cli *cli, struct pieces *p, struct am_err *err)
{
    const char *const file = cli->opt->operands.items[0];

    p->insns = am_arena_array(cli->arena, p->codes.n, sizeof(*p->insns));
    p->loops = am_arena_array(cli->arena, p->codes.n, sizeof(*p->loops));
    if (!p->insns || !p->loops)
        return am_fail(err, AM_E_NOMEM, "no memory for the code of %s", file);
    for (size_t i = 0; i < p->codes.n; i++) {
        const enum am_status s = am_insns_decode(&p->codes.items[i], cli->arena, &p->insns[i], err);

        if (s != AM_OK)
            return s;
        if (!(p->marked ? am_loops_marked(&p->insns[i], cli->arena, &p->loops[i])
                        : am_loops_find(&p->insns[i], cli->arena, &p->loops[i])))
            return am_fail(err, AM_E_NOMEM, "no memory for the loops of %s", file);
        p->n_loops += p->loops[i].n;
    }
    if (p->n_loops == 0)
        return am_fail(err, AM_E_USAGE, "%s: %s has no loop of its own", file,
                       p->codes.items[0].name);
    return AM_OK;
}

static enum am_status find_pieces(const struct am_cli *cli, const struct mapped *mapped,
                                  struct pieces *out, struct am_err *err)
{
    const char *const file = cli->opt->operands.items[0];
    enum am_status s;

    *out = (struct pieces){.marked = cli->opt->marked};
    if (out->marked && cli->opt->function)
        return am_fail(err, AM_E_USAGE, "--marked looks through all of %s: not with --function",
                       file);
    if (out->marked) {
        s = am_elf_marked(file, mapped->data, mapped->n, cli->arena, &out->codes, err);
    } else {
        struct am_code *const code =
            AM_ARRAY_ADD(cli->arena, out->codes.items, out->codes.n, out->codes.cap);

        s = code ? am_elf_function(file, mapped->data, mapped->n, cli->opt->function, cli->arena,
                                   code, err)
                 : am_fail(err, AM_E_NOMEM, "no memory for the code of %s", file);
    }
    return s == AM_OK ? find_loops(cli, out, err) : s;
}

struct predictions {
    struct am_predicted *blocks;
    struct am_streams *streams;
    size_t n, cap, cap_streams;
};

/* Adds the loops of one piece. */
static bool predict_piece(const struct am_cli *cli, const struct pieces *pieces, size_t piece,
                          const struct am_incore *core, struct predictions *out)
{
    const struct am_insns *const insns = &pieces->insns[piece];
    const struct am_loops *const loops = &pieces->loops[piece];
    bool good = true;

    for (size_t i = 0; good && i < loops->n; i++) {
        size_t n_streams = out->n;
        struct am_streams *const streams =
            AM_ARRAY_ADD(cli->arena, out->streams, n_streams, out->cap_streams);
        struct am_predicted *const block = AM_ARRAY_ADD(cli->arena, out->blocks, out->n, out->cap);

        good = streams && block &&
               am_loop_predict(core, insns, &loops->items[i], cli->arena, block) &&
               am_streams_count(insns, &loops->items[i], streams);
    }
    return good;
}

static enum am_status predict_loops(const struct am_cli *cli, const struct pieces *pieces,
                                    struct am_loop_view *view, struct am_err *err)
{
    struct predictions all = {.n = 0};

    for (size_t i = 0; i < pieces->codes.n; i++) {
        if (!predict_piece(cli, pieces, i, view->core, &all))
            return am_fail(err, AM_E_NOMEM, "no memory for the loops of %s", view->function);
    }
    view->blocks = all.blocks;
    view->streams = all.streams;
    view->n = all.n;
    return AM_OK;
}

static void write_view(const struct am_cli *cli, const struct am_machine_model *machine,
                       struct am_loop_view *view)
{
    const struct am_fact *const clock = am_facts_only(&machine->facts, "core.clock", NULL);
    const struct am_document document = am_document_loops(view);

    view->roofline = &machine->roofline;
    view->hz = clock ? clock->value : NAN;
    am_write(&document, &cli->style, cli->arena, stdout);
}

enum am_status am_cmd_predict(struct am_cli *cli, struct am_err *err)
{
    const char *const file = cli->opt->operands.items[0];
    const char *const run = cli->opt->on.n ? cli->opt->on.items[0] : "latest";
    struct mapped mapped = {.data = NULL};
    struct am_machine_model machine;
    struct am_incore core;
    struct pieces pieces;
    struct am_loop_view view = {.file = file, .core = &core};
    enum am_status s;

    if (cli->opt->on.n > 1)
        return am_fail(err, AM_E_USAGE, "--on names one run, not %zu", cli->opt->on.n);
    s = map_file(file, &mapped, err);
    if (s == AM_OK)
        s = find_pieces(cli, &mapped, &pieces, err);
    if (s == AM_OK)
        s = load_core(cli, run, &machine, &core, err);
    if (s == AM_OK && pieces.codes.items[0].arch != am_core_arch(&core))
        s = am_fail(err, AM_E_USAGE, "%s has code of %s, but %s was measured on %s", file,
                    am_arch_names[pieces.codes.items[0].arch], machine.name,
                    am_arch_names[am_core_arch(&core)]);
    if (s == AM_OK) {
        view.function = pieces.marked ? "marked blocks" : pieces.codes.items[0].name;
        view.run = machine.name;
        s = predict_loops(cli, &pieces, &view, err);
    }
    if (s == AM_OK)
        write_view(cli, &machine, &view);
    unmap(&mapped);
    return s;
}
