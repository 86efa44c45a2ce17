/* SPDX-License-Identifier: MIT */
/* Arithmetic and instructions of a simulated machine: cpu.*, null, meter.stability. */
#include "sim/launch.h"

#include <math.h>
#include <string.h>

/* Lanes of a register: the plain variant works on single numbers. */
static double lanes_of(const struct am_sim_isa *isa, const char *type)
{
    if (strcmp(isa->name, "scalar") == 0)
        return 1;
    return isa->bits / (strcmp(type, "f32") == 0 ? 32 : 64);
}

/* What a step of a chain is made of: fused operations or products, and additions. */
struct step {
    double products, sums;
    double flops; /* of a lane */
};

static struct step step_of(const char *op)
{
    static const struct {
        const char *op;
        struct step step;
    } steps[] = {{"fma", {1, 0, 2}}, {"mul", {1, 0, 1}}, {"add", {0, 1, 1}}, {"mix", {1, 1, 3}}};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (strcmp(steps[i].op, op) == 0)
            return steps[i].step;
    }
    return steps[0].step;
}

static double add_latency(const struct am_sim_kind *kind)
{
    return kind->add_cycles > 0 ? kind->add_cycles : kind->fma_cycles;
}

/* Cycles that a core needs for one step of every chain of its threads: the latency of a chain's
 * step, or what the pipes need for all. Products have the usual pipes; beside them additions have
 * others as well. */
static double step_cycles(const struct am_sim_kind *kind, const struct am_sim_isa *isa,
                          const struct step *step, double chains, double threads)
{
    const double pipes = isa->pipes * fmin(1, threads * kind->thread_share);
    const double each = threads * chains / pipes;
    const double both = (step->products + step->sums) / (1 + kind->add_pipes);
    const double issue = each * (step->products > 0 ? fmax(step->products, both) : step->sums);

    return fmax(step->products * kind->fma_cycles + step->sums * add_latency(kind), issue);
}

static enum am_status answer_flops(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const char *const isa_name = am_sim_name(q, "isa", "scalar");
    const char *const type = am_sim_name(q, "type", "f64");
    const double streams = (double)am_sim_int(q, "streams", 1);
    const size_t threads = (size_t)am_sim_int(q, "threads", 1);
    const struct step step = step_of(am_sim_name(q, "op", "fma"));
    struct am_sim_team team;
    double slowest = 0;

    am_sim_team_first(q, threads, &team);
    for (size_t i = 0; i < team.n; i++) {
        const struct am_sim_cpu *const cpu = team.cpus[i];
        const struct am_sim_isa *const isa = am_sim_isa_find(cpu->kind, isa_name);

        if (!isa)
            return am_fail(err, AM_E_ABSENT, "cores of kind %s have no %s", cpu->kind->name,
                           isa_name);
        slowest = fmax(slowest, step_cycles(cpu->kind, isa, &step, streams,
                                            (double)am_sim_on_core(&team, cpu)) /
                                    am_sim_ghz(cpu, isa_name, &team));
        if (i == 0)
            a->work.flops = streams * (double)threads * lanes_of(isa, type) * step.flops;
    }
    a->work.ops = streams * (double)threads;
    a->seconds = slowest * 1e-9;
    am_sim_team_clocks(&team, isa_name, a);
    return AM_OK;
}

/* Latency and reciprocal throughput in cycles where a description says nothing; first match. */
static const struct am_sim_instr usual[] = {
    {"*_pair", 3, 1},    {"*mov_r*_m*", 4, 0.5}, {"*gather*", 20, 8}, {"*div*pd*", 14, 8},
    {"*div*ps*", 11, 5}, {"*divs*", 14, 4},      {"*sqrt*", 18, 9},   {"div_*", 18, 6},
    {"idiv_*", 18, 6},   {"*fmadd*", 4, 0.5},    {"*fmsub*", 4, 0.5}, {"*fnmadd*", 4, 0.5},
    {"*rcp*", 4, 1},     {"*rsqrt*", 4, 1},      {"*cvt*", 5, 1},     {"*pmulld*", 10, 1},
    {"*pmul*", 5, 0.5},  {"*mulx*", 4, 1},       {"imul_*", 3, 1},    {"mul_r*", 4, 1},
    {"*add?s*", 4, 0.5}, {"*addp*", 4, 0.5},     {"*adds*", 4, 0.5},  {"*subp*", 4, 0.5},
    {"*subs*", 4, 0.5},  {"*mul*", 4, 0.5},      {"*min*", 4, 0.5},   {"*max*", 4, 0.5},
    {"*perm*", 3, 1},    {"*popcnt*", 3, 1},     {"*lzcnt*", 3, 1},   {"*tzcnt*", 3, 1},
    {"crc32*", 3, 1},    {"*aes*", 4, 1},        {"sha*", 4, 2},      {"k*", 1, 1},
    {"sh*", 1, 0.5},     {"*shuf*", 1, 1},       {"*unpck*", 1, 1},   {"v*", 1, 0.5},
    {"p*", 1, 0.5},      {"*", 1, 0.25},
};

static const struct am_sim_instr *find_instr(const struct am_sim_machine *m, const char *name)
{
    for (size_t i = 0; i < m->n_instrs; i++) {
        if (am_glob_match(m->instrs[i].pattern, name))
            return &m->instrs[i];
    }
    for (size_t i = 0; i + 1 < sizeof(usual) / sizeof(usual[0]); i++) {
        if (am_glob_match(usual[i].pattern, name))
            return &usual[i];
    }
    return &usual[sizeof(usual) / sizeof(usual[0]) - 1];
}

static bool is_one_of(const char *pattern, const char *const *patterns)
{
    while (*patterns && strcmp(pattern, *patterns) != 0)
        patterns++;
    return *patterns != NULL;
}

/* What the kind of core says of its arithmetic holds where the machine says nothing else. */
static double latency_of(const struct am_sim_instr *row, const struct am_sim_kind *kind)
{
    static const char *const fused[] = {"*fmadd*", "*fmsub*", "*fnmadd*", NULL};
    static const char *const sums[] = {"*add?s*", "*addp*", "*adds*", "*subp*", "*subs*", NULL};

    if (is_one_of(row->pattern, fused))
        return kind->fma_cycles;
    return kind->add_cycles > 0 && is_one_of(row->pattern, sums) ? kind->add_cycles : row->latency;
}

static enum am_status answer_instr(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct am_sim_instr *const row =
        find_instr(am_sim_machine_of(q), am_sim_name(q, "instr", am_sim_name(q, "form", "")));
    struct am_sim_team team;
    double latency;

    (void)err;
    am_sim_team_first(q, 1, &team);
    latency = latency_of(row, team.cpus[0]->kind);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    a->work.ops = 64 * 200;
    a->seconds = 64 * 100 * (latency + row->reciprocal) / a->hz;
    a->unnoised = 1;
    am_sim_own(q, a, "latency", latency);
    am_sim_own(q, a, "throughput", row->reciprocal);
    return AM_OK;
}

static enum am_status answer_null(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    struct am_sim_team team;

    (void)err;
    am_sim_team_first(q, 1, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    a->work.ops = 1;
    a->seconds = am_sim_machine_of(q)->noise.clock_ns * 1e-9;
    return AM_OK;
}

/* A product of small matrices per thread, at three quarters of the plainest vectors' peak. */
static enum am_status answer_stability(const struct am_sim_question *q, struct am_sim_answer *a,
                                       struct am_err *err)
{
    const double n = (double)am_sim_int(q, "n", 128);
    const size_t threads = (size_t)am_sim_int(q, "threads", 1);
    struct am_sim_team team;
    const struct am_sim_isa *isa;

    (void)err;
    am_sim_team_first(q, threads, &team);
    isa = &team.cpus[0]->kind->isas[team.cpus[0]->kind->n_isas - 1];
    a->hz = am_sim_ghz(team.cpus[0], isa->name, &team) * 1e9;
    a->work.flops = 2 * n * n * n * (double)threads;
    a->work.ops = (double)threads;
    a->seconds = 2 * n * n * n * (double)am_sim_on_core(&team, team.cpus[0]) /
                 (0.75 * 2 * isa->pipes * isa->bits / 64 * a->hz);
    return AM_OK;
}

const struct am_sim_answerer am_sim_core_answers[] = {
    {"cpu.flops", answer_flops},           {"cpu.instr", answer_instr},
    {"cpu.standard", answer_instr},        {"null", answer_null},
    {"meter.stability", answer_stability}, {NULL, NULL},
};
