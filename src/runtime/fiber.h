/* SPDX-License-Identifier: MIT */
/* Fibers: stacks that a thread can leave in the middle of a function, and that any thread can
 * continue there later. The task runtime puts a task that waits aside by them.
 *
 * A switch saves the registers that a call must preserve, by hand for x86-64 and AArch64; rounding
 * modes and signal masks stay the thread's. The caller sees to it that a fiber runs on one thread
 * at a time, and frees none that may still be continued. */
#ifndef AM_RUNTIME_FIBER_H
#define AM_RUNTIME_FIBER_H

#include <stdbool.h>
#include <stddef.h>

struct am_fiber {
    void *sp; /* where it was left; its registers lie there */
    void *stack;
    size_t bytes;    /* of the mapping, guard page included */
    void *sanitizer; /* its name there; NULL without ThreadSanitizer */
};

/* Receives what the switch that begins the fiber hands over. Never returns. */
typedef void am_fiber_fn(void *handed);

/* A fiber that begins in `fn`, on at least `bytes` of stack above a page that faults. False when
 * memory is refused. */
bool am_fiber_new(struct am_fiber *f, size_t bytes, am_fiber_fn *fn);
void am_fiber_free(struct am_fiber *f); /* one that is not running */

/* Makes `f` stand for the calling thread on its own stack. */
void am_fiber_adopt(struct am_fiber *f);

/* Leaves `from`, the running one, and continues `to`. Returns when somebody continues `from`, maybe
 * on another thread: what that one handed over. Rounding modes and signal masks are not switched.
 */
void *am_fiber_switch(struct am_fiber *from, const struct am_fiber *to, void *handed);

#endif
