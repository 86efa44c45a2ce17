/* SPDX-License-Identifier: MIT */
/* Bounds of points on OpenCL devices: which memory of the device serves them, which benches tell
 * how fast each memory is, and what to try below a bound.
 *
 * Global memory and each level of its caches, local memory, constant memory, images and the ways to
 * the host are spaces with ceilings of their own. Where the level of a working set follows from
 * sizes, these are the facts opencl.cache_size; without them nothing is assumed. */
#include "family/opencl/opencl.h"

#include "family/roles.h"

#include <math.h>
#include <string.h>

enum { LEVELS_MAX = 8 };

/* Sets up to this part of a cache are in it, from this multiple on they are not; as of the caches
 * of the processor (family/tiers.c). */
static const double inside = 0.75, outside = 2;

static const char global_memory[] = "global memory";

/* ---- spaces ---- */

static const struct am_fact *cache_of(const struct am_placing *p, const char *device, size_t level)
{
    const struct am_fact *f = NULL;

    while ((f = am_facts_next(p->facts, "opencl.cache_size", NULL, f)) != NULL) {
        const char *const own = am_fact_text(f, "device");

        if (own && strcmp(own, device) == 0 &&
            fabs(am_fact_number(f, "level") - (double)level) < 0.5)
            return f;
    }
    return NULL;
}

static const char *level_name(size_t level)
{
    static const char *const names[LEVELS_MAX + 1] = {
        NULL,      "cache 1", "cache 2", "cache 3", "cache 4",
        "cache 5", "cache 6", "cache 7", "cache 8",
    };

    return names[level];
}

const char *am_opencl_space(const struct am_placing *p)
{
    const char *const device = am_result_device(p->result);
    double most = 0; /* bytes of the level before, at most */

    for (size_t level = 1; device && level <= LEVELS_MAX; level++) {
        const struct am_fact *const f = cache_of(p, device, level);

        if (!f)
            return most > 0 && p->bytes >= outside * most ? global_memory : NULL;
        if (p->ceiling && p->bytes <= inside * f->ci.lo)
            return p->bytes >= outside * most ? level_name(level) : NULL;
        if (!p->ceiling && p->bytes < outside * f->ci.hi)
            return level_name(level);
        most = f->ci.hi;
    }
    return NULL;
}

/* A buffer of size 0 is larger than all caches: the bench sees to that. */
static const char *global_space(const struct am_placing *p)
{
    return am_result_number(p->result, "size") > 0 ? am_opencl_space(p) : global_memory;
}

static const char *local_space(const struct am_placing *p)
{
    (void)p;
    return "local memory";
}

static const char *constant_space(const struct am_placing *p)
{
    (void)p;
    return "constant memory";
}

static const char *image_space(const struct am_placing *p)
{
    (void)p;
    return "images";
}

static const char *bus_space(const struct am_placing *p)
{
    static const struct {
        const char *direction, *space;
    } ways[] = {{"h2d", "host to device"}, {"d2h", "device to host"}, {"d2d", "inside the device"}};

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (am_result_is(p->result, "direction", ways[i].direction))
            return ways[i].space;
    }
    return NULL;
}

/* Two arrays are read and one is written. */
static double three_arrays(const struct am_result *r)
{
    return 3 * am_result_number(r, "size");
}

const struct am_bound_row am_opencl_bounds[] = {
    {.bench = "ocl.arith",
     .where = "mode=latency"}, /* a chain shows no unit at work all the time */
    {.bench = "ocl.arith", .role = AM_BOUND_FLOPS, .device = true},
    {.bench = "ocl.global",
     .where = "stride=0",
     .role = AM_BOUND_FOREIGN,
     .why = "all work-items touch one element: no memory is measured"},
    {.bench = "ocl.global", .role = AM_BOUND_BYTES, .device = true, .space = global_space},
    {.bench = "ocl.intensity", .space = global_space},
    {.bench = "ocl.cache", .role = AM_BOUND_BYTES, .device = true, .space = am_opencl_space},
    {.bench = "ocl.local", .role = AM_BOUND_BYTES, .device = true, .space = local_space},
    {.bench = "ocl.constant", .role = AM_BOUND_BYTES, .device = true, .space = constant_space},
    {.bench = "ocl.image", .role = AM_BOUND_BYTES, .device = true, .space = image_space},
    {.bench = "ocl.bus", .role = AM_BOUND_BYTES, .device = true, .space = bus_space},
    {.bench = "ocl.overlap",
     .role = AM_BOUND_FOREIGN,
     .why = "several ways at once: ocl.bus has the bound of each direction"},
    {.bench = "ocl.peer",
     .role = AM_BOUND_FOREIGN,
     .why = "between two devices: the memory of neither is its bound"},
    {.bench = "ocl.svm", .role = AM_BOUND_FOREIGN, .why = "what is timed is handing memory over"},
    {.bench = "ocl.scale",
     .where = "backend=pthread,openmp",
     .role = AM_BOUND_FOREIGN,
     .why = "threads of the host beside work-items: mem.bandwidth has their bound"},
    {.bench = "ocl.scale", .working_set = three_arrays},
    {0},
};

/* ---- what to try next ---- */

static bool is_strided(const struct am_result *r)
{
    return (strcmp(r->bench, "ocl.global") == 0 || strcmp(r->bench, "ocl.local") == 0) &&
           am_result_number(r, "stride") > 1 && !am_result_is(r, "shape", "row") &&
           !am_result_is(r, "shape", "column");
}

/* Neighbouring work-items that touch neighbouring words share what is moved. */
static const char *try_stride(const struct am_trying *t)
{
    if (!is_strided(t->result) || t->share > t->at_roof)
        return NULL;
    return am_arena_printf(t->arena, "stride 1: up to %.1f x", 1 / t->share);
}

static const struct am_fact *of_device(const struct am_trying *t, const char *name)
{
    const char *const device = am_result_device(t->result);
    const struct am_fact *f = NULL;

    while ((f = am_facts_next(t->facts, name, NULL, f)) != NULL) {
        const char *const own = am_fact_text(f, "device");

        if (own && device && strcmp(own, device) == 0)
            return f;
    }
    return NULL;
}

static const char *try_width(const struct am_trying *t)
{
    const struct am_fact *const f =
        strcmp(t->result->bench, "ocl.global") == 0 ? of_device(t, "opencl.read_width") : NULL;

    if (!f || t->share > t->at_roof || !am_result_is(t->result, "kernel", "read") ||
        !(am_result_number(t->result, "width") >= 1) ||
        !(am_result_number(t->result, "width") < f->value))
        return NULL;
    return am_arena_printf(t->arena, "vectors of %.0f words reach it", f->value);
}

/* Transfers: what the driver allocated need not be copied first. */
static const char *try_pinned(const struct am_trying *t)
{
    if (strcmp(t->result->bench, "ocl.bus") != 0 || t->share > t->at_roof ||
        !am_result_is(t->result, "memory", "pageable"))
        return NULL;
    return "pinned memory, or larger transfers";
}

am_try_fn *const am_opencl_tries[] = {try_stride, try_width, try_pinned, NULL};
