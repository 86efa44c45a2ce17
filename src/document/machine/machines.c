/* SPDX-License-Identifier: MIT */
/* Several machines in one document. */
#include "document/machine/machines.h"

#include "document/machine/differences.h"
#include "document/model.h"
#include "document/screen.h"

static struct am_model_view view_of(const struct am_machines_view *all, size_t i)
{
    const struct am_machine_model *const m = &all->models->items[i];

    return (struct am_model_view){.set = &m->set,
                                  .facts = &m->facts,
                                  .guidelines = &all->guidelines[i],
                                  .roofline = &m->roofline,
                                  .node = m->node,
                                  .read = m->read};
}

static void tell_nodes(struct am_body *b, const struct am_machine_models *models)
{
    static const struct am_column columns[] = {{.title = "node"},
                                               {.title = "facts", .right = true},
                                               {.title = "not concluded", .right = true},
                                               {.title = "machine", .flow = true}};
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < models->n; i++) {
        const struct am_machine_model *const m = &models->items[i];

        am_table_row(t);
        (void)am_table_text(t, m->node);
        (void)am_table_number(t, AM_FORM_COUNT, (double)m->facts.n);
        (void)am_table_number(t, AM_FORM_COUNT, (double)m->facts.n_remarks);
        (void)am_table_text(t, am_screen_machine(&m->set, b->arena));
    }
}

static void machines_blocks(struct am_body *b, const void *self)
{
    const struct am_machines_view *const view = self;
    const struct am_differences_view differences = {.all = view->differences};

    if (!b->programs) {
        tell_nodes(b, view->models);
        (void)am_block_add(b, AM_BLOCK_HEADING, "Between the machines", "facts that differ");
    }
    am_differences_blocks(b, &differences);
    for (size_t i = 0; !b->programs && i < view->models->n; i++) {
        const struct am_model_view one = view_of(view, i);

        if (view->models->n > AM_MACHINES_TOLD)
            break;
        (void)am_block_addf(b, AM_BLOCK_HEADING, "Node", "%s", view->models->items[i].node);
        am_model_blocks(b, &one);
    }
    if (!b->programs && view->models->n > AM_MACHINES_TOLD)
        (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL,
                            "%zu machines: --node NAME shows the model of one, --format json has "
                            "all.",
                            view->models->n);
}

static void machines_data(struct am_data *d, const void *self)
{
    const struct am_machines_view *const view = self;

    am_data_array(d, "models");
    for (size_t i = 0; i < view->models->n; i++) {
        const struct am_model_view one = view_of(view, i);

        am_data_object(d, NULL);
        am_data_model(d, &one);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_differences(d, view->differences);
}

struct am_document am_document_machines(const struct am_machines_view *view)
{
    return (struct am_document){.self = view, .blocks = machines_blocks, .data = machines_data};
}
