/* SPDX-License-Identifier: MIT */
/* The drawing of the machine: the first core in full, others beside it in short (they are alike, or
 * a line says that they are not), the shared cache and the memory below. */
#include "report/drawing.h"

#include "family/tiers.h"
#include "report/facts.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 256, OTHERS_MAX = 4 };

static const double width = 760, margin = 16, gap = 14;
static const double font = 12, line = 16;
static const double core_width = 350, core_height = 236, core_top = 62;
static const double cache_inset = 12, cache_height = 58;

struct drawing {
    const struct am_figure_source *source;
    struct am_svg *svg;
    double threads;         /* the most that rates were measured with */
    double cores, per_core; /* as stated; threads a core */
};

/* ---- words ---- */

static double stated(const struct drawing *d, const char *key)
{
    const char *const text = am_kvs_get(&d->source->set->machine, key);
    double n;

    return text && am_parse_f64(text, strlen(text), &n) && n >= 1 ? n : 1;
}

static const struct am_fact *find(const struct drawing *d, const char *name, const char *where)
{
    return am_facts_only(d->source->facts, name, where);
}

/* The value of a fact in words, after `before`; nothing without it. */
static void add_value(char *buf, size_t cap, const char *before, const struct am_fact *f)
{
    const size_t used = strlen(buf);
    char value[AM_UNITS_MAX];

    if (!f)
        return;
    am_fact_value(f, value, sizeof(value));
    (void)am_str_format(buf + used, cap - used, "%s%s%s", used ? ", " : "", before, value);
}

/* "memory.NAME" of a level. */
static const struct am_fact *of_tier(const struct drawing *d, enum am_tier tier, const char *name)
{
    return find(d, name, am_arena_printf(d->source->arena, "level=%s", am_tier_label(tier)));
}

static const struct am_fact *rate_of(const struct drawing *d, enum am_tier tier, const char *kernel,
                                     double threads)
{
    return find(d, "memory.bandwidth",
                am_arena_printf(d->source->arena, "level=%s kernel=%s threads=%.0f",
                                am_tier_label(tier), kernel, threads));
}

/* "L2  1.02 MiB (stated 1 MiB)". */
static void size_line(const struct drawing *d, enum am_tier tier, char *buf, size_t cap)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes"};
    const struct am_fact *const f = of_tier(d, tier, "memory.size");
    char value[AM_UNITS_MAX], claim[LINE_BYTES];

    if (f) {
        am_fact_value(f, value, sizeof(value));
        am_fact_claim(f, claim, sizeof(claim));
        (void)am_str_format(buf, cap, "%s  %s%s%s%s", am_tier_title(tier), value,
                            *claim ? (f->contradicts ? " (denied: stated " : " (stated ") : "",
                            claim, *claim ? ")" : "");
        return;
    }
    am_units_bytes((int64_t)stated(d, keys[tier]), value, sizeof(value));
    (void)am_str_format(buf, cap, "%s  %s as stated", am_tier_title(tier), value);
}

static void latency_line(const struct drawing *d, enum am_tier tier, char *buf, size_t cap)
{
    buf[0] = '\0';
    add_value(buf, cap, "load ", of_tier(d, tier, "memory.latency"));
    add_value(buf, cap, "", of_tier(d, tier, "memory.cycles"));
}

/* "read 213 GB/s, write 117 GB/s" of so many threads. */
static void rate_line(const struct drawing *d, enum am_tier tier, double threads, char *buf,
                      size_t cap)
{
    buf[0] = '\0';
    add_value(buf, cap, "read ", rate_of(d, tier, "read", threads));
    add_value(buf, cap, "write ", rate_of(d, tier, "write", threads));
}

/* ---- shapes ---- */

static void box(const struct drawing *d, double x, double y, double w, double h, enum am_ink ink)
{
    am_svg_ink(d->svg, ink);
    am_svg_open(d->svg, "rect");
    am_svg_num(d->svg, "x", x);
    am_svg_num(d->svg, "y", y);
    am_svg_num(d->svg, "width", w);
    am_svg_num(d->svg, "height", h);
    am_svg_num(d->svg, "rx", 6);
    am_svg_attr(d->svg, "fill", "currentColor");
    am_svg_attr(d->svg, "fill-opacity", "0.08");
    am_svg_attr(d->svg, "stroke", "currentColor");
    am_svg_num(d->svg, "stroke-width", 1.2);
    am_svg_close(d->svg);
    am_svg_close(d->svg);
}

static void say(const struct drawing *d, double x, double y, enum am_ink ink, enum am_anchor anchor,
                const char *text)
{
    if (!*text)
        return;
    am_svg_ink(d->svg, ink);
    am_svg_text(d->svg, x, y, anchor, font, text);
    am_svg_close(d->svg);
}

/* A way between two boxes, one below the other. */
static void way(const struct drawing *d, double x, double y1, double y2)
{
    am_svg_ink(d->svg, AM_INK_AXIS);
    am_svg_line(d->svg, x, y1, x, y2, 3);
    am_svg_close(d->svg);
}

static void cache_box(const struct drawing *d, enum am_tier tier, double x, double y, double w)
{
    char text[LINE_BYTES];

    box(d, x, y, w, cache_height, AM_INK_SERIES + (unsigned)tier);
    size_line(d, tier, text, sizeof(text));
    say(d, x + 10, y + line, AM_INK_TEXT, AM_ANCHOR_START, text);
    latency_line(d, tier, text, sizeof(text));
    say(d, x + 10, y + 2 * line, AM_INK_MUTED, AM_ANCHOR_START, text);
    y += *text ? line : 0;
    rate_line(d, tier, 1, text, sizeof(text));
    say(d, x + 10, y + 2 * line, AM_INK_MUTED, AM_ANCHOR_START, text);
}

/* ---- cores ---- */

/* The highest peak of a type by one thread. */
static const struct am_fact *peak_of(const struct drawing *d, const char *type)
{
    return am_facts_most(d->source->facts, "core.peak",
                         am_arena_printf(d->source->arena, "type=%s threads=1", type));
}

static void core_lines(const struct drawing *d, double x, double y)
{
    static const char *const types[] = {"f64", "f32"};
    char text[LINE_BYTES];
    const struct am_fact *const clock = find(d, "core.clock", NULL);

    if (clock) {
        char value[AM_UNITS_MAX];

        am_fact_value(clock, value, sizeof(value));
        (void)am_str_format(text, sizeof(text), "%s measured", value);
        say(d, x, y, AM_INK_MUTED, AM_ANCHOR_START, text);
    }
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const struct am_fact *const f = peak_of(d, types[i]);
        char before[LINE_BYTES];

        if (!f)
            continue;
        (void)am_str_format(before, sizeof(before), "%s ", types[i]);
        add_value(text, sizeof(text), before, f);
    }
    say(d, x, y + line, AM_INK_MUTED, AM_ANCHOR_START, text);
}

/* What threads of one core share: everything in its box. */
static void thread_line(const struct drawing *d, char *buf, size_t cap)
{
    const struct am_fact *const f = find(d, "coherence.placement_same_core", NULL);

    if (d->per_core < 2)
        (void)am_str_copy(buf, cap, "one hardware thread");
    else if (f)
        (void)am_str_format(buf, cap, "%.0f threads share all this: %.2f x the bandwidth apart",
                            d->per_core, 1 / f->value);
    else
        (void)am_str_format(buf, cap, "%.0f hardware threads share all this", d->per_core);
}

static void first_core(const struct drawing *d)
{
    const double x = margin, y = core_top, inside = core_width - 2 * cache_inset;
    char text[LINE_BYTES];

    box(d, x, y, core_width, core_height, AM_INK_AXIS);
    thread_line(d, text, sizeof(text));
    say(d, x + cache_inset, y + line + 2, AM_INK_TEXT, AM_ANCHOR_START, "core");
    say(d, x + core_width - cache_inset, y + line + 2, AM_INK_MUTED, AM_ANCHOR_END, text);
    core_lines(d, x + cache_inset, y + 2 * line + 4);
    way(d, x + core_width / 2, y + 4 * line, y + 4 * line + 16);
    cache_box(d, AM_TIER_L1D, x + cache_inset, y + 4 * line + 16, inside);
    way(d, x + core_width / 2, y + 4 * line + 16 + cache_height, y + 4 * line + 32 + cache_height);
    cache_box(d, AM_TIER_L2, x + cache_inset, y + 4 * line + 32 + cache_height, inside);
}

static void other_core(const struct drawing *d, double x, double w, const char *name)
{
    const double y = core_top, inside = w - 2 * cache_inset;
    const double l1 = y + 4 * line + 16, l2 = l1 + cache_height + 16;

    box(d, x, y, w, core_height, AM_INK_AXIS);
    say(d, x + w / 2, y + line + 2, AM_INK_TEXT, AM_ANCHOR_MIDDLE, name);
    box(d, x + cache_inset, l1, inside, cache_height, AM_INK_SERIES + AM_TIER_L1D);
    say(d, x + w / 2, l1 + 2 * line, AM_INK_MUTED, AM_ANCHOR_MIDDLE, "L1");
    box(d, x + cache_inset, l2, inside, cache_height, AM_INK_SERIES + AM_TIER_L2);
    say(d, x + w / 2, l2 + 2 * line, AM_INK_MUTED, AM_ANCHOR_MIDDLE, "L2");
}

/* The way from core to core, above them. */
static void remote_way(const struct drawing *d, double to)
{
    static const char *const ways[] = {"relation=cache", "relation=package", "relation=far"};
    static const char *const words[] = {"within a cache ", "within a package ",
                                        "between packages "};
    const double from = margin + core_width - 40;
    char values[LINE_BYTES] = "", text[LINE_BYTES + 32];

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        add_value(values, sizeof(values), words[i], find(d, "coherence.handoff", ways[i]));
    if (!*values)
        return;
    (void)am_str_format(text, sizeof(text), "hand-off of a line: %s", values);
    am_svg_ink(d->svg, AM_INK_BAD);
    am_svg_open(d->svg, "path");
    am_svg_attrf(d->svg, "d", "M%.0f %.0fV%.0fH%.0fV%.0f", from, core_top, core_top - 14, to,
                 core_top);
    am_svg_attr(d->svg, "fill", "none");
    am_svg_attr(d->svg, "stroke", "currentColor");
    am_svg_num(d->svg, "stroke-width", 1.5);
    am_svg_close(d->svg);
    am_svg_close(d->svg);
    say(d, (from + to) / 2, core_top - 20, AM_INK_TEXT, AM_ANCHOR_MIDDLE, text);
}

static void draw_cores(const struct drawing *d)
{
    const double room = width - 2 * margin - core_width;
    const size_t others = (size_t)fmin(d->cores - 1, OTHERS_MAX);
    const double w = others ? room / (double)others - gap : 0;

    first_core(d);
    for (size_t i = 0; i < others; i++) {
        const double x = margin + core_width + gap + (double)i * (w + gap);
        char name[LINE_BYTES];

        (void)am_str_format(name, sizeof(name), "core");
        if (i + 1 == others && d->cores - 1 > (double)others)
            (void)am_str_format(name, sizeof(name), "%.0f more", d->cores - (double)others);
        other_core(d, x, w, name);
        way(d, x + w / 2, core_top + core_height, core_top + core_height + 22);
        if (i == 0)
            remote_way(d, x + w / 2);
    }
    way(d, margin + core_width / 2, core_top + core_height, core_top + core_height + 22);
}

/* ---- what they share ---- */

static void shared_box(const struct drawing *d, enum am_tier tier, double y)
{
    const double w = width - 2 * margin;
    char text[LINE_BYTES], head[LINE_BYTES];

    box(d, margin, y, w, 66, AM_INK_SERIES + (unsigned)tier);
    if (tier == AM_TIER_MEMORY)
        (void)am_str_format(head, sizeof(head), "memory  %s GiB",
                            am_kvs_get(&d->source->set->machine, "memory_gib")
                                ? am_kvs_get(&d->source->set->machine, "memory_gib")
                                : "?");
    else
        size_line(d, tier, head, sizeof(head));
    say(d, margin + 12, y + line + 2, AM_INK_TEXT, AM_ANCHOR_START, head);
    latency_line(d, tier, text, sizeof(text));
    say(d, width - margin - 12, y + line + 2, AM_INK_MUTED, AM_ANCHOR_END, text);
    rate_line(d, tier, 1, head, sizeof(head));
    (void)am_str_format(text, sizeof(text), "%s%s", *head ? "one thread: " : "", head);
    say(d, margin + 12, y + 2 * line + 4, AM_INK_MUTED, AM_ANCHOR_START, text);
    rate_line(d, tier, d->threads, head, sizeof(head));
    if (d->threads > 1 && *head) {
        (void)am_str_format(text, sizeof(text), "%.0f threads: %s", d->threads, head);
        say(d, margin + 12, y + 3 * line + 6, AM_INK_MUTED, AM_ANCHOR_START, text);
    }
}

/* Symmetric or not, in a line below. */
static void symmetry_lines(const struct drawing *d, double y)
{
    const struct am_fact *const groups = find(d, "coherence.groups", NULL);
    const struct am_fact *const placement = find(d, "coherence.placement_symmetric", NULL);
    const struct am_fact *const cores = find(d, "core.count", NULL);
    char text[2 * LINE_BYTES];

    if (groups) {
        (void)am_str_format(text, sizeof(text), "%s (%s)",
                            groups->value < 1.5 ? "All CPUs hand lines on alike"
                                                : "CPUs form groups for hand-offs",
                            groups->evidence);
        say(d, margin, y, AM_INK_TEXT, AM_ANCHOR_START, text);
    }
    if (placement)
        say(d, margin, y + line, AM_INK_TEXT, AM_ANCHOR_START,
            placement->value > 0.5 ? "Cores are symmetric for memory: placement does not matter"
                                   : "Cores are not symmetric for memory: placement matters");
    if (cores && cores->contradicts) {
        (void)am_str_format(text, sizeof(text), "Arithmetic of %.1f cores only, stated: %s",
                            cores->value, cores->claimed);
        say(d, margin, y + 2 * line, AM_INK_BAD, AM_ANCHOR_START, text);
    }
}

static bool has_l3(const struct drawing *d)
{
    const char *const text = am_kvs_get(&d->source->set->machine, "l3_bytes");
    double bytes;

    return of_tier(d, AM_TIER_L3, "memory.size") ||
           (text && am_parse_f64(text, strlen(text), &bytes));
}

static double most_threads(const struct am_facts *facts)
{
    double most = 1;

    for (size_t i = 0; i < facts->n; i++) {
        if (am_fact_is(&facts->items[i], "memory.bandwidth"))
            most = fmax(most, am_fact_number(&facts->items[i], "threads"));
    }
    return most;
}

static bool is_drawn(const struct am_facts *facts)
{
    static const char *const names[] = {"memory.size", "memory.latency", "memory.bandwidth",
                                        "core.peak", "coherence.handoff"};

    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        if (am_facts_next(facts, names[k], NULL, NULL))
            return true;
    }
    return false;
}

bool am_drawing_draw(const struct am_figure_source *source, struct am_text *out)
{
    struct am_svg svg;
    struct drawing d = {.source = source, .svg = &svg, .threads = most_threads(source->facts)};
    double y = core_top + core_height + 22;

    if (!is_drawn(source->facts))
        return false;
    d.cores = stated(&d, "cores");
    d.per_core = round(stated(&d, "threads") / d.cores);
    am_svg_init(&svg, out);
    am_svg_root(&svg, width, y + (has_l3(&d) ? 88 : 0) + 66 + 4 * line, "Machine model");
    draw_cores(&d);
    if (has_l3(&d)) {
        shared_box(&d, AM_TIER_L3, y);
        way(&d, width / 2, y + 66, y + 88);
        y += 88;
    }
    shared_box(&d, AM_TIER_MEMORY, y);
    symmetry_lines(&d, y + 66 + line + 4);
    am_svg_close(&svg);
    return true;
}
