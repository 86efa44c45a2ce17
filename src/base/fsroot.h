/* SPDX-License-Identifier: MIT */
/* Reads below a file-system root: "/" on this machine, a recorded or made-up tree elsewhere
 * (`--fsroot DIR`, `--machine FILE`, tests).
 *
 * Everything that is read from /sys and /proc goes through here, so that topology and doctor can be
 * tried on machines that are not at hand. What is read below a root other than "/" is stamped
 * synthetic. */
#ifndef AM_BASE_FSROOT_H
#define AM_BASE_FSROOT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct am_fsroot {
    int fd;         /* O_PATH directory all paths are relative to */
    bool synthetic; /* not the real root: whatever is read here is stamped so */
};

/* `dir` NULL or "/" is this machine. */
enum am_status am_fsroot_open(struct am_fsroot *root, const char *dir, struct am_err *err);
void am_fsroot_close(struct am_fsroot *root); /* accepts a zeroed struct */

/* Paths are written without the leading slash ("proc/stat"). Reads a small file whole, cuts it at
 * cap-1 bytes, terminates it and drops trailing white space. Returns the length or -1 with errno.
 */
ssize_t am_fsroot_read(const struct am_fsroot *root, const char *path, char *buf, size_t cap);
bool am_fsroot_read_u64(const struct am_fsroot *root, const char *path, uint64_t *out);
bool am_fsroot_exists(const struct am_fsroot *root, const char *path);

/* Calls `fn` for each entry of a directory (no "." and "..") in name order, so that results do not
 * depend on the file system; stops when it returns false. False when the directory is absent. */
typedef bool am_fsroot_entry_fn(void *self, const char *name);
bool am_fsroot_list(const struct am_fsroot *root, const char *path, am_fsroot_entry_fn *fn,
                    void *self);

#endif
