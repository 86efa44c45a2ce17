/* SPDX-License-Identifier: MIT */
/* Claims and progress of strips. A count has the pass in its upper half, so that what an earlier
 * pass has left is less than anything of a later one. */
#include "app/stencil/wave_team.h"

#include <sched.h>
#include <stdatomic.h>

enum {
    LINE_BYTES = 64,
    PASS_SHIFT = 32,
    LOOKS = 1000, /* before the CPU is given to others: there may be more threads than CPUs */
};

#if defined(__x86_64__)
#define relax() __builtin_ia32_pause()
#else
#define relax() __asm__ volatile("isb" ::: "memory")
#endif

/* Each on two lines of its own, as caches fetch them in pairs. */
struct count {
    _Alignas(2 * LINE_BYTES) _Atomic uint64_t value;
};

struct am_wave_team {
    struct count claimed; /* strips of the pass */
    struct count made[];  /* waves of each strip */
};

static uint64_t count_of(size_t pass, size_t n)
{
    return (uint64_t)pass << PASS_SHIFT | n;
}

size_t am_wave_team_bytes(size_t strips)
{
    return sizeof(struct am_wave_team) + strips * sizeof(struct count);
}

void am_wave_team_reset(struct am_wave_team *team, size_t strips)
{
    atomic_store_explicit(&team->claimed.value, 0, memory_order_relaxed);
    for (size_t i = 0; i < strips; i++)
        atomic_store_explicit(&team->made[i].value, 0, memory_order_relaxed);
}

bool am_wave_team_claim(struct am_wave_team *team, size_t pass, size_t strips, size_t *strip)
{
    uint64_t seen = atomic_load_explicit(&team->claimed.value, memory_order_relaxed), begun;

    do {
        begun = seen < count_of(pass, 0) ? count_of(pass, 0) : seen;
        *strip = (size_t)(begun - count_of(pass, 0));
        if (*strip >= strips)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&team->claimed.value, &seen, begun + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void look_away(unsigned looks)
{
    if (looks % LOOKS == LOOKS - 1)
        (void)sched_yield();
    else
        relax();
}

void am_wave_team_await(const struct am_wave_team *team, size_t pass, size_t strip, size_t waves)
{
    const uint64_t wanted = count_of(pass, waves);

    for (unsigned looks = 0;
         atomic_load_explicit(&team->made[strip].value, memory_order_acquire) < wanted; looks++)
        look_away(looks);
}

void am_wave_team_tell(struct am_wave_team *team, size_t pass, size_t strip, size_t wave)
{
    atomic_store_explicit(&team->made[strip].value, count_of(pass, wave + 1), memory_order_release);
}
