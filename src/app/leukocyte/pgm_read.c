/* SPDX-License-Identifier: MIT */
/* Binary PGM: one picture, or several one after the other. */
#include "app/leukocyte/video.h"

#include "base/text.h"

#include <string.h>

enum { HEAD_MAX = 512 }; /* bytes before the pixels, comments included */

/* Where parsing stands in the head of one picture. */
struct head {
    const struct am_source *source;
    uint64_t at; /* of text[0] in the file */
    char text[HEAD_MAX];
    size_t n, pos;
    uint64_t white; /* largest value of the first picture */
};

static enum am_status broken(const struct head *h, const char *why, struct am_err *err)
{
    return am_fail(err, AM_E_PARSE, "%s: byte %llu: %s", h->source->name,
                   (unsigned long long)h->at + h->pos, why);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

static void skip_space(struct head *h)
{
    while (h->pos < h->n && (is_space(h->text[h->pos]) || h->text[h->pos] == '#')) {
        if (h->text[h->pos] == '#') {
            while (h->pos < h->n && h->text[h->pos] != '\n')
                h->pos++;
        } else {
            h->pos++;
        }
    }
}

static enum am_status read_number(struct head *h, uint64_t *out, struct am_err *err)
{
    size_t begin;

    skip_space(h);
    begin = h->pos;
    while (h->pos < h->n && h->text[h->pos] >= '0' && h->text[h->pos] <= '9')
        h->pos++;
    if (!am_parse_u64(h->text + begin, h->pos - begin, out))
        return broken(h, "the head of a PGM has width, height and largest value here", err);
    return AM_OK;
}

static enum am_status load(struct head *h, uint64_t at, struct am_err *err)
{
    const uint64_t left = h->source->size - at;

    h->at = at;
    h->pos = 0;
    h->n = left < HEAD_MAX ? (size_t)left : HEAD_MAX;
    if (!h->source->read(h->source->self, at, h->text, h->n))
        return am_fail(err, AM_E_SYS, "%s: cannot be read", h->source->name);
    return AM_OK;
}

static enum am_status read_magic(struct head *h, struct am_err *err)
{
    if (h->n >= 2 && memcmp(h->text, "P5", 2) == 0) {
        h->pos = 2;
        return AM_OK;
    }
    if (h->at == 0 && h->n >= 2 && h->text[0] == 'P' && h->text[1] >= '1' && h->text[1] <= '7')
        return am_fail(err, AM_E_USAGE, "%s: \"P%c\"; only binary grey PGM (P5) can be read",
                       h->source->name, h->text[1]);
    return broken(h, "a PGM picture begins with P5", err);
}

/* Takes the sizes of the first picture; the others must have them too. */
static enum am_status take_format(struct head *h, struct am_stills *stills, const uint64_t *value,
                                  struct am_err *err)
{
    enum am_status s;

    if (stills->frames > 0)
        return value[0] == stills->width && value[1] == stills->height && value[2] == h->white
                   ? AM_OK
                   : broken(h, "pictures differ in size or largest value", err);
    if (value[2] < 1 || value[2] > 65535)
        return broken(h, "the largest value of a PGM is 1 to 65535", err);
    if (value[2] > 255)
        return am_fail(err, AM_E_USAGE, "%s: values to %llu; only 8-bit grey can be read",
                       h->source->name, (unsigned long long)value[2]);
    s = am_stills_size(stills, h->source, value[0], value[1], err);
    stills->stride = stills->width;
    h->white = value[2];
    for (uint64_t i = 0; i < 256; i++)
        stills->grey[i] = i < value[2] ? (uint8_t)((i * 255 + value[2] / 2) / value[2]) : 255;
    return s;
}

/* One picture; *at goes on behind its pixels. */
static enum am_status read_picture(struct head *h, uint64_t *at, struct am_stills *stills,
                                   struct am_err *err)
{
    uint64_t value[3] = {0};
    enum am_status s = load(h, *at, err);

    if (s == AM_OK)
        s = read_magic(h, err);
    for (size_t i = 0; s == AM_OK && i < 3; i++)
        s = read_number(h, &value[i], err);
    if (s == AM_OK && (h->pos >= h->n || !is_space(h->text[h->pos])))
        s = broken(h, "one blank parts the head from the pixels", err);
    if (s == AM_OK)
        s = take_format(h, stills, value, err);
    if (s != AM_OK)
        return s;
    *at += h->pos + 1;
    if (value[0] * value[1] > h->source->size - *at)
        return broken(h, "pixels are missing: the file was cut off", err);
    s = am_stills_add(stills, h->source, *at, err);
    *at += value[0] * value[1];
    return s;
}

/* Blanks may stand between pictures, and at the end. */
static enum am_status skip_blanks(const struct am_source *source, uint64_t *at, struct am_err *err)
{
    char c = ' ';

    for (int n = 0; n < HEAD_MAX && *at < source->size; n++) {
        if (!source->read(source->self, *at, &c, 1))
            return am_fail(err, AM_E_SYS, "%s: cannot be read", source->name);
        if (!is_space(c))
            break;
        (*at)++;
    }
    return AM_OK;
}

enum am_status am_pgm_index(const struct am_source *source, struct am_stills *out,
                            struct am_err *err)
{
    struct head head = {.source = source};
    uint64_t at = 0;
    enum am_status s;

    *out = (struct am_stills){0};
    do {
        s = read_picture(&head, &at, out, err);
        if (s == AM_OK)
            s = skip_blanks(source, &at, err);
    } while (s == AM_OK && at < source->size);
    if (s != AM_OK)
        am_stills_fini(out);
    return s;
}
