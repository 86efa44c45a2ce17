/* SPDX-License-Identifier: MIT */
/* Pictures: the machine, its roofline, the tracks of cells. Whether there is anything to show, and
 * what is left out. */
#include "document/figure/pictures.h"

#include "family/roles.h"

#include <math.h>
#include <string.h>

const struct am_figure_drawn am_figures_drawn[AM_DRAWINGS] = {
    [AM_DRAWING_MACHINE] =
        {
            .name = "machine",
            .section = AM_FIGURE_MODEL_SECTION,
            .title = "The machine as measured",
            .caption = "Cores, caches, memory and the ways between them, each with what was "
                       "measured: capacity, latency, bandwidth.",
        },
    [AM_DRAWING_ROOFLINE] =
        {
            .name = "roofline",
            .section = AM_FIGURE_MODEL_SECTION,
            .title = "Roofline",
            .caption =
                "Ceilings are measured, never computed from a data sheet: arithmetic above, "
                "bandwidth of each level at the slopes. Every kernel that moves bytes and computes "
                "lies below; its distance to the lowest ceiling is what is left.",
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

/* ---- the roofline ---- */

bool am_roof_panel_has(const struct am_roof_panel *panel, const struct am_explanation *e)
{
    const char *const type = am_result_type(e->result);

    return !e->why_not && !am_result_device(e->result) &&
           fabs(am_result_threads(e->result) - panel->threads) < 0.5 &&
           (!type || strcmp(type, panel->type) == 0);
}

double am_roof_panel_peak(const struct am_roof_scene *scene, const struct am_roof_panel *panel)
{
    double peak = 0;

    for (size_t i = 0; i < scene->roofline.n; i++) {
        const struct am_ceiling *const c = &scene->roofline.items[i];

        if (c->kind == AM_CEILING_FLOPS && !c->device && strcmp(c->type, panel->type) == 0 &&
            fabs(c->threads - panel->threads) < 0.5)
            peak = fmax(peak, c->rate);
    }
    return peak;
}

/* Both precisions, on one thread and on the most that arithmetic was measured with. */
static void find_panels(struct am_roof_scene *s)
{
    static const char *const types[] = {"f64", "f32"};
    double most = 1;

    for (size_t i = 0; i < s->roofline.n; i++) {
        if (s->roofline.items[i].kind == AM_CEILING_FLOPS && !s->roofline.items[i].device)
            most = fmax(most, s->roofline.items[i].threads);
    }
    for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
        for (size_t k = 0; k < (most > 1 ? 2 : 1); k++) {
            const struct am_roof_panel panel = {types[t], k ? most : 1};

            if (am_roof_panel_peak(s, &panel) > 0)
                s->panels[s->n_panels++] = panel;
        }
    }
}

static bool is_in_a_panel(const struct am_roof_scene *s, const struct am_explanation *e)
{
    for (size_t i = 0; i < s->n_panels; i++) {
        if (am_roof_panel_has(&s->panels[i], e))
            return true;
    }
    return false;
}

/* Benches get colours in the order of their points. Returns false where no colour is left. */
static bool add_bench(struct am_roof_scene *s, const char *bench)
{
    for (size_t k = 0; k < s->n_benches; k++) {
        if (strcmp(s->benches[k], bench) == 0)
            return true;
    }
    if (s->n_benches == AM_ROOF_BENCHES_MAX)
        return false;
    s->benches[s->n_benches++] = bench;
    return true;
}

static const char *tell_roofs(size_t elsewhere, size_t uncoloured, struct am_arena *arena)
{
    const char *text = NULL;

    if (elsewhere)
        text =
            am_arena_printf(arena, "Not shown: %zu points of other numbers of threads.", elsewhere);
    if (uncoloured)
        text = am_arena_printf(arena, "%s%sNot named below: the benches of %zu further points.",
                               text ? text : "", text ? " " : "", uncoloured);
    return text;
}

static bool make_roofs(const struct am_figure_source *source, struct am_figure *f)
{
    struct am_roof_scene *const s = am_arena_alloc(source->arena, sizeof(*s));
    size_t elsewhere = 0, uncoloured = 0;

    if (!s)
        return false;
    *s = (struct am_roof_scene){0};
    am_roofline_build(source->set, source->facts, source->arena, &s->roofline);
    am_explain(source->set, source->facts, &s->roofline, source->arena, &s->points);
    find_panels(s);
    for (size_t i = 0; i < s->points.n; i++) {
        const struct am_explanation *const e = &s->points.items[i];

        if (e->why_not || am_result_device(e->result))
            continue;
        if (!is_in_a_panel(s, e))
            elsewhere++;
        else
            uncoloured += !add_bench(s, e->result->bench);
    }
    f->roofs = s;
    f->omitted = tell_roofs(elsewhere, uncoloured, source->arena);
    return s->n_panels > 0;
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
        [AM_DRAWING_ROOFLINE] = make_roofs,
        [AM_DRAWING_TRACKS] = make_tracks,
    };

    *out = (struct am_figure){.drawn = &am_figures_drawn[picture], .constants = ""};
    return makers[picture](source, out);
}
