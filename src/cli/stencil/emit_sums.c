/* SPDX-License-Identifier: MIT */
/* Writes blocks of rows whose steps are not made in place: boxes, and equations of second order.
 *
 * A block goes along x and loads, per column, one vector of each row that its points look at. Of
 * every row that it makes it holds the sums of the 2 * reach columns that are under way: column j
 * adds to the sums of columns j - reach to j + reach what their points have of it, and the first of
 * them is complete then. Nothing is loaded twice for neighbours along x, and what a column gives to
 * both sides alike is calculated once. Beyond a row's ends the columns are its turned vectors. */
#include "cli/stencil/emit_wave.h"

#include <stdlib.h>

struct sums {
    const struct am_weights *w;
    int radius; /* of rows */
    int a, c;   /* rows along the slow and the fast dimension */
    bool solid;
    struct am_text *out;
};

/* Columns of one kind. */
struct columns {
    const char *part;      /* of a row's turned vectors; NULL: columns of the row */
    int first_dx, last_dx; /* neighbours that matter: beyond the ends only those inwards */
    bool sideways;         /* and those of the same column do not */
    bool complete;         /* a column is made and stored */
};

/* ---- neighbours ---- */

/* The weight of a neighbour, by offsets along x, the fast and the slow dimension. */
static const struct am_weight *weight_at(const struct sums *s, int dx, int fast, int slow)
{
    return s->solid ? am_weights_at(s->w, dx, fast, slow)
                    : (fast ? NULL : am_weights_at(s->w, dx, slow, 0));
}

static int fast_radius(const struct sums *s)
{
    return s->solid ? s->radius : 0;
}

/* Whether some point of the block looks at row (a, c), at columns of this kind. */
static bool is_read(const struct sums *s, const struct columns *k, int a, int c)
{
    for (int i = 0; i < s->a * s->c; i++) {
        const int slow = a - i / s->c, fast = c - i % s->c;

        for (int dx = k->first_dx; dx <= k->last_dx; dx++) {
            if ((dx || !k->sideways) && abs(slow) <= s->radius && abs(fast) <= fast_radius(s) &&
                weight_at(s, dx, fast, slow))
                return true;
        }
    }
    return false;
}

static void for_rows(const struct sums *s, const struct columns *k,
                     void (*act)(const struct sums *s, const struct columns *k, int a, int c))
{
    for (int a = -s->radius; a < s->a + s->radius; a++) {
        for (int c = -fast_radius(s); c < s->c + fast_radius(s); c++) {
            if (is_read(s, k, a, c))
                act(s, k, a, c);
        }
    }
}

/* Names have no minus. */
static int named(int row)
{
    return row + AM_FORMULA_REACH_MAX;
}

static void add_load(const struct sums *s, const struct columns *k, int a, int c)
{
    am_text_addf(s->out, "        const NAME_vector v_%d_%d = ", named(a), named(c));
    if (k->part)
        am_text_addf(s->out, "end_%d_%d.%s[j];\n", named(a), named(c), k->part);
    else
        am_text_addf(s->out, "NAME_IN(NAME_ROW(%d, %d), i);\n", a, c);
}

static void add_end(const struct sums *s, const struct columns *k, int a, int c)
{
    (void)k;
    am_text_addf(s->out, "    struct NAME_row_ends end_%d_%d;\n", named(a), named(c));
}

static void add_turn(const struct sums *s, const struct columns *k, int a, int c)
{
    (void)k;
    am_text_addf(s->out, "    NAME_turn(b, NAME_ROW(%d, %d), &end_%d_%d);\n", a, c, named(a),
                 named(c));
}

/* ---- what a column gives ---- */

/* The sum of the neighbours that one value belongs to. How many they are. */
static int add_alike(const struct sums *s, int a, int c, int dx, size_t value)
{
    int n = 0;

    for (int slow = -s->radius; slow <= s->radius; slow++) {
        for (int fast = -fast_radius(s); fast <= fast_radius(s); fast++) {
            const struct am_weight *const item = weight_at(s, dx, fast, slow);

            if (!item || item->value != value)
                continue;
            if (s->out)
                am_text_addf(s->out, "%sv_%d_%d", n ? " + " : "", named(a + slow), named(c + fast));
            n++;
        }
    }
    return n;
}

static int count_alike(const struct sums *s, int dx, size_t value)
{
    const struct sums silent = {
        .w = s->w, .radius = s->radius, .a = s->a, .c = s->c, .solid = s->solid};

    return add_alike(&silent, 0, 0, dx, value);
}

/* All products of one offset along x; `rest` is added to them. How many there are. */
static int add_products(const struct sums *s, int a, int c, int dx, const char *rest)
{
    int open = -1;

    for (size_t value = 0; value < s->w->n_values; value++) {
        if (count_alike(s, dx, value) == 0)
            continue;
        am_emit_begin_product(s->out, value, &open);
        am_text_add(s->out, "(");
        (void)add_alike(s, a, c, dx, value);
        am_text_add(s->out, ")");
    }
    am_text_addf(s->out, "%s%s", open < 0 || !*rest ? "" : " + ", rest);
    am_emit_end_products(s->out, open);
    return open + 1;
}

/* Whether both sides of a column get the same, and it is more than one product. */
static bool is_shared(const struct sums *s, const struct columns *k, int dx)
{
    int neighbours = 0;

    if (dx == 0 || -abs(dx) < k->first_dx || abs(dx) > k->last_dx)
        return false;
    for (int slow = -s->radius; slow <= s->radius; slow++) {
        for (int fast = -fast_radius(s); fast <= fast_radius(s); fast++) {
            const struct am_weight *const one = weight_at(s, dx, fast, slow);
            const struct am_weight *const other = weight_at(s, -dx, fast, slow);

            if (!one != !other || (one && one->value != other->value))
                return false;
            neighbours += one != NULL;
        }
    }
    return neighbours > 1;
}

/* `rest` and what offset dx gives: "" stands for nothing. */
static void add_given(const struct sums *s, const struct columns *k, int a, int c, int dx,
                      const char *rest)
{
    bool some = false;

    for (size_t value = 0; value < s->w->n_values; value++)
        some = some || count_alike(s, dx, value) > 0;
    if (dx < k->first_dx || dx > k->last_dx || !some)
        am_text_add(s->out, *rest ? rest : "NAME_all(0)");
    else if (is_shared(s, k, dx))
        am_text_addf(s->out, "%s%sg%d_%d_%d", rest, *rest ? " + " : "", abs(dx), a, c);
    else
        (void)add_products(s, a, c, dx, rest);
}

/* One row at one column. */
static void add_row(const struct sums *s, const struct columns *k, int a, int c)
{
    const int reach = s->w->reach;
    char rest[64];

    for (int dx = 1; dx <= reach; dx++) {
        if (!is_shared(s, k, dx))
            continue;
        am_text_addf(s->out, "        const NAME_vector g%d_%d_%d = ", dx, a, c);
        (void)add_products(s, a, c, dx, "");
        am_text_add(s->out, ";\n");
    }
    if (k->complete) {
        am_text_addf(s->out, "        NAME_OUT(NAME_TO(%d, %d), i - NAME_REACH * NAME_BYTES) = ", a,
                     c);
        if (s->w->before >= 0)
            am_text_addf(s->out, "w%d * NAME_IN(NAME_TO(%d, %d), i - NAME_REACH * NAME_BYTES) + (",
                         s->w->before, a, c);
        (void)am_str_format(rest, sizeof(rest), "s0_%d_%d", a, c);
        add_given(s, k, a, c, reach, rest);
        am_text_add(s->out, s->w->before >= 0 ? ");\n" : ";\n");
    }
    for (int i = 0; i < 2 * reach; i++) {
        const bool last = i + 1 == 2 * reach;

        (void)am_str_format(rest, sizeof(rest), "s%d_%d_%d", i + 1, a, c);
        am_text_addf(s->out, "        s%d_%d_%d = ", i, a, c);
        add_given(s, k, a, c, reach - 1 - i, last ? "" : rest);
        am_text_add(s->out, ";\n");
    }
}

static void add_column(const struct sums *s, const struct columns *k, bool ahead)
{
    for (int i = 0; ahead && i < (s->solid ? 2 : 1); i++)
        am_text_addf(s->out, "        __builtin_prefetch(b->ahead[%d] + i, 0, 2);\n", i);
    for_rows(s, k, add_load);
    for (int i = 0; i < s->a * s->c; i++)
        add_row(s, k, i / s->c, i % s->c);
}

/* ---- a block ---- */

void am_emit_sums(const struct am_description *d, const struct am_weights *w, const int rows[2],
                  bool ahead, struct am_text *out)
{
    const struct sums s = {w, (int)d->radius, rows[0], rows[1], d->dimensions == 3, out};
    const struct columns ends = {.first_dx = -w->reach, .last_dx = w->reach, .sideways = true};
    const struct columns turned = {.first_dx = -w->reach, .last_dx = -1, .part = "left"};
    const struct columns first = {.first_dx = -w->reach, .last_dx = w->reach - 1};
    const struct columns inner = {.first_dx = -w->reach, .last_dx = w->reach, .complete = true};
    const struct columns beyond = {
        .first_dx = 1, .last_dx = w->reach, .part = "right", .complete = true};

    am_text_add(out, "    const char *const p = b->first;\n    char *const q = b->other;\n"
                     "    const long slow = b->slow, fast = b->fast;\n"
                     "    const long last = b->w->vectors * NAME_BYTES;\n");
    am_emit_weight_vectors(w, "b->weight", out);
    for_rows(&s, &ends, add_end);
    for (int k = 0; k < 2 * w->reach * s.a * s.c; k++)
        am_text_addf(out, "    NAME_vector s%d_%d_%d = NAME_all(0);\n", k / (s.a * s.c),
                     k / s.c % s.a, k % s.c);
    am_text_add(out, "    long i = 0;\n\n    (void)fast;\n");
    for_rows(&s, &ends, add_turn);
    am_text_add(out, "    for (long j = NAME_REACH; j-- > 0;) {\n");
    add_column(&s, &turned, false);
    am_text_add(out, "    }\n    for (; i < NAME_REACH * NAME_BYTES; i += NAME_BYTES) {\n");
    add_column(&s, &first, false);
    am_text_add(out, "    }\n    for (; i < last; i += NAME_BYTES) {\n");
    add_column(&s, &inner, ahead);
    am_text_add(out, "    }\n    for (long j = 0; j < NAME_REACH; j++, i += NAME_BYTES) {\n");
    add_column(&s, &beyond, false);
    am_text_add(out, "    }\n");
}
