/* SPDX-License-Identifier: MIT */
/* Reads descriptions of stencils, line by line. */
#include "cli/stencil/description.h"

#include "base/array.h"
#include "base/text.h"
#include "cli/stencil/taken.h"

#include <string.h>

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* The file at hand. */
struct reader {
    const char *file;
    unsigned line;
    struct am_arena *arena;
    struct am_description *out;
    struct am_err *err;
    bool bounded[3];        /* boundaries that were stated */
    unsigned bounded_by[3]; /* the line that states that of this dimension alone; 0: none */
    /* The line at hand: its text with what continues it, comments and ends of lines as blanks; the
     * same in the file; the word of it that is looked at (NULL: none in particular). */
    const char *text, *source, *word;
    const char *form; /* how a line of its kind reads */
};

static enum am_status bad(const struct reader *r, const char *what, const char *word,
                          const char *near)
{
    const struct am_formula_place place = {.file = r->file, .source = r->source, .line = r->line};
    const char *at = r->word;
    char where[AM_FORMULA_WHERE_MAX];

    while (!*word && at && at > r->text && strchr(" \t", at[-1]))
        at--;
    if (at)
        am_formula_where(&place, (size_t)(at - r->text), where);
    else
        (void)am_str_format(where, sizeof(where), "%s:%u", r->file, r->line);
    if (!*word)
        return am_fail(r->err, AM_E_USAGE,
                       "%s: a word is missing at the end of the line; it reads %s", where, r->form);
    return am_fail(r->err, AM_E_USAGE, "%s: \"%s\" %s%s%s%s", where, word, what,
                   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static enum am_status no_memory(const struct reader *r)
{
    return am_fail(r->err, AM_E_NOMEM, "no memory for %s", r->file);
}

int am_description_find(const struct am_description_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->items[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* The next word, from the arena; "" at the end. */
static const char *next_word(struct reader *r, const char **rest)
{
    const char *const begin = *rest + strspn(*rest, " \t");
    const size_t n = strcspn(begin, " \t");
    const char *const word = am_arena_strndup(r->arena, begin, n);

    *rest = begin + n;
    r->word = begin;
    return word ? word : "";
}

static bool is_known(const struct am_description *d, const char *name)
{
    return am_description_find(&d->fields, name) >= 0 ||
           am_description_find(&d->coefficients, name) >= 0 ||
           am_description_find(&d->parameters, name) >= 0;
}

/* Names go into C, C++ and OpenCL C as they are. */
static enum am_status check_name(const struct reader *r, const char *name)
{
    const char *why;

    if (!*name || strspn(name, name_letters) != strlen(name) || strchr("0123456789_", *name) ||
        strlen(name) >= AM_DESCRIPTION_NAME_MAX)
        return bad(r, "is no name: a letter, then letters, digits and _, at most 23", name, NULL);
    why = am_taken_why(name);
    if (why)
        return bad(r, why, name, NULL);
    if (is_known(r->out, name))
        return bad(r, "is defined already", name, NULL);
    return AM_OK;
}

static enum am_status read_value(struct reader *r, const char **rest, double *out)
{
    const char *const word = next_word(r, rest);
    const size_t n = strlen(word);

    return strspn(word, "+-.0123456789eE") == n && am_parse_f64(word, n, out)
               ? AM_OK
               : bad(r, "is no number", word, NULL);
}

static enum am_status check_end(struct reader *r, const char *rest)
{
    const char *const word = next_word(r, &rest);

    return *word ? bad(r, "is too much on this line", word, NULL) : AM_OK;
}

static enum am_status add_name(struct reader *r, struct am_description_names *names,
                               const char **rest, struct am_description_name **out)
{
    const char *const name = next_word(r, rest);
    enum am_status s = check_name(r, name);

    if (s == AM_OK && names->n == AM_DESCRIPTION_NAMES_MAX)
        s = bad(r, "is one too many: 16 of a kind are the most", name, NULL);
    if (s != AM_OK)
        return s;
    *out = &names->items[names->n++];
    **out = (struct am_description_name){.name = name, .line = r->line, .start = 0.5, .noise = 1};
    return AM_OK;
}

/* ---- lines ---- */

typedef enum am_status line_fn(struct reader *r, const char *rest);

static enum am_status read_title(struct reader *r, const char *rest)
{
    const char *const name = next_word(r, &rest);
    const enum am_status s = check_name(r, name);

    if (s == AM_OK && r->out->name)
        return bad(r, "is a second name", name, NULL);
    r->out->name = name;
    return s == AM_OK ? check_end(r, rest) : s;
}

static enum am_status read_dimensions(struct reader *r, const char *rest)
{
    const char *const word = next_word(r, &rest);
    uint64_t n = 0;

    if (!am_parse_u64(word, strlen(word), &n) || n < 1 || n > 3)
        return bad(r, "is no number of dimensions: 1, 2 or 3", word, NULL);
    if (r->out->dimensions || r->out->n_updates)
        return bad(r, "comes too late: dimensions are said once, before updates", word, NULL);
    r->out->dimensions = (unsigned)n;
    return check_end(r, rest);
}

/* NAME [start NUMBER] [noise NUMBER] */
static enum am_status read_array(struct reader *r, struct am_description_names *names,
                                 const char *rest)
{
    static const char *const words[] = {"start", "noise", NULL};
    struct am_description_name *to = NULL;
    enum am_status s = add_name(r, names, &rest, &to);
    bool said[2] = {false, false};

    while (s == AM_OK) {
        const char *const word = next_word(r, &rest);
        const int which = am_name_index(words, AM_NAMES_ENDED, word);

        if (!*word)
            break;
        if (which < 0)
            return bad(r, "is neither start nor noise", word, am_nearest(word, words, 2));
        if (said[which])
            return bad(r, "is said twice", word, NULL);
        said[which] = true;
        s = read_value(r, &rest, which ? &to->noise : &to->start);
    }
    return s;
}

static enum am_status read_field(struct reader *r, const char *rest)
{
    return read_array(r, &r->out->fields, rest);
}

static enum am_status read_coefficient(struct reader *r, const char *rest)
{
    return read_array(r, &r->out->coefficients, rest);
}

static enum am_status read_parameter(struct reader *r, const char *rest)
{
    struct am_description_name *to = NULL;
    enum am_status s = add_name(r, &r->out->parameters, &rest, &to);

    if (s == AM_OK)
        s = read_value(r, &rest, &to->value);
    return s == AM_OK ? check_end(r, rest) : s;
}

/* Whether a line before says it: of this dimension alone, or (-1) of any. What holds for all comes
 * first, so that no line undoes another unseen. */
static bool is_bounded(const struct reader *r, int side)
{
    return side < 0 ? r->bounded[0] || r->bounded[1] || r->bounded[2] : r->bounded_by[side] > 0;
}

static const char *const sides[] = {"x", "y", "z", NULL};

/* Those that there are not come first: who writes z may have meant the one that is missing. */
static enum am_status check_boundaries(struct reader *r)
{
    const unsigned dimensions = r->out->dimensions;

    for (unsigned k = dimensions; k < 3; k++) {
        r->line = r->bounded_by[k] ? r->bounded_by[k] : r->line;
        if (r->bounded_by[k])
            return bad(r, "is no dimension of this stencil", sides[k], sides[dimensions - 1]);
    }
    for (unsigned k = 0; k < dimensions; k++) {
        if (!r->bounded[k])
            return am_fail(r->err, AM_E_USAGE, "%s:%u: \"%s\" has no line \"boundary\" for %s",
                           r->file, r->line, r->out->name, sides[k]);
    }
    return AM_OK;
}

/* [x|y|z] periodic | fixed NUMBER | mirror */
static enum am_status read_boundary(struct reader *r, const char *rest)
{
    static const char *const kinds[] = {"periodic",  "fixed",   "mirror", "periodic",
                                        "dirichlet", "neumann", NULL};
    const char *word = next_word(r, &rest);
    const int side = am_name_index(sides, AM_NAMES_ENDED, word);
    double value = 0;
    int kind;

    if (is_bounded(r, side))
        return bad(r,
                   side < 0 ? "comes too late: sides have a boundary already"
                            : "has a boundary already",
                   side < 0 ? "boundary" : word, NULL);
    if (side >= 0)
        word = next_word(r, &rest);
    kind = am_name_index(kinds, AM_NAMES_ENDED, word);
    if (kind < 0)
        return bad(r,
                   side < 0 ? "is no boundary (periodic, fixed, mirror; x, y or z before it)"
                            : "is no boundary (periodic, fixed, mirror)",
                   word, am_nearest(word, kinds, sizeof(kinds) / sizeof(*kinds) - 1));
    kind %= 3;
    if (kind == AM_BOUNDARY_FIXED && rest[strspn(rest, " \t")]) {
        const enum am_status s = read_value(r, &rest, &value);

        if (s != AM_OK)
            return s;
    }
    for (int d = side < 0 ? 0 : side; d < (side < 0 ? 3 : side + 1); d++) {
        r->out->boundary[d] = (enum am_boundary)kind;
        r->out->boundary_value[d] = value;
        r->bounded[d] = true;
    }
    if (side >= 0)
        r->bounded_by[side] = r->line;
    return check_end(r, rest);
}

/* ---- updates ---- */

static enum am_status unknown_name(const struct reader *r, const char *name)
{
    const char *names[3 * AM_DESCRIPTION_NAMES_MAX];
    const struct am_description_names *const kinds[] = {&r->out->fields, &r->out->coefficients,
                                                        &r->out->parameters};
    size_t n = 0;

    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < kinds[k]->n; i++)
            names[n++] = kinds[k]->items[i].name;
    }
    return bad(r, "is no field, coefficient or parameter", name, am_nearest(name, names, n));
}

/* What an update cannot be of. */
static enum am_status no_field(const struct reader *r, const char *name)
{
    const char *names[AM_DESCRIPTION_NAMES_MAX];

    for (size_t i = 0; i < r->out->fields.n; i++)
        names[i] = r->out->fields.items[i].name;
    if (strcmp(name, "=") == 0)
        return bad(r, "stands where a field belongs: update FIELD = FORMULA", name, NULL);
    if (strchr(name, '='))
        return bad(r, "is no field: blanks belong around =", name, NULL);
    return bad(r, is_known(r->out, name) ? "is no field: nothing else is updated" : "is no field",
               name, am_nearest(name, names, r->out->fields.n));
}

static bool is_updated(const struct am_description *d, int field)
{
    for (size_t i = 0; i < d->n_updates; i++) {
        if (d->updates[i].field == (size_t)field)
            return true;
    }
    return false;
}

/* What may be asked of a field: by the stage that is being read, of those before it. */
static enum am_status check_field(const struct reader *r, const struct am_formula_node *node,
                                  int field, size_t updated)
{
    if (node->when == AM_FORMULA_NEW && !is_updated(r->out, field))
        return bad(r, "is not made yet: .new is for fields that a line before this one updates",
                   node->text, NULL);
    if (node->when != AM_FORMULA_BEFORE)
        return AM_OK;
    if ((size_t)field != updated)
        return bad(r, "is kept for its own update only: .before of another field is gone",
                   node->text, NULL);
    if (node->beside)
        return bad(r, "has .before at its own point only", node->text, NULL);
    return AM_OK;
}

static void mark_used(struct am_description_names *names, const char *name)
{
    const int i = am_description_find(names, name);

    if (i >= 0)
        names->items[i].used = true;
}

static enum am_status check_node(const struct reader *r, const struct am_formula_node *node,
                                 size_t updated)
{
    struct am_description *const d = r->out;
    const int field = am_description_find(&d->fields, node->text);

    mark_used(&d->coefficients, node->text);
    if (field >= 0) {
        d->second = d->second || node->when == AM_FORMULA_BEFORE;
        return check_field(r, node, field, updated);
    }
    if (node->when != AM_FORMULA_NOW)
        return bad(r, "does not change with time: it has no .before and .new", node->text, NULL);
    if (am_description_find(&d->coefficients, node->text) >= 0)
        return AM_OK;
    if (am_description_find(&d->parameters, node->text) < 0)
        return unknown_name(r, node->text);
    return node->beside ? bad(r, "is one number everywhere: it has no [...]", node->text, NULL)
                        : AM_OK;
}

static enum am_status check_formula(struct reader *r, const char *begin, const struct am_formula *f,
                                    size_t updated)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < f->n && s == AM_OK; i++) {
        const struct am_formula_node *const node = &f->nodes[i];

        if (node->kind != AM_FORMULA_NAME)
            continue;
        r->word = begin + node->column - 1;
        s = check_node(r, node, updated);
        for (unsigned d = 0; d < 3; d++) {
            const unsigned reach = (unsigned)(node->at[d] < 0 ? -node->at[d] : node->at[d]);

            if (reach > r->out->radius)
                r->out->radius = reach;
        }
    }
    return s;
}

/* Else every step gives the same: how many were made could not be told. */
static bool has_field(const struct am_description *d, const struct am_formula *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->nodes[i].kind == AM_FORMULA_NAME &&
            am_description_find(&d->fields, f->nodes[i].text) >= 0)
            return true;
    }
    return false;
}

static bool is_constant(const void *self, const char *name)
{
    const struct am_description *const d = self;

    return am_description_find(&d->parameters, name) >= 0;
}

/* As it is shown: one blank in place of several. */
static const char *squeezed(const struct reader *r, const char *text)
{
    char *const out = am_arena_strdup(r->arena, text);
    size_t n = 0;

    for (size_t i = 0; out && text[i]; i++) {
        const bool blank = text[i] == ' ' || text[i] == '\t';

        if (!blank || (n && out[n - 1] != ' '))
            out[n++] = blank ? ' ' : text[i];
    }
    if (out)
        out[n && out[n - 1] == ' ' ? n - 1 : n] = '\0';
    return out;
}

/* FIELD = FORMULA */
static enum am_status read_update(struct reader *r, const char *rest)
{
    struct am_description *const d = r->out;
    const char *const name = next_word(r, &rest), *const named = r->word;
    const char *const equals = next_word(r, &rest), *const sign = r->word;
    const int field = am_description_find(&d->fields, name);
    struct am_description_update *const to = &d->updates[d->n_updates];
    const struct am_formula_place place = {.file = r->file,
                                           .source = r->source,
                                           .line = r->line,
                                           .before = (size_t)(rest - r->text),
                                           .dimensions = d->dimensions};
    enum am_status s;

    r->word = named;
    if (!d->dimensions)
        return bad(r, "comes too early: the line \"dimensions\" belongs before it", name, NULL);
    if (field < 0)
        return no_field(r, name);
    if (is_updated(d, field))
        return bad(r, "is updated twice in a step", name, NULL);
    r->word = sign;
    if (strcmp(equals, "=") != 0)
        return bad(r, "should be =, with blanks around it", equals, NULL);
    *to = (struct am_description_update){
        .field = (size_t)field, .text = squeezed(r, rest), .line = r->line};
    s = to->text ? am_formula_parse(rest, &place, r->arena, &to->formula, r->err) : no_memory(r);
    if (s == AM_OK)
        s = check_formula(r, rest, &to->formula, (size_t)field);
    r->word = named;
    if (s == AM_OK && !has_field(d, &to->formula))
        s = bad(r,
                "would be the same after every step: its formula has no field in it (what stays as "
                "it is, is a coefficient)",
                name, NULL);
    if (s == AM_OK) {
        d->flops += am_formula_flops(&to->formula, is_constant, d);
        d->n_updates++;
    }
    return s;
}

/* ---- the file ---- */

static const struct {
    const char *word;
    line_fn *read;
    const char *form;
} lines[] = {
    {"stencil", read_title, "stencil NAME"},
    {"dimensions", read_dimensions, "dimensions 1, 2 or 3"},
    {"field", read_field, "field NAME [start NUMBER] [noise NUMBER]"},
    {"coefficient", read_coefficient, "coefficient NAME [start NUMBER] [noise NUMBER]"},
    {"parameter", read_parameter, "parameter NAME NUMBER"},
    {"boundary", read_boundary, "boundary [x, y or z] periodic, fixed [NUMBER] or mirror"},
    {"update", read_update, "update FIELD = FORMULA"},
};
enum { LINES = sizeof(lines) / sizeof(*lines) };

static enum am_status read_line(struct reader *r, const char *text)
{
    const char *rest = text, *words[LINES];
    const char *const word = next_word(r, &rest);

    for (size_t i = 0; i < LINES; i++) {
        words[i] = lines[i].word;
        if (strcmp(word, lines[i].word) != 0)
            continue;
        r->form = lines[i].form;
        return lines[i].read(r, rest);
    }
    return *word ? bad(r, "is no word of a description", word, am_nearest(word, words, LINES))
                 : AM_OK;
}

/* The line at *text, with those that continue it (they begin with a blank): letter by letter as in
 * the file, but for comments and ends of lines, which become blanks. */
static bool next_line(struct reader *r, const char **text, unsigned *number, struct am_text *line)
{
    am_text_clear(line);
    r->line = *number;
    r->source = *text;
    while (**text && (*text == r->source || **text == ' ' || **text == '\t')) {
        const size_t n = strcspn(*text, "\n");
        size_t said = strcspn(*text, "#\n");

        said -= said == n && said > 0 && (*text)[said - 1] == '\r';
        am_text_addn(line, *text, said);
        for (size_t i = said; i <= n; i++)
            am_text_add(line, " ");
        *text += n + ((*text)[n] == '\n');
        (*number)++;
    }
    r->text = am_text_str(line);
    return *text != r->source;
}

/* A coefficient is read by every pass, and counted so: one that no formula reads is a mistake. */
static enum am_status check_used(struct reader *r)
{
    const struct am_description_names *const names = &r->out->coefficients;

    for (size_t i = 0; i < names->n; i++) {
        if (names->items[i].used)
            continue;
        r->line = names->items[i].line;
        return bad(r, "is used by no formula", names->items[i].name, NULL);
    }
    return AM_OK;
}

static enum am_status check_whole(struct reader *r)
{
    const struct am_description *const d = r->out;
    enum am_status s;

    if (!d->name)
        return bad(r, "has no line \"stencil NAME\"", r->file, NULL);
    if (!d->n_updates)
        return bad(r, "has no line \"update FIELD = ...\"", d->name, NULL);
    for (size_t i = 0; i < d->fields.n; i++) {
        if (is_updated(d, (int)i))
            continue;
        r->line = d->fields.items[i].line;
        return bad(r, "is never updated: what stays as it is, is a coefficient",
                   d->fields.items[i].name, NULL);
    }
    s = check_boundaries(r);
    if (s == AM_OK && !d->flops) {
        r->line = d->updates[d->n_updates - 1].line;
        return bad(r, "calculates nothing: no formula has a +, -, * or / of fields", d->name, NULL);
    }
    return s == AM_OK ? check_used(r) : s;
}

enum am_status am_description_parse(const char *file, const char *text, struct am_arena *arena,
                                    struct am_description *out, struct am_err *err)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf"; /* that some editors begin a file with */
    struct reader r = {.file = file, .arena = arena, .out = out, .err = err, .line = 1};
    struct am_text line;
    unsigned number = 1;
    enum am_status s = AM_OK;

    *out = (struct am_description){.radius = 1};
    if (strlen(text) > AM_DESCRIPTION_TEXT_MAX)
        return am_fail(err, AM_E_USAGE, "%s:1: too long for a description", file);
    if (strncmp(text, byte_order_mark, strlen(byte_order_mark)) == 0)
        text += strlen(byte_order_mark);
    am_text_init(&line, AM_DESCRIPTION_TEXT_MAX + 1);
    while (s == AM_OK && next_line(&r, &text, &number, &line))
        s = read_line(&r, r.text);
    am_text_fini(&line);
    r.word = NULL;
    return s == AM_OK ? check_whole(&r) : s;
}
