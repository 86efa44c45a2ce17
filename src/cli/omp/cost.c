/* SPDX-License-Identifier: MIT */
/* archmeter omp cost: a program's OpenMP directives counted, priced and advised on.
 *
 * The program is executed once with the counting library (bench/omp/count) to learn what it has.
 * What is then measured is one experiment: the program with counting, whose directives are regions
 * like those of `archmeter profile`; the program as it is, and with another wait policy where its
 * threads may fall asleep; and the overheads of what was counted. So launches of all of them take
 * turns, and one file has everything. */
#include "cli/omp/cost.h"

#include "cli/run/datafile.h"
#include "cli/run/experiment.h"
#include "cli/run/profile.h"
#include "cli/run/setup.h"
#include "core/spec/commands.h"
#include "document/commands/omp_cost.h"
#include "family/omp/cost.h"
#include "write/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char preload[] = "LD_PRELOAD";

/* ---- what is measured ---- */

/* "LD_PRELOAD=..." with the counting library before what the user loads. */
static enum am_status find_library(struct am_arena *arena, const char **out, struct am_err *err)
{
    static const char *const places[] = {"src/bench/omp/count", "../libexec/archmeter"};
    const char *const path = am_datafile_beside(places, sizeof(places) / sizeof(*places),
                                                "archmeter-omp-count.so", arena);
    const char *const users = getenv(preload);

    if (!path)
        return am_fail(
            err, AM_E_ABSENT,
            "archmeter-omp-count.so, which counts directives, is not beside the program");
    if (strpbrk(path, " :"))
        return am_fail(err, AM_E_ABSENT,
                       "%s: "
                       "the loader takes no path with a blank or a colon",
                       path);
    *out = am_arena_printf(arena, "%s=%s%s%s", preload, path, users && *users ? ":" : "",
                           users ? users : "");
    return *out ? AM_OK : am_fail(err, AM_E_NOMEM, "no memory for the program's environment");
}

/* `-p runtime=NAME`, and nothing else. */
static enum am_status read_params(const struct am_cli *cli, struct am_omp_cost_wish *out,
                                  struct am_err *err)
{
    static const char runtime[] = "runtime=";

    for (size_t i = 0; i < cli->opt->params.n; i++) {
        const char *const word = cli->opt->params.items[i];

        if (strncmp(word, runtime, sizeof(runtime) - 1) != 0 || strchr(word, ','))
            return am_fail(err, AM_E_USAGE, "-p %s: omp cost takes runtime=NAME alone", word);
        out->runtime = word + sizeof(runtime) - 1;
    }
    out->binds = getenv("OMP_PROC_BIND") != NULL;
    out->waits = getenv(AM_OMP_COST_POLICY) || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME");
    out->priced = cli->opt->on.n > 0;
    return AM_OK;
}

/* The program without counting: as it is and, where that is tried, with threads that stay awake. */
static void add_alone(const struct am_profiled *program, const char *name, bool tries,
                      struct am_text *text)
{
    char alone[AM_SPEC_NAME_MAX];

    (void)am_str_format(alone, sizeof(alone), "%s%s", name, AM_OMP_COST_ALONE);
    am_profile_add_program(program, alone, text);
    am_text_add(text, "run\n");
    if (tries)
        am_text_add(text, "env " AM_OMP_COST_POLICY "=active\nrun\n");
}

static enum am_status write_spec(const struct am_cli *cli, const struct am_profiled *program,
                                 const struct am_omp_cost_wish *wish, const struct am_marks *marks,
                                 struct am_text *text, struct am_err *err)
{
    const char *const name =
        am_profile_test_name(program, sizeof(AM_OMP_COST_ALONE) - 1, cli->arena);

    struct am_strings more = {0};

    if (!name || !am_omp_cost_neighbours(marks, cli->arena, &more))
        return am_fail(err, AM_E_NOMEM, "no memory for the experiment");
    am_profile_add_program(program, name, text);
    am_profile_add_regions(program, marks, &more, text);
    add_alone(program, name, am_omp_cost_tries(marks, wish), text);
    am_omp_cost_plan(marks, wish, text);
    return AM_OK;
}

static enum am_status load(const struct am_cli *cli, const struct am_symbol *symbols,
                           struct am_spec *out, struct am_err *err)
{
    struct am_profiled program = {.words = am_operands_from(cli->opt, 1), .maybe = true};
    struct am_omp_cost_wish wish = {0};
    struct am_marks marks = {0};
    struct am_text text;
    enum am_status s = read_params(cli, &wish, err);

    (void)symbols;
    if (s == AM_OK)
        s = find_library(cli->arena, &program.environment, err);
    if (s == AM_OK)
        s = am_profile_learn(cli, &program, &marks, err);
    if (s == AM_OK && !am_omp_cost_counted(&marks))
        s = am_fail(err, AM_E_ABSENT,
                    "%s used no OpenMP that can be counted: calls to libgomp are seen where it is "
                    "a shared library, other runtimes where they offer OMPT",
                    program.words.items[0]);
    if (s != AM_OK)
        return s;
    am_text_init(&text, AM_SPEC_TEXT_MAX);
    s = write_spec(cli, &program, &wish, &marks, &text, err);
    if (s == AM_OK)
        s = am_profile_parse(cli, &program, &text, out, err);
    am_text_fini(&text);
    return s;
}

static void keep(const struct am_options *opt, struct am_arena *arena, struct am_kvs *settings)
{
    (void)opt;
    am_kvs_add(settings, arena, AM_COMMANDS_KIND, AM_OMP_COST_KIND);
}

enum am_status am_cmd_omp(struct am_cli *cli, struct am_err *err)
{
    static const struct am_experiment_way way = {.load = load, .keep = keep};

    if (strcmp(cli->opt->operands.items[0], "cost") != 0)
        return am_fail(err, AM_E_USAGE, "omp %s: omp cost -- PROGRAM is what there is",
                       cli->opt->operands.items[0]);
    return am_experiment_run(cli, &way, err);
}

/* ---- what is shown ---- */

enum am_status am_omp_cost_show(const struct am_cli *cli, const struct am_result_set *set,
                                const char *path, struct am_err *err)
{
    const struct am_strings none = {0};
    struct am_result_set other = {0};
    struct am_omp_cost cost;
    const struct am_omp_cost_view view = {
        .set = set, .cost = &cost, .path = path, .all = cli->opt->verbose};
    const struct am_document document = am_document_omp_cost(&view);
    enum am_status s = AM_OK;

    if (cli->opt->on.n)
        s = am_load_file(cli, cli->opt->on.items[0], &none, &other, err);
    if (s == AM_OK && !am_omp_cost_of(set, cli->opt->on.n ? &other : set, cli->arena, &cost))
        s = am_fail(err, AM_E_NOMEM, "no memory for the program's directives");
    if (s == AM_OK)
        am_write(&document, &cli->style, cli->arena, stdout);
    return s;
}
