/* SPDX-License-Identifier: MIT */
/* libFuzzer: axis values either parse, and read back from their canonical text, or are explained.
 * The first byte chooses the axis, the rest is what a user wrote. */
#include "core/bench/axis.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const isas[] = {"scalar", "sse2", "avx", "avx2", "avx512", NULL};
static const char *const reasons[] = {NULL, NULL, NULL, NULL, "absent"};
static const struct am_symbol symbols[] = {
    {"cpus", 16}, {"l1", 32768}, {"l2", 524288}, {"huge", INT64_MAX}, {NULL, 0}};
static const struct am_axis axes[] = {
    {.name = "threads", .kind = AM_AXIS_INT},
    {.name = "size", .kind = AM_AXIS_SIZE},
    {.name = "load", .kind = AM_AXIS_REAL},
    {.name = "isa", .kind = AM_AXIS_NAME, .choices = isas, .reasons = reasons},
    {.name = "policy", .kind = AM_AXIS_NAME},
};

static void require(int condition)
{
    if (!condition)
        abort();
}

/* Both readers give back the value that the text was written from. */
static void check_value(const struct am_axis *axis, const struct am_value *value,
                        struct am_arena *arena)
{
    char text[AM_VALUE_TEXT_MAX];
    struct am_err err = {0};
    struct am_values again;
    struct am_value one;

    am_value_text(value, text, sizeof(text));
    require(am_value_parse(axis, text, strlen(text), &one, &err) == AM_OK);
    require(am_value_same(value, &one) && value->i == one.i);
    require(am_axis_parse(axis, text, strlen(text), symbols, arena, &again, &err) == AM_OK);
    require(again.n == 1 && am_value_same(value, &again.v[0]) && value->i == again.v[0].i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct am_axis *axis = &axes[size ? data[0] % (sizeof(axes) / sizeof(*axes)) : 0];
    const char *text = (const char *)data + (size > 0);
    struct am_arena arena = {0};
    struct am_values values;
    struct am_err err = {0};

    if (am_axis_parse(axis, text, size ? size - 1 : 0, symbols, &arena, &values, &err) != AM_OK) {
        require(err.status != AM_OK && err.text[0] != '\0');
    } else {
        require(values.n > 0 && values.n <= AM_AXIS_VALUES_MAX);
        /* A sample of a long range keeps the fuzzer fast. */
        for (size_t i = 0; i < values.n; i += 1 + values.n / 16)
            check_value(axis, &values.v[i], &arena);
    }
    am_arena_fini(&arena);
    return 0;
}
