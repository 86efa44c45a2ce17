/* SPDX-License-Identifier: MIT */
/* Pictures: the machine, the tracks of cells. Whether there is anything to show, and
 * what is left out. */
#include "document/figure/pictures.h"

#include "family/roles.h"

#include <math.h>
#include <string.h>

const struct am_figure_drawn am_figures_drawn[AM_DRAWINGS] = {
    [AM_DRAWING_MACHINE] =
        {
            .name = "machine",
            .section = AM_FIGURE_MACHINE_SECTION,
            .title = "The machine as measured",
            .caption = "Cores, caches, memory and the ways between them, each with what was "
                       "measured: capacity, latency, bandwidth.",
        },
    [AM_DRAWING_TRACKS] =
        {
            .name = "leukocyte-tracks",
            .section = "Applications",
            .title = "Where the cells went",
            .caption =
                "Each cell from the circle it began in, by the point that followed it through the "
                "most frames. Every point was checked before it was timed: where the truth is "
                "known all cells within 1 px of it, and two against the plain reference.",
        },
};

/* ---- the machine ---- */

/* Facts of which the drawing shows any. */
static bool make_machine(const struct am_figure_source *source, struct am_figure *f)
{
    static const char *const names[] = {"memory.size", "memory.latency", "memory.bandwidth",
                                        "core.peak", "coherence.handoff"};
    struct am_figure_source *const copy = am_arena_alloc(source->arena, sizeof(*copy));

    for (size_t i = 0; copy && i < sizeof(names) / sizeof(names[0]); i++) {
        if (!am_facts_next(source->facts, names[i], NULL, NULL))
            continue;
        *copy = *source;
        f->source = copy;
        return true;
    }
    return false;
}

/* ---- tracks ---- */

static bool make_tracks(const struct am_figure_source *source, struct am_figure *f)
{
    struct am_track_scenes *const tracks = am_arena_alloc(source->arena, sizeof(*tracks));

    if (!tracks || !am_tracks_read(source->set, source->arena, tracks))
        return false;
    f->tracks = tracks;
    if (tracks->omitted)
        f->omitted = am_arena_printf(source->arena, "Not shown: %zu points of further videos.",
                                     tracks->omitted);
    return true;
}

bool am_picture_make(const struct am_figure_source *source, enum am_drawing picture,
                     struct am_figure *out)
{
    static bool (*const makers[AM_DRAWINGS])(const struct am_figure_source *,
                                             struct am_figure *) = {
        [AM_DRAWING_MACHINE] = make_machine,
        [AM_DRAWING_TRACKS] = make_tracks,
    };

    *out = (struct am_figure){.drawn = &am_figures_drawn[picture], .constants = ""};
    return makers[picture](source, out);
}
