/* SPDX-License-Identifier: MIT */
/* Videos of other kinds: archmeter-video makes grey pictures of them, in a temporary folder. */
#include "base/child.h"
#include "base/text.h"
#include "cli/run/output.h"
#include "cli/track/track.h"
#include "cli/track/track_decode.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAID_MAX = 1024 };

/* Beside this program, or where helpers are installed; NULL: it was not built. */
static const char *find_decoder(struct am_arena *arena)
{
    static const char *const places[] = {"archmeter-video", "../libexec/archmeter/archmeter-video"};
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n <= 0)
        return NULL;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        const char *const path = am_arena_printf(arena, "%s/%s", self, places[i]);

        if (path && access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

/* Runs the decoder; what it says goes to `said` unless it shows its progress. */
static enum am_status run_decoder(struct am_cli *cli, const char *decoder, int to,
                                  struct am_text *said, bool *incomplete, struct am_err *err)
{
    const bool shows = !cli->opt->quiet && am_output_interactive();
    const char *const frames =
        cli->opt->frames.given
            ? am_arena_printf(cli->arena, "%llu", (unsigned long long)cli->opt->frames.value)
            : "0";
    const char *const argv[] = {decoder, cli->opt->operands.items[0], frames,
                                shows ? "progress" : NULL, NULL};
    const struct am_child_fd fds[] = {
        {0, AM_CHILD_NULL}, {1, to}, {2, shows ? STDERR_FILENO : AM_CHILD_CAPTURED}};
    const struct am_child_plan plan = {.argv = argv, .fds = fds, .n_fds = 3, .apart = true};
    const struct am_child_limits limits = {.interrupted = cli->interrupted};
    struct am_child child = {0};
    int code;
    enum am_status s = frames ? am_child_run(&plan, &limits, said, &child, err)
                              : am_fail(err, AM_E_NOMEM, "no memory to read a video");

    if (s != AM_OK)
        return s;
    if (*cli->interrupted)
        return am_fail(err, AM_E_INTERRUPTED, "interrupted; nothing was written");
    code = am_child_shell_code(&child);
    *incomplete = code == AM_VIDEO_INCOMPLETE;
    return code == 0 || *incomplete ? AM_OK : AM_E_USAGE;
}

/* What is wrong with the frames is told of the video, not of the file that they stand in. */
static enum am_status open_frames(const char *video, const char *path, struct am_video **video_p,
                                  struct am_err *err)
{
    const enum am_status s = am_video_open(path, video_p, err);
    const size_t n = strlen(path);

    if (s != AM_OK && strncmp(err->text, path, n) == 0) {
        const struct am_err told = *err;

        *err = (struct am_err){0};
        (void)am_fail(err, s, "%s%s", video, told.text + n);
    }
    return s;
}

enum am_status am_track_decode(struct am_cli *cli, struct am_temp_folder *folder,
                               struct am_video **video_p, const char **incomplete,
                               struct am_err *err)
{
    const char *const base = getenv("TMPDIR"), *const video = cli->opt->operands.items[0];
    const char *const decoder = find_decoder(cli->arena);
    const struct am_err first = *err; /* what our own readers say of the file */
    struct am_text said;
    const char *path, *why;
    bool ends_early = false;
    enum am_status s;
    int to;

    *err = (struct am_err){0};
    if (!decoder)
        return am_fail(err, AM_E_USAGE,
                       "%.300s; this archmeter was built without FFmpeg's libraries, which read "
                       "other kinds",
                       first.text);
    if (!am_temp_folder_make(base && *base == '/' ? base : "/tmp", "video", cli->arena, folder))
        return am_fail(err, AM_E_SYS, "no temporary folder for the frames of %s", video);
    path = am_arena_printf(cli->arena, "%s/frames.pgm", folder->path);
    to = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (to < 0)
        return am_fail(err, AM_E_SYS, "the frames of %s cannot be kept", video);
    am_text_init(&said, SAID_MAX);
    s = run_decoder(cli, decoder, to, &said, &ends_early, err);
    (void)close(to);
    why = am_arena_printf(cli->arena, "%s%.*s", said.len ? ": " : "",
                          (int)strcspn(am_text_str(&said), "\n"), am_text_str(&said));
    am_text_fini(&said);
    if (s == AM_E_USAGE && !err->text[0])
        (void)am_fail(err, AM_E_USAGE, "%.300s; FFmpeg's libraries cannot read it either%s",
                      first.text, why ? why : "");
    *incomplete = !ends_early ? NULL : why ? why : "";
    return s == AM_OK ? open_frames(video, path, video_p, err) : s;
}
