/* SPDX-License-Identifier: MIT */
/* The picture of tracks: read from the attachment, whatever stands there. */
#include "document/figure/pictures.h"
#include "write/plot/pictures.h"

#include "result_fixture.h"
#include "tap.h"

#define SIZE "640x480 px, 2 cells, 2 frames"
#define TRUE_WAYS                                                                                  \
    "0: 100.00,50.00,0.10,0.00 101.00,50.00,0.30,0.40 102.00,50.00,0.00,0.00\n"                    \
    "7: 20.00,60.00,0.00,0.00 21.00,61.00,0.00,0.10 22.00,62.00,0.10,0.00"

static size_t count_of(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        n++;
    return n;
}

static void add(struct rx_run *run, const char *video, const char *size, const char *ways)
{
    static const struct rx_metric metrics[] = {{"time_per_frame", "s", 1}, {NULL, NULL, 0}};
    char text[128];
    struct am_result *r;
    struct am_attachment *a;

    (void)snprintf(text, sizeof(text), "variant=minmax video=%s", video);
    r = rx_add(run, "app.leukocyte", text, metrics);
    a = am_arena_alloc(&run->arena, sizeof(*a));
    if (!a || (!size && !ways))
        return;
    a->name = "tracks";
    a->data = am_arena_printf(&run->arena, "%s%s%s", size ? size : "", size ? "\n" : "",
                              ways ? ways : "");
    r->attachments = a;
    r->n_attachments = 1;
}

static bool draw(struct rx_run *run, struct am_text *out)
{
    const struct am_facts facts = {0};
    const struct am_figure_source source = {
        .set = &run->set, .facts = &facts, .arena = &run->arena};

    struct am_figure figure;

    am_text_init(out, 1 << 20);
    if (!am_picture_make(&source, AM_DRAWING_TRACKS, &figure))
        return false;
    am_picture_svg(&figure, out);
    return true;
}

static void test_picture(void)
{
    struct rx_run run = {0};
    struct am_text out;
    const char *svg;

    add(&run, "synthetic", "640x480 px, 1 cells, 1 frames", "3: 9.00,9.00,0.00,0.00 9.50,9.00,0,0");
    add(&run, "synthetic", SIZE, TRUE_WAYS);
    add(&run, "videos/a&b.avi", SIZE, "1: 5.00,5.00 75.00,5.00");
    ok(draw(&run, &out) && !out.overflow, "tracks are drawn");
    svg = am_text_str(&out);
    ok(strstr(svg, "synthetic: 2 cells through 2 frames") && !strstr(svg, ">cell 3:"),
       "of a video the point of the most frames");
    ok(strstr(svg, "off the truth by 0.50 px at most"), "the worst place, that of 3 and 4 tenths");
    ok(strstr(svg, "cell 7: (20.0, 60.0) to (22.0, 62.0), 2.8 px, off the truth by 0.10 px"),
       "a cell tells its way");
    ok(strstr(svg, "ways drawn 10 times as long"), "and how much longer it is drawn");
    ok(strstr(svg, ">ways drawn as long as they are<"), "or that it is not");
    ok(strstr(svg, ">a&amp;b.avi: 2 cells through 2 frames, not all drawn"),
       "another video has its panel, and says what it lacks");
    ok(count_of(svg, ">truth<") == 1 && count_of(svg, ">found<") == 2,
       "truth is drawn where it is known");
    am_text_fini(&out);
    am_arena_fini(&run.arena);
}

static void test_broken(void)
{
    static const struct {
        const char *size, *ways;
    } cases[] = {
        {NULL, NULL},
        {NULL, TRUE_WAYS},
        {SIZE, NULL},
        {SIZE, ""},
        {SIZE, "7"},
        {SIZE, "7:"},
        {SIZE, "7: "},
        {SIZE, "7: 1.00,2.00"},
        {SIZE, "7: 1.00,2.00 3.00"},
        {SIZE, "7: 1.00,2.00 3.00,"},
        {SIZE, "7: 1,2,3 4,5,6"},
        {SIZE, "7: 1,2,3,4,5 4,5,6,7,8"},
        {SIZE, "7: nan,2 3,4"},
        {SIZE, "7: 1e300,2 3,4"},
        {SIZE, "-7: 1,2 3,4"},
        {SIZE, "\n\n;;; ; :\n"},
        {"", TRUE_WAYS},
        {"640x480 px, 2 cells", TRUE_WAYS},
        {"0x480 px, 2 cells, 2 frames", TRUE_WAYS},
        {"640x99999999999999999999 px, 2 cells, 2 frames", TRUE_WAYS},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rx_run run = {0};
        struct am_text out;

        add(&run, "synthetic", cases[i].size, cases[i].ways);
        ok(!draw(&run, &out) && out.len == 0, "case %zu: no picture", i);
        am_text_fini(&out);
        am_arena_fini(&run.arena);
    }
}

int main(void)
{
    test_picture();
    test_broken();
    return tap_done();
}
