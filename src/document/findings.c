/* SPDX-License-Identifier: MIT */
/* The findings of doctor as one table; on a terminal by area, with effect and remedy below. */
#include "document/findings.h"

#include "base/text.h"
#include "document/run.h"

enum { INDENT = 2, NAMES_MAX = 16 * 1024 };

static bool is_trouble(const struct am_finding *f)
{
    return f->level == AM_LEVEL_WARN || f->level == AM_LEVEL_ERROR;
}

/* Effect and remedy of what is no trouble are for programs only. */
static void add_row(struct am_table *t, const struct am_finding *f, bool programs)
{
    const bool all = programs || is_trouble(f);

    am_table_row(t);
    am_table_text(t, am_level_name(f->level))->tone = am_level_tone(f->level);
    (void)am_table_text(t, f->id);
    (void)am_table_text(t, f->area);
    (void)am_table_text(t, f->value);
    (void)am_table_text(t, all ? f->effect : NULL);
    (void)am_table_text(t, all ? f->remedy : NULL);
}

static struct am_table *add_table(struct am_body *b)
{
    static const struct am_column columns[] = {
        {.title = "level", .key = "level"},
        {.title = "check", .key = "check"},
        {.title = "area", .key = "area", .place = AM_PLACE_GROUP},
        {.title = "found", .key = "found", .flow = true},
        {.title = "effect", .key = "effect", .flow = true, .place = AM_PLACE_BELOW},
        {.title = "remedy", .key = "remedy", .flow = true, .place = AM_PLACE_BELOW}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    t->indent = INDENT;
    t->bare = true;
    return t;
}

/* One sentence that a reader can act on. */
static void add_verdict(struct am_body *b, const struct am_findings *findings)
{
    struct am_text names;
    size_t errors = 0, n = 0;

    am_text_init(&names, NAMES_MAX);
    for (size_t i = 0; i < findings->n; i++)
        errors += findings->items[i].level == AM_LEVEL_ERROR;
    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *const f = &findings->items[i];

        if (f->level == AM_LEVEL_ERROR || (errors == 0 && f->level == AM_LEVEL_WARN))
            am_text_addf(&names, "%s%s", n++ ? ", " : "", f->id);
    }
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, "verdict: ", "%s%s",
                        errors ? "numbers measured now would mislead; first mend "
                        : n == 0
                            ? "ready to measure; nothing here disturbs"
                            : "measure, and expect wider intervals and lower grades because of ",
                        n ? am_arena_strdup(b->arena, am_text_str(&names)) : "");
    am_text_fini(&names);
}

static void findings_blocks(struct am_body *b, const void *self)
{
    const struct am_findings_view *const view = self;
    struct am_table *const t = add_table(b);
    size_t count[AM_LEVEL_COUNT] = {0};

    for (size_t i = 0; i < view->findings->n; i++) {
        add_row(t, &view->findings->items[i], b->programs);
        count[view->findings->items[i].level]++;
    }
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%zu ok, %zu warn, %zu error, %zu unknown",
                        count[AM_LEVEL_OK], count[AM_LEVEL_WARN], count[AM_LEVEL_ERROR],
                        count[AM_LEVEL_UNKNOWN]);
    add_verdict(b, view->findings);
    if (view->synthetic)
        (void)am_block_add(b, AM_BLOCK_PARAGRAPH,
                           "synthetic: ", "read below a false root, not of this machine");
}

void am_data_findings(struct am_data *d, const struct am_findings *findings)
{
    am_data_array(d, "findings");
    for (size_t i = 0; i < findings->n; i++) {
        const struct am_finding *const f = &findings->items[i];

        am_data_object(d, NULL);
        am_data_text(d, "id", f->id);
        am_data_text(d, "area", f->area);
        am_data_text(d, "level", am_level_name(f->level));
        am_data_text(d, "value", f->value);
        am_data_text(d, "effect", f->effect);
        am_data_text(d, "remedy", f->remedy);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void findings_data(struct am_data *d, const void *self)
{
    const struct am_findings_view *const view = self;

    am_data_bool(d, "synthetic", view->synthetic);
    am_data_findings(d, view->findings);
}

struct am_document am_document_findings(const struct am_findings_view *view)
{
    return (struct am_document){.self = view, .blocks = findings_blocks, .data = findings_data};
}

void am_findings_section(struct am_body *b, const struct am_findings *findings)
{
    size_t trouble = 0, unknown = 0;

    for (size_t i = 0; i < findings->n; i++) {
        trouble += is_trouble(&findings->items[i]);
        unknown += findings->items[i].level == AM_LEVEL_UNKNOWN;
    }
    (void)am_block_add(b, AM_BLOCK_PARAGRAPH, NULL,
                       "What archmeter doctor saw when the run began.");
    for (int wanted = trouble ? 1 : 0; wanted >= 0; wanted--) {
        struct am_table *t;

        if (!wanted)
            (void)am_block_add(b, AM_BLOCK_DETAILS,
                               am_arena_printf(b->arena,
                                               "%zu checks are in order, %zu could not look",
                                               findings->n - trouble - unknown, unknown),
                               NULL);
        t = add_table(b);
        t->hide_empty = true;
        for (size_t i = 0; i < findings->n; i++) {
            if (is_trouble(&findings->items[i]) == (wanted == 1))
                add_row(t, &findings->items[i], false);
        }
    }
    (void)am_block_add(b, AM_BLOCK_DETAILS_END, NULL, NULL);
}
