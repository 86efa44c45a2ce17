/* SPDX-License-Identifier: MIT */
/* libFuzzer: a machine model is read, or refused with its place; of one that is read every fact and
 * every ceiling is a number, and it does not differ from itself. */
#include "model/differ.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check(struct am_machine_model *m, struct am_arena *arena)
{
    const struct am_compare_settings settings = {.delta = 0.02, .level = 0.95};
    struct am_machine_model two[] = {*m, *m};
    const struct am_machine_models models = {two, 2};
    struct am_differences differences;
    struct am_err err = {0};

    for (size_t i = 0; i < m->facts.n; i++)
        require(isfinite(m->facts.items[i].value) && m->facts.items[i].grading.grade < AM_GRADE_C);
    for (size_t i = 0; i < m->roofline.n; i++)
        require(m->roofline.items[i].rate > 0 && isfinite(m->roofline.items[i].rate) &&
                m->roofline.items[i].from);
    require(am_models_differ(&models, &settings, arena, &differences, &err) == AM_OK);
    require(differences.n == m->facts.n);
    for (size_t i = 0; i < differences.n; i++)
        require(!am_difference_is_one(&differences.rows[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct am_arena arena = {0};
    struct am_machine_model m;
    struct am_err err = {0};

    if (am_machine_read("f", (const char *)data, size, &arena, &m, &err) == AM_OK)
        check(&m, &arena);
    else
        require(err.status == AM_E_USAGE && strncmp(err.text, "f:", 2) == 0);
    am_arena_fini(&arena);
    return 0;
}
