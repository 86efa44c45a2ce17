/* SPDX-License-Identifier: MIT */
/* libFuzzer: AVI and PGM files, and lists of cells, are read or explained; frames lie inside the
 * file, and memory stays in proportion to it. */
#include "app/leukocyte/cells.h"
#include "app/leukocyte/video.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

struct bytes {
    const uint8_t *data;
    size_t size;
};

static bool read_bytes(void *self, uint64_t at, void *buf, size_t n)
{
    const struct bytes *const b = self;

    require(at <= b->size && n <= b->size - at);
    memcpy(buf, b->data + at, n);
    return true;
}

static void check_story(const struct am_err *err)
{
    require(err->status != AM_OK && strstr(err->text, "file"));
}

/* A picture is never larger than the file: what is taken for it was shown to be there. */
static void check_frames(const struct am_stills *stills, const struct am_source *source)
{
    uint8_t *const pixels = malloc(stills->width * stills->height);
    struct am_err err = {0};

    require(pixels && stills->width * stills->height <= source->size);
    require(stills->frames > 0 && stills->frames <= source->size);
    require(am_stills_read(stills, source, 0, pixels, &err) == AM_OK);
    require(am_stills_read(stills, source, stills->frames - 1, pixels, &err) == AM_OK);
    free(pixels);
}

static void fuzz_cells(const uint8_t *data, size_t size)
{
    struct am_cells *const cells = malloc(sizeof(*cells));
    struct am_err err = {0};

    require(cells != NULL);
    if (am_cells_parse("file", (const char *)data, size, cells, &err) != AM_OK)
        check_story(&err);
    else
        require(cells->n > 0 && cells->n <= AM_CELLS_MAX);
    free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    const struct am_source source = {"file", &bytes, size, read_bytes};
    struct am_stills stills = {0};
    struct am_err err = {0};

    fuzz_cells(data, size);
    if (am_stills_index(&source, &stills, &err) == AM_OK)
        check_frames(&stills, &source);
    else
        check_story(&err);
    am_stills_fini(&stills);
    return 0;
}
