/* SPDX-License-Identifier: MIT */
/* Writes updates of rows of folded vectors: the formula as it is written, for as many points at
 * once as a vector has lanes. What lies beside them along x are whole vectors; what lies beside
 * them along y and z is put together of two vectors, or of four. The order of operations is that of
 * plain sweeps. */
#include "cli/stencil/emit_fold.h"

#include "cli/stencil/emit_formula.h"
#include "cli/stencil/emit_wave.h"

#include <stdlib.h>

/* The most that formulas reach along a dimension, 0 to 2. */
static int reach_along(const struct am_description *d, int dimension)
{
    int most = 0;

    for (size_t u = 0; u < d->n_updates; u++) {
        const struct am_formula *const f = &d->updates[u].formula;

        for (size_t i = 0; i < f->n; i++) {
            if (am_emit_is_value(d, &f->nodes[i]) && abs(f->nodes[i].at[dimension]) > most)
                most = abs(f->nodes[i].at[dimension]);
        }
    }
    return most;
}

/* A point that looks r points both ways reads 2 r + 1 rows along a dimension, and of folds of f
 * points 2 ceil(r / f) + 1: as many at radius 1, fewer from 2 on, whatever the fold is. */
bool am_emit_has_folds(const struct am_description *d)
{
    return d->dimensions == 3 && (reach_along(d, 1) > 1 || reach_along(d, 2) > 1);
}

void am_emit_fold_constants(const struct am_description *d, struct am_text *out)
{
    am_text_addf(
        out,
        "/* Folds: vectors beyond each end of a row; the field that each update makes. */\n"
        "enum { NAME_FOLD_ENDS = %d };\n"
        "static const int NAME_fold_made[NAME_STAGES] = {",
        reach_along(d, 0));
    for (size_t i = 0; i < d->n_updates; i++)
        am_text_addf(out, "%s%zu", i ? ", " : "", d->updates[i].field);
    am_text_add(out, "};\n\n");
}

/* A value at the points of vector i__. */
static void fold_value(const void *self, const struct am_description *d,
                       const struct am_formula_node *node, struct am_text *out)
{
    const char *array = node->when == AM_FORMULA_NOW ? "now" : "to";
    const int *const at = node->at;

    (void)self;
    if (am_description_find(&d->parameters, node->text) >= 0) {
        am_text_add(out, node->text);
        return;
    }
    if (am_description_find(&d->coefficients, node->text) >= 0)
        array = "at";
    am_text_addf(out, "%s(%s__%s, i__", at[1] || at[2] ? "NAME_FOLDED" : "NAME_IN", node->text,
                 array);
    if (at[0])
        am_text_addf(out, " %c %d * NAME_BYTES", at[0] < 0 ? '-' : '+', abs(at[0]));
    if (at[1] || at[2])
        am_text_addf(out, ", %d, %d", at[1], at[2]);
    am_text_add(out, ")");
}

/* Prefetches what a row of vectors is the first to read. */
static void add_soon(const void *self, const char *name, const char *array, const int row[2])
{
    struct am_text *const out = *(struct am_text *const *)self;

    am_text_addf(out, "        NAME_FOLD_SOON(%s__%s, i__, %d, %d);\n", name, array, row[0],
                 row[1]);
}

static void add_update(const struct am_description *d, size_t update, struct am_text *out)
{
    am_text_addf(out, "/* %s = %s */\nstatic void NAME_fold_%zu(const struct NAME_fold *b__)\n{\n",
                 d->fields.items[d->updates[update].field].name, d->updates[update].text, update);
    am_emit_declare(d, update, "fold", out);
    am_text_add(out, "    const long row__ = b__->w->row, plane__ = b__->w->plane;\n"
                     "    const long last__ = b__->w->n[0] * NAME_BYTES;\n\n"
                     "    (void)row__;\n    (void)plane__;\n"
                     "    for (long i__ = 0; i__ < last__; i__ += NAME_BYTES) {\n");
    am_emit_newest(d, update, add_soon, &out);
    am_text_add(out, "        NAME_OUT(made__, i__) = ");
    am_emit_formula(d, &d->updates[update].formula, fold_value, NULL, out);
    am_text_add(out, ";\n    }\n}\n\n");
}

void am_emit_fold_updates(const struct am_description *d, struct am_text *out)
{
    for (size_t i = 0; i < d->n_updates; i++)
        add_update(d, i, out);
    am_text_add(out, "static NAME_fold_fn *const NAME_fold_updates[NAME_STAGES] = {");
    for (size_t i = 0; i < d->n_updates; i++)
        am_text_addf(out, "%sNAME_fold_%zu", i ? ", " : "", i);
    am_text_add(out, "};\n\n");
}
