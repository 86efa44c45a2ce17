/* SPDX-License-Identifier: MIT */
/* What archmeter_mark.f90 calls: compile it with a C compiler and link it to a Fortran program. */
#include "mark.h"

int archmeter_mark_is_on(void);
void archmeter_mark_begin(const char *name);
void archmeter_mark_end(const char *name, double flops, double bytes_read, double bytes_written);

int archmeter_mark_is_on(void)
{
#ifdef ARCHMETER_NO_MARKS
    return 0;
#else
    return __atomic_load_n(&am_mark_state_, __ATOMIC_RELAXED) != 0;
#endif
}

void archmeter_mark_begin(const char *name)
{
    am_mark_begin(name);
}

void archmeter_mark_end(const char *name, double flops, double bytes_read, double bytes_written)
{
    am_mark_end_work(name, flops, bytes_read, bytes_written);
}
