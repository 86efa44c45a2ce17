/* SPDX-License-Identifier: MIT */
/* Pictures of the best that was measured, over threads and sizes. */
#include "report/figures_best.h"

#include "base/text.h"
#include "report/figure_data.h"
#include "report/panels.h"

#include <math.h>
#include <string.h>

enum { KEY_MAX = 128 };

/* One result that counts. */
struct place {
    double x;
    size_t series, panel;
    struct am_summary summary;
};

struct places {
    struct place *items;
    size_t n;
    struct am_keys series, panels;
    const char *unit;
};

static const char *unit_of(const struct am_result *r, const char *metric)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].name, metric) == 0)
            return r->metrics[i].unit;
    }
    return "";
}

/* What a result says of one name of a key: of an axis, or of the quotient of two. */
static bool value_of(const struct am_result *r, char *name, char *value)
{
    char *const slash = strchr(name, '/');
    const char *const text = slash ? NULL : am_result_text(r, name);
    double quotient;

    if (!slash)
        return text && am_str_copy(value, KEY_MAX, text);
    *slash = '\0';
    quotient = am_result_number(r, name) / am_result_number(r, slash + 1);
    *slash = '/';
    return isfinite(quotient) && !(floor(quotient) < quotient) &&
           am_str_format(value, KEY_MAX, "%.0f", quotient);
}

/* What a result's series or panel is called, with the names where it is to be read alone; NULL
 * where it has none. */
static const char *key_of(const struct am_result *r, const char *names, bool named,
                          struct am_arena *arena)
{
    const char *key = "";

    while (key && *names) {
        const size_t len = strcspn(names, ",");
        char name[KEY_MAX], value[KEY_MAX];

        if (!am_str_format(name, sizeof(name), "%.*s", (int)len, names) ||
            !value_of(r, name, value))
            return NULL;
        key = am_arena_printf(arena, "%s%s%s%s%s", key,
                              !*key   ? ""
                              : named ? ", "
                                      : " ",
                              named ? name : "", named ? " = " : "", value);
        names += len + (names[len] == ',');
    }
    return key;
}

/* Keeps the better of two at one place. */
static void put(struct places *all, const struct am_best *what, const struct place *p)
{
    for (size_t i = 0; i < all->n; i++) {
        struct place *const o = &all->items[i];

        if (o->x < p->x || o->x > p->x || o->series != p->series || o->panel != p->panel)
            continue;
        if (what->least ? p->summary.median < o->summary.median
                        : p->summary.median > o->summary.median)
            *o = *p;
        return;
    }
    all->items[all->n++] = *p;
}

static bool gather(const struct am_figure_source *source, const struct am_best *what,
                   struct places *all)
{
    const struct am_result_set *const set = source->set;

    all->items = am_arena_array(source->arena, set->n + 1, sizeof(*all->items));
    for (size_t i = 0; all->items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        const char *series, *panel;
        struct place p = {.x = am_result_number(r, what->x)};

        if (strcmp(r->bench, what->bench) != 0 || !isfinite(p.x) ||
            !am_result_summary(r, what->metric, &p.summary))
            continue;
        series = key_of(r, what->series, false, source->arena);
        panel = key_of(r, what->panel, true, source->arena);
        if (!series || !panel)
            continue;
        p.series = am_keys_index(&all->series, source->arena, series);
        p.panel = am_keys_index(&all->panels, source->arena, panel);
        all->unit = unit_of(r, what->metric);
        if (p.series < AM_PANEL_LINES_MAX && p.panel < AM_KEYS_MAX)
            put(all, what, &p);
    }
    return all->items && all->n > 0;
}

/* Those of one line, by rising x. How many. */
static size_t line_of(const struct places *all, size_t panel, size_t series,
                      struct am_plot_mark *marks)
{
    size_t n = 0;

    for (size_t i = 0; i < all->n; i++) {
        const struct place *const p = &all->items[i];
        size_t at = n;

        if (p->panel != panel || p->series != series)
            continue;
        n++;
        for (; marks && at > 0 && marks[at - 1].x > p->x; at--)
            marks[at] = marks[at - 1];
        if (marks)
            marks[at] = (struct am_plot_mark){
                .x = p->x, .y = p->summary.median, .lo = p->summary.ci.lo, .hi = p->summary.ci.hi};
    }
    return n;
}

static bool fill_panel(struct am_panel *out, struct am_arena *arena, const struct am_best *what,
                       const struct places *all, size_t panel)
{
    const bool count = strcmp(what->x, "threads") == 0;
    size_t longest = 0;

    *out = (struct am_panel){.plot = {.title = all->panels.items[panel],
                                      .x = {.title = what->x,
                                            .unit = "",
                                            .whole = true,
                                            .scale = count ? AM_SCALE_LINEAR : AM_SCALE_LOG2},
                                      .y = {.title = what->metric, .unit = all->unit}}};
    for (size_t s = 0; s < all->series.n && s < AM_PANEL_LINES_MAX; s++) {
        const size_t n = line_of(all, panel, s, NULL);
        struct am_plot_mark *const marks =
            n ? am_panel_line(out, arena, all->series.items[s], (unsigned)s, n) : NULL;

        if (marks)
            (void)line_of(all, panel, s, marks);
        longest = n > longest ? n : longest;
    }
    return longest > 1;
}

/* Panels without a line of two places say nothing that a table does not. */
bool am_best_draw(const struct am_figure_source *source, const struct am_best *what,
                  struct am_text *out)
{
    struct am_panel *const panels = am_arena_array(source->arena, AM_PANELS_MAX, sizeof(*panels));
    struct places all = {.unit = ""};
    size_t n = 0;

    if (!panels || !gather(source, what, &all))
        return false;
    for (size_t i = 0; i < all.panels.n && n < AM_PANELS_MAX; i++)
        n += fill_panel(&panels[n], source->arena, what, &all, i);
    if (n == 0)
        return false;
    am_panels_draw(panels, n, what->title, out);
    return true;
}

#define DRAW(fn, name_, title_, bench_, metric_, least_, x_, series_, panel_)                      \
    bool am_best_##fn(const struct am_figure_source *source, struct am_text *out)                  \
    {                                                                                              \
        return am_best_draw(source,                                                                \
                            &(const struct am_best){.title = title_,                               \
                                                    .bench = bench_,                               \
                                                    .metric = metric_,                             \
                                                    .least = least_,                               \
                                                    .x = x_,                                       \
                                                    .series = series_,                             \
                                                    .panel = panel_},                              \
                            out);                                                                  \
    }
AM_FIGURES_BEST_MAP(DRAW)

bool am_stencil_weak_draw(const struct am_figure_source *source, struct am_text *out)
{
    static const struct am_best weak = {.title = "Weak scaling",
                                        .bench = "app.stencil",
                                        .metric = "flops",
                                        .x = "threads",
                                        .series = "variant,type,form",
                                        .panel = "dim,n/threads"};

    return am_best_draw(source, &weak, out);
}
