/* SPDX-License-Identifier: MIT */
/* What a command says, before it has a form: blocks of text, tables and figures whose numbers are
 * still numbers.
 *
 * A document is a view of something that was loaded (a run, a comparison, findings) with two
 * functions: `blocks` tells it to people as a list of blocks, `data` tells it to programs as a
 * tree. The writers (write/write.h) ask for the one that their format needs; nothing is formatted
 * before. A table is described once: its columns say what they are called for people (title) and
 * for programs (key), its cells keep value, unit, interval, tone and grade. Texts are kept by
 * pointer and live as long as the arena. Where memory is refused a block or row is left out, and
 * `broken` is set. */
#ifndef AM_DOCUMENT_DOCUMENT_H
#define AM_DOCUMENT_DOCUMENT_H

#include "base/arena.h"
#include "core/stats/grade.h"
#include "document/data.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- cells ---- */

/* What a text or number is to the reader; writers colour it, and words carry the meaning too. */
enum am_tone {
    AM_TONE_PLAIN,
    AM_TONE_STRONG,
    AM_TONE_MUTED,
    AM_TONE_GOOD,
    AM_TONE_WARN,
    AM_TONE_BAD,
    AM_TONES,
};

enum am_form {
    AM_FORM_TEXT,      /* `text`; `value` is what a sort goes by, where it is set */
    AM_FORM_QUANTITY,  /* value in `text` (its SI unit): "48.8 Gflop/s"; where `bounded`: "< 67 ns",
                        * and nothing for programs, who have a column of bounds */
    AM_FORM_FACT,      /* as facts have it: bytes in binary units, counts whole; lo < hi: a range */
    AM_FORM_INTERVAL,  /* lo .. hi of a fact, in `text`; `value` is its coverage */
    AM_FORM_PRECISION, /* half a width over the median; lo and hi: both sides where they differ */
    AM_FORM_COUNT,     /* a whole number */
    AM_FORM_WHOLE,     /* one of 64 bits, in `whole` */
    AM_FORM_BYTES,     /* a size: "16 KiB" */
    AM_FORM_SHARE,     /* of 1: "38 %" */
    AM_FORM_RATIO,     /* with `digits` decimals: "1.061" */
    AM_FORM_NUMBER,    /* with `digits` significant digits */
    AM_FORM_RATIO_INTERVAL, /* "[0.981, 1.143]" */
    AM_FORM_DURATION,       /* seconds, rounded: "1 min 15 s" */
    AM_FORM_BAR,            /* a share as a bar; terminals only */
};

struct am_table_cell {
    enum am_form form;
    enum am_tone tone;
    enum am_grade grade; /* C is shown greyed */
    bool bounded;        /* not resolved from zero: `value` is the bound */
    int digits;
    const char *text; /* NULL: empty */
    const char *link; /* pages: where the text leads; NULL: nowhere */
    double value, lo, hi;
    uint64_t whole;
};

enum { AM_CELL_BYTES = 256 }; /* room for the text of a number, terminator included */

/* The cell for a person; `buf` is used unless it is a text. Never NULL. */
const char *am_cell_show(const struct am_table_cell *cell, char *buf, size_t cap);
/* The cell for a program: all digits, unscaled; "" of what is no number. */
const char *am_cell_exact(const struct am_table_cell *cell, char *buf, size_t cap);
/* True when the cell is a number to programs. */
bool am_cell_is_number(const struct am_table_cell *cell);
/* Greyed where the grade is C. */
enum am_tone am_cell_tone(const struct am_table_cell *cell);

/* ---- tables ---- */

enum am_place {
    AM_PLACE_COLUMN,
    AM_PLACE_BELOW, /* on a terminal: a line of its own below the row, after the title */
    AM_PLACE_GROUP, /* on a terminal: a line above the rows that share it */
};

struct am_column {
    const char *title; /* for people; NULL: not shown to them */
    const char *key;   /* for programs; NULL: not written for them */
    bool right;        /* numbers */
    unsigned rank;     /* columns of a higher rank go first where the terminal is narrow; 0 stays */
    bool flow;         /* its text may be wrapped over several lines */
    bool once;         /* on lines below rows: rows that share it have it once, after the last */
    enum am_place place;
};

enum { AM_COLUMNS_MAX = 160 };

struct am_table {
    struct am_arena *arena;
    struct am_column columns[AM_COLUMNS_MAX];
    struct am_table_cell *cells; /* row by row, n_columns each */
    size_t n_columns, n_rows, cap_rows;
    size_t at;                    /* column of the next cell in the last row */
    struct am_table_cell nowhere; /* takes the cells that have no room */
    unsigned indent;              /* on a terminal */
    bool bare;                    /* no line of titles on a terminal */
    bool hide_empty;              /* columns without any text are left out */
    bool tall;                    /* in a page: scrolls in a box of its own */
    bool broken;
};

void am_table_init(struct am_table *table, struct am_arena *arena);
/* All columns come before the first row. */
void am_table_column(struct am_table *table, struct am_column column);
void am_table_columns(struct am_table *table, const struct am_column *columns, size_t n);
void am_table_row(struct am_table *table);

/* The next cell of the current row; what is returned may be given a tone or a grade, and is never
 * NULL. Formatted texts are made in the arena. */
struct am_table_cell *am_table_text(struct am_table *table, const char *text);
struct am_table_cell *am_table_textf(struct am_table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct am_table_cell *am_table_number(struct am_table *table, enum am_form form, double value);
struct am_table_cell *am_table_whole(struct am_table *table, uint64_t value);
/* A form that has a unit: AM_FORM_QUANTITY or AM_FORM_FACT. */
struct am_table_cell *am_table_quantity(struct am_table *table, enum am_form form, double value,
                                        const char *unit);
/* The same of a value with its interval: a bound where it is not resolved from zero. */
struct am_table_cell *am_table_known(struct am_table *table, enum am_form form, double value,
                                     const struct am_interval *ci, const char *unit);
/* A value of an axis: sizes in binary units, numbers to be sorted as such. */
struct am_table_cell *am_table_param(struct am_table *table, enum am_axis_kind kind,
                                     const char *text);

const struct am_table_cell *am_table_at(const struct am_table *table, size_t row, size_t column);
/* True when no row has anything to show in the column. */
bool am_table_is_empty(const struct am_table *table, size_t column);
/* Columns for people or for programs, into `out` (room for AM_COLUMNS_MAX); returns how many. Bars
 * are for terminals only: `bars`. */
size_t am_table_for_people(const struct am_table *table, bool bars, size_t *out);
size_t am_table_for_programs(const struct am_table *table, size_t *out);

/* ---- blocks ---- */

struct am_figure;          /* document/figure/figure.h */
struct am_comparison_view; /* document/comparison.h */
struct am_points;

enum am_block_kind {
    AM_BLOCK_HEADING,    /* of a section: `name`, `text` what belongs to it */
    AM_BLOCK_SUBHEADING, /* inside one */
    AM_BLOCK_LINE,       /* `name` and `text` on one line, in the head of a document */
    AM_BLOCK_PARAGRAPH,  /* `name` is a label before it, "" for none */
    AM_BLOCK_ITEM,       /* of a list */
    AM_BLOCK_CODE,       /* commands, line by line */
    AM_BLOCK_VERDICT,    /* of the whole document: `name` in a word, `text` why */
    AM_BLOCK_TABLE,
    AM_BLOCK_PAIRS, /* keys and values */
    AM_BLOCK_CARDS, /* pages: `table` has one card per row: value, title, remark */
    AM_BLOCK_DETAILS,
    AM_BLOCK_DETAILS_END, /* what is between is folded away in a page; `name` says what it is */
    AM_BLOCK_FIGURE,      /* pages */
    AM_BLOCK_FOREST,      /* pages: ratios of a comparison with their intervals */
    AM_BLOCK_CHART,       /* terminals with graphics: the shape of consecutive results */
    AM_BLOCK_DATA,        /* pages: the document's data as a link, if no larger than `limit` */
    AM_BLOCK_GAP,         /* an empty line on a terminal */
};

struct am_block {
    enum am_block_kind kind;
    enum am_tone tone;
    unsigned indent; /* on a terminal; of tables theirs counts */
    bool open;       /* DETAILS: unfolded */
    const char *name, *text;
    struct am_table *table;
    const struct am_kvs *pairs;
    const struct am_figure *figure;
    const struct am_comparison_view *comparison; /* FOREST, with a label per row */
    const char *const *labels;
    const struct am_points *points; /* CHART, with `results` */
    const struct am_result *results;
    size_t n; /* CHART: results; DATA: bytes at most */
};

struct am_body {
    struct am_arena *arena;
    struct am_block *items;
    size_t n, cap;
    bool programs; /* for CSV: tables for programs are wanted, and nothing else */
    bool broken;   /* memory was refused: something is missing, and went here */
    struct am_block spare;
    struct am_table spare_table;
};

/* Adds a block and returns it, never NULL; texts are kept by pointer, NULL is "". */
struct am_block *am_block_add(struct am_body *b, enum am_block_kind kind, const char *name,
                              const char *text);
/* The same with a text made in the arena. */
struct am_block *am_block_addf(struct am_body *b, enum am_block_kind kind, const char *name,
                               const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A table of these columns, to be filled; empty ones are not written. */
struct am_table *am_block_table(struct am_body *b, const struct am_column *columns, size_t n);

/* ---- documents ---- */

typedef void am_body_fn(struct am_body *b, const void *self);
typedef void am_data_fn(struct am_data *d, const void *self);

struct am_document {
    const void *self;   /* what the functions get */
    am_body_fn *blocks; /* for people, and as tables for CSV */
    am_data_fn *data;   /* for programs; NULL: the tables of the blocks by their keys */
    const char *title;  /* of a page */
    const char *footer; /* of a page */
    unsigned depth;     /* JSON: containers at this depth and deeper stay on one line; 0: 3 */
};

#endif
