/* SPDX-License-Identifier: MIT */
/* What else the machine did around a launch, and whether that was too much.
 *
 * The readings are made by topo/activity.h before and after the launch; this module holds them as
 * values and judges them. Own work never counts as a neighbour: CPU time of others is all CPU time
 * less that of this program and its workers, and threads are counted while no worker runs. Pressure
 * on CPUs is told, but does not make a launch busy, because the threads of a worker that wait for
 * each other's CPUs raise it too. What could not be read is NAN and makes nothing busy. */
#ifndef AM_CORE_SURROUNDINGS_H
#define AM_CORE_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct am_surroundings {
    double load;     /* average of the last minute, when the launch began */
    double runnable; /* threads of others that could run: the fewer of before and after */
    double others;   /* CPU time of others per second, in CPUs; a little below 0 by rounding */
    double steal;    /* CPU time stolen per second, in CPUs */
    double pressure_cpu, pressure_memory, pressure_io; /* part of the time that a task waited */
    uint32_t labels;                                   /* AM_BUSY_*; 0: quiet */
};

/* Bits of a launch's labels: X(enumerator, bit, word, meaning). */
#define AM_BUSY_MAP(X)                                                                             \
    X(AM_BUSY_OTHERS, 1, "others", "other programs used the CPUs")                                 \
    X(AM_BUSY_STEAL, 2, "steal", "the hypervisor took CPU time")                                   \
    X(AM_BUSY_MEMORY, 4, "memory", "tasks waited for memory")                                      \
    X(AM_BUSY_RUNNABLE, 8, "runnable", "other threads were ready to run before and after")

#define AM_BUSY_ENUM(id, bit, word, meaning) id = bit,
enum am_busy { AM_BUSY_MAP(AM_BUSY_ENUM) };
#undef AM_BUSY_ENUM
#define AM_BUSY_COUNT(id, bit, word, meaning) +1
enum { AM_BUSY_KINDS = 0 AM_BUSY_MAP(AM_BUSY_COUNT) };
#undef AM_BUSY_COUNT

/* By the number of their bit. */
extern const char *const am_busy_words[AM_BUSY_KINDS];
extern const char *const am_busy_meanings[AM_BUSY_KINDS];

/* How well the readings can tell. */
struct am_surroundings_scale {
    double seconds; /* that they cover */
    double grain_s; /* CPU time that counting in ticks may be wrong by */
    unsigned cpus;  /* of the machine */
};

/* The labels that the readings earn. */
uint32_t am_surroundings_judge(const struct am_surroundings *s,
                               const struct am_surroundings_scale *scale);

/* "other programs used 1.4 CPUs, 0.2 CPUs were stolen": why it was busy; "" when it was not. */
const char *am_surroundings_text(const struct am_surroundings *s, char *buf, size_t cap);

#endif
