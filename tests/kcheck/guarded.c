/* SPDX-License-Identifier: MIT */
/* Guarded arrays, and faults charged to the kernel that caused them. */
#include "guarded.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CANARY = 0xa5 };

static const char *volatile charged = "nothing";

bool guarded_new(struct guarded *g, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *all;

    g->bytes = (bytes + page - 1) / page * page;
    all = mmap(NULL, g->bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return false;
    g->base = all + page;
    return mprotect(g->base, g->bytes, PROT_READ | PROT_WRITE) == 0;
}

static void *place(struct guarded *g, size_t size, size_t offset)
{
    memset(g->base, CANARY, g->bytes);
    g->at = g->base + offset;
    g->size = size;
    return g->at;
}

void *guarded_at_end(struct guarded *g, size_t size)
{
    return place(g, size, g->bytes - size);
}

void *guarded_at_start(struct guarded *g, size_t size, size_t offset)
{
    return place(g, size, offset);
}

static bool all_canary(const unsigned char *from, const unsigned char *to)
{
    /* A run of one byte equals itself shifted by one. */
    return from == to || (*from == CANARY && memcmp(from, from + 1, (size_t)(to - from) - 1) == 0);
}

bool guarded_intact(const struct guarded *g)
{
    return all_canary(g->base, g->at) && all_canary(g->at + g->size, g->base + g->bytes);
}

void guarded_free(struct guarded *g)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    (void)munmap(g->base - page, g->bytes + 2 * page);
}

static void say(const char *s)
{
    if (write(STDOUT_FILENO, s, strlen(s)) < 0)
        _exit(3);
}

static void on_fault(int sig)
{
    say("Bail out! ");
    say(sig == SIGILL ? "illegal instruction in " : "access outside the arrays in ");
    say(charged);
    say("\n");
    _exit(1);
}

void guarded_charge(const char *what)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL};
    const struct sigaction action = {.sa_handler = on_fault};

    charged = what;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &action, NULL);
}
