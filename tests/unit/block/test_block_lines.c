/* SPDX-License-Identifier: MIT */
/* A loop on a core that reads by lines: from its bytes, and what is known of where they lie, to
 * what is told of it. */
#include "core_fixture.h"
#include "document/machine/block.h"
#include "tap.h"
#include "write/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARISONS = 20, EACH = 3, DEC = 3, JUMP = 6, BYTES = COMPARISONS * EACH + DEC + JUMP };

/* Twenty of cmp %rcx,%rax; dec %rdi; jnz back: 21 instructions, as the last two are one. */
static void write_loop(unsigned char *out)
{
    static const unsigned char compare[EACH] = {0x48, 0x39, 0xc8}, dec[DEC] = {0x48, 0xff, 0xcf};
    static const unsigned char jump[JUMP] = {0x0f, 0x85, 0x100 - BYTES, 0xff, 0xff, 0xff};

    for (unsigned i = 0; i < COMPARISONS; i++)
        memcpy(out + (size_t)i * EACH, compare, EACH);
    memcpy(out + BYTES - JUMP - DEC, dec, DEC);
    memcpy(out + BYTES - JUMP, jump, JUMP);
}

static const struct cx_form forms[] = {{"xor_r32_zero", -1, {0.125}},
                                       {"add_r64", 1, {0.125, 0.1}},
                                       {"cmp_r64", -1, {0.125, 0.1}},
                                       {NULL, 0, {0}}};
static const char *resources[] = {"front", "alu"};

static void show(const struct cx_core *c, const struct am_predicted *p, char **text)
{
    const struct am_streams streams = {0, 0, 0, 0};
    const struct am_loop_view view = {.file = "made.o",
                                      .function = "made",
                                      .run = "made.db",
                                      .core = &c->incore,
                                      .blocks = p,
                                      .streams = &streams,
                                      .n = 1,
                                      .hz = NAN};
    const struct am_document document = am_document_loops(&view);
    const struct am_style style = {.format = AM_FORMAT_MD};
    struct am_arena arena = {NULL};
    size_t size;
    FILE *const out = open_memstream(text, &size);

    am_write(&document, &style, &arena, out);
    (void)fclose(out);
    am_arena_fini(&arena);
}

/* False where there is no decoder. */
static bool check(uint64_t address, unsigned kept, double cycles, const char *words,
                  const char *not_said)
{
    struct cx_core c = {.incore = {.window = 0}};
    unsigned char bytes[BYTES];
    const struct am_code code = {.arch = AM_ARCH_X86_64,
                                 .name = "made",
                                 .bytes = bytes,
                                 .n = BYTES,
                                 .address = address,
                                 .kept = kept};
    struct am_insns insns;
    struct am_loops loops;
    struct am_predicted p;
    struct am_err err;
    char *text = NULL;
    enum am_status status;

    write_loop(bytes);
    cx_make(&c, forms, resources, 2, 0);
    cx_settle(&c);
    c.incore.lines = (struct am_incore_lines){64, 6, 2, 2, true, true};
    status = am_insns_decode(&code, &c.run.arena, &insns, &err);
    if (status == AM_E_ABSENT) {
        printf("1..0 # SKIP %s\n", err.text);
        return false;
    }
    if (status != AM_OK || !am_loops_find(&insns, &c.run.arena, &loops) || loops.n != 1 ||
        !am_loop_predict(&c.incore, &insns, &loops.items[0], &c.run.arena, &p))
        abort();
    is_near(p.cycles, cycles, 1e-9, "cycles");
    is_near(p.hi, 4, 1e-9, "at most");
    show(&c, &p, &text);
    if (!ok(strstr(text, words) && !strstr(text, not_said),
            "where it lies is known by %u bytes, and told so", kept))
        (void)fputs(text, stderr);
    free(text);
    am_arena_fini(&c.run.arena);
    return true;
}

int main(void)
{
    /* slots alone take 21 / 8; at the four places that 16 bytes leave lines take 4, 3, 1 and 4 */
    if (!check(
            0x1000, 64, 4,
            "4.00 cycles per iteration, limited by the lines that it lies in: of each 64 bytes 12 "
            "instructions are taken in per cycle. Resources alone allow 2.62. Elsewhere in a line "
            "it takes 2.62.",
            "by where in a line"))
        return 0;
    (void)check(0x1000, 16, (4 + 3 + 2.625 + 4) / 4,
                "cycles per iteration (2.62 to 4.00, by where in a line it begins), limited by the "
                "lines that it lies in",
                "Elsewhere");
    return tap_done();
}
