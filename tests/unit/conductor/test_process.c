/* SPDX-License-Identifier: MIT */
/* The conductor's processes, and the memory that it grants them. */
#include "base/text.h"
#include "conductor/memory.h"
#include "conductor/process.h"
#include "tap.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_process(void)
{
    const struct am_process absent = {.program = "/no/such/program", .limit_s = 1};
    const struct am_process hangs = {
        .program = "/bin/sleep", .argument = "100", .limit_s = 0.1, .output_limit = 100};
    const struct am_process prints = {
        .program = "/bin/echo", .argument = "hello", .limit_s = 10, .output_limit = 3};
    struct am_process_result r;
    struct am_err err = {0};

    ok(am_process_run(&absent, &r, &err) == AM_E_SYS && strstr(err.text, "/no/such/program"),
       "a program that cannot be started is an error at once: %s", err.text);
    am_process_fini(&r);
    ok(am_process_run(&hangs, &r, &err) == AM_OK && r.end == AM_END_TIMEOUT,
       "a program past its limit is killed");
    ok(r.ended_ns > r.started_ns, "and its times are kept");
    am_process_fini(&r);
    ok(am_process_run(&prints, &r, &err) == AM_OK && r.end == AM_END_EXIT && r.code == 0,
       "a program that ends is reaped");
    is_str(am_text_str(&r.out), "hel", "its output is kept up to the limit");
    am_process_fini(&r);
}

/* Faster than a look at it takes: the looks are bounded, and what was read must not be lost. */
static void test_much_output(void)
{
    enum { MUCH = 4 << 20 };
    char path[] = "/tmp/am-test-XXXXXX";
    const int fd = mkstemp(path);
    const struct am_process talks = {
        .program = "/bin/cat", .argument = path, .limit_s = 30, .output_limit = 2 * MUCH};
    size_t least = MUCH;

    ok(fd >= 0 && ftruncate(fd, MUCH) == 0, "a large file");
    (void)close(fd);
    for (int i = 0; i < 10; i++) {
        struct am_process_result r;
        struct am_err err = {0};

        if (am_process_run(&talks, &r, &err) != AM_OK || r.end != AM_END_EXIT || r.out.overflow)
            r.out.len = 0;
        least = r.out.len < least ? r.out.len : least;
        am_process_fini(&r);
    }
    ok(least == MUCH, "a program that prints much is heard to its end: %zu bytes at least", least);
    (void)unlink(path);
}

/* What a shell's `trap "" CHLD` leaves to its programs. */
static void test_ignored_children(void)
{
    const struct am_process ends = {.program = "/bin/true", .limit_s = 5, .output_limit = 10};
    struct am_process_result r;
    struct am_err err = {0};

    (void)signal(SIGCHLD, SIG_IGN);
    ok(am_process_run(&ends, &r, &err) == AM_OK && r.end == AM_END_EXIT && r.code == 0,
       "a program's end is seen although SIGCHLD was ignored by who started us");
    am_process_fini(&r);
}

static void put_file(const char *root, const char *path, const char *content)
{
    char full[512], *slash;
    int fd;

    (void)am_str_format(full, sizeof(full), "%s/%s", root, path);
    for (slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(full, 0700);
        *slash = '/';
    }
    fd = open(full, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ok(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content), "wrote %s",
       path);
    (void)close(fd);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static void test_memory(void)
{
    char dir[] = "/tmp/am-test-XXXXXX";
    struct am_fsroot root = {0};
    const uint64_t mib = 1024 * 1024;

    ok(mkdtemp(dir) != NULL && am_fsroot_open(&root, dir, NULL) == AM_OK, "a scratch root");
    ok(am_memory_available_at(&root) == UINT64_MAX, "nothing known: no limit");
    put_file(dir, "proc/meminfo", "MemTotal:  2048000 kB\nMemAvailable:    1024000 kB\n");
    ok(am_memory_available_at(&root) == UINT64_C(1024000) * 1024 / 5 * 4,
       "four fifths of what is available");
    put_file(dir, "proc/self/cgroup", "4:memory:/c\n0::/a/b\n");
    put_file(dir, "sys/fs/cgroup/cgroup.controllers", "memory\n");
    put_file(dir, "sys/fs/cgroup/a/memory.max", "209715200\n");
    put_file(dir, "sys/fs/cgroup/a/memory.current", "104857600\n");
    put_file(dir, "sys/fs/cgroup/a/b/memory.max", "max\n");
    ok(am_memory_available_at(&root) == 100 * mib / 5 * 4, "a parent's cgroup limit counts");
    put_file(dir, "sys/fs/cgroup/memory/memory.limit_in_bytes", "52428800\n");
    ok(am_memory_available_at(&root) == 50 * mib / 5 * 4, "and so does cgroup v1");
    put_file(dir, "sys/fs/cgroup/memory/c/memory.limit_in_bytes", "41943040\n");
    put_file(dir, "sys/fs/cgroup/memory/c/memory.usage_in_bytes", "10485760\n");
    ok(am_memory_available_at(&root) == 30 * mib / 5 * 4, "with the process's own group in it");
    am_fsroot_close(&root);
    (void)nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    test_process();
    test_much_output();
    test_ignored_children();
    test_memory();
    return tap_done();
}
