/* SPDX-License-Identifier: MIT */
/* Writes what a program has to call, as part of the first comment of an export. */
#include "cli/stencil/emit_advice.h"

/* Points along each dimension, and a point as functions take it. */
static void advise_sizes(const struct am_description *d, struct am_text *out)
{
    static const char *const sizes[] = {"nx, 1, 1", "nx, ny, 1", "nx, ny, nz"};

    am_text_addf(out, " *     const long n[3] = {%s};\n", sizes[d->dimensions - 1]);
}

static const char *point_of(const struct am_description *d)
{
    static const char *const points[] = {"x, 0, 0", "x, y, 0", "x, y, z"};

    return points[d->dimensions - 1];
}

static void advise_parameters(const struct am_description *d, struct am_text *out, const char *of)
{
    for (size_t i = 0; i < d->parameters.n; i++)
        am_text_addf(out, " *     %s.parameter[%zu] = ...; // %s\n", of, i,
                     d->parameters.items[i].name);
}

static void advise_tile_points(const struct am_description *d, struct am_text *out)
{
    for (size_t i = 0; i < d->fields.n; i++) {
        const char *const name = d->fields.items[i].name;

        am_text_addf(out,
                     " *     g.field[%zu][g.parity][NAME_at(&g, %s)] = ...; // every point of %s\n",
                     i, point_of(d), name);
        if (d->second)
            am_text_addf(
                out, " *     g.field[%zu][!g.parity][NAME_at(&g, %s)] = ...; // its step before\n",
                i, point_of(d));
    }
    for (size_t i = 0; i < d->coefficients.n; i++)
        am_text_addf(out,
                     " *     g.coefficient[%zu][NAME_at(&g, %s)] = ...; // every point of %s\n", i,
                     point_of(d), d->coefficients.items[i].name);
}

static void advise_tiles(const struct am_description *d, const struct am_emit_shape *shape,
                         struct am_text *out)
{
    am_text_addf(out, " *\n * Passes of several steps by tiles:\n *\n"
                      " *     const struct NAME_shape shape = ");
    am_text_addf(out, "{.depth = %ld, .wave = %ld, .strip = %ld, .rows = %ld};\n", shape->depth,
                 shape->wave, shape->strip, shape->rows);
    advise_sizes(d, out);
    am_text_addf(out, " *     struct NAME_team team = {.threads = 1};\n"
                      " *     struct NAME_grid g;\n *\n"
                      " *     if (!NAME_lay_out(&g, n, shape.depth))\n"
                      " *         return; // a side is too short\n");
    for (size_t i = 0; i < d->fields.n; i++)
        am_text_addf(out,
                     " *     g.field[%zu][0] = ..., g.field[%zu][1] = ...; // g.elements in each\n",
                     i, i);
    for (size_t i = 0; i < d->coefficients.n; i++)
        am_text_addf(out, " *     g.coefficient[%zu] = ...; // likewise\n", i);
    advise_parameters(d, out, "g");
    advise_tile_points(d, out);
    am_text_addf(
        out, " *     NAME_close(&g);\n"
             " *     NAME_run(&g, &shape, &team, steps, me); // by every thread, me = 0, 1, ...\n"
             " *\n * The outcome is in g.field[0][g.parity], as the start was.\n");
}

/* What lies behind the first field, by the function that tells how far; `loop` is wave or fold. */
static void advise_point(const struct am_description *d, struct am_text *out, const char *loop,
                         const char *behind, size_t i, const char *what)
{
    am_text_addf(
        out, " *     *(REAL *)((char *)NAME_%s_at(&w, %s) + NAME_%s_%s(&w, %zu)) = ...; // %s\n",
        loop, point_of(d), loop, behind, i, what);
}

static void advise_points(const struct am_description *d, struct am_text *out, const char *loop)
{
    am_text_addf(out, " *     *NAME_%s_at(&w, %s) = ...; // every point of %s\n", loop, point_of(d),
                 d->fields.items[0].name);
    for (size_t i = 1; i < d->fields.n; i++)
        advise_point(d, out, loop, "field", i, d->fields.items[i].name);
    for (size_t i = 0; i < d->fields.n && d->second; i++)
        advise_point(d, out, loop, "before", i, "its step before");
    for (size_t i = 0; i < d->coefficients.n; i++)
        advise_point(d, out, loop, "coefficient", i, d->coefficients.items[i].name);
}

/* Loops with a grid of their own; `sized` is what it is laid out for besides its points. */
static void advise_loop(const struct am_description *d, struct am_text *out, const char *loop,
                        const char *sized)
{
    advise_sizes(d, out);
    am_text_addf(out,
                 " *     struct NAME_team team = {.threads = 1};\n"
                 " *     struct NAME_%ss w;\n *\n"
                 " *     if (!NAME_%s_lay_out(&w, n%s))\n"
                 " *         return; // a side is too short\n"
                 " *     w.field = ...; // w.elements of them, zeroed, aligned to 64 bytes\n",
                 loop, loop, sized);
    advise_parameters(d, out, "w");
    advise_points(d, out, loop);
    am_text_addf(
        out,
        " *     NAME_%s_close(&w);\n"
        " *     NAME_%s_run(&w, &shape, &team, steps, me); // by every thread, me = 0, 1, ...\n"
        " *\n * The outcome is where the start was set.\n",
        loop, loop);
}

static void advise_waves(const struct am_description *d, const struct am_emit_shape *shape,
                         struct am_text *out)
{
    am_text_addf(out,
                 " *\n * Passes of several steps by waves:\n *\n"
                 " *     const struct NAME_shape shape = {.depth = %ld, .strip = %ld};\n",
                 shape->depth, shape->strip);
    advise_loop(d, out, "wave", ", shape.depth, team.threads");
}

static void advise_folds(const struct am_description *d, const struct am_emit_shape *shape,
                         struct am_text *out)
{
    am_text_addf(out,
                 " *\n * Sweeps over folded vectors:\n *\n"
                 " *     const struct NAME_shape shape = {.strip = %ld};\n",
                 shape->strip);
    advise_loop(d, out, "fold", "");
}

void am_emit_advise(const struct am_description *d, const struct am_emit_shape *shape,
                    unsigned loops, struct am_text *out)
{
    static const struct {
        enum am_emit_loop loop;
        void (*advise)(const struct am_description *d, const struct am_emit_shape *shape,
                       struct am_text *out);
    } all[] = {
        {AM_EMIT_TILED, advise_tiles}, {AM_EMIT_WAVE, advise_waves}, {AM_EMIT_FOLD, advise_folds}};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (loops & all[i].loop)
            all[i].advise(d, shape, out);
    }
}
