/* SPDX-License-Identifier: MIT */
/* Puts generated and constant text together. */
#include "cli/stencil/emit.h"

#include "cli/stencil/emit_advice.h"
#include "cli/stencil/emit_device.h"
#include "cli/stencil/emit_fold.h"
#include "cli/stencil/emit_formula.h"
#include "cli/stencil/emit_wave.h"
#include "cli/stencil/texts.h"
#include "cli/stencil/variants.h"

#include <stdarg.h>
#include <string.h>

enum { NAME_BYTES = 64, THREADS_MAX = 256, NUMBER_BYTES = 40 };

const char *const am_emit_types[] = {[AM_EMIT_F32] = "f32", [AM_EMIT_F64] = "f64", NULL};
static const char *const reals[] = {[AM_EMIT_F32] = "float", [AM_EMIT_F64] = "double"};
/* As wide: lanes of masks. */
static const char *const integers[] = {[AM_EMIT_F32] = "int", [AM_EMIT_F64] = "long"};

/* ---- words that stand for others ---- */

struct word {
    const char *from, *to;
};

/* The text with every word replaced that stands for another; replacements are not looked at again.
 */
static void substitute(const char *text, const struct word *words, size_t n, struct am_text *out)
{
    while (*text) {
        size_t i = 0;

        while (i < n && strncmp(text, words[i].from, strlen(words[i].from)) != 0)
            i++;
        if (i < n) {
            am_text_add(out, words[i].to);
            text += strlen(words[i].from);
        } else {
            am_text_addn(out, text, 1);
            text++;
        }
    }
}

/* One description in one type. */
struct emitter {
    const struct am_description *d;
    enum am_emit_type type;
    char name[NAME_BYTES]; /* heat2d_f64 */
    struct am_text *out;
};

static struct emitter begin(const struct am_description *d, enum am_emit_type type,
                            struct am_text *out)
{
    struct emitter e = {.d = d, .type = type, .out = out};

    (void)am_str_format(e.name, sizeof(e.name), "%s_%s", d->name, am_emit_types[type]);
    return e;
}

/* Text in which `mark` stands for a generated piece. */
static void add_text(const struct emitter *e, const char *text, const char *mark,
                     void (*piece)(const struct am_description *d, struct am_text *out))
{
    const struct word words[] = {
        {"NAME", e->name}, {"REAL", reals[e->type]}, {"INTEGER", integers[e->type]}};
    const char *const at = mark ? strstr(text, mark) : NULL;
    struct am_text whole;

    am_text_init(&whole, AM_EMIT_MAX);
    am_text_addn(&whole, text, at ? (size_t)(at - text) : strlen(text));
    if (at) {
        piece(e->d, &whole);
        am_text_add(&whole, at + strlen(mark));
    }
    substitute(am_text_str(&whole), words, sizeof(words) / sizeof(*words), e->out);
    e->out->overflow = e->out->overflow || whole.overflow;
    am_text_fini(&whole);
}

/* Formatted text, in which NAME, REAL and INTEGER stand for what they stand for. */
static void addf(const struct emitter *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void addf(const struct emitter *e, const char *fmt, ...)
{
    struct am_text text;
    va_list ap;

    am_text_init(&text, AM_EMIT_MAX);
    va_start(ap, fmt);
    am_text_vaddf(&text, fmt, ap);
    va_end(ap);
    add_text(e, am_text_str(&text), NULL, NULL);
    am_text_fini(&text);
}

static enum am_status end(const struct am_text *out, struct am_err *err)
{
    return out->overflow ? am_fail(err, AM_E_LIMIT, "the generated code is too long") : AM_OK;
}

/* ---- constants ---- */

/* As few digits as read back as the same number. */
static void add_number(struct am_text *out, double value)
{
    char text[NUMBER_BYTES];
    double again = 0;

    for (int digits = 15; digits <= 17; digits++) {
        (void)am_str_format(text, sizeof(text), "%.*g", digits, value);
        if (am_parse_f64(text, strlen(text), &again) && memcmp(&again, &value, sizeof(value)) == 0)
            break;
    }
    am_text_add(out, text);
}

static void add_numbers(const struct emitter *e, const char *what, const double *values, size_t n)
{
    addf(e, "static const double NAME_%s[%zu] = {", what, n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        am_text_add(e->out, i ? ", " : "");
        add_number(e->out, values[i]);
    }
    am_text_add(e->out, n ? "};\n" : "0};\n");
}

static bool has_images(const struct am_description *d)
{
    for (unsigned k = 1; k < d->dimensions; k++) {
        if (d->boundary[k] == AM_BOUNDARY_MIRROR)
            return true;
    }
    return false;
}

static void add_constants(const struct emitter *e)
{
    const struct am_description *const d = e->d;

    addf(e, "enum {\n    NAME_DIMENSIONS = %u,\n    NAME_FIELDS = %zu,\n", d->dimensions,
         d->fields.n);
    addf(e, "    NAME_COEFFICIENTS = %zu,\n    NAME_PARAMETERS = %zu,\n", d->coefficients.n,
         d->parameters.n);
    addf(e, "    NAME_STAGES = %zu, /* updates of a step, one after the other */\n", d->n_updates);
    addf(e, "    NAME_RADIUS = %u,\n", d->radius);
    addf(e, "    NAME_SECOND = %d, /* 1: the step before is read */\n", d->second);
    addf(e, "    NAME_IMAGES = %d, /* 1: rows or planes are mirrored */\n", has_images(d));
    addf(e, "    NAME_LINE = 64 / sizeof(REAL), /* elements of a cache line */\n");
    addf(
        e,
        "    NAME_APART = 33 * NAME_LINE, /* between the two arrays of a field, beyond pages */\n");
    addf(e, "    NAME_THREADS_MAX = %d\n};\n\n", THREADS_MAX);
}

/* Waves in one dimension are for rings only, and do not look at it. */
static void add_sides(const struct emitter *e)
{
    const struct am_description *const d = e->d;

    addf(e, "enum { NAME_PERIODIC, NAME_FIXED, NAME_MIRROR };\n");
    addf(e, "static const int NAME_sides[3] = {%d, %d, %d};\n", (int)d->boundary[0],
         (int)d->boundary[1], (int)d->boundary[2]);
    add_numbers(e, "fixed", d->boundary_value, 3);
    am_text_add(e->out, "\n");
}

/* Of tiled passes: the field of each update. */
static void add_updated(const struct emitter *e)
{
    const struct am_description *const d = e->d;

    addf(e, "static const int NAME_updated[] = {");
    for (size_t i = 0; i < d->n_updates; i++)
        addf(e, "%s%zu", i ? ", " : "", d->updates[i].field);
    addf(e, "};\n\n");
}

/* What each array holds at step 0, and parameters: of a bench. */
static void add_starts(const struct emitter *e)
{
    const struct am_description *const d = e->d;
    const struct am_description_names *const kinds[] = {&d->fields, &d->coefficients};
    double values[AM_DESCRIPTION_NAMES_MAX];

    addf(e, "static const double NAME_starts[][2] = {");
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < kinds[k]->n; i++) {
            am_text_add(e->out, "{");
            add_number(e->out, kinds[k]->items[i].start);
            am_text_add(e->out, ", ");
            add_number(e->out, kinds[k]->items[i].noise);
            am_text_add(e->out, "}, ");
        }
    }
    addf(e, "};\n");
    for (size_t i = 0; i < d->parameters.n; i++)
        values[i] = d->parameters.items[i].value;
    add_numbers(e, "values", values, d->parameters.n);
}

/* ---- kernels ---- */

static void add_independent(const struct emitter *e)
{
    addf(e, "/* Points of a row do not depend on each other. */\n"
            "#if defined(__clang__)\n"
            "#define NAME_INDEPENDENT _Pragma(\"clang loop vectorize(assume_safety)\")\n"
            "#else\n"
            "#define NAME_INDEPENDENT _Pragma(\"GCC ivdep\")\n"
            "#endif\n\n");
}

static void add_folds(const struct emitter *e)
{
    add_text(e, "@HERE@", "@HERE@", am_emit_fold_constants);
    addf(e, "#define NAME_ELEMENT %d /* bytes */\n\n", e->type == AM_EMIT_F32 ? 4 : 8);
    add_text(e, am_stencil_text_fold, "@FOLDS@", am_emit_fold_updates);
}

static void add_waves(const struct emitter *e)
{
    add_text(e, "@HERE@", "@HERE@", am_emit_wave_constants);
    add_text(e, am_stencil_text_lanes, NULL, NULL);
    add_text(e, "@HERE@", "@HERE@", am_emit_wave_weights);
    if (e->d->dimensions == 1) {
        add_text(e, am_stencil_text_slice, "@SLICES@", am_emit_wave_slices);
        return;
    }
    add_text(e, am_stencil_text_ends, NULL, NULL);
    add_text(e, am_stencil_text_wave, "@BLOCKS@", am_emit_wave_blocks);
}

/* Those of the loops that the description has. */
static unsigned loops_of(const struct am_description *d, unsigned wanted)
{
    if (!am_emit_has_waves(d))
        wanted &= ~(unsigned)AM_EMIT_WAVE;
    if (!am_emit_has_folds(d))
        wanted &= ~(unsigned)AM_EMIT_FOLD;
    return wanted ? wanted : AM_EMIT_TILED;
}

static void add_kernel(const struct emitter *e, unsigned wanted)
{
    const unsigned loops = loops_of(e->d, wanted);
    const bool tiles = loops & AM_EMIT_TILED;

    if (tiles)
        add_independent(e);
    add_constants(e);
    if (tiles || e->d->dimensions > 1)
        add_sides(e);
    add_text(e, am_stencil_text_team, NULL, NULL);
    if (tiles || (loops & AM_EMIT_WAVE && e->d->dimensions > 1))
        add_text(e, am_stencil_text_share, NULL, NULL);
    if (tiles) {
        add_updated(e);
        add_text(e, am_stencil_text_driver, "@ROWS@", am_emit_rows);
    }
    if (loops & (AM_EMIT_WAVE | AM_EMIT_FOLD))
        add_text(e, am_stencil_text_vectors, NULL, NULL);
    if (loops & AM_EMIT_WAVE)
        add_waves(e);
    if (loops & AM_EMIT_FOLD)
        add_folds(e);
}

static void add_includes(struct am_text *out, const char *more)
{
    am_text_addf(
        out,
        "#define _GNU_SOURCE\n%s#include <sched.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <string.h>\n\n",
        more);
}

/* What the arrays and parameters of a program are in the description. */
static void add_legend(const struct emitter *e)
{
    const struct am_description *const d = e->d;

    am_text_addf(e->out,
                 "/* %s, %u-dimensional, generated by archmeter from its description:\n *\n",
                 d->name, d->dimensions);
    for (size_t i = 0; i < d->n_updates; i++)
        am_text_addf(e->out, " *     %s = %s\n", d->fields.items[d->updates[i].field].name,
                     d->updates[i].text);
    am_text_add(e->out, " *\n");
    for (size_t i = 0; i < d->fields.n; i++)
        am_text_addf(e->out, " * Field %zu is %s.\n", i, d->fields.items[i].name);
    for (size_t i = 0; i < d->coefficients.n; i++)
        am_text_addf(e->out, " * Coefficient %zu is %s.\n", i, d->coefficients.items[i].name);
    for (size_t i = 0; i < d->parameters.n; i++) {
        am_text_addf(e->out, " * parameter[%zu] is %s: ", i, d->parameters.items[i].name);
        add_number(e->out, d->parameters.items[i].value);
        am_text_add(e->out, " in the description.\n");
    }
}

/* What the program has to do, and a shape to begin with. */
static void add_advice(const struct emitter *e, const struct am_emit_shape *shape)
{
    struct am_text text;

    add_legend(e);
    am_text_init(&text, AM_EMIT_MAX);
    am_emit_advise(e->d, shape, loops_of(e->d, shape->loops), &text);
    add_text(e, am_text_str(&text), NULL, NULL);
    am_text_fini(&text);
    addf(e, " *\n * Compile with -O3 -march=native. */\n");
}

enum am_status am_emit_kernel(const struct am_description *d, enum am_emit_type type,
                              const struct am_emit_shape *shape, struct am_text *out,
                              struct am_err *err)
{
    const struct emitter e = begin(d, type, out);

    add_advice(&e, shape);
    am_text_add(out, "#include <sched.h>\n#include <stddef.h>\n#include <string.h>\n\n");
    add_kernel(&e, shape->loops);
    return end(out, err);
}

enum am_status am_emit_opencl(const struct am_description *d, enum am_emit_type type,
                              struct am_text *out, struct am_err *err)
{
    static const char *const items[] = {"nx", "nx by ny / PLANES__, rounded up",
                                        "nx by ny by nz / PLANES__, rounded up"};
    const struct emitter e = begin(d, type, out);
    struct am_text text;

    am_text_init(&text, AM_EMIT_MAX);
    am_emit_opencl_kernels(d, &text);
    am_text_addf(
        out,
        "/* %s, generated by archmeter from its description.\n"
        " *\n"
        " * One sweep per step: one kernel per update, in this order, then __now and __to "
        "are exchanged. Arrays\n"
        " * have nx * ny * nz elements, x fastest, and nothing beyond the sides; these are "
        "%u points or more.\n"
        " * Work-items: %s. */\n%s",
        d->name, 2 * d->radius, items[d->dimensions - 1],
        type == AM_EMIT_F64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "");
    am_emit_device_kernel(d, type, &text);
    add_text(&e, am_text_str(&text), NULL, NULL);
    out->overflow = out->overflow || text.overflow;
    am_text_fini(&text);
    return end(out, err);
}

/* ---- benches ---- */

/* Levels of a pass lean by a radius each, so that what has to stay in cache grows with depth times
 * radius: a stencil that reaches further makes fewer steps at once, down to sweeps by strips. */
const struct am_emit_values *am_emit_values_of(const struct am_description *d)
{
    static const struct {
        unsigned dimensions, radius; /* of this radius and more */
        struct am_emit_values values;
    } all[] = {
        {3, 5, {"64,256", "128", "8", "1,2,4", "4,2,8,16", "32,16,64,128", "1,2,4"}},
        {3, 3, {"64,256", "128", "8", "2,1,4", "4,2,8,16", "32,16,64,128", "1,2,4"}},
        {3, 2, {"64,256", "128", "8", "4,2,8,1", "4,2,8,16", "32,16,64,128", "1,2,4"}},
        {3, 1, {"64,256", "128", "8", "8,4,2,16", "4,2,8,16", "32,16,64,128", "1,2,4"}},
        {2, 3, {"256,4096", "1024", "16", "4,2,8,16", "8,2,4,16,32", "1", "1,2,4"}},
        {2, 2, {"256,4096", "1024", "16", "8,4,16", "8,2,4,16,32", "1", "1,2,4"}},
        {2, 1, {"256,4096", "1024", "16", "16,8,4", "8,2,4,16,32", "1", "1,2,4"}},
        {1, 1, {"64K,4M", "64K", "64", "64,16,32,128", "2048,512,1024,4096,8192", "1", "1"}},
    };
    size_t i = 0;

    while (all[i].dimensions != d->dimensions || all[i].radius > d->radius)
        i++;
    return &all[i].values;
}

enum am_emit_loop am_emit_first_loop(const struct am_description *d)
{
    const bool sweeps = strncmp(am_emit_values_of(d)->depths, "1,", 2) == 0;

    return sweeps && am_emit_has_folds(d) ? AM_EMIT_FOLD : AM_EMIT_WAVE;
}

/* Devices: the exported kernels as a literal, and what launches them. */
static enum am_status add_device(const struct emitter *e, struct am_err *err)
{
    struct am_text text;
    enum am_status s;

    am_text_init(&text, AM_EMIT_MAX);
    am_emit_device_constants(e->d, e->type, &text);
    add_text(e, am_text_str(&text), NULL, NULL);
    am_text_fini(&text);
    am_text_init(&text, AM_EMIT_MAX);
    s = am_emit_opencl(e->d, e->type, &text, err);
    addf(e, "static const char NAME_device_source[] =\n");
    am_emit_literal(am_text_str(&text), e->out);
    am_text_add(e->out, "    ;\n\n");
    am_text_fini(&text);
    add_text(e, am_stencil_text_device_type, NULL, NULL);
    return s;
}

static void add_reference(const struct emitter *e, const char *tag, const char *type)
{
    const struct word words[] = {{"TYPED", tag}, {"WIDER", type}};
    struct am_text whole, *const to = e->out;
    struct emitter into = *e;

    am_text_init(&whole, AM_EMIT_MAX);
    into.out = &whole;
    add_text(&into, am_stencil_text_reference, "@REFERENCE@", am_emit_reference);
    substitute(am_text_str(&whole), words, sizeof(words) / sizeof(*words), to);
    to->overflow = to->overflow || whole.overflow;
    am_text_fini(&whole);
}

/* What a bench has of loops with grids of their own. */
static void add_loops(const struct am_description *d, struct am_text *out)
{
    static const struct {
        enum am_emit_loop loop;
        struct word words[2];
    } all[] = {{AM_EMIT_WAVE, {{"LOOP", "wave"}, {"SIZED", ", how->depth, (long)p->threads"}}},
               {AM_EMIT_FOLD, {{"LOOP", "fold"}, {"SIZED", ""}}}};
    const unsigned loops = loops_of(d, AM_EMIT_ALL);

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (loops & all[i].loop)
            substitute(am_stencil_text_loops, all[i].words, 2, out);
    }
}

/* Macros for the constant end of the file. */
static void add_settings(const struct am_description *d, struct am_text *out)
{
    static const char *const verbs[][2] = {{"PREPARE", "prepare"},
                                           {"ITERATE", "iterate"},
                                           {"VERIFY", "verify"},
                                           {"FREE", "device_free"}};
    static const char *const dimensions[] = {"one dimension", "two dimensions", "three dimensions"};
    const struct am_emit_values *const v = am_emit_values_of(d);
    const size_t levels = d->second ? 2 : 1;

    /* Its name comes first: progress tells benches apart by their summaries. */
    am_text_addf(out,
                 "#define SUMMARY \"%s in %s: %zu field%s, radius %u, "
                 "%u operation%s per point and step\"\n",
                 d->name, dimensions[d->dimensions - 1], d->fields.n, d->fields.n > 1 ? "s" : "",
                 d->radius, d->flops, d->flops > 1 ? "s" : "");
    am_text_addf(out, "#define DIMENSIONS %u\n#define RADIUS %u\n#define THREADS_MAX %d\n",
                 d->dimensions, d->radius, THREADS_MAX);
    am_text_addf(out, "#define FLOPS %u.0\n#define READ %zu.0\n#define WRITTEN %zu.0\n", d->flops,
                 d->fields.n * levels + d->coefficients.n, d->fields.n);
    am_text_add(out, "#define VARIANTS \"");
    am_variants_list(d, false, ",", out);
    am_text_add(out, "\"\n#define ALL_VARIANTS \"");
    am_variants_list(d, true, ",", out);
    am_text_addf(out, "\"\n#define DEVICE_DEPTH %ld\n", am_emit_device_depth(d));
    am_text_addf(out, "#define SIDES \"%s\"\n#define SIDES_QUICK \"%s\"\n#define STEPS \"%s\"\n",
                 v->sides, v->sides_quick, v->steps);
    am_text_addf(out,
                 "#define DEPTHS \"%s\"\n#define WAVES \"%s\"\n#define STRIPS \"%s\"\n"
                 "#define ROWS_AT_ONCE \"%s\"\n",
                 v->depths, v->waves, v->strips, v->rows);
    for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
        am_text_addf(out, "#define %s_F32 %s_f32_%s\n#define %s_F64 %s_f64_%s\n", verbs[i][0],
                     d->name, verbs[i][1], verbs[i][0], d->name, verbs[i][1]);
    am_text_add(out, "\n");
}

enum am_status am_emit_bench(const struct am_description *d, struct am_text *out,
                             struct am_err *err)
{
    enum am_status s = AM_OK;

    am_text_addf(out,
                 "/* A bench of the stencil %s, generated by archmeter from its description.\n"
                 " * archmeter-flags: -std=gnu17 -O3 -march=native */\n",
                 d->name);
    add_includes(out, "#include <archmeter/bench.h>\n#include <dlfcn.h>\n");
    am_text_add(out, am_stencil_text_bench);
    am_text_add(out, am_stencil_text_device);
    for (enum am_emit_type type = 0; type < AM_EMIT_TYPES && s == AM_OK; type++) {
        const struct emitter e = begin(d, type, out);

        add_kernel(&e, AM_EMIT_ALL);
        addf(&e, "#define NAME_HAS_WAVES %d\n#define NAME_HAS_FOLDS %d\n", am_emit_has_waves(d),
             am_emit_has_folds(d));
        add_starts(&e);
        add_text(&e, am_stencil_text_start, NULL, NULL);
        s = add_device(&e, err);
        add_reference(&e, "wide", "long double");
        add_reference(&e, "plain", reals[type]);
        add_text(&e, am_stencil_text_bench_type, "@LOOPS@", add_loops);
    }
    add_settings(d, out);
    substitute(am_stencil_text_bench_end, (const struct word[]){{"TITLE", d->name}}, 1, out);
    return s == AM_OK ? end(out, err) : s;
}
