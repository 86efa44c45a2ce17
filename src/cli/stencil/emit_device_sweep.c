/* SPDX-License-Identifier: MIT */
/* Writes the kernels of one sweep per step: one per update, for any description.
 *
 * A work-item has one point of a plane and walks along the last dimension. Inside the grid its
 * neighbours lie at offsets that are the same for all points; only points beside a side find theirs
 * one by one. Both ways are the formula as it is written. */
#include "cli/stencil/emit_device.h"
#include "cli/stencil/emit_formula.h"

#include <stdlib.h>

/* Planes of a work-item (2-D: rows). What one reads of the plane behind comes from a cache when it
 * is the plane itself: long enough that the two at the ends count little. */
enum { PLANES = 16 };

static const char axes[] = "xyz";

/* ---- beyond the sides ---- */

static void add_places(const struct am_description *d, bool field, struct am_text *out)
{
    for (unsigned k = 0; k < d->dimensions; k++) {
        const char a = axes[k];

        if (d->boundary[k] == AM_BOUNDARY_PERIODIC)
            am_text_addf(out, "    %c = %c < 0 ? %c + n%c : %c < n%c ? %c : %c - n%c;\n", a, a, a,
                         a, a, a, a, a, a);
        else if (!field || d->boundary[k] == AM_BOUNDARY_MIRROR)
            am_text_addf(out, "    %c = %c < 0 ? -1 - %c : %c < n%c ? %c : n%c - 1 - (%c - n%c);\n",
                         a, a, a, a, a, a, a, a, a);
    }
    am_text_add(out, "    return u[x");
    am_text_add(out, d->dimensions > 1 ? " + (long)nx * y" : "");
    am_text_add(out, d->dimensions > 2 ? " + (long)nx * ny * z" : "");
    am_text_add(out, "];\n}\n\n");
}

static void add_value(const struct am_description *d, bool field, struct am_text *out)
{
    am_text_addf(out, "static REAL NAME_%s(__global const REAL *u",
                 field ? "value" : "coefficient");
    for (unsigned k = 0; k < d->dimensions; k++)
        am_text_addf(out, ", int n%c", axes[k]);
    for (unsigned k = 0; k < d->dimensions; k++)
        am_text_addf(out, ", int %c", axes[k]);
    am_text_add(out, ")\n{\n");
    for (unsigned k = 0; k < d->dimensions && field; k++) {
        if (d->boundary[k] == AM_BOUNDARY_FIXED)
            am_text_addf(out, "    if (%c < 0 || %c >= n%c)\n        return (REAL)%.17g;\n",
                         axes[k], axes[k], axes[k], d->boundary_value[k]);
    }
    add_places(d, field, out);
}

static void add_values(const struct am_description *d, struct am_text *out)
{
    am_text_addf(out, "/* The value of a place up to %u points beyond the sides. */\n", d->radius);
    add_value(d, true, out);
    if (!d->coefficients.n)
        return;
    am_text_add(out, "/* Coefficients have no fixed values: they are mirrored there. */\n");
    add_value(d, false, out);
}

/* ---- formulas ---- */

/* The array of a name, as the kernel's arguments call it. */
static void add_array(const struct am_description *d, const struct am_formula_node *node,
                      struct am_text *out)
{
    static const char *const whens[] = {
        [AM_FORMULA_NOW] = "__now", [AM_FORMULA_BEFORE] = "__to", [AM_FORMULA_NEW] = "__new"};
    const bool field = am_description_find(&d->fields, node->text) >= 0;

    am_text_addf(out, "%s%s", node->text, field ? whens[node->when] : "");
}

/* " + 2 * row__", " - plane__". */
static void add_step(struct am_text *out, int offset, const char *of)
{
    if (!offset)
        return;
    am_text_addf(out, " %c ", offset < 0 ? '-' : '+');
    if (!*of)
        am_text_addf(out, "%d", abs(offset));
    else if (abs(offset) > 1)
        am_text_addf(out, "%d * %s", abs(offset), of);
    else
        am_text_add(out, of);
}

/* Inside the grid. */
static void near_value(const void *self, const struct am_description *d,
                       const struct am_formula_node *node, struct am_text *out)
{
    static const char *const steps[] = {"", "row__", "plane__"};

    (void)self;
    if (am_description_find(&d->parameters, node->text) >= 0) {
        am_text_add(out, node->text);
        return;
    }
    add_array(d, node, out);
    am_text_add(out, "[at");
    for (int k = 0; k < 3; k++)
        add_step(out, node->at[k], steps[k]);
    am_text_add(out, "]");
}

/* Beside a side. */
static void far_value(const void *self, const struct am_description *d,
                      const struct am_formula_node *node, struct am_text *out)
{
    const bool field = am_description_find(&d->fields, node->text) >= 0;
    const bool here = !node->at[0] && !node->at[1] && !node->at[2];

    if (here || am_description_find(&d->parameters, node->text) >= 0) {
        near_value(self, d, node, out);
        return;
    }
    am_text_addf(out, "NAME_%s(", field ? "value" : "coefficient");
    add_array(d, node, out);
    for (unsigned k = 0; k < d->dimensions; k++)
        am_text_addf(out, ", n%c", axes[k]);
    for (unsigned k = 0; k < d->dimensions; k++) {
        am_text_addf(out, ", %c", axes[k]);
        add_step(out, node->at[k], "");
    }
    am_text_add(out, ")");
}

/* ---- kernels ---- */

static void add_arguments(const struct am_description *d, const struct am_description_update *u,
                          struct am_text *out)
{
    for (size_t i = 0; i < d->fields.n; i++) {
        const char *const name = d->fields.items[i].name;

        am_text_addf(out, "__global const REAL *restrict %s__now, ", name);
        if (i != u->field)
            am_text_addf(out, "__global const REAL *restrict %s__new, ", name);
    }
    for (size_t i = 0; i < d->coefficients.n; i++)
        am_text_addf(out, "__global const REAL *restrict %s, ", d->coefficients.items[i].name);
    for (size_t i = 0; i < d->parameters.n; i++)
        am_text_addf(out, "REAL %s, ", d->parameters.items[i].name);
    am_text_addf(out, "int nx, int ny, int nz, __global REAL *restrict %s__to",
                 d->fields.items[u->field].name);
}

/* The loop along the last of several dimensions; a row has none. */
static void add_places_of_item(const struct am_description *d, struct am_text *out)
{
    const unsigned last = d->dimensions - 1;

    for (unsigned k = 0; k < 3; k++) {
        if (k == last && k > 0)
            am_text_addf(
                out,
                "    const int first__ = (int)get_global_id(%u) * PLANES__;\n"
                "    const int end__ = n%c - first__ < PLANES__ ? n%c : first__ + PLANES__;\n",
                k, axes[k], axes[k]);
        else
            am_text_addf(out, "    const int %c = (int)get_global_id(%u);\n", axes[k], k);
    }
    am_text_add(out, "    const long row__ = nx, plane__ = row__ * ny;\n    const int inside__ = ");
    for (unsigned k = 0; k < last || k == 0; k++)
        am_text_addf(out, "%s%c >= %u && %c < n%c - %u", k ? " && " : "", axes[k], d->radius,
                     axes[k], axes[k], d->radius);
    am_text_add(out, ";\n\n    if (");
    for (unsigned k = 0, n = 0; k < 3; k++) {
        if (k != last || k == 0)
            am_text_addf(out, "%s%c >= n%c", n++ ? " || " : "", axes[k], axes[k]);
    }
    am_text_add(out, ")\n        return;\n");
    if (last > 0)
        am_text_addf(out, "    for (int %c = first__; %c < end__; %c++) {\n", axes[last],
                     axes[last], axes[last]);
    else
        am_text_add(out, "    {\n");
}

static void add_formula(const struct am_description *d, const struct am_description_update *u,
                        am_emit_value_fn *value, int indent, struct am_text *out)
{
    am_text_addf(out, "%*s%s__to[at] = ", indent, "", d->fields.items[u->field].name);
    am_emit_formula(d, &u->formula, value, NULL, out);
    am_text_add(out, ";\n");
}

/* Planes inside the grid follow each other without a question between them: their loads need not
 * wait for one another. */
static void add_inside(const struct am_description *d, const struct am_description_update *u,
                       struct am_text *out)
{
    const unsigned last = d->dimensions - 1;
    const char a = axes[last];

    if (last == 0) {
        am_text_add(out, "        if (inside__) {\n");
        add_formula(d, u, near_value, 12, out);
        am_text_add(out, "            return;\n        }\n");
        return;
    }
    am_text_addf(out,
                 "        if (inside__ && %c >= %u) {\n"
                 "            const int near__ = end__ < n%c - %u ? end__ : n%c - %u;\n\n"
                 "            for (; %c < near__; %c++, at += %s) {\n",
                 a, d->radius, a, d->radius, a, d->radius, a, a, last > 1 ? "plane__" : "row__");
    add_formula(d, u, near_value, 16, out);
    am_text_add(out, "            }\n            if (");
    am_text_addf(out, "%c == end__)\n                return;\n        }\n", a);
}

void am_emit_opencl_kernels(const struct am_description *d, struct am_text *out)
{
    am_text_addf(out, "#ifndef PLANES__\n#define PLANES__ %d\n#endif\n\n", PLANES);
    add_values(d, out);
    for (size_t i = 0; i < d->n_updates; i++) {
        const struct am_description_update *const u = &d->updates[i];
        const char *const name = d->fields.items[u->field].name;

        am_text_addf(out, "/* %s = %s */\n__kernel void NAME_update_%s(", name, u->text, name);
        add_arguments(d, u, out);
        am_text_add(out, ")\n{\n");
        add_places_of_item(d, out);
        am_text_add(out, "        long at = x + row__ * y + plane__ * z;\n\n");
        add_inside(d, u, out);
        add_formula(d, u, far_value, 8, out);
        am_text_add(out, "    }\n}\n\n");
    }
}
