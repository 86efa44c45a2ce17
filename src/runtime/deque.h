/* SPDX-License-Identifier: MIT */
/* A deque of pieces of work, after Chase and Lev (2005), over a ring that does not grow: its owner
 * pushes and pops at the bottom, any other thread steals at the top.
 *
 * Entries have numbers; [top, bottom) are there. Only the owner changes `bottom`; `top` only grows,
 * each time by a compare-and-swap, and whoever makes it grow from t to t + 1 owns entry t.
 *
 * Why no entry is taken twice. Pop lowers bottom to b and then reads top; steal reads top and then
 * bottom; these four are sequentially consistent, so they have one order. Pop takes entry b without
 * a compare-and-swap only if it read a top below b. A thief takes b only if it read top = b, and a
 * bottom above b, hence before pop lowered it. But then top was b before pop read it: a
 * contradiction. Where top = b both compare and swap, and one wins.
 *
 * Why an entry is seen whole. Its words are written before the store that raises bottom over it
 * (release) and read after a load of bottom that saw it (acquire). The owner uses the slot again
 * only after it has seen (acquire) a top beyond the entry; a thief that reads the slot later than
 * that has an old top, and its compare-and-swap fails. Words are atomic, so such a late look is no
 * data race, and fences are not needed, which ThreadSanitizer does not know. */
#ifndef AM_RUNTIME_DEQUE_H
#define AM_RUNTIME_DEQUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AM_DEQUE_SLOTS = 512, /* a power of two */
    AM_DEQUE_LINE = 128,  /* two lines: some cores fetch them in pairs */
};

/* Indices lo to hi of some work. */
struct am_piece {
    void *work;
    size_t lo, hi;
};

struct am_deque_slot {
    _Atomic uintptr_t work;
    _Atomic size_t lo, hi;
};

/* Zero-initialise. */
struct am_deque {
    _Alignas(AM_DEQUE_LINE) _Atomic uint64_t top;
    _Alignas(AM_DEQUE_LINE) _Atomic uint64_t bottom;
    uint64_t top_seen; /* by the owner: at least so far it has grown */
    struct am_deque_slot slots[AM_DEQUE_SLOTS];
};

/* A moment ago; to its owner "empty" is certain. */
static inline bool am_deque_is_empty(const struct am_deque *d)
{
    return atomic_load_explicit(&d->top, memory_order_relaxed) >=
           atomic_load_explicit(&d->bottom, memory_order_relaxed);
}

static inline struct am_piece am_deque_read(const struct am_deque *d, uint64_t entry)
{
    const struct am_deque_slot *const slot = &d->slots[entry % AM_DEQUE_SLOTS];

    return (struct am_piece){
        .work = (void *)atomic_load_explicit(&slot->work, memory_order_relaxed),
        .lo = atomic_load_explicit(&slot->lo, memory_order_relaxed),
        .hi = atomic_load_explicit(&slot->hi, memory_order_relaxed),
    };
}

/* By the owner; false when the ring is full. */
static inline bool am_deque_push(struct am_deque *d, struct am_piece piece)
{
    const uint64_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    struct am_deque_slot *const slot = &d->slots[b % AM_DEQUE_SLOTS];

    if (b - d->top_seen >= AM_DEQUE_SLOTS)
        d->top_seen = atomic_load_explicit(&d->top, memory_order_acquire);
    if (b - d->top_seen >= AM_DEQUE_SLOTS)
        return false;
    atomic_store_explicit(&slot->work, (uintptr_t)piece.work, memory_order_relaxed);
    atomic_store_explicit(&slot->lo, piece.lo, memory_order_relaxed);
    atomic_store_explicit(&slot->hi, piece.hi, memory_order_relaxed);
    atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
    return true;
}

/* By the owner: the newest; false when there is none. */
static inline bool am_deque_pop(struct am_deque *d, struct am_piece *out)
{
    uint64_t b, t;
    bool won = true;

    if (am_deque_is_empty(d))
        return false;
    b = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&d->bottom, b, memory_order_seq_cst);
    t = atomic_load_explicit(&d->top, memory_order_seq_cst);
    if (t < b) {
        *out = am_deque_read(d, b);
        return true;
    }
    if (t == b) { /* the last one: a thief may want it too */
        *out = am_deque_read(d, b);
        won = atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1, memory_order_seq_cst,
                                                      memory_order_relaxed);
    }
    atomic_store_explicit(&d->bottom, b + 1, memory_order_release);
    return won && t == b;
}

/* By another thread: the oldest; false when there is none or somebody else was quicker. */
static inline bool am_deque_steal(struct am_deque *d, struct am_piece *out)
{
    uint64_t t = atomic_load_explicit(&d->top, memory_order_seq_cst);
    const uint64_t b = atomic_load_explicit(&d->bottom, memory_order_seq_cst);

    if (t >= b)
        return false;
    *out = am_deque_read(d, t);
    return atomic_compare_exchange_strong_explicit(&d->top, &t, t + 1, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

#endif
