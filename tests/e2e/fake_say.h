/* SPDX-License-Identifier: MIT */
/* How the fake worker speaks: messages of the real protocol, through the real codec. A conductor
 * that hangs up ends it. */
#ifndef AM_TESTS_E2E_FAKE_SAY_H
#define AM_TESTS_E2E_FAKE_SAY_H

#include "core/protocol/protocol.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static inline void say(const struct am_msg *msg)
{
    struct am_text line;

    am_text_init(&line, 8 * AM_LINE_MAX);
    am_msg_write(&line, msg);
    if (send(AM_PROTOCOL_FD, am_text_str(&line), line.len, MSG_NOSIGNAL) < 0)
        _exit(9);
    am_text_fini(&line);
}

static inline void say_raw(const char *text)
{
    if (send(AM_PROTOCOL_FD, text, strlen(text), MSG_NOSIGNAL) < 0)
        _exit(9);
}

static inline void say_kind(enum am_msg_kind kind, const char *reason)
{
    struct am_msg msg = {.kind = kind};

    (void)am_str_copy(msg.reason, sizeof(msg.reason), reason);
    say(&msg);
}

static inline void say_hello(const char *name, unsigned version)
{
    struct am_msg msg = {.kind = AM_MSG_HELLO, .version = version, .hz = 3e9};

    msg.clock.overhead_ns = 0; /* batches of a nanosecond are exact here */
    msg.clock.resolution_ns = 0;
    (void)am_str_copy(msg.worker, sizeof(msg.worker), name);
    say(&msg);
}

static inline void say_sample(double value, size_t n_values)
{
    struct am_msg msg = {.kind = AM_MSG_SAMPLE, .n_values = n_values};
    const uint64_t now = am_now_ns();

    msg.sample = (struct am_sample){.iters = 1,
                                    .t0_ns = now - 1,
                                    .t1_ns = now,
                                    .elapsed_ns = 1,
                                    .hz_before = 3e9,
                                    .hz_after = 3e9,
                                    .values = {value, value}};
    say(&msg);
}

static inline void begin(int64_t id)
{
    const struct am_msg point = {.kind = AM_MSG_POINT, .point_id = id};
    const struct am_msg work = {.kind = AM_MSG_WORK, .work = {.ops = 1}};

    say(&point);
    say(&work);
}

static inline void say_samples(unsigned n, double value)
{
    for (unsigned i = 0; i < n; i++)
        say_sample(value, 1);
}

#endif
