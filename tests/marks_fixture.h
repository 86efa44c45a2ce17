/* SPDX-License-Identifier: MIT */
/* Marked programs for tests: functions that are called in processes of their own, and what they
 * leave behind. Include archmeter/mark.h first. */
#ifndef AM_TESTS_MARKS_FIXTURE_H
#define AM_TESTS_MARKS_FIXTURE_H

#include "base/child.h"
#include "core/marks/marks.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A program is a function that is called in a process of its own. */
struct program {
    struct am_marks_folder *folder;
    void (*body)(void);
};

static inline int start(void *self)
{
    const struct program *const p = self;
    char *const value = strchr(p->folder->environment, '=');

    *value = '\0';
    (void)setenv(p->folder->environment, value + 1, 1);
    p->body();
    return 0;
}

static struct am_arena arena;

/* What a program leaves behind. */
static inline struct am_marks marks_of(void (*body)(void))
{
    struct am_marks_folder folder;
    struct program program = {.folder = &folder, .body = body};
    const struct am_child_plan plan = {.body = start, .self = &program};
    struct am_child child = {0};
    struct am_marks marks = {0};
    struct am_err err = {0};

    if (am_marks_open(&folder, &err) != AM_OK || am_child_start(&plan, &child, &err) != AM_OK)
        printf("# %s\n", err.text);
    am_child_await(&child);
    if (am_marks_collect(&folder, &arena, &marks, &err) != AM_OK)
        printf("# %s\n", err.text);
    am_marks_close(&folder);
    ok(access(folder.path, F_OK) != 0, "its folder is gone");
    return marks;
}

static inline const char *trouble_of(const struct am_marks *marks)
{
    static char text[600];
    struct am_text trouble;

    am_text_init(&trouble, sizeof(text));
    am_marks_trouble(marks, &trouble);
    (void)am_str_copy(text, sizeof(text), am_text_str(&trouble));
    am_text_fini(&trouble);
    return text;
}

#endif
