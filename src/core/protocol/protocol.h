/* SPDX-License-Identifier: MIT */
/* The line protocol between conductor and worker (doc/internals/protocol.md).
 *
 * Three texts cross the border between the two processes: the request (conductor to worker, once),
 * the messages (worker to conductor, a line each while it measures) and the listing (what a worker
 * prints for --list). All are lines of words with one space between; words are percent-encoded and
 * doubles travel as %a, so that every number arrives exactly. Writers and parsers of each stand
 * side by side in one file (request.c, message.c, listing.c). Parsers trust nothing: lengths and
 * counts are bounded, names are checked against the bench's tables, and a line that does not fit is
 * refused with its reason. am_msg_parse() allocates nothing. When a message may come is the
 * collector's business (conductor/collect.c). */
#ifndef AM_CORE_PROTOCOL_H
#define AM_CORE_PROTOCOL_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "core/bench/bench.h"
#include "core/bench/plan.h"

#include <stddef.h>
#include <stdint.h>

enum {
    AM_PROTOCOL_VERSION = 3, /* 1: notes were read by code; 2: samples without OFF */
    AM_PROTOCOL_FD = 3,      /* the worker's end of the socket pair */
    AM_LINE_MAX = 16 * 1024, /* longest line, newline included */
    AM_REASON_MAX = 512,
    AM_DATA_MAX = 4096,                    /* bytes in one line of data */
    AM_ATTACHMENT_MAX = 8 * 1024 * 1024,   /* bytes of one attachment */
    AM_ATTACHMENTS_MAX = 16 * 1024 * 1024, /* of all those of one point in one launch */
};

/* What a worker says while it measures. */
enum am_msg_kind {
    AM_MSG_HELLO,    /* hello VERSION WORKER OVERHEAD_NS RESOLUTION_NS HZ */
    AM_MSG_POINT,    /* point ID: what follows belongs to this point */
    AM_MSG_WORK,     /* work READ WRITTEN FLOPS OPS */
    AM_MSG_NOTE,     /* note KEY TEXT: a remark on this launch of the point, for people */
    AM_MSG_CHOSEN,   /* chosen NAME VALUE: what the launch was done with, for code */
    AM_MSG_WINDOW,   /* window T0 T1: when the point was measured, where not in its samples */
    AM_MSG_PROPOSE,  /* propose AXIS VALUES: what a tuner may try */
    AM_MSG_ATTACH,   /* attach NAME TYPE LENGTH: so many bytes follow, in lines of data */
    AM_MSG_DATA,     /* data HEX: the next bytes of what is attached */
    AM_MSG_VERIFIED, /* verified RESIDUAL */
    AM_MSG_SAMPLE,   /* sample ITERS T0 T1 ELAPSED HZ0 HZ1 STEAL SWITCHES OFF LABELS VALUE... */
    AM_MSG_SKIP,     /* skip REASON: the point cannot be measured here */
    AM_MSG_FAIL,     /* fail REASON: the point went wrong */
    AM_MSG_END,      /* end: the point is complete */
    AM_MSG_LIBRARY,  /* library BUILD_ID PATH: behind the last point, what the process had loaded */
    AM_MSG_DONE,     /* done: the launch is complete */
};

struct am_msg {
    enum am_msg_kind kind;
    unsigned version;
    char worker[AM_NAME_MAX];
    struct am_clock clock; /* hello: overhead and resolution only */
    double hz;
    int64_t point_id;
    struct am_work work;
    double residual;
    struct am_sample sample;
    size_t n_values;
    uint64_t begin_ns, end_ns;  /* window; both 0: at no time of its own */
    char key[AM_NAME_MAX];      /* note; chosen, attach: the name; propose: the axis; library: id */
    char reason[AM_REASON_MAX]; /* skip, fail; note: its text; chosen, propose: the value(s);
                                 * library: its path */
    char type[AM_NAME_MAX];     /* attach: a media type */
    uint64_t length;            /* attach: bytes in all */
    unsigned char data[AM_DATA_MAX];
    size_t n_data;
};

/* Parses one line (no newline). AM_E_PROTOCOL with the reason when it is not one. */
enum am_status am_msg_parse(const char *line, size_t len, struct am_msg *msg, struct am_err *err);
/* Appends the line and its newline. n_values of a sample are written. */
void am_msg_write(struct am_text *out, const struct am_msg *msg);

/* What the conductor asks of a worker: one text, read by the worker to its `go` line. */
struct am_request {
    struct am_sampler_settings sampler;
    uint64_t seed, memory_limit_bytes;
    int *cpus;
    size_t n_cpus;
    const char *counters[AM_EVENTS_MAX]; /* events to count beside the time */
    size_t n_counters;
    struct am_point *points; /* all of one bench; bench->name is what matters */
    size_t n_points;
};

void am_request_write(struct am_text *out, const struct am_request *request);
/* `benches` is the worker's own table, ended by NULL: names and values are checked against it. */
enum am_status am_request_parse(const char *text, size_t len, const struct am_bench *const *benches,
                                struct am_arena *arena, struct am_request *out, struct am_err *err);

/* What `worker --list` prints: name, and descriptors without hooks. */
struct am_listing {
    const char *worker;
    const struct am_bench *benches;
    size_t n;
};

void am_listing_write(struct am_text *out, const char *worker,
                      const struct am_bench *const *benches);
enum am_status am_listing_parse(const char *text, size_t len, struct am_arena *arena,
                                struct am_listing *out, struct am_err *err);

#endif
