/* SPDX-License-Identifier: MIT */
/* The findings of doctor: by area for a person, in rows or JSON for a program. */
#include "report/findings.h"

#include "report/grid.h"
#include "report/results.h"

#include <string.h>

static enum am_paint level_paint(enum am_level level)
{
    static const enum am_paint paints[AM_LEVEL_COUNT] = {
        [AM_LEVEL_OK] = AM_PAINT_GOOD,
        [AM_LEVEL_WARN] = AM_PAINT_WARN,
        [AM_LEVEL_ERROR] = AM_PAINT_BAD,
        [AM_LEVEL_UNKNOWN] = AM_PAINT_NONE,
    };

    return (unsigned)level < AM_LEVEL_COUNT ? paints[level] : AM_PAINT_NONE;
}

static void write_rows(const struct am_findings *findings, const struct am_style *style,
                       struct am_arena *arena, FILE *out)
{
    static const char *const titles[] = {"level", "check", "area", "found", "effect", "remedy"};
    struct am_grid g;

    am_grid_init(&g, arena);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        am_grid_column(&g, titles[i], AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *f = &findings->items[i];

        am_grid_row(&g);
        am_grid_cell(&g, am_level_name(f->level));
        am_grid_cell(&g, f->id);
        am_grid_cell(&g, f->area);
        am_grid_cell(&g, f->value);
        am_grid_cell(&g, f->effect);
        am_grid_cell(&g, f->remedy);
    }
    (void)am_grid_write(&g, style, 0, out);
}

static size_t longest_id(const struct am_findings *findings)
{
    size_t longest = 0;

    for (size_t i = 0; i < findings->n; i++) {
        const size_t len = strlen(findings->items[i].id);

        longest = len > longest ? len : longest;
    }
    return longest;
}

static void write_finding(const struct am_finding *f, const struct am_style *style, size_t ids,
                          FILE *out)
{
    const enum am_paint paint = level_paint(f->level);
    const size_t indent = 2 + 7 + 2;

    (void)fprintf(out, "  %s%-7s%s  %-*s  ", am_style_on(style, paint), am_level_name(f->level),
                  am_style_off(style, paint), (int)ids, f->id);
    am_style_flow(style, out, indent + ids + 2, f->value ? f->value : "");
    if (f->level == AM_LEVEL_OK || f->level == AM_LEVEL_UNKNOWN)
        return;
    if (f->effect)
        am_style_wrap(style, out, indent, "effect: ", f->effect);
    if (f->remedy)
        am_style_wrap(style, out, indent, "remedy: ", f->remedy);
}

static void write_text(const struct am_findings *findings, const struct am_style *style, FILE *out)
{
    size_t count[AM_LEVEL_COUNT] = {0};
    const size_t ids = longest_id(findings);
    const char *area = "";

    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *f = &findings->items[i];

        if (strcmp(f->area, area) != 0)
            (void)fprintf(out, "%s%s%s%s\n", i ? "\n" : "", am_style_on(style, AM_PAINT_STRONG),
                          f->area, am_style_off(style, AM_PAINT_STRONG));
        area = f->area;
        write_finding(f, style, ids, out);
        if ((unsigned)f->level < AM_LEVEL_COUNT)
            count[f->level]++;
    }
    (void)fprintf(out, "\n%zu ok, %zu warn, %zu error, %zu unknown\n", count[AM_LEVEL_OK],
                  count[AM_LEVEL_WARN], count[AM_LEVEL_ERROR], count[AM_LEVEL_UNKNOWN]);
}

void am_report_findings(const struct am_findings *findings, bool synthetic,
                        const struct am_style *style, struct am_arena *arena, FILE *out)
{
    struct am_json j;

    if (style->format == AM_FORMAT_TABLE) {
        write_text(findings, style, out);
        if (synthetic)
            (void)fputs("synthetic: read below a false root, not of this machine\n", out);
        return;
    }
    if (style->format != AM_FORMAT_JSON) {
        write_rows(findings, style, arena, out);
        return;
    }
    am_json_init(&j, out, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_bool(&j, "synthetic", synthetic);
    am_json_findings(&j, "findings", findings);
    am_json_object_end(&j);
}
