/* SPDX-License-Identifier: MIT */
/* Messages for a person, on stderr. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const prefixes[] = {
    [AM_LOG_ERROR] = "archmeter: ",
    [AM_LOG_WARN] = "archmeter: warning: ",
    [AM_LOG_INFO] = "",
    [AM_LOG_DEBUG] = "debug: ",
};

static enum am_log_level threshold = AM_LOG_INFO;

void am_log_set_level(enum am_log_level level)
{
    threshold = level;
}

void am_log(enum am_log_level level, const char *fmt, ...)
{
    va_list ap;

    if (level > threshold)
        return;
    flockfile(stderr);
    (void)fputs(prefixes[level], stderr);
    va_start(ap, fmt);
    (void)vfprintf(stderr, fmt, ap);
    va_end(ap);
    (void)fputc('\n', stderr);
    funlockfile(stderr);
}
