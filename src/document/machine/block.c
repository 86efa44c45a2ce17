/* SPDX-License-Identifier: MIT */
/* Predicted loops: for each the verdict, the pressure on resources, and its instructions. */
#include "document/machine/block.h"

#include "base/text.h"

#include <math.h>

enum { INDENT = 2, RESOURCES_SHOWN = 6 };

static const char *const match_words[] = {[AM_FORM_NONE] = "fused",
                                          [AM_FORM_EXACT] = "exact",
                                          [AM_FORM_LIKE] = "like",
                                          [AM_FORM_UNKNOWN] = "unknown"};

static uint64_t first_address(const struct am_predicted *b)
{
    return b->lines[0].insn->address;
}

/* ---- words ---- */

/* ", 97 of them vectors that wait to begin," where that is known. */
static const char *waiting_of(const struct am_incore *core, char room[64])
{
    if (!(core->waiting >= 1) ||
        !am_str_format(room, 64, ", %.0f of them vectors that wait to begin,", core->waiting))
        return "";
    return room;
}

/* Units that take operations by turns. */
static const char *turning_units(const struct am_incore *core)
{
    if (core->turns == 0 && core->schedulers == 0)
        return "units of memory";
    return core->memory.units ? "integer units and units of memory" : "integer units";
}

/* What the lines that a loop lies in cost, and what it would take at the best place. */
static void tell_lines(struct am_body *body, const struct am_predicted *b, const char *least)
{
    const struct am_incore_lines *const rule = &b->core->lines;
    const double without = fmax(fmax(b->throughput, b->chain), 1);
    char span[96] = "", elsewhere[96] = "";

    if (b->jump.most > b->jump.least)
        (void)am_str_format(span, sizeof(span), " (%.2f to %.2f, by where in a line it begins)",
                            fmax(b->jump.least, without), b->hi);
    if (fmax(b->jump.elsewhere, without) < b->jump.least)
        (void)am_str_format(elsewhere, sizeof(elsewhere), " Elsewhere in a line it takes %.2f.",
                            fmax(b->jump.elsewhere, without));
    (void)am_block_addf(
        body, AM_BLOCK_PARAGRAPH, NULL,
        "%s%.2f cycles per iteration%s, limited by the lines that it lies in: of "
        "each %u bytes %u instructions are taken in per cycle. Resources alone allow "
        "%.2f.%s",
        least, b->cycles, span, rule->bytes, rule->entry * rule->most, fmax(b->throughput, 1),
        elsewhere);
}

static void tell_limit(struct am_body *body, const struct am_loop_view *v,
                       const struct am_predicted *b)
{
    const char *const least = b->unknown || b->loop->calls ? "at least " : "";
    char waiting[64];

    if (b->limit == AM_LIMIT_RESOURCE)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%s%.2f cycles per iteration (%.2f to %.2f), limited by the resource "
                            "%s. Without it: %.2f.",
                            least, b->cycles, b->lo, b->hi, b->core->resources[b->busiest],
                            fmax(fmax(b->next, b->chain), 1));
    else if (b->limit == AM_LIMIT_CHAIN)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%s%.2f cycles per iteration, limited by a chain from one iteration "
                            "to the next (marked). Resources alone allow %.2f (%s).",
                            least, b->cycles, fmax(b->throughput, 1),
                            b->core->resources[b->busiest]);
    else if (b->limit == AM_LIMIT_WINDOW)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%s%.2f cycles per iteration, limited by the window: %.0f instructions "
                            "under way%s do not hide what they wait for. Resources alone allow "
                            "%.2f (%s), chains %.2f.",
                            least, b->cycles, v->core->window, waiting_of(v->core, waiting),
                            fmax(b->throughput, 1), b->core->resources[b->busiest], b->chain);
    else if (b->limit == AM_LIMIT_TURNS)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%s%.2f cycles per iteration, limited by %s, which "
                            "operations are bound to %s: %.2f if each went to any unit that is "
                            "free.",
                            least, b->cycles, turning_units(b->core),
                            b->core->schedulers ? "before they are ready" : "by turns", b->free);
    else if (b->core->lines.bytes && b->jump.cycles > 1)
        tell_lines(body, b, least);
    else if (b->core->fetch == 0 && b->jump.cycles > 1)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%s%.2f cycles per iteration (%.2f to %.2f, by where in a line it "
                            "begins), limited by the jump back: measured loops of as many slots "
                            "take so long. Resources alone allow %.2f.",
                            least, b->cycles, fmax(b->lo, 1), b->hi, fmax(b->throughput, 1));
    else
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%s%.0f cycle%s per iteration, limited by the jump back; resources "
                            "would allow %.2f.",
                            least, b->jump.cycles, b->jump.cycles > 1 ? "s" : "", b->throughput);
}

static void tell_closed(struct am_body *body, const struct am_loop_view *v,
                        const struct am_predicted *b)
{
    struct am_arena scratch = {NULL};
    const char *const closed = b->wide ? am_incore_closed(v->core, &scratch) : NULL;

    if (closed)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL, "As this loop has them, %s.", closed);
    am_arena_fini(&scratch);
}

static const char *by_count(size_t n, const char *one, const char *more)
{
    return n == 1 ? one : more;
}

static void tell_gaps(struct am_body *body, const struct am_predicted *b)
{
    if (b->unknown)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%zu of %zu instructions %s no measured form: counted as a slot of the "
                            "front end, a cycle from operand to result, and %s load or store.",
                            b->unknown, b->n, by_count(b->unknown, "has", "have"),
                            by_count(b->unknown, "its", "their"));
    if (b->latencies_unknown)
        (void)am_block_addf(
            body, AM_BLOCK_PARAGRAPH, NULL,
            "%zu %s not known (archmeter run %s): counted as one cycle.", b->latencies_unknown,
            by_count(b->latencies_unknown, "latency is", "latencies are"), am_incore_needs);
    if (b->loop->branches)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%zu %s inside: all instructions are counted as if executed.",
                            b->loop->branches, by_count(b->loop->branches, "branch", "branches"));
    if (b->loop->calls)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL, "%zu %s not counted.", b->loop->calls,
                            by_count(b->loop->calls, "call inside: what it does is",
                                     "calls inside: what they do is"));
    if (b->loop->elsewhere)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "%zu more %s back to its top, through code that lies elsewhere: not "
                            "counted.",
                            b->loop->elsewhere, by_count(b->loop->elsewhere, "way", "ways"));
}

/* ---- tables ---- */

/* The resource with the next lower pressure behind `after`, by rank; resources: none. */
static size_t next_resource(const struct am_predicted *b, size_t resources, const bool *shown)
{
    size_t found = resources;

    for (size_t r = 0; r < resources; r++) {
        if (!shown[r] && (found == resources || b->pressure[r] > b->pressure[found]))
            found = r;
    }
    return found;
}

static void add_pressure(struct am_body *body, const struct am_predicted *b)
{
    static const struct am_column columns[] = {{.key = "loop"},
                                               {.title = "resource", .key = "resource"},
                                               {.title = "cycles", .key = "cycles", .right = true},
                                               {.title = "busy", .key = "busy", .right = true},
                                               {.title = ""},
                                               {.title = "for", .flow = true}};
    struct am_table *const t = am_block_table(body, columns, sizeof(columns) / sizeof(columns[0]));
    bool shown[AM_RESOURCES_MAX] = {false};

    t->indent = INDENT;
    for (size_t i = 0; i < b->core->model.resources; i++) {
        const size_t r = next_resource(b, b->core->model.resources, shown);

        shown[r] = true;
        if (!body->programs && (i >= RESOURCES_SHOWN || b->pressure[r] < 0.005))
            break;
        am_table_row(t);
        (void)am_table_textf(t, "%#llx", (unsigned long long)first_address(b));
        (void)am_table_text(t, b->core->resources[r]);
        am_table_number(t, AM_FORM_RATIO, b->pressure[r])->digits = 2;
        (void)am_table_number(t, AM_FORM_SHARE, b->pressure[r] / b->cycles);
        (void)am_table_number(t, AM_FORM_BAR, b->pressure[r] / b->cycles);
        (void)am_table_text(t, am_incore_users(b->core, r, t->arena));
    }
}

/* What an iteration takes with its data in each level: at least where their way overlaps with the
 * rest, at most where the one waits for the other. */
static void add_level(struct am_table *t, const struct am_predicted *b, const char *level,
                      double moved)
{
    am_table_row(t);
    (void)am_table_textf(t, "%#llx", (unsigned long long)first_address(b));
    (void)am_table_text(t, level);
    am_table_number(t, AM_FORM_RATIO, moved)->digits = 2;
    am_table_number(t, AM_FORM_RATIO, fmax(b->cycles, moved))->digits = 2;
    am_table_number(t, AM_FORM_RATIO, b->cycles + moved)->digits = 2;
}

static void add_levels(struct am_body *body, const struct am_loop_view *v,
                       const struct am_predicted *b, const struct am_streams *streams)
{
    static const struct am_column columns[] = {
        {.key = "loop"},
        {.title = "data in", .key = "level"},
        {.title = "their way", .key = "moved", .right = true},
        {.title = "cycles, overlapping", .key = "overlapping", .right = true},
        {.title = "one after the other", .key = "apart", .right = true}};
    struct am_table *t = NULL;

    for (enum am_tier level = AM_TIER_L2; level < AM_TIER_COUNT; level++) {
        const double moved = am_streams_cycles(streams, v->roofline, level, v->hz);

        if (isnan(moved))
            continue;
        if (!t) {
            t = am_block_table(body, columns, sizeof(columns) / sizeof(columns[0]));
            t->indent = INDENT;
        }
        add_level(t, b, am_tier_title(level), moved);
    }
    if (!t)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "What they take from levels behind the first cache is not known: the "
                            "run has no %s of one thread.",
                            am_tiers_need);
}

static void tell_streams(struct am_body *body, const struct am_loop_view *v,
                         const struct am_predicted *b, const struct am_streams *streams)
{
    if (streams->unknown)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "The addresses of %zu of %zu operands in memory are not followed: what "
                            "they move is not counted.",
                            streams->unknown, streams->operands);
    if (!(streams->read + streams->written > 0))
        return;
    (void)am_block_addf(
        body, AM_BLOCK_PARAGRAPH, NULL,
        "An iteration moves on through %.3g B of lines that it reads and %.3g B that "
        "it writes.",
        streams->read, streams->written);
    add_levels(body, v, b, streams);
}

/* "vaddpd_ymm + vmovups_ymm_m256" */
static const char *forms_text(const struct am_insn_forms *f, struct am_arena *arena)
{
    const char *const parts[] = {f->operation, f->load, f->store};
    const char *text = "";

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && text; i++) {
        if (parts[i][0])
            text = *text ? am_arena_printf(arena, "%s + %s", text, parts[i])
                         : am_arena_strdup(arena, parts[i]);
    }
    return text;
}

/* Of what does nothing but load, from its address on: its data are nobody's result. */
static double shown_latency(const struct am_predicted *b, const struct am_predicted_line *line)
{
    const bool loads = line->insn->loads && !line->insn->stores && !line->forms.eliminated;

    return loads && line->latency <= 0 ? b->load + line->index_more : line->latency;
}

static void add_lines(struct am_body *body, const struct am_predicted *b)
{
    static const struct am_column columns[] = {
        {.key = "loop"},
        {.title = "address", .key = "address", .right = true, .rank = 2},
        {.title = "instruction", .key = "instruction", .flow = true},
        {.title = "measured as", .key = "forms", .rank = 1, .flow = true},
        {.title = "form", .key = "match"},
        {.title = "latency", .key = "latency", .right = true},
        {.title = "busiest", .key = "busiest", .right = true},
        {.title = "chain", .key = "chain"}};
    struct am_table *const t = am_block_table(body, columns, sizeof(columns) / sizeof(columns[0]));

    t->indent = INDENT;
    for (size_t i = 0; i < b->n; i++) {
        const struct am_predicted_line *const line = &b->lines[i];

        am_table_row(t);
        (void)am_table_textf(t, "%#llx", (unsigned long long)first_address(b));
        (void)am_table_textf(t, "%#llx", (unsigned long long)line->insn->address);
        (void)am_table_text(t, line->insn->text);
        (void)am_table_text(t, forms_text(&line->forms, t->arena));
        am_table_text(t, match_words[line->forms.match])->tone =
            line->forms.match == AM_FORM_UNKNOWN ? AM_TONE_WARN : AM_TONE_PLAIN;
        am_table_number(t, AM_FORM_RATIO, shown_latency(b, line))->digits = 1;
        am_table_number(t, AM_FORM_RATIO, line->pressure)->digits = 2;
        (void)am_table_text(t, line->on_chain ? "*" : NULL);
    }
}

/* ---- the document ---- */

static void add_summary(struct am_body *body, const struct am_loop_view *v)
{
    static const struct am_column columns[] = {
        {.key = "loop"},     {.key = "instructions"}, {.key = "cycles"}, {.key = "limit"},
        {.key = "resource"}, {.key = "throughput"},   {.key = "lo"},     {.key = "hi"},
        {.key = "chain"},    {.key = "unknown"},      {.key = "like"},   {.key = "window"},
    };
    struct am_table *const t = am_block_table(body, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < v->n; i++) {
        const struct am_predicted *const b = &v->blocks[i];

        am_table_row(t);
        (void)am_table_textf(t, "%#llx", (unsigned long long)first_address(b));
        (void)am_table_whole(t, b->n);
        (void)am_table_number(t, AM_FORM_NUMBER, b->cycles);
        (void)am_table_text(t, am_limit_words[b->limit]);
        (void)am_table_text(t, b->core->resources[b->busiest]);
        (void)am_table_number(t, AM_FORM_NUMBER, b->throughput);
        (void)am_table_number(t, AM_FORM_NUMBER, b->lo);
        (void)am_table_number(t, AM_FORM_NUMBER, b->hi);
        (void)am_table_number(t, AM_FORM_NUMBER, b->chain);
        (void)am_table_whole(t, b->unknown);
        (void)am_table_whole(t, b->like);
        (void)am_table_number(t, AM_FORM_NUMBER, b->played);
    }
}

static void add_blocks(struct am_body *body, const void *self)
{
    const struct am_loop_view *const v = self;

    (void)am_block_addf(body, AM_BLOCK_HEADING, v->function, "%s, by %s", v->file, v->run);
    if (isfinite(v->core->held_error))
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "Random mixes of instructions that were not fitted: predicted with a "
                            "mean error of %.1f %% (%zu of them). Data are taken to be in the "
                            "first-level cache, and branches to be foreseen.",
                            100 * v->core->held_error, v->core->held);
    if (isfinite(v->core->held_error) && v->core->wide)
        (void)am_block_addf(body, AM_BLOCK_PARAGRAPH, NULL,
                            "Mixes with 512-bit instructions: %.1f %% (%zu).",
                            100 * v->core->wide_error, v->core->wide);
    if (!isfinite(v->core->held_error))
        (void)am_block_add(
            body, AM_BLOCK_PARAGRAPH, NULL,
            "How good the model is was not tested: the run has no random mixes. Data "
            "are taken to be in the first-level cache, and branches to be "
            "foreseen.");
    if (body->programs)
        add_summary(body, v);
    for (size_t i = 0; i < v->n; i++) {
        const struct am_predicted *const b = &v->blocks[i];

        char like[64] = "";

        if (b->like)
            (void)am_str_format(like, sizeof(like), ", %zu of them by forms like theirs", b->like);
        (void)am_block_addf(body, AM_BLOCK_SUBHEADING, "", "%s at %#llx: %zu instruction%s%s",
                            b->loop->marked ? "Block" : "Loop",
                            (unsigned long long)first_address(b), b->n, b->n > 1 ? "s" : "", like);
        tell_limit(body, v, b);
        tell_closed(body, v, b);
        tell_gaps(body, b);
        add_pressure(body, b);
        tell_streams(body, v, b, &v->streams[i]);
        add_lines(body, b);
    }
}

struct am_document am_document_loops(const struct am_loop_view *view)
{
    return (struct am_document){.self = view, .blocks = add_blocks, .title = "prediction"};
}
