/* SPDX-License-Identifier: MIT */
/* The power function of ARM's SYS_CFG registers through physical memory, as in seed 001,
 * Algorithm 1. Writing to physical memory can stop a board that is not the one meant: opt-in only.
 * Kernels with a vexpress driver show the same values as hwmon files, which is the better way. */
#include "base/clock.h"
#include "meter/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { DATA = 0xa0 / 4, CTRL = 0xa4 / 4, STAT = 0xa8 / 4, MAP_BYTES = 4096 };
enum { COMPLETE = 1, FAULT = 2, TRIES = 40 };

static const off_t registers_at = 0x10000000;  /* Versatile Express, legacy memory map */
static const uint32_t read_power = 0x80c10000; /* start, read, function 12 (power), site 1 */

static const struct {
    uint32_t number;
    const char *id, *covers;
} devices[] = {
    {0, "l2-0", "second-level cache controller and on-chip memory of the test chip"},
    {1, "core-0", "the Cortex-A9 cores of the test chip"},
};

struct registers {
    volatile uint32_t *at;
    uint32_t device;
};

static void sleep_us(long us)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static enum am_status read_registers(void *self, struct am_reading *out, struct am_err *err)
{
    const struct registers *const r = self;

    out->t0_ns = am_now_ns();
    r->at[CTRL] = read_power | r->device;
    sleep_us(300); /* what a request takes; sleeping disturbs less than asking */
    for (int i = 0; i < TRIES && !(r->at[STAT] & (COMPLETE | FAULT)); i++)
        sleep_us(50);
    if ((r->at[STAT] & (COMPLETE | FAULT)) != COMPLETE)
        return am_fail(err, AM_E_ABSENT, "the board did not answer a power request");
    out->watts = (double)r->at[DATA] * 1e-6;
    out->t1_ns = am_now_ns();
    return AM_OK;
}

/* The map itself goes with the first device. */
static void close_registers(void *self)
{
    struct registers *const r = self;

    if (r->device == devices[0].number)
        (void)munmap((void *)r->at, MAP_BYTES);
}

enum am_status am_meter_open_sys_cfg(const struct am_meter_request *request, struct am_arena *arena,
                                     struct am_meters *out, struct am_err *err)
{
    void *map = MAP_FAILED;
    int fd, why;

    (void)err;
    if (!request->sys_cfg)
        return AM_OK;
    fd = openat(request->root->fd, "dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    if (fd >= 0)
        map = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, registers_at);
    why = errno;
    for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
        struct registers *const r = am_arena_alloc(arena, sizeof(*r));
        struct am_meter *const m = r ? am_meters_add(out, "sys_cfg") : NULL;

        if (!m)
            break;
        m->id = devices[i].id;
        m->covers = devices[i].covers;
        m->scope = i ? AM_SCOPE_CORE : AM_SCOPE_RAIL;
        m->kind = AM_METER_POWER;
        m->slow = true;
        m->mailbox = map; /* a request of one device overwrites that of the other */
        if (map == MAP_FAILED) {
            m->why_not = am_arena_printf(arena, "dev/mem: %s", strerror(why));
            m->remedy = "run as root on a kernel without strict dev/mem, or use the hwmon files";
            continue;
        }
        *r = (struct registers){.at = map, .device = devices[i].number};
        m->self = r;
        m->read = read_registers;
        m->close = close_registers;
    }
    if (fd >= 0)
        (void)close(fd);
    return AM_OK;
}
