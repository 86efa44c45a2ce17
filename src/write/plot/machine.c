/* SPDX-License-Identifier: MIT */
/* The drawing of the machine, from the top down: the first core in full with its caches, the others
 * beside it in short (they are alike, or a line says that they are not), what all share, the
 * memory, and below it the devices at their links. Every box says capacity, latency and bandwidth
 * as far as they are known. It is as wide as any plot, so that text has one size on every screen.
 */
#include "write/plot/pictures.h"

#include "document/facts.h"
#include "document/figure/devices.h"
#include "document/figure/keys.h"
#include "document/units.h"
#include "family/tiers.h"
#include "write/plot/plot.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 512, LINES_MAX = 6 };

static const double width = AM_PLOT_WIDTH, margin = 2, gap = 14, pad = 10;
static const double font = AM_PLOT_FONT, line = 16;
static const double others_width = 148;

struct drawing {
    const struct am_figure_source *source;
    struct am_svg *svg;     /* NULL: it is measured only */
    double cores, per_core; /* as stated; threads per core */
    double y;               /* where the next box begins */
};

/* The lines of a box, as they are written. */
struct lines {
    char text[LINES_MAX][LINE_BYTES];
    size_t n;
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

static char *new_line(struct lines *l)
{
    char *const text = l->text[l->n < LINES_MAX ? l->n++ : LINES_MAX - 1];

    text[0] = '\0';
    return text;
}

/* A line that stayed empty is taken back. */
static void keep(struct lines *l)
{
    l->n -= l->n > 0 && !*l->text[l->n - 1];
}

/* The value of a fact in words, after `before`; nothing without it. */
static void add_value(char *buf, const char *before, const struct am_fact *f)
{
    const size_t used = strlen(buf);
    char value[AM_UNITS_MAX];

    if (!f)
        return;
    am_fact_value(f, value, sizeof(value));
    (void)am_str_format(buf + used, LINE_BYTES - used, "%s%s%s", used ? ", " : "", before, value);
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

/* "L2: 1.02 MiB (stated 1 MiB)". */
static void size_line(const struct drawing *d, enum am_tier tier, char *buf)
{
    const struct am_fact *const f = find_at(d, "memory.size", tier);
    const double claim = am_tier_stated(&d->source->set->machine, tier);
    char value[AM_UNITS_MAX], claimed[AM_UNITS_MAX] = "";

    if (claim > 0)
        am_units_fact(claim, "B", claimed, sizeof(claimed));
    if (!f) {
        (void)am_str_format(buf, LINE_BYTES, "%s: %s%s", am_tier_title(tier),
                            *claimed ? claimed : "size not known", *claimed ? " as stated" : "");
        return;
    }
    am_fact_value(f, value, sizeof(value));
    (void)am_str_format(buf, LINE_BYTES, "%s: %s%s%s%s", am_tier_title(tier), value,
                        *claimed ? (f->contradicts ? " (denied: stated " : " (stated ") : "",
                        claimed, *claimed ? ")" : "");
}

static void memory_line(const struct drawing *d, char *buf)
{
    const char *const text = am_kvs_get(&d->source->set->machine, "memory_gib");
    char size[AM_UNITS_MAX] = "";
    double gib;

    if (text && am_parse_f64(text, strlen(text), &gib))
        am_units_fact(gib * 0x1p30, "B", size, sizeof(size));
    (void)am_str_format(buf, LINE_BYTES, "memory%s%s", *size ? ": " : "", size);
}

static void latency_line(const struct drawing *d, enum am_tier tier, char *buf)
{
    const struct am_fact *const loaded = find(d, "memory.loaded_latency", NULL);

    add_value(buf, "latency ", find_at(d, "memory.latency", tier));
    if (tier == AM_TIER_MEMORY && !*buf) /* by nodes, where no sweep reached it */
        add_value(buf, "latency ",
                  am_facts_least(d->source->facts, "memory.node_latency", "place=local"));
    add_value(buf, "", find_at(d, "memory.cycles", tier));
    if (tier == AM_TIER_MEMORY && *buf)
        add_value(buf, "loaded ", loaded);
}

/* "one thread: read 213 GB/s, write 117 GB/s". */
static void rate_line(const struct drawing *d, enum am_tier tier, double threads, const char *who,
                      char *buf)
{
    char rates[LINE_BYTES] = "";

    add_value(rates, "read ", find_rate(d, tier, "read", threads));
    add_value(rates, "write ", find_rate(d, tier, "write", threads));
    add_value(rates, "triad ", find_rate(d, tier, "triad", threads));
    if (*rates)
        (void)am_str_format(buf, LINE_BYTES, "%s%.400s", who, rates);
}

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

static struct lines level_lines(const struct drawing *d, enum am_tier tier)
{
    const double threads = most_threads(d, tier);
    struct lines l = {.n = 0};
    char who[LINE_BYTES];

    if (tier == AM_TIER_MEMORY)
        memory_line(d, new_line(&l));
    else
        size_line(d, tier, new_line(&l));
    latency_line(d, tier, new_line(&l));
    keep(&l);
    rate_line(d, tier, 1, tier < AM_TIER_L3 ? "" : "one thread: ", new_line(&l));
    keep(&l);
    if (threads > 1) {
        (void)am_str_format(who, sizeof(who), "%.0f threads: ", threads);
        rate_line(d, tier, threads, who, new_line(&l));
        keep(&l);
    }
    return l;
}

/* ---- shapes ---- */

static void frame(const struct drawing *d, double x, double y, double w, double h, enum am_ink ink)
{
    if (!d->svg)
        return;
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
    if (!d->svg || !*text)
        return;
    am_svg_ink(d->svg, ink);
    am_svg_text(d->svg, x, y, anchor, font, text);
    am_svg_close(d->svg);
}

/* The last place before the end of `part` where a line may end: behind a comma, else at a space,
 * but not behind a digit: a number keeps its unit. NULL: there is none. */
static const char *last_break(const char *part)
{
    const char *comma = NULL, *space = NULL;

    for (const char *at = part; (at = strchr(at, ' ')) != NULL; at++) {
        const char before = at > part ? at[-1] : ' ';

        comma = before == ',' ? at : comma;
        space = before < '0' || before > '9' ? at : space;
    }
    return comma ? comma : space;
}

/* As many characters of `text` as a line of `room` takes; a word that is wider stays whole. */
static size_t fitting(const char *text, double room)
{
    char part[LINE_BYTES];
    const char *end;

    (void)am_str_copy(part, sizeof(part), text);
    while (am_label_width(part, font) > room && (end = last_break(part)) != NULL)
        part[end - part] = '\0';
    return strlen(part);
}

/* A text that is wider than `room` goes on in further lines. Returns its height. */
static double say_wrapped(const struct drawing *d, double x, double y, double room, enum am_ink ink,
                          const char *text)
{
    double height = 0;

    while (*text) {
        const size_t n = fitting(text, room);
        char part[LINE_BYTES];

        (void)am_str_format(part, sizeof(part), "%.*s", (int)n, text);
        say(d, x, y + height, ink, AM_ANCHOR_START, part);
        text += n + strspn(text + n, " ");
        height += line;
    }
    return height;
}

/* The first line says what it is, the others what was measured. Returns their height. */
static double say_lines(const struct drawing *d, const struct lines *l, double x, double y,
                        double room)
{
    double height = 0;

    for (size_t i = 0; i < l->n; i++)
        height +=
            say_wrapped(d, x, y + height + line, room, i ? AM_INK_MUTED : AM_INK_TEXT, l->text[i]);
    return height;
}

/* A way between two boxes, one below the other. */
static void way(const struct drawing *d, double x, double y1, double y2)
{
    if (!d->svg)
        return;
    am_svg_ink(d->svg, AM_INK_AXIS);
    am_svg_line(d->svg, x, y1, x, y2, 3);
    am_svg_close(d->svg);
}

/* Of a box that is `w` wide. */
static double box_height(const struct lines *l, double w)
{
    static const struct drawing measured = {.svg = NULL};

    return say_lines(&measured, l, 0, 0, w - 2 * pad) + pad;
}

static void fill_box(const struct drawing *d, const struct lines *l, double x, double y, double w,
                     enum am_ink ink)
{
    frame(d, x, y, w, box_height(l, w), ink);
    (void)say_lines(d, l, x + pad, y, w - 2 * pad);
}

/* ---- cores ---- */

static struct lines core_lines(const struct drawing *d)
{
    const struct am_fact *const clock = find(d, "core.clock", NULL);
    struct lines l = {.n = 0};
    char *text = new_line(&l);

    (void)am_str_format(text, LINE_BYTES, "core, %.0f hardware thread%s", d->per_core,
                        d->per_core > 1 ? "s" : "");
    add_value(text, "", clock);
    text = new_line(&l);
    add_value(text, "f64 ", find(d, "core.peak", "type=f64 threads=1"));
    add_value(text, "f32 ", find(d, "core.peak", "type=f32 threads=1"));
    keep(&l);
    return l;
}

/* What the others are called, and the way from core to core. */
static struct lines others_lines(const struct drawing *d)
{
    static const struct {
        const char *where, *words;
    } ways[] = {{"relation=smt", "in a core "},
                {"relation=cache", "in a cache "},
                {"relation=package", "in a package "},
                {"relation=far", "far "}};
    struct lines l = {.n = 0};
    bool any = false;

    (void)am_str_format(new_line(&l), LINE_BYTES, "%.0f more core%s", d->cores - 1,
                        d->cores > 2 ? "s" : "");
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && l.n < LINES_MAX; i++) {
        const struct am_fact *const f = find(d, "coherence.handoff", ways[i].where);

        if (!f)
            continue;
        if (!any)
            (void)am_str_copy(new_line(&l), LINE_BYTES, "hand-off:");
        any = true;
        add_value(new_line(&l), ways[i].words, f);
    }
    return l;
}

static void draw_cores(struct drawing *d)
{
    const struct lines core = core_lines(d), l1 = level_lines(d, AM_TIER_L1D),
                       l2 = level_lines(d, AM_TIER_L2), others = others_lines(d);
    const double side = d->cores > 1 ? others_width + gap : 0;
    const double w = width - 2 * margin - side, inside = w - 2 * pad;
    const double top = d->y, head = box_height(&core, w);
    const double l1_height = box_height(&l1, inside), l2_top = top + head + l1_height + gap;
    const double height = fmax(l2_top - top + box_height(&l2, inside) + pad,
                               d->cores > 1 ? box_height(&others, others_width) : 0);

    frame(d, margin, top, w, height, AM_INK_AXIS);
    (void)say_lines(d, &core, margin + pad, top, inside);
    fill_box(d, &l1, margin + pad, top + head, inside, AM_INK_SERIES + AM_TIER_L1D);
    way(d, margin + w / 2, l2_top - gap, l2_top);
    fill_box(d, &l2, margin + pad, l2_top, inside, AM_INK_SERIES + AM_TIER_L2);
    way(d, margin + w / 2, top + height, top + height + gap);
    if (d->cores > 1) {
        const double x = margin + w + gap;

        frame(d, x, top, others_width, height, AM_INK_AXIS);
        (void)say_lines(d, &others, x + pad, top, others_width - 2 * pad);
        way(d, x + others_width / 2, top + height, top + height + gap);
    }
    d->y = top + height + gap;
}

/* ---- what they share ---- */

static bool has_l3(const struct drawing *d)
{
    return find_at(d, "memory.size", AM_TIER_L3) ||
           am_tier_stated(&d->source->set->machine, AM_TIER_L3) > 0;
}

static void draw_shared(struct drawing *d, enum am_tier tier)
{
    const struct lines l = level_lines(d, tier);
    const double whole = width - 2 * margin;

    fill_box(d, &l, margin, d->y, whole, AM_INK_SERIES + (unsigned)tier);
    d->y += box_height(&l, whole);
}

/* ---- devices ---- */

static struct lines device_lines(const struct drawing *d, const struct am_device_group *g)
{
    const struct am_facts *const facts = d->source->facts;
    struct lines l = {.n = 0};
    char *text = new_line(&l);

    (void)am_str_format(text, LINE_BYTES, g->alike > 1 ? "%s (%zu alike)" : "%s", g->name,
                        g->alike);
    text = new_line(&l);
    add_value(text, "f64 ", am_device_fact(facts, g->name, "opencl.peak", "type=double"));
    add_value(text, "f32 ", am_device_fact(facts, g->name, "opencl.peak", "type=float"));
    keep(&l);
    text = new_line(&l);
    add_value(text, "memory: read ", am_device_fact(facts, g->name, "opencl.read", NULL));
    add_value(text, "write ", am_device_fact(facts, g->name, "opencl.write", NULL));
    keep(&l);
    return l;
}

/* What the way to a device carries; "" where it was not measured. */
static void link_line(const struct drawing *d, const char *device, char *buf)
{
    const struct am_facts *const facts = d->source->facts;

    buf[0] = '\0';
    add_value(buf, "link: to the device ",
              am_device_fact(facts, device, "opencl.transfer", "direction=h2d"));
    add_value(buf, "back ", am_device_fact(facts, device, "opencl.transfer", "direction=d2h"));
    add_value(buf, "launch ", am_device_fact(facts, device, "opencl.launch", NULL));
}

static void draw_devices(struct drawing *d)
{
    struct am_device_group devices[AM_DEVICES_MAX];
    const size_t n = am_devices_find(d->source->facts, devices);

    for (size_t i = 0; i < n; i++) {
        const struct lines l = device_lines(d, &devices[i]);
        const double beside = margin + 34, whole = width - 2 * margin;
        char link[LINE_BYTES];
        double height;

        if (devices[i].processor) /* it is in the picture already */
            continue;
        link_line(d, devices[i].name, link);
        height = say_wrapped(d, beside, d->y + line, width - margin - beside, AM_INK_MUTED,
                             *link ? link : "link: not measured") +
                 pad;
        way(d, margin + 24, d->y, d->y + height);
        d->y += height;
        fill_box(d, &l, margin, d->y, whole, AM_INK_SERIES + 4 + (unsigned)i % 4);
        d->y += box_height(&l, whole);
    }
}

/* ---- words below ---- */

/* Symmetric or not, and cores that are claimed and not there. */
static void draw_remarks(struct drawing *d)
{
    const struct am_fact *const groups = find(d, "coherence.groups", NULL);
    const struct am_fact *const placement = find(d, "coherence.placement_symmetric", NULL);
    const struct am_fact *const cores = find(d, "core.count", NULL);
    char text[LINE_BYTES];

    d->y += line + 4;
    if (groups)
        d->y += say_wrapped(d, margin, d->y, width - 2 * margin, AM_INK_TEXT,
                            groups->value < 1.5 ? "All CPUs hand lines on alike."
                                                : "CPUs form groups for hand-offs.");
    if (placement)
        d->y += say_wrapped(d, margin, d->y, width - 2 * margin, AM_INK_TEXT,
                            placement->value > 0.5
                                ? "Cores are symmetric for memory: placement does not matter."
                                : "Cores are not symmetric for memory: placement matters.");
    if (cores && cores->contradicts) {
        (void)am_str_format(text, sizeof(text), "Arithmetic of %.1f cores only, stated: %s.",
                            cores->value, cores->claimed);
        d->y += say_wrapped(d, margin, d->y, width - 2 * margin, AM_INK_BAD, text);
    }
    d->y -= line - 4;
}

/* ---- the whole ---- */

/* Draws, or measures without an SVG; the height is in d->y then. */
static void draw(struct drawing *d)
{
    d->y = margin;
    draw_cores(d);
    if (has_l3(d)) {
        draw_shared(d, AM_TIER_L3);
        way(d, width / 2, d->y, d->y + gap);
        d->y += gap;
    }
    draw_shared(d, AM_TIER_MEMORY);
    draw_devices(d);
    draw_remarks(d);
}

void am_machine_draw(const struct am_figure_source *source, struct am_text *out)
{
    struct am_svg svg;
    struct drawing d = {.source = source};

    d.cores = stated(&d, "cores");
    d.per_core = round(stated(&d, "threads") / d.cores);
    draw(&d);
    am_svg_init(&svg, out);
    am_svg_root(&svg, width, d.y + margin, "The machine as measured");
    d.svg = &svg;
    draw(&d);
    am_svg_close(&svg);
}

void am_picture_svg(const struct am_figure *figure, struct am_text *out)
{
    if (figure->source)
        am_machine_draw(figure->source, out);
    else if (figure->tracks)
        am_tracks_draw(figure->tracks, out);
}
