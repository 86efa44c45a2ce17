/* SPDX-License-Identifier: MIT */
/* Switching hardware prefetchers by the processor's registers, with a guardian that switches back.
 */
#include "bench/cpu/hwprefetch.h"

#include "base/log.h"
#include "base/text.h"
#include "core/measure/prefetchers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LOCK_TRIES = 100, /* 2 ms apart: the guardian of a killed worker needs less than one */
    LOCK_PAUSE_NS = 2000000,
};

const char *const am_hwprefetch_names[] = {
    [AM_HWPREFETCH_AS_IS] = "as-is", [AM_HWPREFETCH_OFF] = "off", [AM_HWPREFETCH_ON] = "on", NULL};

static const char no_register[] = "no switch of hardware prefetchers is known for this processor";
static const char not_writable[] =
    "the processor's registers may not be written (needs root and the module msr)";

const char *am_hwprefetch_why_not(const char *choice)
{
    struct am_fsroot root = {0};
    const char *why_not = no_register;
    int fd = -1;

    if (strcmp(choice, am_hwprefetch_names[AM_HWPREFETCH_AS_IS]) == 0)
        return NULL;
    if (am_fsroot_open(&root, NULL, NULL) == AM_OK && am_prefetchers_find(&root)) {
        fd = am_msr_open(&root, "0", O_RDWR);
        why_not = fd < 0 ? not_writable : NULL;
    }
    if (fd >= 0)
        (void)close(fd);
    am_fsroot_close(&root);
    return why_not;
}

/* Two that switch in turn would each restore what the other left. */
static bool lock_file(int fd)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static enum am_status open_register(struct am_hwswitch *h, const struct am_fsroot *root, size_t i,
                                    int cpu, struct am_err *err)
{
    char name[16];

    (void)am_str_format(name, sizeof(name), "%d", cpu);
    h->fds[i] = am_msr_open(root, name, O_RDWR);
    if (h->fds[i] < 0)
        return am_fail(err, AM_E_ABSENT, "CPU %d: %s", cpu, not_writable);
    if (!lock_file(h->fds[i]))
        return am_fail(err, AM_E_ABSENT, "CPU %d: another process switches its prefetchers", cpu);
    if (!am_msr_read(h->fds[i], h->msr, &h->originals[i]))
        return am_fail(err, AM_E_ABSENT, "CPU %d: %s", cpu, no_register);
    return AM_OK;
}

static enum am_status open_registers(struct am_hwswitch *h, const struct am_fsroot *root,
                                     const int *cpus, size_t n, struct am_err *err)
{
    enum am_status s = AM_OK;

    h->fds = calloc(n, sizeof(*h->fds));
    h->originals = calloc(n, sizeof(*h->originals));
    if (!h->fds || !h->originals)
        return am_fail(err, AM_E_NOMEM, "registers of %zu CPUs", n);
    h->n = n;
    for (size_t i = 0; i < n; i++)
        h->fds[i] = -1;
    for (size_t i = 0; i < n && s == AM_OK; i++)
        s = open_register(h, root, i, cpus[i], err);
    return s;
}

static bool is_kept(const struct am_hwswitch *h, int line, int fd)
{
    bool kept = fd == line;

    for (size_t i = 0; i < h->n; i++)
        kept = kept || fd == h->fds[i];
    return kept;
}

/* What the guardian holds open beyond its registers would keep the conductor waiting for it. */
static void close_others(const struct am_hwswitch *h, int line)
{
    int last = line;

    for (size_t i = 0; i < h->n; i++)
        last = h->fds[i] > last ? h->fds[i] : last;
    for (int fd = 0; fd < last; fd++) {
        if (!is_kept(h, line, fd))
            (void)close(fd);
    }
    (void)close_range((unsigned)last + 1, ~0U, 0);
}

/* The child's whole life. A session of its own: the conductor kills a worker's process group. */
__attribute__((noreturn)) static void guard(const struct am_hwswitch *h, int line)
{
    bool restored = true;
    sigset_t all;
    char byte = 0;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)setsid();
    close_others(h, line);
    if (write(line, &byte, 1) == 1) {
        while (read(line, &byte, 1) < 0 && errno == EINTR)
            ;
    }
    for (size_t i = 0; i < h->n; i++)
        restored = am_msr_write(h->fds[i], h->msr, h->originals[i]) && restored;
    _exit(restored ? 0 : 1);
}

/* Nothing is switched before the guardian says that it stands. */
static enum am_status start_guardian(struct am_hwswitch *h, struct am_err *err)
{
    int ends[2];
    char byte;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return am_fail(err, AM_E_SYS, "a line to the guardian");
    h->guardian = fork();
    if (h->guardian == 0)
        guard(h, ends[1]);
    (void)close(ends[1]);
    h->line = ends[0];
    if (h->guardian < 0) {
        (void)close(h->line);
        return am_fail(err, AM_E_SYS, "a process that restores the prefetchers");
    }
    if (read(h->line, &byte, 1) != 1)
        return am_fail(err, AM_E_SYS, "the process that restores the prefetchers");
    return AM_OK;
}

static enum am_status write_register(const struct am_hwswitch *h, size_t i, int cpu, uint64_t value,
                                     struct am_err *err)
{
    uint64_t got = 0;

    if (!am_msr_write(h->fds[i], h->msr, value))
        return am_fail(err, AM_E_ABSENT, "CPU %d: %s", cpu, not_writable);
    if (!am_msr_read(h->fds[i], h->msr, &got) || got != value)
        return am_fail(err, AM_E_ABSENT, "CPU %d: writing its prefetchers' register has no effect",
                       cpu);
    return AM_OK;
}

enum am_status am_hwswitch_set(struct am_hwswitch *h, const struct am_fsroot *root, const int *cpus,
                               size_t n, enum am_hwprefetch want, struct am_err *err)
{
    const struct am_prefetchers *p;
    enum am_status s;

    if (want == AM_HWPREFETCH_AS_IS)
        return AM_OK;
    p = am_prefetchers_find(root);
    if (!p)
        return am_fail(err, AM_E_ABSENT, "%s", no_register);
    h->msr = p->msr;
    s = open_registers(h, root, cpus, n, err);
    if (s == AM_OK)
        s = start_guardian(h, err);
    for (size_t i = 0; i < n && s == AM_OK; i++) {
        const uint64_t mask = am_prefetchers_mask(p);
        const uint64_t rest = h->originals[i] & ~mask;

        s = write_register(h, i, cpus[i], want == AM_HWPREFETCH_OFF ? rest | mask : rest, err);
    }
    return s;
}

enum am_status am_hwswitch_prepare(struct am_hwswitch *h, const struct am_ctx *ctx, size_t threads,
                                   enum am_hwprefetch want, struct am_err *err)
{
    struct am_fsroot root = {0};
    enum am_status s;

    if (want == AM_HWPREFETCH_AS_IS)
        return AM_OK;
    s = am_fsroot_open(&root, NULL, err);
    if (s == AM_OK)
        s = am_hwswitch_set(h, &root, ctx->cpus, threads, want, err);
    if (s == AM_OK)
        am_ctx_chosen(ctx, "hwprefetch", "%s", am_hwprefetch_names[want]);
    am_fsroot_close(&root);
    return s;
}

/* Hanging up is what a death does too: one way back, taken every time. */
void am_hwswitch_restore(struct am_hwswitch *h)
{
    int status = 0;

    if (h->guardian > 0) {
        (void)close(h->line);
        while (waitpid(h->guardian, &status, 0) < 0 && errno == EINTR)
            ;
        if (status != 0)
            am_log(AM_LOG_ERROR, "the hardware prefetchers could not be put back as they were");
    }
    for (size_t i = 0; i < h->n; i++) {
        if (h->fds[i] >= 0)
            (void)close(h->fds[i]);
    }
    free(h->fds);
    free(h->originals);
    *h = (struct am_hwswitch){0};
}
