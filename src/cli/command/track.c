/* SPDX-License-Identifier: MIT */
/* archmeter track: leukocytes in a video, found in its first frame and followed through the others.
 */
#include "app/leukocyte/cells.h"
#include "app/leukocyte/detect.h"
#include "app/leukocyte/video.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/run/output.h"
#include "cli/track/track.h"
#include "kernels/isa.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PLACES_MAX = 8 << 20, /* cells times frames */
    THREADS_MAX = 1024,
};

/* Everything of one call; what is not made yet is NULL. */
struct job {
    struct am_cli *cli;
    struct am_video *video;
    struct am_temp_folder decoded; /* frames of a video of another kind */
    const char *incomplete; /* why the video goes on with a frame that is not whole; or NULL */
    bool interrupted;       /* before the last frame */
    uint8_t *pixels;
    struct am_cells *cells;
    struct am_mgvf_loop loop;
    struct am_track_setup setup;
    struct am_tracker *tracker;
    struct am_cell_watch *watch;
    const struct am_executor *executor;
    void *engine; /* open executor */
    struct am_paths paths;
    size_t updates; /* of pixels, by MGVF */
};

/* ---- settings ---- */

/* The widest loop that this CPU runs. */
static void choose_loop(struct job *job)
{
    const bool by_atan = job->cli->opt->heaviside == AM_MGVF_ATAN;
    const enum am_mgvf_form form = by_atan ? AM_MGVF_BY_ATAN : AM_MGVF_BY_LANES;

    job->setup.mgvf.heaviside = by_atan ? AM_MGVF_ATAN : AM_MGVF_MINMAX;
    for (size_t i = 0; am_isa_names[i]; i++) {
        const struct am_mgvf_variant *const variant = am_mgvf_find(am_isa_names[i]);

        if (!variant || am_isa_why_not(am_isa_names[i]) || !variant->fn[form][AM_MGVF_F64])
            continue;
        job->loop = am_mgvf_loop_of(am_isa_names[i], form, AM_MGVF_F64);
        job->setup.mgvf.loop = &job->loop;
    }
}

static enum am_status open_executor(struct job *job, struct am_err *err)
{
    const struct am_number wanted = job->cli->opt->threads;
    struct am_executor_setup setup = {0};
    int cpus[THREADS_MAX];
    cpu_set_t set;

    if (wanted.given && (wanted.value < 1 || wanted.value > THREADS_MAX))
        return am_fail(err, AM_E_USAGE, "--threads: 1 to %d", THREADS_MAX);
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        CPU_SET(0, &set);
    for (int i = 0; i < CPU_SETSIZE && setup.cpu_count < THREADS_MAX; i++) {
        if (CPU_ISSET(i, &set))
            cpus[setup.cpu_count++] = i;
    }
    setup.cpus = cpus;
    setup.threads = wanted.given ? (size_t)wanted.value : setup.cpu_count;
    job->executor = setup.threads == 1 ? &am_executor_serial : &am_executor_task_dbf;
    return job->executor->open(job->executor, &setup, &job->engine, err);
}

/* Which rows have centres: FIRST:LAST, or what suits the size. */
static enum am_status read_band(const struct job *job, struct am_detect_setup *out,
                                struct am_err *err)
{
    const char *const text = job->cli->opt->band;
    const char *const colon = text ? strchr(text, ':') : NULL;
    uint64_t first, last;

    *out = am_detect_defaults;
    if (!text) {
        const bool known = job->paths.width == 640 && job->paths.height == 480;

        out->first = known ? out->first : 0;
        out->last = known ? out->last : SIZE_MAX / 2;
        return AM_OK;
    }
    if (!colon || !am_parse_u64(text, (size_t)(colon - text), &first) ||
        !am_parse_u64(colon + 1, strlen(colon + 1), &last) || first > last ||
        last >= AM_IMAGE_SIDE_MAX)
        return am_fail(err, AM_E_USAGE, "--band \"%s\": rows FIRST:LAST", text);
    out->first = (size_t)first;
    out->last = (size_t)last;
    return AM_OK;
}

/* ---- cells to begin with ---- */

static enum am_status detect(struct job *job, struct am_err *err)
{
    const struct am_image frame = {job->pixels, job->paths.width, job->paths.height};
    const struct am_detected *found = NULL;
    struct am_detect_setup setup;
    struct am_detect *d = NULL;
    enum am_status s = read_band(job, &setup, err);

    if (s == AM_OK)
        s = am_detect_new(&setup, frame, &d, err);
    if (s == AM_OK)
        s = am_detect_run(d, job->executor, job->engine, err);
    if (s == AM_OK)
        s = am_detect_found(d, &found, &job->cells->n, err);
    for (size_t i = 0; s == AM_OK && i < job->cells->n; i++) {
        job->cells->names[i] = i;
        job->cells->at[i] = found[i].centre;
    }
    am_detect_free(d);
    if (s == AM_OK && job->cells->n == 0)
        s = am_fail(err, AM_E_ABSENT, "no cell was found; --cells FILE says where they are");
    return s;
}

static enum am_status read_cells(struct job *job, const char *path, struct am_err *err)
{
    char *const text = am_arena_alloc(job->cli->arena, AM_CELLS_TEXT_MAX + 1);
    FILE *const in = fopen(path, "re");
    enum am_status s;
    size_t len;
    bool failed;

    if (!in)
        return am_fail(err, AM_E_PARSE, "%s: cannot be read: %s", path, strerror(errno));
    len = text ? fread(text, 1, AM_CELLS_TEXT_MAX + 1, in) : 0;
    failed = ferror(in) || !text;
    (void)fclose(in);
    if (failed)
        return am_fail(err, AM_E_SYS, "%s: cannot be read", path);
    if (len > AM_CELLS_TEXT_MAX)
        return am_fail(err, AM_E_LIMIT, "%s: larger than %d bytes", path, AM_CELLS_TEXT_MAX);
    s = am_cells_parse(path, text, len, job->cells, err);
    return s == AM_OK ? am_cells_check(path, job->cells, job->paths.width, job->paths.height, err)
                      : s;
}

/* ---- frames ---- */

static enum am_status open_video(struct job *job, struct am_err *err)
{
    const struct am_options *const opt = job->cli->opt;
    struct am_paths *const paths = &job->paths;
    enum am_status s;
    size_t frames;

    if (strcmp(opt->operands.items[0], "-") == 0)
        return am_fail(err, AM_E_USAGE,
                       "-: standard input is no video; frames are read from a file or a folder");
    if (access(opt->operands.items[0], R_OK) != 0)
        return am_fail(err, AM_E_PARSE, "%s: cannot be read: %s", opt->operands.items[0],
                       strerror(errno));
    s = am_video_open(opt->operands.items[0], &job->video, err);
    if (s == AM_E_USAGE) /* of another kind */
        s = am_track_decode(job->cli, &job->decoded, &job->video, &job->incomplete, err);
    if (s != AM_OK)
        return s;
    am_video_size(job->video, &paths->width, &paths->height, &frames);
    paths->frames = frames;
    if (opt->frames.given && opt->frames.value == 0)
        return am_fail(err, AM_E_USAGE, "--frames: 1 or more");
    if (opt->frames.given && opt->frames.value > frames)
        am_log(AM_LOG_WARN, "%s has %zu frames, not %llu", opt->operands.items[0], frames,
               (unsigned long long)opt->frames.value);
    if (opt->frames.given && opt->frames.value < frames)
        paths->frames = (size_t)opt->frames.value;
    job->pixels = malloc(paths->width * paths->height);
    job->cells = calloc(1, sizeof(*job->cells));
    if (!job->pixels || !job->cells)
        return am_fail(err, AM_E_NOMEM, "no memory for a frame");
    return am_video_read(job->video, 0, job->pixels, err);
}

static enum am_status make_tracker(struct job *job, struct am_err *err)
{
    struct am_paths *const paths = &job->paths;
    enum am_status s;

    paths->n = job->cells->n;
    paths->names = job->cells->names;
    if (paths->frames > PLACES_MAX / paths->n)
        return am_fail(err, AM_E_LIMIT, "%zu frames with %zu cells are too many; --frames N",
                       paths->frames, paths->n);
    paths->at = calloc(paths->frames * paths->n, sizeof(*paths->at));
    paths->radius = calloc(paths->frames * paths->n, sizeof(*paths->radius));
    paths->watched = calloc(paths->frames * paths->n, sizeof(*paths->watched));
    if (!paths->at || !paths->radius || !paths->watched)
        return am_fail(err, AM_E_NOMEM, "no memory for %zu frames", paths->frames);
    s = am_cell_watch_new(paths->n, &job->watch, err);
    if (s != AM_OK)
        return s;
    return am_tracker_new(&job->setup, paths->width, paths->height, job->cells->at, paths->n,
                          &job->tracker, err);
}

/* Notes where the cells are in frame t. */
static enum am_status note_frame(struct job *job, size_t t, struct am_err *err)
{
    const struct am_image frame = {job->pixels, job->paths.width, job->paths.height};
    size_t n;
    const struct am_leuko_cell *const cells = am_tracker_cells(job->tracker, &n);
    const struct am_cell_watched *const watched = am_cell_watch_frame(job->watch, frame, t, cells);

    for (size_t i = 0; i < n; i++) {
        job->paths.watched[t * n + i] = watched[i];
        job->paths.at[t * n + i] = cells[i].snake.centre;
        job->paths.radius[t * n + i] = am_snake_mean_radius(&cells[i].snake);
        job->updates += cells[i].updates;
    }
    return job->cli->opt->overlay ? am_track_overlay(job->cli, frame, t, cells, n, err) : AM_OK;
}

/* One line that is drawn again, where somebody sees it; gone after the last frame. */
static void show_progress(const struct job *job, size_t t)
{
    const size_t frames = job->paths.frames;

    if (job->cli->opt->quiet || !am_output_interactive())
        return;
    if (t + 1 < frames)
        (void)fprintf(stderr, "\r%zu of %zu frames", t + 1, frames);
    else
        (void)fprintf(stderr, "\r%40s\r", "");
}

static enum am_status follow(struct job *job, struct am_err *err)
{
    struct am_blocks blocks;
    enum am_status s = note_frame(job, 0, err);

    am_tracker_blocks(job->tracker, &blocks);
    if (s == AM_OK)
        s = job->executor->prepare(job->engine, &blocks, err);
    for (size_t t = 1; s == AM_OK && t < job->paths.frames; t++) {
        if (*job->cli->interrupted) {
            job->interrupted = true;
            job->paths.frames = t; /* that there are */
            break;
        }
        s = am_video_read(job->video, t, job->pixels, err);
        if (s != AM_OK)
            break;
        am_tracker_show(job->tracker, job->pixels);
        job->executor->run(job->engine, &blocks, 1);
        s = note_frame(job, t, err);
        show_progress(job, t);
    }
    return s;
}

/* ---- the command ---- */

/* What was tracked is written by now; that the rest is missing is told, and is no success. */
static enum am_status tell_incomplete(const struct job *job, struct am_err *err)
{
    if (job->interrupted)
        return am_fail(err, AM_E_INTERRUPTED,
                       "interrupted in frame %zu; what was written has the %zu frame%s before it",
                       job->paths.frames, job->paths.frames, job->paths.frames == 1 ? "" : "s");
    if (!job->incomplete)
        return AM_OK;
    return am_fail(err, AM_E_ABSENT,
                   "%s: frame %zu is not whole: the file was cut off there, or is damaged; what "
                   "was written has the %zu frames before it%s",
                   job->cli->opt->operands.items[0], job->paths.frames, job->paths.frames,
                   job->incomplete);
}

static enum am_status track(struct job *job, struct am_err *err)
{
    const struct am_options *const opt = job->cli->opt;
    enum am_status s;

    job->setup = am_track_defaults;
    choose_loop(job);
    s = am_track_number("snake-stop", opt->snake_stop, 1e-9, 10, &job->setup.snake.stop, err);
    if (s == AM_OK)
        s = open_video(job, err);
    if (s == AM_OK)
        s = open_executor(job, err);
    if (s == AM_OK)
        s = opt->cells ? read_cells(job, opt->cells, err) : detect(job, err);
    if (s == AM_OK)
        s = make_tracker(job, err);
    if (s == AM_OK)
        s = follow(job, err);
    if (s == AM_OK)
        s = am_track_csv(job->cli, &job->paths, err);
    if (s == AM_OK && opt->svg)
        s = am_track_svg(job->cli, &job->paths, err);
    if (s == AM_OK)
        am_log(AM_LOG_INFO, "%zu cell%s in %zu frame%s, %zu pixel updates", job->paths.n,
               job->paths.n == 1 ? "" : "s", job->paths.frames, job->paths.frames == 1 ? "" : "s",
               job->updates);
    if (s == AM_OK)
        am_track_tell_lost(&job->paths);
    return s == AM_OK ? tell_incomplete(job, err) : s;
}

static void finish(struct job *job)
{
    am_tracker_free(job->tracker);
    am_cell_watch_free(job->watch);
    if (job->executor)
        job->executor->close(job->engine);
    am_video_close(job->video);
    am_temp_folder_remove(&job->decoded);
    free(job->cells);
    free(job->pixels);
    free(job->paths.at);
    free(job->paths.radius);
    free(job->paths.watched);
}

/* A table in the place of the video would be its end. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Files that are written in the end are asked for before the work: each its own, and none that must
 * not be replaced. */
static enum am_status check_outputs(struct am_cli *cli, struct am_err *err)
{
    const struct am_options *const opt = cli->opt;
    const char *const paths[] = {opt->output, opt->svg, opt->truth,
                                 opt->make ? opt->operands.items[0] : NULL};
    enum { PATHS = sizeof(paths) / sizeof(*paths) };
    enum am_status s = AM_OK;

    for (size_t i = 0; s == AM_OK && i < PATHS; i++) {
        for (size_t k = 0; paths[i] && k < i; k++) {
            if (paths[k] && strcmp(paths[i], paths[k]) == 0)
                return am_fail(err, AM_E_USAGE, "%s: is to be written twice", paths[i]);
        }
        s = am_output_check(paths[i], opt->force, cli->arena, err);
    }
    return s;
}

static enum am_status check_options(const struct am_options *opt, struct am_err *err)
{
    const bool tracking = opt->snake_stop || opt->overlay || opt->svg || opt->band ||
                          opt->threads.given || opt->output;
    const bool making = opt->truth || opt->noise || opt->speed || opt->seed.given;

    if (opt->make && tracking)
        return am_fail(err, AM_E_USAGE,
                       "--make writes a video; options of tracking go with another "
                       "call of track");
    if (opt->output && is_same_file(opt->output, opt->operands.items[0]))
        return am_fail(err, AM_E_USAGE, "%s: is the video, and is not replaced", opt->output);
    if (!opt->make && making)
        return am_fail(err, AM_E_USAGE, "--truth, --noise, --speed and --seed go with --make");
    return AM_OK;
}

enum am_status am_cmd_track(struct am_cli *cli, struct am_err *err)
{
    struct job job = {.cli = cli};
    enum am_status s = check_options(cli->opt, err);

    if (s == AM_OK)
        s = check_outputs(cli, err);
    if (s != AM_OK)
        return s;
    if (cli->opt->make)
        return am_track_make(cli, err);
    s = track(&job, err);
    finish(&job);
    return s;
}
