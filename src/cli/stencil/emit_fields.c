/* SPDX-License-Identifier: MIT */
/* Writes blocks of waves for formulas of any kind: several fields that are updated one after the
 * other, coefficients, products, sources, in two and three dimensions.
 *
 * Every field has two arrays that take turns, and rows have their lanes far apart, so that
 * neighbours are whole aligned vectors; what lies beyond a row's ends is stored with it. A block
 * makes one update of A rows along the slow and C along the fast dimension: the formula as it is
 * written, once per row, of which a compiler loads what several rows read once. The order of
 * operations is that of plain sweeps. */
#include "cli/stencil/emit_formula.h"
#include "cli/stencil/emit_wave.h"

#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 4,    /* rows that a block prefetches for the next wave */
    SOON = 512,   /* bytes that it prefetches of its own rows before it reads them */
    ROWS_MAX = 8, /* of a block */
};

/* One update of a block of rows. */
struct stage {
    const struct am_description *d;
    size_t number;
    int a, c; /* rows along the slow and the fast dimension */
    bool ahead, soon;
    struct am_text *out;
};

/* A row of a block. */
struct place {
    int a, c;
};

/* ---- what formulas read ---- */

bool am_emit_is_value(const struct am_description *d, const struct am_formula_node *node)
{
    return node->kind == AM_FORMULA_NAME && am_description_find(&d->parameters, node->text) < 0;
}

/* Values that an update reads. */
static size_t count_values(const struct am_description *d, size_t update)
{
    const struct am_formula *const f = &d->updates[update].formula;
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        n += am_emit_is_value(d, &f->nodes[i]);
    return n;
}

bool am_emit_has_waves(const struct am_description *d)
{
    struct am_weights w;

    return am_weights_find(d, &w) || d->dimensions > 1;
}

/* Whether an update reads rows of a field beside its own. */
static bool reads_beside(const struct am_description *d, size_t update, size_t field,
                         enum am_formula_when when)
{
    const struct am_formula *const f = &d->updates[update].formula;

    for (size_t i = 0; i < f->n; i++) {
        const struct am_formula_node *const node = &f->nodes[i];

        if (am_emit_is_value(d, node) && node->when == when && (node->at[1] || node->at[2]) &&
            strcmp(node->text, d->fields.items[field].name) == 0)
            return true;
    }
    return false;
}

struct reach {
    int x;
    bool corners; /* rows along no axis */
};

static struct reach reach_of(const struct am_description *d)
{
    struct reach r = {.x = 1};

    for (size_t u = 0; u < d->n_updates; u++) {
        const struct am_formula *const f = &d->updates[u].formula;

        for (size_t i = 0; i < f->n; i++) {
            if (!am_emit_is_value(d, &f->nodes[i]))
                continue;
            r.x = abs(f->nodes[i].at[0]) > r.x ? abs(f->nodes[i].at[0]) : r.x;
            r.corners = r.corners || (f->nodes[i].at[1] && f->nodes[i].at[2]);
        }
    }
    return r;
}

/* Whether rows lie in their natural order. Neighbours along x are put together of two vectors then,
 * which takes an operation each; but lanes that lie apart take as many vectors beyond each end of
 * every row as the neighbours reach, and a load for each neighbour. So stars that reach far have
 * natural rows. */
static bool is_near(const struct am_description *d)
{
    for (size_t u = 0; u < d->n_updates; u++) {
        const struct am_formula *const f = &d->updates[u].formula;

        for (size_t i = 0; i < f->n; i++) {
            const int *const at = f->nodes[i].at;

            if (am_emit_is_value(d, &f->nodes[i]) && at[0] && (at[1] || at[2]))
                return false;
        }
    }
    return reach_of(d).x > 2;
}

/* Rows of a block: long formulas have enough to share within a row. */
static struct place size_of(const struct am_description *d)
{
    static const size_t few = 20, many = 40;
    size_t most = 0;

    for (size_t i = 0; i < d->n_updates; i++)
        most = count_values(d, i) > most ? count_values(d, i) : most;
    return (struct place){.a = most <= many || is_near(d) ? 2 : 1,
                          .c = d->dimensions == 3 && most <= few ? 2 : 1};
}

/* Whether blocks read more rows than general registers have addresses of. Compilers would calculate
 * them in the loop, or keep them on the stack, so they are offsets from a table then. */
static bool has_table(const struct am_description *d)
{
    enum { REGISTERS = 12, SPAN = 2 * AM_FORMULA_REACH_MAX + 1 };
    bool seen[SPAN][SPAN] = {{false}};
    int n = 0;

    for (size_t u = 0; u < d->n_updates; u++) {
        const struct am_formula *const f = &d->updates[u].formula;

        for (size_t i = 0; i < f->n; i++) {
            const int *const at = f->nodes[i].at;
            bool *const row = &seen[at[1] + AM_FORMULA_REACH_MAX][at[2] + AM_FORMULA_REACH_MAX];

            n += am_emit_is_value(d, &f->nodes[i]) && !*row;
            *row = *row || am_emit_is_value(d, &f->nodes[i]);
        }
    }
    return n > REGISTERS;
}

/* Whether there are blocks for sweeps: of one update that reads so many rows that hardware loses
 * sight of the few of them that come from memory. */
static bool has_soon(const struct am_description *d)
{
    return d->n_updates == 1 && has_table(d);
}

/* ---- constants ---- */

/* Which arrays each update reads beyond sides: twice a field's number, 1 more for u.new. */
static void add_reads(const struct am_description *d, struct am_text *out)
{
    am_text_addf(out, "static const signed char NAME_reads[%zu][%zu] = {\n", d->n_updates,
                 2 * d->fields.n + 1);
    for (size_t u = 0; u < d->n_updates; u++) {
        am_text_add(out, "    {");
        for (size_t i = 0; i < 2 * d->fields.n; i++) {
            if (reads_beside(d, u, i / 2, i % 2 ? AM_FORMULA_NEW : AM_FORMULA_NOW))
                am_text_addf(out, "%zu, ", i);
        }
        am_text_add(out, "-1},\n");
    }
    am_text_add(out, "};\n");
}

void am_emit_field_constants(const struct am_description *d, struct am_text *out)
{
    const struct reach r = reach_of(d);
    const struct place size = size_of(d);

    am_text_addf(
        out,
        "/* Blocks of waves: rows of the slow and of the fast dimension that are made at once. */\n"
        "enum {\n    NAME_REACH = %d,\n    NAME_WEIGHTS = 1,\n    NAME_AHEAD = %d,\n"
        "    NAME_TURNS = 1,   /* two arrays per field take turns */\n"
        "    NAME_CORNERS = %d, /* 1: some neighbours' rows lie along no axis */\n"
        "    NAME_ARRAYS = 2 * NAME_FIELDS + NAME_COEFFICIENTS,\n"
        "    NAME_NEAR = %d, /* 1: lanes are neighbours, rows lie in their natural order */\n"
        "    NAME_OFFSETS = %s, /* rows around a block whose offsets stand in a table */\n",
        r.x, AHEAD, r.corners, is_near(d), has_table(d) ? "2 * NAME_RADIUS + 2" : "0");
    am_text_addf(out,
                 "    NAME_LARGE = 4 << 20, /* bytes: grids that leave the second-level cache */\n"
                 "    NAME_SMALL_SLOW = %d,\n    NAME_SMALL_FAST = %d,\n"
                 "    NAME_LARGE_SLOW = %d,\n    NAME_LARGE_FAST = %d,\n"
                 "    NAME_SOME = 1,\n    NAME_SOLO_ROWS = 0\n};\n" AM_EMIT_BLOCK_KINDS
                 "enum { NAME_SWEEP = %s }; /* what sweeps over grids in memory take */\n",
                 size.a, size.c, size.a, size.c,
                 has_soon(d) ? "NAME_WHOLE_AHEAD + 1" : "NAME_WHOLE");
    add_reads(d, out);
    am_text_addf(out,
                 "/* Vectors beyond each end of a row that are stored. */\n#define NAME_ENDS %s\n",
                 is_near(d) ? "((NAME_REACH + NAME_LANES - 1) / NAME_LANES)" : "NAME_REACH");
    am_text_add(out, "#define NAME_KERNELS(back, large, stage) NAME_blocks[stage]\n\n");
}

/* ---- blocks ---- */

/* " + ...": bytes from row (0, 0) of a block to another. */
static void add_offset(const struct am_description *d, int slow, int fast, struct am_text *out)
{
    const char *const form = has_table(d) ? " + b__->%s_by[NAME_RADIUS + %d]" : " + %s__ * %d";

    if (slow)
        am_text_addf(out, form, "slow", slow);
    if (fast)
        am_text_addf(out, form, "fast", fast);
}

/* A value of the row that `self` is, at column i__. */
static void place_value(const void *self, const struct am_description *d,
                        const struct am_formula_node *node, struct am_text *out)
{
    const struct place *const p = self;
    const bool solid = d->dimensions == 3;
    const char *array = node->when == AM_FORMULA_NOW ? "now" : "to";

    if (am_description_find(&d->parameters, node->text) >= 0) {
        am_text_add(out, node->text);
        return;
    }
    if (am_description_find(&d->coefficients, node->text) >= 0)
        array = "at";
    am_text_addf(out, node->at[0] ? "NAME_BESIDE(%s__%s" : "NAME_IN(%s__%s", node->text, array);
    add_offset(d, p->a + node->at[solid ? 2 : 1], solid ? p->c + node->at[1] : 0, out);
    am_text_add(out, ", i__");
    if (node->at[0])
        am_text_addf(out, ", %d", node->at[0]);
    am_text_add(out, ")");
}

static bool reads(const struct am_formula *f, const char *name, bool now)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->nodes[i].kind == AM_FORMULA_NAME && strcmp(f->nodes[i].text, name) == 0 &&
            (f->nodes[i].when == AM_FORMULA_NOW) == now)
            return true;
    }
    return false;
}

void am_emit_declare(const struct am_description *d, size_t update, const char *loop,
                     struct am_text *out)
{
    const struct am_formula *const f = &d->updates[update].formula;

    for (size_t i = 0; i < d->parameters.n; i++) {
        if (reads(f, d->parameters.items[i].name, true))
            am_text_addf(out, "    const REAL %s = b__->w->parameter[%zu];\n",
                         d->parameters.items[i].name, i);
    }
    for (size_t i = 0; i < d->fields.n; i++) {
        const char *const name = d->fields.items[i].name;

        if (reads(f, name, true))
            am_text_addf(out,
                         "    const char *const %s__now = b__->first + NAME_%s_field(b__->w, "
                         "%zu);\n",
                         name, loop, i);
        if (reads(f, name, false))
            am_text_addf(
                out, "    const char *const %s__to = b__->other + NAME_%s_field(b__->w, %zu);\n",
                name, loop, i);
    }
    for (size_t i = 0; i < d->coefficients.n; i++) {
        if (reads(f, d->coefficients.items[i].name, true))
            am_text_addf(
                out, "    const char *const %s__at = b__->coefficient + %zu * b__->w->second;\n",
                d->coefficients.items[i].name, i);
    }
    am_text_addf(out, "    char *const made__ = b__->other + NAME_%s_field(b__->w, %zu);\n", loop,
                 d->updates[update].field);
}

static void declare(const struct stage *s)
{
    am_emit_declare(s->d, s->number, "wave", s->out);
    am_text_add(
        s->out,
        "    const long slow__ = b__->slow, fast__ = b__->fast;\n"
        "    const long last__ = b__->w->vectors * NAME_BYTES;\n\n    (void)slow__;\n    (void)fast__;\n");
}

static void add_name(const struct stage *s)
{
    am_text_addf(s->out, "NAME_block_%zu_%d_%d%s", s->number, s->a, s->c,
                 s->ahead  ? "_ahead"
                 : s->soon ? "_soon"
                           : "");
}

/* Where rows lie in natural order all are made in step, sum by sum, so that registers share what
 * they read; other formulas stand whole, which compilers order better by themselves. */
static void add_results(const struct stage *s, const struct place *places)
{
    const struct am_formula *const formula = &s->d->updates[s->number].formula;
    const int rows = s->a * s->c;

    if (is_near(s->d)) {
        am_emit_in_step(s->d, formula,
                        &(struct am_emit_rows){place_value, places, sizeof(*places), rows}, s->out);
        return;
    }
    for (int k = 0; k < rows; k++) {
        am_text_addf(s->out, "        const NAME_vector r__%d = ", k);
        am_emit_formula(s->d, formula, place_value, &places[k], s->out);
        am_text_add(s->out, ";\n");
    }
}

/* The row that a formula reads of an array before all others: blocks go along y, and then along z.
 */
static void find_newest(const struct am_formula *f, const char *name, bool now, int row[2])
{
    row[0] = row[1] = -AM_FORMULA_REACH_MAX;
    for (size_t i = 0; i < f->n; i++) {
        const struct am_formula_node *const node = &f->nodes[i];
        const int *const at = node->at;

        if (node->kind == AM_FORMULA_NAME && strcmp(node->text, name) == 0 &&
            (node->when == AM_FORMULA_NOW) == now &&
            (at[2] > row[1] || (at[2] == row[1] && at[1] > row[0]))) {
            row[0] = at[1];
            row[1] = at[2];
        }
    }
}

void am_emit_newest(const struct am_description *d, size_t update, am_emit_newest_fn *write,
                    const void *self)
{
    const struct {
        const struct am_description_names *names;
        const char *array;
        bool now;
    } all[] = {
        {&d->fields, "now", true}, {&d->fields, "to", false}, {&d->coefficients, "at", true}};
    const struct am_formula *const f = &d->updates[update].formula;

    for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
        for (size_t i = 0; i < all[k].names->n; i++) {
            const char *const name = all[k].names->items[i].name;
            int row[2];

            find_newest(f, name, all[k].now, row);
            if (reads(f, name, all[k].now))
                write(self, name, all[k].array, row);
        }
    }
}

/* Prefetches what a block is the first to read. Beyond a row's end the next one begins, which is
 * the next block's. */
static void add_soon(const void *self, const char *name, const char *array, const int row[2])
{
    const struct stage *const s = self;
    const bool solid = s->d->dimensions == 3;

    for (int k = 0; k < s->a * s->c; k++) {
        am_text_addf(s->out, "        __builtin_prefetch(%s__%s", name, array);
        add_offset(s->d, k / s->c + row[solid], k % s->c + (solid ? row[0] : 0), s->out);
        am_text_addf(s->out, " + i__ + %d);\n", SOON);
    }
}

/* All results first, then they are stored: what several rows read is loaded once. */
static void add_block(const struct stage *s)
{
    const int rows = s->a * s->c;
    struct place places[ROWS_MAX];

    am_text_add(s->out, "static void ");
    add_name(s);
    am_text_add(s->out, "(const struct NAME_block *b__)\n{\n");
    declare(s);
    am_text_add(s->out, "    for (long i__ = 0; i__ < last__; i__ += NAME_BYTES) {\n");
    for (int k = 0; s->ahead && k < AHEAD; k++)
        am_text_addf(s->out, "        __builtin_prefetch(b__->ahead[%d] + i__, 0, 2);\n", k);
    if (s->soon)
        am_emit_newest(s->d, s->number, add_soon, s);
    for (int k = 0; k < rows; k++)
        places[k] = (struct place){k / s->c, k % s->c};
    add_results(s, places);
    am_text_add(s->out, "\n");
    for (int k = 0; k < rows; k++) {
        am_text_add(s->out, "        NAME_OUT(made__");
        add_offset(s->d, k / s->c, k % s->c, s->out);
        am_text_addf(s->out, ", i__) = r__%d;\n", k);
    }
    am_text_add(s->out, "    }\n");
    for (int k = 0; k < rows; k++) {
        am_text_add(s->out, "    NAME_set_ends(b__->w, made__");
        add_offset(s->d, k / s->c, k % s->c, s->out);
        am_text_add(s->out, ", 1);\n");
    }
    am_text_add(s->out, "}\n\n");
}

/* Those of a table: one row, all planes of one row, a whole block, the same with prefetch for the
 * next wave, and for itself where it reads many rows. How many there are. */
enum { KINDS_MAX = 5 };

static int kinds_of(const struct stage *s, struct stage kinds[KINDS_MAX])
{
    const struct place size = size_of(s->d);

    for (int k = 0; k < KINDS_MAX; k++) {
        kinds[k] = *s;
        kinds[k].a = k == 0 ? 1 : size.a;
        kinds[k].c = k < 2 ? 1 : size.c;
        kinds[k].ahead = k == 3;
        kinds[k].soon = k == 4;
    }
    return has_soon(s->d) ? KINDS_MAX : KINDS_MAX - 1;
}

void am_emit_field_blocks(const struct am_description *d, struct am_text *out)
{
    struct stage s = {.d = d, .out = out}, kinds[KINDS_MAX];
    const int n = kinds_of(&s, kinds);

    for (; s.number < d->n_updates; s.number++) {
        (void)kinds_of(&s, kinds);
        for (int k = 0; k < n; k++) {
            if (k == 0 || k >= 3 || kinds[k].a != kinds[k - 1].a || kinds[k].c != kinds[k - 1].c)
                add_block(&kinds[k]);
        }
    }
    am_text_addf(out, "static NAME_block_fn *const NAME_blocks[NAME_STAGES][%d] = {\n", n);
    for (s.number = 0; s.number < d->n_updates; s.number++) {
        (void)kinds_of(&s, kinds);
        am_text_add(out, "    {");
        for (int k = 0; k < n; k++) {
            add_name(&kinds[k]);
            am_text_add(out, k + 1 < n ? ", " : "},\n");
        }
    }
    am_text_add(out, "};\n");
}
