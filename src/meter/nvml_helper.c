/* SPDX-License-Identifier: MIT */
/* The process that calls NVIDIA's management library. Declarations are our own: the library is
 * loaded at run time and no build dependency. */
#include "meter/nvml_helper.h"

#include "base/clock.h"
#include "base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

enum { GPUS_MAX = 32, FIELD_POWER_INSTANT = 186 };

/* One entry of a field request, as the library lays it out. */
struct field {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int type, status;
    union {
        double d;
        unsigned u;
        unsigned long ul;
        unsigned long long ull;
        long long ll;
    } value;
};

struct library {
    void *handle;
    int (*init)(void);
    int (*count)(unsigned *n);
    int (*device)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned cap);
    int (*energy)(void *device, unsigned long long *millijoules);
    int (*power)(void *device, unsigned *milliwatts);
    int (*fields)(void *device, int n, struct field *fields); /* may be missing */
    const char *(*error)(int code);
    void *devices[GPUS_MAX];
    bool instant[GPUS_MAX];
    unsigned n;
};

static const struct symbol {
    const char *name;
    size_t at;
    bool needed;
} symbols[] = {
    {"nvmlInit_v2", offsetof(struct library, init), true},
    {"nvmlDeviceGetCount_v2", offsetof(struct library, count), true},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct library, device), true},
    {"nvmlDeviceGetName", offsetof(struct library, name), true},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct library, energy), true},
    {"nvmlDeviceGetPowerUsage", offsetof(struct library, power), true},
    {"nvmlDeviceGetFieldValues", offsetof(struct library, fields), false},
    {"nvmlErrorString", offsetof(struct library, error), true},
};

/* The name of the first function that is needed and missing; NULL when all are there. */
static const char *find_functions(struct library *l)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        void *const found = dlsym(l->handle, symbols[i].name);

        if (!found && symbols[i].needed)
            return symbols[i].name;
        memcpy((char *)l + symbols[i].at, &found, sizeof(found));
    }
    return NULL;
}

static void begin(struct library *l, const char *path, struct am_nvml_answer *out)
{
    const char *missing;

    out->code = AM_NVML_NO_LIBRARY;
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle)
        return;
    missing = find_functions(l);
    if (missing) {
        out->code = AM_NVML_NO_FUNCTION;
        (void)am_str_copy(out->text, sizeof(out->text), missing);
        return;
    }
    out->code = l->init();
    if (out->code == 0 && l->count(&l->n) != 0)
        l->n = 0;
    l->n = l->n < GPUS_MAX ? l->n : GPUS_MAX;
    out->value = l->n;
}

static int instant_power(const struct library *l, uint32_t index, uint64_t *milliwatts)
{
    struct field f = {.id = FIELD_POWER_INSTANT};
    const int code = l->fields(l->devices[index], 1, &f);

    *milliwatts = f.value.u;
    return code ? code : f.status;
}

static int averaged_power(const struct library *l, uint32_t index, uint64_t *milliwatts)
{
    unsigned value = 0;
    const int code = l->power(l->devices[index], &value);

    *milliwatts = value;
    return code;
}

static void describe(struct library *l, uint32_t index, struct am_nvml_answer *out)
{
    uint64_t unused;

    out->code = l->device(index, &l->devices[index]);
    if (out->code != 0)
        return;
    l->instant[index] = l->fields && instant_power(l, index, &unused) == 0;
    out->instant = l->instant[index];
    (void)l->name(l->devices[index], out->text, AM_NVML_TEXT_CAP);
}

static void read_value(const struct library *l, const struct am_nvml_question *q,
                       struct am_nvml_answer *out)
{
    unsigned long long millijoules = 0;

    out->t0_ns = am_now_ns();
    if (q->what == AM_NVML_ENERGY)
        out->code = l->energy(l->devices[q->index], &millijoules);
    else if (l->instant[q->index])
        out->code = instant_power(l, q->index, &out->value);
    else
        out->code = averaged_power(l, q->index, &out->value);
    out->t1_ns = am_now_ns();
    if (q->what == AM_NVML_ENERGY)
        out->value = millijoules;
}

static void answer(struct library *l, const char *path, const struct am_nvml_question *q,
                   struct am_nvml_answer *out)
{
    if (q->what == AM_NVML_BEGIN)
        begin(l, path, out);
    else if (q->what == AM_NVML_DEVICE)
        describe(l, q->index, out);
    else
        read_value(l, q, out);
    if (out->code > 0)
        (void)am_str_copy(out->text, sizeof(out->text), l->error(out->code));
}

void am_nvml_serve(int socket, const char *path)
{
    struct library l = {0};
    struct am_nvml_question q;

    for (;;) {
        struct am_nvml_answer a = {0};
        const ssize_t n = recv(socket, &q, sizeof(q), 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n != (ssize_t)sizeof(q) || q.index >= GPUS_MAX)
            return;
        answer(&l, path, &q, &a);
        if (send(socket, &a, sizeof(a), MSG_NOSIGNAL) != (ssize_t)sizeof(a))
            return;
    }
}
