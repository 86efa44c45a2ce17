/* SPDX-License-Identifier: MIT */
/* The other side of a run: its catalogue, and the twins of the plan's points. */
#include "conductor/sides.h"

#include "base/text.h"
#include "conductor/replan.h"

#include <string.h>

static const char *const choices[] = {AM_SIDE_BASE, AM_SIDE_NEW, NULL};

/* ---- the catalogue ---- */

/* The axis as a worker of one side has it: the other's value is measured elsewhere. */
static bool fill_axis(struct am_axis *axis, const char *own, const char *other_worker,
                      struct am_arena *arena)
{
    const char **const elsewhere = am_arena_array(arena, 3, sizeof(*elsewhere));

    if (!elsewhere)
        return false;
    elsewhere[strcmp(own, AM_SIDE_BASE) == 0 ? 1 : 0] = other_worker;
    *axis = (struct am_axis){.name = AM_SIDE_AXIS,
                             .kind = AM_AXIS_NAME,
                             .dflt = own,
                             .choices = choices,
                             .elsewhere = elsewhere,
                             .of_plan = true,
                             .help = "which side of the run measures it"};
    return true;
}

static bool add_axis(struct am_bench *bench, const char *own, const char *other_worker,
                     struct am_arena *arena)
{
    const size_t n = am_axis_count(bench->axes);
    struct am_axis *const axes = am_arena_array(arena, n + 2, sizeof(*axes));

    if (!axes || !fill_axis(&axes[n], own, other_worker, arena))
        return false;
    memcpy(axes, bench->axes, n * sizeof(*axes));
    bench->axes = axes;
    return true;
}

/* The descriptors of a listing are the catalogue's own copies: it may complete them. */
static bool add_axes(const struct am_worker *w, const char *own, const char *other_worker,
                     struct am_arena *arena)
{
    struct am_bench *const benches = (struct am_bench *)w->benches;

    for (size_t i = 0; i < w->n; i++) {
        if (!add_axis(&benches[i], own, other_worker, arena))
            return false;
    }
    return true;
}

static bool become_base(struct am_worker *w, const struct am_strings *environment,
                        struct am_arena *arena)
{
    const char *const name = am_arena_printf(arena, "%s@" AM_SIDE_BASE, w->name);

    if (!name || !add_axes(w, AM_SIDE_BASE, w->name, arena))
        return false;
    w->calls_itself = w->name;
    w->name = name;
    w->environment = *environment;
    return true;
}

bool am_sides_join(struct am_catalogue *catalogue, struct am_catalogue *base,
                   const struct am_strings *environment, struct am_arena *arena)
{
    for (size_t i = 0; i < base->n; i++) {
        if (!become_base(&base->workers[i], environment, arena))
            return false;
    }
    for (size_t i = 0; i < catalogue->n; i++) {
        const struct am_worker *const w = &catalogue->workers[i];
        const char *const other = am_arena_printf(arena, "%s@" AM_SIDE_BASE, w->name);

        if (!other || !add_axes(w, AM_SIDE_NEW, other, arena))
            return false;
    }
    catalogue->base = base;
    return true;
}

enum am_status am_sides_open(const struct am_side_request *request, struct am_catalogue *catalogue,
                             struct am_arena *arena, struct am_err *err)
{
    struct am_catalogue *const base = am_arena_alloc(arena, sizeof(*base));
    enum am_status status;
    size_t usable = 0;

    if (!base)
        return am_fail(err, AM_E_NOMEM, "no memory for the other side");
    status =
        am_catalogue_load_again(arena, catalogue, request->build, &request->environment, base, err);
    for (size_t i = 0; status == AM_OK && i < base->n; i++)
        usable += base->workers[i].n > 0;
    if (status == AM_OK && usable == 0)
        status = am_fail(err, AM_E_USAGE, "%s: there is no worker program that can be used",
                         request->build ? request->build : "the other side");
    if (status == AM_OK && !am_sides_join(catalogue, base, &request->environment, arena))
        status = am_fail(err, AM_E_NOMEM, "no memory for the other side");
    return status;
}

/* ---- the plan ---- */

/* The bytes of a point's text before its side. */
static size_t own_part(const char *text)
{
    const char *const side = strstr(text, " " AM_SIDE_AXIS "=");

    if (strncmp(text, AM_SIDE_AXIS "=", strlen(AM_SIDE_AXIS "=")) == 0)
        return 0; /* a bench without axes of its own */
    return side ? (size_t)(side - text) : strlen(text);
}

static enum am_status twin_of(const struct am_point *point, const struct am_catalogue *catalogue,
                              struct am_arena *arena, struct am_point *twin, struct am_err *err)
{
    const struct am_worker *const w = am_catalogue_worker(catalogue, point->bench);
    char text[AM_POINT_TEXT_MAX], worker[AM_VALUE_TEXT_MAX * 2];
    const struct am_stored_point stored = {
        .worker = worker, .bench = point->bench->name, .version = point->bench->version, text};

    am_point_text(point, text, sizeof(text));
    text[own_part(text)] = '\0';
    if (!w || !am_str_format(worker, sizeof(worker), "%s@" AM_SIDE_BASE, w->name))
        return am_fail(err, AM_E_ABSENT, "%s has no worker on the other side", point->bench->name);
    return am_replan_point(catalogue, &stored, arena, twin, err);
}

enum am_status am_sides_mirror(struct am_plan *plan, const struct am_catalogue *catalogue,
                               struct am_arena *arena, size_t *left_out, struct am_err *why,
                               struct am_err *err)
{
    struct am_point *const points = am_arena_array(arena, 2 * plan->n + 1, sizeof(*points));
    size_t n = 0;

    *left_out = 0;
    if (!points)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu points", 2 * plan->n);
    for (size_t i = 0; i < plan->n; i++) {
        struct am_err story = {0};
        const enum am_status status =
            twin_of(&plan->points[i], catalogue, arena, &points[n + 1], &story);

        if (status == AM_E_NOMEM)
            return am_fail(err, AM_E_NOMEM, "no memory for %zu points", 2 * plan->n);
        if (status != AM_OK) {
            if ((*left_out)++ == 0)
                *why = story;
            continue;
        }
        points[n] = plan->points[i];
        points[n + 1].expect_s = points[n].expect_s;
        points[n].twin = n + 2;
        points[n + 1].twin = n + 1;
        n += 2;
    }
    plan->points = points;
    plan->n = n;
    plan->cap = 2 * plan->n + 1;
    return AM_OK;
}

/* Twins stand side by side in a plan: am_sides_mirror() put them so. */
void am_sides_pair(struct am_plan *plan)
{
    for (size_t i = 0; i + 1 < plan->n; i++) {
        char a[AM_POINT_TEXT_MAX], b[AM_POINT_TEXT_MAX];

        if (plan->points[i].bench == plan->points[i + 1].bench ||
            strcmp(plan->points[i].bench->name, plan->points[i + 1].bench->name) != 0)
            continue;
        am_point_text(&plan->points[i], a, sizeof(a));
        am_point_text(&plan->points[i + 1], b, sizeof(b));
        if (!strstr(a, AM_SIDE_AXIS "=" AM_SIDE_NEW) || !strstr(b, AM_SIDE_AXIS "=" AM_SIDE_BASE) ||
            own_part(a) != own_part(b) || strncmp(a, b, own_part(a)) != 0)
            continue;
        plan->points[i].twin = i + 2;
        plan->points[i + 1].twin = i + 1;
    }
}
