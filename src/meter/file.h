/* SPDX-License-Identifier: MIT */
/* Meters that are small text files: opened once, read at offset 0. */
#ifndef AM_METER_FILE_H
#define AM_METER_FILE_H

#include "meter/meter.h"

struct am_meter_file {
    int fd;
    uint64_t limit; /* highest value that can be; more is not a reading */
    double watts;   /* power: watts a unit of the file */
};

/* Opens `path` below the root. NULL with errno set when that fails; memory belongs to the arena. */
struct am_meter_file *am_meter_file_open(const struct am_fsroot *root, const char *path,
                                         struct am_arena *arena);

/* An unsigned decimal at the beginning of the file. */
bool am_meter_file_value(const struct am_meter_file *file, uint64_t *value);

/* am_meter.read of files that hold ticks, and of those that hold power; am_meter.close of both. */
enum am_status am_meter_file_ticks(void *self, struct am_reading *out, struct am_err *err);
enum am_status am_meter_file_power(void *self, struct am_reading *out, struct am_err *err);
void am_meter_file_close(void *self);

/* Makes the meter one of this file, or unusable with what errno says. */
void am_meter_file_bind(struct am_meter *meter, const struct am_fsroot *root, const char *path,
                        struct am_arena *arena);

#endif
