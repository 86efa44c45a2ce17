/* SPDX-License-Identifier: MIT */
/* Object files from anybody: no byte outside of the file is read, whatever its tables say, and what
 * is found is decoded. */
#include "model/block/elf.h"
#include "model/block/loops.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const uint8_t *data, size_t size, const char *name)
{
    struct am_arena arena = {NULL};
    struct am_err err = {0};
    struct am_code code;
    struct am_insns insns;
    struct am_loops loops;

    if (am_elf_function("input", data, size, name, &arena, &code, &err) == AM_OK) {
        if (code.bytes < data || code.n > size || (size_t)(code.bytes - data) > size - code.n)
            abort();
        if (am_insns_decode(&code, &arena, &insns, &err) == AM_OK)
            (void)am_loops_find(&insns, &arena, &loops);
    }
    am_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    look(data, size, "f");
    look(data, size, NULL);
    look(data, size, "ns::S<float>::g() const");
    return 0;
}
