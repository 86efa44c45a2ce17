/* SPDX-License-Identifier: MIT */
/* Files that programs left behind: those that lie, and folders that nobody came back for. */
#include <archmeter/mark.h>

#include "core/marks/marks.h"

#include "tap.h"

static struct am_arena arena;

static struct am_mark_file_ *made(void)
{
    struct am_mark_file_ *const f = calloc(1, sizeof(*f));

    am_mark_begin_file_(f, 0);
    f->n_nodes = 4;
    f->nodes[2] = (struct am_mark_node_){.calls = 1, .ticks = 5, .self_ticks = 5, .name = "a"};
    f->nodes[3] = (struct am_mark_node_){.calls = 1, .outer = 2, .name = "b"};
    return f;
}

static void change_nothing(struct am_mark_file_ *f)
{
    (void)f;
}
static void change_version(struct am_mark_file_ *f)
{
    f->version++;
}
static void change_nodes(struct am_mark_file_ *f)
{
    f->n_nodes = UINT32_MAX;
}
static void change_few(struct am_mark_file_ *f)
{
    f->n_nodes = 0;
}
static void change_depth(struct am_mark_file_ *f)
{
    f->depth = UINT32_MAX;
}
static void change_magic(struct am_mark_file_ *f)
{
    f->magic[0] = 'x';
}
static void change_parent(struct am_mark_file_ *f)
{
    f->nodes[2].outer = UINT32_MAX;
}
static void change_self(struct am_mark_file_ *f)
{
    f->nodes[3].outer = 3;
}
static void change_work(struct am_mark_file_ *f)
{
    f->nodes[2].flops = -NAN;
}

static void change_frame(struct am_mark_file_ *f)
{
    f->depth = 1;
    f->frames[0].node = UINT32_MAX;
}

static void change_name(struct am_mark_file_ *f)
{
    memset(f->nodes[2].name, 'y', sizeof(f->nodes[2].name));
}

static const struct {
    const char *what;
    void (*change)(struct am_mark_file_ *f);
    bool refused;
    size_t bytes; /* 0: all that are needed */
} lies[] = {
    {"a sound file", change_nothing, false, 0},
    {"another version", change_version, true, 0},
    {"more nodes than there can be", change_nodes, true, 0},
    {"fewer nodes than there must be", change_few, true, 0},
    {"deeper than can be", change_depth, true, 0},
    {"no such file at all", change_magic, true, 0},
    {"an outer region that is not there", change_parent, false, 0},
    {"a region around itself", change_self, false, 0},
    {"work that is no number", change_work, false, 0},
    {"an open region that is not there", change_frame, false, 0},
    {"a name without an end", change_name, false, 0},
    {"an empty file", change_nothing, true, 1},
    {"a file that is cut", change_nothing, true, 24000},
};

static void test_lies(void)
{
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        struct am_mark_file_ *const f = made();
        struct am_marks_folder folder;
        struct am_marks marks = {0};
        struct am_err err = {0};
        const size_t n = lies[i].bytes ? lies[i].bytes : am_mark_length_(AM_MARK_NODES_STEP);
        bool good = am_marks_open(&folder, &err) == AM_OK;
        const int fd = good ? am_mark_create_(folder.path) : -1;

        lies[i].change(f);
        good = fd >= 0 && write(fd, f, n) == (ssize_t)n;
        (void)close(fd);
        good = good && am_marks_collect(&folder, &arena, &marks, &err) == AM_OK;
        ok(good && (marks.refused == 1) == lies[i].refused && (marks.n == 2) == !lies[i].refused,
           "%s is %s", lies[i].what, lies[i].refused ? "refused" : "read");
        am_marks_close(&folder);
        free(f);
    }
}

/* A folder whose maker was killed goes when the next one is opened. */
static void test_sweep(void)
{
    struct am_marks_folder left, next;
    struct am_err err = {0};
    char stale[300];
    const char *const stem = "archmeter-marks-";

    ok(am_marks_open(&left, &err) == AM_OK, "a folder is opened");
    (void)snprintf(stale, sizeof(stale), "%.*s%s2147483646-test",
                   (int)(strstr(left.path, stem) - left.path), left.path, stem);
    ok(rename(left.path, stale) == 0 && am_marks_open(&next, &err) == AM_OK &&
           access(stale, F_OK) != 0,
       "one that a process left behind is removed");
    am_marks_close(&next);
}

int main(void)
{
    test_lies();
    test_sweep();
    am_arena_fini(&arena);
    return tap_done();
}
