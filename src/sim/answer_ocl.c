/* SPDX-License-Identifier: MIT */
/* OpenCL devices of a simulated machine: ocl.*. */
#include "sim/hierarchy.h"

#include <math.h>
#include <string.h>

static const struct am_sim_device *find_device(const struct am_sim_machine *m, const char *name)
{
    for (size_t i = 0; i < m->n_devices; i++) {
        if (strcmp(m->devices[i].name, name) == 0)
            return &m->devices[i];
    }
    return NULL;
}

/* The device of the point, and the host's clock beside it. */
static const struct am_sim_device *device_of(const struct am_sim_question *q,
                                             struct am_sim_answer *a, struct am_err *err)
{
    const char *const name = am_sim_name(q, "device", "");
    const struct am_sim_device *const d = find_device(am_sim_machine_of(q), name);
    struct am_sim_team team;

    if (!d) {
        (void)am_fail(err, AM_E_ABSENT, "no device %s here", name);
        return NULL;
    }
    am_sim_team_first(q, AM_SIM_CPUS_MAX, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    am_sim_choose(a, "device_kind", "%s", d->gpu ? "other" : "cpu");
    if (d->gpu) {
        am_sim_choose(a, "device_shape", "%u units x %u lanes x %.4g GHz", (unsigned)d->units,
                      (unsigned)d->lanes, d->ghz);
        am_sim_choose(a, "device_flops", "%.6g", 2e9 * d->ghz * (double)(d->lanes * d->units));
    }
    a->setup_s = d->open_ms * 1e-3; /* programs come from earlier processes */
    return d;
}

/* Operations per second of the whole device, fused ones counted once. */
static double rate_of(const struct am_sim_device *d, const char *type)
{
    const double share = strcmp(type, "double") == 0 ? d->double_share
                         : strcmp(type, "half") == 0 ? (d->gpu ? 2 : 0)
                                                     : 1;

    return (double)(d->units * d->lanes) * d->ghz * 1e9 * share;
}

static enum am_status answer_arith(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const char *const op = am_sim_name(q, "op", "fma"), *const type =
                                                            am_sim_name(q, "type", "float");
    const double fused =
        strcmp(op, "mad") == 0 || strcmp(op, "fma") == 0 || strcmp(op, "muladd") == 0;
    const double width = (double)am_sim_int(q, "width", 1), slow = strcmp(op, "div") == 0 ? 8 : 1;
    double rate;

    if (!d)
        return AM_E_ABSENT;
    rate = rate_of(d, type);
    if (!(rate > 0))
        return am_fail(err, AM_E_ABSENT, "the device has no %s", type);
    a->work.ops = am_sim_is(q, "mode", "latency") ? 4096 : 1e7;
    a->work.flops = a->work.ops * width * (fused + 1);
    if (am_sim_is(q, "mode", "latency"))
        a->seconds = a->work.ops * d->latency_cycles * slow * (d->gpu ? width : 1) / (d->ghz * 1e9);
    else
        a->seconds = a->work.ops * width * slow / (0.96 * rate);
    return AM_OK;
}

static enum am_status answer_launch(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);

    if (!d)
        return AM_E_ABSENT;
    a->work.ops = 64;
    a->seconds = 64 * d->launch_us * 1e-6 + d->build_ms * 1e-3;
    am_sim_own(q, a, "round_trip", d->launch_us * 1e-6);
    am_sim_own(q, a, "batch", d->enqueue_us * 1.2e-6);
    am_sim_own(q, a, "timed", d->launch_us * 1.5e-6);
    am_sim_own(q, a, "start", (d->launch_us - fmin(d->enqueue_us, d->launch_us)) * 0.6e-6);
    am_sim_own(q, a, "enqueue", d->enqueue_us * 1e-6);
    am_sim_own(q, a, "argument", 4e-8);
    am_sim_own(q, a, "event", 1e-7);
    am_sim_own(q, a, "build", d->build_ms * 1e-3);
    am_sim_own(q, a, "first_launch", d->launch_us * 5e-6);
    return AM_OK;
}

/* Cycles of a function relative to an addition. */
static double function_cost(const char *name)
{
    static const struct {
        const char *pattern;
        double cost;
    } rows[] = {
        {"native_*", 4}, {"half_*", 6}, {"add", 1},   {"sub", 1},    {"mul", 1},   {"mad", 1},
        {"fma", 1},      {"f*", 2},     {"sqrt", 8},  {"rsqrt", 6},  {"div", 8},   {"*gamma", 90},
        {"erf*", 60},    {"rem*", 60},  {"pow*", 60}, {"rootn", 70}, {"a*h", 50},  {"*h", 40},
        {"sin*", 25},    {"cos*", 25},  {"tan*", 35}, {"exp*", 18},  {"log*", 20}, {"*", 20},
    };
    size_t i = 0;

    while (!am_glob_match(rows[i].pattern, name))
        i++;
    return rows[i].cost;
}

static enum am_status answer_builtin(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const char *const name = am_sim_name(q, "function", "add");
    const double cost = function_cost(name);
    double rate;

    if (!d)
        return AM_E_ABSENT;
    rate = rate_of(d, am_sim_name(q, "type", "float")) / cost;
    if (!(rate > 0))
        return am_fail(err, AM_E_ABSENT, "the device has no %s", am_sim_name(q, "type", ""));
    a->work.ops = 1e6;
    a->seconds = a->work.ops / rate + d->launch_us * 1e-6;
    am_sim_own(q, a, "rate", rate);
    am_sim_own(q, a, "time", cost * d->latency_cycles / (d->ghz * 1e9));
    am_sim_own(q, a, "error_ulp", cost < 2 ? 0.5 : strncmp(name, "native", 6) == 0 ? 40 : 2);
    return AM_OK;
}

/* Items in lockstep walk all paths that any of them takes. */
static enum am_status answer_branch(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double paths = fmax(1, (double)am_sim_int(q, "paths", 1));
    const double items = (double)am_sim_int(q, "items", 32768);

    if (!d)
        return AM_E_ABSENT;
    a->work.ops = items * 256;
    a->seconds = a->work.ops / rate_of(d, "float") + d->launch_us * 1e-6;
    if (am_sim_is(q, "by", "local"))
        a->seconds *= fmin(paths, (double)d->width);
    return AM_OK;
}

static enum am_status answer_constant(const struct am_sim_question *q, struct am_sim_answer *a,
                                      struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double stride = fmax(1, (double)am_sim_int(q, "stride", 1));
    const bool uniform = am_sim_is(q, "index", "uniform");

    if (!d)
        return AM_E_ABSENT;
    a->work.ops = 1e6;
    a->work.bytes_read = 4e6;
    a->seconds =
        4e6 / (d->local_gbs * 1e9) * (uniform || !d->gpu ? 1 : fmin(stride, (double)d->width));
    return AM_OK;
}

/* Bandwidth of a set of `bytes`: the cache keeps a part of what is too large for it. */
static double set_gbs(const struct am_sim_device *d, double bytes)
{
    const double kept = bytes <= (double)d->cache ? 1 : (double)d->cache / bytes * 0.5;

    return 1 / (kept / fmax(d->cache_gbs, d->memory_gbs) + (1 - kept) / d->memory_gbs);
}

static enum am_status answer_set(const struct am_sim_question *q, struct am_sim_answer *a,
                                 struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const bool writes = am_sim_is(q, "kernel", "write");
    double size = (double)am_sim_int(q, "size", 0);
    double rate;

    if (!d)
        return AM_E_ABSENT;
    size = size > 0 ? size : fmin(256e6, (double)d->memory / 4);
    if (size > 0.9 * (double)d->memory)
        return am_fail(err, AM_E_ABSENT, "size %g: the device has less memory", size);
    rate = set_gbs(d, size) * 1e9 * (writes ? 0.85 : 1);
    a->setup_bytes = size;
    a->work.ops = size / 16;
    *(writes ? &a->work.bytes_written : &a->work.bytes_read) = size;
    a->seconds = size / rate + 0.1 * d->launch_us * 1e-6;
    return AM_OK;
}

/* Memory and arithmetic at once: the slower of them is waited for. */
static enum am_status answer_intensity(const struct am_sim_question *q, struct am_sim_answer *a,
                                       struct am_err *err)
{
    const enum am_status s = answer_set(q, a, err);
    const struct am_sim_device *d;
    double rate;

    if (s != AM_OK)
        return s;
    d = find_device(am_sim_machine_of(q), am_sim_name(q, "device", ""));
    rate = 2 * rate_of(d, am_sim_name(q, "type", "float"));
    if (!(rate > 0))
        return am_fail(err, AM_E_ABSENT, "the device has no double");
    a->work.flops = 2 * a->work.ops * (double)am_sim_int(q, "fmas", 1);
    a->seconds = fmax(a->seconds, a->work.flops / (0.96 * rate));
    return AM_OK;
}

/* Steps of `stride` elements use a part of every line. */
static enum am_status answer_global(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const enum am_status s = answer_set(q, a, err);
    const double stride = fmax(1, (double)am_sim_int(q, "stride", 1));
    const double element = 4 * fmax(1, (double)am_sim_int(q, "width", 1));
    const char *const shape = am_sim_name(q, "shape", "group");
    const double worst = fmax(1, 64 / element);

    if (s != AM_OK)
        return s;
    if (strcmp(shape, "single") == 0)
        a->seconds *= 40;
    else if (strcmp(shape, "column") == 0)
        a->seconds *= worst;
    else if (strcmp(shape, "strided") == 0)
        a->seconds *= fmin(stride, worst);
    return AM_OK;
}

/* Shapes of an image differ by a few per cent only. */
static enum am_status answer_image(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const enum am_status s = answer_set(q, a, err);

    a->seconds *= am_sim_is(q, "shape", "square") ? 1.1 : 1.15;
    return s;
}

static double common_divisor(double a, double b)
{
    while (b >= 1) {
        const double rest = fmod(a, b);

        a = b;
        b = rest;
    }
    return a;
}

static enum am_status answer_local(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double stride = (double)am_sim_int(q, "stride", 1);
    const double width = (double)am_sim_int(q, "width", 1);
    const bool writes = am_sim_is(q, "kernel", "write");

    if (!d)
        return AM_E_ABSENT;
    a->work.ops = 1e6;
    *(writes ? &a->work.bytes_written : &a->work.bytes_read) = 4e6 * width;
    a->seconds =
        4e6 * width / (d->local_gbs * 1e9) * (d->gpu ? common_divisor(32, fmod(stride, 32)) : 1);
    return AM_OK;
}

static enum am_status answer_bus(const struct am_sim_question *q, struct am_sim_answer *a,
                                 struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double bytes = (double)am_sim_int(q, "size", 1);
    const bool inside = am_sim_is(q, "direction", "d2d"), map = am_sim_is(q, "method", "map");
    double rate;

    if (!d)
        return AM_E_ABSENT;
    rate = inside ? d->memory_gbs / 2
                  : d->link_gbs * (am_sim_is(q, "memory", "pageable") ? d->pageable_share : 1);
    a->work.bytes_read = inside ? bytes : 0;
    a->work.bytes_written = bytes;
    a->work.ops = 1;
    a->seconds = d->link_us * 1e-6 + bytes / (rate * 1e9);
    am_sim_own(q, a, "map_time", map ? d->link_us * 2e-6 : NAN);
    return AM_OK;
}

static enum am_status answer_latency(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double size = (double)am_sim_int(q, "size", 1);

    if (!d)
        return AM_E_ABSENT;
    if (size > 0.5 * (double)d->memory)
        return am_fail(err, AM_E_ABSENT, "size %g: the device has less memory", size);
    a->work.ops = 16;
    a->seconds =
        16e-9 * (am_sim_is(q, "space", "local") || size <= (double)d->cache ? 0.3 * d->memory_ns
                                                                            : d->memory_ns);
    return AM_OK;
}

/* One counter takes an addition per few cycles, many take as many at once. */
static enum am_status answer_atomic(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const bool local = am_sim_is(q, "space", "local"), chain = am_sim_is(q, "counters", "chain");
    double together;

    if (!d)
        return AM_E_ABSENT;
    if (local && (chain || am_sim_is(q, "counters", "line")))
        return am_fail(err, AM_E_ABSENT, "in local memory: one, group and own");
    together = local || am_sim_is(q, "counters", "group") ? (double)d->units : 1;
    if (am_sim_is(q, "counters", "own"))
        together = (double)(d->units * d->width);
    a->work.ops = 1e6;
    a->seconds = chain ? 1e-3 * d->memory_ns : 1e6 / (d->ghz * 1e9 * together);
    return AM_OK;
}

static enum am_status answer_barrier(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double group = (double)am_sim_int(q, "group", 1);

    if (!d)
        return AM_E_ABSENT;
    a->work.ops = 1;
    a->seconds = (d->latency_cycles + 2 * group / (double)d->width) / (d->ghz * 1e9);
    return AM_OK;
}

/* Neighbours by local memory wait for each other at every step; sub-groups do not. */
static enum am_status answer_subgroup(const struct am_sim_question *q, struct am_sim_answer *a,
                                      struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const bool full = am_sim_is(q, "groups", "full");
    const double steps = am_sim_is(q, "together", "exchange") ? 1 : 5;

    if (!d)
        return AM_E_ABSENT;
    if (!am_sim_is(q, "way", "local"))
        return am_fail(err, AM_E_ABSENT, "no sub-groups are known of this device");
    a->work.ops = 128 * (full ? 16 * (double)d->units : 1);
    a->seconds = steps * (d->latency_cycles + 8) / (d->ghz * 1e9) * (full ? 16 : 1);
    return AM_OK;
}

/* Both directions have their own way; a kernel beside them costs nothing. */
static enum am_status answer_overlap(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double bytes = (double)am_sim_int(q, "size", 1);
    const bool both = am_sim_is(q, "direction", "both");

    if (!d)
        return AM_E_ABSENT;
    a->work.bytes_read = both || am_sim_is(q, "direction", "d2h") ? bytes : 0;
    a->work.bytes_written = both || am_sim_is(q, "direction", "h2d") ? bytes : 0;
    a->work.ops = 1;
    a->seconds = d->link_us * 1e-6 + bytes / (d->link_gbs * 1e9) * (d->gpu || !both ? 1 : 2);
    am_sim_own(q, a, "hidden", am_sim_is(q, "beside", "nothing") ? NAN : d->gpu ? 0.98 : 0.1);
    return AM_OK;
}

/* A device with a memory of its own has what is mapped brought over and back. */
static enum am_status answer_svm(const struct am_sim_question *q, struct am_sim_answer *a,
                                 struct am_err *err)
{
    const struct am_sim_device *const d = device_of(q, a, err);
    const double bytes = (double)am_sim_int(q, "size", 1);

    if (!d)
        return AM_E_ABSENT;
    if (d->gpu && am_sim_is(q, "memory", "fine"))
        return am_fail(err, AM_E_ABSENT, "the device has no fine-grained shared virtual memory");
    a->work.bytes_read = a->work.bytes_written = bytes;
    a->work.ops = 1;
    a->seconds = d->launch_us * 2e-6 + (d->gpu ? 2 * bytes / (d->link_gbs * 1e9) : 0);
    return AM_OK;
}

/* Matrix units are no part of a description. */
static enum am_status answer_dot(const struct am_sim_question *q, struct am_sim_answer *a,
                                 struct am_err *err)
{
    (void)q;
    (void)a;
    return am_fail(err, AM_E_ABSENT, "no instructions for matrices are known of this device");
}

/* Nor are ways from one device to another. */
static enum am_status answer_peer(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    (void)q;
    (void)a;
    return am_fail(err, AM_E_ABSENT, "nothing is known of ways between devices here");
}

/* A vector addition by so many items: of a device, or of threads on the host. */
static enum am_status answer_scale(const struct am_sim_question *q, struct am_sim_answer *a,
                                   struct am_err *err)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const double size = (double)am_sim_int(q, "size", 1), items = (double)am_sim_int(q, "items", 1);
    const bool host = !am_sim_is(q, "backend", "opencl");
    const struct am_sim_device *const d = host ? NULL : device_of(q, a, err);
    struct am_sim_team team;

    if (!host && !d)
        return AM_E_ABSENT;
    am_sim_team_first(q, AM_SIM_CPUS_MAX, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    a->work.ops = a->work.flops = size / 4;
    a->work.bytes_read = 2 * size;
    a->work.bytes_written = size;
    if (host)
        a->seconds = 3 * size / (fmin(items * m->memory.core_gbs, m->memory.node_gbs) * 1e9) + 2e-6;
    else
        a->seconds =
            3 * size / (d->memory_gbs * 1e9 * fmin(1, items / (double)(d->units * d->width))) +
            d->launch_us * 1e-6;
    return AM_OK;
}

const struct am_sim_answerer am_sim_ocl_answers[] = {
    {"ocl.arith", answer_arith},
    {"ocl.launch", answer_launch},
    {"ocl.builtin", answer_builtin},
    {"ocl.branch", answer_branch},
    {"ocl.constant", answer_constant},
    {"ocl.image", answer_image},
    {"ocl.bus", answer_bus},
    {"ocl.cache", answer_set},
    {"ocl.global", answer_global},
    {"ocl.intensity", answer_intensity},
    {"ocl.local", answer_local},
    {"ocl.scale", answer_scale},
    {"ocl.latency", answer_latency},
    {"ocl.overlap", answer_overlap},
    {"ocl.subgroup", answer_subgroup},
    {"ocl.svm", answer_svm},
    {"ocl.dot", answer_dot},
    {"ocl.atomic", answer_atomic},
    {"ocl.barrier", answer_barrier},
    {"ocl.peer", answer_peer},
    {NULL, NULL},
};
