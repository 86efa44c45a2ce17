/* SPDX-License-Identifier: MIT */
/* mpi.device: ranks that share an OpenCL device step one grid, in one to three dimensions; and what
 * its verification must notice: messages not taken in, a rank that is a step short, a coefficient a
 * little off, a block that is skipped. Run by several ranks; the first one tells. */
#include "bench/mpi/device.h"
#include "bench_fixture.h"
#include "ocl/ocl_device.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

extern const struct am_mpi_bench am_mpi_bench_device;

enum error { NONE, HALO, STEP_SHORT, COEFFICIENT, BLOCK, ERRORS };
static const char *const names[ERRORS] = {"nothing wrong", "neighbours' points not taken in",
                                          "a step short", "a coefficient off", "a block skipped"};

/* What came by messages is thrown away. */
static enum am_status trade_nothing(void *self, const void *first, const void *last,
                                    void *const from[2], size_t bytes, struct am_err *err)
{
    struct am_mpi_device *const w = self;

    (void)err;
    w->traded++;
    memcpy(from[0], last, bytes);
    memcpy(from[1], first, bytes);
    return AM_OK;
}

static void plant_block(struct am_mpi_device *w)
{
    size_t *groups;

    if (w->dim == 1) {
        w->st.shape.groups--;
        return;
    }
    groups = w->parts.part[w->parts.count - 1].wave.groups;
    groups[groups[0] > 1 ? 0 : 2]--;
}

/* In one dimension messages have as many points as the pass has steps, and a rank alone would not
 * take those of the others: there all are a step short. */
static bool is_short(const struct am_mpi_device *w)
{
    return w->dim == 1 || w->team->rank == w->team->size - 1;
}

static void plant(struct am_mpi_device *w, enum error error)
{
    const bool last = w->team->rank == w->team->size - 1;

    if (error == HALO) {
        w->ring.trade = trade_nothing;
        w->parts.ring.trade = trade_nothing;
    }
    if (error == STEP_SHORT && is_short(w)) {
        w->steps--;
        w->st.spec.steps--;
    }
    if (error == COEFFICIENT && last) {
        w->st.coefs.centre *= 1.002;
        w->parts.part[0].grid.coefs.side *= 1.002;
    }
    if (error == BLOCK && last)
        plant_block(w);
}

/* As a rank that is a step short would be judged: by what all should have made. */
static void unplant(struct am_mpi_device *w, enum error error)
{
    if (error == STEP_SHORT && is_short(w)) {
        w->steps++;
        w->st.spec.steps++;
    }
}

static enum am_status verify(struct am_mpi_device *w, enum error error, struct am_err *err)
{
    double residual = 0;
    enum am_status s = am_mpi_device_fill(w, err), advanced;

    plant(w, error);
    advanced = am_mpi_device_advance(w, err);
    unplant(w, error);
    s = s == AM_OK ? advanced : s;
    if (s == AM_OK)
        s = am_mpi_device_compare(w, &residual, err);
    return s;
}

static void check(const struct am_mpi_team *team, const char *words, const char *device,
                  enum error error)
{
    const struct am_mpi_bench *const bench = &am_mpi_bench_device;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    char text[256];
    int mine, worst = 0, best = 0;
    void *const state = calloc(1, bench->state_size);
    enum am_status prepared, verified = AM_OK;

    (void)am_str_format(text, sizeof(text), "strong %d %s %s", team->size, device, words);
    bx_point(&bench->descriptor, text, point);
    point[am_axis_find(bench->descriptor.axes, "device")].name = device; /* without the rest */
    prepared = bench->prepare(state, team, point, &work, &err);
    if (prepared == AM_OK)
        verified = verify(state, error, &err);
    mine = prepared == AM_OK ? (int)verified : -1;
    (void)MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, team->comm);
    (void)MPI_Allreduce(&mine, &best, 1, MPI_INT, MPI_MIN, team->comm);
    if (team->rank == 0)
        ok(best >= 0 && worst == (error ? (int)AM_E_WRONG : (int)AM_OK), "%s: %s: %s", text,
           names[error], err.text);
    bench->finish(state);
    free(state);
}

/* The hooks as the worker calls them. */
static void check_hooks(const struct am_mpi_team *team, const char *device)
{
    const struct am_mpi_bench *const bench = &am_mpi_bench_device;
    struct am_value point[AM_AXES_MAX];
    struct am_work work = {0};
    struct am_err err = {0};
    struct am_batch batch = {.elapsed_ns = 0};
    double residual = 0;
    char text[256];
    void *const state = calloc(1, bench->state_size);
    enum am_status s;

    (void)am_str_format(text, sizeof(text), "weak %d %s 2 paper f32 0 2 7 4096", team->size,
                        device);
    bx_point(&bench->descriptor, text, point);
    point[am_axis_find(bench->descriptor.axes, "device")].name = device; /* without the rest */
    s = bench->prepare(state, team, point, &work, &err);
    if (s == AM_OK) {
        bench->run(state, 2, &batch);
        s = bench->verify(state, &residual, &err);
    }
    if (team->rank == 0)
        ok(s == AM_OK && batch.elapsed_ns > 0 && residual > 0 &&
               work.ops == 7.0 * (double)((struct am_mpi_device *)state)->n,
           "%s: run and verified, off by %g %s", text, residual, err.text);
    bench->finish(state);
    free(state);
}

static void check_all(const struct am_mpi_team *team, const char *device, bool has_double)
{
    /* dim, form, type, w, depth, steps, n: passes that end with shorter ones, lanes and tiles that
     * end within a part, parts of different lengths */
    static const char *const points[] = {
        "1 paper f32 0 8 47 30011",
        "1 scaled f64 0 6 48 20011",
        "2 paper f32 0 4 19 10000",
        "3 paper f32 0 2 12 27000",
    };

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        for (int error = 0; error < ERRORS; error++) {
            if (has_double || !strstr(points[i], "f64"))
                check(team, points[i], device, (enum error)error);
        }
    }
    check_hooks(team, device);
}

int main(int argc, char **argv)
{
    struct am_clock clock;
    struct am_ctx ctx = {.memory_limit_bytes = UINT64_C(1) << 30, .seed = 12345, .clock = &clock};
    int cpu = 0, given = 0;
    struct am_mpi_team team = {
        .comm = MPI_COMM_WORLD, .seed = 12345, .clock = &clock, .cpus = &cpu, .cpu_count = 1};
    const char *const device = usable_device();
    struct am_ocl_device opened = {.ctx = NULL};
    struct am_err err = {0};

    (void)MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &team.size);
    team.local_rank = team.rank;
    team.local_size = team.size;
    team.ctx = team.rank == 0 ? &ctx : NULL;
    am_clock_init(&clock);
    if (device && am_ocl_device_open(&opened, &ctx, device, &err) == AM_OK)
        check_all(&team, device, opened.has_double);
    else if (team.rank == 0)
        skip_test("no OpenCL device here");
    am_ocl_device_close(&opened);
    (void)MPI_Finalize();
    return team.rank == 0 ? tap_done() : 0;
}
