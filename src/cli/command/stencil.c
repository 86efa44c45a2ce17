/* SPDX-License-Identifier: MIT */
/* archmeter stencil export FILE: the loops of a described stencil, as source for other programs. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/own/source.h"
#include "cli/run/output.h"
#include "cli/stencil/emit.h"
#include "cli/tune/tuning_file.h"

#include <stdlib.h>
#include <string.h>

/* In the order of the option's words. */
enum language { EXPORT_C, EXPORT_OPENCL, EXPORT_BENCH };

static const char *value_in(const struct am_tuning_pair *pairs, size_t n, const char *axis)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(pairs[i].axis, axis) == 0 && !pairs[i].classed)
            return pairs[i].value;
    }
    return "";
}

/* The latest entry of this stencil and type that was found for passes of several steps. */
static const struct am_tuning_entry *find_tuned(const struct am_tuning *tuning, const char *bench,
                                                const char *type)
{
    const struct am_tuning_entry *best = NULL;

    for (size_t i = 0; i < tuning->n; i++) {
        const struct am_tuning_entry *const e = &tuning->entries[i];

        if (strcmp(e->bench, bench) == 0 && strcmp(value_in(e->key, e->n_key, "type"), type) == 0 &&
            strcmp(value_in(e->key, e->n_key, "variant"), "tiled") == 0 &&
            (!best || strcmp(e->date, best->date) > 0))
            best = e;
    }
    return best;
}

/* The tuned value of an axis, the one that it was tuned beside, or the first that a tuner would
 * try.
 */
static long shape_value(const struct am_tuning_entry *tuned, const char *axis, const char *tried)
{
    const char *const texts[] = {tuned ? value_in(tuned->use, tuned->n_use, axis) : "",
                                 tuned ? value_in(tuned->key, tuned->n_key, axis) : ""};
    uint64_t value = 0;

    for (size_t i = 0; i < 2; i++) {
        if (am_parse_u64(texts[i], strlen(texts[i]), &value) && value > 0)
            return (long)value;
    }
    (void)am_parse_u64(tried, strcspn(tried, ","), &value);
    return (long)value;
}

static enum am_status choose_shape(const struct am_cli *cli, const struct am_description *d,
                                   struct am_emit_shape *out, struct am_err *err)
{
    const char *const path = am_tuning_path(cli);
    const char *const bench = am_arena_printf(cli->arena, "own.%s", d->name);
    const struct am_emit_values *const values = am_emit_values_of(d->dimensions);
    const struct am_tuning_entry *tuned = NULL;
    struct am_tuning tuning = {0};
    enum am_status s = AM_OK;

    if (path && bench)
        s = am_tuning_load(path, false, cli->arena, &tuning, err);
    if (s == AM_OK && bench)
        tuned = find_tuned(&tuning, bench, am_emit_types[cli->opt->element_type]);
    if (tuned)
        am_log(AM_LOG_INFO, "shape: as tuned on %s", tuned->date);
    else if (s == AM_OK)
        am_log(AM_LOG_INFO, "shape: not tuned; tune FILE -p variant=tiled finds the best one here");
    *out = (struct am_emit_shape){.depth = shape_value(tuned, "depth", values->depths),
                                  .wave = shape_value(tuned, "wave", values->waves),
                                  .strip = shape_value(tuned, "strip", values->strips),
                                  .rows = shape_value(tuned, "rows", values->rows)};
    return s;
}

static enum am_status emit(const struct am_cli *cli, const struct am_own_file *file,
                           struct am_text *out, struct am_err *err)
{
    const enum am_emit_type type = (enum am_emit_type)cli->opt->element_type;
    struct am_emit_shape shape;
    enum am_status s;

    if (cli->opt->language == EXPORT_BENCH) {
        am_text_add(out, file->made);
        return AM_OK;
    }
    if (cli->opt->language == EXPORT_OPENCL)
        return am_emit_opencl(file->stencil, type, out, err);
    s = choose_shape(cli, file->stencil, &shape, err);
    return s == AM_OK ? am_emit_kernel(file->stencil, type, &shape, out, err) : s;
}

static enum am_status write_out(const struct am_cli *cli, const struct am_text *text,
                                struct am_err *err)
{
    struct am_output output;
    enum am_status s = am_output_open(&output, cli->opt->output, cli->opt->force, cli->arena, err),
                   closed;
    bool whole;

    if (s != AM_OK)
        return s;
    whole = fwrite(am_text_str(text), 1, text->len, output.file) == text->len;
    closed = am_output_close(&output, whole, err);
    return whole ? closed : am_fail(err, AM_E_SYS, "cannot write the code");
}

enum am_status am_cmd_stencil(struct am_cli *cli, struct am_err *err)
{
    const char *const verb = cli->opt->operands.items[0], *const path = cli->opt->operands.items[1];
    struct am_own_file file;
    struct am_text text;
    enum am_status s;

    if (strcmp(verb, "export") != 0)
        return am_fail(err, AM_E_USAGE, "\"%s\" cannot be done; did you mean \"export\"?", verb);
    s = am_own_read_stencil(path, cli->arena, &file, err);
    am_text_init(&text, AM_EMIT_MAX);
    if (s == AM_OK)
        s = emit(cli, &file, &text, err);
    if (s == AM_OK)
        s = write_out(cli, &text, err);
    am_text_fini(&text);
    return s;
}
