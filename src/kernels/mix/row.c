/* SPDX-License-Identifier: MIT */
/* Code of rows: bytes of instructions, written by hand per architecture;
 * tests/unit/bench_cpu/test_sizes.c runs each kind, test_rows.c AArch64's under qemu. */
#include "kernels/mix/row.h"

#include <string.h>

#define NAME(name, what) #name,
const char *const am_row_fillers[] = {AM_ROW_FILLER_MAP(NAME) NULL};
#undef NAME

enum { LINE = 64, FRAME_BYTES = 256, ROOM_UNIT = 1024, TURNS = 8, ACCESS_BYTES_MAX = 10 };

_Static_assert(offsetof(struct am_row_area, divisor) == 16, "known to `enter`");
_Static_assert(offsetof(struct am_row_area, loaded) == 32, "known to the filler load");
_Static_assert(offsetof(struct am_row_area, stored) == 40, "known to the filler store");
_Static_assert(offsetof(struct am_row_area, passed) == 64, "known to `leave_pairs`");
_Static_assert(offsetof(struct am_row_area, pair) == 128, "known to put_access()");

struct piece {
    unsigned char length, bytes[8];
};

struct row {
    unsigned char *at, *top;
};

static void put(struct row *r, const unsigned char *bytes, size_t n)
{
    memcpy(r->at, bytes, n);
    r->at += n;
}

#if defined(__aarch64__)
/* In turn; a length of 0 ends. */
static const struct piece pieces[AM_ROW_FILLERS][TURNS + 1] = {
    [AM_ROW_nop] = {{4, {0x1f, 0x20, 0x03, 0xd5}}},
    [AM_ROW_zero] = {{4, {0x0b, 0x00, 0x80, 0xd2}}, /* mov x11, #0 */
                     {4, {0x0c, 0x00, 0x80, 0xd2}}, /* to x14 */
                     {4, {0x0d, 0x00, 0x80, 0xd2}},
                     {4, {0x0e, 0x00, 0x80, 0xd2}}},
    [AM_ROW_general] = {{4, {0x2b, 0x01, 0x09, 0x8b}}, /* add x11, x9, x9 */
                        {4, {0x2c, 0x01, 0x09, 0x8b}}, /* to x14 */
                        {4, {0x2d, 0x01, 0x09, 0x8b}},
                        {4, {0x2e, 0x01, 0x09, 0x8b}}},
    [AM_ROW_vector] = {{4, {0x00, 0x84, 0xb3, 0x4e}}, /* add v0.4s, v0.4s, v19.4s */
                       {4, {0x21, 0x84, 0xb3, 0x4e}}, /* to v7 */
                       {4, {0x42, 0x84, 0xb3, 0x4e}},
                       {4, {0x63, 0x84, 0xb3, 0x4e}},
                       {4, {0x84, 0x84, 0xb3, 0x4e}},
                       {4, {0xa5, 0x84, 0xb3, 0x4e}},
                       {4, {0xc6, 0x84, 0xb3, 0x4e}},
                       {4, {0xe7, 0x84, 0xb3, 0x4e}}},
    [AM_ROW_load] = {{4, {0x00, 0x20, 0x40, 0xbd}}, /* ldr s0, [x0, #32]: to vectors s0 to s4, */
                     {4, {0x0b, 0x20, 0x40, 0xb9}}, /* ldr w11, [x0, #32]: and to w11 to w13 */
                     {4, {0x01, 0x20, 0x40, 0xbd}},
                     {4, {0x02, 0x20, 0x40, 0xbd}},
                     {4, {0x0c, 0x20, 0x40, 0xb9}},
                     {4, {0x03, 0x20, 0x40, 0xbd}},
                     {4, {0x0d, 0x20, 0x40, 0xb9}},
                     {4, {0x04, 0x20, 0x40, 0xbd}}},
    [AM_ROW_store] = {{4, {0x09, 0x28, 0x00, 0xb9}}},  /* str w9, [x0, #40] */
    [AM_ROW_waiting] = {{4, {0xeb, 0x01, 0x0f, 0x8b}}, /* add x11, x15, x15 */
                        {4, {0xec, 0x01, 0x0f, 0x8b}}, /* to x14 */
                        {4, {0xed, 0x01, 0x0f, 0x8b}},
                        {4, {0xee, 0x01, 0x0f, 0x8b}}},
    [AM_ROW_waiting_vector] = {{4, {0x80, 0x86, 0xb3, 0x4e}}, /* add v0.4s, v20.4s, v19.4s */
                               {4, {0x81, 0x86, 0xb3, 0x4e}}, /* to v3 */
                               {4, {0x82, 0x86, 0xb3, 0x4e}},
                               {4, {0x83, 0x86, 0xb3, 0x4e}}},
    [AM_ROW_waiting_load] = {{4, {0x0b, 0x68, 0x6f, 0xb8}}, /* ldr w11, [x0, x15] */
                             {4, {0x0c, 0x68, 0x6f, 0xb8}}, /* to w14 */
                             {4, {0x0d, 0x68, 0x6f, 0xb8}},
                             {4, {0x0e, 0x68, 0x6f, 0xb8}}},
    [AM_ROW_waiting_fourth] = {{4, {0xeb, 0x01, 0x0f, 0x8b}}, /* add x11, x15, x15 */
                               {4, {0x3f, 0x01, 0x00, 0xeb}}, /* cmp x9, x0 */
                               {4, {0x3f, 0x01, 0x00, 0xeb}},
                               {4, {0x3f, 0x01, 0x00, 0xeb}}},
};

/* What fillers wait for: x15, the sign of the chain's end and so 0, or v20, a copy of it. */
static const struct piece sign_of[2][3] = {
    {{4, {0x0f, 0x02, 0x66, 0x9e}},  /* fmov x15, d16 */
     {4, {0xef, 0xfd, 0x7f, 0xd3}}}, /* lsr x15, x15, #63 */
    {{4, {0x2f, 0x02, 0x66, 0x9e}}, {4, {0xef, 0xfd, 0x7f, 0xd3}}}};
static const struct piece copy_of[2][2] = {
    {{4, {0x14, 0x86, 0xb3, 0x4e}}}, /* add v20.4s, v16.4s, v19.4s */
    {{4, {0x34, 0x86, 0xb3, 0x4e}}}};

/* The chains' registers are d16 and d17, the divisor is d18, v19 is zero. */
static const unsigned char enter[] = {
    0x10, 0x00, 0x40, 0xfd, /* ldr d16, [x0] */
    0x11, 0x04, 0x40, 0xfd, /* ldr d17, [x0, #8] */
    0x12, 0x08, 0x40, 0xfd, /* ldr d18, [x0, #16] */
    0x13, 0xe4, 0x00, 0x6f, /* movi v19.2d, #0 */
    0x09, 0x00, 0x80, 0xd2, /* mov x9, #0 */
    0xaa, 0x00, 0x80, 0x52, /* mov w10, #5 */
};
static const unsigned char links[2][4] = {{0x10, 0x1a, 0x72, 0x1e},  /* fdiv d16, d16, d18 */
                                          {0x31, 0x1a, 0x72, 0x1e}}; /* and d17 */
static const unsigned char leave[] = {
    0x10, 0x00, 0x00, 0xfd, /* str d16, [x0] */
    0x11, 0x04, 0x00, 0xfd, /* str d17, [x0, #8] */
    0x0a, 0x20, 0x00, 0xf9, /* str x10, [x0, #64] */
    0xc0, 0x03, 0x5f, 0xd6, /* ret */
};
static const unsigned char wide_nop[AM_ROW_WIDE_BYTES] = {0x1f, 0x20, 0x03, 0xd5};
static const unsigned char *const widest_nop = NULL; /* all are of one length */

static void put_word(struct row *r, uint32_t word)
{
    put(r, (const unsigned char *)&word, sizeof(word));
}

/* A branch on a register reaches a megabyte, a plain one any row. */
static void put_back(struct row *r)
{
    put_word(r, 0xd1000421); /* sub x1, x1, #1 */
    put_word(r, 0xb4000041); /* cbz x1, 8 bytes on */
    put_word(r, 0x14000000 | ((uint32_t)((r->top - r->at) / 4) & 0x3ffffff)); /* b top */
}

static void put_jump(struct row *r, size_t to)
{
    put_word(r, 0x14000000 | (uint32_t)(to / 4)); /* b */
}

/* By the logarithm of their bytes: from and to w10 or x10, at any offset up to 255 from x0. */
static const uint32_t stores[] = {0x3800000a, 0x7800000a, 0xb800000a, 0xf800000a};
static const uint32_t loads[] = {0x3840000a, 0x7840000a, 0xb840000a, 0xf840000a};

static void put_access(struct row *r, const uint32_t *word, size_t offset)
{
    put_word(r, *word | (uint32_t)(offsetof(struct am_row_area, pair) + offset) << 12);
}
#else
/* In turn; a length of 0 ends. */
static const struct piece pieces[AM_ROW_FILLERS][TURNS + 1] = {
    /* Shorter nops, and zeros of one register in a row, may share a place by two or four. */
    [AM_ROW_nop] = {{8, {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}}},
    [AM_ROW_zero] = {{3, {0x45, 0x31, 0xc0}}, /* xor %r8d,%r8d */
                     {3, {0x45, 0x31, 0xc9}}, /* to r11d */
                     {3, {0x45, 0x31, 0xd2}},
                     {3, {0x45, 0x31, 0xdb}}},
    [AM_ROW_general] = {{4, {0x4c, 0x8d, 0x04, 0x09}}, /* lea (%rcx,%rcx),%r8 */
                        {4, {0x4c, 0x8d, 0x0c, 0x09}}, /* to r11 */
                        {4, {0x4c, 0x8d, 0x14, 0x09}},
                        {4, {0x4c, 0x8d, 0x1c, 0x09}}},
    [AM_ROW_mask] = {{4, {0xc5, 0xf4, 0x41, 0xd1}}, /* kandw %k1,%k1,%k2 */
                     {4, {0xc5, 0xf4, 0x4a, 0xd9}}, /* kaddw to k3: of another unit */
                     {4, {0xc5, 0xf4, 0x41, 0xe1}},
                     {4, {0xc5, 0xf4, 0x4a, 0xe9}}},
    [AM_ROW_vector] = {{5, {0x66, 0x41, 0x0f, 0xfe, 0xc4}}, /* paddd %xmm12,%xmm0 */
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xcc}}, /* to xmm7 */
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xd4}},
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xdc}},
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xe4}},
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xec}},
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xf4}},
                       {5, {0x66, 0x41, 0x0f, 0xfe, 0xfc}}},
    [AM_ROW_load] = {{5, {0x66, 0x0f, 0x6e, 0x47, 32}}, /* movd 32(%rdi),%xmm0: to xmm0 to xmm4, */
                     {4, {0x44, 0x8b, 0x47, 32}},       /* mov 32(%rdi),%r8d: and to r8 to r10 */
                     {5, {0x66, 0x0f, 0x6e, 0x4f, 32}},
                     {5, {0x66, 0x0f, 0x6e, 0x57, 32}},
                     {4, {0x44, 0x8b, 0x4f, 32}},
                     {5, {0x66, 0x0f, 0x6e, 0x5f, 32}},
                     {4, {0x44, 0x8b, 0x57, 32}},
                     {5, {0x66, 0x0f, 0x6e, 0x67, 32}}},
    [AM_ROW_store] = {{3, {0x89, 0x4f, 40}}},          /* mov %ecx,40(%rdi) */
    [AM_ROW_waiting] = {{4, {0x4c, 0x8d, 0x04, 0x00}}, /* lea (%rax,%rax),%r8 */
                        {4, {0x4c, 0x8d, 0x0c, 0x00}}, /* to r11 */
                        {4, {0x4c, 0x8d, 0x14, 0x00}},
                        {4, {0x4c, 0x8d, 0x1c, 0x00}}},
    [AM_ROW_waiting_vector] = {{5, {0x66, 0x41, 0x0f, 0xfe, 0xc3}}, /* paddd %xmm11,%xmm0 */
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xcb}}, /* to xmm7 */
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xd3}},
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xdb}},
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xe3}},
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xeb}},
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xf3}},
                               {5, {0x66, 0x41, 0x0f, 0xfe, 0xfb}}},
    [AM_ROW_waiting_load] = {{5, {0x44, 0x8b, 0x44, 0x07, 32}}, /* mov 32(%rdi,%rax),%r8d */
                             {5, {0x44, 0x8b, 0x4c, 0x07, 32}}, /* to r11d */
                             {5, {0x44, 0x8b, 0x54, 0x07, 32}},
                             {5, {0x44, 0x8b, 0x5c, 0x07, 32}}},
    [AM_ROW_waiting_fourth] = {{4, {0x4c, 0x8d, 0x04, 0x00}}, /* lea (%rax,%rax),%r8 */
                               {3, {0x48, 0x39, 0xcf}},       /* cmp %rcx,%rdi */
                               {3, {0x48, 0x39, 0xcf}},
                               {3, {0x48, 0x39, 0xcf}}},
    [AM_ROW_waiting_operand] = {{4, {0x48, 0x3b, 0x47, 32}}}, /* cmp 32(%rdi),%rax */
};

/* What fillers wait for: rax, the sign of the chain's end and so 0, or xmm11, a copy of it. */
static const struct piece sign_of[2][3] = {
    {{5, {0x66, 0x4c, 0x0f, 0x7e, 0xf0}}, {4, {0x48, 0xc1, 0xe8, 63}}}, /* movq %xmm14,%rax; shr */
    {{5, {0x66, 0x4c, 0x0f, 0x7e, 0xf8}}, {4, {0x48, 0xc1, 0xe8, 63}}}};
static const struct piece copy_of[2][2] = {{{5, {0x66, 0x45, 0x0f, 0x6f, 0xde}}}, /* movdqa */
                                           {{5, {0x66, 0x45, 0x0f, 0x6f, 0xdf}}}};

/* The chains' registers are xmm14 and xmm15, the divisor is xmm13. */
static const unsigned char enter[] = {
    0xf3, 0x0f, 0x1e, 0xfa,             /* endbr64 */
    0xf2, 0x44, 0x0f, 0x10, 0x37,       /* movsd (%rdi),%xmm14 */
    0xf2, 0x44, 0x0f, 0x10, 0x7f, 0x08, /* movsd 8(%rdi),%xmm15 */
    0xf2, 0x44, 0x0f, 0x10, 0x6f, 0x10, /* movsd 16(%rdi),%xmm13 */
    0x66, 0x45, 0x0f, 0xef, 0xe4,       /* pxor %xmm12,%xmm12 */
    0x31, 0xc9, 0xb8, 0x05, 0,    0,    0 /* xor %ecx,%ecx; mov $5,%eax */};
static const unsigned char links[2][5] = {{0xf2, 0x45, 0x0f, 0x5e, 0xf5},  /* divsd %xmm13,%xmm14 */
                                          {0xf2, 0x45, 0x0f, 0x5e, 0xfd}}; /* and %xmm15 */
static const unsigned char leave[] = {
    0xf2, 0x44, 0x0f, 0x11, 0x37,       /* movsd %xmm14,(%rdi) */
    0xf2, 0x44, 0x0f, 0x11, 0x7f, 0x08, /* movsd %xmm15,8(%rdi) */
    0x48, 0x89, 0x47, 0x40, 0xc3        /* mov %rax,64(%rdi); ret */
};
static const unsigned char wide_nop[AM_ROW_WIDE_BYTES] = {0x0f, 0x1f, 0x40, 0};
static const unsigned char widest_nop[AM_ROW_WIDEST_BYTES] = {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};

static void put_jump(struct row *r, size_t to)
{
    const unsigned char jmp = 0xe9;
    const int32_t distance = (int32_t)to - 1 - (int32_t)sizeof(distance);

    put(r, &jmp, 1);
    put(r, (const unsigned char *)&distance, sizeof(distance));
}

static void put_back(struct row *r)
{
    static const unsigned char dec_jnz[] = {0x48, 0xff, 0xce, 0x0f, 0x85}; /* dec %rsi; jnz */
    int32_t distance;

    put(r, dec_jnz, sizeof(dec_jnz));
    distance = (int32_t)(r->top - (r->at + sizeof(distance)));
    put(r, (const unsigned char *)&distance, sizeof(distance));
}

/* By the logarithm of their bytes: from and to eax, with an address of 32-bit displacement from
 * rdi, which makes all of a kind equally long. */
static const struct piece stores[] = {
    {2, {0x88, 0x87}}, {3, {0x66, 0x89, 0x87}}, {2, {0x89, 0x87}}, {3, {0x48, 0x89, 0x87}}};
static const struct piece loads[] = {
    {3, {0x0f, 0xb6, 0x87}}, {3, {0x0f, 0xb7, 0x87}}, {2, {0x8b, 0x87}}, {3, {0x48, 0x8b, 0x87}}};

static void put_access(struct row *r, const struct piece *piece, size_t offset)
{
    const int32_t displacement = (int32_t)(offsetof(struct am_row_area, pair) + offset);

    put(r, piece->bytes, piece->length);
    put(r, (const unsigned char *)&displacement, sizeof(displacement));
}
#endif

/* The loop begins on a line of the cache. */
static enum am_status begin(struct am_mix_room *room, size_t bytes, struct row *r,
                            struct am_err *err)
{
    enum am_status s;

    if (bytes > AM_ROW_BYTES_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu bytes of code, at most %d", bytes, AM_ROW_BYTES_MAX);
    s = am_mix_room_open(room, (bytes + FRAME_BYTES) / ROOM_UNIT + 1, err);
    if (s != AM_OK)
        return s;
    r->at = room->base;
    put(r, enter, sizeof(enter));
    while ((uintptr_t)r->at % LINE)
        put(r, am_mix_nop, sizeof(am_mix_nop));
    r->top = r->at;
    return AM_OK;
}

static enum am_status end(struct am_mix_room *room, struct row *r, am_row_fn **fn_p,
                          struct am_err *err)
{
    put_back(r);
    put(r, leave, sizeof(leave));
    memcpy(fn_p, &room->base, sizeof(*fn_p)); /* a pointer to code, from one to its bytes */
    return am_mix_seal(room, err);
}

static void put_pieces(struct row *r, const struct piece *piece)
{
    for (; piece->length > 0; piece++)
        put(r, piece->bytes, piece->length);
}

/* What the fillers behind a chain wait for, where they do. Loads that are done leave their queue
 * unless one before them is not: the first waits for the chain. */
static void put_awaited(struct row *r, enum am_row_filler filler, int chain)
{
    const struct piece *const late = &pieces[AM_ROW_waiting_load][0];

    if (filler == AM_ROW_waiting || filler == AM_ROW_waiting_load || filler == AM_ROW_load ||
        filler == AM_ROW_waiting_fourth || filler == AM_ROW_waiting_operand)
        put_pieces(r, sign_of[chain]);
    else if (filler == AM_ROW_waiting_vector)
        put_pieces(r, copy_of[chain]);
    if (filler == AM_ROW_load)
        put(r, late->bytes, late->length);
}

static void put_fillers(struct row *r, enum am_row_filler filler, size_t count)
{
    size_t turn = 0;

    for (size_t i = 0; i < count; i++) {
        if (pieces[filler][turn].length == 0)
            turn = 0;
        put(r, pieces[filler][turn].bytes, pieces[filler][turn].length);
        turn++;
    }
}

static const char mask_needs[] = "avx512f avx512dq";

enum am_status am_row_between(struct am_mix_room *room, enum am_row_filler filler, size_t count,
                              am_row_fn **fn_p, struct am_err *err)
{
    const size_t longest = sizeof(pieces[0][0].bytes), chain = AM_ROW_LINKS * sizeof(links[0]);
    struct row r;
    enum am_status s;

    if (count > AM_ROW_COUNT_MAX)
        return am_fail(err, AM_E_ABSENT, "%zu fillers, at most %d", count, AM_ROW_COUNT_MAX);
    if (pieces[filler][0].length == 0)
        return am_fail(err, AM_E_ABSENT,
                       "there are no such registers or operands on this architecture");
    if (filler == AM_ROW_mask && am_instr_needs_missing(mask_needs))
        return am_fail(err, AM_E_ABSENT, "%s", am_instr_needs_missing(mask_needs));
    s = begin(room, 2 * (chain + count * longest), &r, err);
    if (s != AM_OK)
        return s;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < AM_ROW_LINKS; k++)
            put(&r, links[i], sizeof(links[i]));
        put_awaited(&r, filler, i);
        put_fillers(&r, filler, count);
    }
    return end(room, &r, fn_p, err);
}

enum am_status am_row_plain(struct am_mix_room *room, size_t bytes, size_t length, am_row_fn **fn_p,
                            struct am_err *err)
{
    const unsigned char *const nop = length == AM_ROW_WIDE_BYTES     ? wide_nop
                                     : length == AM_ROW_WIDEST_BYTES ? widest_nop
                                                                     : NULL;
    struct row r;
    enum am_status s;

    if (!nop)
        return am_fail(err, AM_E_ABSENT, "no nop is %zu bytes long here", length);
    s = begin(room, bytes, &r, err);
    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < bytes / length; i++)
        put(&r, nop, length);
    return end(room, &r, fn_p, err);
}

/* What lies between them is never executed. */
enum am_status am_row_jumps(struct am_mix_room *room, size_t jumps, size_t spacing,
                            am_row_fn **fn_p, struct am_err *err)
{
    struct row r;
    enum am_status s;

    if (spacing < AM_ROW_SPACING_LEAST || spacing % AM_ROW_SPACING_LEAST || jumps == 0 ||
        jumps > AM_ROW_BYTES_MAX / spacing)
        return am_fail(err, AM_E_ABSENT,
                       "%zu jumps %zu bytes apart: multiples of %d bytes, at most %d in all", jumps,
                       spacing, AM_ROW_SPACING_LEAST, AM_ROW_BYTES_MAX);
    s = begin(room, jumps * spacing, &r, err);
    if (s != AM_OK)
        return s;
    for (size_t i = 0; i < jumps; i++) {
        const unsigned char *const next = r.at + spacing;

        put_jump(&r, spacing);
        while (r.at < next)
            put(&r, am_mix_nop, sizeof(am_mix_nop));
    }
    return end(room, &r, fn_p, err);
}

/* ---- stores and loads ---- */

/* 0 to 3; 4: no such access. */
static size_t log_of(size_t bytes)
{
    size_t log = 0;

    while (log < 4 && (size_t)1 << log != bytes)
        log++;
    return log;
}

enum am_status am_row_pairs(struct am_mix_room *room, const struct am_row_pair *pair,
                            am_row_fn **fn_p, struct am_err *err)
{
    const size_t store = log_of(pair->store), load = log_of(pair->load);
    struct row r;
    enum am_status s;

    if (store > 3 || load > 3 || pair->offset >= pair->store)
        return am_fail(err, AM_E_ABSENT,
                       "a load of %zu bytes at byte %zu of a store of %zu: 1, 2, 4 or 8 bytes that "
                       "the store wrote some of",
                       pair->load, pair->offset, pair->store);
    s = begin(room, (size_t)AM_ROW_PAIRS * 2 * ACCESS_BYTES_MAX, &r, err);
    if (s != AM_OK)
        return s;
    for (int i = 0; i < AM_ROW_PAIRS; i++) {
        put_access(&r, &stores[store], 0);
        put_access(&r, &loads[load], pair->offset);
    }
    return end(room, &r, fn_p, err);
}

/* ---- what comes out ---- */

void am_row_start(struct am_row_area *area)
{
    memset(area, 0, sizeof(*area));
    area->chains[0] = 3;
    area->chains[1] = 5;
    area->divisor = 1 + 0x1p-40;
}

bool am_row_is_right(const struct am_row_area *area, uint64_t passes)
{
    double expected[2] = {3, 5};

    for (uint64_t i = 0; i < passes * AM_ROW_LINKS; i++) {
        expected[0] /= area->divisor;
        expected[1] /= area->divisor;
    }
    return memcmp(area->chains, expected, sizeof(area->chains)) == 0;
}
