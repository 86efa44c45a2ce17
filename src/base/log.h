/* SPDX-License-Identifier: MIT */
/* Messages for a person, on standard error. Standard output carries data only, so that every
 * command can be piped. */
#ifndef AM_BASE_LOG_H
#define AM_BASE_LOG_H

enum am_log_level { AM_LOG_ERROR, AM_LOG_WARN, AM_LOG_INFO, AM_LOG_DEBUG };

void am_log_set_level(enum am_log_level level); /* default AM_LOG_INFO */
/* Lines break at blanks before they pass so many columns; 0, the default: as they are. */
void am_log_set_columns(unsigned columns);
void am_log(enum am_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
