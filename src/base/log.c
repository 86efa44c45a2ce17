/* SPDX-License-Identifier: MIT */
/* Messages for a person, on stderr. */
#include "base/log.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 16 * 1024 }; /* bytes; no memory is asked for: it may be what is missing */

static const char *const prefixes[] = {
    [AM_LOG_ERROR] = "archmeter: ",
    [AM_LOG_WARN] = "archmeter: warning: ",
    [AM_LOG_INFO] = "",
    [AM_LOG_DEBUG] = "debug: ",
};

static enum am_log_level threshold = AM_LOG_INFO;
static unsigned columns_max;

void am_log_set_level(enum am_log_level level)
{
    threshold = level;
}

void am_log_set_columns(unsigned columns)
{
    columns_max = columns;
}

/* Messages name files and what stands in them: nothing of that may steer the terminal. Returns the
 * bytes of the character. */
static size_t put_character(const char *text)
{
    const size_t len = am_utf8_plain(text), whole = am_utf8_length(text);

    if (len)
        (void)fwrite(text, 1, len, stderr);
    else
        (void)fputc(*text == '\t' ? *text : '?', stderr);
    return whole ? whole : 1;
}

/* Writes the word, and counts its columns. */
static size_t put_word(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t at = 0; at < bytes; columns++)
        at += put_character(text + at);
    return columns;
}

static size_t columns_of(const char *text, size_t bytes)
{
    size_t columns = 0;

    for (size_t at = 0; at < bytes; columns++) {
        const size_t whole = am_utf8_length(text + at);

        at += whole ? whole : 1;
    }
    return columns;
}

/* The cursor stands in column `hang`, where lines that are broken go on. */
static void put(const char *text, size_t hang)
{
    const size_t room = columns_max ? columns_max : SIZE_MAX;
    size_t column = hang;

    hang = hang <= room / 2 ? hang : 0;
    while (*text) {
        const size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " \n");

        if (column > hang && word && column + blanks + columns_of(text + blanks, word) > room) {
            (void)fprintf(stderr, "\n%*s", (int)hang, "");
            column = hang;
        } else {
            (void)fprintf(stderr, "%*s", (int)blanks, "");
            column += blanks;
        }
        text += blanks;
        column += put_word(text, word);
        text += word;
        if (*text == '\n') {
            (void)fputc(*text++, stderr);
            column = hang = 0;
        }
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
    put(text, strlen(prefixes[level]));
    (void)fputc('\n', stderr);
    funlockfile(stderr);
}
