/* SPDX-License-Identifier: MIT */
/* Words of C, C++ and OpenCL C, and macros that compilers and headers of each define. */
#include "cli/stencil/taken.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);

    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Families of macros: "FLT_MAX", "M_PI", "CLK_LOCAL_MEM_FENCE". */
static bool is_macro(const char *name)
{
    static const char *const begins[] = {"CL_", "CLK_", "M_", "FLT_", "DBL_", "HALF_", "FP_"};
    static const char *const ends[] = {"_MAX", "_MIN", "_BIT"};
    bool is = false;

    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
        is = is || strncmp(name, begins[i], strlen(begins[i])) == 0;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        is = is || ends_with(name, ends[i]);
    return is;
}

const char *am_taken_why(const char *name)
{
    static const char *const taken[] = {"auto",      "break",     "case",       "char",
                                        "const",     "continue",  "default",    "do",
                                        "double",    "else",      "enum",       "extern",
                                        "float",     "for",       "goto",       "if",
                                        "inline",    "int",       "long",       "register",
                                        "restrict",  "return",    "short",      "signed",
                                        "sizeof",    "static",    "struct",     "switch",
                                        "typedef",   "union",     "unsigned",   "void",
                                        "volatile",  "while",     "kernel",     "global",
                                        "x",         "y",         "z",          "g",
                                        "x0",        "x1",        "nx",         "ny",
                                        "nz",        "n",         "at",         "odd",
                                        "asm",       "typeof",    "linux",      "unix",
                                        "NULL",      "bool",      "true",       "false",
                                        "half",      "local",     "constant",   "private",
                                        "generic",   "pipe",      "vec_step",   "NAN",
                                        "INFINITY",  "HUGE_VAL",  "MAXFLOAT",   "get_global_id",
                                        "class",     "new",       "delete",     "this",
                                        "template",  "namespace", "operator",   "public",
                                        "protected", "friend",    "virtual",    "try",
                                        "catch",     "throw",     "using",      "typename",
                                        "explicit",  "mutable",   "export",     "and",
                                        "or",        "not",       "xor",        "compl",
                                        "bitand",    "bitor",     "nullptr",    "constexpr",
                                        "decltype",  "noexcept",  "concept",    "requires",
                                        "size_t",    "read_only", "write_only", "read_write",
                                        "HUGE_VALF", "HUGE_VALL", NULL};
    static const char *const marks[] = {"__", "NAME", "REAL", "TYPED", "WIDER", "INTEGER"};

    if (is_macro(name) || am_name_index(taken, AM_NAMES_ENDED, name) >= 0)
        return "has a meaning of its own: choose another name";
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        if (strstr(name, marks[i]))
            return "has letters in it that generated code uses itself";
    }
    return NULL;
}
