/* SPDX-License-Identifier: MIT */
/* One launch on a simulated machine: who answers, and what answers use. */
#include "sim/launch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct am_value *value_of(const struct am_sim_question *q, const char *axis)
{
    const int i = am_axis_find(q->point->bench->axes, axis);

    return i < 0 ? NULL : &q->point->values[i];
}

int64_t am_sim_int(const struct am_sim_question *q, const char *axis, int64_t dflt)
{
    const struct am_value *const v = value_of(q, axis);

    return v && (v->kind == AM_AXIS_INT || v->kind == AM_AXIS_SIZE) ? v->i : dflt;
}

const char *am_sim_name(const struct am_sim_question *q, const char *axis, const char *dflt)
{
    const struct am_value *const v = value_of(q, axis);

    return v && v->kind == AM_AXIS_NAME ? v->name : dflt;
}

bool am_sim_is(const struct am_sim_question *q, const char *axis, const char *name)
{
    return strcmp(am_sim_name(q, axis, ""), name) == 0;
}

void am_sim_own(const struct am_sim_question *q, struct am_sim_answer *a, const char *metric,
                double value)
{
    const struct am_metric *const metrics = q->point->bench->metrics;

    for (size_t i = 0; metrics[i].name; i++) {
        if (strcmp(metrics[i].name, metric) == 0)
            a->own[i] = value;
    }
}

void am_sim_choose(struct am_sim_answer *a, const char *name, const char *fmt, ...)
{
    va_list ap;

    if (a->n_chosen == AM_SIM_CHOSEN_MAX)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(a->chosen[a->n_chosen].value, sizeof(a->chosen[0].value), fmt, ap);
    va_end(ap);
    a->chosen[a->n_chosen++].name = name;
}

const struct am_sim_cpu *am_sim_cpu_at(const struct am_sim_question *q, int64_t number)
{
    const struct am_sim_layout *const l = q->launch->layout;

    return number >= 0 && number < (int64_t)l->n ? &l->cpus[number] : NULL;
}

void am_sim_team_first(const struct am_sim_question *q, size_t n, struct am_sim_team *out)
{
    const struct am_request *const r = q->launch->request;

    out->n = 0;
    for (size_t i = 0; i < r->n_cpus && out->n < n && out->n < AM_SIM_CPUS_MAX; i++) {
        const struct am_sim_cpu *const cpu = am_sim_cpu_at(q, r->cpus[i]);

        if (cpu)
            out->cpus[out->n++] = cpu;
    }
    if (out->n == 0) /* a request without a CPU of this machine: it runs somewhere */
        out->cpus[out->n++] = &q->launch->layout->cpus[0];
}

size_t am_sim_on_core(const struct am_sim_team *team, const struct am_sim_cpu *cpu)
{
    size_t n = 0;

    for (size_t i = 0; i < team->n; i++)
        n += team->cpus[i]->core == cpu->core;
    return n ? n : 1;
}

/* Cores of the CPU's package and kind that the team keeps busy. */
static size_t busy_cores(const struct am_sim_team *team, const struct am_sim_cpu *cpu)
{
    bool seen[AM_SIM_CPUS_MAX] = {false};
    size_t n = 0;

    for (size_t i = 0; i < team->n; i++) {
        const struct am_sim_cpu *const other = team->cpus[i];

        if (other->package != cpu->package || other->kind != cpu->kind || seen[other->of_kind])
            continue;
        seen[other->of_kind] = true;
        n++;
    }
    return n ? n : 1;
}

double am_sim_ghz(const struct am_sim_cpu *cpu, const char *isa, const struct am_sim_team *team)
{
    const struct am_sim_isa *const row = isa ? am_sim_isa_find(cpu->kind, isa) : NULL;
    const double one = row ? row->one_ghz : cpu->kind->one_ghz;
    const double all = row ? row->all_ghz : cpu->kind->all_ghz;
    const size_t busy = busy_cores(team, cpu);

    if (cpu->kind->cores == 1)
        return one;
    return one + (all - one) * (double)(busy - 1) / (double)(cpu->kind->cores - 1);
}

void am_sim_team_clocks(const struct am_sim_team *team, const char *isa, struct am_sim_answer *a)
{
    double sum = 0;

    for (size_t i = 0; i < team->n; i++) {
        const double hz = am_sim_ghz(team->cpus[i], isa, team) * 1e9;

        sum += hz;
        a->hz_least = i ? fmin(a->hz_least, hz) : hz;
        a->hz_most = fmax(a->hz_most, hz);
    }
    a->hz = sum / (double)team->n;
}

static am_sim_answer_fn *find_answer(const char *bench)
{
    static const struct am_sim_answerer *const tables[] = {
        am_sim_core_answers, am_sim_chase_answers, am_sim_stream_answers, am_sim_share_answers,
        am_sim_omp_answers,  am_sim_ocl_answers,   am_sim_mpi_answers,    am_sim_app_answers,
    };

    for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
        for (const struct am_sim_answerer *row = tables[t]; row->bench; row++) {
            if (am_glob_match(row->bench, bench))
                return row->answer;
        }
    }
    return NULL;
}

enum am_status am_sim_ask(const struct am_sim_question *q, struct am_sim_answer *a,
                          struct am_err *err)
{
    am_sim_answer_fn *const answer = find_answer(q->point->bench->name);
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const int64_t threads = am_sim_int(q, "threads", 1), size = am_sim_int(q, "size", 0);
    const double room = 0.72 * (double)(m->memory.size * m->memory.nodes * m->packages);
    enum am_status s;

    if (!answer)
        return am_fail(err, AM_E_ABSENT, "no simulated machine measures %s", q->point->bench->name);
    if (threads < 1 || threads > (int64_t)q->launch->layout->n)
        return am_fail(err, AM_E_ABSENT, "%lld threads: the machine has %u CPUs",
                       (long long)threads, q->launch->layout->n);
    if (size < 0 || (double)size > room)
        return am_fail(err, AM_E_ABSENT, "size %lld: more memory than the machine has to give",
                       (long long)size);
    *a = (struct am_sim_answer){.setup_bytes = (double)size};
    s = answer(q, a, err);
    if (s == AM_OK && !(a->seconds > 0 && isfinite(a->seconds)))
        return am_fail(err, AM_E_WRONG, "no time follows from the description for %s",
                       q->point->bench->name);
    return s;
}
