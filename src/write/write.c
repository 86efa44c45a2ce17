/* SPDX-License-Identifier: MIT */
/* Which writer a format has. */
#include "write/write.h"

#include "base/log.h"

void am_write(const struct am_document *document, const struct am_style *style,
              struct am_arena *arena, FILE *out)
{
    struct am_body *const b = am_arena_alloc(arena, sizeof(*b));

    if (!b)
        am_log(AM_LOG_ERROR, "no memory for the output");
    if (style->format == AM_FORMAT_JSON)
        am_write_json(document, arena, out);
    if (!b || style->format == AM_FORMAT_JSON)
        return;
    b->arena = arena;
    b->programs = style->format == AM_FORMAT_CSV;
    document->blocks(b, document->self);
    if (style->format == AM_FORMAT_CSV)
        am_write_csv(b, out);
    else if (style->format == AM_FORMAT_HTML)
        am_write_html(document, b, out);
    else if (style->format == AM_FORMAT_TABLE)
        am_write_text(b, style, out);
    else
        am_write_markup(b, style->format, out);
    if (b->broken)
        am_log(AM_LOG_WARN, "memory was refused: a part of the output is missing");
}

static void only_table(struct am_body *b, const void *self)
{
    am_block_add(b, AM_BLOCK_TABLE, NULL, NULL)->table = *(struct am_table *const *)self;
}

void am_write_table(struct am_table *table, const struct am_style *style, FILE *out)
{
    am_write(&(struct am_document){.self = &table, .blocks = only_table}, style, table->arena, out);
}
