/* SPDX-License-Identifier: MIT */
/* NVIDIA GPUs through the vendor's management library, loaded at run time. Declarations are our
 * own: the library is no build dependency.
 *
 * A machine without the library has no such meter. One whose library cannot be used (an old one
 * that lacks a function, a driver that is not loaded, closed device files) is told so, with what
 * would help. How long a reading takes is the driver's business: one thread reads them all, so that
 * nobody else's readings wait for it. */
#include "base/clock.h"
#include "meter/meter.h"
#include "topo/energy_remedies.h"

#include <dlfcn.h>
#include <string.h>

enum { NAME_CAP = 96, GPUS_MAX = 32, FIELD_POWER_INSTANT = 186 };

static const uint64_t usual_period_ns = 100 * UINT64_C(1000000); /* of both values, about */
static const uint64_t averaging_ns = 1000000000u; /* of the plain power reading since Ampere */
static const double unlikely_w = 5000;

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
    int (*shutdown)(void);
    int (*count)(unsigned *n);
    int (*device)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned cap);
    int (*energy)(void *device, unsigned long long *millijoules);
    int (*power)(void *device, unsigned *milliwatts);
    int (*fields)(void *device, int n, struct field *fields); /* may be missing */
    const char *(*error)(int code);
};

static const struct symbol {
    const char *name;
    size_t at;
    bool needed;
} symbols[] = {
    {"nvmlInit_v2", offsetof(struct library, init), true},
    {"nvmlShutdown", offsetof(struct library, shutdown), true},
    {"nvmlDeviceGetCount_v2", offsetof(struct library, count), true},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct library, device), true},
    {"nvmlDeviceGetName", offsetof(struct library, name), true},
    {"nvmlDeviceGetTotalEnergyConsumption", offsetof(struct library, energy), true},
    {"nvmlDeviceGetPowerUsage", offsetof(struct library, power), true},
    {"nvmlDeviceGetFieldValues", offsetof(struct library, fields), false},
    {"nvmlErrorString", offsetof(struct library, error), true},
};

/* One value of one device. The library is shut down with the last of them. */
struct gpu {
    struct library *library;
    void *device;
    bool last, momentary;
};

/* What opens a library that is there; by its own codes. */
static const struct obstacle {
    int code;
    const char *remedy;
} obstacles[] = {
    {4, AM_REMEDY_NVML},
    {9, "Load the kernel's module nvidia, or start the container with the GPU."},
    {18, "Library and kernel module are of different drivers: load the module again, or reboot."},
};

/* One entry that says why there are no others. */
static void list_obstacle(struct am_meters *out, const char *why, const char *remedy)
{
    struct am_meter *const m = am_meters_add(out, "nvml");

    if (!m)
        return;
    m->id = "gpu";
    m->scope = AM_SCOPE_GPU;
    m->why_not = why ? why : "the library cannot be used";
    m->remedy = remedy;
}

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

/* Loads and begins; false when there is none, or when it cannot be used, which is listed. */
static bool load(struct library *l, const char *path, struct am_arena *arena, struct am_meters *out)
{
    const char *missing, *remedy = NULL;
    int code;

    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle)
        return false;
    missing = find_functions(l);
    code = missing ? 0 : l->init();
    if (!missing && code == 0)
        return true;
    for (size_t i = 0; i < sizeof(obstacles) / sizeof(*obstacles); i++)
        remedy = obstacles[i].code == code ? obstacles[i].remedy : remedy;
    if (missing)
        list_obstacle(out, am_arena_printf(arena, "%s has no %s", path, missing),
                      "Install the driver's own library; those since 2018 have it.");
    else
        list_obstacle(out, am_arena_printf(arena, "%s: %s", path, l->error(code)), remedy);
    (void)dlclose(l->handle);
    return false;
}

static enum am_status read_energy(void *self, struct am_reading *out, struct am_err *err)
{
    const struct gpu *const g = self;
    unsigned long long millijoules = 0;
    int code;

    out->t0_ns = am_now_ns();
    code = g->library->energy(g->device, &millijoules);
    out->t1_ns = am_now_ns();
    out->ticks = millijoules;
    return code ? am_fail(err, AM_E_ABSENT, "%s", g->library->error(code)) : AM_OK;
}

static int momentary_power(const struct gpu *g, double *watts)
{
    struct field f = {.id = FIELD_POWER_INSTANT};
    const int code = g->library->fields(g->device, 1, &f);

    *watts = (double)f.value.u * 1e-3;
    return code ? code : f.status;
}

static int averaged_power(const struct gpu *g, double *watts)
{
    unsigned milliwatts = 0;
    const int code = g->library->power(g->device, &milliwatts);

    *watts = (double)milliwatts * 1e-3;
    return code;
}

static enum am_status read_power(void *self, struct am_reading *out, struct am_err *err)
{
    const struct gpu *const g = self;
    int code;

    out->t0_ns = am_now_ns();
    code = g->momentary ? momentary_power(g, &out->watts) : averaged_power(g, &out->watts);
    out->t1_ns = am_now_ns();
    return code ? am_fail(err, AM_E_ABSENT, "%s", g->library->error(code)) : AM_OK;
}

static void close_gpu(void *self)
{
    struct gpu *const g = self;

    if (!g->last)
        return;
    (void)g->library->shutdown();
    (void)dlclose(g->library->handle);
}

static struct gpu *new_gpu(struct library *l, void *device, struct am_arena *arena)
{
    struct gpu *const g = am_arena_alloc(arena, sizeof(*g));
    double watts;

    if (!g)
        return NULL;
    *g = (struct gpu){.library = l, .device = device};
    g->momentary = l->fields && momentary_power(g, &watts) == 0;
    return g;
}

/* Both values are looked at once: one that this device does not give is listed with the reason. */
static void add_value(struct library *l, void *device, enum am_meter_kind kind, unsigned index,
                      struct am_arena *arena, struct am_meters *out)
{
    struct gpu *const g = new_gpu(l, device, arena);
    struct am_meter *const m = g ? am_meters_add(out, "nvml") : NULL;
    char name[NAME_CAP] = "";
    struct am_reading reading;
    struct am_err why = {0};

    if (!m)
        return;
    (void)l->name(device, name, sizeof(name));
    m->id = am_arena_printf(arena, kind == AM_METER_COUNTER ? "gpu-%u" : "gpu-%u.power", index);
    m->scope = AM_SCOPE_GPU;
    m->kind = kind;
    m->covers = am_arena_printf(arena, "the whole board of this %s, its memory included", name);
    m->quantum_j = kind == AM_METER_COUNTER ? 1e-3 : 0;
    m->period_ns = usual_period_ns;
    m->averaging_ns = kind == AM_METER_POWER && !g->momentary ? averaging_ns : 0;
    m->power_max_w = unlikely_w;
    m->slow = true;
    m->mailbox = l;
    m->self = g;
    m->close = close_gpu;
    m->read = kind == AM_METER_COUNTER ? read_energy : read_power;
    if (m->read(g, &reading, &why) != AM_OK)
        m->why_not = am_arena_strdup(arena, why.text);
}

static void add_device(struct library *l, unsigned index, struct am_arena *arena,
                       struct am_meters *out)
{
    const int counter = (int)out->n;
    void *device;

    if (l->device(index, &device) != 0)
        return;
    add_value(l, device, AM_METER_COUNTER, index, arena, out);
    add_value(l, device, AM_METER_POWER, index, arena, out);
    /* The same energy another way: both are shown, and never added. */
    if ((int)out->n == counter + 2 && !out->items[counter].why_not)
        out->items[counter + 1].parent = counter;
}

enum am_status am_meter_open_nvml(const struct am_meter_request *request, struct am_arena *arena,
                                  struct am_meters *out, struct am_err *err)
{
    const char *const path = request->nvml_library ? request->nvml_library : "libnvidia-ml.so.1";
    struct library *const l = am_arena_alloc(arena, sizeof(*l));
    const size_t first = out->n;
    unsigned n = 0;

    if (!l)
        return am_fail(err, AM_E_NOMEM, "no memory for the meters");
    if ((request->root->synthetic && !request->nvml_library) || !load(l, path, arena, out))
        return AM_OK;
    if (l->count(&n) != 0)
        n = 0;
    for (unsigned i = 0; i < n && i < GPUS_MAX; i++)
        add_device(l, i, arena, out);
    if (out->n > first) {
        ((struct gpu *)out->items[out->n - 1].self)->last = true;
    } else {
        (void)l->shutdown();
        (void)dlclose(l->handle);
    }
    return AM_OK;
}
