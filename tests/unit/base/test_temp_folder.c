/* SPDX-License-Identifier: MIT */
/* Temporary folders: for their owner, gone in the end, and those of killed processes removed. */
#include "base/temp_folder.h"
#include "base/text.h"
#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[] = "am-temp-XXXXXX";

static bool exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0;
}

static void fill(const char *folder)
{
    char path[512];
    FILE *file;

    (void)am_str_format(path, sizeof(path), "%s/below", folder);
    (void)mkdir(path, 0700);
    (void)am_str_format(path, sizeof(path), "%s/below/file", folder);
    file = fopen(path, "w");
    if (file)
        (void)fclose(file);
}

/* The folder of a process that was killed, as it tells it before. */
static void make_left(char *buf, size_t cap)
{
    int ends[2];
    pid_t child;
    ssize_t n;

    buf[0] = '\0';
    if (pipe(ends) != 0)
        return;
    child = fork();
    if (child == 0) {
        struct am_arena arena = {0};
        struct am_temp_folder f;

        if (am_temp_folder_make(base, "word", &arena, &f)) {
            fill(f.path);
            (void)!write(ends[1], f.path, strlen(f.path));
        }
        (void)raise(SIGKILL);
    }
    (void)close(ends[1]);
    n = read(ends[0], buf, cap - 1);
    buf[n > 0 ? n : 0] = '\0';
    (void)close(ends[0]);
    (void)waitpid(child, NULL, 0);
}

int main(void)
{
    struct am_arena arena = {0};
    struct am_temp_folder mine = {.path = NULL}, second = {.path = NULL}, other = {.path = NULL};
    char left[512], first[512];
    struct stat st;

    if (!mkdtemp(base))
        return 1;
    ok(am_temp_folder_make(base, "word", &arena, &mine) && stat(mine.path, &st) == 0 &&
           (st.st_mode & 0777) == 0700,
       "a folder is made, for its owner alone");
    ok(strstr(mine.path, "/archmeter-word-") != NULL, "its name says whose it is: %s", mine.path);
    fill(mine.path);
    make_left(left, sizeof(left));
    ok(left[0] && exists(left), "a process that was killed leaves its folder");
    ok(am_temp_folder_make(base, "other", &arena, &other) && exists(left),
       "another word is another matter");
    ok(am_temp_folder_make(base, "word", &arena, &second) && !exists(left),
       "the next one of the same word removes it");
    ok(exists(mine.path) && exists(other.path), "those that are held stay");
    (void)am_str_copy(first, sizeof(first), mine.path);
    am_temp_folder_remove(&mine);
    am_temp_folder_remove(&second);
    am_temp_folder_remove(&other);
    ok(!exists(first) && !mine.path, "an orderly end removes it with all that is in it");
    am_temp_folder_remove(&mine);
    ok(!am_temp_folder_make("/no/such/folder", "word", &arena, &mine) && !mine.path,
       "where there is no room there is no folder");
    ok(rmdir(base) == 0, "nothing is left");
    am_arena_fini(&arena);
    return tap_done();
}
