/* SPDX-License-Identifier: MIT */
/* The OpenCL devices of this machine, each driver asked in a process of its own. */
#ifndef AM_BENCH_OCL_FOUND_H
#define AM_BENCH_OCL_FOUND_H

#include "bench/ocl/host/device.h"
#include "bench/ocl/host/icd.h"

enum {
    AM_OCL_FOUND_MAX = 64,   /* devices */
    AM_OCL_NAME_MAX = 48,    /* of a device's name, terminator included */
    AM_OCL_PLATFORMS_MAX = 8 /* of one driver */
};

/* A device, or a driver that cannot be used. */
struct am_ocl_found {
    char name[AM_OCL_NAME_MAX];
    char why_not[AM_OCL_TEXT_MAX]; /* empty: usable */
    size_t icd, platform, device;  /* their places when only this driver is bound */
    uint64_t identity;             /* of the device and its driver's version; 0: it does not say */
    bool unheard; /* a driver that was not asked, or had no time to answer: it may another time */
};

struct am_ocl_finds {
    struct am_ocl_icds icds;
    struct am_ocl_found list[AM_OCL_FOUND_MAX];
    size_t n;
};

/* Asks every driver in `icds`, all at once, each in a child that may crash or hang: then the driver
 * is an entry with its reason. A device that two installations of one driver offer is one. */
void am_ocl_found_ask(struct am_ocl_finds *finds, unsigned limit_ms);

/* The same once per run: what an earlier process of the run was told is taken (handed.h). Where a
 * driver did not answer then, it is taken by those who only want the device `wanted`, if that is
 * among the answers: nobody waits again for a driver that hangs, but for whose device it is. NULL:
 * all are wanted. */
void am_ocl_found_learn(struct am_ocl_finds *finds, const char *wanted, unsigned limit_ms);

/* A short name from what the driver says: "nvidia-h200". Lower-case letters, digits and dashes. */
void am_ocl_found_name(const char *icd_suffix, const char *device, char *buf, size_t cap);

/* Handles of the device at these places; the driver must be bound. */
enum am_status am_ocl_found_pick(const struct am_ocl_found *found, cl_platform_id *platform,
                                 cl_device_id *device, struct am_err *err);

#endif
