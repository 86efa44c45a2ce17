/* SPDX-License-Identifier: MIT */
/* OpenCL drivers installed here, as the loader would find them. */
#include "bench/ocl/host/icd.h"

#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_folder[] = "/etc/OpenCL/vendors";
static const char suffix[] = ".icd";

static const char *non_empty(const char *text)
{
    return text && *text ? text : NULL;
}

struct am_ocl_icd_search am_ocl_icd_environment(void)
{
    return (struct am_ocl_icd_search){
        .vendors = non_empty(getenv("OCL_ICD_VENDORS")),
        .folder = non_empty(getenv("OPENCL_VENDOR_PATH")),
        .filenames = non_empty(getenv("OCL_ICD_FILENAMES")),
    };
}

static bool ends_with_suffix(const char *name)
{
    const size_t len = strlen(name), tail = sizeof(suffix) - 1;

    return len > tail && strcmp(name + len - tail, suffix) == 0;
}

/* The first line of an .icd file is its library. */
static void read_library(struct am_ocl_icd *icd)
{
    const int fd = open(icd->path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;

    if (fd >= 0) {
        n = read(fd, icd->library, sizeof(icd->library) - 1);
        (void)close(fd);
    }
    icd->library[n > 0 ? n : 0] = '\0';
    icd->library[strcspn(icd->library, " \t\r\n")] = '\0';
}

static void add_file(struct am_ocl_icds *out, const char *path)
{
    struct am_ocl_icd *const icd = &out->list[out->n];

    if (out->n == AM_OCL_ICDS_MAX || !am_str_copy(icd->path, sizeof(icd->path), path))
        return;
    read_library(icd);
    out->n++;
}

static void add_library(struct am_ocl_icds *out, const char *path, size_t len)
{
    struct am_ocl_icd *const icd = &out->list[out->n];

    if (out->n == AM_OCL_ICDS_MAX || !len || len >= sizeof(icd->path))
        return;
    memcpy(icd->path, path, len);
    icd->path[len] = '\0';
    (void)am_str_copy(icd->library, sizeof(icd->library), icd->path);
    out->n++;
}

static int is_icd(const struct dirent *entry)
{
    return ends_with_suffix(entry->d_name);
}

/* In the order of names, so that numbered devices keep their numbers. */
static void add_folder(struct am_ocl_icds *out, const char *folder)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, is_icd, alphasort);

    for (int i = 0; i < n; i++) {
        char path[AM_OCL_PATH_MAX];

        if (am_str_format(path, sizeof(path), "%s/%s", folder, entries[i]->d_name))
            add_file(out, path);
        free(entries[i]);
    }
    free(entries);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A bare name means one in the folder, if it is there. */
static void add_named(struct am_ocl_icds *out, const char *folder, const char *name)
{
    char path[AM_OCL_PATH_MAX];

    if (!strchr(name, '/') && am_str_format(path, sizeof(path), "%s/%s", folder, name) &&
        access(path, R_OK) == 0)
        add_file(out, path);
    else
        add_file(out, name);
}

void am_ocl_icd_list(const struct am_ocl_icd_search *search, struct am_ocl_icds *out)
{
    const char *const folder = search->folder ? search->folder : default_folder;
    const char *at = search->filenames ? search->filenames : "";

    out->n = 0;
    if (!search->vendors || is_folder(search->vendors))
        add_folder(out, search->vendors ? search->vendors : folder);
    else if (ends_with_suffix(search->vendors))
        add_named(out, folder, search->vendors);
    else
        add_library(out, search->vendors, strlen(search->vendors));
    while (*at) {
        const size_t len = strcspn(at, ":");

        add_library(out, at, len);
        at += len + (at[len] == ':');
    }
}

void am_ocl_icd_name(const struct am_ocl_icd *icd, char *buf, size_t cap)
{
    const char *const slash = strrchr(icd->path, '/');
    const char *name = slash ? slash + 1 : icd->path;

    if (strncmp(name, "lib", 3) == 0 && !ends_with_suffix(name))
        name += 3;
    (void)am_str_copy(buf, cap, name);
    buf[strcspn(buf, ".")] = '\0';
}

/* Debian's loader takes a file or a library as OCL_ICD_VENDORS; for that of Khronos this is a
 * folder that is not there, and libraries stand in OCL_ICD_FILENAMES. */
bool am_ocl_icd_bind(const struct am_ocl_icd *icd)
{
    if (!*icd->library || setenv("OCL_ICD_VENDORS", icd->path, 1) != 0)
        return false;
    return setenv("OCL_ICD_FILENAMES", icd->library, 1) == 0;
}
