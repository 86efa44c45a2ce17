/* SPDX-License-Identifier: MIT */
/* Tracks as notes: several cells per note, because the notes of a point are few and short. */
#include "bench/apps/leukocyte_tracks.h"

#include "base/text.h"

enum {
    NOTES = 18,       /* of the 32 that a point may have; runtimes make up to ten */
    NOTE_BYTES = 500, /* am_ctx_note() cuts beyond 511 */
    HEAD_BYTES = 8,   /* "; 255: " */
    PLACE_BYTES = 28, /* "1234.56,1234.56,-0.12,-0.34 " */
    PLACES_MAX = 16,
};

/* Places that are told of each cell, 2 at least: so many that all cells fit, if they can. */
static size_t places_of(const struct am_scene *scene)
{
    const size_t cells_a_note = (scene->cells + NOTES - 1) / NOTES;
    const size_t bytes = NOTE_BYTES / cells_a_note;
    const size_t room = bytes > HEAD_BYTES ? (bytes - HEAD_BYTES) / PLACE_BYTES : 0;
    const size_t most = room < PLACES_MAX ? room : PLACES_MAX;
    const size_t all = scene->frames + 1;

    if (most < 2)
        return 2;
    return all < most ? all : most;
}

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
}

static void say(const struct am_ctx *ctx, size_t note, const struct am_text *text)
{
    char key[AM_NAME_MAX];

    (void)am_str_format(key, sizeof(key), "tracks_%zu", note);
    am_ctx_note(ctx, key, "%s", am_text_str(text));
}

void am_leuko_tracks_note(struct am_leuko_tracks *told, const struct am_scene *scene)
{
    const size_t places = places_of(scene);
    struct am_text note, cell;
    size_t n = 0;

    if (told->said)
        return;
    told->said = true;
    am_text_init(&note, NOTE_BYTES);
    am_text_init(&cell, NOTE_BYTES - HEAD_BYTES);
    am_ctx_note(told->ctx, "tracks", "%zux%zu px, %zu cells, %zu frames", scene->width,
                scene->height, scene->cells, scene->frames);
    for (size_t i = 0; i < scene->cells && n < NOTES; i++) {
        am_text_clear(&cell);
        put_cell(scene, i, places, &cell);
        if (note.len > 0 && note.len + cell.len + HEAD_BYTES > NOTE_BYTES) {
            say(told->ctx, n++, &note);
            am_text_clear(&note);
        }
        am_text_addf(&note, "%s%s", note.len > 0 ? "; " : "", am_text_str(&cell));
    }
    if (note.len > 0 && n < NOTES)
        say(told->ctx, n, &note);
    am_text_fini(&cell);
    am_text_fini(&note);
}
