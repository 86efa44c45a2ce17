/* SPDX-License-Identifier: MIT */
/* Tracks as an SVG file in the coordinates of the video. */
#include "app/leukocyte/picture.h"

enum { MARGIN = 30, TICK = 100 }; /* pixels */

/* Neighbours in number differ in colour; all can be told from the ground. */
static const char *const colours[] = {"#1b6ca8", "#c4482b", "#2e8b57", "#8a4fa3",
                                      "#b8860b", "#0f8b8d", "#a83279", "#5b6b2a"};

enum { COLOURS = sizeof(colours) / sizeof(colours[0]) };

static void put_axes(const struct am_tracks *t, struct am_text *out)
{
    am_text_addf(out,
                 "<rect width=\"%zu\" height=\"%zu\" fill=\"#fafafa\" stroke=\"#888\"/>\n"
                 "<g font-family=\"sans-serif\" font-size=\"10\" fill=\"#444\">\n",
                 t->width, t->height);
    for (size_t x = 0; x <= t->width; x += TICK)
        am_text_addf(out, "<text x=\"%zu\" y=\"%zu\" text-anchor=\"middle\">%zu</text>\n", x,
                     t->height + 14, x);
    for (size_t y = 0; y <= t->height; y += TICK)
        am_text_addf(out, "<text x=\"-6\" y=\"%zu\" dy=\"3\" text-anchor=\"end\">%zu</text>\n", y,
                     y);
}

static void put_track(const struct am_tracks *t, size_t cell, struct am_text *out)
{
    const char *const colour = colours[cell % COLOURS];
    const struct am_centre start = t->at[cell];

    am_text_addf(out,
                 "<g fill=\"none\" stroke=\"%s\"><title>cell %llu</title>"
                 "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\"/><polyline points=\"",
                 colour, (unsigned long long)t->names[cell], start.x, start.y);
    for (size_t f = 0; f < t->frames; f++)
        am_text_addf(out, "%s%.2f,%.2f", f ? " " : "", t->at[f * t->n + cell].x,
                     t->at[f * t->n + cell].y);
    am_text_addf(out,
                 "\"/></g>\n<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\" text-anchor=\"middle\">%llu"
                 "</text>\n",
                 start.x, start.y - 6, colour, (unsigned long long)t->names[cell]);
}

void am_tracks_svg(const struct am_tracks *tracks, struct am_text *out)
{
    const size_t margins = 2 * (size_t)MARGIN;

    am_text_addf(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" "
                 "viewBox=\"%d %d %zu %zu\" role=\"img\">\n"
                 "<title>%zu cells in %zu frames, places in pixels</title>\n",
                 tracks->width + margins, tracks->height + margins, -MARGIN, -MARGIN,
                 tracks->width + margins, tracks->height + margins, tracks->n, tracks->frames);
    put_axes(tracks, out);
    for (size_t i = 0; i < tracks->n; i++)
        put_track(tracks, i, out);
    am_text_add(out, "</g>\n</svg>\n");
}
