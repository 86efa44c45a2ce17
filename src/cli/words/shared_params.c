/* SPDX-License-Identifier: MIT */
/* Parts the values of a parameter among the benches that have them. */
#include "cli/words/shared_params.h"

#include "base/text.h"
#include "cli/run/setup.h"

#include <string.h>

enum { VALUES_MAX = 64 * 1024 };

/* Whether the word is one of the axis's choices. */
static bool knows(const struct am_axis *axis, const char *word, size_t len)
{
    for (size_t i = 0; axis->choices && axis->choices[i]; i++) {
        if (strlen(axis->choices[i]) == len && strncmp(axis->choices[i], word, len) == 0)
            return true;
    }
    return false;
}

static const struct am_axis *axis_of(const struct am_bench *bench, const char *name)
{
    const int at = am_axis_find(bench->axes, name);

    return at >= 0 && bench->axes[at].choices ? &bench->axes[at] : NULL;
}

/* Whether another bench of the command line has an axis of this name with that choice. */
static bool others_know(const struct am_cli *cli, const struct am_catalogue *c,
                        const struct am_bench *bench, const char *name, const char *word,
                        size_t len)
{
    for (size_t w = 0; w < c->n; w++) {
        for (size_t b = 0; b < c->workers[w].n; b++) {
            const struct am_bench *const other = &c->workers[w].benches[b];
            const struct am_axis *const axis = axis_of(other, name);

            if (axis && strcmp(other->name, bench->name) != 0 && knows(axis, word, len) &&
                am_patterns_match(&cli->opt->operands, other->name))
                return true;
        }
    }
    return false;
}

/* The values of a list that are the bench's own business; "" when none is. */
static const char *own_values(const struct am_cli *cli, const struct am_catalogue *c,
                              const struct am_bench *bench, const struct am_param *param)
{
    const struct am_axis *const axis = axis_of(bench, param->axis);
    const char *values = NULL;
    struct am_text text;

    if (!axis)
        return param->values;
    am_text_init(&text, VALUES_MAX);
    for (const char *word = param->values; *word;) {
        const size_t len = strcspn(word, ",");

        if (knows(axis, word, len) || !others_know(cli, c, bench, param->axis, word, len))
            am_text_addf(&text, "%s%.*s", text.len ? "," : "", (int)len, word);
        word += len + (word[len] == ',');
    }
    values = text.overflow ? NULL : am_arena_strdup(cli->arena, am_text_str(&text));
    am_text_fini(&text);
    return values;
}

struct am_param *am_shared_params(const struct am_cli *cli, const struct am_catalogue *catalogue,
                                  const struct am_bench *bench, const struct am_param *params,
                                  const char **nothing)
{
    const size_t n = cli->opt->params.n;
    struct am_param *const copy = am_arena_array(cli->arena, n + 1, sizeof(*copy));

    *nothing = NULL;
    for (size_t i = 0; copy && i < n; i++) {
        copy[i] = params[i];
        copy[i].values = own_values(cli, catalogue, bench, &params[i]);
        if (!copy[i].values)
            return NULL;
        if (!*copy[i].values && *params[i].values)
            *nothing = params[i].axis;
    }
    return copy;
}

void am_shared_params_used(const struct am_param *copy, struct am_param *params, size_t n)
{
    for (size_t i = 0; i < n; i++)
        params[i].used |= copy[i].used;
}
