/* SPDX-License-Identifier: MIT */
/* Patterns of names: matched, and refused with the nearest name. */
#include "cli/words/patterns.h"

#include "base/text.h"

#include <string.h>
#include <unistd.h>

bool am_patterns_match(const struct am_strings *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (am_glob_match(patterns->items[i], name))
            return true;
    }
    return patterns->n == 0;
}

bool am_pattern_matches_any(const char *pattern, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (am_glob_match(pattern, names[i]))
            return true;
    }
    return false;
}

/* True when the word is the family of some name: what stands before its dot. */
static bool is_family(const char *word, const char *const *names, size_t n)
{
    const size_t len = strlen(word);

    for (size_t i = 0; i < n; i++) {
        if (strncmp(names[i], word, len) == 0 && names[i][len] == '.')
            return true;
    }
    return false;
}

enum am_status am_check_patterns(const struct am_strings *patterns, const char *const *names,
                                 size_t n, struct am_err *err)
{
    for (size_t i = 0; i < patterns->n; i++) {
        const char *word = patterns->items[i];
        const char *near;

        if (am_pattern_matches_any(word, names, n))
            continue;
        if (is_family(word, names, n))
            return am_fail(err, AM_E_USAGE, "no bench is called \"%s\"; did you mean '%s.*'?", word,
                           word);
        if (access(word, F_OK) == 0)
            return am_fail(err, AM_E_USAGE,
                           "no bench matches \"%s\"; to measure what is in the folder of that "
                           "name, write ./%s",
                           word, word);
        near = am_nearest(word, names, n);
        if (near)
            return am_fail(err, AM_E_USAGE, "no bench matches \"%s\"; did you mean \"%s\"?", word,
                           near);
        return am_fail(err, AM_E_USAGE, "no bench matches \"%s\"; see \"archmeter list\"", word);
    }
    return AM_OK;
}
