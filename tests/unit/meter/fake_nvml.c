/* SPDX-License-Identifier: MIT */
/* Stands in for the vendor's library: two devices, the second without an energy counter. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { OK = 0, NOT_SUPPORTED = 3, FIELD_POWER_INSTANT = 186 };

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

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned cap);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetFieldValues(void *device, int n, struct field *fields);
const char *nvmlErrorString(int code);

int nvmlInit_v2(void)
{
    return OK;
}

int nvmlShutdown(void)
{
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = 2;
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

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
    if (*(int *)device)
        return NOT_SUPPORTED;
    *mj = energy_mj += 1500;
    return OK;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
    (void)device;
    *mw = 70500;
    return OK;
}

int nvmlDeviceGetFieldValues(void *device, int n, struct field *fields)
{
    for (int i = 0; i < n; i++) {
        fields[i].status =
            *(int *)device || fields[i].id != FIELD_POWER_INSTANT ? NOT_SUPPORTED : OK;
        fields[i].value.ull = 0;
        fields[i].value.u = 81250;
    }
    return OK;
}

const char *nvmlErrorString(int code)
{
    return code == NOT_SUPPORTED ? "Not Supported" : "Unknown";
}
