/* SPDX-License-Identifier: MIT */
/* Loops of mixed instructions do what their forms do. */
#include "core/bench/axis.h"
#include "kernels/mix/mix.h"
#include "tap.h"

#include <stdlib.h>

/* What this architecture calls what is tested here. */
#if defined(__aarch64__)
#define ADD "add_x"
#define SHIFT "lsl_x"
#define VECTOR_ADD "" /* all have a destination of their own */
#define VECTOR_SHIFT ""
enum { LOOPS_LEAST = 80 };
static uint64_t added(uint64_t old, const struct am_instr_regs *regs)
{
    (void)old;
    return regs->operand[1] + regs->operand[0];
}
static uint64_t shifted(uint64_t old, const struct am_instr_regs *regs)
{
    (void)old;
    return regs->operand[0] << 7;
}
#else
#define ADD "add_r64"
#define SHIFT "shl_r64"
#define VECTOR_ADD "paddd_xmm"
#define VECTOR_SHIFT "pslld_xmm"
enum { LOOPS_LEAST = 100 };
static uint64_t added(uint64_t old, const struct am_instr_regs *regs)
{
    return old + regs->operand[0];
}
static uint64_t shifted(uint64_t old, const struct am_instr_regs *regs)
{
    (void)regs;
    return old << 7;
}
#endif

static struct am_mix_area *new_area(enum am_instr_domain domain)
{
    struct am_mix_area *const area = aligned_alloc(4096, sizeof(*area));

    if (!area)
        abort();
    memset(area, 0, sizeof(*area));
    am_instr_fill(&area->regs, domain);
    return area;
}

static void check_table(void)
{
    size_t n = 0, twice = 0, astray = 0, empty = 0;

    for (const struct am_mix_form *f = am_mix_forms; f->name; f++, n++) {
        size_t pieces = 0;

        for (const struct am_mix_form *other = am_mix_forms; other != f; other++)
            twice += strcmp(other->name, f->name) == 0;
        astray += strcmp(am_mix_names[n], f->name) != 0 || am_mix_find(f->name) != f ||
                  strlen(f->name) >= AM_VALUE_TEXT_MAX;
        for (const unsigned char *p = f->code; *p; p = am_mix_next_piece(p))
            pieces++;
        empty += pieces < 6 || pieces > 12;
    }
    ok(!am_mix_names[n] || am_mix_unsupported, "%zu forms, as many names", n);
    ok(twice == 0 && astray == 0, "each name stands once and leads to its form");
    ok(empty == 0, "each form has a piece of code per register");
    ok(!am_mix_find("no_such") && am_mix_why_not("no_such"), "others are refused");
}

static void check_selection(void)
{
    size_t missing = 0, anchors = 0;

    for (const char *at = am_mix_selection; *at;) {
        const size_t len = strcspn(at, ",");
        char name[AM_VALUE_TEXT_MAX];

        (void)snprintf(name, sizeof(name), "%.*s", (int)len, at);
        missing += !am_mix_find(name);
        at += len + (at[len] == ',');
    }
    ok(missing == 0, "the selection names forms that are there");
    for (int i = 0; i < AM_MIX_ANCHORS; i++) {
        for (int bank = AM_MIX_GPR; bank < AM_MIX_BANKS; bank++) {
            const struct am_mix_form *const f =
                am_mix_anchor((enum am_mix_anchor)i, (enum am_mix_bank)bank);

            if (f && !strstr(am_mix_selection, f->name)) {
                anchors++;
                printf("# not selected: %s\n", f->name);
            }
        }
    }
    ok(anchors == 0, "all anchors are among the selection");
}

/* The fault of the loop of one form, beside the kernel of cpu.instr that has the same instructions
 * on the same registers; NULL when there is none. */
static const char *loop_fault(const struct am_instr *form)
{
    const struct am_mix_form *const mixed = am_mix_find(form->name);
    const struct am_mix_part part = {mixed, 1};
    struct am_mix_area *const ours = new_area(form->domain), *const theirs = new_area(form->domain);
    struct am_mix_room room = {.base = NULL};
    struct am_mix_loop loop;
    struct am_err err = {0};
    const char *fault = NULL;
    bool same;

    if (am_mix_room_open(&room, 1, &err) != AM_OK ||
        am_mix_add(&room, &part, 1, &loop, &err) != AM_OK || am_mix_seal(&room, &err) != AM_OK)
        fault = "it cannot be made";
    if (!fault) {
        /* self[0] is an address: of registers at the same place */
        loop.fn(&ours->regs, 3);
        *theirs = *ours;
        am_instr_fill(&ours->regs, form->domain);
        form->free(&ours->regs, UINT64_C(3) * mixed->instructions);
        same = memcmp(ours->regs.out, theirs->regs.out, sizeof(ours->regs.out)) == 0;
        fault = same ? NULL : "it ends elsewhere";
    }
    am_mix_room_close(&room);
    free(ours);
    free(theirs);
    return fault;
}

/* Mask registers are not stored by loops; what else differs is a wrong instruction. */
static void check_loops(void)
{
    size_t ran = 0, bad = 0;

    for (const struct am_instr *form = am_instrs; form->name; form++) {
        const char *fault;

        if (am_mix_why_not(form->name) || strcmp(form->category, "mask") == 0 ||
            strstr(form->name, "_k"))
            continue;
        fault = loop_fault(form);
        ran++;
        if (fault) {
            bad++;
            printf("# %s: %s\n", form->name, fault);
        }
    }
    ok(bad == 0 && (ran > LOOPS_LEAST || am_mix_unsupported),
       "%zu loops of one form end where its kernel ends", ran);
}

/* Registers behind a loop of these. */
static struct am_mix_area *behind(const struct am_mix_part *parts, size_t n)
{
    struct am_mix_area *const area = new_area(AM_INSTR_I);
    struct am_mix_room room = {.base = NULL};
    struct am_mix_loop loop;
    struct am_err err = {0};

    if (am_mix_room_open(&room, 1, &err) != AM_OK ||
        am_mix_add(&room, parts, n, &loop, &err) != AM_OK || am_mix_seal(&room, &err) != AM_OK)
        abort();
    loop.fn(&area->regs, 1);
    am_mix_room_close(&room);
    return area;
}

/* Two forms of vectors by turns meet every register, both of them. */
static void check_turns(void)
{
    enum { VECTORS = 12, BYTES = 16 };
    const struct am_mix_part add = {am_mix_find(VECTOR_ADD), 1};
    const struct am_mix_part shift = {am_mix_find(VECTOR_SHIFT), 1};
    struct am_mix_area *both, *added_only, *shifted_only;
    size_t alike = 0;

    if (!add.form || !shift.form) {
        ok(true, "two forms of vectors by turns # SKIP none waits for its own register");
        return;
    }
    both = behind((const struct am_mix_part[]){add, shift}, 2);
    added_only = behind(&add, 1);
    shifted_only = behind(&shift, 1);
    for (size_t i = 0; i < VECTORS; i++)
        alike += memcmp(both->regs.out[i], added_only->regs.out[i], BYTES) == 0 ||
                 memcmp(both->regs.out[i], shifted_only->regs.out[i], BYTES) == 0;
    ok(alike == 0, "two forms of vectors by turns share all registers");
    free(both);
    free(added_only);
    free(shifted_only);
}

/* All of a part before the next: 3 additions, then 5 shifts, one for each register. */
static void check_rows(void)
{
    const struct am_mix_part parts[] = {{am_mix_find(ADD), 3}, {am_mix_find(SHIFT), 5}};
    struct am_mix_area *const area = new_area(AM_INSTR_I);
    struct am_mix_room room = {.base = NULL};
    struct am_mix_loop loop;
    struct am_err err = {0};
    uint64_t want, got;
    size_t wrong = 0;

    ok(am_mix_room_open(&room, 1, &err) == AM_OK &&
           am_mix_add_rows(&room, parts, 2, &loop, &err) == AM_OK &&
           am_mix_seal(&room, &err) == AM_OK,
       "a loop of two rows is made");
    loop.fn(&area->regs, 1);
    for (size_t i = 0; i < 8; i++) {
        want = (i < 3 ? added : shifted)(area->regs.gpr, &area->regs);
        memcpy(&got, area->regs.out[i], sizeof(got));
        wrong += got != want;
    }
    ok(loop.copies == 1 && wrong == 0, "one copy, the first part before the second");
    am_mix_room_close(&room);
    free(area);
}

/* 2 additions and 1 shift per mix, 32 copies. The order is spread: add, shift, add; and the 8
 * registers have one turn for both, so that no two neighbours have one in common. */
static void check_order(void)
{
    const struct am_mix_part parts[] = {{am_mix_find(ADD), 2}, {am_mix_find(SHIFT), 1}};
    struct am_mix_area *const area = new_area(AM_INSTR_I);
    struct am_mix_room room = {.base = NULL};
    struct am_mix_loop loop;
    struct am_err err = {0};
    uint64_t want[8], got;
    size_t turn = 0, wrong = 0;

    for (size_t i = 0; i < 8; i++)
        want[i] = area->regs.gpr;
    ok(am_mix_room_open(&room, 1, &err) == AM_OK &&
           am_mix_add(&room, parts, 2, &loop, &err) == AM_OK && am_mix_seal(&room, &err) == AM_OK,
       "a loop of two forms is made");
    for (size_t c = 0; c < 2 * loop.copies; c++) {
        for (size_t i = 0; i < 3; i++, turn++)
            want[turn % 8] = (i == 1 ? shifted : added)(want[turn % 8], &area->regs);
    }
    loop.fn(&area->regs, 2);
    for (size_t i = 0; i < 8; i++) {
        memcpy(&got, area->regs.out[i], sizeof(got));
        wrong += got != want[i];
    }
    ok(loop.copies == 32 && loop.instructions == 3 && wrong == 0,
       "32 copies, spread evenly, through the registers in turn");
    ok(am_mix_add(&room, parts, 2, &loop, &err) == AM_E_LIMIT, "no more than there is room for");
    am_mix_room_close(&room);
    free(area);
}

/* The same instructions elsewhere in a line, and longer ones, do the same. */
static void check_places(void)
{
    const struct am_mix_part parts[] = {{am_mix_find(ADD), 3}, {am_mix_find(SHIFT), 5}};
    static const struct am_mix_at places[] = {{0, 0}, {20, 0}, {48, 3}};
    struct am_mix_area *const area = new_area(AM_INSTR_I);
    unsigned char out[3][sizeof(area->regs.out)];
    size_t bytes[3] = {0};

    for (size_t i = 0; i < 3; i++) {
        struct am_mix_room room = {.base = NULL};
        struct am_mix_loop loop;
        struct am_err err;
        const enum am_status placed = am_mix_room_open(&room, 1, &err) == AM_OK
                                          ? am_mix_add_at(&room, parts, 2, places[i], &loop, &err)
                                          : AM_E_SYS;

        if (placed == AM_E_ABSENT && places[i].more) {
            ok(sizeof(am_mix_nop) > 1, "%s", err.text);
            am_mix_room_close(&room);
            memcpy(out[i], out[0], sizeof(out[i]));
            bytes[i] = bytes[0] + 8 * (size_t)places[i].more;
            continue;
        }
        ok(placed == AM_OK && am_mix_seal(&room, &err) == AM_OK && loop.begin == places[i].begin,
           "a loop begins %zu bytes into a line", loop.begin);
        am_instr_fill(&area->regs, AM_INSTR_I);
        loop.fn(&area->regs, 3);
        memcpy(out[i], area->regs.out, sizeof(out[i]));
        bytes[i] = loop.bytes;
        am_mix_room_close(&room);
    }
    ok(bytes[1] == bytes[0] && bytes[2] == bytes[0] + 8 * 3, "and is %zu bytes longer",
       bytes[2] - bytes[0]);
    ok(memcmp(out[0], out[1], sizeof(out[0])) == 0 && memcmp(out[0], out[2], sizeof(out[0])) == 0,
       "with the same in its registers");
    free(area);
}

static void check_refusals(void)
{
    const struct am_mix_part none = {am_mix_find(ADD), 0};
    struct am_mix_room room = {.base = NULL};
    struct am_mix_loop loop;
    struct am_err err = {0};

    (void)am_mix_room_open(&room, 2, &err);
    ok(am_mix_add(&room, &none, 1, &loop, &err) == AM_E_USAGE, "a count of 0 is refused");
    ok(am_mix_add(&room, &none, 0, &loop, &err) == AM_E_USAGE, "an empty mix is refused");
    am_mix_room_close(&room);
    am_mix_room_close(&room);
}

#if defined(__aarch64__)
static void check_encodings(void)
{
}
#else
static void check_encodings(void)
{
    const struct am_mix_part both[] = {{am_mix_find("addpd_xmm"), 1},
                                       {am_mix_find("vaddpd_ymm"), 1}};
    struct am_mix_room room = {.base = NULL};
    struct am_mix_loop loop;
    struct am_err err = {0};

    (void)am_mix_room_open(&room, 2, &err);
    ok(am_mix_add(&room, both, 2, &loop, &err) == AM_E_USAGE,
       "legacy and other encodings are not mixed");
    ok(am_mix_why_not("adc_r64") != NULL, "what waits for a carry is not mixed");
    am_mix_room_close(&room);
}
#endif

/* The forms that only mixes have run beside each other, and callers find what they keep. */
static void check_own(void)
{
    volatile double kept[4] = {1.5, 2.5, 3.5, 4.5};
    double a = kept[0], b = kept[1], c = kept[2], d = kept[3];
    struct am_mix_area *const area = new_area(AM_INSTR_F64);
    const struct am_mix_form *const like = am_mix_find(ADD);
    size_t ran = 0, bad = 0;

    for (const struct am_mix_form *f = am_mix_forms; f->name; f++) {
        const struct am_mix_part parts[] = {{f, 2}, {like, 1}};
        struct am_mix_room room = {.base = NULL};
        struct am_mix_loop loop;
        struct am_err err = {0};

        if (am_instr_find(f->name) || am_mix_why_not(f->name))
            continue;
        ran++;
        if (am_mix_room_open(&room, 1, &err) != AM_OK ||
            am_mix_add(&room, parts, 2, &loop, &err) != AM_OK ||
            am_mix_seal(&room, &err) != AM_OK) {
            bad++;
        } else {
            am_instr_fill(&area->regs, f->domain);
            loop.fn(&area->regs, 5);
        }
        am_mix_room_close(&room);
    }
    ok(bad == 0 && ran >= 20, "%zu forms of mixes alone run", ran);
    ok(a == kept[0] && b == kept[1] && c == kept[2] && d == kept[3], "what callers keep is kept");
    free(area);
}

int main(void)
{
    check_table();
    if (am_mix_unsupported) {
        printf("# %s\n", am_mix_unsupported);
        return tap_done();
    }
    check_selection();
    check_loops();
    check_own();
    check_order();
    check_rows();
    check_places();
    check_turns();
    check_refusals();
    check_encodings();
    return tap_done();
}
