/* SPDX-License-Identifier: MIT */
/* Writes what the kernel of waves is defined by. */
#include "cli/stencil/emit_device.h"

#include "cli/stencil/texts.h"
#include "cli/stencil/weights.h"

#include <string.h>

/* The shape that suits a GPU of 64 Ki registers per compute unit; -D of a host takes others. */
struct shape {
    int items[2], points[2], depth;
};

static const struct shape shapes[2][AM_EMIT_TYPES] = {
    {[AM_EMIT_F32] = {{128, 1}, {4, 1}, 8}, [AM_EMIT_F64] = {{128, 1}, {4, 1}, 8}},
    {[AM_EMIT_F32] = {{16, 16}, {4, 4}, 4}, [AM_EMIT_F64] = {{16, 16}, {4, 2}, 4}},
};

static const char *const elements[] = {[AM_EMIT_F32] = "float", [AM_EMIT_F64] = "double"};

/* Neighbours as the kernel calls them; before and behind lie along the last dimension, and in two
 * dimensions there is nothing below and above. */
static const struct {
    const char *name;
    int x, y, along;
} places[] = {{"CENTRE", 0, 0, 0}, {"LEFT", -1, 0, 0},   {"RIGHT", 1, 0, 0}, {"BELOW", 0, -1, 0},
              {"ABOVE", 0, 1, 0},  {"BEFORE", 0, 0, -1}, {"BEHIND", 0, 0, 1}};

static bool find(const struct am_description *d, struct am_weights *w)
{
    return d->dimensions > 1 && d->radius == 1 && am_weights_find(d, w) && !w->corners;
}

bool am_emit_has_device_waves(const struct am_description *d)
{
    struct am_weights w;

    return find(d, &w);
}

/* Of second order in time a point has twice as much under way, and deep passes no registers. */
long am_emit_device_depth(const struct am_description *d)
{
    const long most = d->dimensions < 2 ? 1 : shapes[d->dimensions - 2][AM_EMIT_F32].depth;

    return d->second ? (most + 1) / 2 : most;
}

/* The number of its weight, or -1. */
static int value_at(const struct am_description *d, const struct am_weights *w, size_t place)
{
    const bool flat = d->dimensions == 2;
    const int y = flat ? places[place].along : places[place].y;
    const int z = flat ? 0 : places[place].along;
    const struct am_weight *const found =
        flat && places[place].y ? NULL : am_weights_at(w, places[place].x, y, z);

    return found ? (int)found->value : -1;
}

/* Neighbours within the plane are added before they are multiplied: they have one weight, and none
 * of them is a mirror image. */
static bool are_alike(const struct am_description *d, const struct am_weights *w)
{
    const size_t n = d->dimensions == 2 ? 2 : 4;

    for (size_t i = 0; i < n; i++) {
        if (value_at(d, w, 1 + i) != value_at(d, w, 1))
            return false;
    }
    for (unsigned k = 0; k + 1 < d->dimensions; k++) {
        if (d->boundary[k] == AM_BOUNDARY_MIRROR)
            return false;
    }
    return value_at(d, w, 1) >= 0;
}

/* Which weight a place has; below 0: none. */
static void add_weight(const struct am_description *d, const char *place, int value,
                       struct am_text *out)
{
    am_text_addf(out, "#define W_%s ", place);
    if (value < 0) {
        am_text_add(out, "0\n");
        return;
    }
    am_text_addf(out, "NAME_weight_%d(", value);
    for (size_t k = 0; k < d->parameters.n; k++)
        am_text_addf(out, "%sparameter__%zu", k ? ", " : "", k);
    am_text_add(out, ")\n");
}

/* Weights are functions of the parameters, which are the kernel's last arguments: under names of
 * their own, as the kernel has its own names too. */
static void add_weights(const struct am_description *d, const struct am_weights *w,
                        struct am_text *out)
{
    for (size_t i = 0; i < w->n_values; i++) {
        am_text_addf(out, "static REAL NAME_weight_%zu(", i);
        for (size_t k = 0; k < d->parameters.n; k++)
            am_text_addf(out, "%sREAL %s", k ? ", " : "", d->parameters.items[k].name);
        am_text_addf(out, "%s)\n{\n    return %s;\n}\n\n", d->parameters.n ? "" : "void",
                     w->values[i]);
    }
    am_text_add(out, "#define WEIGHTS ");
    for (size_t k = 0; k < d->parameters.n; k++)
        am_text_addf(out, ", REAL parameter__%zu", k);
    am_text_add(out, "\n");
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        add_weight(d, places[i].name, value_at(d, w, i), out);
    add_weight(d, "PAST", w->before, out);
    am_text_addf(out, "#define SECOND %d\n", w->before >= 0);
    am_text_addf(out, "#define ALIKE %d\n", are_alike(d, w));
}

static void add_sides(const struct am_description *d, struct am_text *out)
{
    static const char axes[] = "XYZ";

    for (unsigned k = 0; k < 3; k++) {
        const unsigned from = k == 2 ? d->dimensions - 1 : k;
        const bool none = k == 1 && d->dimensions == 2;

        am_text_addf(out, "#define SIDE_%c %d\n#define FIXED_%c ((ELEMENT)%.17g)\n", axes[k],
                     none ? 0 : (int)d->boundary[from], axes[k], d->boundary_value[from]);
    }
}

/* How a program launches it. */
static void add_advice(const struct am_description *d, struct am_text *out)
{
    am_text_add(out,
                "/* Waves: am_wave_pass(u, v, nx, ny, nz, own_x, own_y, chunk, parameters) makes "
                "DEPTH steps from u to v;\n * sizes are uint, parameters REAL in the order of the "
                "description. ");
    if (d->second)
        am_text_add(out, "Before the parameters two arrays more: the step before\n * that of u, "
                         "and where that before v goes; all four are different. ");
    am_text_add(out, d->dimensions == 3 ? "" : "Of a plane ny is 1 and nz its rows. ");
    am_text_add(out,
                "Groups of LX by LY by 1 work-items:\n * one per own_x by own_y points and chunk "
                "planes, rounded up, where own_x = LX * QX - 2 * HALO_X and\n * own_y = LY * QY - "
                "2 * HALO_Y, and chunk is what leaves groups for all compute units.\n"
                " * -DDEPTH=1 and more are shorter and longer passes; -DPACKED=0 unless nx is a "
                "multiple of QX. */\n");
}

void am_emit_device_kernel(const struct am_description *d, enum am_emit_type type,
                           struct am_text *out)
{
    struct am_weights w;
    const struct shape *shape;

    if (!find(d, &w))
        return;
    shape = &shapes[d->dimensions - 2][type];
    am_text_add(out, "#ifdef __OPENCL_VERSION__ /* what is above can be compiled as C too */\n");
    add_advice(d, out);
    am_text_addf(out, "#ifndef DEPTH\n#define DEPTH %ld\n#endif\n", am_emit_device_depth(d));
    am_text_add(out, "#ifndef PACKED\n#define PACKED 1\n#endif\n");
    am_text_addf(out, "#define ELEMENT %s\n#define WIDE %d\n#define DIM %u\n", elements[type],
                 type == AM_EMIT_F64, d->dimensions);
    am_text_addf(out, "#define LX %d\n#define LY %d\n#define QX %d\n#define QY %d\n",
                 shape->items[0], shape->items[1], shape->points[0], shape->points[1]);
    am_text_addf(out, "#define HALO_X ((DEPTH + QX - 1) / QX * QX)\n#define HALO_Y %s\n",
                 d->dimensions == 3 ? "DEPTH" : "0");
    am_text_addf(out,
                 "#define AT_ONCE %d\n#define AHEAD 1\n#define UNROLL 1\n#define LANES 0\n"
                 "#define PINNED 0\n#define FETCH 2\n",
                 d->dimensions == 3 ? 1 : 4);
    add_weights(d, &w, out);
    add_sides(d, out);
    am_text_addf(out, "\n%s#endif\n", am_stencil_text_stencil_wave);
}

void am_emit_device_constants(const struct am_description *d, enum am_emit_type type,
                              struct am_text *out)
{
    static const struct shape none = {{1, 1}, {1, 1}, 1};
    struct am_weights w;
    const bool waves = find(d, &w);
    const struct shape *const shape = waves ? &shapes[d->dimensions - 2][type] : &none;

    am_text_addf(out,
                 "enum {\n    NAME_ITEMS_X = %d,\n    NAME_ITEMS_Y = %d,\n    NAME_POINTS_X = %d,\n"
                 "    NAME_POINTS_Y = %d\n};\n",
                 shape->items[0], shape->items[1], shape->points[0], shape->points[1]);
    am_text_addf(out, "#define NAME_HAS_DEVICE_WAVES %d\n", waves);
    am_text_add(out, "static const char *const NAME_kernels[] = {");
    for (size_t i = 0; i < d->n_updates; i++)
        am_text_addf(out, "%s\"NAME_update_%s\"", i ? ", " : "",
                     d->fields.items[d->updates[i].field].name);
    am_text_add(out, "};\n");
}

void am_emit_literal(const char *text, struct am_text *out)
{
    while (*text) {
        am_text_add(out, "    \"");
        for (; *text && *text != '\n'; text++) {
            if (*text == '"' || *text == '\\')
                am_text_add(out, "\\");
            am_text_addn(out, text, 1);
        }
        am_text_add(out, "\\n\"\n");
        text += *text == '\n';
    }
}
