/* SPDX-License-Identifier: MIT */
/* OpenCL drivers installed here (ICDs), as the loader would find them, and binding to one of them.
 */
#ifndef AM_BENCH_OCL_ICD_H
#define AM_BENCH_OCL_ICD_H

#include <stdbool.h>
#include <stddef.h>

enum { AM_OCL_ICDS_MAX = 32, AM_OCL_PATH_MAX = 1024 };

struct am_ocl_icd {
    char path[AM_OCL_PATH_MAX];    /* of the .icd file, or the library itself */
    char library[AM_OCL_PATH_MAX]; /* as the .icd file names it; empty when it cannot be read */
};

struct am_ocl_icds {
    struct am_ocl_icd list[AM_OCL_ICDS_MAX]; /* files in the order of their names, then libraries */
    size_t n;
};

/* Where drivers are looked for: what the loader reads from the environment. */
struct am_ocl_icd_search {
    const char *vendors;   /* OCL_ICD_VENDORS: a folder, an .icd file or a library; NULL: unset */
    const char *folder;    /* OPENCL_VENDOR_PATH; NULL: the loader's own folder */
    const char *filenames; /* OCL_ICD_FILENAMES: libraries, colon separated; NULL: unset */
};

struct am_ocl_icd_search am_ocl_icd_environment(void);
/* What is beyond AM_OCL_ICDS_MAX, or has too long a path, is not found. */
void am_ocl_icd_list(const struct am_ocl_icd_search *search, struct am_ocl_icds *out);

/* The driver's name for a person: "pocl" of /etc/OpenCL/vendors/pocl.icd. */
void am_ocl_icd_name(const struct am_ocl_icd *icd, char *buf, size_t cap);

/* Makes the loader load this driver and no other. Only before the first OpenCL call of a process.
 */
bool am_ocl_icd_bind(const struct am_ocl_icd *icd);

#endif
