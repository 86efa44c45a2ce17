/* SPDX-License-Identifier: MIT */
/* Multiplies formulas out. */
#include "cli/stencil/weights.h"

#include "base/text.h"
#include "cli/stencil/emit_formula.h"

#include <stdlib.h>
#include <string.h>

/* A sum under way: the expression that each place is multiplied by. */
struct sum {
    const struct am_description *d;
    const struct am_formula *formula;
    struct {
        int at[3];
        char text[AM_WEIGHT_TEXT];
    } terms[AM_WEIGHTS_MAX];
    size_t n;
    char before[AM_WEIGHT_TEXT]; /* likewise, of the point itself a step earlier; "": none */
};

static bool is_field(const struct sum *s, const struct am_formula_node *node)
{
    return am_description_find(&s->d->fields, node->text) >= 0;
}

static bool is_constant(const struct sum *s, int index)
{
    const struct am_formula_node *const node = &s->formula->nodes[index];

    switch (node->kind) {
    case AM_FORMULA_NUMBER: return true;
    case AM_FORMULA_NAME: return !is_field(s, node);
    case AM_FORMULA_NEGATE: return is_constant(s, node->left);
    default: return is_constant(s, node->left) && is_constant(s, node->right);
    }
}

static bool lies_on_an_axis(const int at[3])
{
    return (at[0] != 0) + (at[1] != 0) + (at[2] != 0) <= 1;
}

static bool add_factor(char *text, const char *factor)
{
    char before[AM_WEIGHT_TEXT];

    (void)am_str_copy(before, sizeof(before), text);
    return am_str_format(text, AM_WEIGHT_TEXT, "%s%s%s", before, *before ? " + " : "", factor);
}

static bool add_term(struct sum *s, const struct am_formula_node *node, const char *factor)
{
    size_t i = 0;

    if (!is_field(s, node) || node->when == AM_FORMULA_NEW)
        return false;
    if (node->when == AM_FORMULA_BEFORE)
        return add_factor(s->before, factor);
    while (i < s->n && memcmp(s->terms[i].at, node->at, sizeof(node->at)) != 0)
        i++;
    if (i == AM_WEIGHTS_MAX)
        return false;
    if (i == s->n) {
        memcpy(s->terms[i].at, node->at, sizeof(node->at));
        s->n++;
    }
    return add_factor(s->terms[i].text, factor);
}

/* factor SIGN (constant); a factor of 1 is not written. */
static bool scale(const struct sum *s, const char *factor, const char *sign, int constant,
                  char *out)
{
    struct am_text text;
    bool fits;

    am_text_init(&text, AM_WEIGHT_TEXT);
    am_emit_constant(s->d, s->formula, constant, &text);
    if (strcmp(factor, "1") == 0 && strcmp(sign, "*") == 0)
        fits = am_str_format(out, AM_WEIGHT_TEXT, "(%s)", am_text_str(&text));
    else
        fits = am_str_format(out, AM_WEIGHT_TEXT, "%s %s (%s)", factor, sign, am_text_str(&text));
    fits = fits && !text.overflow;
    am_text_fini(&text);
    return fits;
}

static bool collect(struct sum *s, int index, const char *factor);

static bool collect_product(struct sum *s, const struct am_formula_node *node, const char *factor)
{
    const bool divides = node->kind == AM_FORMULA_DIVIDE;
    const bool left = !divides && is_constant(s, node->left);
    const int constant = left ? node->left : node->right;
    char scaled[AM_WEIGHT_TEXT];

    if (!is_constant(s, constant) || !scale(s, factor, divides ? "/" : "*", constant, scaled))
        return false;
    return collect(s, left ? node->right : node->left, scaled);
}

/* Adds `factor` times the node to the sum. False: it is no sum of weighted values. */
static bool collect(struct sum *s, int index, const char *factor)
{
    const struct am_formula_node *const node = &s->formula->nodes[index];
    char negative[AM_WEIGHT_TEXT];

    if (node->kind == AM_FORMULA_NAME)
        return add_term(s, node, factor);
    if (node->kind == AM_FORMULA_NUMBER)
        return false;
    if (node->kind == AM_FORMULA_MULTIPLY || node->kind == AM_FORMULA_DIVIDE)
        return collect_product(s, node, factor);
    if (node->kind == AM_FORMULA_ADD)
        return collect(s, node->left, factor) && collect(s, node->right, factor);
    if (!am_str_format(negative, sizeof(negative), "-(%s)", factor))
        return false;
    if (node->kind == AM_FORMULA_NEGATE)
        return collect(s, node->left, negative);
    return collect(s, node->left, factor) && collect(s, node->right, negative);
}

static size_t value_of(struct am_weights *w, const char *text)
{
    size_t i = 0;

    while (i < w->n_values && strcmp(w->values[i], text) != 0)
        i++;
    if (i == w->n_values) {
        (void)am_str_copy(w->values[i], AM_WEIGHT_TEXT, text);
        w->n_values++;
    }
    return i;
}

static bool is_simple(const struct am_description *d)
{
    return d->fields.n == 1 && d->coefficients.n == 0 && d->n_updates == 1 &&
           (d->dimensions > 1 || (d->boundary[0] == AM_BOUNDARY_PERIODIC && !d->second));
}

bool am_weights_find(const struct am_description *d, struct am_weights *out)
{
    struct sum s = {.d = d, .formula = &d->updates[0].formula};

    *out = (struct am_weights){.reach = 1, .before = -1};
    if (!is_simple(d) || !collect(&s, (int)s.formula->n - 1, "1"))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        struct am_weight *const item = &out->items[out->n++];

        memcpy(item->at, s.terms[i].at, sizeof(item->at));
        item->value = value_of(out, s.terms[i].text);
        if (abs(item->at[0]) > out->reach)
            out->reach = abs(item->at[0]);
        if (-item->at[0] > out->left)
            out->left = -item->at[0];
        out->corners = out->corners || !lies_on_an_axis(item->at);
    }
    if (*s.before)
        out->before = (int)value_of(out, s.before);
    out->turns = out->corners || out->before >= 0;
    return true;
}

const struct am_weight *am_weights_at(const struct am_weights *w, int x, int y, int z)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->items[i].at[0] == x && w->items[i].at[1] == y && w->items[i].at[2] == z)
            return &w->items[i];
    }
    return NULL;
}
