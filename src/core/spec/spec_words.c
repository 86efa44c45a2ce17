/* SPDX-License-Identifier: MIT */
/* Words, templates and units of an experiment file. */
#include "core/spec/spec.h"

#include "base/text.h"

#include <string.h>

enum { EXPANDED_MAX = 64 * 1024 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Copies one word without its quotes to *out and moves that behind its end; returns what follows
 * the word, NULL where a quote stays open. */
static const char *take_word(const char *s, char **out)
{
    char quote = 0;

    for (; *s && (quote || !is_blank(*s)); s++) {
        if (*s == quote)
            quote = 0;
        else if (!quote && (*s == '"' || *s == '\''))
            quote = *s;
        else
            *(*out)++ = *s;
    }
    *(*out)++ = '\0';
    return quote ? NULL : s;
}

bool am_spec_split(const char *text, struct am_arena *arena, struct am_strings *out,
                   const char **why)
{
    char *to = am_arena_alloc(arena, strlen(text) + 1); /* an end takes the place of a blank */

    *out = (struct am_strings){0};
    *why = "no memory for its words";
    if (!to)
        return false;
    for (;;) {
        const char *const word = to;

        while (is_blank(*text))
            text++;
        if (!*text)
            return true;
        text = take_word(text, &to);
        if (!text) {
            *why = "a quote is not closed";
            return false;
        }
        if (!am_strings_add(out, arena, word))
            return false;
    }
}

/* The length of the name in "{name}", 0 where there is none; *s is the brace. */
static size_t name_length(const char *s)
{
    const size_t n =
        strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    return s[1 + n] == '}' && n < AM_SPEC_NAME_MAX ? n : 0;
}

bool am_spec_template_names(const char *text, am_spec_name_fn *fn, void *self, const char **why)
{
    for (const char *s = text; *s; s++) {
        char name[AM_SPEC_NAME_MAX];
        size_t n;

        if (*s != '{' && *s != '}')
            continue;
        if (s[1] == *s) {
            s++;
            continue;
        }
        n = *s == '{' ? name_length(s) : 0;
        if (n == 0) {
            *why = *s == '{' ? "\"{\" begins no {variable}; write {{ for a brace"
                             : "\"}\" ends no {variable}; write }} for a brace";
            return false;
        }
        (void)am_str_copy(name, n + 1, s + 1);
        if (!fn(self, name))
            return false;
        s += n + 1;
    }
    return true;
}

const char *am_spec_expand(const char *text, am_spec_value_fn *value_of, const void *self,
                           struct am_arena *arena)
{
    struct am_text out;
    const char *copy;

    am_text_init(&out, EXPANDED_MAX);
    for (const char *s = text; *s; s++) {
        const size_t n = *s == '{' ? name_length(s) : 0;

        if ((*s == '{' || *s == '}') && s[1] == *s) {
            am_text_addn(&out, s++, 1);
        } else if (n) {
            char name[AM_SPEC_NAME_MAX];
            const char *value;

            (void)am_str_copy(name, n + 1, s + 1);
            value = value_of(self, name);
            am_text_add(&out, value ? value : "");
            s += n + 1;
        } else {
            am_text_addn(&out, s, 1);
        }
    }
    copy = out.overflow ? NULL : am_arena_strdup(arena, am_text_str(&out));
    am_text_fini(&out);
    return copy;
}

/* ---- shells ---- */

/* Commands and words of POSIX shells that no program stands for, or none that would do the same. */
static bool is_shell_word(const char *word)
{
    static const char *const words[] = {
        "!",        ".",        ":",       "alias", "bg",     "break", "case",   "cd",
        "command",  "continue", "do",      "eval",  "exec",   "exit",  "export", "fc",
        "fg",       "for",      "getopts", "hash",  "if",     "jobs",  "local",  "read",
        "readonly", "return",   "set",     "shift", "source", "times", "trap",   "type",
        "ulimit",   "umask",    "unalias", "unset", "until",  "wait",  "while",  "{",
    };

    return am_name_index(words, sizeof(words) / sizeof(*words), word) >= 0;
}

/* The first word as it is written; what is too long for `word` is no shell's. */
static void first_word(const char *line, char *word, size_t cap)
{
    size_t n;

    while (is_blank(*line))
        line++;
    n = strcspn(line, " \t");
    (void)am_str_copy(word, n + 1 < cap ? n + 1 : cap, line);
}

/* What means something to a shell, in a quote or outside of all; `begins`: at the begin of a word.
 */
static bool is_special(char c, char quote, bool begins)
{
    if (quote)
        return quote == '"' && strchr("$`\\", c);
    return strchr("|&;<>()$`\\*?[]\n", c) || (begins && strchr("#~", c));
}

bool am_spec_needs_shell(const char *line)
{
    enum { WORD_CAP = 256 };
    char word[WORD_CAP], quote = 0;
    bool begins = true;

    for (const char *s = line; *s; begins = !quote && is_blank(*s), s++) {
        if (*s == quote)
            quote = 0;
        else if (!quote && (*s == '"' || *s == '\''))
            quote = *s;
        else if (is_special(*s, quote, begins))
            return true;
    }
    first_word(line, word, sizeof(word));
    return strchr(word, '=') || is_shell_word(word); /* A=1 is a variable for the command */
}

bool am_spec_is_variable(const char *text, char name[AM_SPEC_NAME_MAX])
{
    const size_t n = *text == '{' ? name_length(text) : 0;

    if (n == 0 || text[n + 2] != '\0')
        return false;
    (void)am_str_copy(name, n + 1, text + 1); /* the brace behind it is cut off */
    return true;
}

bool am_spec_prints(const struct am_spec_test *test, const char *result)
{
    for (size_t i = 0; i < test->results.n; i++) {
        if (strcmp(test->results.items[i].name, result) == 0)
            return true;
    }
    return false;
}

void am_spec_unit(const char *word, const char **unit, double *scale)
{
    static const struct {
        const char *word, *unit;
        double scale;
    } units[] = {
        {"ms", "s", 1e-3},          {"us", "s", 1e-6},          {"ns", "s", 1e-9},
        {"min", "s", 60},           {"kB", "B", 1e3},           {"MB", "B", 1e6},
        {"GB", "B", 1e9},           {"KiB", "B", 1024},         {"MiB", "B", 1048576},
        {"GiB", "B", 1073741824},   {"kB/s", "B/s", 1e3},       {"MB/s", "B/s", 1e6},
        {"GB/s", "B/s", 1e9},       {"MiB/s", "B/s", 1048576},  {"GiB/s", "B/s", 1073741824},
        {"Mflop/s", "flop/s", 1e6}, {"Gflop/s", "flop/s", 1e9}, {"Tflop/s", "flop/s", 1e12},
        {"MFLOPS", "flop/s", 1e6},  {"GFLOPS", "flop/s", 1e9},  {"TFLOPS", "flop/s", 1e12},
        {"mJ", "J", 1e-3},          {"kJ", "J", 1e3},           {"mW", "W", 1e-3},
        {"kHz", "Hz", 1e3},         {"MHz", "Hz", 1e6},         {"GHz", "Hz", 1e9},
        {"%", "1", 1e-2},
    };

    *unit = word;
    *scale = 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (strcmp(units[i].word, word) == 0) {
            *unit = units[i].unit;
            *scale = units[i].scale;
        }
    }
}
