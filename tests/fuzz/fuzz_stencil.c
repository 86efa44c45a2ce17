/* SPDX-License-Identifier: MIT */
/* libFuzzer: descriptions of stencils are read or refused with file and line; what is read can be
 * written as C, and the C has no word left that stands for another one. */
#include "cli/stencil/description.h"
#include "cli/stencil/emit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void write_all(const struct am_description *d)
{
    const struct am_emit_shape shape = {1, 1, 1, 1, AM_EMIT_ALL};
    struct am_err err = {0};
    struct am_text out;

    am_text_init(&out, AM_EMIT_MAX);
    require(am_emit_opencl(d, AM_EMIT_F64, &out, &err) == AM_OK);
    require(am_emit_kernel(d, AM_EMIT_F32, &shape, &out, &err) == AM_OK || out.overflow);
    require(!strstr(am_text_str(&out), "NAME"));
    am_text_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct am_arena arena = {0};
    struct am_description d;
    struct am_err err = {0};
    const char *const text = am_arena_strndup(&arena, (const char *)data, size);

    require(text != NULL);
    if (am_description_parse("f", text, &arena, &d, &err) == AM_OK)
        write_all(&d);
    else
        require(err.status == AM_E_NOMEM || strncmp(err.text, "f:", 2) == 0);
    am_arena_fini(&arena);
    return 0;
}
