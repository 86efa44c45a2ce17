/* SPDX-License-Identifier: MIT */
/* Status codes and the story of a failure. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define AM_STATUS_NAME(id, name) [id] = (name),
static const char *const names[AM_STATUS_COUNT] = {AM_STATUS_MAP(AM_STATUS_NAME)};
#undef AM_STATUS_NAME

enum am_status am_fail(struct am_err *err, enum am_status status, const char *fmt, ...)
{
    const int sys = errno;
    va_list ap;
    int n;

    if (!err || err->status != AM_OK)
        return status;
    err->status = status;
    va_start(ap, fmt);
    n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    if (status == AM_E_SYS && n >= 0 && (size_t)n < sizeof(err->text)) {
        err->sys = sys;
        (void)snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s", strerror(sys));
    }
    return status;
}

const char *am_status_name(enum am_status status)
{
    return (unsigned)status < AM_STATUS_COUNT ? names[status] : "unknown";
}
