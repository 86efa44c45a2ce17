/* SPDX-License-Identifier: MIT */
/* Which hardware prefetchers are switched on, as far as the processor's own registers may be read.
 */
#include "topo/probe.h"

#include "base/text.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PREFETCHERS_MAX = 5 };

/* A vendor's register: a set bit switches a prefetcher off. */
struct control {
    const char *vendor;
    off_t msr;
    struct {
        unsigned bit;
        const char *name;
    } prefetchers[PREFETCHERS_MAX];
};

static const struct control controls[] = {
    {"GenuineIntel", 0x1a4, {{0, "l2-stream"}, {1, "l2-adjacent"}, {2, "l1-next"}, {3, "l1-ip"}}},
    {"AuthenticAMD", /* Zen 4 and later; earlier ones have no such register */
     0xc0000108,
     {{0, "l1-stream"}, {1, "l1-stride"}, {2, "l1-region"}, {3, "l2-stream"}, {5, "up-down"}}},
};

static const struct control *find_control(const struct am_fsroot *root)
{
    char vendor[AM_PROBE_CAP];

    if (!am_probe_cpuinfo(root, "vendor_id", vendor, sizeof(vendor)))
        return NULL;
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
        if (strcmp(controls[i].vendor, vendor) == 0)
            return &controls[i];
    }
    return NULL;
}

/* The registers of all CPUs that can be read. */
struct msr_walk {
    const struct am_fsroot *root;
    off_t msr;
    unsigned read;
    uint64_t any, all; /* bits set on one of them, and on every one */
};

static bool read_msr(void *self, const char *cpu)
{
    struct msr_walk *w = self;
    char path[AM_PROBE_CAP];
    uint64_t value;
    int fd;

    if (!am_str_format(path, sizeof(path), "dev/cpu/%s/msr", cpu))
        return true;
    fd = openat(w->root->fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    if (pread(fd, &value, sizeof(value), w->msr) == (ssize_t)sizeof(value)) {
        w->read++;
        w->any |= value;
        w->all &= value;
    }
    (void)close(fd);
    return true;
}

bool am_probe_prefetchers(const struct am_fsroot *root, char *buf, size_t cap)
{
    const struct control *const c = find_control(root);
    struct msr_walk w = {.root = root, .all = UINT64_MAX};
    struct am_text text;

    if (!c)
        return false;
    w.msr = c->msr;
    if (!am_fsroot_list(root, "dev/cpu", read_msr, &w) || w.read == 0)
        return false;
    am_text_init(&text, cap - 1);
    for (size_t i = 0; i < PREFETCHERS_MAX && c->prefetchers[i].name; i++) {
        const uint64_t bit = UINT64_C(1) << c->prefetchers[i].bit;
        const char *const state = w.all & bit ? "off" : w.any & bit ? "mixed" : "on";

        am_text_addf(&text, "%s%s %s", i ? ", " : "", c->prefetchers[i].name, state);
    }
    (void)am_str_copy(buf, cap, am_text_str(&text));
    am_text_fini(&text);
    return true;
}
