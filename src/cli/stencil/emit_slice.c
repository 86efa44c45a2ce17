/* SPDX-License-Identifier: MIT */
/* Writes slices: the row of one dimension in registers, and what blocks and slices have in common.
 */
#include "cli/stencil/emit_wave.h"

#include "cli/stencil/weights.h"

/* ---- sums of products ---- */

void am_emit_begin_product(struct am_text *out, size_t value, int *open)
{
    am_text_addf(out, "%sw%zu * ", *open < 0 ? "" : " + (", value);
    ++*open;
}

void am_emit_end_products(struct am_text *out, int open)
{
    for (; open > 0; open--)
        am_text_add(out, ")");
}

void am_emit_weight_vectors(const struct am_weights *w, const char *from, struct am_text *out)
{
    for (size_t i = 0; i < w->n_values; i++)
        am_text_addf(out, "    const NAME_vector w%zu = NAME_all(%s[%zu]);\n", i, from, i);
}

/* ---- slices ---- */

/* A neighbour of a slice's point: `prefix`, a number and `suffix`. */
struct slice_name {
    const char *prefix, *suffix;
};

static void add_slice_value(const struct am_weights *w, int at, struct slice_name name,
                            struct am_text *out)
{
    const int centre = at - w->reach;
    int open = -1;

    for (size_t i = 0; i < 2 * w->n; i++) { /* the centre last */
        const struct am_weight *const item = &w->items[i % w->n];
        const struct am_weight *const other = am_weights_at(w, -item->at[0], 0, 0);
        const int beside = item->at[0];
        const bool pair = beside && other && other->value == item->value;

        if ((beside == 0) != (i >= w->n) || (pair && other < item))
            continue;
        am_emit_begin_product(out, item->value, &open);
        am_text_addf(out, "%s%s%d%s", pair ? "(" : "", name.prefix, centre + beside, name.suffix);
        if (pair)
            am_text_addf(out, " + %s%d%s)", name.prefix, centre - beside, name.suffix);
    }
    am_emit_end_products(out, open);
}

/* v0, v1, ... are the slice, and b0, b1, ... what lies before it: edges of the slice before. */
static void add_slice(const struct am_weights *w, int size, struct am_text *out)
{
    const int edges = 2 * w->reach;

    am_text_add(
        out,
        "static void NAME_slice(const NAME_vector *from, NAME_vector *to, const REAL *weight,\n"
        "                       NAME_vector *edge, long steps)\n{\n");
    am_emit_weight_vectors(w, "weight", out);
    for (int i = 0; i < size; i++)
        am_text_addf(out, "    NAME_vector v%d = from[%d];\n", i + edges, i);
    am_text_add(out, "\n    for (; steps > 0; steps--, edge += NAME_EDGE) {\n");
    for (int i = w->reach - w->left; i < edges; i++)
        am_text_addf(out, "        const NAME_vector v%d = edge[%d];\n", i, i);
    am_text_add(out, "\n");
    for (int i = 0; i < edges; i++)
        am_text_addf(out, "        edge[%d] = v%d;\n", i, size + i);
    for (int i = size - 1; i >= 0; i--) {
        am_text_addf(out, "        v%d = ", i + edges);
        add_slice_value(w, i + edges, (struct slice_name){"v", ""}, out);
        am_text_add(out, ";\n");
    }
    am_text_add(out, "    }\n");
    for (int i = 0; i < size; i++)
        am_text_addf(out, "    to[%d] = v%d;\n", i, i + edges);
    am_text_add(out, "}\n\n");
}

void am_emit_wave_slices(const struct am_description *d, struct am_text *out)
{
    struct am_weights w;

    if (!am_weights_find(d, &w))
        return;
    am_text_add(out, "/* What comes of v[0] to v[2 * radius]. */\n"
                     "static inline NAME_vector NAME_slice_point(const NAME_vector *v, const REAL "
                     "*weight)\n{\n");
    am_emit_weight_vectors(&w, "weight", out);
    am_text_add(out, "\n    return ");
    add_slice_value(&w, 2 * w.reach, (struct slice_name){"v[", "]"}, out);
    am_text_add(out, ";\n}\n\n#if defined(__AVX512F__)\n");
    add_slice(&w, 24, out);
    am_text_add(out, "#else\n");
    add_slice(&w, 14 - (int)w.n_values, out);
    am_text_add(out, "#endif\n\n");
}
