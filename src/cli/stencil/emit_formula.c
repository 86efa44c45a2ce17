/* SPDX-License-Identifier: MIT */
/* Writes formulas as C. */
#include "cli/stencil/emit_formula.h"

#include <stdlib.h>
#include <string.h>

/* ---- values of names ---- */

static int rank_of(enum am_formula_kind kind)
{
    static const int ranks[] = {
        [AM_FORMULA_NUMBER] = 4, [AM_FORMULA_NAME] = 4,     [AM_FORMULA_NEGATE] = 3,
        [AM_FORMULA_ADD] = 1,    [AM_FORMULA_SUBTRACT] = 1, [AM_FORMULA_MULTIPLY] = 2,
        [AM_FORMULA_DIVIDE] = 2,
    };

    return ranks[kind];
}

struct writer {
    const struct am_description *d;
    const struct am_formula *formula;
    am_emit_value_fn *value;
    const void *self;
    struct am_text *out;
    int row, top; /* in step: which row it is, and the sum that is written; else top is -1 */
};

static bool varies(const struct writer *w, int index)
{
    const struct am_formula_node *const node = &w->formula->nodes[index];

    switch (node->kind) {
    case AM_FORMULA_NUMBER: return false;
    case AM_FORMULA_NAME: return am_description_find(&w->d->parameters, node->text) < 0;
    case AM_FORMULA_NEGATE: return varies(w, node->left);
    default: return varies(w, node->left) || varies(w, node->right);
    }
}

/* Products stay with the sum that they belong to: some compilers fuse them only within an
 * expression. */
static bool is_sum(const struct writer *w, int index)
{
    const enum am_formula_kind kind = w->formula->nodes[index].kind;

    return (kind == AM_FORMULA_ADD || kind == AM_FORMULA_SUBTRACT) && varies(w, index);
}

static void write_node(const struct writer *w, int index, int least_rank);

/* The order of operations is that of the tree: the right operand of an equal rank has brackets. */
static void write_operation(const struct writer *w, const struct am_formula_node *node)
{
    static const char *const signs[] = {[AM_FORMULA_ADD] = " + ",
                                        [AM_FORMULA_SUBTRACT] = " - ",
                                        [AM_FORMULA_MULTIPLY] = " * ",
                                        [AM_FORMULA_DIVIDE] = " / "};
    const int rank = rank_of(node->kind);

    if (node->kind == AM_FORMULA_NEGATE) {
        am_text_add(w->out, "-");
        write_node(w, node->left, rank + 1);
        return;
    }
    write_node(w, node->left, rank);
    am_text_add(w->out, signs[node->kind]);
    write_node(w, node->right, rank + 1);
}

static void write_node(const struct writer *w, int index, int least_rank)
{
    const struct am_formula_node *const node = &w->formula->nodes[index];
    const bool brackets = rank_of(node->kind) < least_rank;

    if (w->top >= 0 && index != w->top && is_sum(w, index)) {
        am_text_addf(w->out, "t__%d_%d", index, w->row);
        return;
    }
    if (brackets)
        am_text_add(w->out, "(");
    if (node->kind == AM_FORMULA_NUMBER)
        am_text_addf(w->out, "(REAL)%s", node->text);
    else if (node->kind == AM_FORMULA_NAME)
        w->value(w->self, w->d, node, w->out);
    else
        write_operation(w, node);
    if (brackets)
        am_text_add(w->out, ")");
}

void am_emit_formula(const struct am_description *d, const struct am_formula *formula,
                     am_emit_value_fn *value, const void *self, struct am_text *out)
{
    const struct writer w = {d, formula, value, self, out, 0, -1};

    write_node(&w, (int)formula->n - 1, 0);
}

void am_emit_in_step(const struct am_description *d, const struct am_formula *formula,
                     const struct am_emit_rows *rows, struct am_text *out)
{
    struct writer w = {.d = d, .formula = formula, .value = rows->value, .out = out};
    const int root = (int)formula->n - 1;

    for (w.top = 0; w.top <= root; w.top++) {
        if (w.top != root && !is_sum(&w, w.top))
            continue;
        for (w.row = 0; w.row < rows->n; w.row++) {
            w.self = (const char *)rows->selves + (size_t)w.row * rows->size;
            if (w.top == root)
                am_text_addf(out, "        const NAME_vector r__%d = ", w.row);
            else
                am_text_addf(out, "        const NAME_vector t__%d_%d = ", w.top, w.row);
            write_node(&w, w.top, 0);
            am_text_add(out, ";\n");
        }
    }
}

static void constant_value(const void *self, const struct am_description *d,
                           const struct am_formula_node *node, struct am_text *out)
{
    (void)self;
    (void)d;
    am_text_add(out, node->text);
}

void am_emit_constant(const struct am_description *d, const struct am_formula *formula, int index,
                      struct am_text *out)
{
    const struct writer w = {d, formula, constant_value, NULL, out, 0, -1};

    write_node(&w, index, 0);
}

/* " - 2", " + 1" or nothing. */
static void write_offset(struct am_text *out, const char *name, int offset)
{
    am_text_add(out, name);
    if (offset)
        am_text_addf(out, " %c %d", offset < 0 ? '-' : '+', abs(offset));
}

/* ---- rows ---- */

enum { SHIFT_MAX = AM_FORMULA_REACH_MAX + 4, SHIFTS = 2 * SHIFT_MAX + 1 };

static const char *const when_words[] = {[AM_FORMULA_NOW] = "", [AM_FORMULA_NEW] = "new_"};

/* A pointer to the row that lies dy rows and dz planes away: u__y0z0, u__new_ym1z2. */
static void write_pointer(struct am_text *out, const char *name, const char *when, int dy, int dz)
{
    am_text_addf(out, "%s__%sy%s%dz%s%d", name, when, dy < 0 ? "m" : "", abs(dy), dz < 0 ? "m" : "",
                 abs(dz));
}

/* Of the row that is `*self` rows below the first. */
static void row_value(const void *self, const struct am_description *d,
                      const struct am_formula_node *node, struct am_text *out)
{
    const int row = *(const int *)self;

    if (am_description_find(&d->parameters, node->text) >= 0) {
        am_text_add(out, node->text);
        return;
    }
    if (node->when == AM_FORMULA_BEFORE)
        write_pointer(out, node->text, "to_", row, 0);
    else
        write_pointer(out, node->text, when_words[node->when], node->at[1] + row, node->at[2]);
    am_text_add(out, "[");
    write_offset(out, "x", node->at[0]);
    am_text_add(out, "]");
}

/* Which rows a formula reads of one array, for so many rows at once. */
struct rows_read {
    bool read[SHIFTS][SHIFTS];
};

static void find_rows(const struct am_formula *f, const char *name, enum am_formula_when when,
                      int rows, struct rows_read *out)
{
    *out = (struct rows_read){.read = {{false}}};
    for (size_t i = 0; i < f->n; i++) {
        const struct am_formula_node *const node = &f->nodes[i];

        if (node->kind != AM_FORMULA_NAME || node->when != when || strcmp(node->text, name) != 0)
            continue;
        for (int row = 0; row < rows; row++)
            out->read[node->at[1] + row + SHIFT_MAX][node->at[2] + SHIFT_MAX] = true;
    }
}

/* Declares pointers to all rows that are read of one array. */
static void declare_rows(const struct am_description_update *u, const char *name,
                         enum am_formula_when when, const char *array, int rows,
                         struct am_text *out)
{
    struct rows_read all;

    find_rows(&u->formula, name, when, rows, &all);
    for (int dz = -SHIFT_MAX; dz <= SHIFT_MAX; dz++) {
        for (int dy = -SHIFT_MAX; dy <= SHIFT_MAX; dy++) {
            if (!all.read[dy + SHIFT_MAX][dz + SHIFT_MAX])
                continue;
            am_text_add(out, "    const REAL *const ");
            write_pointer(out, name, when_words[when], dy, dz);
            am_text_addf(out, " = %s + NAME_at(g, 0, ", array);
            write_offset(out, "y", dy);
            am_text_add(out, ", ");
            write_offset(out, "z", dz);
            am_text_add(out, ");\n");
        }
    }
}

static bool uses(const struct am_formula *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->nodes[i].kind == AM_FORMULA_NAME && strcmp(f->nodes[i].text, name) == 0)
            return true;
    }
    return false;
}

static void declare_all(const struct am_description *d, const struct am_description_update *u,
                        int rows, struct am_text *out)
{
    char array[64];

    for (size_t i = 0; i < d->parameters.n; i++) {
        if (uses(&u->formula, d->parameters.items[i].name))
            am_text_addf(out, "    const REAL %s = g->parameter[%zu];\n",
                         d->parameters.items[i].name, i);
    }
    for (size_t i = 0; i < d->coefficients.n; i++) {
        (void)am_str_format(array, sizeof(array), "g->coefficient[%zu]", i);
        declare_rows(u, d->coefficients.items[i].name, AM_FORMULA_NOW, array, rows, out);
    }
    for (size_t i = 0; i < d->fields.n; i++) {
        (void)am_str_format(array, sizeof(array), "g->field[%zu][odd]", i);
        declare_rows(u, d->fields.items[i].name, AM_FORMULA_NOW, array, rows, out);
        (void)am_str_format(array, sizeof(array), "g->field[%zu][!odd]", i);
        declare_rows(u, d->fields.items[i].name, AM_FORMULA_NEW, array, rows, out);
    }
    for (int row = 0; row < rows; row++) {
        am_text_add(out, "    REAL *const ");
        write_pointer(out, d->fields.items[u->field].name, "to_", row, 0);
        am_text_addf(out, " = g->field[%zu][!odd] + NAME_at(g, 0, ", u->field);
        write_offset(out, "y", row);
        am_text_add(out, ", z);\n");
    }
}

/* All results first, then they are stored: what several rows read is loaded once. */
static void write_rows(const struct am_description *d, size_t stage, int rows, struct am_text *out)
{
    const struct am_description_update *const u = &d->updates[stage];
    const char *const name = d->fields.items[u->field].name;

    am_text_addf(
        out,
        "static void NAME_rows_%zu_%d(const struct NAME_grid *g, unsigned odd, long x0, long "
        "x1, long y, long z)\n{\n",
        stage, rows);
    declare_all(d, u, rows, out);
    am_text_add(out, "\n    NAME_INDEPENDENT\n    for (long x = x0; x < x1; x++) {\n");
    for (int row = 0; row < rows; row++) {
        am_text_addf(out, "        const REAL %s__%d = ", name, row);
        am_emit_formula(d, &u->formula, row_value, &row, out);
        am_text_add(out, ";\n");
    }
    for (int row = 0; row < rows; row++) {
        am_text_add(out, "        ");
        write_pointer(out, name, "to_", row, 0);
        am_text_addf(out, "[x] = %s__%d;\n", name, row);
    }
    am_text_add(out, "    }\n}\n\n");
}

void am_emit_rows(const struct am_description *d, struct am_text *out)
{
    const int most = d->dimensions > 1 ? 4 : 1;

    for (size_t i = 0; i < d->n_updates; i++) {
        am_text_addf(out, "/* %s = %s */\n", d->fields.items[d->updates[i].field].name,
                     d->updates[i].text);
        for (int rows = 1; rows <= most; rows *= 2)
            write_rows(d, i, rows, out);
    }
    am_text_add(
        out, "typedef void NAME_rows_fn(const struct NAME_grid *g, unsigned odd, long x0, long x1, "
             "long y, long z);\n"
             "static NAME_rows_fn *const NAME_rows[NAME_STAGES][3] = {\n");
    for (size_t i = 0; i < d->n_updates; i++)
        am_text_addf(out, "    {NAME_rows_%zu_1, NAME_rows_%zu_%d, NAME_rows_%zu_%d},\n", i, i,
                     most > 1 ? 2 : 1, i, most);
    am_text_add(out, "};\n\n");
}

/* ---- the reference ---- */

static void reference_value(const void *self, const struct am_description *d,
                            const struct am_formula_node *node, struct am_text *out)
{
    static const char *const levels[] = {
        [AM_FORMULA_NOW] = "odd", [AM_FORMULA_BEFORE] = "!odd", [AM_FORMULA_NEW] = "!odd"};
    static const char *const axes[] = {", x", ", y", ", z"};
    const int parameter = am_description_find(&d->parameters, node->text);
    const int field = am_description_find(&d->fields, node->text);

    (void)self;
    if (parameter >= 0) {
        am_text_addf(out, "(WIDER)(REAL)NAME_values[%d]", parameter);
        return;
    }
    if (field >= 0)
        am_text_addf(out, "NAME_TYPED_value(w, %d, %s", field, levels[node->when]);
    else
        am_text_addf(out, "NAME_TYPED_coefficient(w, %d",
                     am_description_find(&d->coefficients, node->text));
    for (int k = 0; k < 3; k++)
        write_offset(out, axes[k], node->at[k]);
    am_text_add(out, ")");
}

void am_emit_reference(const struct am_description *d, struct am_text *out)
{
    am_text_add(out, "static WIDER NAME_TYPED_update(const struct NAME_TYPED_window *w, int stage, "
                     "unsigned odd, long x, long y, long z)\n{\n    switch (stage) {\n");
    for (size_t i = 0; i < d->n_updates; i++) {
        if (i + 1 < d->n_updates)
            am_text_addf(out, "    case %zu:\n        return ", i);
        else
            am_text_add(out, "    default:\n        return ");
        am_emit_formula(d, &d->updates[i].formula, reference_value, NULL, out);
        am_text_add(out, ";\n");
    }
    am_text_add(out, "    }\n}\n\n");
}
