/* SPDX-License-Identifier: MIT */
/* Stands in for the vendor's library: two devices, the second without an energy counter.
 *
 * The variable FAKE_NVML chooses a fault: "unloaded", "denied", "mismatch" (it cannot begin),
 * "empty" (no device), "stuck" (the counter stands still), "lost" (the device falls off the bus
 * after some readings), "back" (the counter begins anew), "absurd" (a power that cannot be), "slow"
 * (each reading of a counter takes 5 ms), "hangs" (the fifth reading of the counter never comes
 * back), "hangs-first" (the first does not), "hangs-init" (the library does not begin), "crashes"
 * (the fifth reading ends the process). Built with FAKE_NVML_OLD it lacks the counter's function,
 * as libraries from before Volta do. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OK = 0,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
    DRIVER_NOT_LOADED = 9,
    GPU_IS_LOST = 15,
    RM_MISMATCH = 18,
    FIELD_POWER_INSTANT = 186,
    READINGS_GOOD = 20, /* before a fault shows */
    READINGS_BEFORE_END = 4,
};

struct field {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int type, status;
    union {
        double d;
        unsigned long long ull;
        unsigned u;
    } value;
};

static int devices[2] = {0, 1};
static unsigned long long energy_mj = 5000;
static unsigned readings;

int nvmlInit_v2(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned cap);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetFieldValues(void *device, int n, struct field *fields);
const char *nvmlErrorString(int code);

static int fault_is(const char *name)
{
    const char *const chosen = getenv("FAKE_NVML");

    return chosen && strcmp(chosen, name) == 0;
}

/* For ever, whatever signal comes; only a kill ends it. */
static void hang(void)
{
    for (;;)
        (void)pause();
}

int nvmlInit_v2(void)
{
    if (fault_is("hangs-init"))
        hang();
    readings = 0;
    energy_mj = 5000;
    return fault_is("unloaded")   ? DRIVER_NOT_LOADED
           : fault_is("denied")   ? NO_PERMISSION
           : fault_is("mismatch") ? RM_MISMATCH
                                  : OK;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = fault_is("empty") ? 0 : 2;
    return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &devices[index];
    return OK;
}

int nvmlDeviceGetName(void *device, char *name, unsigned cap)
{
    (void)device;
    (void)snprintf(name, cap, "Fake GPU");
    return OK;
}

#ifndef FAKE_NVML_OLD
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
    if (*(int *)device)
        return NOT_SUPPORTED;
    if (fault_is("hangs-first") || (readings == READINGS_BEFORE_END && fault_is("hangs")))
        hang();
    if (readings == READINGS_BEFORE_END && fault_is("crashes"))
        abort();
    if (fault_is("slow"))
        (void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    if (++readings > READINGS_GOOD && fault_is("lost"))
        return GPU_IS_LOST;
    if (readings == READINGS_GOOD && fault_is("back"))
        energy_mj = 0;
    if (!fault_is("stuck"))
        energy_mj += 1500;
    *mj = energy_mj;
    return OK;
}
#endif

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
    (void)device;
    *mw = fault_is("absurd") ? UINT32_MAX : 70500;
    return OK;
}

int nvmlDeviceGetFieldValues(void *device, int n, struct field *fields)
{
    for (int i = 0; i < n; i++) {
        fields[i].status =
            *(int *)device || fields[i].id != FIELD_POWER_INSTANT ? NOT_SUPPORTED : OK;
        fields[i].value.ull = 0;
        fields[i].value.u = fault_is("absurd") ? UINT32_MAX : 81250;
    }
    return OK;
}

const char *nvmlErrorString(int code)
{
    return code == NOT_SUPPORTED       ? "Not Supported"
           : code == NO_PERMISSION     ? "Insufficient Permissions"
           : code == DRIVER_NOT_LOADED ? "Driver Not Loaded"
           : code == GPU_IS_LOST       ? "GPU is lost"
           : code == RM_MISMATCH       ? "RM has detected an NVML/RM version mismatch."
                                       : "Unknown";
}
