/* SPDX-License-Identifier: MIT */
/* Inside figures only: what tells series, panels and columns apart.
 *
 * A key is the values of some axes. Keys are compared by value, numbers as numbers and names as
 * names, and never by what is written beside a line: labels are made from the keys when all of them
 * are known (am_keys_label), and are shortened only where they stay different from each other. */
#ifndef AM_DOCUMENT_FIGURE_KEYS_H
#define AM_DOCUMENT_FIGURE_KEYS_H

#include "base/arena.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

/* The axes of a list "variant,type,n/threads". */
struct am_key_axes {
    const char *names[AM_AXES_MAX];
    size_t n;
};

/* One value of one axis; the number is NAN of names. */
struct am_key_value {
    const char *name;
    enum am_axis_kind kind;
    const char *text;
    double number;
};

struct am_keys {
    struct am_arena *arena;
    struct am_key_axes axes;
    struct am_key_value *values; /* axes.n of each key */
    size_t n, cap;
    size_t *slots; /* index + 1 of a key by its hash; 0: free */
    size_t n_slots;
    const char **labels; /* of each key; am_keys_label() sets them */
};

/* What am_keys_index() returns when the result has no such value, or memory is refused. */
#define AM_KEY_NONE SIZE_MAX

/* Adds the axes of the list (NULL: none). */
void am_keys_use(struct am_keys *keys, const char *list);
/* The key of a result: its index, added when new. AM_KEY_NONE where a quotient "n/threads" is not
 * whole. A result without one of the axes has the value "" there. */
size_t am_keys_index(struct am_keys *keys, const struct am_result *result);
/* By rising value where all are numbers; names stay as they came. `rank` (keys->n) gets the new
 * place of each. Call before labelling. */
void am_keys_sort(struct am_keys *keys, size_t *rank);
enum am_label_style {
    AM_LABEL_NAMED, /* "avx2, threads 4" */
    AM_LABEL_BARE,  /* "4": a title names the axis */
    AM_LABEL_ALL,   /* the same, also of an axis in which no two keys differ */
};
/* Makes the labels, all different, of the values of axes in which keys differ. False when memory is
 * refused. */
bool am_keys_label(struct am_keys *keys, enum am_label_style style);

/* Shortens `n` texts to about `max` characters where they stay different: by their end, or by the
 * part that several of them share; else they stay as they are. */
void am_labels_shorten(const char **texts, size_t n, size_t max, struct am_arena *arena);
/* A copy of at most `max` characters, the rest an ellipsis; `text` itself when it fits. */
const char *am_label_cut(struct am_arena *arena, const char *text, size_t max);
/* Estimated width of a text in a sans-serif face of `size`. */
double am_label_width(const char *text, double size);

#endif
