/* SPDX-License-Identifier: MIT */
/* Event numbers: the kernel's by a table, a processor's by libpfm. */
#include "bench/exec/event_codes.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

enum { PFM_OK = 0, PFM_USER = 8, PFM_FOR_PERF = 1 };

/* PAPI's presets whose meaning is exactly that of the kernel's event, and the kernel's own names as
 * libpfm has them. Its "cache references" are of another level from maker to maker: they are not
 * PAPI's of the third. */
static const struct {
    const char *name;
    uint64_t type, config;
} kernel_events[] = {
    {"PAPI_TOT_CYC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"PAPI_TOT_INS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"PAPI_BR_INS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"PAPI_BR_MSP", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"perf::CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"perf::INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"perf::CACHE-REFERENCES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"perf::CACHE-MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"perf::BRANCHES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"perf::BRANCH-MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"perf::TASK-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"perf::PAGE-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"perf::MINOR-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"perf::MAJOR-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"perf::CONTEXT-SWITCHES", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"perf::CPU-MIGRATIONS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

/* As libpfm's encoder takes it. */
struct pfm_request {
    struct perf_event_attr *attr;
    char **full_name;
    size_t size;
    int index, cpu, flags;
};

static enum am_status ask_libpfm(const char *name, struct am_event_code *out, struct am_err *err)
{
    void *const library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    struct perf_event_attr attr = {.size = sizeof(attr)};
    struct pfm_request request = {.attr = &attr, .size = sizeof(request)};
    int (*initialise)(void) = NULL;
    int (*encode)(const char *name, int levels, int system, void *request) = NULL;
    void *found;

    if (!library)
        return am_fail(err, AM_E_ABSENT,
                       "%s cannot be counted at marks: its number needs libpfm (Debian's package "
                       "is libpfm4)",
                       name);
    found = dlsym(library, "pfm_initialize");
    memcpy(&initialise, &found, sizeof(found));
    found = dlsym(library, "pfm_get_os_event_encoding");
    memcpy(&encode, &found, sizeof(found));
    if (!initialise || !encode || initialise() != PFM_OK ||
        encode(name, PFM_USER, PFM_FOR_PERF, &request) != PFM_OK)
        return am_fail(err, AM_E_ABSENT,
                       "%s cannot be counted at marks: libpfm knows no such event of this machine",
                       name);
    *out = (struct am_event_code){attr.type, attr.config, attr.config1, attr.config2};
    return AM_OK;
}

enum am_status am_event_code(const char *name, struct am_event_code *out, struct am_err *err)
{
    for (size_t i = 0; i < sizeof(kernel_events) / sizeof(*kernel_events); i++) {
        if (strcmp(kernel_events[i].name, name) == 0) {
            *out = (struct am_event_code){kernel_events[i].type, kernel_events[i].config, 0, 0};
            return AM_OK;
        }
    }
    return ask_libpfm(name, out, err);
}

enum am_status am_event_codes_text(const char *const *names, size_t n, struct am_text *out,
                                   struct am_err *err)
{
    enum am_status s = AM_OK;

    for (size_t i = 0; i < n && s == AM_OK; i++) {
        struct am_event_code code = {0};

        s = am_event_code(names[i], &code, err);
        am_text_addf(out, "%s%" PRIx64 ":%" PRIx64 ":%" PRIx64 ":%" PRIx64, i ? " " : "", code.type,
                     code.config, code.config1, code.config2);
    }
    return s;
}
