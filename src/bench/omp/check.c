/* SPDX-License-Identifier: MIT */
/* What a construct promises and whether it kept it. */
#include "bench/omp/check.h"

#include <math.h>

void am_check_begin(struct am_omp_check *c)
{
    c->exclusive = c->next = 0;
    atomic_store(&c->works, 0);
    atomic_store(&c->disorder, 0);
    atomic_store(&c->early, 0);
    atomic_store(&c->kept, 0);
    c->on = true;
}

void am_check_work(struct am_omp_check *c)
{
    atomic_fetch_add(&c->works, 1);
}

/* Two threads in here at once lose a count: that is how a lock that does not lock shows. */
void am_check_exclusive(struct am_omp_check *c)
{
    c->exclusive = c->exclusive + 1;
}

void am_check_order(struct am_omp_check *c, uint64_t index)
{
    if (c->next != index)
        atomic_fetch_add(&c->disorder, 1);
    c->next = index + 1;
}

void am_check_handed(struct am_omp_check *c, int before, int me)
{
    if (before == me)
        atomic_fetch_add(&c->kept, 1);
}

void am_check_joined(struct am_omp_check *c, uint64_t least)
{
    if (atomic_load(&c->works) < least)
        atomic_fetch_add(&c->early, 1);
}

enum am_status am_check_end(struct am_omp_check *c, const struct am_check_promise *promise,
                            double *residual, struct am_err *err)
{
    const uint64_t works = atomic_load(&c->works), early = atomic_load(&c->early);
    const uint64_t disorder = promise->orders ? atomic_load(&c->disorder) : 0;
    const uint64_t exclusive = promise->excludes ? c->exclusive : promise->works;
    const uint64_t kept = promise->hands_over ? atomic_load(&c->kept) : 0;

    c->on = false;
    *residual = fabs((double)works - (double)promise->works) +
                fabs((double)exclusive - (double)promise->works) + (double)disorder +
                (double)early + (double)kept;
    if (works != promise->works)
        return am_fail(err, AM_E_WRONG, "%llu pieces of work were done in place of %llu",
                       (unsigned long long)works, (unsigned long long)promise->works);
    if (exclusive != promise->works)
        return am_fail(err, AM_E_WRONG,
                       "threads were together where one must be alone: %llu of "
                       "%llu counted",
                       (unsigned long long)exclusive, (unsigned long long)promise->works);
    if (disorder)
        return am_fail(err, AM_E_WRONG, "%llu pieces of work came out of turn",
                       (unsigned long long)disorder);
    if (early)
        return am_fail(err, AM_E_WRONG, "%llu times a thread went on before the work was done",
                       (unsigned long long)early);
    if (kept)
        return am_fail(err, AM_E_WRONG, "%llu times the same thread entered again: not contended",
                       (unsigned long long)kept);
    return AM_OK;
}
