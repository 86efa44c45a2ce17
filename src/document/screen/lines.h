/* SPDX-License-Identifier: MIT */
/* What the lines of the first screen share: lines.c has rows of figures, words.c lines of words. */
#ifndef AM_DOCUMENT_SCREEN_LINES_H
#define AM_DOCUMENT_SCREEN_LINES_H

#include "document/screen.h"

enum {
    AM_SCREEN_NAME = 16, /* columns of a line's name; longer ones move what follows */
    AM_SCREEN_GAP = 2,
    AM_SCREEN_WORDS = 512, /* bytes of a line */
};

/* How much room lines of words may take. */
struct am_screen_room {
    size_t per_rank; /* lines that the values of one rank's label may become */
    bool tight;      /* a line does not go on below itself: its last figures are left out */
};

struct am_screen_state {
    struct am_body *b;
    const struct am_screen_view *view;
    struct am_screen_room room;
    size_t left; /* lines that may still be written */
    size_t lost; /* lines that there was no room for */
    double *precisions;
    size_t n_precisions;
};

/* What a line rests on. */
struct am_screen_trust {
    double precision; /* the widest; 0: none has an interval */
    struct am_grading grading;
};

void am_screen_rest_on(struct am_screen_state *s, struct am_screen_trust *t,
                       const struct am_fact *f);
/* "3.2 % B", "B" where nothing has an interval. */
void am_screen_show_trust(const struct am_screen_trust *t, char *buf, size_t cap);

/* The `n` headlines of one rank as a line of words. */
void am_screen_words(struct am_screen_state *s, const struct am_headline *const *of, size_t n);
/* The same with a line per value of their label `per`, and one line for those that are alike; the
 * first few, and what the others are called. */
void am_screen_values(struct am_screen_state *s, const struct am_headline *const *of, size_t n);

#endif
