/* SPDX-License-Identifier: MIT */
/* Numbers, symbols and ranges of the axis syntax (grammar in axis.h). */
#include "core/bench/axis_parser.h"

#include "base/text.h"
#include "core/bench/sane.h"

#include <math.h>
#include <string.h>

enum { SYMBOLS_CAP = 64 }; /* symbols considered when a name is searched for */

/* A number as written: whole ones exactly, all of them as a double. */
struct number {
    double r;
    int64_t i;
    bool whole; /* i is valid */
};

struct range {
    struct number lo, hi, step;
    bool factor; /* step multiplies */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t skip_digits(struct am_parser *p)
{
    const size_t from = p->pos;

    while (is_digit(am_parser_peek(p)))
        p->pos++;
    return p->pos - from;
}

static bool is_word(const struct am_parser *p, size_t from, const char *word)
{
    return p->pos - from == strlen(word) && memcmp(p->text + from, word, strlen(word)) == 0;
}

/* All that is accepted means powers of 1024. kB and the like mean powers of 1000 to some and of
 * 1024 to others, and are refused. */
static enum am_status suffix(struct am_parser *p, unsigned *shift)
{
    static const struct {
        const char *words[3];
        const char *decimal[2];
        unsigned shift;
    } suffixes[] = {{{"K", "KiB", "k"}, {"kB", "KB"}, 10},
                    {{"M", "MiB", "M"}, {"MB", "Mb"}, 20},
                    {{"G", "GiB", "G"}, {"GB", "Gb"}, 30},
                    {{"T", "TiB", "T"}, {"TB", "Tb"}, 40}};
    const size_t from = p->pos;
    char word[AM_PARSER_WORD_CAP];

    *shift = 0;
    while (is_letter(am_parser_peek(p)))
        p->pos++;
    if (p->pos == from)
        return AM_OK;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        for (size_t k = 0; k < 3; k++) {
            if (is_word(p, from, suffixes[i].words[k])) {
                *shift = suffixes[i].shift;
                return AM_OK;
            }
        }
        if (is_word(p, from, suffixes[i].decimal[0]) || is_word(p, from, suffixes[i].decimal[1]))
            return am_fail(p->err, AM_E_USAGE,
                           "%s: \"%s\" at column %zu may mean powers of 1000; write %s (powers of "
                           "1024)",
                           p->axis->name, am_parser_quote(p, from, p->pos, word), from + 1,
                           suffixes[i].words[1]);
    }
    return am_fail(p->err, AM_E_USAGE,
                   "%s: unknown suffix \"%s\" at column %zu; the suffix must be K, M, G or T, or "
                   "KiB, MiB, GiB or TiB (powers of 1024)",
                   p->axis->name, am_parser_quote(p, from, p->pos, word), from + 1);
}

/* Moves over an exponent if there is a complete one ("e6", "e-05"). */
static bool exponent(struct am_parser *p)
{
    const size_t from = p->pos;

    if (!am_parser_accept(p, 'e'))
        return false;
    if (!am_parser_accept(p, '-'))
        (void)am_parser_accept(p, '+');
    if (skip_digits(p) > 0)
        return true;
    p->pos = from;
    return false;
}

/* True when a double is a whole number that int64_t holds. */
static bool whole_f64(double r)
{
    return r >= 0 && r < 0x1p63 && floor(r) >= r;
}

static enum am_status digits_number(struct am_parser *p, struct number *out)
{
    const size_t from = p->pos;
    uint64_t u = 0;
    bool plain = p->axis->kind != AM_AXIS_REAL; /* digits only: read exactly */
    unsigned shift;
    size_t to;
    enum am_status s;

    (void)skip_digits(p);
    if (am_parser_accept(p, '.')) {
        plain = false;
        if (skip_digits(p) == 0)
            return am_parser_fail_at(p, p->pos, "a digit is missing");
    }
    if (exponent(p))
        plain = false;
    to = p->pos;
    s = suffix(p, &shift);
    if (s != AM_OK)
        return s;
    if (plain && (!am_parse_u64(p->text + from, to - from, &u) || u > (uint64_t)INT64_MAX >> shift))
        return am_parser_fail_word(p, from, "too large a number");
    if (!am_parse_f64(p->text + from, to - from, &out->r))
        return am_parser_fail_word(p, from, "too long or too large a number");
    out->r = ldexp(out->r, (int)shift);
    if (!isfinite(out->r))
        return am_parser_fail_word(p, from, "too large a number");
    out->whole = plain || whole_f64(out->r);
    out->i = plain ? (int64_t)(u << shift) : out->whole ? (int64_t)out->r : 0;
    return AM_OK;
}

static enum am_status fail_symbol(const struct am_parser *p, size_t from)
{
    const char *names[SYMBOLS_CAP + 2] = {"a number"};
    size_t n = 1;

    for (size_t i = 0; p->symbols && p->symbols[i].name && n < SYMBOLS_CAP; i++)
        names[n++] = p->symbols[i].name;
    return am_parser_fail_unknown(p, from, names);
}

static const struct am_symbol *find_symbol(const struct am_parser *p, size_t from)
{
    const size_t len = p->pos - from;

    for (const struct am_symbol *s = p->symbols; s && s->name; s++) {
        if (strlen(s->name) == len && memcmp(s->name, p->text + from, len) == 0)
            return s;
    }
    return NULL;
}

static enum am_status symbol_number(struct am_parser *p, struct number *out)
{
    const size_t from = p->pos;
    const struct am_symbol *symbol;
    int64_t i, by;
    char op;

    while (is_letter(am_parser_peek(p)) || is_digit(am_parser_peek(p)))
        p->pos++;
    symbol = find_symbol(p, from);
    if (!symbol)
        return fail_symbol(p, from);
    i = symbol->value;
    op = am_parser_peek(p);
    if (op == '*' || op == '/') {
        const size_t digits = ++p->pos;

        if (skip_digits(p) == 0)
            return am_parser_fail_at(p, digits, "a whole number is missing");
        if (!am_parse_i64(p->text + digits, p->pos - digits, &by) || (op == '/' && by == 0))
            return am_parser_fail_word(p, from, "impossible");
        if (op == '*' && __builtin_mul_overflow(i, by, &i))
            return am_parser_fail_word(p, from, "too large a number");
        if (op == '/')
            i /= by;
    }
    if (i < 0)
        return am_parser_fail_word(p, from, "a negative value");
    *out = (struct number){.r = (double)i, .i = i, .whole = true};
    return AM_OK;
}

static enum am_status number(struct am_parser *p, struct number *out)
{
    const size_t from = p->pos;
    const char c = am_parser_peek(p);

    if (is_digit(c))
        return digits_number(p, out);
    if (is_letter(c))
        return symbol_number(p, out);
    if (c == '-')
        return am_parser_fail_at(p, from, "a value may not be negative");
    if (p->pos == p->len || c == ',' || c == ':')
        return am_parser_fail_at(p, from, "a value is missing");
    p->pos++;
    return am_parser_fail_word(p, from, "a value cannot begin with");
}

/* A number that the axis's kind can hold. */
static enum am_status axis_number(struct am_parser *p, struct number *out)
{
    const size_t from = p->pos;
    const enum am_status s = number(p, out);

    if (s != AM_OK || out->whole || p->axis->kind == AM_AXIS_REAL)
        return s;
    return am_parser_fail_word(p, from, "not a whole number in range:");
}

/* Ranges */

static enum am_status add_int(struct am_parser *p, size_t from, int64_t i)
{
    const struct am_value v = {.kind = p->axis->kind, .i = i};

    return am_parser_add(p, from, &v);
}

static enum am_status add_real(struct am_parser *p, size_t from, double r)
{
    const struct am_value v = {.kind = AM_AXIS_REAL, .r = r};

    if (!am_is_sane(r))
        return am_parser_fail_word(p, from, "neither 0 nor between 1e-30 and 1e30:");
    return am_parser_add(p, from, &v);
}

static enum am_status add_number(struct am_parser *p, size_t from, const struct number *n)
{
    return p->axis->kind == AM_AXIS_REAL ? add_real(p, from, n->r) : add_int(p, from, n->i);
}

/* Value k of a sum or product without the dust of binary fractions: 3 x 0.1 is 0.3. */
static double clean(double r)
{
    char buf[AM_VALUE_TEXT_MAX];
    double back = r;

    (void)am_str_format(buf, sizeof(buf), "%.15g", r);
    (void)am_parse_f64(buf, strlen(buf), &back);
    return back;
}

/* k-th value of a range of doubles: added, or multiplied. */
static double nth(const struct range *g, unsigned k)
{
    return g->factor ? g->lo.r * pow(g->step.r, k) : g->lo.r + g->step.r * k;
}

static enum am_status real_range(struct am_parser *p, size_t from, const struct range *g)
{
    /* An end that rounding misses by a hair is still the end. */
    const double slack = 1e-9 * (g->factor ? g->hi.r : g->step.r);
    enum am_status s = add_real(p, from, g->lo.r);

    for (unsigned k = 1; s == AM_OK; k++) {
        const double r = clean(nth(g, k));

        if (!isfinite(r) || r > g->hi.r + slack)
            return AM_OK;
        s = add_real(p, from, r < g->hi.r ? r : g->hi.r);
    }
    return s;
}

static enum am_status sum_range(struct am_parser *p, size_t from, const struct range *g)
{
    int64_t i = g->lo.i;
    enum am_status s = add_int(p, from, i);

    while (s == AM_OK && g->hi.i - i >= g->step.i) {
        i += g->step.i;
        s = add_int(p, from, i);
    }
    return s;
}

/* A whole factor: exact also above 2^53. */
static enum am_status product_range(struct am_parser *p, size_t from, const struct range *g)
{
    int64_t i = g->lo.i;
    enum am_status s = add_int(p, from, i);

    while (s == AM_OK && i <= g->hi.i / g->step.i) {
        i *= g->step.i;
        s = add_int(p, from, i);
    }
    return s;
}

/* A broken factor: each value is rounded from the exact product, and add() drops repetitions but
 * counts them, so that a factor next to 1 ends too. */
static enum am_status rounded_range(struct am_parser *p, size_t from, const struct range *g)
{
    enum am_status s = add_int(p, from, g->lo.i);

    for (unsigned k = 1; s == AM_OK; k++) {
        const double r = round(nth(g, k));

        if (!(r <= g->hi.r) || !whole_f64(r) || (int64_t)r > g->hi.i)
            return AM_OK;
        s = add_int(p, from, (int64_t)r);
    }
    return s;
}

static enum am_status expand(struct am_parser *p, size_t from, const struct range *g)
{
    if (p->axis->kind == AM_AXIS_REAL)
        return real_range(p, from, g);
    if (!g->factor)
        return sum_range(p, from, g);
    return g->step.whole ? product_range(p, from, g) : rounded_range(p, from, g);
}

static enum am_status step(struct am_parser *p, struct range *g)
{
    const size_t from = p->pos;
    enum am_status s;

    g->factor = am_parser_accept(p, '*');
    if (!g->factor)
        (void)am_parser_accept(p, '+');
    if (am_parser_peek(p) == '-')
        return am_parser_fail_at(p, from, "a step may not be negative");
    s = g->factor ? number(p, &g->step) : axis_number(p, &g->step);
    if (s != AM_OK)
        return s;
    if (g->factor && !(g->step.r > 1))
        return am_parser_fail_word(p, from, "a factor must be above 1, unlike");
    if (!(g->step.r > 0))
        return am_parser_fail_word(p, from, "a step must be above 0, unlike");
    return AM_OK;
}

static enum am_status check_ends(const struct am_parser *p, size_t from, const struct range *g)
{
    const bool falls = p->axis->kind == AM_AXIS_REAL ? g->hi.r < g->lo.r : g->hi.i < g->lo.i;

    if (falls)
        return am_parser_fail_word(p, from, "a range must rise, unlike");
    if (g->factor && !(g->lo.r > 0))
        return am_parser_fail_word(p, from, "a factor needs a lower end above 0, unlike");
    return AM_OK;
}

enum am_status am_parser_number_item(struct am_parser *p)
{
    const size_t from = p->pos;
    struct range g = {.step = {.r = 1, .i = 1, .whole = true}};
    enum am_status s = axis_number(p, &g.lo);

    if (s != AM_OK)
        return s;
    if (!am_parser_accept(p, ':'))
        return add_number(p, from, &g.lo);
    s = axis_number(p, &g.hi);
    if (s == AM_OK && am_parser_accept(p, ':'))
        s = step(p, &g);
    if (s == AM_OK)
        s = check_ends(p, from, &g);
    return s == AM_OK ? expand(p, from, &g) : s;
}
