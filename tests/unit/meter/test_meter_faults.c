/* SPDX-License-Identifier: MIT */
/* Every kind of meter with something wrong: counters that stand still, begin anew or leap, devices
 * that are lost, files that hold nonsense, programs that fail. What comes out is a number that is
 * true, or a reason and no number. All in a scripted time; argv[1] is the fake NVML library,
 * argv[2] one that lacks a function. */
#include "../fsroot/tree.h"
#include "meter/meter.h"
#include "meter/sampler.h"
#include "scripted_time.h"
#include "tap.h"

#include <errno.h>

#define ZONE "sys/class/powercap/intel-rapl:0/"
#define CHIP "sys/class/hwmon/hwmon0/"
#define PMU "sys/bus/event_source/devices/power/"

enum { BEGIN_MS = 1000, FAULT_MS = 4000, WINDOW_MS = 6000, WATTS = 50 };

static const char *nvml, *nvml_old;

struct fault;

struct bed {
    const struct fault *fault;
    struct tree tree;
    struct am_fsroot root;
    struct am_arena arena;
    struct scripted_time time;
    struct am_meter_request request;
    struct am_meters meters;
};

/* One fault of one provider. */
struct fault {
    const char *name;
    void (*make)(struct bed *b);              /* before the meters are opened */
    void (*pass)(struct bed *b, uint64_t ms); /* whenever time has passed; NULL: nothing moves */
    const char *text;                         /* for make and pass */
    const char *reason; /* part of why there is no number; NULL: there is one, and it is true */
};

static uint64_t ms_of(uint64_t now_ns)
{
    return now_ns / 1000000;
}

/* Microjoules since the beginning, at 50 W, from a start that lies before most wraps. */
static unsigned long long energy_uj(uint64_t ms)
{
    return 1000ull * WATTS * ms;
}

/* ---- powercap ---- */

static void make_zone(struct bed *b)
{
    tree_put(&b->tree, ZONE "name", "package-0");
    tree_put(&b->tree, ZONE "max_energy_range_uj", "%s", b->fault->text ? b->fault->text : "0");
    tree_put(&b->tree, ZONE "energy_uj", "%015llu", energy_uj(BEGIN_MS));
}

static void put_energy(struct bed *b, unsigned long long uj)
{
    tree_put(&b->tree, ZONE "energy_uj", "%015llu", uj);
}

static void move_zone(struct bed *b, uint64_t ms)
{
    put_energy(b, energy_uj(ms));
}

static void wrap_zone(struct bed *b, uint64_t ms)
{
    put_energy(b, energy_uj(ms) % 100000000);
}

static void reset_zone(struct bed *b, uint64_t ms)
{
    put_energy(b, energy_uj(ms < FAULT_MS ? ms : ms - FAULT_MS));
}

static void leap_zone(struct bed *b, uint64_t ms)
{
    put_energy(b, energy_uj(ms) + (ms < FAULT_MS ? 0 : 1000000000000ull));
}

static void stop_zone(struct bed *b, uint64_t ms)
{
    put_energy(b, energy_uj(ms < FAULT_MS ? ms : FAULT_MS));
}

static void spoil_zone(struct bed *b, uint64_t ms)
{
    if (ms < FAULT_MS)
        move_zone(b, ms);
    else
        tree_put(&b->tree, ZONE "energy_uj", "%s", b->fault->text ? b->fault->text : "");
}

/* ---- hwmon ---- */

static void make_power(struct bed *b)
{
    tree_put(&b->tree, CHIP "name", "amdgpu");
    tree_put(&b->tree, CHIP "update_interval", "20");
    tree_put(&b->tree, CHIP "power1_input", "%d", WATTS * 1000000);
}

static void change_power(struct bed *b, uint64_t ms)
{
    tree_put(&b->tree, CHIP "power1_input", "%s", ms < FAULT_MS ? "50000000" : b->fault->text);
}

static void make_intel_gpu(struct bed *b)
{
    tree_put(&b->tree, CHIP "name", "xe");
    tree_put(&b->tree, CHIP "energy1_input", "%015llu", energy_uj(BEGIN_MS));
}

static void move_intel_gpu(struct bed *b, uint64_t ms)
{
    tree_put(&b->tree, CHIP "energy1_input", "%015llu", energy_uj(ms));
}

static void reset_intel_gpu(struct bed *b, uint64_t ms)
{
    move_intel_gpu(b, ms < FAULT_MS ? ms : ms - FAULT_MS);
}

/* ---- registers ---- */

static void put_register(struct bed *b, off_t reg, uint64_t value)
{
    char path[PATH_MAX];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/dev/cpu/0/msr", b->tree.path);
    tree_parents(path);
    fd = open(path, O_WRONLY | O_CREAT, 0644);
    b->tree.broken |= fd < 0 || pwrite(fd, &value, sizeof(value), reg) != (ssize_t)sizeof(value);
    if (fd >= 0)
        (void)close(fd);
}

/* 2^-14 J a tick: 50 W are 819200 of them per second. The register wraps 4 s after the beginning.
 */
static uint64_t register_at(uint64_t ms)
{
    return (UINT64_C(0xffffffff) - UINT64_C(3276800) + UINT64_C(819200) * ms / 1000) & 0xffffffffu;
}

static void make_registers(struct bed *b)
{
    b->request.msr = true;
    tree_put(&b->tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\nmodel\t\t: 85");
    tree_put(&b->tree, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    put_register(b, 0x606, 0xa0e03);
    put_register(b, 0x611, register_at(BEGIN_MS));
}

static void move_registers(struct bed *b, uint64_t ms)
{
    put_register(b, 0x611, register_at(ms));
}

static void lose_registers(struct bed *b, uint64_t ms)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/dev/cpu/0/msr", b->tree.path);
    if (ms < FAULT_MS)
        move_registers(b, ms);
    else
        b->tree.broken |= truncate(path, 0) != 0;
}

/* ---- perf ---- */

/* A pipe with some values in it: then nothing more can be read. */
static int short_pipe(uint32_t type, uint64_t config, int cpu)
{
    int fd[2];

    (void)type, (void)config, (void)cpu;
    if (pipe(fd) != 0)
        return -1;
    for (uint64_t i = 0; i < 300; i++) {
        const uint64_t value = i << 31;

        if (write(fd[1], &value, sizeof(value)) < 0)
            break;
    }
    (void)close(fd[1]);
    return fd[0];
}

static int no_event(uint32_t type, uint64_t config, int cpu)
{
    (void)type, (void)config, (void)cpu;
    errno = EACCES;
    return -1;
}

static void make_events(struct bed *b)
{
    b->request.perf_open = b->fault->text ? no_event : short_pipe;
    tree_put(&b->tree, PMU "type", "24");
    tree_put(&b->tree, PMU "cpumask", "0");
    tree_put(&b->tree, PMU "events/energy-pkg", "event=0x02");
    tree_put(&b->tree, PMU "events/energy-pkg.scale", "2.3283064365386962890625e-10");
}

/* ---- the vendor's library ---- */

static void make_gpu(struct bed *b)
{
    b->request.nvml_library = nvml;
    b->request.only = "nvml:gpu-0";
    b->tree.broken |= setenv("FAKE_NVML", b->fault->text ? b->fault->text : "", 1) != 0;
}

/* What hangs is given up after a tenth of a second, not of minutes. */
static void make_hasty_gpu(struct bed *b)
{
    make_gpu(b);
    b->request.nvml_patience_s = 0.1;
}

static void make_gpu_power(struct bed *b)
{
    make_gpu(b);
    b->request.only = "nvml:gpu-0.power";
}

static void make_gpus(struct bed *b)
{
    make_gpu(b);
    b->request.only = NULL;
}

static void make_old_gpu(struct bed *b)
{
    b->request.nvml_library = nvml_old;
}

/* ---- a program ---- */

static void make_program(struct bed *b)
{
    b->request.command = am_arena_printf(&b->arena, "sh -c \"test -e %s/on && echo %d || %s\"",
                                         b->tree.path, WATTS, b->fault->text);
    tree_put(&b->tree, "on", "yes");
}

static void switch_off(struct bed *b, uint64_t ms)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/on", b->tree.path);
    if (ms >= FAULT_MS)
        (void)remove(path);
}

static const struct fault faults[] = {
    {"powercap: steady", make_zone, move_zone, "0", NULL},
    {"powercap: begins anew at its range", make_zone, wrap_zone, "100000000", NULL},
    {"powercap: begins anew, range unknown", make_zone, wrap_zone, "0", "went back"},
    {"powercap: reset, range known", make_zone, reset_zone, "262143328850", "cannot be"},
    {"powercap: leaps", make_zone, leap_zone, "0", "cannot be"},
    {"powercap: stops", make_zone, stop_zone, "0", "stood still"},
    {"powercap: empties", make_zone, spoil_zone, "", "holds no number"},
    {"powercap: nonsense", make_zone, spoil_zone, "busy", "holds no number"},
    {"hwmon: steady", make_power, NULL, NULL, NULL},
    {"hwmon: negative", make_power, change_power, "-7000000", "holds no number"},
    {"hwmon: absurd", make_power, change_power, "99999999999999", "cannot be"},
    {"hwmon, Intel GPU: steady", make_intel_gpu, move_intel_gpu, NULL, NULL},
    {"hwmon, Intel GPU: reset", make_intel_gpu, reset_intel_gpu, NULL, "went back"},
    {"msr: begins anew after 2^32", make_registers, move_registers, NULL, NULL},
    {"msr: lost", make_registers, lose_registers, NULL, "not there any more"},
    {"perf: ends", make_events, NULL, NULL, "has ended"},
    {"perf: denied", make_events, NULL, "denied", "Permission denied"},
    {"nvml: stuck", make_gpu, NULL, "stuck", "stood still"},
    {"nvml: lost", make_gpu, NULL, "lost", "GPU is lost"},
    {"nvml: begins anew", make_gpu, NULL, "back", "went back"},
    {"nvml: power absurd", make_gpu_power, NULL, "absurd", "cannot be"},
    {"nvml: driver not loaded", make_gpus, NULL, "unloaded", "Driver Not Loaded"},
    {"nvml: denied", make_gpus, NULL, "denied", "Insufficient Permissions"},
    {"nvml: two drivers", make_gpus, NULL, "mismatch", "mismatch"},
    {"nvml: an old library", make_old_gpu, NULL, NULL, "TotalEnergy"},
    {"nvml: hangs in a reading", make_hasty_gpu, NULL, "hangs", "has not answered"},
    {"nvml: hangs in its first reading", make_hasty_gpu, NULL, "hangs-first", "has not answered"},
    {"nvml: hangs when it begins", make_hasty_gpu, NULL, "hangs-init", "has not answered"},
    {"nvml: ends its process", make_gpu, NULL, "crashes", "ended the process"},
    {"command: steady", make_program, NULL, "false", NULL},
    {"command: fails", make_program, switch_off, "false", "cannot be read"},
    {"command: prints and fails", make_program, switch_off, "(echo 7; exit 3)", "cannot be read"},
    {"command: nonsense", make_program, switch_off, "echo hot", "cannot be read"},
    {"command: not finite", make_program, switch_off, "echo inf", "cannot be"},
    {"command: negative", make_program, switch_off, "echo -3", "cannot be"},
};

static void on_time(void *self, uint64_t now_ns)
{
    struct bed *const b = self;

    if (b->fault->pass)
        b->fault->pass(b, ms_of(now_ns));
}

/* The meters of a bed over the window; `e` is that of the first, and of one that is asked for where
 * the first is not. */
static void measure(struct bed *b, struct am_energy *e)
{
    static struct am_energy all[AM_METERS_MAX];
    struct am_meter_sampler *s = NULL;
    struct am_err err = {0};
    uint64_t t0;

    am_meters_probe(&b->meters);
    if (am_meter_sampler_start(&b->meters, -1, &s, &err) != AM_OK) {
        (void)snprintf(e->reason, sizeof(e->reason), "no sampler: %.100s", err.text);
        return;
    }
    t0 = am_meters_now(&b->meters);
    am_meter_sampler_rest(s, WINDOW_MS * UINT64_C(1000000));
    am_meter_sampler_window(s, t0, am_meters_now(&b->meters), all);
    *e = all[0];
    for (size_t i = 1; i < b->meters.n; i++) {
        if (!am_meter_counts(&b->meters.items[0]) && am_meter_counts(&b->meters.items[i]))
            *e = all[i];
    }
    am_meter_sampler_stop(s);
}

static void judge(const struct fault *f, const struct bed *b, const struct am_energy *e)
{
    if (!f->reason)
        ok(e->valid && fabs(e->watts - WATTS) < 0.02 * WATTS, "%s: %g W (%s)", f->name, e->watts,
           e->reason);
    else
        ok(b->meters.n > 0 && !e->valid && isnan(e->joules) && isnan(e->watts) &&
               strstr(e->reason, f->reason),
           "%s: no number, but \"%s\"", f->name, e->reason);
}

static void try_fault(const struct fault *f)
{
    struct bed b = {.fault = f};
    struct am_energy e = {.joules = NAN, .watts = NAN};
    struct am_err err = {0};
    enum am_status s;

    tree_open(&b.tree);
    scripted_time_init(&b.time);
    b.time.passed = on_time;
    b.time.self = &b;
    b.request.time = &b.time.time;
    f->make(&b);
    s = am_fsroot_open(&b.root, b.tree.path, &err);
    b.request.root = &b.root;
    if (s == AM_OK)
        s = am_meters_open(&b.request, &b.arena, &b.meters, &err);
    if (s == AM_OK && b.meters.n)
        measure(&b, &e);
    if (s != AM_OK || b.tree.broken)
        ok(false, "%s: %s", f->name, b.tree.broken ? "the tree cannot be written" : err.text);
    else
        judge(f, &b, &e);
    am_meters_close(&b.meters);
    am_fsroot_close(&b.root);
    am_arena_fini(&b.arena);
    tree_close(&b.tree);
}

/* What is there and closed says what opens it. */
static void test_remedies(void)
{
    static const struct fault closed[] = {
        {"perf: denied", make_events, NULL, "denied", "CAP_PERFMON"},
        {"nvml: denied", make_gpus, NULL, "denied", "/dev/nvidiactl"},
        {"nvml: driver not loaded", make_gpus, NULL, "unloaded", "module nvidia"},
        {"nvml: two drivers", make_gpus, NULL, "mismatch", "reboot"},
        {"nvml: an old library", make_old_gpu, NULL, NULL, "driver's own library"},
    };

    for (size_t i = 0; i < sizeof(closed) / sizeof(*closed); i++) {
        struct bed b = {.fault = &closed[i]};
        const struct am_meter *const m = &b.meters.items[0];
        struct am_err err = {0};
        enum am_status s;

        tree_open(&b.tree);
        closed[i].make(&b);
        b.request.root = &b.root;
        s = am_fsroot_open(&b.root, b.tree.path, &err);
        if (s == AM_OK)
            s = am_meters_open(&b.request, &b.arena, &b.meters, &err);
        ok(s == AM_OK && b.meters.n == 1 && !am_meter_counts(m) && m->remedy &&
               strstr(m->remedy, closed[i].reason),
           "%s: %s", closed[i].name, m->remedy ? m->remedy : "no remedy");
        am_meters_close(&b.meters);
        am_fsroot_close(&b.root);
        am_arena_fini(&b.arena);
        tree_close(&b.tree);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    nvml = argv[1];
    nvml_old = argv[2];
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
        try_fault(&faults[i]);
    test_remedies();
    return tap_done();
}
