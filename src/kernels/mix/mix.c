/* SPDX-License-Identifier: MIT */
/* Loops of mixed instructions: which forms there are, and how a loop is put together. */
#include "kernels/mix/mix.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LOOP_BYTES = 8192 }; /* of the room, per loop */

#define ROLE(role, legacy, other, arm, what) #role,
const char *const am_mix_anchor_roles[AM_MIX_ANCHORS] = {AM_MIX_ANCHOR_MAP(ROLE)};
#undef ROLE

/* The carry goes from each of them to the next: no two are independent, and a neighbour that writes
 * flags sets them free. */
static const char *const serial[] = {"adc_r64", "sbb_r64", "adcx_r64", "adox_r64"};

const struct am_mix_form *am_mix_find(const char *name)
{
    for (const struct am_mix_form *form = am_mix_forms; form->name; form++) {
        if (strcmp(form->name, name) == 0)
            return form;
    }
    return NULL;
}

const char *am_mix_why_not(const char *name)
{
    const struct am_mix_form *const form = am_mix_find(name);

    if (am_mix_unsupported)
        return am_mix_unsupported;
    if (!form)
        return "no such instruction form on this architecture";
    for (size_t i = 0; i < sizeof(serial) / sizeof(serial[0]); i++) {
        if (strcmp(serial[i], name) == 0)
            return "each waits for the carry of the one before";
    }
    return am_instr_needs_missing(form->needs);
}

const char *am_mix_chain_why_not(const char *name)
{
    const struct am_mix_form *const form = am_mix_find(name);

    if (am_mix_unsupported)
        return am_mix_unsupported;
    if (!form || !form->chain)
        return "no such instruction form that can wait for itself";
    return am_instr_needs_missing(form->needs);
}

const struct am_mix_form *am_mix_link(const struct am_mix_form *form, enum am_mix_link kind)
{
    const size_t row = form->list == AM_MIX_MASKS      ? (size_t)AM_MIX_BANKS
                       : form->list == AM_MIX_GENERALS ? (size_t)AM_MIX_GPR
                                                       : (size_t)form->bank;

    return &am_mix_links[row][kind];
}

bool am_mix_go_together(const struct am_mix_form *a, const struct am_mix_form *b)
{
    return a->bank == b->bank || a->bank == AM_MIX_GPR || b->bank == AM_MIX_GPR ||
           (a->bank != AM_MIX_SSE && b->bank != AM_MIX_SSE);
}

/* In loops of legacy encodings, and in others. */
#if defined(__aarch64__)
#define NAMES(role, legacy, other, arm, what) {arm, arm},
#else
#define NAMES(role, legacy, other, arm, what) {legacy, other},
#endif
static const char *const anchor_names[AM_MIX_ANCHORS][2] = {AM_MIX_ANCHOR_MAP(NAMES)};
#undef NAMES

const struct am_mix_form *am_mix_anchor(enum am_mix_anchor role, enum am_mix_bank bank)
{
    const bool legacy = bank == AM_MIX_SSE ||
                        (bank == AM_MIX_GPR && am_instr_feature_missing("avx", strlen("avx")));
    const char *const name = anchor_names[role][legacy ? 0 : 1];

    return am_mix_why_not(name) ? NULL : am_mix_find(name);
}

enum am_status am_mix_room_open(struct am_mix_room *room, size_t loops, struct am_err *err)
{
    const size_t size = loops * LOOP_BYTES;
    void *const base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return am_fail(err, AM_E_SYS, "memory for %zu loops", loops);
    *room = (struct am_mix_room){.base = base, .size = size};
    return AM_OK;
}

void am_mix_room_close(struct am_mix_room *room)
{
    if (room->base)
        (void)munmap(room->base, room->size);
    *room = (struct am_mix_room){.base = NULL};
}

enum am_status am_mix_seal(struct am_mix_room *room, struct am_err *err)
{
    if (mprotect(room->base, room->size, PROT_READ | PROT_EXEC) != 0)
        return am_fail(err, AM_E_ABSENT, "this system executes no code that was made at run time");
    __builtin___clear_cache((char *)room->base, (char *)room->base + room->size);
    return AM_OK;
}

/* ---- one loop ---- */

/* An instruction of the mix: the i-th of `count` stands at (i + 1/2) / count of its length. */
struct place {
    double at;
    unsigned part;
};

static int by_place(const void *a, const void *b)
{
    const struct place *const x = a, *const y = b;

    if (x->at < y->at || x->at > y->at)
        return x->at < y->at ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static size_t spread(const struct am_mix_part *parts, size_t n, bool rows, struct place *out)
{
    size_t used = 0;

    for (unsigned p = 0; p < n; p++) {
        for (unsigned i = 0; i < parts[p].count; i++)
            out[used++] = (struct place){.at = rows ? p : (i + 0.5) / parts[p].count, .part = p};
    }
    qsort(out, used, sizeof(*out), by_place);
    return used;
}

/* The piece of a form for the register whose turn it is. Each round of vectors begins a register
 * further where the mix has several forms: else two by turns would have every second register each,
 * and one that waits for its own register half as many chains, too few for its latency. Operations
 * of general registers take fewer cycles; a load and a store of one register would meet at places
 * that a core may take for the same. */
static const unsigned char *piece_at(const struct am_mix_form *form, size_t turn, bool several)
{
    size_t n = 0;

    for (const unsigned char *p = form->code; *p; p = am_mix_next_piece(p))
        n++;
    turn = (turn + (several && form->list == AM_MIX_VECTORS ? turn / n : 0)) % n;
    for (const unsigned char *p = form->code;; p = am_mix_next_piece(p)) {
        if (turn-- == 0)
            return p;
    }
}

static const struct am_mix_at at_a_line = {0, 0};
#ifdef AM_MIX_PREFIX
static const unsigned char prefixes[AM_MIX_MORE_MAX] = {AM_MIX_PREFIX, AM_MIX_PREFIX, AM_MIX_PREFIX,
                                                        AM_MIX_PREFIX};
static const size_t prefixes_most = sizeof(prefixes);
#else
static const unsigned char prefixes[] = {0};
static const size_t prefixes_most = 0;
#endif

/* Where the writing stands. Nothing is written beyond the end, which is told afterwards. */
struct writing {
    unsigned char *at, *end;
    bool full;
};

static void put(struct writing *w, const unsigned char *bytes, size_t n)
{
    w->full = w->full || n > (size_t)(w->end - w->at);
    if (w->full)
        return;
    memcpy(w->at, bytes, n);
    w->at += n;
}

/* Registers have one turn for all forms. With a turn for each, a form that changes its register
 * would meet another's of just before, and where flags are read the two would be a chain from one
 * copy to the next. */
static void put_body(struct writing *w, const struct am_mix_part *parts, const struct place *places,
                     size_t n, size_t copies, bool chained, unsigned more)
{
    bool several = false;
    size_t turns[AM_MIX_LISTS] = {0};

    for (size_t i = 0; i < n; i++)
        several = several || places[i].part != places[0].part;
    for (size_t c = 0; c < copies; c++) {
        for (size_t i = 0; i < n; i++) {
            const struct am_mix_form *const form = parts[places[i].part].form;
            const unsigned char *const piece =
                chained ? form->chain : piece_at(form, turns[form->list]++, several);

            put(w, prefixes, more);
            put(w, piece + AM_MIX_PIECE_HEAD, *piece);
        }
    }
}

static enum am_status check_parts(const struct am_mix_part *parts, size_t n, struct am_err *err)
{
    if (n == 0 || n > AM_MIX_PARTS_MAX)
        return am_fail(err, AM_E_USAGE, "a mix of %zu forms: at least 1, at most %d", n,
                       AM_MIX_PARTS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].count == 0 || parts[i].count > AM_MIX_COUNT_MAX)
            return am_fail(err, AM_E_USAGE, "%u times %s in a mix: at least 1, at most %d",
                           parts[i].count, parts[i].form->name, AM_MIX_COUNT_MAX);
        for (size_t k = 0; k < i; k++) {
            if (!am_mix_go_together(parts[i].form, parts[k].form))
                return am_fail(err, AM_E_USAGE,
                               "%s and %s: legacy and other encodings stand in no loop together",
                               parts[k].form->name, parts[i].form->name);
        }
    }
    return AM_OK;
}

enum how { COPIED, ONCE, ROWS, CHAINED };

/* Nops up to `begin` bytes behind the beginning of a line. */
static void put_gap(struct writing *w, unsigned begin)
{
    while (!w->full && (uintptr_t)w->at % AM_MIX_LINE != begin % AM_MIX_LINE)
        put(w, am_mix_nop, sizeof(am_mix_nop));
}

static enum am_status add(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                          enum how how, struct am_mix_at at, struct am_mix_loop *out,
                          struct am_err *err)
{
    struct place places[AM_MIX_PARTS_MAX * AM_MIX_COUNT_MAX];
    struct writing w = {.at = room->base + room->used};
    enum am_mix_bank bank = AM_MIX_GPR;
    const unsigned char *top;
    size_t total, instructions = 0;
    const enum am_status status = check_parts(parts, n, err);

    if (status != AM_OK)
        return status;
    if (room->size - room->used < LOOP_BYTES)
        return am_fail(err, AM_E_LIMIT, "no room for another loop");
    w.end = w.at + LOOP_BYTES - AM_MIX_BACK_MAX;
    for (size_t i = 0; i < n; i++) {
        bank = parts[i].form->bank > bank ? parts[i].form->bank : bank;
        instructions += (size_t)parts[i].count *
                        (how == CHAINED ? parts[i].form->links : parts[i].form->instructions);
    }
    total = spread(parts, n, how == ROWS, places);
    *out = (struct am_mix_loop){.copies = how == ONCE || how == ROWS ? 1 : am_mix_copies(total),
                                .instructions = instructions};
    memcpy(&out->fn, &w.at, sizeof(out->fn)); /* a pointer to code, from one to its bytes */
    put(&w, am_mix_frames[bank].enter,
        (size_t)(am_mix_frames[bank].enter_end - am_mix_frames[bank].enter));
    put_gap(&w, at.begin);
    top = w.at;
    out->begin = (uintptr_t)top % AM_MIX_LINE;
    put_body(&w, parts, places, total, out->copies, how == CHAINED, at.more);
    out->bytes = (size_t)(w.at - top);
    out->back = am_mix_jump_back(w.at, top);
    w.at += out->back;
    put(&w, am_mix_frames[bank].leave,
        (size_t)(am_mix_frames[bank].leave_end - am_mix_frames[bank].leave));
    room->used += LOOP_BYTES;
    return w.full ? am_fail(err, AM_E_LIMIT, "a loop of more than %d bytes", LOOP_BYTES) : AM_OK;
}

enum am_status am_mix_add(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                          struct am_mix_loop *out, struct am_err *err)
{
    return add(room, parts, n, COPIED, at_a_line, out, err);
}

enum am_status am_mix_add_once(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                               struct am_mix_loop *out, struct am_err *err)
{
    return add(room, parts, n, ONCE, at_a_line, out, err);
}

enum am_status am_mix_add_at(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                             struct am_mix_at at, struct am_mix_loop *out, struct am_err *err)
{
    if (at.more > prefixes_most)
        return am_fail(err, AM_E_ABSENT, "instructions here cannot be %u bytes longer", at.more);
    if (at.begin % sizeof(am_mix_nop) != 0)
        return am_fail(err, AM_E_ABSENT, "no instruction here begins %u bytes into a line",
                       at.begin);
    return add(room, parts, n, ONCE, at, out, err);
}

enum am_status am_mix_add_rows(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                               struct am_mix_loop *out, struct am_err *err)
{
    return add(room, parts, n, ROWS, at_a_line, out, err);
}

enum am_status am_mix_add_chain(struct am_mix_room *room, const struct am_mix_part *parts, size_t n,
                                struct am_mix_loop *out, struct am_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!parts[i].form->chain)
            return am_fail(err, AM_E_ABSENT, "%s cannot wait for itself", parts[i].form->name);
    }
    return add(room, parts, n, CHAINED, at_a_line, out, err);
}
