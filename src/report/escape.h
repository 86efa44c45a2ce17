/* SPDX-License-Identifier: MIT */
/* Text written so that Markdown or LaTeX shows it as it is. */
#ifndef AM_REPORT_ESCAPE_H
#define AM_REPORT_ESCAPE_H

#include <stdio.h>

void am_escape_md(FILE *out, const char *text);
void am_escape_tex(FILE *out, const char *text);

#endif
