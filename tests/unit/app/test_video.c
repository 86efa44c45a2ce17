/* SPDX-License-Identifier: MIT */
/* Videos: what is written is read again; every cut and many wrong bytes are refused or harmless. */
#include "app/leukocyte/video.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

enum { WIDTH = 66, HEIGHT = 64, FRAMES = 3, PIXELS = WIDTH * HEIGHT };

struct bytes {
    uint8_t *data;
    size_t size;
};

static bool read_bytes(void *self, uint64_t at, void *buf, size_t n)
{
    const struct bytes *const b = self;

    if (at > b->size || n > b->size - at)
        return false;
    memcpy(buf, b->data + at, n);
    return true;
}

static void paint(uint8_t *pixels, size_t t)
{
    for (size_t i = 0; i < PIXELS; i++)
        pixels[i] = (uint8_t)(i * 7 + t * 31);
}

/* A small AVI; the caller frees data. */
static struct bytes make_avi(void)
{
    static uint8_t pixels[PIXELS];
    struct bytes b = {0};
    char *data = NULL;
    FILE *const out = open_memstream(&data, &b.size);
    struct am_err err = {0};

    if (out && am_avi_begin(out, WIDTH, HEIGHT, FRAMES, &err) == AM_OK) {
        for (size_t t = 0; t < FRAMES; t++) {
            paint(pixels, t);
            am_avi_frame(out, (struct am_image){pixels, WIDTH, HEIGHT});
        }
        am_avi_end(out, WIDTH, HEIGHT, FRAMES);
    }
    if (out)
        (void)fclose(out);
    b.data = (uint8_t *)data;
    return b;
}

static enum am_status index_of(struct bytes *b, struct am_stills *stills, struct am_err *err)
{
    const struct am_source source = {"it", b, b->size, read_bytes};

    return am_stills_index(&source, stills, err);
}

static void check_avi(struct bytes *b)
{
    const struct am_source source = {"it", b, b->size, read_bytes};
    static uint8_t got[PIXELS], want[PIXELS];
    struct am_stills stills = {0};
    struct am_err err = {0};

    ok(index_of(b, &stills, &err) == AM_OK && stills.frames == FRAMES && stills.width == WIDTH &&
           stills.height == HEIGHT,
       "an AVI of ours is read: %s", err.text);
    for (size_t t = 0; t < stills.frames; t++) {
        paint(want, t);
        ok(am_stills_read(&stills, &source, t, got, &err) == AM_OK &&
               memcmp(got, want, sizeof(got)) == 0,
           "frame %zu is what was written", t);
    }
    am_stills_fini(&stills);
}

/* At any length but the full one a file is refused, with a story. */
static void check_cuts(const struct bytes *b)
{
    size_t accepted = 0, silent = 0;

    for (size_t n = 0; n < b->size; n += n < 1400 ? 1 : 97) {
        struct bytes cut = {malloc(n ? n : 1), n};
        struct am_stills stills = {0};
        struct am_err err = {0};

        memcpy(cut.data, b->data, n);
        if (index_of(&cut, &stills, &err) == AM_OK)
            accepted++;
        else if (!strstr(err.text, "it"))
            silent++;
        am_stills_fini(&stills);
        free(cut.data);
    }
    ok(accepted == 0, "a file that was cut off is refused");
    ok(silent == 0, "and the story names it");
}

/* One byte of the head wrong at a time: refused, or frames that can still be read. */
static void check_wrong_bytes(struct bytes *b)
{
    static const uint8_t wrong[] = {0, 1, 0x7f, 0x80, 0xff};
    static uint8_t got[AM_IMAGE_SIDE_MAX * 64];
    const struct am_source source = {"it", b, b->size, read_bytes};
    size_t bad = 0;

    for (size_t i = 0; i < 300 * sizeof(wrong); i++) {
        const size_t at = i / sizeof(wrong);
        const uint8_t right = b->data[at];
        struct am_stills stills = {0};
        struct am_err err = {0};

        b->data[at] = wrong[i % sizeof(wrong)];
        if (index_of(b, &stills, &err) == AM_OK &&
            (stills.width * stills.height > sizeof(got) ||
             am_stills_read(&stills, &source, stills.frames - 1, got, &err) != AM_OK))
            bad++;
        am_stills_fini(&stills);
        b->data[at] = right;
    }
    ok(bad == 0, "no wrong byte makes a frame that is not there");
}

/* ---- PGM ---- */

static void check_pgm(void)
{
    static const struct {
        const char *head;
        size_t pixels; /* bytes behind it */
        size_t frames; /* 0: refused */
    } cases[] = {
        {"P5 64 64 255\n", 4096, 1},    {"P5\n# x 1 2\n64\t64 # y\n15\n", 4096, 1},
        {"P5 64 64 255\n", 4095, 0},    {"P5 64 64 256\n", 8192, 0},
        {"P5 64 64 0\n", 4096, 0},      {"P5 63 64 255\n", 4096, 0},
        {"P5 -64 64 255\n", 4096, 0},   {"P5 64 64\n", 4096, 0},
        {"P6 64 64 255\n", 12288, 0},   {"P5 99999999999999999999 64 255\n", 9, 0},
        {"P5 64 64 255 \n\n", 4094, 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t head = strlen(cases[i].head);
        struct bytes b = {calloc(1, head + cases[i].pixels), head + cases[i].pixels};
        struct am_stills stills = {0};
        struct am_err err = {0};
        enum am_status s;

        memcpy(b.data, cases[i].head, head);
        s = index_of(&b, &stills, &err);
        ok(cases[i].frames ? s == AM_OK && stills.frames == cases[i].frames : s != AM_OK,
           "PGM of case %zu: %s", i, s == AM_OK ? "read" : err.text);
        am_stills_fini(&stills);
        free(b.data);
    }
}

/* Values are spread over all greys; pictures follow each other. */
static void check_greys(void)
{
    static uint8_t got[4096];
    struct bytes b = {calloc(1, 2 * (12 + 4096)), 2 * (12 + 4096)};
    const struct am_source source = {"it", &b, b.size, read_bytes};
    struct am_stills stills = {0};
    struct am_err err = {0};

    memcpy(b.data, "P5 64 64 15\n", 12);
    memcpy(b.data + 12 + 4096, "P5 64 64 15\n", 12);
    b.data[12 + 4096 + 12 + 5] = 15;
    b.data[12 + 4096 + 12 + 6] = 3;
    ok(index_of(&b, &stills, &err) == AM_OK && stills.frames == 2 &&
           am_stills_read(&stills, &source, 1, got, &err) == AM_OK && got[5] == 255 && got[6] == 51,
       "two pictures in a file, values to 15: %s", err.text);
    am_stills_fini(&stills);
    b.data[12 + 4096 + 3] = '7';
    ok(index_of(&b, &stills, &err) != AM_OK, "all must have one size");
    free(b.data);
}

/* ---- paths ---- */

static void check_paths(const struct bytes *b)
{
    char name[] = "test-video-XXXXXX";
    const int fd = mkstemp(name);
    static uint8_t got[PIXELS], want[PIXELS];
    struct am_video *video = NULL;
    struct am_err err = {0};
    size_t width = 0, height = 0, frames = 0;

    ok(fd >= 0 && write(fd, b->data, b->size) == (ssize_t)b->size, "a file");
    if (ok(am_video_open(name, &video, &err) == AM_OK, "opens: %s", err.text)) {
        am_video_size(video, &width, &height, &frames);
        paint(want, 2);
        ok(width == WIDTH && height == HEIGHT && frames == FRAMES &&
               am_video_read(video, 2, got, &err) == AM_OK && memcmp(got, want, sizeof(got)) == 0,
           "its last frame is read");
        ok(ftruncate(fd, 5000) == 0 && am_video_read(video, 2, got, &err) == AM_E_SYS,
           "a file that shrinks while it is open is an error");
    }
    am_video_close(video);
    (void)close(fd);
    (void)unlink(name);
    memset(&err, 0, sizeof(err));
    ok(am_video_open(name, &video, &err) == AM_E_SYS && strstr(err.text, name),
       "a missing one is named");
}

int main(void)
{
    struct bytes avi = make_avi();

    check_avi(&avi);
    check_cuts(&avi);
    check_wrong_bytes(&avi);
    check_pgm();
    check_greys();
    check_paths(&avi);
    free(avi.data);
    return tap_done();
}
