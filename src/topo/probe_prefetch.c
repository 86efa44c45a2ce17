/* SPDX-License-Identifier: MIT */
/* Which hardware prefetchers are switched on, as far as the processor's own registers may be read.
 */
#include "topo/probe.h"

#include "base/text.h"
#include "core/measure/prefetchers.h"

#include <fcntl.h>
#include <unistd.h>

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
    uint64_t value;
    const int fd = am_msr_open(w->root, cpu, O_RDONLY);

    if (fd < 0)
        return true;
    if (am_msr_read(fd, w->msr, &value)) {
        w->read++;
        w->any |= value;
        w->all &= value;
    }
    (void)close(fd);
    return true;
}

bool am_probe_prefetchers(const struct am_fsroot *root, char *buf, size_t cap)
{
    const struct am_prefetchers *const p = am_prefetchers_find(root);
    struct msr_walk w = {.root = root, .all = UINT64_MAX};
    struct am_text text;

    if (!p)
        return false;
    w.msr = p->msr;
    if (!am_fsroot_list(root, "dev/cpu", read_msr, &w) || w.read == 0)
        return false;
    am_text_init(&text, cap - 1);
    for (size_t i = 0; i < AM_PREFETCHERS_MAX && p->items[i].name; i++) {
        const uint64_t bit = UINT64_C(1) << p->items[i].bit;
        const char *const state = w.all & bit ? "off" : w.any & bit ? "mixed" : "on";

        am_text_addf(&text, "%s%s %s", i ? ", " : "", p->items[i].name, state);
    }
    (void)am_str_copy(buf, cap, am_text_str(&text));
    am_text_fini(&text);
    return true;
}
