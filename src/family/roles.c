/* SPDX-License-Identifier: MIT */
/* Axes by their roles. */
#include "family/roles.h"

#include "base/text.h"
#include "evidence/select.h"

#include <math.h>
#include <string.h>

const char am_node_axis[] = "node";

const char am_way_axes[] = "executor,runtime,isa,threads,task_size,tile,cutoff,wait,binding,places,"
                           "flt,slt,variant,cpufreq";

/* "Which runtime, which waiting and which binding": of regions at once and after serial work, by
 * all CPUs. */
static const struct am_topic topics[] = {
    {"omp", "omp.region", {"gap=0,1000", "threads=cpus", "regions=25"}},
};

const struct am_topic *am_topic_find(const char *word)
{
    for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++) {
        if (strcmp(topics[i].word, word) == 0)
            return &topics[i];
    }
    return NULL;
}

bool am_axis_is_way(const char *axis)
{
    return am_names_hold(am_way_axes, axis);
}

bool am_bench_needs_meters(const char *bench)
{
    return am_glob_match("meter.*", bench);
}

enum role { ROLE_THREADS, ROLE_DEVICE, ROLE_TYPE, ROLE_ISA, ROLE_SIZE, ROLE_OPERATION, ROLES };
enum { SPELLINGS = 2 };

/* The first that a bench has counts. */
static const char *const axes[ROLES][SPELLINGS] = {
    [ROLE_THREADS] = {"threads", "cores"},
    [ROLE_DEVICE] = {"device"},
    [ROLE_TYPE] = {"type", "precision"},
    [ROLE_ISA] = {"isa"},
    [ROLE_SIZE] = {"size"},
    [ROLE_OPERATION] = {"op"},
};

static const struct am_result_param *param_of(const struct am_result *result, enum role role)
{
    const struct am_result_param *found = NULL;

    for (size_t i = 0; i < SPELLINGS && axes[role][i] && !found; i++)
        found = am_result_param(result, axes[role][i]);
    return found;
}

static const char *text_of(const struct am_result *result, enum role role)
{
    const struct am_result_param *const p = param_of(result, role);

    return p ? p->text : NULL;
}

/* As the launch said it, where no axis does: of marked regions. */
static const char *said_threads(const struct am_result *result)
{
    return am_kvs_get(&result->chosen, axes[ROLE_THREADS][0]);
}

double am_result_threads(const struct am_result *result)
{
    const struct am_result_param *const p = param_of(result, ROLE_THREADS);
    const char *const said = p ? NULL : said_threads(result);
    double n = p ? am_result_number(result, p->name) : 1;

    if (said && !am_parse_f64(said, strlen(said), &n))
        n = 1;
    return n >= 1 ? n : 1;
}

bool am_result_states_threads(const struct am_result *result)
{
    return param_of(result, ROLE_THREADS) || said_threads(result) ||
           strcmp(result->worker, "cpu") == 0;
}

const char *am_result_device(const struct am_result *result)
{
    const struct am_result_param *const p = param_of(result, ROLE_DEVICE);

    return p && p->kind == AM_AXIS_NAME && strcmp(p->text, "cpu") != 0 ? p->text : NULL;
}

const char *am_result_type(const struct am_result *result)
{
    static const struct {
        const char *text, *type;
    } names[] = {
        {"f32", "f32"}, {"f64", "f64"}, {"float", "f32"}, {"double", "f64"}, {"single", "f32"}};
    const char *const text = text_of(result, ROLE_TYPE);

    for (size_t i = 0; text && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].text, text) == 0)
            return names[i].type;
    }
    return NULL;
}

const char *am_result_isa(const struct am_result *result)
{
    return text_of(result, ROLE_ISA);
}

const char *am_result_operation(const struct am_result *result)
{
    return text_of(result, ROLE_OPERATION);
}

double am_result_size(const struct am_result *result)
{
    const struct am_result_param *const p = param_of(result, ROLE_SIZE);

    return p && p->kind == AM_AXIS_SIZE ? am_result_number(result, p->name) : NAN;
}

/* ---- energy ---- */

/* Where the scope of a name stands in the order of preference; the others come last. */
static size_t scope_rank(const char *scope)
{
    static const char *const wanted[] = {"package", "psys", "board", "wall", "gpu"};
    size_t i = 0;

    while (i < sizeof(wanted) / sizeof(wanted[0]) && strcmp(wanted[i], scope) != 0)
        i++;
    return i;
}

const char *am_energy_metric(const struct am_result_set *set, const char *bench,
                             const char *open_name)
{
    const size_t prefix = strlen(open_name);
    const char *found = NULL;

    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        for (size_t m = 0; strcmp(r->bench, bench) == 0 && m < r->n_metrics; m++) {
            const char *const name = r->metrics[m].name;

            if (strncmp(name, open_name, prefix) == 0 &&
                (!found || scope_rank(name + prefix) < scope_rank(found + prefix)))
                found = name;
        }
    }
    return found;
}
