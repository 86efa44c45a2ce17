/* SPDX-License-Identifier: MIT */
/* Tables on a terminal: columns by their width, and made to fit. Columns that may flow become
 * narrower first; where that is not enough, columns are left out: those that repeat another or
 * never change, then by rank. What must stay and is still too wide is folded between columns, so
 * that no terminal breaks it within a word. */
#include "base/text.h"
#include "write/plot/graph.h"
#include "write/write.h"

#include <stdint.h>
#include <string.h>

enum {
    CELL_MAX = 1024,
    GAP = 2,
    FLOW_EASY = 24, /* columns below which wrapped text is no longer read with ease */
    FLOW_MIN = 12,  /* where nothing else can be left out */
    FLOW_LAST = 5,  /* where the lines would be broken by the terminal otherwise */
    BAR_COLUMNS = 12,
    BELOW_INDENT = 9, /* of lines below a row */
    FOLD_INDENT = 4,  /* of what did not fit beside the first columns */
    RANK_REPEATED = 100,
    RANK_CONSTANT = 90
};

/* A table with every text made and every column measured. */
struct layout {
    const struct am_table *table;
    const struct am_style *style;
    size_t columns[AM_COLUMNS_MAX]; /* those that are shown, by index into the table's */
    size_t widths[AM_COLUMNS_MAX];
    unsigned ranks[AM_COLUMNS_MAX];
    size_t n;
    size_t room;                /* of a line, where columns must be folded; else 0 */
    bool below[AM_COLUMNS_MAX]; /* by index of the table: on a line below the row */
    const char **texts;         /* row by row, table->n_columns each */
};

static void spaces(FILE *out, size_t n)
{
    (void)fprintf(out, "%*s", (int)n, "");
}

/* ---- measuring ---- */

static const char *make_text(const struct layout *l, const struct am_table_cell *cell)
{
    char buf[AM_GRAPH_MAX + AM_CELL_BYTES];
    const char *text;

    if (cell->form == AM_FORM_BAR) {
        am_graph_bar(cell->value, BAR_COLUMNS, l->style->utf8, buf, sizeof(buf));
        text = buf;
    } else {
        text = am_cell_show(cell, buf, sizeof(buf));
    }
    text = text == buf ? am_arena_strdup(l->table->arena, text) : text;
    return text ? text : "";
}

static const char *text_at(const struct layout *l, size_t row, size_t column)
{
    return l->texts[row * l->table->n_columns + column];
}

static bool is_constant(const struct layout *l, size_t column)
{
    size_t r = 1;

    while (r < l->table->n_rows && strcmp(text_at(l, r, column), text_at(l, 0, column)) == 0)
        r++;
    return r > 2 && r == l->table->n_rows;
}

static bool is_repeated(const struct layout *l, size_t place)
{
    for (size_t p = 0; p < place && l->table->n_rows > 1; p++) {
        size_t r = 0;

        while (r < l->table->n_rows &&
               strcmp(text_at(l, r, l->columns[p]), text_at(l, r, l->columns[place])) == 0)
            r++;
        if (r == l->table->n_rows)
            return true;
    }
    return false;
}

/* Metrics of lesser rank that tell nothing new go first. */
static unsigned rank_of(const struct layout *l, size_t place)
{
    const size_t column = l->columns[place];
    const unsigned rank = l->table->columns[column].rank;
    const enum am_form form = am_table_at(l->table, 0, column)->form;

    if (rank == 0 || (form != AM_FORM_QUANTITY && form != AM_FORM_PRECISION))
        return rank;
    return is_repeated(l, place) ? RANK_REPEATED : is_constant(l, column) ? RANK_CONSTANT : rank;
}

static bool lay_out(struct layout *l)
{
    const struct am_table *const t = l->table;
    size_t all[AM_COLUMNS_MAX];
    const size_t n = am_table_for_people(t, l->style->graphs, all);

    l->texts = am_arena_array(t->arena, t->n_rows * t->n_columns + 1, sizeof(*l->texts));
    if (!l->texts)
        return false;
    for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
        l->texts[i] = make_text(l, &t->cells[i]);
    for (size_t i = 0; i < n; i++) {
        size_t width = t->bare ? 0 : am_text_width(t->columns[all[i]].title);

        l->below[all[i]] = t->columns[all[i]].place == AM_PLACE_BELOW;
        if (t->columns[all[i]].place != AM_PLACE_COLUMN)
            continue;
        for (size_t r = 0; r < t->n_rows; r++) {
            const size_t w = am_text_width(text_at(l, r, all[i]));

            width = w > width ? w : width;
        }
        l->widths[l->n] = width;
        l->columns[l->n++] = all[i];
    }
    for (size_t i = 0; i < l->n && t->n_rows; i++)
        l->ranks[i] = rank_of(l, i);
    return true;
}

/* ---- fitting ---- */

static bool flows(const struct layout *l, size_t place)
{
    const struct am_column *const column = &l->table->columns[l->columns[place]];

    return column->flow || (l->room && !column->right);
}

static size_t total_width(const struct layout *l)
{
    size_t total = 0;

    for (size_t i = 0; i < l->n; i++)
        total += l->widths[i] + (i ? GAP : 0);
    return total;
}

/* Narrows the columns that may flow, the widest first, until the table fits; false, and nothing is
 * done, when one would become narrower than `least`. */
static bool narrow(struct layout *l, size_t room, size_t least)
{
    size_t over = total_width(l) - room, spare = 0;

    for (size_t i = 0; i < l->n; i++)
        spare += flows(l, i) && l->widths[i] > least ? l->widths[i] - least : 0;
    if (spare < over)
        return false;
    for (; over > 0; over--) {
        size_t widest = l->n;

        for (size_t i = 0; i < l->n; i++) {
            if (flows(l, i) && (widest == l->n || l->widths[i] > l->widths[widest]))
                widest = i;
        }
        l->widths[widest]--;
    }
    return true;
}

static void leave_out(struct layout *l, size_t place)
{
    for (l->n--; place < l->n; place++) {
        l->columns[place] = l->columns[place + 1];
        l->widths[place] = l->widths[place + 1];
        l->ranks[place] = l->ranks[place + 1];
    }
}

static void tell_left_out(struct am_left_out *left, const char *title)
{
    size_t i = 0;

    while (left && i < left->n && strcmp(left->titles[i], title) != 0)
        i++;
    if (left && i == left->n && left->n < AM_COLUMNS_MAX && *title)
        left->titles[left->n++] = title;
}

/* Lines of several columns each; long words of a column flow there. */
static void fold(struct layout *l, size_t room)
{
    l->room = room;
    for (size_t i = 0; i < l->n; i++)
        l->widths[i] = flows(l, i) && l->widths[i] > FLOW_EASY ? FLOW_EASY : l->widths[i];
}

/* Lines that the text takes in so many columns. */
static size_t count_lines(const char *text, size_t columns)
{
    size_t n = 1, next;

    for (; am_text_width(text) > columns && columns > 0; n++) {
        (void)am_text_line(text, columns, &next);
        text += next;
    }
    return n;
}

static bool is_told_below(const struct layout *l, size_t row, size_t column)
{
    const char *const text = text_at(l, row, column);

    return *text && !(l->table->columns[column].once && row + 1 < l->table->n_rows &&
                      strcmp(text, text_at(l, row + 1, column)) == 0);
}

/* Lines that all rows take; `below`: with this column on lines of its own (SIZE_MAX: none). */
static size_t lines_of(const struct layout *l, size_t room, size_t below)
{
    size_t total = 0;

    for (size_t r = 0; r < l->table->n_rows; r++) {
        size_t most = 1;

        for (size_t i = 0; i < l->n; i++) {
            const size_t n =
                flows(l, i) ? count_lines(text_at(l, r, l->columns[i]), l->widths[i]) : 1;

            most = n > most ? n : most;
        }
        total += most;
        if (below != SIZE_MAX && is_told_below(l, r, below))
            total += count_lines(text_at(l, r, below), room - BELOW_INDENT);
    }
    return total;
}

/* A last column of text that must stay goes to a line below its row where that takes fewer lines
 * than columns of at least so many characters. False: it stays. */
static bool move_below(struct layout *l, size_t room, size_t least)
{
    const size_t last = l->columns[l->n - 1];
    struct layout narrowed = *l, moved = *l;

    if (l->n < 2 || l->ranks[l->n - 1] > 0 || !flows(l, l->n - 1) || room <= BELOW_INDENT)
        return false;
    leave_out(&moved, moved.n - 1);
    if (narrow(&narrowed, room, least) &&
        ((total_width(&moved) > room && !narrow(&moved, room, least)) ||
         lines_of(&narrowed, room, SIZE_MAX) <= lines_of(&moved, room, last)))
        return false;
    l->below[last] = true;
    leave_out(l, l->n - 1);
    return true;
}

/* The place of the column that is missed least: highest rank, and the rightmost of a rank. */
static size_t find_least(const struct layout *l)
{
    size_t victim = 0;

    for (size_t i = 0; i < l->n; i++)
        victim = l->ranks[i] >= l->ranks[victim] ? i : victim;
    return victim;
}

/* Narrows columns, and leaves out what then is still too much; tells which. */
static void fit(struct layout *l, size_t room, struct am_left_out *left)
{
    while (total_width(l) > room) {
        struct layout easy = *l;
        const size_t victim = find_least(l);
        const bool is_easy = narrow(&easy, room, FLOW_EASY);

        if (!is_easy && l->ranks[victim] > 0) {
            tell_left_out(left, l->table->columns[l->columns[victim]].title);
            leave_out(l, victim);
        } else if (!move_below(l, room, is_easy ? FLOW_EASY : FLOW_MIN)) {
            if (is_easy)
                *l = easy;
            else if (!narrow(l, room, FLOW_MIN) && !narrow(l, room, FLOW_LAST))
                fold(l, room);
            break;
        }
    }
}

/* ---- writing ---- */

/* What is still to be written of a row, place by place. */
struct rest {
    const char *text[AM_COLUMNS_MAX];
    enum am_tone tone[AM_COLUMNS_MAX];
};

/* Behind the last place of these that has something to write in this line: nothing trails there. */
static size_t end_of_filled(const struct rest *rest, size_t from, size_t to)
{
    while (to > from && !*rest->text[to - 1])
        to--;
    return to;
}

/* Behind the last place that stands beside `from` in one line. */
static size_t end_of_line(const struct layout *l, size_t from)
{
    size_t taken = (from ? FOLD_INDENT : 0) + l->widths[from], to = from + 1;

    for (; to < l->n && (!l->room || taken + GAP + l->widths[to] <= l->room); to++)
        taken += GAP + l->widths[to];
    return to;
}

/* One line of a cell, and what is left of it: all of it unless the column may flow. */
static const char *take_line(const struct layout *l, size_t place, struct rest *rest, char *buf)
{
    const char *const text = rest->text[place];
    size_t next, n;

    if (!flows(l, place) || am_text_width(text) <= l->widths[place]) {
        rest->text[place] = "";
        return text;
    }
    n = am_text_line(text, l->widths[place], &next);
    rest->text[place] = text + next;
    (void)am_str_copy(buf, n < CELL_MAX ? n + 1 : CELL_MAX, text);
    return buf;
}

static void put_cell(const struct layout *l, size_t place, const char *text, enum am_tone tone,
                     bool last, FILE *out)
{
    const size_t taken = am_text_width(text);
    const size_t pad = taken < l->widths[place] ? l->widths[place] - taken : 0;
    const bool right = l->table->columns[l->columns[place]].right;

    spaces(out, right ? pad : 0);
    (void)fputs(am_style_on(l->style, tone), out);
    am_style_put(l->style, out, text);
    (void)fputs(am_style_off(l->style, tone), out);
    spaces(out, right || last ? 0 : pad);
}

static void put_lines(const struct layout *l, struct rest *rest, FILE *out)
{
    for (size_t from = 0, to; from < l->n; from = to) {
        to = end_of_line(l, from);
        for (size_t end = end_of_filled(rest, from, to); end > from || from == 0;) {
            spaces(out, l->table->indent + (from ? FOLD_INDENT : 0));
            for (size_t i = from; i < end; i++) {
                char buf[CELL_MAX];

                spaces(out, i > from ? GAP : 0);
                put_cell(l, i, take_line(l, i, rest, buf), rest->tone[i], i + 1 == end, out);
            }
            (void)fputc('\n', out);
            end = end_of_filled(rest, from, to);
            if (end == from)
                break;
        }
    }
}

static void put_titles(const struct layout *l, FILE *out)
{
    struct rest rest;

    for (size_t i = 0; i < l->n; i++) {
        rest.text[i] = l->table->columns[l->columns[i]].title;
        rest.tone[i] = AM_TONE_STRONG;
    }
    put_lines(l, &rest, out);
}

/* The line above rows that share a group, at the first of them. */
static void put_group(const struct layout *l, size_t row, FILE *out)
{
    for (size_t c = 0; c < l->table->n_columns; c++) {
        const char *const text = text_at(l, row, c);

        if (l->table->columns[c].place != AM_PLACE_GROUP ||
            (row > 0 && strcmp(text, text_at(l, row - 1, c)) == 0))
            continue;
        (void)fprintf(out, "%s%s", row ? "\n" : "", am_style_on(l->style, AM_TONE_STRONG));
        am_style_put(l->style, out, text);
        (void)fprintf(out, "%s\n", am_style_off(l->style, AM_TONE_STRONG));
    }
}

static void put_below(const struct layout *l, size_t row, FILE *out)
{
    for (size_t c = 0; c < l->table->n_columns; c++) {
        char label[CELL_MAX];

        if (!l->below[c] || !is_told_below(l, row, c))
            continue;
        (void)am_str_format(label, sizeof(label), "%s: ", l->table->columns[c].title);
        am_style_wrap(l->style, out, l->table->indent + BELOW_INDENT, label, text_at(l, row, c));
    }
}

static void put_row(const struct layout *l, size_t row, FILE *out)
{
    struct rest rest;

    for (size_t i = 0; i < l->n; i++) {
        rest.text[i] = text_at(l, row, l->columns[i]);
        rest.tone[i] = am_cell_tone(am_table_at(l->table, row, l->columns[i]));
    }
    put_group(l, row, out);
    put_lines(l, &rest, out);
    put_below(l, row, out);
}

void am_write_text_table(const struct am_table *table, const struct am_style *style,
                         struct am_left_out *left, FILE *out)
{
    struct layout l = {.table = table, .style = style};

    if (!lay_out(&l))
        return;
    if (style->width > table->indent)
        fit(&l, style->width - table->indent, left);
    if (total_width(&l) == 0) /* no column is shown: no line could end */
        return;
    if (!table->bare)
        put_titles(&l, out);
    for (size_t r = 0; r < table->n_rows; r++)
        put_row(&l, r, out);
}
