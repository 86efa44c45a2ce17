/* SPDX-License-Identifier: MIT */
/* The meters on trees, files and devices that are made up: what is found, what includes what, what
 * is refused and why. argv[1] is the fake NVML library. */
#include "../fsroot/tree.h"
#include "meter/meter.h"
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define ZONES "sys/class/powercap/"
#define PMU "sys/bus/event_source/devices/power/"

/* Everything a case needs, opened and closed together. */
struct bed {
    struct tree tree;
    struct am_fsroot root;
    struct am_arena arena;
    struct am_meters meters;
    struct am_meter_request request;
};

static void bed_open(struct bed *b)
{
    *b = (struct bed){0};
    tree_open(&b->tree);
}

static bool bed_find(struct bed *b)
{
    struct am_err err = {0};
    enum am_status s = am_fsroot_open(&b->root, b->tree.path, &err);

    b->request.root = &b->root;
    if (s == AM_OK)
        s = am_meters_open(&b->request, &b->arena, &b->meters, &err);
    return ok(s == AM_OK && !b->tree.broken, "the meters are looked for (%s)", err.text);
}

static void bed_close(struct bed *b)
{
    am_meters_close(&b->meters);
    am_fsroot_close(&b->root);
    am_arena_fini(&b->arena);
    tree_close(&b->tree);
}

static const struct am_meter *find(const struct bed *b, const char *provider, const char *id)
{
    for (size_t i = 0; i < b->meters.n; i++) {
        if (strcmp(b->meters.items[i].provider, provider) == 0 &&
            strcmp(b->meters.items[i].id, id) == 0)
            return &b->meters.items[i];
    }
    return NULL;
}

static int index_of(const struct bed *b, const struct am_meter *m)
{
    return m ? (int)(m - b->meters.items) : -2;
}

static void put_zone(struct bed *b, const char *zone, const char *name, uint64_t uj,
                     const char *range)
{
    char path[128];

    (void)snprintf(path, sizeof(path), ZONES "%s/name", zone);
    tree_put(&b->tree, path, "%s", name);
    (void)snprintf(path, sizeof(path), ZONES "%s/energy_uj", zone);
    tree_put(&b->tree, path, "%llu", (unsigned long long)uj);
    (void)snprintf(path, sizeof(path), ZONES "%s/max_energy_range_uj", zone);
    if (range)
        tree_put(&b->tree, path, "%s", range);
}

static void test_nothing(void)
{
    struct bed b;

    bed_open(&b);
    bed_find(&b);
    ok(b.meters.n == 0 && b.meters.synthetic, "an empty tree has no meter, and is a false root");
    am_meters_probe(&b.meters);
    bed_close(&b);
}

static void test_powercap(void)
{
    struct bed b;
    const struct am_meter *package, *core, *dram, *psys, *mmio, *second;
    struct am_reading r;

    bed_open(&b);
    put_zone(&b, "intel-rapl:0", "package-0", 123456789, "262143328850");
    put_zone(&b, "intel-rapl:0:0", "core", 1000, "262143328850");
    put_zone(&b, "intel-rapl:0:1", "dram", 2000, "65712999613");
    put_zone(&b, "intel-rapl:1", "package-1", 5, "0");
    put_zone(&b, "intel-rapl:2", "psys", 9, "262143328850");
    put_zone(&b, "intel-rapl-mmio:0", "package-0", 123456789, "262143328850");
    tree_put(&b.tree, ZONES "intel-rapl:0/constraint_0_max_power_uw", "65000000");
    tree_put(&b.tree, ZONES "intel-rapl:0/constraint_1_power_limit_uw", "125000000");
    tree_put(&b.tree, ZONES "intel-rapl/enabled", "1");
    bed_find(&b);
    package = find(&b, "powercap", "package-0");
    core = find(&b, "powercap", "core-0");
    dram = find(&b, "powercap", "dram-0");
    psys = find(&b, "powercap", "psys");
    mmio = find(&b, "powercap", "package-0.mmio");
    second = find(&b, "powercap", "package-1");
    if (ok(package && core && dram && psys && mmio && second && b.meters.n == 6,
           "every zone is a meter, the control type is none")) {
        ok(package->read(package->self, &r, NULL) == AM_OK && r.ticks == 123456789 &&
               r.t1_ns >= r.t0_ns && package->quantum_j == 1e-6,
           "a counter reads in microjoules");
        ok(package->range_ticks == 262143328850u && second->range_ticks == 0,
           "a range of 0 is not known");
        ok(fabs(package->power_max_w - 250) < 1e-9 && fabs(core->power_max_w - 250) < 1e-9,
           "twice its highest limit is more than a package can draw");
        ok(core->parent == index_of(&b, package) && package->parent == index_of(&b, psys) &&
               second->parent == index_of(&b, psys),
           "a platform holds packages, a package its cores");
        ok(mmio->same_as == index_of(&b, package) && !am_meter_counts(mmio),
           "the package by MMIO is the package again, and does not count");
        ok(am_meter_counts(package) && am_meter_counts(dram), "the others count");
    }
    bed_close(&b);
}

static void test_denied(void)
{
    struct bed b;
    const struct am_meter *m;

    bed_open(&b);
    put_zone(&b, "intel-rapl:0", "package-0", 1, NULL);
    put_zone(&b, "intel-rapl:1", "package-1", 1, NULL);
    tree_mode(&b.tree, ZONES "intel-rapl:0/energy_uj", 0);
    tree_put(&b.tree, ZONES "intel-rapl:1/energy_uj", "not a number");
    if (geteuid() == 0 && seteuid(65534) != 0)
        ok(false, "cannot become nobody");
    bed_find(&b);
    m = find(&b, "powercap", "package-0");
    ok(m && m->why_not && m->remedy && !am_meter_counts(m),
       "a closed file is told with its remedy: %s", m && m->why_not ? m->why_not : "");
    m = find(&b, "powercap", "package-1");
    ok(m && m->why_not && !am_meter_counts(m), "a file without a number is no meter: %s",
       m && m->why_not ? m->why_not : "");
    if (getuid() == 0)
        (void)!seteuid(0);
    bed_close(&b);
}

/* Counters behind a pipe: each read of 8 bytes is the next value. */
static int fake_perf(uint32_t type, uint64_t config, int cpu)
{
    int fd[2];

    if (type != 24 || pipe(fd) != 0) {
        errno = EINVAL;
        return -1;
    }
    if (config == 5) { /* psys: as a kernel says no */
        (void)close(fd[0]);
        (void)close(fd[1]);
        errno = EACCES;
        return -1;
    }
    for (uint64_t i = 0; i < 8; i++) {
        const uint64_t value = (uint64_t)cpu * 1000 + config * 100 + i;

        if (write(fd[1], &value, sizeof(value)) < 0)
            return -1;
    }
    (void)close(fd[1]);
    return fd[0];
}

static void put_event(struct bed *b, const char *name, unsigned config)
{
    char path[128];

    (void)snprintf(path, sizeof(path), PMU "events/%s", name);
    tree_put(&b->tree, path, "event=0x%02x", config);
    (void)snprintf(path, sizeof(path), PMU "events/%s.scale", name);
    tree_put(&b->tree, path, "2.3283064365386962890625e-10");
}

static void put_perf(struct bed *b)
{
    tree_put(&b->tree, PMU "type", "24");
    tree_put(&b->tree, PMU "cpumask", "0,16");
    put_event(b, "energy-pkg", 2);
    put_event(b, "energy-cores", 1);
    put_event(b, "energy-psys", 5);
    tree_put(&b->tree, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    tree_put(&b->tree, "sys/devices/system/cpu/cpu16/topology/physical_package_id", "1");
}

static void test_perf(void)
{
    struct bed b;
    const struct am_meter *first, *second, *core, *psys, *other;
    struct am_reading r;

    bed_open(&b);
    put_perf(&b);
    put_zone(&b, "intel-rapl:0", "package-0", 1, NULL);
    b.request.perf_open = fake_perf;
    bed_find(&b);
    first = find(&b, "perf", "package-0");
    second = find(&b, "perf", "package-1");
    core = find(&b, "perf", "core-1");
    psys = find(&b, "perf", "psys");
    other = find(&b, "powercap", "package-0");
    if (ok(first && second && core && psys && other && b.meters.n == 6,
           "one event a package, one of the platform")) {
        ok(second->read(second->self, &r, NULL) == AM_OK && r.ticks == 16200,
           "an event is read on a CPU of its package");
        ok(fabs(first->quantum_j - 0x1p-32) < 1e-20, "a tick is 2^-32 J");
        ok(core->parent == index_of(&b, second), "cores are inside their package");
        ok(psys->why_not && psys->remedy && strstr(psys->remedy, "cap_perfmon"),
           "a kernel that says no is told with the remedy: %s", psys->why_not);
        ok(other->same_as == index_of(&b, first) && !am_meter_counts(other),
           "powercap shows the same counter: perf is preferred");
    }
    bed_close(&b);
    bed_open(&b);
    put_perf(&b);
    bed_find(&b);
    first = find(&b, "perf", "package-0");
    ok(first && first->why_not, "events of a false root reach no kernel: %s",
       first && first->why_not ? first->why_not : "");
    bed_close(&b);
}

/* A register file: sparse, registers at their numbers. */
static void put_register(struct bed *b, const char *cpu, off_t reg, uint64_t value)
{
    char path[PATH_MAX];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/dev/cpu/%s/msr", b->tree.path, cpu);
    tree_parents(path);
    fd = open(path, O_WRONLY | O_CREAT, 0644);
    b->tree.broken |= fd < 0 || pwrite(fd, &value, sizeof(value), reg) != (ssize_t)sizeof(value);
    if (fd >= 0)
        (void)close(fd);
}

static void test_msr(void)
{
    struct bed b;
    const struct am_meter *package, *core, *dram;
    struct am_reading r;

    bed_open(&b);
    tree_put(&b.tree, "proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
             "model name\t: Xeon");
    tree_put(&b.tree, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    tree_put(&b.tree, "sys/devices/system/cpu/cpu1/topology/physical_package_id", "0");
    put_register(&b, "0", 0x606, 0xa0e03);
    put_register(&b, "0", 0x611, 0xdead00001234u);
    put_register(&b, "0", 0x639, 77);
    put_register(&b, "0", 0x619, 88);
    put_register(&b, "1", 0x606, 0xa0e03);
    put_register(&b, "1", 0x611, 1);
    bed_find(&b);
    ok(b.meters.n == 0, "registers are not touched unless asked for");
    bed_close(&b);
    tree_open(&b.tree);
    b = (struct bed){.tree = b.tree, .request = {.msr = true}};
    tree_put(&b.tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\nmodel\t\t: 85");
    tree_put(&b.tree, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    put_register(&b, "0", 0x606, 0xa0e03);
    put_register(&b, "0", 0x619, 88);
    put_register(&b, "0", 0x611, 0xdead00001234u);
    put_register(&b, "0", 0x639, 77);
    put_register(&b, "0", 0x64d, 0);
    bed_find(&b);
    package = find(&b, "msr", "package-0");
    core = find(&b, "msr", "core-0");
    dram = find(&b, "msr", "dram-0");
    if (ok(package && core && dram && b.meters.n == 3, "registers that count are meters: %zu",
           b.meters.n)) {
        ok(package->read(package->self, &r, NULL) == AM_OK && r.ticks == 0x1234,
           "the low 32 bits count");
        ok(fabs(package->quantum_j - 0x1p-14) < 1e-12 && fabs(dram->quantum_j - 0x1p-16) < 1e-12,
           "in the unit of the model; memory of servers has its own");
        ok(package->range_ticks == (uint64_t)1 << 32 && core->parent == index_of(&b, package),
           "and wrap after 2^32");
    }
    bed_close(&b);
}

static void test_amd_msr(void)
{
    struct bed b;
    const struct am_meter *m;

    bed_open(&b);
    b.request.msr = true;
    tree_put(&b.tree, "proc/cpuinfo", "vendor_id\t: AuthenticAMD\nmodel\t\t: 1");
    tree_put(&b.tree, "sys/devices/system/cpu/cpu3/topology/physical_package_id", "0");
    put_register(&b, "3", 0xc0010299, 0xa1003);
    put_register(&b, "3", 0xc001029b, 4242);
    bed_find(&b);
    m = find(&b, "msr", "package-0");
    ok(m && am_meter_counts(m) && fabs(m->quantum_j - 0x1p-16) < 1e-12,
       "AMD's registers have their own numbers");
    bed_close(&b);
}

static void test_hwmon(void)
{
    struct bed b;
    const struct am_meter *power, *energy, *product, *off, *rail, *joules, *averaged;
    struct am_reading r;

    bed_open(&b);
    tree_put(&b.tree, "sys/class/hwmon/hwmon0/name", "ina226");
    tree_put(&b.tree, "sys/class/hwmon/hwmon0/power1_input", "4500000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon0/update_interval", "35");
    tree_put(&b.tree, "sys/class/hwmon/hwmon0/in1_input", "5000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon0/curr1_input", "900");
    tree_put(&b.tree, "sys/class/hwmon/hwmon1/name", "vexpress");
    tree_put(&b.tree, "sys/class/hwmon/hwmon1/energy1_input", "1000000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon1/energy1_label", "A15 Jcore");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/name", "ina3221");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/in2_input", "12000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/curr2_input", "250");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/in3_input", "12000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/curr3_input", "250");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/curr3_enable", "0");
    tree_put(&b.tree, "sys/class/hwmon/hwmon2/temp1_input", "40000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/name", "twin");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/energy1_input", "7");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/energy1_label", "VDD");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/power1_input", "7");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/power1_average", "8");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/power1_average_interval", "1000");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/power1_label", "VDD");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/power2_average", "9");
    tree_put(&b.tree, "sys/class/hwmon/hwmon3/power2_average_interval", "1000");
    bed_find(&b);
    power = find(&b, "hwmon", "hwmon0.ina226.power1");
    energy = find(&b, "hwmon", "hwmon1.vexpress.A15 Jcore");
    product = find(&b, "hwmon", "hwmon2.ina3221.curr2");
    off = find(&b, "hwmon", "hwmon2.ina3221.curr3");
    joules = find(&b, "hwmon", "hwmon3.twin.VDD");
    rail = find(&b, "hwmon", "hwmon3.twin.VDD.power1");
    averaged = find(&b, "hwmon", "hwmon3.twin.power2");
    if (ok(power && energy && product && off && joules && rail && averaged && b.meters.n == 7,
           "sensors of power and energy are meters, temperatures are not: %zu", b.meters.n)) {
        ok(power->read(power->self, &r, NULL) == AM_OK && fabs(r.watts - 4.5) < 1e-9 &&
               power->period_ns == 35000000,
           "power in microwatts, with the chip's update interval");
        ok(energy->kind == AM_METER_COUNTER && energy->read(energy->self, &r, NULL) == AM_OK &&
               r.ticks == 1000000,
           "energy in microjoules");
        ok(product->read(product->self, &r, NULL) == AM_OK && fabs(r.watts - 3) < 1e-9,
           "voltage times current where there is no power file");
        ok(off->why_not && !am_meter_counts(off), "a channel that is off says so");
        ok(joules->kind == AM_METER_COUNTER && rail->kind == AM_METER_POWER &&
               rail->averaging_ns == 0,
           "two sensors of one label are two meters; the momentary power is taken");
        ok(averaged->averaging_ns == 1000000000u, "an average says over what");
    }
    bed_close(&b);
}

static void test_nvml(const char *library)
{
    struct bed b;
    const struct am_meter *energy, *power, *without, *averaged;
    struct am_reading first, next;

    bed_open(&b);
    b.request.nvml_library = library;
    bed_find(&b);
    energy = find(&b, "nvml", "gpu-0");
    power = find(&b, "nvml", "gpu-0.power");
    without = find(&b, "nvml", "gpu-1");
    averaged = find(&b, "nvml", "gpu-1.power");
    if (ok(energy && power && without && averaged, "each device has an energy and a power meter")) {
        (void)energy->read(energy->self, &first, NULL);
        (void)energy->read(energy->self, &next, NULL);
        ok(next.ticks - first.ticks == 1500 && energy->quantum_j == 1e-3, "energy in millijoules");
        ok(power->read(power->self, &first, NULL) == AM_OK && fabs(first.watts - 81.25) < 1e-9 &&
               power->averaging_ns == 0 && power->parent == index_of(&b, energy),
           "momentary power where it is given; the same energy another way");
        ok(averaged->read(averaged->self, &first, NULL) == AM_OK &&
               fabs(first.watts - 70.5) < 1e-9 && averaged->averaging_ns == 1000000000u,
           "else the averaged one, said to be so");
        ok(without->why_not && strstr(without->why_not, "Not Supported"),
           "a device without a counter says so: %s", without->why_not);
    }
    bed_close(&b);
}

static void test_command(void)
{
    static const struct {
        const char *command, *why; /* why: NULL when it works */
    } cases[] = {
        {"echo 12.5", NULL},   {"echo \"13.5 W\"", NULL},          {"echo hello", "not watts"},
        {"true", "not watts"}, {"/no/such/meter", "No such file"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct bed b;
        struct am_reading r = {0};

        bed_open(&b);
        b.request.command = cases[i].command;
        bed_find(&b);
        if (ok(b.meters.n == 1, "a command is one meter")) {
            const struct am_meter *const m = &b.meters.items[0];

            if (cases[i].why)
                ok(m->why_not && strstr(m->why_not, cases[i].why), "%s: %s", cases[i].command,
                   m->why_not ? m->why_not : "(usable)");
            else
                ok(!m->why_not && m->read(m->self, &r, NULL) == AM_OK &&
                       fabs(r.watts - 12.5 - (double)i) < 1e-9,
                   "%s is %g W", cases[i].command, r.watts);
        }
        bed_close(&b);
    }
}

static void test_bad_requests(void)
{
    static const struct am_meter_request bad[] = {
        {.command = "\"open"},        {.command = "  "},
        {.scpi = "gpib:1"},           {.scpi = "tcp:nowhere"},
        {.scpi = "tty:/dev/null:77"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct bed b;
        struct am_err err = {0};

        bed_open(&b);
        (void)am_fsroot_open(&b.root, b.tree.path, NULL);
        b.request = bad[i];
        b.request.root = &b.root;
        ok(am_meters_open(&b.request, &b.arena, &b.meters, &err) == AM_E_USAGE,
           "a wrong request is the user's mistake: %s", err.text);
        bed_close(&b);
    }
}

/* A meter on a socket: answers *IDN? and two queries, then talks nonsense, then hangs up. */
static void *serve_scpi(void *arg)
{
    static const char *const answers[] = {"1.25E+01", "7.5", "NAN%%", NULL};
    const int listener = *(int *)arg;
    const int fd = accept(listener, NULL, NULL);
    size_t asked = 0;
    char line[256];
    FILE *const f = fd >= 0 ? fdopen(fd, "r+") : NULL;

    while (f && fgets(line, sizeof(line), f)) {
        const char *answer = NULL;

        if (strncmp(line, "*IDN?", 5) == 0)
            answer = "YOKOGAWA,WT310,C2QG,F1.03";
        else if (strstr(line, "VALUE?"))
            answer = answers[asked++];
        else
            continue;
        if (!answer)
            break;
        (void)fseek(f, 0, SEEK_CUR);
        (void)fprintf(f, "%s\r\n", answer);
        (void)fflush(f);
    }
    if (f)
        (void)fclose(f);
    return NULL;
}

static void test_scpi(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct am_reading r = {0};
    struct am_err err = {0};
    const struct am_meter *m;
    pthread_t thread;
    char place[64];
    struct bed b;

    bed_open(&b);
    if (!ok(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 1) == 0 &&
                getsockname(listener, (struct sockaddr *)&at, &len) == 0 &&
                pthread_create(&thread, NULL, serve_scpi, &listener) == 0,
            "a meter listens"))
        return;
    (void)snprintf(place, sizeof(place), "tcp:127.0.0.1:%d", ntohs(at.sin_port));
    b.request.scpi = place;
    bed_find(&b);
    m = b.meters.n ? &b.meters.items[0] : NULL;
    ok(m && !m->why_not && m->period_ns == 250000000 && strstr(m->covers, "WT310"),
       "it is known by its name: %s", m && m->why_not ? m->why_not : "");
    ok(m && m->read(m->self, &r, &err) == AM_OK && fabs(r.watts - 7.5) < 1e-9, "and gives watts");
    ok(m && m->read(m->self, &r, &err) == AM_E_PARSE, "nonsense is no number: %s", err.text);
    err = (struct am_err){0};
    ok(m && m->read(m->self, &r, &err) == AM_E_ABSENT, "and silence neither: %s", err.text);
    bed_close(&b);
    (void)pthread_join(thread, NULL);
    (void)close(listener);
}

/* Physical memory as a file: the request completes when the test says so beforehand. */
static void test_sys_cfg(void)
{
    const off_t page = 0x10000000;
    const uint32_t watts = 1234567, complete = 1;
    char path[PATH_MAX];
    const struct am_meter *m;
    struct am_reading r;
    uint32_t asked = 0;
    struct bed b;
    int fd;

    bed_open(&b);
    (void)snprintf(path, sizeof(path), "%s/dev/mem", b.tree.path);
    tree_parents(path);
    fd = open(path, O_RDWR | O_CREAT, 0644);
    ok(fd >= 0 && ftruncate(fd, page + 4096) == 0 && pwrite(fd, &watts, 4, page + 0xa0) == 4 &&
           pwrite(fd, &complete, 4, page + 0xa8) == 4,
       "a file stands in for physical memory");
    bed_find(&b);
    ok(b.meters.n == 0, "physical memory is not touched unless asked for");
    am_meters_close(&b.meters);
    am_fsroot_close(&b.root);
    b.request.sys_cfg = true;
    bed_find(&b);
    m = find(&b, "sys_cfg", "core-0");
    ok(m && m->read(m->self, &r, NULL) == AM_OK && fabs(r.watts - 1.234567) < 1e-9 &&
           r.t1_ns - r.t0_ns >= 300000,
       "the register's power, a request of 300 us");
    ok(pread(fd, &asked, 4, page + 0xa4) == 4 && asked == 0x80c10001u,
       "the request is that of Algorithm 1: %#x", asked);
    (void)close(fd);
    bed_close(&b);
}

/* ---- the sampler ---- */

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    test_nothing();
    test_powercap();
    test_denied();
    test_perf();
    test_msr();
    test_amd_msr();
    test_hwmon();
    test_nvml(argv[1]);
    test_command();
    test_bad_requests();
    test_scpi();
    test_sys_cfg();
    return tap_done();
}
