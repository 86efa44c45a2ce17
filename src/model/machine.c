/* SPDX-License-Identifier: MIT */
/* Models made of runs. */
#include "model/machine.h"

#include "base/text.h"
#include "family/family.h"
#include "model/nodes.h"

const char am_machine_kind[] = "machine model";

void am_machine_make(const struct am_result_set *set, struct am_arena *arena,
                     struct am_machine_model *out)
{
    *out = (struct am_machine_model){.set = *set, .name = set->run.name ? set->run.name : "run"};
    am_families_derive(&out->set, arena, &out->facts);
    am_roofline_build(&out->set, &out->facts, arena, &out->roofline);
}

enum am_status am_machines_make(const struct am_result_set *set, struct am_arena *arena,
                                struct am_machine_models *out, struct am_err *err)
{
    *out = (struct am_machine_models){
        .items = am_arena_array(arena, set->nodes.n + 1, sizeof(*out->items))};
    if (!out->items)
        return am_fail(err, AM_E_NOMEM, "no memory for the models");
    for (size_t i = 0; i < set->nodes.n; i++) {
        struct am_result_set one;

        if (!am_nodes_part(set, i, arena, &one))
            continue;
        am_machine_make(&one, arena, &out->items[out->n]);
        out->items[out->n].node = out->items[out->n].name = set->nodes.items[i].name;
        out->n++;
    }
    if (out->n == 0)
        am_machine_make(set, arena, &out->items[out->n++]);
    return AM_OK;
}

static enum am_status no_such_node(const struct am_machine_models *models, const char *node,
                                   struct am_err *err)
{
    enum { NAMES_MAX = 1024 };
    const char *names[NAMES_MAX];
    const char *near;
    size_t n = 0;

    for (; n < models->n && n < NAMES_MAX; n++)
        names[n] = models->items[n].node;
    if (n == 1 && !names[0])
        return am_fail(err, AM_E_USAGE, "--node %s: this file is of one machine, without nodes",
                       node);
    near = am_nearest(node, names, n);
    return am_fail(err, AM_E_USAGE, "no node with results is called \"%s\"%s%s%s", node,
                   near ? "; did you mean \"" : "; the first is \"", near ? near : names[0],
                   near ? "\"?" : "\"");
}

enum am_status am_machines_choose(struct am_machine_models *models, const char *node,
                                  struct am_err *err)
{
    for (size_t i = 0; node && i < models->n; i++) {
        if (am_name_index(&models->items[i].node, 1, node) == 0) {
            models->items += i;
            models->n = 1;
            return AM_OK;
        }
    }
    return node ? no_such_node(models, node, err) : AM_OK;
}
