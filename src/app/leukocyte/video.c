/* SPDX-License-Identifier: MIT */
/* Videos by path, and what all kinds of files share: where frames lie and how they are read. */
#include "app/leukocyte/video.h"

#include "base/array.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- frames of one source ---- */

enum am_status am_stills_size(struct am_stills *stills, const struct am_source *source,
                              uint64_t width, uint64_t height, struct am_err *err)
{
    if (width < AM_IMAGE_SIDE_MIN || width > AM_IMAGE_SIDE_MAX || height < AM_IMAGE_SIDE_MIN ||
        height > AM_IMAGE_SIDE_MAX)
        return am_fail(err, AM_E_PARSE, "%s: frames of %llu x %llu; sides must be %d to %d",
                       source->name, (unsigned long long)width, (unsigned long long)height,
                       AM_IMAGE_SIDE_MIN, AM_IMAGE_SIDE_MAX);
    stills->width = (size_t)width;
    stills->height = (size_t)height;
    return AM_OK;
}

enum am_status am_stills_add(struct am_stills *stills, const struct am_source *source, uint64_t at,
                             struct am_err *err)
{
    uint64_t *added;

    if (stills->frames == AM_VIDEO_FRAMES_MAX)
        return am_fail(err, AM_E_PARSE, "%s: more than %d frames", source->name,
                       AM_VIDEO_FRAMES_MAX);
    added = AM_ARRAY_ADD(NULL, stills->at, stills->frames, stills->cap);
    if (!added)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu frames", stills->frames);
    *added = at;
    return AM_OK;
}

void am_stills_fini(struct am_stills *stills)
{
    free(stills->at);
    *stills = (struct am_stills){0};
}

enum am_status am_stills_read(const struct am_stills *stills, const struct am_source *source,
                              size_t t, uint8_t *pixels, struct am_err *err)
{
    const size_t width = stills->width, height = stills->height;

    for (size_t i = 0; i < height; i++) {
        uint8_t *const row = pixels + i * width;
        const size_t from = stills->bottom_up ? height - 1 - i : i;

        if (!source->read(source->self, stills->at[t] + from * stills->stride, row, width))
            return am_fail(err, AM_E_SYS, "%s: frame %zu cannot be read", source->name, t);
        for (size_t j = 0; j < width; j++)
            row[j] = stills->grey[row[j]];
    }
    return AM_OK;
}

enum am_status am_stills_index(const struct am_source *source, struct am_stills *out,
                               struct am_err *err)
{
    char magic[4] = "";

    if (source->size == 0)
        return am_fail(err, AM_E_PARSE, "%s: is empty", source->name);
    if (source->size >= sizeof(magic) && !source->read(source->self, 0, magic, sizeof(magic)))
        return am_fail(err, AM_E_SYS, "%s: cannot be read", source->name);
    if (memcmp(magic, "RIFF", 4) == 0)
        return am_avi_index(source, out, err);
    if (magic[0] == 'P')
        return am_pgm_index(source, out, err);
    return am_fail(err, AM_E_USAGE, "%s: neither AVI nor PGM (of 8 bits, uncompressed)",
                   source->name);
}

/* ---- one file ---- */

struct file {
    int fd; /* -1: none */
    struct am_source source;
    struct am_stills stills;
};

static bool read_fd(void *self, uint64_t at, void *buf, size_t n)
{
    const struct file *const file = self;
    size_t have = 0;

    while (have < n) {
        const ssize_t got = pread(file->fd, (char *)buf + have, n - have, (off_t)(at + have));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

static void close_file(struct file *file)
{
    am_stills_fini(&file->stills);
    if (file->fd >= 0)
        (void)close(file->fd);
    file->fd = -1;
}

/* `name` must live as long; `folder` may be AT_FDCWD. */
static enum am_status open_file(struct file *file, int folder, const char *name, struct am_err *err)
{
    struct stat st;
    enum am_status s;

    *file = (struct file){.fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file->fd < 0 || fstat(file->fd, &st) != 0) {
        s = am_fail(err, AM_E_SYS, "%s: cannot be read", name);
    } else if (!S_ISREG(st.st_mode)) {
        s = am_fail(err, AM_E_PARSE, "%s: is neither a file nor a folder", name);
    } else {
        file->source = (struct am_source){name, file, (uint64_t)st.st_size, read_fd};
        s = am_stills_index(&file->source, &file->stills, err);
    }
    if (s != AM_OK)
        close_file(file);
    return s;
}

/* ---- a path ---- */

struct am_video {
    char *path;
    int folder;   /* -1: a file */
    char **names; /* of the folder's pictures */
    size_t n_names, cap_names;
    struct file file; /* the one file, or the folder's picture that was read last */
    size_t width, height, frames;
};

void am_video_close(struct am_video *video)
{
    if (!video)
        return;
    close_file(&video->file);
    for (size_t i = 0; i < video->n_names; i++)
        free(video->names[i]);
    free(video->names);
    if (video->folder >= 0)
        (void)close(video->folder);
    free(video->path);
    free(video);
}

static bool is_pgm(const char *name)
{
    const size_t len = strlen(name);

    return len > 4 && name[0] != '.' && strcmp(name + len - 4, ".pgm") == 0;
}

static enum am_status add_name(struct am_video *v, const char *name, struct am_err *err)
{
    char **added;

    if (v->n_names == AM_VIDEO_FRAMES_MAX)
        return am_fail(err, AM_E_PARSE, "%s: more than %d pictures", v->path, AM_VIDEO_FRAMES_MAX);
    added = AM_ARRAY_ADD(NULL, v->names, v->n_names, v->cap_names);
    if (added)
        *added = strdup(name); /* NULL is freed like the others */
    if (!added || !*added)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu names", v->n_names);
    return AM_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum am_status list_folder(struct am_video *v, struct am_err *err)
{
    DIR *const dir = opendir(v->path);
    enum am_status s = AM_OK;
    const struct dirent *entry;

    if (!dir)
        return am_fail(err, AM_E_SYS, "%s: cannot be read", v->path);
    while (s == AM_OK && (entry = readdir(dir)))
        s = is_pgm(entry->d_name) ? add_name(v, entry->d_name, err) : AM_OK;
    (void)closedir(dir);
    if (s == AM_OK && v->n_names == 0)
        s = am_fail(err, AM_E_USAGE, "%s: there are no files *.pgm in it", v->path);
    if (s == AM_OK)
        qsort(v->names, v->n_names, sizeof(*v->names), by_name);
    return s;
}

/* Picture t of the folder becomes the open file. */
static enum am_status open_picture(struct am_video *v, size_t t, struct am_err *err)
{
    enum am_status s;

    close_file(&v->file);
    s = open_file(&v->file, v->folder, v->names[t], err);
    if (s == AM_OK && v->file.stills.frames != 1)
        s = am_fail(err, AM_E_PARSE, "%s: has %zu pictures; in a folder it is one per file",
                    v->names[t], v->file.stills.frames);
    return s;
}

static enum am_status open_path(struct am_video *v, struct am_err *err)
{
    enum am_status s;

    v->folder = open(v->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (v->folder < 0) {
        s = open_file(&v->file, AT_FDCWD, v->path, err);
        v->frames = v->file.stills.frames;
    } else {
        s = list_folder(v, err);
        if (s == AM_OK)
            s = open_picture(v, 0, err);
        v->frames = v->n_names;
    }
    v->width = v->file.stills.width;
    v->height = v->file.stills.height;
    return s;
}

enum am_status am_video_open(const char *path, struct am_video **video_p, struct am_err *err)
{
    struct am_video *const v = calloc(1, sizeof(*v));
    enum am_status s;

    if (!v)
        return am_fail(err, AM_E_NOMEM, "no memory for a video");
    v->folder = v->file.fd = -1;
    v->path = strdup(path);
    s = v->path ? open_path(v, err) : am_fail(err, AM_E_NOMEM, "no memory for a video");
    if (s != AM_OK) {
        am_video_close(v);
        return s;
    }
    *video_p = v;
    return AM_OK;
}

void am_video_size(const struct am_video *video, size_t *width, size_t *height, size_t *frames)
{
    *width = video->width;
    *height = video->height;
    *frames = video->frames;
}

enum am_status am_video_read(struct am_video *video, size_t t, uint8_t *pixels, struct am_err *err)
{
    const struct am_stills *const stills = &video->file.stills;
    enum am_status s = AM_OK;

    if (video->folder >= 0)
        s = open_picture(video, t, err);
    if (s != AM_OK)
        return s;
    if (stills->width != video->width || stills->height != video->height)
        return am_fail(err, AM_E_PARSE, "%s: %zu x %zu, but the first picture is %zu x %zu",
                       video->file.source.name, stills->width, stills->height, video->width,
                       video->height);
    return am_stills_read(stills, &video->file.source, video->folder >= 0 ? 0 : t, pixels, err);
}
