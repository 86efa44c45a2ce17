/* SPDX-License-Identifier: MIT */
/* SVG as text: escaped, well formed and byte-stable (numbers have at most two decimals and follow
 * no locale). Colours are inks: an element gets a class and the light colour as an attribute, so
 * that a picture needs no style sheet, and a page's style sheet can turn it dark. */
#ifndef AM_WRITE_PLOT_SVG_H
#define AM_WRITE_PLOT_SVG_H

#include "base/text.h"

#include <stddef.h>

enum { AM_SVG_DEPTH_MAX = 32, AM_SVG_COLORS = 8 };

/* What something is drawn with; children say fill or stroke "currentColor". */
enum am_ink {
    AM_INK_TEXT,
    AM_INK_MUTED, /* tick labels, remarks */
    AM_INK_AXIS,
    AM_INK_GRID,
    AM_INK_PAPER, /* the background, for halos and gaps */
    AM_INK_GOOD,
    AM_INK_WARN,
    AM_INK_BAD,
    AM_INK_SERIES, /* + 0 .. AM_SVG_COLORS - 1: told apart by colour-blind readers too */
    AM_INK_COUNT = AM_INK_SERIES + AM_SVG_COLORS,
};

enum am_anchor { AM_ANCHOR_START, AM_ANCHOR_MIDDLE, AM_ANCHOR_END };

/* A writer onto a text that grows; text->overflow tells when it did not fit. */
struct am_svg {
    struct am_text *out;
    const char *stack[AM_SVG_DEPTH_MAX]; /* names of open elements; literals */
    size_t depth;
    bool in_tag; /* the latest start tag still takes attributes */
};

void am_svg_init(struct am_svg *svg, struct am_text *out);

/* ---- elements; `name` and `key` are literals, values are escaped ---- */

void am_svg_open(struct am_svg *svg, const char *name);
void am_svg_attr(struct am_svg *svg, const char *key, const char *value);
void am_svg_attrf(struct am_svg *svg, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A coordinate or length: two decimals at the most, 0 when not finite. */
void am_svg_num(struct am_svg *svg, const char *key, double value);
/* A measured value, six digits; left out when not finite. */
void am_svg_data(struct am_svg *svg, const char *key, double value);
void am_svg_content(struct am_svg *svg, const char *text);
void am_svg_close(struct am_svg *svg);
/* <title>: the tooltip of the element that is open. */
void am_svg_title(struct am_svg *svg, const char *text);

/* ---- pictures ---- */

/* <svg> of width x height with an accessible name; end it with am_svg_close(). */
void am_svg_root(struct am_svg *svg, double width, double height, const char *label);
/* <g> in an ink, until am_svg_close(); attributes may follow. */
void am_svg_ink(struct am_svg *svg, enum am_ink ink);
/* <g> moved to x, y, until am_svg_close(). */
void am_svg_at(struct am_svg *svg, double x, double y);

/* Whole elements in the current ink. `width` of a line is its stroke's. */
void am_svg_line(struct am_svg *svg, double x1, double y1, double x2, double y2, double width);
void am_svg_text(struct am_svg *svg, double x, double y, enum am_anchor anchor, double size,
                 const char *text);
/* The same turned by a quarter, reading upwards. */
void am_svg_text_up(struct am_svg *svg, double x, double y, double size, const char *text);
/* <rect> filled with the ink; stays open for attributes and a title. */
void am_svg_rect(struct am_svg *svg, double x, double y, double width, double height);

/* ---- paths: the text of a "d" attribute ---- */

void am_svg_move(struct am_text *d, double x, double y);
void am_svg_draw(struct am_text *d, double x, double y);

/* ---- shared with pages ---- */

/* Adds `s` as character data or attribute value of XML and HTML: markup escaped, whatever is no
 * character of XML becomes U+FFFD. */
void am_svg_escape(struct am_text *out, const char *s);
/* The same, cut after `max` characters with an ellipsis. */
void am_svg_escape_cut(struct am_text *out, const char *s, size_t max);
/* A coordinate as am_svg_num() writes it. */
void am_svg_add_number(struct am_text *out, double value);
/* "am-grid", and its colour on light or dark paper. */
const char *am_ink_class(enum am_ink ink);
const char *am_ink_color(enum am_ink ink, bool dark);
/* The colour of `share` in [0,1] on the sequential scale: light to dark, even steps in lightness;
 * `text_on` is the ink of writing on it, black or white. */
void am_svg_heat(double share, char color[8], const char **text_on);

#endif
