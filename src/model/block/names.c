/* SPDX-License-Identifier: MIT */
/* Names of functions as their author wrote them: the identifiers of names encoded by the Itanium
 * C++ ABI, which GCC and clang use on Linux. */
#include "model/block/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 512 };

/* The rest of an encoded name, and what was read of it. */
struct reading {
    const char *at;
    char *to;
    size_t size, n;
};

/* <length><identifier>: the identifier, and the rest behind it; NULL: none stands here. */
static const char *take_identifier(const char **at, size_t *length)
{
    const char *p = *at, *begin;
    size_t n = 0;

    if (!isdigit((unsigned char)*p))
        return NULL;
    for (; isdigit((unsigned char)*p) && n < NAME_MAX_BYTES; p++)
        n = 10 * n + (size_t)(*p - '0');
    begin = p;
    if (n == 0 || strnlen(p, n) < n)
        return NULL;
    *at = p + n;
    *length = n;
    return begin;
}

/* A reference to something named before: S_, S0_, St, Sa. */
static const char *pass_reference(const char *p)
{
    p++;
    if (islower((unsigned char)*p))
        return p + 1;
    while (isdigit((unsigned char)*p) || isupper((unsigned char)*p))
        p++;
    return *p == '_' ? p + 1 : p;
}

/* Behind the template arguments that begin at `p`; NULL: they do not end. */
static const char *pass_arguments(const char *p)
{
    size_t depth = 0, length;

    while (*p) {
        if (isdigit((unsigned char)*p)) {
            if (!take_identifier(&p, &length))
                return NULL;
        } else if (*p == 'S') {
            p = pass_reference(p);
        } else if (*p == 'A') { /* an array of so many */
            for (p++; isdigit((unsigned char)*p) || *p == '_'; p++)
                continue;
        } else if (*p == 'L') { /* a constant */
            p = strchr(p, 'E');
            if (!p)
                return NULL;
            p++;
        } else {
            depth += strchr("INFXJ", *p) != NULL;
            if (*p == 'E' && --depth == 0)
                return p + 1;
            p++;
        }
    }
    return NULL;
}

static bool add(struct reading *r, const char *text, size_t n)
{
    const int written =
        snprintf(r->to + r->n, r->size - r->n, "%s%.*s", r->n ? "::" : "", (int)n, text);

    if (written < 0 || (size_t)written >= r->size - r->n) {
        r->at = ""; /* nothing more can be read */
        return false;
    }
    r->n += (size_t)written;
    return true;
}

/* One part of a name; false: something that is not read, or its end. */
static bool read_part(struct reading *r)
{
    size_t n;
    const char *const identifier = take_identifier(&r->at, &n);

    if (identifier)
        return add(r, identifier, n);
    if (*r->at == 'I') {
        r->at = pass_arguments(r->at);
        return r->at != NULL;
    }
    if (strncmp(r->at, "St", 2) == 0) {
        r->at += 2;
        return add(r, "std", 3);
    }
    return false;
}

bool am_name_read(const char *symbol, char *to, size_t size)
{
    struct reading r = {.at = symbol + 2, .to = to, .size = size};
    bool nested;

    if (strncmp(symbol, "_Z", 2) != 0 || size == 0)
        return false;
    to[0] = '\0';
    nested = *r.at == 'N';
    r.at += nested;
    while (nested && *r.at && strchr("rVKRO", *r.at)) /* of a member function */
        r.at++;
    if (!nested && strncmp(r.at, "St", 2) == 0 && !read_part(&r))
        return false;
    if (nested) {
        while (read_part(&r))
            continue;
        return r.n > 0 && r.at && *r.at == 'E';
    }
    return read_part(&r) && r.n > 0;
}

/* Without template arguments and parameters. */
static void strip(const char *name, char *to, size_t size)
{
    size_t n = 0, depth = 0;

    for (; *name && *name != '(' && n + 1 < size; name++) {
        depth += *name == '<';
        if (depth == 0)
            to[n++] = *name;
        depth -= *name == '>' && depth > 0;
    }
    to[n] = '\0';
}

static bool ends_as(const char *name, const char *wanted)
{
    const size_t n = strlen(name), k = strlen(wanted);

    return k > 0 && n >= k && strcmp(name + n - k, wanted) == 0 &&
           (n == k || (n - k >= 2 && strncmp(name + n - k - 2, "::", 2) == 0));
}

bool am_name_is_meant(const char *wanted, const char *symbol)
{
    char plain[NAME_MAX_BYTES], own[NAME_MAX_BYTES], readable[NAME_MAX_BYTES];
    const size_t base = strcspn(symbol, ".");

    if (base == 0 || base >= sizeof(own) || strstr(symbol + base, ".cold"))
        return false;
    memcpy(own, symbol, base);
    own[base] = '\0';
    strip(wanted, plain, sizeof(plain));
    return strcmp(own, plain) == 0 ||
           (am_name_read(own, readable, sizeof(readable)) && ends_as(readable, plain));
}
