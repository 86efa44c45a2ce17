/* SPDX-License-Identifier: MIT */
/* Status codes, and the message that goes with a failure.
 *
 * A function that can fail returns an enum am_status and takes a struct am_err as its last
 * parameter. The function that discovers the failure writes the message by am_fail(), with the
 * names and values that it knows; callers pass the status on and add nothing. The status says what
 * kind of failure it is, and so which exit code or stored outcome follows from it. */
#ifndef AM_BASE_STATUS_H
#define AM_BASE_STATUS_H

/* One list gives the enumerators and their names. */
#define AM_STATUS_MAP(X)                                                                           \
    X(AM_OK, "ok")                                                                                 \
    X(AM_E_USAGE, "usage")             /* the caller's words are wrong: exit code 2 */             \
    X(AM_E_PARSE, "parse")             /* text that does not follow its grammar */                 \
    X(AM_E_SYS, "system")              /* a system call failed; am_err.sys holds errno */          \
    X(AM_E_NOMEM, "memory")            /* allocation refused */                                    \
    X(AM_E_ABSENT, "absent")           /* "not here" is an answer: a stored skip */                \
    X(AM_E_WRONG, "wrong")             /* a result differs from its reference */                   \
    X(AM_E_STORE, "store")             /* the results file cannot be read or written */            \
    X(AM_E_PROTOCOL, "protocol")       /* a worker said something it must not say */               \
    X(AM_E_LIMIT, "limit")             /* a bound on size, count or time was reached */            \
    X(AM_E_INTERRUPTED, "interrupted") /* the user asked to stop */                                \
    X(AM_E_BUSY, "busy")               /* others use the machine: exit code 5 */

#define AM_STATUS_ENUM(id, name) id,
enum am_status { AM_STATUS_MAP(AM_STATUS_ENUM) AM_STATUS_COUNT };
#undef AM_STATUS_ENUM

/* Where a failure's story is kept. Zero-initialise; the first am_fail() fills it. */
struct am_err {
    enum am_status status;
    int sys; /* errno at the time of the failure, 0 if none */
    char text[512];
};

/* Records the failure and returns `status`. For AM_E_SYS the text of errno is appended.
 * `err` may be NULL. A story already told is kept: callers pass errors on, they do not retell. */
enum am_status am_fail(struct am_err *err, enum am_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

const char *am_status_name(enum am_status status);

#endif
