/* SPDX-License-Identifier: MIT */
/* Applications on a simulated machine: work over the lesser of arithmetic and memory, app.*.
 *
 * These are rates of a plausible size and no model of an application: arithmetic at a fixed part of
 * the peak of the asked ISA, bytes at the bandwidth of the level that the set fits into, and the
 * cost of blocks that a runtime hands out. */
#include "sim/hierarchy.h"

#include <math.h>
#include <string.h>

/* What an application does once. */
struct job {
    double flops, read, written, ops, blocks;
    double efficiency; /* part of the peak that its arithmetic reaches */
};

static double element_of(const struct am_sim_question *q)
{
    return am_sim_is(q, "type", "f32") ? 4 : 8;
}

static struct job gemm_job(const struct am_sim_question *q)
{
    const double n = (double)am_sim_int(q, "n", 256), e = element_of(q);

    return (struct job){2 * n * n * n, 2 * n * n * e, n * n * e, n * n, n * n / 4096, 0.8};
}

static struct job fft_job(const struct am_sim_question *q)
{
    const double n = fmax(2, (double)am_sim_int(q, "n", 1024)), e = element_of(q);

    return (struct job){5 * n * log2(n), 2 * n * e, 2 * n * e, n, log2(n), 0.15};
}

static struct job prices_job(const struct am_sim_question *q)
{
    const double n = (double)am_sim_int(q, "n", 8192), e = element_of(q);
    const double block = fmax(1, (double)am_sim_int(q, "task_size", 1024));

    return (struct job){70 * n, 5 * n * e, 2 * n * e, n, n / block, 0.3};
}

static struct job stencil_job(const struct am_sim_question *q)
{
    const double n = (double)am_sim_int(q, "n", 65536), steps = (double)am_sim_int(q, "steps", 480);
    const bool slices = am_sim_is(q, "variant", "slice") || am_sim_is(q, "variant", "skew");
    const double passes = slices ? fmax(1, steps / 16) : steps, e = element_of(q);

    return (struct job){6 * n * steps, n * e * passes, n * e * passes, n * steps, passes, 0.35};
}

static struct job cells_job(const struct am_sim_question *q)
{
    const double frames = (double)am_sim_int(q, "frames", 1),
                 cells = (double)am_sim_int(q, "cells", 36);
    const double updates = cells * 200 * 41 * 81;
    const double each =
        am_sim_is(q, "variant", "minmax") || am_sim_is(q, "variant", "lanes") ? 60 : 200;

    return (struct job){frames * updates * each, frames * 1e6, frames * 1e5, frames, cells, 0.25};
}

static struct job cholesky_job(const struct am_sim_question *q)
{
    const double n = (double)am_sim_int(q, "n", 1024), e = element_of(q);
    const double tiles = fmax(1, n / fmax(1, (double)am_sim_int(q, "tile", 64)));

    return (struct job){n * n * n / 3, n * n * e, n * n * e / 2, 1, tiles * tiles * tiles / 6, 0.4};
}

/* Peak of the team in flop/s, and the bandwidth at which the job's set streams. */
static double peak_of(const struct am_sim_question *q, const struct am_sim_team *team)
{
    const double lanes = element_of(q) * 8;
    double peak = 0;

    for (size_t i = 0; i < team->n; i++) {
        const struct am_sim_kind *const kind = team->cpus[i]->kind;
        const struct am_sim_isa *isa = am_sim_isa_find(kind, am_sim_name(q, "isa", ""));

        isa = isa ? isa : &kind->isas[kind->n_isas - 1];
        peak += 2 * isa->pipes * fmax(1, isa->bits / lanes) *
                am_sim_ghz(team->cpus[i], isa->name, team) * 1e9 /
                (double)am_sim_on_core(team, team->cpus[i]);
    }
    return peak;
}

static double bytes_s(const struct am_sim_question *q, const struct am_sim_team *team,
                      const struct job *job)
{
    const double set = (job->read + job->written) / (double)team->n;
    const struct am_sim_stream s = {.team = team,
                                    .read = job->read / (double)team->n,
                                    .written = job->written / (double)team->n,
                                    .bytes = fmin(set, (double)am_sim_int(q, "n", 1 << 16) * 16),
                                    .node = -1};

    return am_sim_stream_seconds(q->launch, &s);
}

/* A device does the arithmetic of all its lanes and moves bytes at its memory's rate. */
static double device_s(const struct am_sim_device *d, const struct job *job, bool wide)
{
    const double rate =
        2 * (double)(d->units * d->lanes) * d->ghz * 1e9 * (wide ? d->double_share : 1);

    return fmax(job->flops / fmax(rate * job->efficiency, 1e6),
                (job->read + job->written) / (d->memory_gbs * 1e9)) +
           job->blocks * d->launch_us * 1e-7;
}

static const struct am_sim_device *device_of(const struct am_sim_question *q)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);

    for (size_t i = 0; i < m->n_devices; i++) {
        if (am_sim_is(q, "device", m->devices[i].name))
            return &m->devices[i];
    }
    return NULL;
}

static void tell_shares(const struct am_sim_question *q, struct am_sim_answer *a,
                        const struct job *job, double bound_s)
{
    const double updates = job->flops / 60;
    const struct am_sim_device *const d = device_of(q);
    const bool is_grid = d && am_sim_int(q, "dim", 1) > 1;

    am_sim_own(q, a, "executed_flops", job->flops / a->seconds);
    am_sim_own(q, a, "peak_share", job->efficiency);
    am_sim_own(q, a, "bound_share", fmin(1, bound_s / a->seconds));
    am_sim_own(q, a, "over_sweep",
               is_grid ? (job->read + job->written) / (d->memory_gbs * 1e9) / a->seconds : NAN);
    am_sim_own(q, a, "iterations", 207);
    am_sim_own(q, a, "updates_per_s", updates / a->seconds);
    am_sim_own(q, a, "time_per_update", a->seconds / updates);
    am_sim_own(q, a, "kernel_time", a->seconds * 0.9);
    am_sim_own(q, a, "transfer_time", d ? a->seconds * 0.05 : NAN);
    am_sim_own(q, a, "opencl_share", am_sim_is(q, "devices", "cpu") ? 0 : 0.5);
}

static enum am_status answer_job(const struct am_sim_question *q, struct am_sim_answer *a,
                                 const struct job *job)
{
    const struct am_sim_device *const d = device_of(q);
    const bool serial = am_sim_is(q, "executor", "serial");
    const size_t threads = serial ? 1 : (size_t)am_sim_int(q, "threads", 1);
    struct am_sim_team team;
    double bound;

    am_sim_team_first(q, threads, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    a->work = (struct am_work){.flops = job->flops,
                               .bytes_read = job->read,
                               .bytes_written = job->written,
                               .ops = job->ops};
    a->setup_bytes = fmin(job->read + job->written, 1e9);
    bound = d ? device_s(d, job, element_of(q) > 4)
              : fmax(job->flops / peak_of(q, &team), bytes_s(q, &team, job));
    a->seconds =
        d ? bound
          : fmax(job->flops / (peak_of(q, &team) * job->efficiency), bytes_s(q, &team, job)) +
                (serial
                     ? 0
                     : job->blocks * am_sim_machine_of(q)->openmp.task_ns * 1e-9 / (double)threads);
    tell_shares(q, a, job, bound);
    return AM_OK;
}

static enum am_status answer_app(const struct am_sim_question *q, struct am_sim_answer *a,
                                 struct am_err *err)
{
    static const struct {
        const char *bench;
        struct job (*job)(const struct am_sim_question *);
    } jobs[] = {
        {"app.gemm", gemm_job},           {"app.fft", fft_job},
        {"app.blackscholes", prices_job}, {"app.stencil", stencil_job},
        {"app.leukocyte", cells_job},     {"app.hetero", prices_job},
        {"app.cholesky", cholesky_job},
    };

    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        if (strcmp(jobs[i].bench, q->point->bench->name) == 0) {
            const struct job job = jobs[i].job(q);

            if (job.flops > 0)
                return answer_job(q, a, &job);
        }
    }
    return am_fail(err, AM_E_ABSENT, "no simulated machine runs this point of %s",
                   q->point->bench->name);
}

const struct am_sim_answerer am_sim_app_answers[] = {
    {"app.*", answer_app},
    {NULL, NULL},
};
