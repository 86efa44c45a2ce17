/* SPDX-License-Identifier: MIT */
/* Tracks as an attachment: one line per cell. */
#include "bench/apps/leukocyte_tracks.h"

#include "base/text.h"

enum {
    PLACES_MAX = 32,  /* that a figure can show of a way */
    PLACE_BYTES = 64, /* more than "1234.56,1234.56,-0.12,-0.34 " ever takes */
};

static void put_cell(const struct am_scene *scene, size_t cell, size_t places, struct am_text *out)
{
    am_text_addf(out, "%zu:", cell);
    for (size_t k = 0; k < places; k++) {
        const size_t at = k * scene->frames / (places - 1) * scene->cells + cell;
        const struct am_centre p = scene->found[at];

        am_text_addf(out, " %.2f,%.2f", p.x, p.y);
        if (scene->truth)
            am_text_addf(out, ",%.2f,%.2f", p.x - scene->truth[at].x, p.y - scene->truth[at].y);
    }
    am_text_add(out, "\n");
}

void am_leuko_tracks_attach(struct am_leuko_tracks *told, const struct am_scene *scene)
{
    const size_t all = scene->frames + 1, places = all < PLACES_MAX ? all : PLACES_MAX;
    struct am_text text;

    if (told->said)
        return;
    told->said = true;
    am_text_init(&text, PLACE_BYTES * (places + 1) * (scene->cells + 1));
    am_text_addf(&text, "%zux%zu px, %zu cells, %zu frames\n", scene->width, scene->height,
                 scene->cells, scene->frames);
    for (size_t i = 0; i < scene->cells; i++)
        put_cell(scene, i, places, &text);
    am_ctx_attach(told->ctx, "tracks", "text/x-tracks", am_text_str(&text), text.len);
    am_text_fini(&text);
}
