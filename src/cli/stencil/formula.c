/* SPDX-License-Identifier: MIT */
/* Reads formulas by descent: sums of products of signed values. */
#include "cli/stencil/formula.h"

#include "base/array.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* The formula at hand. */
struct reader {
    const char *text, *at;
    const struct am_formula_place *place;
    struct am_arena *arena;
    struct am_formula *out;
    struct am_err *err;
    unsigned depth;
};

static size_t column_of(const struct reader *r)
{
    return (size_t)(r->at - r->text) + 1;
}

void am_formula_where(const struct am_formula_place *place, size_t behind,
                      char out[AM_FORMULA_WHERE_MAX])
{
    unsigned line = place->line;
    size_t column = 1;

    for (size_t i = 0; i < place->before + behind; i++) {
        column = place->source[i] == '\n' ? 1 : column + 1;
        line += place->source[i] == '\n';
    }
    (void)am_str_format(out, AM_FORMULA_WHERE_MAX, "%s:%u:%zu", place->file, line, column);
}

static enum am_status bad(const struct reader *r, const char *what)
{
    const size_t n = strcspn(r->at, " \t");
    const char *at = r->at;
    char where[AM_FORMULA_WHERE_MAX];

    while (!n && at > r->text && strchr(" \t", at[-1]))
        at--;
    am_formula_where(r->place, (size_t)(at - r->text), where);
    if (!n)
        return am_fail(r->err, AM_E_USAGE, "%s: %s at the end of the formula", where, what);
    return am_fail(r->err, AM_E_USAGE, "%s: %s at \"%.*s\"", where, what, (int)(n < 20 ? n : 20),
                   r->at);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool take(struct reader *r, char sign)
{
    skip_blanks(r);
    if (*r->at != sign)
        return false;
    r->at++;
    return true;
}

static enum am_status add(struct reader *r, const struct am_formula_node *node, int *index)
{
    struct am_formula *const f = r->out;
    struct am_formula_node *const to =
        f->n < AM_FORMULA_NODES_MAX ? AM_ARRAY_ADD(r->arena, f->nodes, f->n, f->cap) : NULL;

    if (!to)
        return am_fail(r->err, AM_E_USAGE, "%s:%u: a formula of more than %d parts", r->place->file,
                       r->place->line, AM_FORMULA_NODES_MAX);
    *to = *node;
    *index = (int)f->n - 1;
    return AM_OK;
}

/* ---- values ---- */

/* As C reads it: digits alone would be octal behind a 0, and some other type where they are many.
 */
static const char *number_text(struct am_arena *arena, const char *text, size_t n)
{
    enum { DIGITS_MOST = 18 };
    const size_t digits = strspn(text, "0123456789");

    if (digits < n)
        return am_arena_strndup(arena, text, n);
    while (n > 1 && *text == '0') {
        text++;
        n--;
    }
    return am_arena_printf(arena, "%.*s%s", (int)n, text, n > DIGITS_MOST ? "." : "");
}

static enum am_status read_number(struct reader *r, int *index)
{
    struct am_formula_node node = {.kind = AM_FORMULA_NUMBER, .column = column_of(r)};
    size_t n = strspn(r->at, "0123456789.");
    double value;

    if (r->at[n] == 'e' || r->at[n] == 'E') {
        const size_t sign = r->at[n + 1] == '-' || r->at[n + 1] == '+';

        n += 1 + sign;
        n += strspn(r->at + n, "0123456789");
    }
    if (!am_parse_f64(r->at, n, &value))
        return bad(r, "no number");
    if (r->at[n] && strchr(letters, r->at[n])) /* 0x1 is no 0, and 1.5f no 1.5 */
        return bad(r, "letters in a number (it is decimal; write * before a name)");
    node.text = number_text(r->arena, r->at, n);
    r->at += n;
    return node.text ? add(r, &node, index) : am_fail(r->err, AM_E_NOMEM, "no memory");
}

static enum am_status read_offset(struct reader *r, int *offset)
{
    int64_t value;
    size_t n;

    skip_blanks(r);
    n = strspn(r->at, "+-0123456789");
    if (!am_parse_i64(r->at + (*r->at == '+'), n - (*r->at == '+'), &value) ||
        value < -AM_FORMULA_REACH_MAX || value > AM_FORMULA_REACH_MAX)
        return bad(r, "no whole number from -8 to 8");
    r->at += n;
    *offset = (int)value;
    return AM_OK;
}

static enum am_status read_offsets(struct reader *r, struct am_formula_node *node)
{
    enum am_status s = AM_OK;

    node->beside = true;
    for (unsigned d = 0; d < r->place->dimensions && s == AM_OK; d++) {
        if (d && !take(r, ','))
            return bad(r, "one whole number per dimension, with commas between them,");
        s = read_offset(r, &node->at[d]);
    }
    if (s == AM_OK && !take(r, ']'))
        return bad(r, "one whole number per dimension, then ],");
    return s;
}

static enum am_status read_when(struct reader *r, struct am_formula_node *node)
{
    static const char *const words[] = {
        [AM_FORMULA_NOW] = "now", [AM_FORMULA_BEFORE] = "before", [AM_FORMULA_NEW] = "new", NULL};
    const size_t n = strspn(r->at, letters);
    const char *const word = am_arena_strndup(r->arena, r->at, n);
    const int which = am_name_index(words, AM_NAMES_ENDED, word);

    if (which < 0) {
        const char *const near = word ? am_nearest(word, words, 3) : NULL;

        return bad(r,
                   near ? am_arena_printf(r->arena, "did you mean \"%s\"? (now, before, new)", near)
                        : "now, before or new, and no other word");
    }
    node->when = (enum am_formula_when)which;
    r->at += n;
    return AM_OK;
}

static enum am_status read_name(struct reader *r, int *index)
{
    const size_t n = strspn(r->at, name_letters);
    struct am_formula_node node = {.kind = AM_FORMULA_NAME,
                                   .column = column_of(r),
                                   .text = am_arena_strndup(r->arena, r->at, n)};
    enum am_status s = node.text ? AM_OK : am_fail(r->err, AM_E_NOMEM, "no memory");

    r->at += n;
    if (s == AM_OK && *r->at == '.') {
        r->at++;
        s = read_when(r, &node);
    }
    if (s == AM_OK && take(r, '[')) {
        s = read_offsets(r, &node);
        if (s == AM_OK && *r->at == '.')
            return bad(r, ".before and .new stand before [...]: no place for it");
    }
    return s == AM_OK ? add(r, &node, index) : s;
}

static const char no_function[] =
    "+, -, * or / is missing (neighbours are written u[1], and there are no functions)";
static const char no_power[] = "there are no powers (write u * u)";

/* What stands where an operation belongs, or the end. */
static const char *no_operation(const struct reader *r)
{
    switch (*r->at) {
    case '(': return no_function;
    case ')': return "no ( belongs to this )";
    case '^': return no_power;
    default: return "+, -, * or / is missing";
    }
}

static enum am_status read_sum(struct reader *r, int *index);

static enum am_status read_bracket(struct reader *r, int *index)
{
    enum am_status s;

    if (++r->depth > AM_FORMULA_DEPTH_MAX)
        return bad(r, "brackets too deep");
    s = read_sum(r, index);
    r->depth--;
    if (s == AM_OK && !take(r, ')'))
        return bad(r, !*r->at                ? ") is missing"
                      : strchr("(^", *r->at) ? no_operation(r)
                                             : "+, -, *, / or ) is missing");
    return s;
}

static enum am_status read_value(struct reader *r, int *index)
{
    skip_blanks(r);
    if (take(r, '('))
        return read_bracket(r, index);
    if (*r->at && strchr("0123456789.", *r->at))
        return read_number(r, index);
    if (*r->at && strchr(letters, *r->at))
        return read_name(r, index);
    if (*r->at == '*' && r->at > r->text && r->at[-1] == '*')
        return bad(r, no_power);
    return bad(r, "no number, name or bracket");
}

/* ---- operations ---- */

static enum am_status read_signed(struct reader *r, int *index)
{
    struct am_formula_node node = {.kind = AM_FORMULA_NEGATE, .column = column_of(r)};
    enum am_status s;

    if (!take(r, '-'))
        return read_value(r, index);
    if (++r->depth > AM_FORMULA_DEPTH_MAX)
        return bad(r, "signs too deep");
    s = read_signed(r, &node.left);
    r->depth--;
    return s == AM_OK ? add(r, &node, index) : s;
}

/* A number that is 0, with or without signs. */
static bool is_zero(const struct am_formula *f, int index)
{
    const struct am_formula_node *node = &f->nodes[index];
    double value;

    while (node->kind == AM_FORMULA_NEGATE)
        node = &f->nodes[node->left];
    return node->kind == AM_FORMULA_NUMBER &&
           am_parse_f64(node->text, strlen(node->text), &value) && !(fabs(value) > 0);
}

typedef enum am_status read_fn(struct reader *r, int *index);

/* Operands of one rank, joined from left to right. */
static enum am_status read_chain(struct reader *r, read_fn *operand, const char signs[2],
                                 const enum am_formula_kind kinds[2], int *index)
{
    enum am_status s = operand(r, index);

    while (s == AM_OK) {
        struct am_formula_node node = {.left = *index};
        const char *behind;

        skip_blanks(r);
        if (*r->at != signs[0] && *r->at != signs[1])
            break;
        node.column = column_of(r);
        node.kind = kinds[*r->at == signs[1]];
        behind = ++r->at;
        s = operand(r, &node.right);
        if (s == AM_OK && node.kind == AM_FORMULA_DIVIDE && is_zero(r->out, node.right)) {
            r->at = behind + strspn(behind, " \t");
            return bad(r, "no division by 0");
        }
        if (s == AM_OK)
            s = add(r, &node, index);
    }
    return s;
}

static enum am_status read_product(struct reader *r, int *index)
{
    static const enum am_formula_kind kinds[2] = {AM_FORMULA_MULTIPLY, AM_FORMULA_DIVIDE};

    return read_chain(r, read_signed, "*/", kinds, index);
}

static enum am_status read_sum(struct reader *r, int *index)
{
    static const enum am_formula_kind kinds[2] = {AM_FORMULA_ADD, AM_FORMULA_SUBTRACT};

    return read_chain(r, read_product, "+-", kinds, index);
}

enum am_status am_formula_parse(const char *text, const struct am_formula_place *place,
                                struct am_arena *arena, struct am_formula *out, struct am_err *err)
{
    struct reader r = {
        .text = text, .at = text, .place = place, .arena = arena, .out = out, .err = err};
    int root = 0;
    enum am_status s;

    *out = (struct am_formula){0};
    s = read_sum(&r, &root);
    skip_blanks(&r);
    if (s == AM_OK && *r.at)
        return bad(&r, no_operation(&r));
    return s;
}

/* Nodes stand behind their operands. */
unsigned am_formula_flops(const struct am_formula *formula, am_formula_constant_fn *is_constant,
                          const void *self)
{
    bool varies[AM_FORMULA_NODES_MAX];
    unsigned count = 0;

    for (size_t i = 0; i < formula->n; i++) {
        const struct am_formula_node *const node = &formula->nodes[i];
        const bool joins = node->kind >= AM_FORMULA_ADD;

        if (node->kind == AM_FORMULA_NAME)
            varies[i] = !is_constant(self, node->text);
        else
            varies[i] = node->kind != AM_FORMULA_NUMBER &&
                        (varies[node->left] || (joins && varies[node->right]));
        count += joins && varies[i];
    }
    return count;
}
