/* SPDX-License-Identifier: MIT */
/* Folders for temporary files that belong to one process, and are gone with it.
 *
 * A folder "archmeter-WORD-XXXXXX" is made below a folder for temporary files and locked (flock)
 * for as long as its process lives. Who ends in order removes it. One that was killed cannot; the
 * system lets go of its lock, and the next process of the same user that makes a folder of the same
 * word removes what nobody holds. */
#ifndef AM_BASE_TEMP_FOLDER_H
#define AM_BASE_TEMP_FOLDER_H

#include "base/arena.h"

#include <stdbool.h>

/* Zero-initialise. */
struct am_temp_folder {
    const char *path; /* in the arena; NULL: there is none */
    int lock;         /* descriptor, while there is a path */
};

/* Makes a folder for the owner alone; `word` consists of small letters. Removes those of the same
 * word whose processes are gone. False with errno when it cannot be made. */
bool am_temp_folder_make(const char *base, const char *word, struct am_arena *arena,
                         struct am_temp_folder *out);
/* Removes it with all that is in it; accepts a zeroed struct and zeroes it. */
void am_temp_folder_remove(struct am_temp_folder *folder);

/* Removes any folder with all that is in it, as far as that can be done. */
void am_folder_remove(const char *path);

#endif
