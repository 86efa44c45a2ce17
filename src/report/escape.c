/* SPDX-License-Identifier: MIT */
/* Text written so that Markdown or LaTeX shows it as it is. */
#include "report/escape.h"

#include <string.h>

void am_escape_md(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<", *text))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}

void am_escape_tex(FILE *out, const char *text)
{
    static const struct {
        char c;
        const char *tex;
    } table[] = {{'\\', "\\textbackslash{}"},  {'~', "\\textasciitilde{}"},
                 {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},     {'|', "\\textbar{}"}};

    for (; *text; text++) {
        const char *replacement = NULL;

        for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
            if (table[i].c == *text)
                replacement = table[i].tex;
        }
        if (replacement) {
            (void)fputs(replacement, out);
            continue;
        }
        if (strchr("&%$#_{}", *text))
            (void)fputc('\\', out);
        (void)fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
}
