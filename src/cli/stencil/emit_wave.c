/* SPDX-License-Identifier: MIT */
/* Writes blocks of rows that go along x in registers, and slices.
 *
 * A block has A rows along the slowest dimension and C along the one before it (two dimensions: 1).
 * Of each row it holds the values beside column i; per column it loads one new vector per row, and
 * what lies around the block. Where the neighbours along x and along the slowest dimension have one
 * weight, d(i, a) = u(i - 1, a) + u(i, a - 1) is added once for two points: the four neighbours are
 * d(i, a) + d(i + 1, a + 1). */
#include "cli/stencil/emit_wave.h"

#include "cli/stencil/weights.h"

#include <stdlib.h>
#include <string.h>

struct block {
    const struct am_description *d;
    const struct am_weights *w;
    int a, c;   /* rows along the slow and the fast dimension */
    bool back;  /* rows are taken the other way: offsets have the other sign */
    bool ahead; /* rows are prefetched */
    bool pairs; /* sums of two are shared */
    struct am_text *out;
};

/* ---- sizes ---- */

struct sizes {
    int registers;
    /* A and C; of long rows, which come from the second-level cache. In two dimensions short ones
     * are begun often, and leave registers for most of what lies beyond their ends. */
    int small[2], large[2];
};

/* Whether d(i, a) serves two points. */
static bool shares_pairs(const struct am_description *d, const struct am_weights *w)
{
    const int y = d->dimensions == 2, z = d->dimensions == 3;
    const struct am_weight *const of[] = {am_weights_at(w, -1, 0, 0), am_weights_at(w, 1, 0, 0),
                                          am_weights_at(w, 0, -y, -z), am_weights_at(w, 0, y, z)};

    for (int i = 0; i < 4; i++) {
        if (!of[i] || of[i]->value != of[0]->value)
            return false;
    }
    return w->reach == 1;
}

/* As many rows as registers hold beside weights and what is under way. */
static struct sizes sizes_of(const struct am_description *d, const struct am_weights *w,
                             int registers)
{
    static const struct {
        int least, small[2], large[2];
    } solid[] = {
        {13, {4, 2}, {4, 3}}, {5, {2, 2}, {3, 2}}, {4, {2, 2}, {2, 2}}, {2, {2, 1}, {2, 1}}};
    const int room = (registers - 4 - (int)w->n_values) / (2 * w->reach);
    struct sizes s = {registers, {1, 1}, {1, 1}};

    if (d->dimensions == 2) {
        s.large[0] = room > 12 ? 12 : room > 1 ? room : 1;
        s.small[0] = s.large[0] > 10 && !w->turns ? 10 : s.large[0];
        return s;
    }
    for (size_t i = 0; i < sizeof(solid) / sizeof(*solid); i++) {
        if (room >= solid[i].least) {
            memcpy(s.small, solid[i].small, sizeof(s.small));
            memcpy(s.large, solid[i].large, sizeof(s.large));
            return s;
        }
    }
    return s;
}

/* ---- names ---- */

static void add_load(const struct block *b, int a, int c, const char *beyond)
{
    am_text_addf(b->out, "NAME_IN(NAME_ROW(%d, %d), i%s)", a, c, beyond);
}

/* The point at column i of another row: a variable of the block, or memory. */
static void add_row_point(const struct block *b, int a, int c, int ds, int df)
{
    const int aa = a + ds, cc = c + df;

    if (aa < 0 || aa >= b->a || cc < 0 || cc >= b->c)
        add_load(b, aa, cc, "");
    else
        am_text_addf(b->out, "%s_%d_%d", aa < a || (aa == a && cc < c) ? "x" : "u", aa, cc);
}

/* The neighbour that a weight belongs to. */
static void add_neighbour(const struct block *b, int a, int c, const struct am_weight *item)
{
    const int sign = b->back ? -1 : 1, dx = item->at[0];
    const bool solid = b->d->dimensions == 3;

    if (dx < 0)
        am_text_addf(b->out, "l%d_%d_%d", -dx, a, c);
    else if (dx > 0 && dx < b->w->reach)
        am_text_addf(b->out, "r%d_%d_%d", dx, a, c);
    else if (dx > 0)
        am_text_addf(b->out, "right_%d_%d", a, c);
    else if (item->at[1] == 0 && item->at[2] == 0)
        am_text_addf(b->out, "x_%d_%d", a, c);
    else
        add_row_point(b, a, c, sign * item->at[solid ? 2 : 1], solid ? sign * item->at[1] : 0);
}

/* ---- the sum of a point ---- */

static bool are_opposite(const struct am_weight *p, const struct am_weight *q)
{
    return p->value == q->value && p->at[0] == -q->at[0] && p->at[1] == -q->at[1] &&
           p->at[2] == -q->at[2];
}

static void add_items(const struct block *b, int a, int c, bool done[], int *open)
{
    const struct am_weights *const w = b->w;

    for (size_t i = 0; i < w->n; i++) {
        size_t pair = i + 1;

        if (done[i])
            continue;
        while (pair < w->n && (done[pair] || !are_opposite(&w->items[i], &w->items[pair])))
            pair++;
        am_emit_begin_product(b->out, w->items[i].value, open);
        am_text_add(b->out, pair < w->n ? "(" : "");
        add_neighbour(b, a, c, &w->items[i]);
        if (pair < w->n) {
            am_text_add(b->out, " + ");
            add_neighbour(b, a, c, &w->items[pair]);
            am_text_add(b->out, ")");
            done[pair] = true;
        }
    }
}

/* Those that d(i, a) + d(i + 1, a + 1) stands for. */
static bool is_shared(const struct block *b, const struct am_weight *item)
{
    const int slow = item->at[b->d->dimensions - 1];

    return b->pairs && (abs(item->at[0]) == 1 || abs(slow) == 1);
}

/* The sum of all others. */
static void add_rest(const struct block *b, int a, int c)
{
    const struct am_weight *const centre = am_weights_at(b->w, 0, 0, 0);
    bool done[AM_WEIGHTS_MAX] = {false};
    int open = -1;

    for (size_t i = 0; i < b->w->n; i++)
        done[i] = is_shared(b, &b->w->items[i]) || &b->w->items[i] == centre;
    add_items(b, a, c, done, &open);
    if (centre) {
        am_emit_begin_product(b->out, centre->value, &open);
        am_text_addf(b->out, "x_%d_%d", a, c);
    }
    am_emit_end_products(b->out, open);
}

static bool has_rest(const struct block *b)
{
    for (size_t i = 0; i < b->w->n; i++) {
        if (!is_shared(b, &b->w->items[i]))
            return true;
    }
    return false;
}

static void add_value(const struct block *b, int a, int c)
{
    if (!b->pairs) {
        add_rest(b, a, c);
        return;
    }
    am_text_addf(b->out, "w%zu * (d_%d_%d + below_%d_%d)", am_weights_at(b->w, 1, 0, 0)->value, a,
                 c, a, c);
    if (has_rest(b))
        am_text_addf(b->out, " + rest_%d_%d", a, c);
}

/* ---- a column ---- */

/* Moves what is held of a row on by one column. */
static void add_moves(const struct block *b, int a, int c)
{
    const int reach = b->w->reach;

    for (int j = b->w->left; j > 1 && !b->pairs; j--)
        am_text_addf(b->out, "        l%d_%d_%d = l%d_%d_%d;\n", j, a, c, j - 1, a, c);
    if (!b->pairs && b->w->left)
        am_text_addf(b->out, "        l1_%d_%d = x_%d_%d;\n", a, c, a, c);
    if (b->pairs && a > 0)
        am_text_addf(b->out, "        d_%d_%d = below_%d_%d;\n", a, c, a - 1, c);
    am_text_addf(b->out, "        u_%d_%d = %s_%d_%d;\n", a, c, reach > 1 ? "r1" : "right", a, c);
    for (int j = 1; j < reach - 1; j++)
        am_text_addf(b->out, "        r%d_%d_%d = r%d_%d_%d;\n", j, a, c, j + 1, a, c);
    if (reach > 1)
        am_text_addf(b->out, "        r%d_%d_%d = right_%d_%d;\n", reach - 1, a, c, a, c);
}

/* What a point has of itself and of the rows beside it, before what is held of them moves on: no
 * copy of them takes a register then. */
static void begin_row(const struct block *b, int a, int c)
{
    am_text_addf(b->out, "        const NAME_vector x_%d_%d = u_%d_%d;\n", a, c, a, c);
    if (!am_weights_at(b->w, 0, 0, 0) && (b->pairs || !b->w->left))
        am_text_addf(b->out, "        (void)x_%d_%d;\n", a, c); /* rows beside may read it */
    if (!b->pairs || !has_rest(b))
        return;
    am_text_addf(b->out, "        NAME_vector rest_%d_%d = ", a, c);
    add_rest(b, a, c);
    am_text_addf(b->out, ";\n        NAME_READY(rest_%d_%d);\n", a, c);
}

/* The rest of one row at one column; `end` counts the columns at the end of the row, whose last
 * neighbours lie beyond it; -1: all are in the row. */
static void finish_row(const struct block *b, int a, int c, int end)
{
    char beyond[32];

    (void)am_str_format(beyond, sizeof(beyond), " + %d * NAME_BYTES", b->w->reach);
    am_text_addf(b->out, "        const NAME_vector right_%d_%d = ", a, c);
    if (end < 0)
        add_load(b, a, c, beyond);
    else
        am_text_addf(b->out, "end_%d_%d.right[%d]", a, c, end);
    am_text_add(b->out, ";\n");
    if (b->pairs) {
        am_text_addf(b->out, "        const NAME_vector below_%d_%d = ", a, c);
        add_row_point(b, a, c, 1, 0);
        am_text_addf(b->out, " + right_%d_%d;\n", a, c);
    }
    am_text_addf(b->out, "        NAME_OUT(NAME_ROW(%d, %d), i) = ", a - (int)b->d->radius,
                 b->d->dimensions == 3 ? c - (int)b->d->radius : 0);
    add_value(b, a, c);
    am_text_add(b->out, ";\n");
    add_moves(b, a, c);
}

/* A row's copy may be needed by the next one of its plane: that begins before this one is finished.
 */
static void add_plane(const struct block *b, int a, int end)
{
    begin_row(b, a, 0);
    for (int c = 0; c < b->c; c++) {
        if (c + 1 < b->c)
            begin_row(b, a, c + 1);
        finish_row(b, a, c, end);
    }
}

static void add_column(const struct block *b, int end)
{
    for (int c = 0; c < b->c && b->pairs && end < 0; c++) {
        am_text_addf(b->out, "        const NAME_vector begun_%d = u_0_%d + ", c, c);
        add_load(b, -1, c, " + NAME_BYTES");
        am_text_add(b->out, ";\n");
    }
    for (int a = 0; a < b->a; a++)
        add_plane(b, a, end);
    for (int c = 0; c < b->c && b->pairs && end < 0; c++)
        am_text_addf(b->out, "        d_0_%d = begun_%d;\n", c, c);
    /* before the loads they cost more than they bring */
    for (int k = 0; k < 2 && b->ahead && end < 0; k++) {
        if (k == 0 || b->d->dimensions == 3)
            am_text_addf(b->out, "        __builtin_prefetch(b->ahead[%d] + i, 0, 2);\n", k);
    }
}

/* ---- a block ---- */

/* What is held of a row before column 0. */
static void add_begin(const struct block *b, int a, int c)
{
    am_text_addf(b->out, "    NAME_vector u_%d_%d = NAME_IN(NAME_ROW(%d, %d), 0);\n", a, c, a, c);
    if (b->pairs) {
        am_text_addf(b->out, "    NAME_vector d_%d_%d = end_%d_%d.left[0] + ", a, c, a, c);
        if (a > 0)
            am_text_addf(b->out, "u_%d_%d;\n", a - 1, c);
        else
            am_text_addf(b->out, "NAME_IN(NAME_ROW(-1, %d), 0);\n", c);
        return;
    }
    for (int j = 1; j <= b->w->left; j++)
        am_text_addf(b->out, "    NAME_vector l%d_%d_%d = end_%d_%d.left[%d];\n", j, a, c, a, c,
                     j - 1);
    for (int j = 1; j < b->w->reach; j++)
        am_text_addf(b->out,
                     "    NAME_vector r%d_%d_%d = NAME_IN(NAME_ROW(%d, %d), %d * NAME_BYTES);\n", j,
                     a, c, a, c, j);
}

static void add_name(const struct block *b)
{
    am_text_addf(b->out, "NAME_block_%d_%d%s%s", b->a, b->c, b->back ? "_back" : "",
                 b->ahead ? "_ahead" : "");
}

static void add_block(const struct block *b)
{
    am_text_add(b->out, "static void ");
    add_name(b);
    am_text_add(b->out, "(const struct NAME_block *b)\n{\n");
    if (b->w->turns) {
        am_emit_sums(b->d, b->w, (const int[]){b->a, b->c}, b->ahead, b->out);
        am_text_add(b->out, "}\n\n");
        return;
    }
    am_text_add(b->out, "    char *const p = b->first;\n"
                        "    const long slow = b->slow, fast = b->fast;\n"
                        "    const long last = (b->w->vectors - NAME_REACH) * NAME_BYTES;\n");
    am_emit_weight_vectors(b->w, "b->weight", b->out);
    for (int k = 0; k < b->a * b->c; k++)
        am_text_addf(b->out, "    struct NAME_row_ends end_%d_%d;\n", k / b->c, k % b->c);
    am_text_add(b->out, "    long i = 0;\n\n    (void)fast;\n");
    for (int k = 0; k < b->a * b->c; k++)
        am_text_addf(b->out, "    NAME_turn(b, NAME_ROW(%d, %d), &end_%d_%d);\n", k / b->c,
                     k % b->c, k / b->c, k % b->c);
    for (int k = 0; k < b->a * b->c; k++)
        add_begin(b, k / b->c, k % b->c);
    am_text_add(b->out, "    for (; i < last; i += NAME_BYTES) {\n");
    add_column(b, -1);
    am_text_add(b->out, "    }\n");
    for (int end = 0; end < b->w->reach; end++) {
        am_text_add(b->out, "    {\n");
        add_column(b, end);
        am_text_add(b->out, "        i += NAME_BYTES;\n    }\n");
    }
    am_text_add(b->out, "}\n\n");
}

/* ---- all blocks ---- */

/* Whether passes that go the other way need blocks of their own. */
static bool is_lopsided(const struct am_description *d, const struct am_weights *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct am_weight *const item = &w->items[i];
        const struct am_weight *const other =
            am_weights_at(w, item->at[0], -item->at[1], -item->at[2]);

        if (!w->turns && (!other || other->value != item->value))
            return true;
    }
    return d->dimensions == 1;
}

/* Planes of blocks between whole ones and single ones: where waves begin and end. Boxes have many
 * neighbours, and so much code that single ones must do. */
static int some_of(const struct am_weights *w, const struct sizes *sizes)
{
    return !w->turns && sizes->small[0] > 2 && sizes->large[0] > 2 ? 2 : 1;
}

/* Those of a table: one row, all planes of one row, a whole block, the same with prefetch; one
 * plane of all rows, some planes of one row and of all. */
enum { SHAPES = 7 };

static void shapes_of(const struct block *b, const int size[2], int some, struct block out[SHAPES])
{
    const int planes[SHAPES] = {1, size[0], size[0], size[0], 1, some, some};
    const int rows[SHAPES] = {1, 1, size[1], size[1], size[1], 1, size[1]};

    for (int k = 0; k < SHAPES; k++) {
        out[k] = *b;
        out[k].a = planes[k];
        out[k].c = k > 3 && b->w->turns ? 1 : rows[k];
        out[k].ahead = k == 3;
    }
}

static void add_once(const struct block *b, const struct block *before, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (before[i].a == b->a && before[i].c == b->c && before[i].ahead == b->ahead)
            return;
    }
    add_block(b);
}

static void add_table(struct block b[2][2][SHAPES], struct am_text *out)
{
    am_text_addf(out, "static NAME_block_fn *const NAME_blocks[2][2][%d] = {\n", SHAPES);
    for (int i = 0; i < 4; i++) {
        am_text_addf(out, "    %s{", i % 2 ? " " : "{");
        for (int k = 0; k < SHAPES; k++) {
            struct block named = b[i / 2][i % 2][k];

            named.out = out;
            add_name(&named);
            am_text_add(out, k < SHAPES - 1 ? ", " : i % 2 ? "}},\n" : "},\n");
        }
    }
    am_text_add(out, "};\n");
}

static void add_blocks(const struct am_description *d, const struct am_weights *w, int registers,
                       struct am_text *out)
{
    const struct sizes sizes = sizes_of(d, w, registers);
    const bool lopsided = is_lopsided(d, w);
    struct block all[2][2][SHAPES];

    for (int back = 0; back < 2; back++) {
        const struct block b = {
            .d = d, .w = w, .back = back && lopsided, .pairs = shares_pairs(d, w), .out = out};
        const int some = some_of(w, &sizes);

        shapes_of(&b, sizes.small, some, all[back][0]);
        shapes_of(&b, sizes.large, some, all[back][1]);
        for (size_t k = 0; k < (size_t)2 * SHAPES && (!back || lopsided); k++)
            add_once(&all[back][k / SHAPES][k % SHAPES], all[back][0], k);
    }
    add_table(all, out);
}

/* Planes of rows, whose values are needed in several places. */
static bool carries(const struct am_description *d, const struct am_weights *w)
{
    return d->dimensions == 3 && !w->turns;
}

void am_emit_wave_blocks(const struct am_description *d, struct am_text *out)
{
    struct am_weights w;

    if (!am_weights_find(d, &w)) {
        am_emit_field_blocks(d, out);
        return;
    }
    if (carries(d, &w))
        am_text_add(out,
                    "/* gcc would carry more from one column to the next than registers hold. */\n"
                    "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC push_options\n"
                    "#pragma GCC optimize(\"no-tree-pre\")\n#endif\n");
    am_text_add(out, "#if defined(__AVX512F__)\n");
    add_blocks(d, &w, 32, out);
    am_text_add(out, "#else\n");
    add_blocks(d, &w, 16, out);
    am_text_add(out, "#endif\n\n");
    if (carries(d, &w))
        am_text_add(
            out,
            "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC pop_options\n#endif\n\n");
}

/* ---- constants ---- */

static void add_sizes(const struct am_description *d, const struct am_weights *w, int registers,
                      struct am_text *out)
{
    const struct sizes s = sizes_of(d, w, registers);

    am_text_addf(out,
                 "enum {\n    NAME_SMALL_SLOW = %d,\n    NAME_SMALL_FAST = %d,\n"
                 "    NAME_LARGE_SLOW = %d,\n    NAME_LARGE_FAST = %d,\n"
                 "    NAME_SOME = %d, /* planes of blocks that are not whole */\n"
                 "    NAME_SLICE = %d\n};\n",
                 s.small[0], s.small[1], s.large[0], s.large[1], some_of(w, &s),
                 registers == 32 ? 24 : registers - 2 - (int)w->n_values);
}

void am_emit_wave_constants(const struct am_description *d, struct am_text *out)
{
    struct am_weights w;

    if (!am_weights_find(d, &w)) {
        am_emit_field_constants(d, out);
        return;
    }
    am_text_addf(
        out,
        "/* Blocks of waves: rows that registers hold, of the slow and of the fast "
        "dimension. */\n"
        "enum {\n    NAME_REACH = %d,\n    NAME_WEIGHTS = %zu,\n    NAME_AHEAD = %d,\n"
        "    NAME_TURNS = %d,   /* 1: two arrays take turns; 0: steps are made in place */\n"
        "    NAME_CORNERS = %d, /* 1: some neighbours lie along no axis */\n"
        "    NAME_ARRAYS = 1 + NAME_TURNS,\n"
        "    NAME_ENDS = 0, /* vectors beyond each end of a row that are stored */\n"
        "    NAME_NEAR = 0, /* lanes lie apart */\n"
        "    NAME_OFFSETS = 0,\n"
        "    NAME_STEPS_MAX = 256,\n"
        "    NAME_LARGE = 4 << 20 /* bytes: grids that leave the second-level cache */\n};\n"
        "enum { NAME_SOLO_ROWS = %d }; /* 1: planes that are left over are made by all rows of a "
        "block */\n" AM_EMIT_BLOCK_KINDS "enum { NAME_SWEEP = NAME_WHOLE };\n"
        "#if defined(__AVX512F__)\n",
        w.reach, w.n_values, d->dimensions == 3 ? 2 : 1, w.turns, w.corners, !w.turns);
    add_sizes(d, &w, 32, out);
    am_text_add(out, "#else\n");
    add_sizes(d, &w, 16, out);
    am_text_add(out, "#endif\n\n");
    if (d->dimensions > 1)
        am_text_add(
            out,
            "static const signed char NAME_reads[1][2] = {{0, -1}};\n"
            "#define NAME_KERNELS(back, large, stage) ((void)(stage), NAME_blocks[back][large])\n\n");
}

void am_emit_wave_weights(const struct am_description *d, struct am_text *out)
{
    struct am_weights w = {.n_values = 0};

    (void)am_weights_find(d, &w);
    am_text_add(out,
                "static void NAME_set_weights(const struct NAME_waves *from__, REAL *to__)\n{\n");
    for (size_t i = 0; i < d->parameters.n && w.n_values; i++)
        am_text_addf(out, "    const REAL %s = from__->parameter[%zu];\n",
                     d->parameters.items[i].name, i);
    am_text_add(out, "\n    (void)from__;\n    (void)to__;\n");
    for (size_t i = 0; i < d->parameters.n && w.n_values; i++)
        am_text_addf(out, "    (void)%s;\n", d->parameters.items[i].name);
    for (size_t i = 0; i < w.n_values; i++)
        am_text_addf(out, "    to__[%zu] = (REAL)(%s);\n", i, w.values[i]);
    am_text_add(out, "}\n\n");
}
