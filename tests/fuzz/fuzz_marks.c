/* SPDX-License-Identifier: MIT */
/* libFuzzer: a thread's file with bytes changed at random is refused, or read into regions whose
 * numbers and names can be shown. Four bytes of input change one byte of a sound file. */
#include "core/marks/marks.h"

#define ARCHMETER_MARK_LAYOUT
#include <archmeter/mark.h>

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES = 8, PATCH = 4 };

static void require(int condition)
{
    if (!condition)
        abort();
}

static void make(struct am_mark_file_ *f)
{
    memcpy(f->magic, AM_MARK_MAGIC, sizeof(AM_MARK_MAGIC));
    f->version = AM_MARK_VERSION;
    f->node_size = sizeof(struct am_mark_node_);
    f->frame_size = sizeof(struct am_mark_frame_);
    f->n_nodes = f->room = NODES;
    f->depth = 2;
    for (uint32_t i = AM_MARK_FIRST; i < NODES; i++) {
        f->nodes[i] = (struct am_mark_node_){
            .calls = i, .ticks = 1000 * i, .self_ticks = 10, .longest = 500, .outer = i - 1};
        f->nodes[i].name[0] = (char)('a' + i);
        f->frames[i % 2].node = i;
    }
}

static void check(const struct am_marks *marks)
{
    require(marks->n <= NODES);
    for (size_t i = 0; i < marks->n; i++) {
        const struct am_marks_region *const r = &marks->items[i];

        require(isfinite(r->time_s + r->total_s + r->total_self_s + r->longest_s));
        require(isfinite(r->flops + r->bytes_read + r->bytes_written));
        for (const char *c = r->name; *c; c++)
            require(*c >= ' ' && *c <= '~');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct am_mark_file_ *const f = calloc(1, sizeof(*f));
    const size_t n = am_mark_length_(NODES);
    struct am_marks_folder folder;
    struct am_arena arena = {0};
    struct am_marks marks;
    struct am_text trouble;
    char path[300];
    int fd;

    make(f);
    for (size_t i = 0; i + PATCH <= size; i += PATCH)
        ((char *)f)[(data[i] | data[i + 1] << 8 | data[i + 2] << 16) % n] = (char)data[i + 3];
    require(am_marks_open(&folder, NULL) == AM_OK &&
            am_str_format(path, sizeof(path), "%s/1.0", folder.path));
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, f, n) == (ssize_t)n && close(fd) == 0);
    require(am_marks_collect(&folder, &arena, &marks, NULL) == AM_OK);
    check(&marks);
    am_text_init(&trouble, 1000);
    am_marks_trouble(&marks, &trouble);
    am_text_fini(&trouble);
    am_marks_close(&folder);
    am_arena_fini(&arena);
    free(f);
    return 0;
}
