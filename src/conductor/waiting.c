/* SPDX-License-Identifier: MIT */
/* How long a process was ready to run and had no CPU. */
#include "conductor/waiting.h"

#include "base/text.h"

#include <string.h>

enum { PATH_CAP = 96, LINE_CAP = 128 };

static const double grace_most = 9; /* times the limit */

struct threads {
    const struct am_fsroot *root;
    pid_t pid;
    uint64_t most_ns;
};

/* The second number of schedstat: "RAN WAITED SLICES", in nanoseconds. */
static bool on_thread(void *self, const char *name)
{
    struct threads *const t = self;
    char path[PATH_CAP], line[LINE_CAP];
    const char *from, *end;
    uint64_t waited = 0;

    if (!am_str_format(path, sizeof(path), "proc/%d/task/%s/schedstat", (int)t->pid, name) ||
        am_fsroot_read(t->root, path, line, sizeof(line)) <= 0)
        return true;
    from = strchr(line, ' ');
    end = from ? strchr(from + 1, ' ') : NULL;
    if (end && am_parse_u64(from + 1, (size_t)(end - from - 1), &waited) && waited > t->most_ns)
        t->most_ns = waited;
    return true;
}

uint64_t am_waiting_ns(const struct am_fsroot *root, pid_t pid)
{
    struct threads threads = {.root = root, .pid = pid};
    char path[PATH_CAP];

    if (am_str_format(path, sizeof(path), "proc/%d/task", (int)pid))
        (void)am_fsroot_list(root, path, on_thread, &threads);
    return threads.most_ns;
}

double am_waiting_grace_s(double limit_s, uint64_t waited_ns)
{
    const double waited_s = (double)waited_ns * 1e-9;

    return waited_s < grace_most * limit_s ? waited_s : grace_most * limit_s;
}
