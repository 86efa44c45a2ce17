/* SPDX-License-Identifier: MIT */
/* A worker that misbehaves on request: crashes, hangs, floods, lies. It speaks the real protocol
 * through the real codec, so that only the misbehaviour differs. */
#include "base/rng.h"
#include "core/protocol/protocol.h"
#include "fake_alternate.h"
#include "fake_lies.h"
#include "fake_say.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { FAKE_SAMPLES = 5 };

#ifdef FAKE_TWIN
#define FAKE_NAME "fake-twin"
#define FAKE_HALF "right"
#define FAKE_FIRST 6 /* of its benches: the shared one only */
#else
#define FAKE_NAME "fake"
#define FAKE_HALF "left"
#define FAKE_FIRST 0
#endif

/* ---- acts: called inside a point, after its work was stated ---- */

static void act_ok(void)
{
    say_samples(FAKE_SAMPLES, 1e-3);
}

static void act_skip(void)
{
    say_kind(AM_MSG_SKIP, "this point is not for this machine");
}

static void act_fail(void)
{
    say_kind(AM_MSG_FAIL, "residual 1 above 1e-9");
}

static void act_segv(void)
{
    say_samples(2, 1e-3);
    (void)raise(SIGSEGV);
}

static void act_ill(void)
{
    (void)raise(SIGILL);
}

static void act_hang(void)
{
    say_samples(1, 1e-3);
    for (;;)
        (void)pause();
}

static void act_exit(void)
{
    (void)fputs("driver said: cannot go on\n", stderr);
    _exit(3);
}

static void act_die_half_way(void)
{
    say_samples(2, 1e-3);
    (void)kill(getpid(), SIGKILL);
}

static void act_flood(void)
{
    for (;;)
        say_sample(1e-3, 1);
}

static void act_flood_text(void)
{
    for (;;)
        say_raw("verified 0x0p+0\n");
}

static void act_flood_stdout(void)
{
    for (int i = 0; i < 200000; i++)
        (void)fputs("a library that talks too much\n", stdout);
    (void)fflush(stdout);
    act_ok();
}

static void act_bad_line(void)
{
    say_raw("sampel 1 2 3\n");
    (void)pause();
}

static void act_long_line(void)
{
    static char line[4 * AM_LINE_MAX];

    memset(line, 'v', sizeof(line) - 1);
    say_raw(line);
    (void)pause();
}

static void act_lie_time(void)
{
    struct am_msg msg = {.kind = AM_MSG_SAMPLE, .n_values = 1};

    msg.sample = (struct am_sample){.iters = 1, .t0_ns = 1, .t1_ns = 2, .elapsed_ns = 1};
    say(&msg);
    (void)pause();
}

static void act_lie_values(void)
{
    say_sample(1e-3, 2);
    (void)pause();
}

static void act_lie_point(void)
{
    const struct am_msg point = {.kind = AM_MSG_POINT, .point_id = 424242};

    say_samples(FAKE_SAMPLES, 1e-3);
    say_kind(AM_MSG_END, "");
    say(&point);
    (void)pause();
}

static void act_no_sample(void)
{
    say_kind(AM_MSG_END, "");
    (void)pause();
}

static void act_no_done(void)
{
    say_samples(FAKE_SAMPLES, 1e-3);
    _exit(0);
}

static void act_close(void)
{
    (void)close(AM_PROTOCOL_FD);
    (void)pause();
}

static void say_keyed(enum am_msg_kind kind, const char *key, const char *text)
{
    struct am_msg msg = {.kind = kind};

    (void)am_str_copy(msg.key, sizeof(msg.key), key);
    (void)am_str_copy(msg.reason, sizeof(msg.reason), text);
    say(&msg);
}

static void say_file(const char *name, size_t length, size_t sent)
{
    struct am_msg msg = {.kind = AM_MSG_ATTACH, .length = length, .type = "text/plain"};

    (void)am_str_copy(msg.key, sizeof(msg.key), name);
    say(&msg);
    msg.kind = AM_MSG_DATA;
    memset(msg.data, 'x', sizeof(msg.data));
    for (size_t at = 0; at < sent; at += msg.n_data) {
        msg.n_data = sent - at < sizeof(msg.data) ? sent - at : sizeof(msg.data);
        say(&msg);
    }
}

static void act_note(void)
{
    say_keyed(AM_MSG_NOTE, "remark", "with = signs, % and spaces");
    act_ok();
}

static void act_note_axis(void)
{
    say_keyed(AM_MSG_NOTE, "act", "note_axis");
    (void)pause();
}

static void act_note_twice(void)
{
    act_note();
    act_note();
}

static void act_chosen(void)
{
    say_keyed(AM_MSG_CHOSEN, "act", "chosen");
    say_keyed(AM_MSG_CHOSEN, "device_kind", "cpu");
    act_ok();
}

static void act_lie_chosen(void)
{
    say_keyed(AM_MSG_CHOSEN, "act", "another");
    (void)pause();
}

/* What the conductor says itself. */
static void act_chosen_ours(void)
{
    say_keyed(AM_MSG_CHOSEN, "caches", "1 1 1");
    act_ok();
}

static void act_attach(void)
{
    say_file("picture", 3 * 1024 * 1024 + 1, 3 * 1024 * 1024 + 1);
    act_ok();
}

static void act_attach_huge(void)
{
    say_file("picture", (size_t)1 << 40, 0);
    (void)pause();
}

static void act_attach_half(void)
{
    say_file("picture", 10000, 5000);
    (void)raise(SIGSEGV);
}

/* Leaves a child behind that holds every descriptor open. */
static void act_orphan(void)
{
    if (fork() == 0) {
        (void)sleep(300);
        _exit(0);
    }
    act_ok();
}

static const struct act {
    const char *name;
    void (*play)(void);
    bool ends; /* the act itself says how the point ends */
} acts[] = {
    {"ok", act_ok, false},
    {"skip", act_skip, true},
    {"fail", act_fail, true},
    {"segv", act_segv, true},
    {"ill", act_ill, true},
    {"hang", act_hang, true},
    {"exit", act_exit, true},
    {"die_half_way", act_die_half_way, true},
    {"flood", act_flood, true},
    {"flood_text", act_flood_text, true},
    {"flood_stdout", act_flood_stdout, false},
    {"bad_line", act_bad_line, true},
    {"long_line", act_long_line, true},
    {"lie_time", act_lie_time, true},
    {"lie_values", act_lie_values, true},
    {"lie_point", act_lie_point, true},
    {"no_sample", act_no_sample, true},
    {"no_done", act_no_done, true},
    {"close", act_close, true},
    {"orphan", act_orphan, false},
    {"note", act_note, false},
    {"note_axis", act_note_axis, true},
    {"note_twice", act_note_twice, true},
    {"chosen", act_chosen, false},
    {"lie_chosen", act_lie_chosen, true},
    {"chosen_ours", act_chosen_ours, false},
    {"attach", act_attach, false},
    {"attach_huge", act_attach_huge, true},
    {"attach_half", act_attach_half, true},
    {"lie_version", NULL, true},
    {"lie_name", NULL, true},
    {"late_crash", NULL, true},
};
enum { N_ACTS = sizeof(acts) / sizeof(*acts) };

/* Kept in step with `acts` by fill_act_names(). */
static const char *act_names[N_ACTS + 1];

static const struct am_axis act_axes[] = {
    {.name = "act", .kind = AM_AXIS_NAME, .dflt = "ok", .choices = act_names, .help = "what to do"},
    {0},
};
static const struct am_axis work_axes[] = {
    {.name = "n", .kind = AM_AXIS_INT, .dflt = "1:12", .help = "a number"},
    {.name = "pause", .kind = AM_AXIS_INT, .unit = "us", .dflt = "500", .help = "per sample"},
    {0},
};
static const struct am_axis group_axes[] = {
    {.name = "n", .kind = AM_AXIS_INT, .dflt = "1:8", .help = "a number"},
    {.name = "crash", .kind = AM_AXIS_INT, .dflt = "0", .help = "the n that crashes"},
    {.name = "hang", .kind = AM_AXIS_INT, .dflt = "0", .help = "which point of a launch hangs"},
    {0},
};

/* A surface whose best place is known: see surface_time(). */
static const char *const shapes[] = {"hill", "flat", "none", "wrong", "narrow", "odd", NULL};
static const char *const ways[] = {"auto", "plain", "clever", NULL};

static const struct am_axis surface_axes[] = {
    {.name = "shape", .kind = AM_AXIS_NAME, .dflt = "hill", .choices = shapes},
    {.name = "n", .kind = AM_AXIS_INT, .dflt = "4096", .key = AM_KEY_CLASS},
    {.name = "w", .kind = AM_AXIS_INT, .dflt = "0", .tune = "1:24"},
    {.name = "depth", .kind = AM_AXIS_INT, .dflt = "0", .tune = "4:1024:*1.5"},
    {.name = "way", .kind = AM_AXIS_NAME, .dflt = "auto", .choices = ways, .tune = "plain,clever"},
    {.name = "noise", .kind = AM_AXIS_REAL, .dflt = "0", .key = AM_KEY_FREE, .help = "share"},
    {0},
};

/* This program and its twin (FAKE_NAME) share the bench fake.split: each has one of its `half`s. */
static const char *const halves[] = {FAKE_HALF, NULL};
static const char *const moods[] = {"calm", "wild", "none", NULL};
static const char *const mood_values[] = {"C A=L%M", "wild", NULL, NULL};

static const struct am_axis split_axes[] = {
    {.name = "half", .kind = AM_AXIS_NAME, .dflt = "usable", .choices = halves},
    {.name = "mood",
     .kind = AM_AXIS_NAME,
     .dflt = "all",
     .choices = moods,
     .env = "FAKE_MOOD",
     .env_values = mood_values},
    {0},
};
/* The values are the worker's own: they follow from no time. */
static const struct am_metric metrics[] = {
    {.name = "time", .unit = "s", .better = AM_LOWER, .rule = AM_RULE_OWN},
    {0},
};

static const struct am_bench fake_act = {.name = "fake.act",
                                         .summary = "misbehaves",
                                         .version = 1,
                                         .axes = act_axes,
                                         .metrics = metrics};
static const struct am_bench fake_work = {.name = "fake.work",
                                          .summary = "behaves, slowly",
                                          .version = 1,
                                          .axes = work_axes,
                                          .metrics = metrics};
static const struct am_bench fake_group = {.name = "fake.group",
                                           .summary = "several points a launch",
                                           .version = 1,
                                           .axes = group_axes,
                                           .metrics = metrics,
                                           .points_per_launch = 4};
static const struct am_bench fake_surface = {.name = "fake.surface",
                                             .summary = "has a best place",
                                             .version = 1,
                                             .axes = surface_axes,
                                             .metrics = metrics,
                                             .points_per_launch = 8};
static const struct am_bench fake_split = {.name = "fake.split",
                                           .summary = "in two workers",
                                           .version = 1,
                                           .axes = split_axes,
                                           .metrics = metrics,
                                           .points_per_launch = 8};
static const struct am_bench *const all[] = {&fake_act, &fake_work, &fake_group, &fake_surface,
                                             &fake_lie, &fake_own,  &fake_split, NULL};
static const struct am_bench *const *const benches = all + FAKE_FIRST;

static void fill_act_names(void)
{
    for (size_t i = 0; i < N_ACTS; i++)
        act_names[i] = acts[i].name;
}

static void play_act(const struct am_point *p)
{
    const struct act *act = &acts[p->values[0].i];
    const bool lies = act->play == NULL;

    say_hello(strcmp(act->name, "lie_name") == 0 ? "other" : FAKE_NAME,
              strcmp(act->name, "lie_version") == 0 ? 99 : AM_PROTOCOL_VERSION);
    begin(p->id);
    if (lies)
        act_ok();
    else
        act->play();
    if (!act->ends || lies)
        say_kind(AM_MSG_END, "");
    say_kind(AM_MSG_DONE, "");
    if (lies)
        (void)raise(SIGSEGV);
}

/* A value with 1 % noise from the launch's seed, scaled by $FAKE_SCALE, so that runs compare. */
static void play_work(const struct am_point *p, struct am_rng *rng)
{
    const char *text = getenv("FAKE_SCALE");
    const struct timespec pause_for = {.tv_nsec = (long)p->values[1].i * 1000};
    double scale = 1;

    if (text && !am_parse_f64(text, strlen(text), &scale))
        scale = 1;
    scale *= fake_alternating(p->values[0].i == 1);
    begin(p->id);
    for (int i = 0; i < FAKE_SAMPLES; i++) {
        (void)nanosleep(&pause_for, NULL);
        say_sample(1e-3 * scale * (double)p->values[0].i * (1 + 0.01 * am_rng_unit(rng)), 1);
    }
    say_kind(AM_MSG_END, "");
}

/* Whoever waits for it sees a file. */
static void hang_and_tell(void)
{
    const char *const path = getenv("FAKE_HANGS");
    const int fd = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;

    if (fd >= 0)
        (void)close(fd);
    act_hang();
}

static void play_group(const struct am_point *p)
{
    static int64_t played;

    begin(p->id);
    if (p->values[0].i == p->values[1].i)
        (void)raise(SIGSEGV);
    if (++played == p->values[2].i)
        hang_and_tell();
    say_samples(FAKE_SAMPLES, 1e-3);
    say_kind(AM_MSG_END, "");
}

/* What is best: w 13, the clever way, a depth of the root of n; 1 ms there. Two lesser hills: the
 * plain way, and w below 5. Of what it chooses by itself it says the width and the depth. */
static double surface_time(double w, double depth, bool clever, double n)
{
    const double off = log2(depth / sqrt(n));
    const double width = w < 5 ? 0.25 + 0.02 * fabs(w - 3) : 0.02 * fabs(w - 13);

    return 1e-3 * (1 + width + 0.03 * off * off + (clever ? 0 : 0.1));
}

static void play_surface(const struct am_point *p, struct am_rng *rng)
{
    const char *const shape = p->values[0].name;
    const int64_t w = p->values[2].i ? p->values[2].i : 8;
    const int64_t depth = p->values[3].i ? p->values[3].i : 100;
    const bool clever = strcmp(p->values[4].name, "clever") == 0;
    const bool best = strcmp(shape, "wrong") == 0 && w == 13;
    char text[AM_VALUE_TEXT_MAX];

    begin(p->id);
    (void)am_str_format(text, sizeof(text), "%lld", (long long)w);
    say_keyed(AM_MSG_CHOSEN, "w", text);
    (void)am_str_format(text, sizeof(text), "%lld", (long long)depth);
    say_keyed(AM_MSG_CHOSEN, "depth", text);
    if (strcmp(shape, "narrow") == 0) { /* it knows better what may be tried */
        say_keyed(AM_MSG_PROPOSE, "w", "9:11");
        say_keyed(AM_MSG_PROPOSE, "depth", "0");
    }
    if (strcmp(shape, "odd") == 0)
        say_keyed(AM_MSG_PROPOSE, "w", "many");
    if (w > 20 || (strcmp(shape, "none") == 0 && p->values[2].i)) {
        say_kind(AM_MSG_SKIP, "no such width");
        return;
    }
    if (best) { /* the fastest of all, and wrong */
        say_kind(AM_MSG_FAIL, "residual 1 above 1e-9");
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double noise = 1 + p->values[5].r * am_rng_unit(rng);

        say_sample(
            noise * (strcmp(shape, "flat") == 0
                         ? 1e-3
                         : surface_time((double)w, (double)depth, clever, (double)p->values[1].i)),
            1);
    }
    say_kind(AM_MSG_END, "");
}

/* Attests what it was started with. */
static void play_split(const struct am_point *p)
{
    const char *const mood = getenv("FAKE_MOOD");

    begin(p->id);
    say_keyed(AM_MSG_CHOSEN, "half", FAKE_HALF);
    say_keyed(AM_MSG_CHOSEN, "mood",
              !mood                               ? "none"
              : strcmp(mood, mood_values[0]) == 0 ? "calm"
                                                  : mood);
    say_samples(FAKE_SAMPLES, 1e-3);
    say_kind(AM_MSG_END, "");
}

static size_t read_all(char *buf, size_t cap)
{
    size_t len = 0;
    ssize_t n;

    while (len < cap && (n = read(AM_PROTOCOL_FD, buf + len, cap - len)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        len += n > 0 ? (size_t)n : 0;
    }
    return len;
}

static int play(const struct am_request *request)
{
    struct am_rng rng;

    am_rng_seed(&rng, request->seed, 0);
    if (request->points[0].bench == &fake_act) {
        play_act(&request->points[0]);
        return 0;
    }
    if (request->points[0].bench == &fake_lie || request->points[0].bench == &fake_own)
        return fake_play_lie(&request->points[0], FAKE_NAME);
    say_hello(FAKE_NAME, AM_PROTOCOL_VERSION);
    for (size_t i = 0; i < request->n_points; i++) {
        if (request->points[i].bench == &fake_work)
            play_work(&request->points[i], &rng);
        else if (request->points[i].bench == &fake_surface)
            play_surface(&request->points[i], &rng);
        else if (request->points[i].bench == &fake_split)
            play_split(&request->points[i]);
        else
            play_group(&request->points[i]);
    }
    say_kind(AM_MSG_DONE, "");
    return 0;
}

/* Leaves nothing behind: a leak found at the end is an exit code, and that is a failed point. */
static int serve(void)
{
    static char text[1 << 20];
    struct am_arena arena = {0};
    struct am_request request;
    struct am_err err = {0};
    int code = 1;

    if (am_request_parse(text, read_all(text, sizeof(text)), benches, &arena, &request, &err) ==
        AM_OK)
        code = play(&request);
    else
        (void)fprintf(stderr, "%s\n", err.text);
    am_arena_fini(&arena);
    return code;
}

int main(int argc, char **argv)
{
    struct am_text listing;

    fill_act_names();
    fill_lie_names();
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        am_text_init(&listing, 1 << 20);
        am_listing_write(&listing, FAKE_NAME, benches);
        (void)fputs(am_text_str(&listing), stdout);
        am_text_fini(&listing);
        return 0;
    }
    return serve();
}
