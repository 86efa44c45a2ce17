/* SPDX-License-Identifier: MIT */
/* Messages between ranks of a simulated machine: mpi.*. */
#include "sim/hierarchy.h"

#include <math.h>
#include <string.h>

/* Seconds of one message: a fixed part, the bytes, and a handshake for long ones. */
static double message_s(const struct am_sim_question *q, double bytes, bool far)
{
    const struct am_sim_network *const n = &am_sim_machine_of(q)->network;
    const double fixed = (far ? n->latency_us : n->shared_us) * 1e-6;
    const double rate = (far ? n->gbs : n->shared_gbs) * 1e9;

    return fixed * (bytes > (double)n->eager ? 3 : 1) + bytes / rate;
}

/* Outside of a job all ranks are of this machine; `far` is then the last rank's package. */
static bool is_far(const struct am_sim_question *q)
{
    return am_sim_is(q, "pair", "far") && am_sim_machine_of(q)->packages > 1;
}

static void set_clock(const struct am_sim_question *q, struct am_sim_answer *a)
{
    struct am_sim_team team;

    am_sim_team_first(q, AM_SIM_CPUS_MAX, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
}

static enum am_status answer_pair(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    const double bytes = (double)am_sim_int(q, "size", 8);
    const bool both = strcmp(q->point->bench->name, "mpi.bidirectional") == 0;

    if (am_sim_int(q, "from", 0) == am_sim_int(q, "to", 1))
        return am_fail(err, AM_E_ABSENT, "a rank sends nothing to itself");
    set_clock(q, a);
    a->work.ops = 2;
    a->work.bytes_read = a->work.bytes_written = bytes;
    a->seconds = (both ? 1.3 : 2) * message_s(q, bytes, is_far(q));
    return AM_OK;
}

static enum am_status answer_collective(const struct am_sim_question *q, struct am_sim_answer *a,
                                        struct am_err *err)
{
    const double bytes = (double)am_sim_int(q, "size", 0);
    const double ranks = fmax(1, (double)am_sim_int(q, "ranks", 2)), steps = ceil(log2(ranks));
    const char *const op = am_sim_name(q, "op", "barrier");

    (void)err;
    set_clock(q, a);
    a->work.ops = 1;
    a->work.bytes_read = bytes;
    a->seconds = strcmp(op, "barrier") == 0     ? steps * message_s(q, 0, false)
                 : strcmp(op, "bcast") == 0     ? steps * message_s(q, bytes, false)
                 : strcmp(op, "allreduce") == 0 ? 2 * steps * message_s(q, bytes, false)
                                                : (ranks - 1) * message_s(q, bytes / ranks, false);
    a->seconds = fmax(a->seconds, 1e-8);
    return AM_OK;
}

static enum am_status answer_overlap(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const double bytes = (double)am_sim_int(q, "size", 8), apart = message_s(q, bytes, false);
    const double hidden = am_sim_is(q, "progress", "test") ? 0.8 : 0.15;

    (void)err;
    set_clock(q, a);
    a->work.ops = 1;
    a->work.bytes_read = a->work.bytes_written = bytes;
    a->seconds = apart * (2 - hidden);
    am_sim_own(q, a, "hidden", hidden);
    am_sim_own(q, a, "apart", 2 * apart);
    return AM_OK;
}

static enum am_status answer_halo(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    const double bytes = (double)am_sim_int(q, "size", 8),
                 faces = 2 * (double)am_sim_int(q, "dim", 1);

    (void)err;
    set_clock(q, a);
    a->work.ops = faces;
    a->work.bytes_read = a->work.bytes_written = bytes * faces;
    a->seconds = faces * message_s(q, bytes, false) * 0.7;
    return AM_OK;
}

/* Three flops per point and step on the cores of all ranks, and an exchange per step. */
static enum am_status answer_stencil(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const double ranks = fmax(1, (double)am_sim_int(q, "ranks", 2));
    const double steps = (double)am_sim_int(q, "steps", 480);
    const double n =
        (double)am_sim_int(q, "n", 1 << 20) * (am_sim_is(q, "scaling", "weak") ? ranks : 1);
    const double exchange = ranks > 1 ? steps / 16 * message_s(q, 64, false) : 0;
    struct am_sim_team team;
    const struct am_sim_isa *isa;
    double rate;

    (void)err;
    set_clock(q, a);
    am_sim_team_first(q, 1, &team);
    isa = &team.cpus[0]->kind->isas[team.cpus[0]->kind->n_isas - 1];
    rate = 0.3 * 2 * isa->pipes * isa->bits / 32 * a->hz * ranks;
    a->work.ops = n * steps;
    a->work.flops = 6 * a->work.ops;
    a->seconds = a->work.flops / rate + exchange;
    am_sim_own(q, a, "predicted", rate);
    am_sim_own(q, a, "exchange", exchange);
    return AM_OK;
}

const struct am_sim_answerer am_sim_mpi_answers[] = {
    {"mpi.pingpong", answer_pair},   {"mpi.bidirectional", answer_pair},
    {"mpi.matrix", answer_pair},     {"mpi.collective", answer_collective},
    {"mpi.overlap", answer_overlap}, {"mpi.halo", answer_halo},
    {"mpi.stencil", answer_stencil}, {NULL, NULL},
};
