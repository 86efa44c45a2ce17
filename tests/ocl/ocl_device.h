/* SPDX-License-Identifier: MIT */
/* The device that tests of OpenCL take. */
#ifndef AM_TESTS_OCL_DEVICE_H
#define AM_TESTS_OCL_DEVICE_H

#include "bench/ocl/host/found.h"

/* The first that can be used; NULL: none. */
static const char *usable_device(void)
{
    for (const char *const *name = am_ocl_device_names(); *name; name++) {
        if (!am_ocl_device_why_not(*name))
            return *name;
    }
    return NULL;
}

#endif
