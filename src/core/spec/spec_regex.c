/* SPDX-License-Identifier: MIT */
/* Expressions of an experiment file: checked before they are compiled, matched line by line. */
#include "core/spec/spec_regex.h"

#include "base/text.h"

#include <regex.h>
#include <stdbool.h>
#include <string.h>

enum {
    PATTERN_MAX = 256,
    REPEATS_MAX = 1000, /* glibc copies what {n} repeats: nested bounds multiply */
    NUMBER_MAX = 64,
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The largest number up to the closing brace, at least 1. */
static unsigned long bound_at(const char *s)
{
    unsigned long most = 1, n = 0;

    for (; *s && *s != '}'; s++) {
        n = is_digit(*s) && n <= REPEATS_MAX ? 10 * n + (unsigned long)(*s - '0') : 0;
        most = n > most ? n : most;
    }
    return most;
}

/* Whether the product of all {m,n} stays small: an upper bound of what they make of the expression.
 */
static bool repeats_little(const char *pattern)
{
    unsigned long product = 1;

    for (const char *s = pattern; *s && product <= REPEATS_MAX; s++)
        product *= *s == '{' && is_digit(s[1]) ? bound_at(s + 1) : 1;
    return product <= REPEATS_MAX;
}

static bool has_back_reference(const char *pattern)
{
    for (const char *s = pattern; *s; s++) {
        if (*s != '\\' || !s[1])
            continue;
        if (is_digit(s[1]))
            return true;
        s++;
    }
    return false;
}

const char *am_spec_regex_check(const char *pattern)
{
    regex_t regex;

    if (!*pattern)
        return "the expression is missing";
    if (strlen(pattern) > PATTERN_MAX)
        return "the expression is longer than 256 bytes";
    if (!repeats_little(pattern))
        return "its {counts} multiply to more than 1000";
    if (has_back_reference(pattern))
        return "an extended expression has no back references";
    if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
        return "it is no POSIX extended regular expression";
    regfree(&regex);
    return NULL;
}

/* The number that a match holds: that of the first group, of the whole where there is none. */
static enum am_spec_match number_of(const char *line, const regmatch_t *groups, double *out)
{
    const regmatch_t *const g = groups[1].rm_so >= 0 ? &groups[1] : &groups[0];
    size_t n = (size_t)(g->rm_eo - g->rm_so);
    const char *s = line + g->rm_so;

    while (n && (*s == ' ' || *s == '\t')) {
        s++;
        n--;
    }
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    return n < NUMBER_MAX && am_parse_f64(s, n, out) ? AM_SPEC_MATCHED : AM_SPEC_NO_NUMBER;
}

enum am_spec_match am_spec_regex_find(const char *pattern, const char *text, double *out)
{
    enum am_spec_match found = AM_SPEC_NO_MATCH;
    struct am_text line;
    regmatch_t groups[2];
    regex_t regex;

    if (regcomp(&regex, pattern, REG_EXTENDED) != 0)
        return AM_SPEC_NO_MATCH;
    am_text_init(&line, AM_SPEC_LINE_MAX);
    while (*text && found == AM_SPEC_NO_MATCH) {
        const size_t len = strcspn(text, "\n");

        am_text_clear(&line);
        am_text_addn(&line, text, len < AM_SPEC_LINE_MAX ? len : AM_SPEC_LINE_MAX - 1);
        if (regexec(&regex, am_text_str(&line), 2, groups, 0) == 0)
            found = number_of(am_text_str(&line), groups, out);
        text += len + (text[len] == '\n');
    }
    am_text_fini(&line);
    regfree(&regex);
    return found;
}
