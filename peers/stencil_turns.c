/* SPDX-License-Identifier: MIT */
/* Grids of two and three dimensions in turn with rivals, in one process.
 *
 *     stencil_turns f32|f64 ISA NX,NY[,NZ] STEPS SIDE...
 *
 * A side is METHOD[:fixed|:half|:whole][:DEPTH:W], a method of app.stencil (auto, wave, ...), its
 * grid with sides that never change where it says so, by vectors of that width (auto) and in that
 * shape, or else in what app.stencil chooses; or a shared object with the functions of
 * stencil_rival.h. The outcome of a method is compared with that of plain steps before it is timed.
 */
#include "stencil_rival.h"
#include "turns.h"

#include "app/stencil/grid.h"
#include "bench/apps/auto_width.h"
#include "bench/apps/wave_room.h"
#include "bench/shared/memory.h"

#include <dlfcn.h>
#include <math.h>

enum { CHECKED_STEPS = 7 };

struct side {
    struct am_stencil_grid grid;
    struct am_memory memory;
    void *rival; /* NULL: it is the grid */
    void (*run)(void *self, uint64_t times);
    size_t steps, passes; /* of a run */
};

struct job {
    enum am_stencil_type type;
    const char *isa;
    unsigned dim;
    size_t n[3], steps;
};

static void run_grid(void *self, uint64_t times)
{
    struct side *const side = self;

    for (; times; times--) {
        const size_t before = side->grid.phase.passes;

        am_grid_run(&side->grid, side->steps);
        side->passes = side->grid.phase.passes - before;
    }
}

static void run_rival(void *self, uint64_t times)
{
    struct side *const side = self;

    side->run(side->rival, times);
}

static size_t points_of(const struct job *job)
{
    return job->n[0] * job->n[1] * job->n[2];
}

/* Some start, different at every point. */
static void *some_state(const struct job *job)
{
    const size_t n = points_of(job);
    void *const x = malloc(n * sizeof(double));

    for (size_t i = 0; x && i < n; i++) {
        const double value = (double)(i * 2654435761U % 1000) / 1000;

        if (job->type == AM_STENCIL_F32)
            ((float *)x)[i] = (float)value;
        else
            ((double *)x)[i] = value;
    }
    return x;
}

static bool open_grid(struct side *side, const struct job *job, struct am_grid_spec spec,
                      const void *x)
{
    struct am_err err = {0};
    struct am_wave_room room;
    struct am_clock clock;
    size_t bytes;

    if (spec.method == AM_STENCIL_BY_WAVE && !(spec.depth && spec.tile[0])) {
        am_clock_init(&clock);
        am_wave_room_measure(&spec, job->steps, &clock, &room);
        spec.near_bytes = am_wave_room_bytes(&room);
        if (room.l2_bytes)
            printf("# waves near: %.3f of the time of longer ones\n", room.inside / room.beyond);
    }
    am_grid_choose(&spec, job->steps);
    if (am_grid_bytes(&spec, &bytes, &err) == AM_OK &&
        am_memory_map(&side->memory, bytes, AM_PAGES_ANY, &err) == AM_OK &&
        am_stencil_grid_init(&side->grid, &spec, side->memory.base, &err) == AM_OK &&
        am_grid_load(&side->grid, x, &err) == AM_OK)
        return true;
    fprintf(stderr, "%s\n", err.text);
    return false;
}

static double value_at(const struct job *job, const void *x, size_t i)
{
    return job->type == AM_STENCIL_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* After a few steps: a method and plain ones, which have the same bits where the arithmetic is the
 * same. Of fixed sides the unit tests know. Then the grid is at its start again: a run that begins
 * where such a short one has ended may have a pass more than others. */
static bool is_right(struct side *side, const struct job *job, const struct am_grid_spec *spec,
                     const void *x)
{
    const double epsilon = am_grid_tolerance(job->dim, job->type, CHECKED_STEPS);
    struct am_grid_spec plain = *spec;
    struct side other = {.steps = CHECKED_STEPS};
    struct am_err err = {0};
    void *const a = malloc(points_of(job) * sizeof(double)), *const b = malloc(points_of(job) *
                                                                               sizeof(double));
    bool same = a && b;

    plain.method = AM_STENCIL_BY_SCALAR;
    plain.kernels = am_grid_find(am_isa_names[0]);
    if (!same || !open_grid(&other, job, plain, x))
        return false;
    am_grid_run(&side->grid, CHECKED_STEPS);
    am_grid_run(&other.grid, CHECKED_STEPS);
    am_grid_store(&side->grid, a);
    am_grid_store(&other.grid, b);
    for (size_t i = 0; i < points_of(job); i++)
        same = same && fabs(value_at(job, a, i) - value_at(job, b, i)) <= epsilon;
    same = same && am_grid_load(&side->grid, x, &err) == AM_OK;
    am_memory_unmap(&other.memory);
    free(a);
    free(b);
    return same;
}

/* Takes the word off the front of the text, where it is there and ends there. */
static bool begins(const char **text, const char *word)
{
    const size_t n = strlen(word);

    if (strncmp(*text, word, n) != 0 || ((*text)[n] && (*text)[n] != ':'))
        return false;
    *text += n;
    return true;
}

/* Of the compiler's loop, by a trial on the grid. */
static void choose_width(struct side *side)
{
    struct am_auto_width width;
    struct am_clock clock;

    am_clock_init(&clock);
    am_auto_width_choose(&side->grid, &clock, &width);
}

static bool open_own(struct side *side, const struct job *job, const char *name)
{
    struct am_grid_spec spec = {.kernels = am_grid_find(job->isa),
                                .dim = job->dim,
                                .type = job->type,
                                .n = {job->n[0], job->n[1], job->n[2]},
                                .r = 0.25 / job->dim,
                                .parts = 1};
    void *const x = some_state(job);
    const char *rest = name;
    bool good, half;

    while (am_stencil_methods[spec.method] && !begins(&rest, am_stencil_methods[spec.method]))
        spec.method++;
    spec.fixed = begins(&rest, ":fixed");
    half = begins(&rest, ":half");
    spec.whole = begins(&rest, ":whole");
    if (*rest && sscanf(rest, ":%zu:%zu", &spec.depth, &spec.tile[0]) != 2)
        return false;
    good = x && spec.kernels && am_stencil_methods[spec.method] && open_grid(side, job, spec, x) &&
           (spec.fixed || is_right(side, job, &spec, x));
    free(x);
    if (good && !half && !spec.whole)
        choose_width(side);
    printf("# %s: depth %zu, w %zu%s\n", name, side->grid.spec.depth, side->grid.spec.tile[0],
           side->grid.spec.whole ? ", whole vectors" : "");
    return good;
}

static bool open_rival(struct side *side, const struct job *job, const char *file, double *updates)
{
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *const open = library ? dlsym(library, "rival_open") : NULL, *const run =
                                                                          library
                                                                              ? dlsym(library,
                                                                                      "rival_run")
                                                                              : NULL;
    void *(*open_it)(unsigned, const size_t *, size_t, double *);

    if (!open || !run) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    memcpy(&open_it, &open, sizeof(open)); /* C has no cast from objects to functions */
    memcpy(&side->run, &run, sizeof(run));
    side->rival = open_it(job->dim, job->n, job->steps, updates);
    return side->rival != NULL;
}

/* The numbers of "a,b,c"; how many. */
static unsigned read_sides(char *words, size_t n[3])
{
    unsigned count = 0;

    n[0] = n[1] = n[2] = 1;
    for (char *at = words; at && count < 3; count++) {
        char *const comma = strchr(at, ',');

        if (comma)
            *comma = '\0';
        n[count] = turns_number(at);
        at = comma ? comma + 1 : NULL;
    }
    return n[0] && n[1] && n[2] ? count : 0;
}

int main(int argc, char **argv)
{
    struct side all[TURNS_SIDES_MAX] = {0};
    struct turns_side sides[TURNS_SIDES_MAX];
    const size_t n = argc > 5 ? (size_t)argc - 5 : 0;
    struct turns_cpus cpus;
    struct job job = {0};

    if (n == 0 || n > TURNS_SIDES_MAX || (job.dim = read_sides(argv[3], job.n)) < 2 ||
        (job.steps = turns_number(argv[4])) == 0 || !turns_take_cpus(&cpus, 1)) {
        fprintf(stderr, "usage: stencil_turns f32|f64 ISA NX,NY[,NZ] STEPS SIDE...\n");
        return 2;
    }
    job.isa = argv[2];
    job.type = strcmp(argv[1], "f32") == 0 ? AM_STENCIL_F32 : AM_STENCIL_F64;
    for (size_t i = 0; i < n; i++) {
        const char *const name = argv[5 + i];
        const bool rival = strchr(name, '/') != NULL;
        double updates = (double)points_of(&job) * (double)job.steps;

        all[i].steps = job.steps;
        if (rival ? !open_rival(&all[i], &job, name, &updates) : !open_own(&all[i], &job, name)) {
            fprintf(stderr, "%s cannot be run, or is wrong\n", name);
            return 3;
        }
        sides[i] = (struct turns_side){
            .name = name, .run = rival ? run_rival : run_grid, .self = &all[i], .flops = updates};
    }
    turns_serve(sides, n, &cpus);
    for (size_t i = 0; i < n; i++) {
        if (!all[i].rival)
            printf("# %s: %zu passes in a run\n", sides[i].name, all[i].passes);
    }
    return 0;
}
