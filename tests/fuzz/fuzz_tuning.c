/* SPDX-License-Identifier: MIT */
/* libFuzzer: a tuning file parses, or is refused with its line; what parses is written so that it
 * reads back the same, finds entries and fills plans without harm. */
#include "core/tune/saved_tuning.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const ways[] = {"auto", "plain", "clever", NULL};
static const struct am_axis axes[] = {
    {.name = "isa", .kind = AM_AXIS_NAME, .dflt = "x"},
    {.name = "w", .kind = AM_AXIS_INT, .dflt = "0", .tune = "1:13"},
    {.name = "way", .kind = AM_AXIS_NAME, .dflt = "auto", .choices = ways, .tune = "plain"},
    {.name = "r", .kind = AM_AXIS_REAL, .dflt = "0", .tune = "1"},
    {.name = "n", .kind = AM_AXIS_SIZE, .dflt = "256K", .key = AM_KEY_CLASS},
    {.name = NULL},
};
static const struct am_metric metrics[] = {{.name = "m", .unit = "s"}, {.name = NULL}};
static const struct am_bench bench = {
    .name = "b", .summary = "b", .version = 1, .axes = axes, .metrics = metrics};

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_again(struct am_tuning *t, struct am_arena *arena)
{
    struct am_tuning again = {.arena = arena};
    struct am_text first, second;
    struct am_err err = {0};

    am_text_init(&first, 4 * AM_TUNING_BYTES_MAX);
    am_text_init(&second, 4 * AM_TUNING_BYTES_MAX);
    am_tuning_write(t, &first);
    require(am_tuning_parse(&again, "f", am_text_str(&first), first.len, &err) == AM_OK);
    am_tuning_write(&again, &second);
    require(again.n == t->n && strcmp(am_text_str(&first), am_text_str(&second)) == 0);
    am_text_fini(&first);
    am_text_fini(&second);
}

static void check_plan(const struct am_tuning *t, struct am_arena *arena)
{
    const struct am_value values[] = {
        {.kind = AM_AXIS_NAME, .i = -1, .name = "x"},   {.kind = AM_AXIS_INT},
        {.kind = AM_AXIS_NAME, .i = 0, .name = "auto"}, {.kind = AM_AXIS_REAL},
        {.kind = AM_AXIS_SIZE, .i = 1 << 18},
    };
    struct am_point points[] = {{.bench = &bench, .values = values},
                                {.bench = &bench, .values = values}};
    struct am_plan plan = {.points = points, .n = 2, .cap = 2};
    struct am_tuning_uses uses;
    struct am_err err = {0};

    require(am_tuning_apply(t, "machine", &plan, arena, &uses, &err) == AM_OK);
    require(plan.n == 1 || (uses.n == 0 && plan.n == 2));
    for (size_t i = 0; i < plan.n; i++) {
        char text[AM_POINT_TEXT_MAX];

        am_point_text(&plan.points[i], text, sizeof(text));
        require(strncmp(text, "isa=x ", 6) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct am_arena arena = {0};
    struct am_tuning t = {.arena = &arena};
    struct am_err err = {0};

    if (am_tuning_parse(&t, "f", (const char *)data, size, &err) != AM_OK) {
        require(err.status == AM_E_USAGE && strncmp(err.text, "f:", 2) == 0);
    } else {
        check_again(&t, &arena);
        check_plan(&t, &arena);
        require(am_tuning_forget(&t, "*") > 0 || t.n == 0);
    }
    am_arena_fini(&arena);
    return 0;
}
