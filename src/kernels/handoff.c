/* SPDX-License-Identifier: MIT */
/* Loops by which cores take cache lines from each other. */
#include "kernels/handoff.h"

/* The order of other accesses is nobody's business in a game: relaxed, as the cheapest. */
#define RELAXED memory_order_relaxed

const void *am_chase_own(const void *from, uint64_t steps, uint64_t delta)
{
    uintptr_t p = (uintptr_t)from;

    for (; steps; steps--)
        p = atomic_fetch_add_explicit((_Atomic uintptr_t *)p, (uintptr_t)delta, RELAXED) &
            ~(uintptr_t)(AM_OWN_TAGS - 1);
    return (const void *)p;
}

void am_handoff_cas(_Atomic uint64_t *word, uint64_t first, uint64_t turns)
{
    for (uint64_t end = first + 2 * turns; first != end; first += 2) {
        uint64_t seen;

        do {
            seen = first;
        } while (!atomic_compare_exchange_weak_explicit(word, &seen, first + 1, RELAXED, RELAXED));
    }
}

static void await(const _Atomic uint64_t *word, uint64_t value)
{
    while (atomic_load_explicit(word, RELAXED) != value) {
    }
}

void am_handoff_lead(_Atomic uint64_t *mine, const _Atomic uint64_t *theirs, uint64_t first,
                     uint64_t turns)
{
    for (uint64_t end = first + turns; first != end; first++) {
        atomic_store_explicit(mine, first, RELAXED);
        await(theirs, first);
    }
}

void am_handoff_follow(_Atomic uint64_t *mine, const _Atomic uint64_t *theirs, uint64_t first,
                       uint64_t turns)
{
    for (uint64_t end = first + turns; first != end; first++) {
        await(theirs, first);
        atomic_store_explicit(mine, first, RELAXED);
    }
}

void am_share_add(_Atomic uint32_t *word, uint64_t n)
{
    for (; n; n--)
        (void)atomic_fetch_add_explicit(word, 1, RELAXED);
}

void am_share_count(_Atomic uint32_t *word, uint64_t n)
{
    for (; n; n--)
        atomic_store_explicit(word, atomic_load_explicit(word, RELAXED) + 1, RELAXED);
}

#if defined(__x86_64__)
#define FLUSH(p) __asm__ volatile("clflush %0" ::"m"(*(const char *)(p)) : "memory")
#define FENCE() __asm__ volatile("mfence" ::: "memory")
#elif defined(__aarch64__)
#define FLUSH(p) __asm__ volatile("dc civac, %0" ::"r"(p) : "memory")
#define FENCE() __asm__ volatile("dsb sy" ::: "memory")
#else
#error "no cache flush is known for this architecture"
#endif

void am_line_flush(const void *line)
{
    FLUSH(line);
}

void am_line_fence(void)
{
    FENCE();
}
