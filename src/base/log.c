/* SPDX-License-Identifier: MIT */
/* Messages for a person, on stderr. */
#include "base/log.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_MAX = 16 * 1024 }; /* bytes; no memory is asked for: it may be what is missing */

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

/* Messages name files and what stands in them: nothing of that may steer the terminal. */
static void put(const char *text)
{
    while (*text) {
        const size_t len = am_utf8_plain(text), whole = am_utf8_length(text);

        if (len)
            (void)fwrite(text, 1, len, stderr);
        else
            (void)fputc(*text == '\n' || *text == '\t' ? *text : '?', stderr);
        text += whole ? whole : 1;
    }
}

void am_log(enum am_log_level level, const char *fmt, ...)
{
    char text[MESSAGE_MAX];
    va_list ap;

    if (level > threshold)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    flockfile(stderr);
    (void)fputs(prefixes[level], stderr);
    put(text);
    (void)fputc('\n', stderr);
    funlockfile(stderr);
}
