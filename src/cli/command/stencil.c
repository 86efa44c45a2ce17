/* SPDX-License-Identifier: MIT */
/* archmeter stencil export FILE: the loops of a described stencil, as source for other programs. */
#include "base/log.h"
#include "cli/cli.h"
#include "cli/own/source.h"
#include "cli/run/output.h"
#include "cli/stencil/emit.h"
#include "cli/stencil/variants.h"
#include "cli/tune/tuning_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* In the order of the option's words. */
enum language { EXPORT_C, EXPORT_OPENCL, EXPORT_BENCH };
static const char rate[] = "updates"; /* the first metric of described stencils */
/* Words of --loop in its order; some are variants. */
static const struct {
    const char *word;
    unsigned loops; /* 0: the best one that is known */
} loops[] = {{"best", 0},
             {"wave", AM_EMIT_WAVE},
             {"tiled", AM_EMIT_TILED},
             {"fold", AM_EMIT_FOLD},
             {"all", AM_EMIT_ALL}};

static const struct am_tuning_pair *pair_in(const struct am_tuning_pair *pairs, size_t n,
                                            const char *axis)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(pairs[i].axis, axis) == 0)
            return &pairs[i];
    }
    return NULL;
}

static const char *value_in(const struct am_tuning_pair *pairs, size_t n, const char *axis)
{
    const struct am_tuning_pair *const pair = pair_in(pairs, n, axis);

    return pair && !pair->classed ? pair->value : "";
}

static const char *key_of(const struct am_tuning_entry *e, const char *axis)
{
    return value_in(e->key, e->n_key, axis);
}

/* The loop that a variant steps by; 0: none that can be exported. */
static unsigned loop_of(const char *variant)
{
    for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
        if (strcmp(loops[i].word, variant) == 0)
            return loops[i].loops;
    }
    return 0;
}

/* What an export is looked for. */
struct wanted {
    const char *bench, *type;
    unsigned loops; /* 0: any */
};

/* Of this stencil and type, by a loop that may be exported. */
static bool suits(const struct am_tuning_entry *e, const struct wanted *w)
{
    const unsigned loop = loop_of(key_of(e, "variant"));

    return strcmp(e->bench, w->bench) == 0 && strcmp(key_of(e, "type"), w->type) == 0 && loop &&
           (!w->loops || w->loops & loop);
}

/* The same grid on the same machine, stepped by as many threads: rates of two loops may be
 * compared. What was tuned for energy is not. */
static bool same_case(const struct am_tuning_entry *a, const struct am_tuning_entry *b)
{
    static const char *const axes[] = {"n", "ny", "nz", "steps", "threads"};

    for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++) {
        const struct am_tuning_pair *const x = pair_in(a->key, a->n_key, axes[i]);
        const struct am_tuning_pair *const y = pair_in(b->key, b->n_key, axes[i]);

        if (!x != !y || (x && (x->classed != y->classed || strcmp(x->value, y->value) != 0)))
            return false;
    }
    return strcmp(a->machine, b->machine) == 0 && strcmp(a->metric, rate) == 0 &&
           strcmp(b->metric, rate) == 0;
}

/* Of the case that was tuned last the fastest loop. */
static const struct am_tuning_entry *find_tuned(const struct am_tuning *tuning,
                                                const struct wanted *w)
{
    const struct am_tuning_entry *last = NULL, *best;

    for (size_t i = 0; i < tuning->n; i++) {
        const struct am_tuning_entry *const e = &tuning->entries[i];

        if (suits(e, w) && (!last || strcmp(e->date, last->date) > 0))
            last = e;
    }
    best = last;
    for (size_t i = 0; i < tuning->n && last; i++) {
        const struct am_tuning_entry *const e = &tuning->entries[i];

        if (suits(e, w) && same_case(e, last) && e->value > best->value)
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

/* What stands beside the output: where loop and shape come from. */
static void tell_choice(const struct am_description *d, const struct wanted *w,
                        const struct am_tuning_entry *tuned)
{
    const char *taken = "tiled";

    if (tuned) {
        am_log(AM_LOG_INFO, "loop and shape: %s, as tuned on %s", key_of(tuned, "variant"),
               tuned->date);
        return;
    }
    for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
        if (loops[i].loops == am_emit_first_loop(d) && !am_variant_lacks(d, loops[i].word))
            taken = loops[i].word;
        if (w->loops && loops[i].loops == w->loops && w->loops != AM_EMIT_ALL) {
            am_log(AM_LOG_INFO,
                   "shape: as on any machine; tune FILE -p variant=%s looks for a better one here",
                   loops[i].word);
            return;
        }
    }
    am_log(AM_LOG_INFO,
           "loop and shape: %s, as on any machine; tune FILE -p variant=%s looks for a better "
           "shape here, list FILE names other variants",
           taken, taken);
}

static enum am_status choose_shape(const struct am_cli *cli, const struct am_description *d,
                                   struct am_emit_shape *out, struct am_err *err)
{
    const char *const path = am_tuning_path(cli);
    const struct wanted w = {.bench = am_arena_printf(cli->arena, "own.%s", d->name),
                             .type = am_emit_types[cli->opt->element_type],
                             .loops = loops[cli->opt->loop].loops};
    const struct am_emit_values *const values = am_emit_values_of(d);
    const struct am_tuning_entry *tuned = NULL;
    struct am_tuning tuning = {0};
    enum am_status s = AM_OK;

    if (path && w.bench)
        s = am_tuning_load(path, false, cli->arena, &tuning, err);
    if (s == AM_OK && w.bench)
        tuned = find_tuned(&tuning, &w);
    if (s == AM_OK)
        tell_choice(d, &w, tuned);
    *out = (struct am_emit_shape){.depth = shape_value(tuned, "depth", values->depths),
                                  .wave = shape_value(tuned, "wave", values->waves),
                                  .strip = shape_value(tuned, "strip", values->strips),
                                  .rows = shape_value(tuned, "rows", values->rows),
                                  .loops = w.loops ? w.loops
                                           : tuned ? loop_of(key_of(tuned, "variant"))
                                                   : am_emit_first_loop(d)};
    return s;
}

/* No other loop is written in place of a named one. */
static enum am_status check_loop(const struct am_cli *cli, const struct am_description *d,
                                 struct am_err *err)
{
    const char *const word = loops[cli->opt->loop].word;
    const char *const why = am_variant_lacks(d, word);

    return why ? am_fail(err, AM_E_USAGE,
                         "--loop %s: \"%s\" has no %ss: %s; --loop tiled writes its tiles", word,
                         d->name, word, why)
               : AM_OK;
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
    s = check_loop(cli, file->stencil, err);
    if (s != AM_OK)
        return s;
    s = choose_shape(cli, file->stencil, &shape, err);
    return s == AM_OK ? am_emit_kernel(file->stencil, type, &shape, out, err) : s;
}

static bool holds(const char *path, const struct am_text *text)
{
    FILE *const file = fopen(path, "re");
    const char *const wanted = am_text_str(text);
    size_t n = 0;
    int c = EOF;

    while (file && n < text->len && (c = getc(file)) == (unsigned char)wanted[n])
        n++;
    if (file && n == text->len)
        c = getc(file);
    if (file)
        (void)fclose(file);
    return file && n == text->len && c == EOF;
}

/* Exported code is there to be changed by hand, and benches of the user's own look like it: what is
 * not what would be written now is replaced by --force only, the description not at all. */
static enum am_status check_output(const struct am_cli *cli, const struct am_text *text,
                                   struct am_err *err)
{
    const char *const path = cli->opt->output;
    struct stat old, description;

    if (!path || strcmp(path, "-") == 0 || stat(path, &old) != 0 || !S_ISREG(old.st_mode))
        return AM_OK;
    if (stat(cli->opt->operands.items[1], &description) == 0 && old.st_ino == description.st_ino &&
        old.st_dev == description.st_dev)
        return am_fail(err, AM_E_USAGE, "%s: is the description itself, and is not replaced", path);
    if (cli->opt->force || holds(path, text))
        return AM_OK;
    return am_fail(err, AM_E_USAGE, "%s: exists, and holds something else; --force replaces it",
                   path);
}

static enum am_status write_out(const struct am_cli *cli, const struct am_text *text,
                                struct am_err *err)
{
    struct am_output output;
    enum am_status s = check_output(cli, text, err), closed;
    bool whole;

    if (s == AM_OK)
        s = am_output_open(&output, cli->opt->output, true, cli->arena, err);
    if (s != AM_OK)
        return s;
    whole = fwrite(am_text_str(text), 1, text->len, output.file) == text->len;
    if (!whole) /* before errno is another one's */
        (void)am_fail(err, AM_E_SYS, "cannot write %s",
                      output.path ? output.path : "to standard output");
    closed = am_output_close(&output, whole, err);
    return whole ? closed : AM_E_SYS;
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
