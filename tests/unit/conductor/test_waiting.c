/* SPDX-License-Identifier: MIT */
/* What a process waited for a CPU, from a made-up /proc, and what that adds to its limit. */
#include "conductor/waiting.h"

#include "base/temp_folder.h"
#include "base/text.h"
#include "tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/am-waiting-XXXXXX";

/* A thread of process 7 with that line. */
static void put_thread(const char *name, const char *line)
{
    static const char *const parts[] = {"proc", "proc/7", "proc/7/task"};
    char path[128];
    FILE *out;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        (void)am_str_format(path, sizeof(path), "%s/%s", folder, parts[i]);
        (void)mkdir(path, 0700);
    }
    (void)am_str_format(path, sizeof(path), "%s/proc/7/task/%s", folder, name);
    (void)mkdir(path, 0700);
    (void)am_str_format(path, sizeof(path), "%s/proc/7/task/%s/schedstat", folder, name);
    out = fopen(path, "w");
    if (out) {
        (void)fputs(line, out);
        (void)fclose(out);
    }
}

int main(void)
{
    struct am_fsroot root = {0};
    struct am_err err = {0};

    if (!mkdtemp(folder) || am_fsroot_open(&root, folder, &err) != AM_OK) {
        ok(false, "a folder: %s", err.text);
        return tap_done();
    }
    ok(am_waiting_ns(&root, 7) == 0, "of a process that is gone nothing is known");
    put_thread("7", "160831 5608142 2\n");
    ok(am_waiting_ns(&root, 7) == 5608142, "the second number is what it waited");
    put_thread("8", "1 9000000000 2\n");
    put_thread("9", "0 0 0\n");
    put_thread("10", "nonsense\n");
    put_thread("11", "1 2e9 3\n");
    ok(am_waiting_ns(&root, 7) == UINT64_C(9000000000), "of several threads, the longest counts");
    is_near(am_waiting_grace_s(30, 0), 0, 0, "a process that sleeps gets no more time");
    is_near(am_waiting_grace_s(30, UINT64_C(9000000000)), 9, 1e-12, "who waited gets that back");
    is_near(am_waiting_grace_s(2, UINT64_C(900000000000)), 18, 1e-12, "up to nine times the limit");
    am_fsroot_close(&root);
    am_folder_remove(folder);
    return tap_done();
}
