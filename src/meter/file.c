/* SPDX-License-Identifier: MIT */
/* Meters that are small text files. */
#include "meter/file.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct am_meter_file *am_meter_file_open(const struct am_fsroot *root, const char *path,
                                         struct am_arena *arena)
{
    struct am_meter_file *f = am_arena_alloc(arena, sizeof(*f));
    const int fd = f ? openat(root->fd, path, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0)
        return NULL;
    *f = (struct am_meter_file){.fd = fd, .limit = UINT64_MAX};
    return f;
}

bool am_meter_file_value(const struct am_meter_file *f, uint64_t *value)
{
    char text[32];
    const ssize_t n = pread(f->fd, text, sizeof(text) - 1, 0);
    size_t digits = 0;

    while (n > 0 && digits < (size_t)n && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    return n > 0 && am_parse_u64(text, digits, value) && *value <= f->limit;
}

static enum am_status read_file(const struct am_meter_file *f, struct am_reading *out,
                                uint64_t *value, struct am_err *err)
{
    out->t0_ns = am_now_ns();
    errno = 0;
    if (!am_meter_file_value(f, value))
        return errno ? am_fail(err, AM_E_SYS, "a meter's file")
                     : am_fail(err, AM_E_PARSE, "a meter's file holds no number");
    out->t1_ns = am_now_ns();
    return AM_OK;
}

enum am_status am_meter_file_ticks(void *self, struct am_reading *out, struct am_err *err)
{
    return read_file(self, out, &out->ticks, err);
}

enum am_status am_meter_file_power(void *self, struct am_reading *out, struct am_err *err)
{
    const struct am_meter_file *const f = self;
    uint64_t value = 0;
    const enum am_status s = read_file(f, out, &value, err);

    out->watts = (double)value * f->watts;
    return s;
}

void am_meter_file_close(void *self)
{
    struct am_meter_file *const f = self;

    if (f->fd >= 0)
        (void)close(f->fd);
    f->fd = -1;
}

void am_meter_file_bind(struct am_meter *m, const struct am_fsroot *root, const char *path,
                        struct am_arena *arena)
{
    struct am_meter_file *const f = am_meter_file_open(root, path, arena);
    const int why = errno;
    uint64_t value;

    if (!f) {
        m->why_not = am_arena_printf(arena, "%s: %s", path, strerror(why));
        return;
    }
    m->self = f;
    m->close = am_meter_file_close;
    m->read = m->kind == AM_METER_COUNTER ? am_meter_file_ticks : am_meter_file_power;
    errno = 0;
    if (!am_meter_file_value(f, &value))
        m->why_not = am_arena_printf(arena, "%s: %s", path, errno ? strerror(errno) : "no number");
}
