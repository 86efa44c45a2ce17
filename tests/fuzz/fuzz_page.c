/* SPDX-License-Identifier: MIT */
/* libFuzzer: the page of any run that the store could have loaded, with its figures, is written and
 * holds nothing but its own code; and so is every figure as an SVG of its own. The input is
 * run_text.h's. */
#include "document/page.h"
#include "output_checks.h"
#include "run_text.h"

#include "memory_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct am_arena arena = {0};
    struct am_result_set sets[RT_RUNS];
    struct am_page page = {
        .sets = sets,
        .n = rt_read((const char *)data, size, &arena, sets),
        .compare = {.delta = 0.02, .level = 0.95},
        .command = "archmeter report run.db",
        .arena = &arena,
    };
    struct am_err err = {0};

    if (am_page_learn(&page, &err) == AM_OK) {
        const struct am_document document = am_document_page(&page);
        struct memory out;

        require(memory_open(&out) != NULL);
        am_write(&document, &(struct am_style){.format = AM_FORMAT_HTML, .utf8 = true}, &arena,
                 out.file);
        check_output(AM_FORMAT_HTML, memory_text(&out), out.size);
        memory_close(&out);
    } else {
        require(err.text[0] != '\0');
    }
    am_arena_fini(&arena);
    return 0;
}
