/* SPDX-License-Identifier: MIT */
/* Lines of three numbers. */
#include "app/leukocyte/cells.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

enum { FIELDS = 3 };

struct field {
    const char *text;
    size_t len;
};

/* Fields between commas, without blanks around them; more than FIELDS are counted, not kept. */
static size_t split(const char *line, size_t len, struct field *fields)
{
    const char *const end = line + len;
    size_t n = 0;

    for (const char *at = line; at <= end; n++) {
        const char *stop = memchr(at, ',', (size_t)(end - at));
        const char *last;

        stop = stop ? stop : end;
        last = stop;
        while (at < last && (*at == ' ' || *at == '\t'))
            at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r'))
            last--;
        if (n < FIELDS)
            fields[n] = (struct field){at, (size_t)(last - at)};
        at = stop + 1;
    }
    return n;
}

static bool is_heading(const struct field *f)
{
    return f->len == 4 && memcmp(f->text, "cell", 4) == 0;
}

static bool is_known(const struct am_cells *cells, uint64_t name)
{
    for (size_t i = 0; i < cells->n; i++) {
        if (cells->names[i] == name)
            return true;
    }
    return false;
}

static enum am_status add(struct am_cells *cells, const char *file, unsigned line,
                          const struct field *f, struct am_err *err)
{
    struct am_centre at;
    uint64_t name;

    if (!am_parse_u64(f[0].text, f[0].len, &name) || !am_parse_f64(f[1].text, f[1].len, &at.x) ||
        !am_parse_f64(f[2].text, f[2].len, &at.y))
        return am_fail(err, AM_E_PARSE, "%s:%u: a cell is its number, x and y", file, line);
    if (is_known(cells, name))
        return am_fail(err, AM_E_PARSE, "%s:%u: cell %llu has been there before", file, line,
                       (unsigned long long)name);
    if (cells->n == AM_CELLS_MAX)
        return am_fail(err, AM_E_PARSE, "%s:%u: more than %d cells", file, line, AM_CELLS_MAX);
    cells->names[cells->n] = name;
    cells->lines[cells->n] = line;
    cells->at[cells->n++] = at;
    return AM_OK;
}

enum am_status am_cells_parse(const char *file, const char *text, size_t len, struct am_cells *out,
                              struct am_err *err)
{
    const char *const end = text + len;
    unsigned line = 0;
    enum am_status s = AM_OK;

    out->n = 0;
    for (const char *at = text; s == AM_OK && at < end; line++) {
        const char *const found = memchr(at, '\n', (size_t)(end - at));
        const char *const stop = found ? found : end;
        struct field fields[FIELDS] = {{0}};
        const size_t n = split(at, (size_t)(stop - at), fields);

        at = stop + 1;
        if ((n == 1 && fields[0].len == 0) || (line == 0 && is_heading(&fields[0])))
            continue;
        s = n == FIELDS
                ? add(out, file, line + 1, fields, err)
                : am_fail(err, AM_E_PARSE, "%s:%u: %zu values, not cell,x,y", file, line + 1, n);
    }
    if (s == AM_OK && out->n == 0)
        s = am_fail(err, AM_E_PARSE, "%s: there is no cell in it", file);
    return s;
}

enum am_status am_cells_check(const char *file, const struct am_cells *cells, size_t width,
                              size_t height, struct am_err *err)
{
    for (size_t i = 0; i < cells->n; i++) {
        if (!am_image_has(width, height, cells->at[i]))
            return am_fail(err, AM_E_PARSE,
                           "%s:%u: cell %llu at (%g, %g) is not in a frame of %zu x %zu", file,
                           cells->lines[i], (unsigned long long)cells->names[i], cells->at[i].x,
                           cells->at[i].y, width, height);
    }
    return AM_OK;
}
