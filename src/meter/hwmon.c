/* SPDX-License-Identifier: MIT */
/* Sensors of boards through hwmon: energy counters, power, and voltage times current where a chip
 * gives only these (INA2xx, INA3221); ARM's Versatile Express shows its registers here too. */
#include "meter/file.h"

#include "base/clock.h"
#include "base/text.h"
#include "topo/energy_remedies.h"

#include <errno.h>
#include <string.h>

#define CHIPS "sys/class/hwmon"

enum { PATH_CAP = 256, NAME_CAP = 64 };

static const uint64_t ms = 1000000; /* ns */
static const double unlikely_w = 20000;

/* Chips whose sensors are known to be more than some rail. The first row that matches chip and
 * label counts; "Ecore" is one counter per core, which nobody adds up here. */
static const struct known {
    const char *chip, *label; /* globs; the label is "" where the chip has none */
    enum am_scope scope;
    const char *covers; /* NULL: the sensor is left out */
} known[] = {
    {"amd_energy", "Esocket*", AM_SCOPE_PACKAGE, "one processor package; no memory modules"},
    {"amd_energy", "Ecore*", AM_SCOPE_CORE, NULL},
    {"amdgpu", "*", AM_SCOPE_GPU, "one AMD GPU, as its firmware sums it up"},
    {"i915", "*", AM_SCOPE_GPU, "one Intel GPU"},
    {"xe", "*", AM_SCOPE_GPU, "one Intel GPU"},
    {"acpi*", "*", AM_SCOPE_BOARD, "what the board's maker connected to this sensor"},
    {"*power_meter*", "*", AM_SCOPE_BOARD, "what the board's maker connected to this sensor"},
    {"*", "*", AM_SCOPE_RAIL, "what the board's maker connected to this sensor"},
};

/* A rail as the product of two files. */
struct product {
    struct am_meter_file *volts, *amperes; /* in thousandths */
};

struct chip {
    const struct am_meter_request *request;
    struct am_arena *arena;
    struct am_meters *out;
    const char *folder; /* "hwmon0" */
    char name[NAME_CAP];
};

static bool chip_path(const struct chip *c, char *path, const char *fmt, const char *a)
{
    char file[NAME_CAP];

    return am_str_format(file, sizeof(file), fmt, a) &&
           am_str_format(path, PATH_CAP, CHIPS "/%s/%s", c->folder, file);
}

static uint64_t chip_number(const struct chip *c, const char *fmt, const char *a)
{
    char path[PATH_CAP];
    uint64_t value;

    return chip_path(c, path, fmt, a) && am_fsroot_read_u64(c->request->root, path, &value) ? value
                                                                                            : 0;
}

/* "power1" of "power1_input"; false when the file is no such sensor. */
static bool sensor_of(const char *file, const char *kind, const char *ending, char *sensor)
{
    const size_t len = strlen(file), end = strlen(ending);

    if (strncmp(file, kind, strlen(kind)) != 0 || len <= end || len - end >= NAME_CAP ||
        strcmp(file + len - end, ending) != 0)
        return false;
    (void)am_str_copy(sensor, len - end + 1, file);
    return strspn(sensor + strlen(kind), "0123456789") == strlen(sensor + strlen(kind));
}

/* The label that a board gives its rail; "" without one. */
static void label_of(const struct chip *c, const char *sensor, char *label)
{
    char path[PATH_CAP];

    if (!chip_path(c, path, "%s_label", sensor) ||
        am_fsroot_read(c->request->root, path, label, NAME_CAP) <= 0)
        label[0] = '\0';
}

/* The label, else the sensor's name: unique within the chip. */
static const char *id_of(const struct chip *c, const char *sensor)
{
    char label[NAME_CAP];

    label_of(c, sensor, label);
    return am_arena_printf(c->arena, "%s.%s.%s", c->folder, c->name, label[0] ? label : sensor);
}

static const struct known *kind_of(const struct chip *c, const char *sensor)
{
    const struct known *k = known;
    char label[NAME_CAP];

    label_of(c, sensor, label);
    while (!am_glob_match(k->chip, c->name) || !am_glob_match(k->label, label))
        k++; /* the last row matches all */
    return k;
}

static bool is_switched_off(const struct chip *c, const char *sensor)
{
    char path[PATH_CAP];
    uint64_t on;

    return chip_path(c, path, "%s_enable", sensor) &&
           am_fsroot_read_u64(c->request->root, path, &on) && on == 0;
}

static bool is_taken(const struct am_meters *meters, const char *id)
{
    for (size_t i = 0; id && i < meters->n; i++) {
        if (meters->items[i].id && strcmp(meters->items[i].id, id) == 0)
            return true;
    }
    return false;
}

/* A chip may label its energy and its power sensor alike: they are two meters of one rail. */
static const char *unique_id(const struct chip *c, const char *sensor)
{
    const char *const id = id_of(c, sensor);

    return is_taken(c->out, id) ? am_arena_printf(c->arena, "%s.%s", id, sensor) : id;
}

static struct am_meter *add_sensor(const struct chip *c, const char *sensor,
                                   enum am_meter_kind kind)
{
    const struct known *const k = kind_of(c, sensor);
    const char *const id = unique_id(c, sensor);
    struct am_meter *const m = k->covers ? am_meters_add(c->out, "hwmon") : NULL;

    if (!m)
        return NULL;
    m->id = id;
    m->scope = k->scope;
    m->kind = kind;
    m->covers = k->covers;
    m->power_max_w = unlikely_w;
    m->period_ns = chip_number(c, "%s", "update_interval") * ms;
    if (is_switched_off(c, sensor))
        m->why_not = "this channel is switched off (its _enable file holds 0)";
    return m;
}

static void add_file(const struct chip *c, const char *sensor, const char *file,
                     enum am_meter_kind kind)
{
    struct am_meter *const m = add_sensor(c, sensor, kind);
    char path[PATH_CAP];

    if (!m || m->why_not || !chip_path(c, path, "%s", file))
        return;
    if (kind == AM_METER_COUNTER)
        m->quantum_j = 1e-6;
    if (am_glob_match("*_average", file))
        m->averaging_ns = chip_number(c, "%s_average_interval", sensor) * ms;
    am_meter_file_bind(m, c->request->root, path, c->arena);
    if (m->why_not)
        m->remedy = AM_REMEDY_HWMON;
    if (m->self)
        ((struct am_meter_file *)m->self)->watts = 1e-6;
}

static enum am_status read_product(void *self, struct am_reading *out, struct am_err *err)
{
    const struct product *const p = self;
    uint64_t mv, ma;

    out->t0_ns = am_now_ns();
    errno = 0;
    if (!am_meter_file_value(p->volts, &mv) || !am_meter_file_value(p->amperes, &ma))
        return errno ? am_fail(err, AM_E_SYS, "voltage and current of a rail")
                     : am_fail(err, AM_E_PARSE, "voltage or current of a rail is no number");
    out->t1_ns = am_now_ns();
    out->watts = (double)mv * 1e-3 * (double)ma * 1e-3;
    return AM_OK;
}

static void close_product(void *self)
{
    struct product *const p = self;

    if (p->volts)
        am_meter_file_close(p->volts);
    if (p->amperes)
        am_meter_file_close(p->amperes);
}

/* curr1_input with in1_input, where no power1 file does the sum. */
static void add_product(const struct chip *c, const char *current)
{
    const char *const number = current + strlen("curr");
    char volts[PATH_CAP], amperes[PATH_CAP], power[PATH_CAP];
    struct product *p;
    struct am_meter *m;

    if (!chip_path(c, volts, "in%s_input", number) ||
        !chip_path(c, power, "power%s_input", number) ||
        !chip_path(c, amperes, "%s_input", current) || am_fsroot_exists(c->request->root, power) ||
        !am_fsroot_exists(c->request->root, volts))
        return;
    p = am_arena_alloc(c->arena, sizeof(*p));
    m = p ? add_sensor(c, current, AM_METER_POWER) : NULL;
    if (!m || m->why_not)
        return;
    p->volts = am_meter_file_open(c->request->root, volts, c->arena);
    p->amperes = p->volts ? am_meter_file_open(c->request->root, amperes, c->arena) : NULL;
    m->self = p;
    m->close = close_product;
    m->read = read_product;
    if (!p->amperes)
        m->why_not = am_arena_printf(c->arena, "%s: %s", amperes, strerror(errno));
}

/* The momentary value is preferred to the averaged one of the same sensor. */
static bool has_input(const struct chip *c, const char *sensor)
{
    char path[PATH_CAP];

    return chip_path(c, path, "%s_input", sensor) && am_fsroot_exists(c->request->root, path);
}

static bool on_file(void *self, const char *file)
{
    const struct chip *const c = self;
    char sensor[NAME_CAP];

    if (sensor_of(file, "energy", "_input", sensor))
        add_file(c, sensor, file, AM_METER_COUNTER);
    else if (sensor_of(file, "power", "_input", sensor) ||
             (sensor_of(file, "power", "_average", sensor) && !has_input(c, sensor)))
        add_file(c, sensor, file, AM_METER_POWER);
    else if (sensor_of(file, "curr", "_input", sensor))
        add_product(c, sensor);
    return true;
}

static bool on_chip(void *self, const char *folder)
{
    struct chip *const c = self;
    char path[PATH_CAP];

    c->folder = folder;
    c->name[0] = '\0';
    if (!am_str_format(path, sizeof(path), CHIPS "/%s/name", folder) ||
        am_fsroot_read(c->request->root, path, c->name, sizeof(c->name)) <= 0)
        (void)am_str_copy(c->name, sizeof(c->name), "unnamed");
    if (am_str_format(path, sizeof(path), CHIPS "/%s", folder))
        (void)am_fsroot_list(c->request->root, path, on_file, c);
    return true;
}

enum am_status am_meter_open_hwmon(const struct am_meter_request *request, struct am_arena *arena,
                                   struct am_meters *out, struct am_err *err)
{
    struct chip c = {.request = request, .arena = arena, .out = out};

    (void)err;
    (void)am_fsroot_list(request->root, CHIPS, on_chip, &c);
    return AM_OK;
}
