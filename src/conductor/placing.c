/* SPDX-License-Identifier: MIT */
/* The axis `on` of the catalogue's benches, completed with the places of the machine. */
#include "conductor/catalogue.h"
#include "topo/places.h"

#include <string.h>

/* One table for all benches: the axis is the same everywhere. */
struct places {
    const char **names, **reasons, **no_values; /* parallel, ended by NULL */
    size_t n;
};

static bool has_name(const struct places *p, const char *name)
{
    for (size_t i = 0; i < p->n; i++) {
        if (strcmp(p->names[i], name) == 0)
            return true;
    }
    return false;
}

static size_t count(const char *const *names)
{
    size_t n = 0;

    while (names && names[n])
        n++;
    return n;
}

/* The words of workers first, in their order, then what only this machine has. */
static bool make_places(const struct am_topo *topo, struct am_arena *arena, struct places *out)
{
    const char *const *const words = am_place_words();
    const char *const *const here = am_places_list(topo, arena);
    const size_t room = count(words) + count(here) + 1;

    out->names = am_arena_array(arena, room, sizeof(*out->names));
    out->reasons = am_arena_array(arena, room, sizeof(*out->reasons));
    out->no_values = am_arena_array(arena, room, sizeof(*out->no_values));
    if (!here || !out->names || !out->reasons || !out->no_values)
        return false;
    for (size_t i = 0; words[i]; i++) {
        out->reasons[out->n] = am_place_why_not(topo, words[i], arena);
        out->names[out->n++] = words[i];
    }
    for (size_t i = 0; here[i]; i++) {
        if (!has_name(out, here[i]))
            out->names[out->n++] = here[i];
    }
    return true;
}

bool am_catalogue_place(struct am_catalogue *catalogue, const struct am_topo *topo,
                        struct am_arena *arena)
{
    struct places places = {0};

    if (!make_places(topo, arena, &places))
        return false;
    for (size_t w = 0; w < catalogue->n; w++) {
        for (size_t b = 0; b < catalogue->workers[w].n; b++) {
            /* The descriptors of a listing are the catalogue's own copies: it may complete them. */
            struct am_axis *const axes = (struct am_axis *)catalogue->workers[w].benches[b].axes;
            const int on = am_axis_find(axes, AM_PLACE_AXIS);

            if (on < 0)
                continue;
            axes[on].choices = places.names;
            axes[on].reasons = places.reasons;
            axes[on].env_values = places.no_values;
        }
    }
    return !catalogue->base || am_catalogue_place(catalogue->base, topo, arena);
}
