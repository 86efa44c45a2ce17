/* SPDX-License-Identifier: MIT */
/* app.leukocyte through its hooks: variants, types, both levels of threads, scenes and judges. */
#include "bench/apps/leukocyte.h"
#include "bench/task/executors.h"
#include "apps_fixture.h"

#include <math.h>

static const struct am_bench *bench; /* app.leukocyte of the worker `task` */

enum { CPUS_MAX = 4 };

/* `words`: variant type isa executor device flt slt; then the video, which is a free name. */
struct visit {
    const char *words, *rest;
};

/* Three cells in one frame: each followed for some 200 steps. The first is what others are held
 * to. */
static const struct visit visits[] = {
    {"minmax f64 scalar serial cpu 1 1", "3 1 own 1 close cores default"},
    {"minmax f64 scalar task:dbf cpu 3 1", "3 1 own 4 close cores default"},
    {"minmax f64 scalar task:default cpu 1 4", "3 1 own 4 close cores default"},
    {"minmax f64 scalar task:wf cpu 2 2", "3 1 own 4 close cores default"},
    {"minmax f64 scalar task:bf cpu 0 0", "3 1 own 4 close cores default"},
    {"minmax f32 scalar serial cpu 0 0", "3 1 own 1 close cores default"},
    {"lanes f64 scalar serial cpu 1 1", "3 1 own 1 close cores default"},
    {"lanes f64 scalar task:dbf cpu 1 4", "3 1 own 4 close cores default"},
    {"lanes f32 scalar serial cpu 0 0", "3 1 own 1 close cores default"},
    {"naive f64 scalar serial cpu 0 0", "2 1 own 1 close cores default"},
};

static void set_point(const struct visit *v, const char *video, struct am_value *point)
{
    struct am_bench part = *bench;
    struct am_axis before[AM_LEUKO_VIDEO + 1];

    memcpy(before, part.axes, sizeof(before));
    before[AM_LEUKO_VIDEO] = (struct am_axis){.name = NULL};
    part.axes = before;
    bx_point(&part, v->words, point);
    point[AM_LEUKO_VIDEO] = (struct am_value){.kind = AM_AXIS_NAME, .i = -1, .name = video};
    part.axes = bench->axes + AM_LEUKO_VIDEO + 1;
    bx_point(&part, v->rest, point + AM_LEUKO_VIDEO + 1);
}

/* As a worker does it. Returns the mean steps of a field, for others to compare. */
static double check_visit(const struct visit *v, const struct am_ctx *ctx)
{
    const struct am_bench *const b = bench;
    struct am_value point[AM_AXES_MAX];
    struct am_batch batch = {0};
    struct am_work work = {0};
    struct am_err err = {0};
    double residual = -1;
    void *const state = calloc(1, b->state_size);
    enum am_status s;

    set_point(v, AM_SCENE_SYNTHETIC, point);
    s = b->prepare(state, ctx, point, &work, &err);
    if (s == AM_OK) {
        ok(b->verify(state, &residual, &err) == AM_E_WRONG, "%s: verify notices that nothing ran",
           v->words);
        err = (struct am_err){0};
        s = b->run_timed(state, 1, &batch, &err);
    }
    if (s == AM_OK)
        s = b->verify(state, &residual, &err);
    ok(s == AM_OK && work.ops == 1 && batch.elapsed_ns > 0, "%s is right to %.2g px%s%s", v->words,
       residual, s == AM_OK ? "" : ": ", err.text);
    ok(batch.values[AM_LEUKO_ITERATIONS] > 50 && batch.values[AM_LEUKO_UPDATES] > 0 &&
           batch.values[AM_LEUKO_BOUND_SHARE] > 0 && isnan(batch.values[AM_LEUKO_KERNEL_TIME]),
       "its metrics are told: %.2f steps a field", batch.values[AM_LEUKO_ITERATIONS]);
    b->finish(state);
    free(state);
    return batch.values[AM_LEUKO_ITERATIONS];
}

static void check_visits(const struct am_ctx *ctx)
{
    const double first = check_visit(&visits[0], ctx);

    for (size_t i = 1; i < sizeof(visits) / sizeof(visits[0]); i++) {
        const double iterations = check_visit(&visits[i], ctx);

        if (i <= 4)
            ok(iterations >= first && iterations <= first,
               "whatever the threads, the same number of steps");
    }
}

static void check_refused(const struct am_ctx *ctx)
{
    static const struct {
        struct visit visit;
        const char *video, *reason;
    } cases[] = {
        {{"minmax f64 scalar serial cpu 1 2", "3 1 own 2 close cores default"},
         AM_SCENE_SYNTHETIC,
         "one thread"},
        {{"minmax f64 scalar task:bf cpu 2 2", "3 1 own 2 close cores default"},
         AM_SCENE_SYNTHETIC,
         "more than 2 threads"},
        {{"minmax f64 scalar task:bf cpu 4 1", "3 1 own 4 close cores default"},
         AM_SCENE_SYNTHETIC,
         "for 3 cells"},
        {{"minmax f64 scalar task:bf cpu -1 1", "3 1 own 4 close cores default"},
         AM_SCENE_SYNTHETIC,
         "0 or more"},
        {{"minmax f64 scalar serial cpu 0 0", "3 0 own 1 close cores default"},
         AM_SCENE_SYNTHETIC,
         "0 frames"},
        {{"minmax f64 scalar serial cpu 0 0", "2000 1 own 1 close cores default"},
         AM_SCENE_SYNTHETIC,
         "cells"},
        {{"minmax f64 scalar serial cpu 0 0", "3 1 own 1 close cores default"},
         "no/such/file.avi",
         "no/such/file.avi"},
    };
    const struct am_bench *const b = bench;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_value point[AM_AXES_MAX];
        struct am_work work = {0};
        struct am_err err = {0};
        void *const state = calloc(1, b->state_size);

        set_point(&cases[i].visit, cases[i].video, point);
        ok(b->prepare(state, ctx, point, &work, &err) == AM_E_ABSENT &&
               strstr(err.text, cases[i].reason),
           "%s ... %s is refused: %s", cases[i].visit.words, cases[i].visit.rest, err.text);
        b->finish(state);
        free(state);
    }
}

/* A judge that accepts anything is none. */
static void check_judge(void)
{
    const struct am_scene_setup setup = {.video = AM_SCENE_SYNTHETIC,
                                         .cells = 2,
                                         .frames = 1,
                                         .heaviside = AM_MGVF_MINMAX,
                                         .bytes_max = BX_LIMIT_BYTES};
    struct am_scene scene = {0};
    struct am_err err = {0};
    struct am_centre *found;
    double residual;

    ok(am_scene_open(&scene, &setup, &err) == AM_OK && scene.cells == 2, "a scene of two cells");
    found = scene.found + scene.cells;
    memcpy(found, scene.reference, sizeof(scene.reference));
    ok(am_scene_check(&scene, 1e-6, &residual, &err) == AM_OK && residual <= 0,
       "the reference is right");
    found[1].x += 1e-3;
    ok(am_scene_check(&scene, 1e-6, &residual, &err) == AM_E_WRONG && residual > 0,
       "a thousandth beside it is wrong: %s", err.text);
    found[1].y = NAN;
    ok(am_scene_check(&scene, 1e-6, &residual, &err) == AM_E_WRONG, "no place is wrong");
    found[1] = (struct am_centre){scene.truth[3].x + 1.5, scene.truth[3].y};
    err = (struct am_err){0};
    ok(am_scene_check(&scene, 9, &residual, &err) == AM_E_WRONG,
       "too far from the truth is wrong: %s", err.text);
    am_scene_close(&scene);
}

/* ---- tracks that are told ---- */

struct heard {
    size_t files, cells, places;
    char text[1 << 20];
};

static void hear(void *self, const char *name, const char *type, const void *data, size_t n)
{
    struct heard *const h = self;

    if (strcmp(name, "tracks") != 0 || strcmp(type, "text/x-tracks") != 0 || n >= sizeof(h->text))
        return;
    h->files++;
    memcpy(h->text, data, n);
    h->text[n] = '\0';
    for (const char *p = h->text; *p; p++) {
        h->cells += *p == ':';
        h->places += *p == '.';
    }
}

static void tell(size_t cells, size_t frames, bool truth, struct heard *heard)
{
    const struct am_ctx ctx = {.attach = hear, .said_self = heard};
    const size_t n = cells * (frames + 1);
    struct am_scene scene = {.width = 1920, .height = 1080, .cells = cells, .frames = frames};
    struct am_leuko_tracks told = {.ctx = &ctx};

    memset(heard, 0, sizeof(*heard));
    scene.found = calloc(n, sizeof(*scene.found));
    scene.truth = truth ? calloc(n, sizeof(*scene.truth)) : NULL;
    for (size_t i = 0; i < n; i++) {
        scene.found[i] = (struct am_centre){1000 + (double)(i / cells), 1000.25};
        if (truth)
            scene.truth[i] = (struct am_centre){1000 + (double)(i / cells) + 0.5, 1000};
    }
    am_leuko_tracks_attach(&told, &scene);
    am_leuko_tracks_attach(&told, &scene); /* says nothing more */
    am_scene_close(&scene);
}

static void check_told(void)
{
    static const struct {
        size_t cells, frames;
        bool truth;
        size_t places; /* of each cell */
    } cases[] = {
        {1, 1, true, 2},     {36, 8, true, 9}, {36, 99, true, 32},
        {36, 99, false, 32}, {2, 2, false, 3}, {256, 99, true, 32},
    };
    static struct heard h;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tell(cases[i].cells, cases[i].frames, cases[i].truth, &h);
        ok(h.files == 1 && h.cells == cases[i].cells &&
               h.places == h.cells * cases[i].places * (cases[i].truth ? 4 : 2),
           "%zu cells through %zu frames: %zu are told, %zu places each", cases[i].cells,
           cases[i].frames, h.cells, cases[i].places);
    }
    tell(2, 2, true, &h);
    is_str(h.text,
           "1920x1080 px, 2 cells, 2 frames\n"
           "0: 1000.00,1000.25,-0.50,0.25 1001.00,1000.25,-0.50,0.25 1002.00,1000.25,-0.50,0.25\n"
           "1: 1000.00,1000.25,-0.50,0.25 1001.00,1000.25,-0.50,0.25 1002.00,1000.25,-0.50,0.25\n",
           "places, and how far off they are");
}

int main(void)
{
    int cpus[CPUS_MAX];
    const size_t found = bx_cpus(cpus, CPUS_MAX);
    struct am_clock clock;
    struct am_ctx ctx = {.cpus = cpus,
                         .cpu_count = CPUS_MAX,
                         .seed = 1,
                         .memory_limit_bytes = BX_LIMIT_BYTES,
                         .clock = &clock};

    bench = ax_bench(&am_task_set, "app.leukocyte");
    ctx.bench = bench;
    am_clock_init(&clock);
    for (size_t i = found; i < CPUS_MAX; i++) /* threads share what there is */
        cpus[i] = cpus[i % found];
    check_judge();
    check_told();
    check_visits(&ctx);
    check_refused(&ctx);
    return tap_done();
}
