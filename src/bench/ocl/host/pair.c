/* SPDX-License-Identifier: MIT */
/* Two devices in one context. */
#include "bench/ocl/host/pair.h"

#include "bench/ocl/host/split.h"

#include <string.h>

static enum am_status open_second(struct am_ocl_pair *p, const char *name, struct am_err *err)
{
    const enum am_status s = am_ocl_device_open(&p->opened[1], &p->silent, name, err);

    if (s == AM_E_USAGE || (s == AM_OK && p->opened[1].platform != p->opened[0].platform))
        return am_fail(err, AM_E_ABSENT, "%s has another driver: no context holds both", name);
    return s;
}

static enum am_status find_sides(struct am_ocl_pair *p, bool halves, const char *second,
                                 cl_device_id *ids, struct am_err *err)
{
    const enum am_status s = halves ? am_ocl_split_divide(&p->opened[0], AM_OCL_PAIR, ids, err)
                                    : open_second(p, second, err);

    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < AM_OCL_PAIR; i++) {
        p->side[i] = p->opened[halves ? 0 : i];
        p->side[i].context = NULL;
        p->side[i].queue = NULL;
        if (halves)
            p->side[i].compute_units /= AM_OCL_PAIR;
        else
            ids[i] = p->opened[i].id;
        p->side[i].id = ids[i];
    }
    return AM_OK;
}

static enum am_status join_sides(struct am_ocl_pair *p, const cl_device_id *ids, struct am_err *err)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)p->opened[0].platform, 0};
    cl_int code = CL_SUCCESS;
    const cl_context both = clCreateContext(properties, AM_OCL_PAIR, ids, NULL, NULL, &code);
    enum am_status s = AM_OK;

    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clCreateContext");
    p->side[0].context = both;
    code = clRetainContext(both); /* each side lets go of it once */
    if (code != CL_SUCCESS)
        return am_ocl_fail(err, code, "clRetainContext");
    p->side[1].context = both;
    for (size_t i = 0; i < AM_OCL_PAIR && s == AM_OK; i++)
        s = am_ocl_device_queue(&p->side[i], 0, &p->side[i].queue, err);
    return s;
}

enum am_status am_ocl_pair_open(struct am_ocl_pair *p, const struct am_ctx *ctx, const char *first,
                                const char *second, struct am_err *err)
{
    cl_device_id ids[AM_OCL_PAIR] = {NULL, NULL};
    enum am_status s = am_ocl_device_open(&p->opened[0], ctx, first, err);

    p->silent = *ctx;
    p->silent.note = NULL;
    p->silent.chosen = NULL;
    if (s == AM_OK)
        s = find_sides(p, strcmp(first, second) == 0, second, ids, err);
    return s == AM_OK ? join_sides(p, ids, err) : s;
}

void am_ocl_pair_close(struct am_ocl_pair *p)
{
    for (size_t i = AM_OCL_PAIR; i-- > 0;)
        am_ocl_device_close(&p->side[i]);
    for (size_t i = AM_OCL_PAIR; i-- > 0;)
        am_ocl_device_close(&p->opened[i]);
}
