/* SPDX-License-Identifier: MIT */
/* The drawing of the machine: the first core in full, others beside it in short (they are alike, or
 * a line says that they are not), the shared cache and the memory below. */
#include "write/plot/pictures.h"

#include "document/units.h"
#include "family/tiers.h"
#include "write/plot/svg.h"

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
    double cores, per_core; /* as stated; threads a core */
};

/* ---- words ---- */

static double stated(const struct drawing *d, const char *key)
{
    const char *const text = am_kvs_get(&d->source->set->machine, key);
    double n;

    return text && am_parse_f64(text, strlen(text), &n) && n >= 1 ? n : 1;
}

/* The fact, the largest where several have these labels; NULL without. */
static const struct am_fact *find(const struct drawing *d, const char *name, const char *where)
{
    return am_facts_most(d->source->facts, name, where);
}

static void value_of(const struct am_fact *f, char *buf, size_t cap)
{
    am_units_fact(f->value, f->unit, buf, cap);
}

/* The value of a fact in words, after `before`; nothing without it. */
static void add_value(char *buf, size_t cap, const char *before, const struct am_fact *f)
{
    const size_t used = strlen(buf);
    char value[AM_UNITS_MAX];

    if (!f)
        return;
    value_of(f, value, sizeof(value));
    (void)am_str_format(buf + used, cap - used, "%s%s%s", used ? ", " : "", before, value);
}

static const struct am_fact *find_at(const struct drawing *d, const char *name, enum am_tier tier)
{
    char where[LINE_BYTES];

    (void)am_str_format(where, sizeof(where), "level=%s", am_tier_label(tier));
    return find(d, name, where);
}

static const struct am_fact *find_rate(const struct drawing *d, enum am_tier tier,
                                       const char *kernel, double threads)
{
    char where[LINE_BYTES];

    (void)am_str_format(where, sizeof(where), "level=%s kernel=%s threads=%.0f",
                        am_tier_label(tier), kernel, threads);
    return find(d, "memory.bandwidth", where);
}

/* What is stated, in the form of the value where it is a number of bytes; "" when nothing is. */
static void claim_of(const struct am_fact *f, char *buf, size_t cap)
{
    const size_t digits = f->claimed ? strspn(f->claimed, "0123456789") : 0;
    double bytes;

    if (digits && strcmp(f->claimed + digits, " B") == 0 &&
        am_parse_f64(f->claimed, digits, &bytes))
        am_units_fact(bytes, "B", buf, cap);
    else
        (void)am_str_copy(buf, cap, f->claimed ? f->claimed : "");
}

/* "L2  1.02 MiB (stated 1 MiB)". */
static void size_line(const struct drawing *d, enum am_tier tier, char *buf, size_t cap)
{
    static const char *const keys[] = {"l1d_bytes", "l2_bytes", "l3_bytes"};
    const struct am_fact *const f = find_at(d, "memory.size", tier);
    char value[AM_UNITS_MAX], claim[LINE_BYTES];

    if (f) {
        value_of(f, value, sizeof(value));
        claim_of(f, claim, sizeof(claim));
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
    add_value(buf, cap, "load ", find_at(d, "memory.latency", tier));
    add_value(buf, cap, "", find_at(d, "memory.cycles", tier));
}

/* "read 213 GB/s, write 117 GB/s" of so many threads. */
static void rate_line(const struct drawing *d, enum am_tier tier, double threads, char *buf,
                      size_t cap)
{
    buf[0] = '\0';
    add_value(buf, cap, "read ", find_rate(d, tier, "read", threads));
    add_value(buf, cap, "write ", find_rate(d, tier, "write", threads));
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

static void core_lines(const struct drawing *d, double x, double y)
{
    static const struct {
        const char *word, *where;
    } types[] = {{"f64 ", "type=f64 threads=1"}, {"f32 ", "type=f32 threads=1"}};
    char text[LINE_BYTES];
    const struct am_fact *const clock = find(d, "core.clock", NULL);

    if (clock) {
        char value[AM_UNITS_MAX];

        value_of(clock, value, sizeof(value));
        (void)am_str_format(text, sizeof(text), "%s measured", value);
        say(d, x, y, AM_INK_MUTED, AM_ANCHOR_START, text);
    }
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        add_value(text, sizeof(text), types[i].word, find(d, "core.peak", types[i].where));
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
    static const struct {
        const char *where, *words;
    } ways[] = {{"relation=cache", "within a cache "},
                {"relation=package", "within a package "},
                {"relation=far", "between packages "}};
    const double from = margin + core_width - 40;
    char values[LINE_BYTES] = "", text[LINE_BYTES + 32];

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        add_value(values, sizeof(values), ways[i].words,
                  find(d, "coherence.handoff", ways[i].where));
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

/* The most threads that a level's rates were measured with. */
static double most_threads(const struct drawing *d, enum am_tier tier)
{
    char where[LINE_BYTES];
    double most = 1;

    (void)am_str_format(where, sizeof(where), "level=%s", am_tier_label(tier));
    for (const struct am_fact *f = am_facts_next(d->source->facts, "memory.bandwidth", where, NULL);
         f; f = am_facts_next(d->source->facts, "memory.bandwidth", where, f))
        most = fmax(most, am_fact_number(f, "threads"));
    return most;
}

static void shared_box(const struct drawing *d, enum am_tier tier, double y)
{
    const double w = width - 2 * margin, threads = most_threads(d, tier);
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
    rate_line(d, tier, threads, head, sizeof(head));
    if (threads > 1 && *head) {
        (void)am_str_format(text, sizeof(text), "%.0f threads: %s", threads, head);
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

    return find_at(d, "memory.size", AM_TIER_L3) ||
           (text && am_parse_f64(text, strlen(text), &bytes));
}

void am_machine_draw(const struct am_figure_source *source, struct am_text *out)
{
    struct am_svg svg;
    struct drawing d = {.source = source, .svg = &svg};
    double y = core_top + core_height + 22;

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
}

void am_picture_svg(const struct am_figure *figure, struct am_text *out)
{
    if (figure->source)
        am_machine_draw(figure->source, out);
    else if (figure->roofs)
        am_roofline_draw(figure->roofs, out);
    else if (figure->tracks)
        am_tracks_draw(figure->tracks, out);
}
