/* SPDX-License-Identifier: MIT */
/* Variants that a described stencil does not have, refused with the reason. */
#include "cli/own/own.h"

#include "base/text.h"
#include "cli/stencil/variants.h"

#include <string.h>

static const char own_prefix[] = "own.", text_key[] = "source ";

/* Reads the description of a bench again, out of what is kept of all files; false for other
 * benches. */
static bool find_stencil(const struct am_cli *cli, const char *bench, struct am_description *out)
{
    for (size_t i = 0; i < cli->own.n; i++) {
        const char *const file = strstr(cli->own.items[i].key, text_key);
        const size_t len = file ? strlen(file) : 0;
        struct am_err ignored;

        if (len > 5 && strcmp(file + len - 5, ".sten") == 0 &&
            am_description_parse(file, cli->own.items[i].value, cli->arena, out, &ignored) ==
                AM_OK &&
            strcmp(out->name, bench + strlen(own_prefix)) == 0)
            return true;
    }
    return false;
}

static enum am_status refuse(const struct am_description *d, const char *word, const char *why,
                             struct am_err *err)
{
    struct am_text has;
    enum am_status s;

    am_text_init(&has, AM_DESCRIPTION_TEXT_MAX);
    am_variants_list(d, true, ", ", &has);
    s = am_fail(err, AM_E_USAGE, "variant: \"%s\" has no \"%s\": %s; it has %s", d->name, word, why,
                am_text_str(&has));
    am_text_fini(&has);
    return s;
}

enum am_status am_own_check_variants(const struct am_cli *cli, const char *bench,
                                     const struct am_param *params, size_t n, struct am_err *err)
{
    const bool own = strncmp(bench, own_prefix, strlen(own_prefix)) == 0;
    struct am_description *const d = own ? am_arena_alloc(cli->arena, sizeof(*d)) : NULL;

    if (!d || !find_stencil(cli, bench, d))
        return AM_OK;
    for (size_t i = 0; i < n; i++) {
        for (const char *at = params[i].values; strcmp(params[i].axis, "variant") == 0 && *at;) {
            const size_t len = strcspn(at, ",");
            const char *const word = am_arena_strndup(cli->arena, at, len);
            const char *const why = word ? am_variant_lacks(d, word) : NULL;

            if (why)
                return refuse(d, word, why, err);
            at += len + (at[len] == ',');
        }
    }
    return AM_OK;
}
