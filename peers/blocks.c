/* SPDX-License-Identifier: MIT */
/* Times loops that were taken out of their programs (blocks.py): prints cycles per pass of each.
 *
 * usage: blocks ROUNDS, linked with the assembled blocks
 *
 * A block is entered with registers of our making: those that address memory point into windows of
 * their own, indices are zero, everything else is small. Whatever page a block touches is mapped
 * when it faults, those of a window to a few physical ones in turn, so that data stay in the
 * first-level cache. How far a block goes in 2n passes is bounded, so that it meets no line under a
 * second address: caches that predict ways by addresses take such for a miss. A slice enters a
 * block several times for n or for 2n passes; the difference of the two is n passes in the steady
 * state, without entry and exit. Cycles are by a chain of additions before and after a slice, which
 * must agree. Per block, three placements of the windows; printed are the best and the second.
 * Shares no code with archmeter.
 *
 * Output per block: "NAME CYCLES SECOND PASSES" or "NAME - REASON". */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    REGS = 16,
    PLACEMENTS = 3,
    LENGTHS = 2,
    IN_A_ROW = 2,
    SLICES_MAX = 400,
    CHAIN = 16,        /* thousands of additions of a probe */
    SLICE = 40000,     /* cycles, about */
    TRAVEL = 24 << 10, /* bytes that a block may go through in 2n passes, all registers together */
    PASSES_MAX = 4000,
    PASSES_MIN = 24,
    FAULTS_MAX = 2000,
    WINDOW_PAGES = 4, /* physical ones */
    PHYSICAL = 32 * WINDOW_PAGES,
    SP = 4,     /* number of the stack pointer */
    SMALL = 64, /* in other registers: as a stride, a line of the cache */
};
#define WINDOWS 0x20000000ull
#define WINDOW 0x01000000ull
#define STEADY 0.01 /* of the probes around a slice */

/* As blocks.py writes them. */
struct block {
    const char *name;
    void (*code)(void);
    uint64_t bases, indices; /* sets of registers */
    uint64_t counter;        /* number of the register that counts passes */
    uint64_t vectors;        /* 0 legacy SSE, 1 VEX, 2 EVEX */
};
extern const struct block blocks[];
extern const uint64_t blocks_n;

/* Offsets are known to enter(). */
struct entry {
    uint64_t in[REGS], out[REGS];
    uint64_t code, vectors;
    double pattern[8] __attribute__((aligned(64)));
};

void *blocks_back;
void *blocks_stack;
static struct entry entry;
void enter(struct entry *e);

/* rdi: the entry. Registers in the order of their encoding. */
__asm__(
    ".text\n.globl enter\n.type enter,@function\nenter:\n"
    "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\npush %rdi\n"
    "mov %rsp,blocks_stack(%rip)\n"
    "lea 1f(%rip),%rax\nmov %rax,blocks_back(%rip)\n"
    "vzeroupper\n"
    "cmpq $1,264(%rdi)\nja 3f\nje 2f\n"
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups 320(%rdi),%xmm\\i\n.endr\njmp 4f\n"
    "2: .irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovups 320(%rdi),%ymm\\i\n.endr\njmp 4f\n"
    "3: .irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovups 320(%rdi),%zmm\\i\n.endr\n"
    ".irp i,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\nvmovups 320(%rdi),%zmm\\i\n.endr\n"
    ".irp i,1,2,3,4,5,6,7\nkxnorw %k0,%k0,%k\\i\n.endr\n"
    "4: mov 256(%rdi),%rax\nmov %rax,blocks_code(%rip)\n"
    "mov 0(%rdi),%rax\nmov 8(%rdi),%rcx\nmov 16(%rdi),%rdx\nmov 24(%rdi),%rbx\n"
    "mov 32(%rdi),%rsp\nmov 40(%rdi),%rbp\nmov 48(%rdi),%rsi\n"
    "mov 64(%rdi),%r8\nmov 72(%rdi),%r9\nmov 80(%rdi),%r10\nmov 88(%rdi),%r11\n"
    "mov 96(%rdi),%r12\nmov 104(%rdi),%r13\nmov 112(%rdi),%r14\nmov 120(%rdi),%r15\n"
    "mov 56(%rdi),%rdi\n"
    "lfence\njmp *blocks_code(%rip)\n"
    "1: mov %rsp,blocks_code(%rip)\nmov blocks_stack(%rip),%rsp\nxchg %rdi,(%rsp)\n"
    "mov %rax,128(%rdi)\nmov %rcx,136(%rdi)\nmov %rdx,144(%rdi)\nmov %rbx,152(%rdi)\n"
    "mov blocks_code(%rip),%rax\nmov %rax,160(%rdi)\n"
    "mov %rbp,168(%rdi)\nmov %rsi,176(%rdi)\npop %rax\nmov %rax,184(%rdi)\n"
    "mov %r8,192(%rdi)\nmov %r9,200(%rdi)\nmov %r10,208(%rdi)\nmov %r11,216(%rdi)\n"
    "mov %r12,224(%rdi)\nmov %r13,232(%rdi)\nmov %r14,240(%rdi)\nmov %r15,248(%rdi)\n"
    "cld\nvzeroupper\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n"
    ".size enter,.-enter\n.data\n.p2align 3\nblocks_code: .quad 0\n.text\n");

/* ---- memory ---- */

static sigjmp_buf refuse;
static int memory_fd;
static unsigned char *pages[PHYSICAL]; /* our own view of them */
static bool touched[PHYSICAL];         /* of the block at hand */
static unsigned faults;
static const char *volatile reason;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const uint64_t at = (uint64_t)info->si_addr & ~(uint64_t)(PAGE - 1);
    const uint64_t page =
        at / WINDOW % (PHYSICAL / WINDOW_PAGES) * WINDOW_PAGES + at / PAGE % WINDOW_PAGES;

    (void)context;
    if (signal != SIGSEGV || info->si_code != SEGV_MAPERR || ++faults > FAULTS_MAX ||
        mmap((void *)at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory_fd,
             (off_t)(page * PAGE)) == MAP_FAILED) {
        reason = signal == SIGILL   ? "instruction that this machine lacks"
                 : signal == SIGFPE ? "division that faults"
                                    : "address that cannot be mapped";
        siglongjmp(refuse, 1);
    }
    touched[page] = true;
}

static void fill_page(uint64_t page)
{
    static const float value = 1.25f; /* two of them: a double of 0.03 */

    for (size_t i = 0; i < PAGE; i += sizeof(value))
        memcpy(pages[page] + i, &value, sizeof(value));
}

static void fill_touched(void)
{
    for (uint64_t i = 0; i < PHYSICAL; i++) {
        if (touched[i])
            fill_page(i);
    }
}

static void open_memory(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    const stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};

    memory_fd = memfd_create("blocks", 0);
    if (memory_fd < 0 || ftruncate(memory_fd, PHYSICAL * PAGE) != 0 || !stack.ss_sp ||
        sigaltstack(&stack, NULL) != 0)
        _exit(1);
    for (size_t i = 0; i < PHYSICAL; i++) {
        pages[i] =
            mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, (off_t)(i * PAGE));
        if (pages[i] == MAP_FAILED)
            _exit(1);
        fill_page(i);
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &action, NULL);
}

/* ---- time ---- */

static inline uint64_t ticks(void)
{
    uint64_t low, high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return high << 32 | low;
}

static __attribute__((noinline)) double probe(void)
{
    uint64_t n = CHAIN, x = 1;
    const uint64_t t0 = ticks();

    __asm__ volatile(".p2align 6\n1: .rept 1000\n add %1,%1\n .endr\n dec %0\n jnz 1b"
                     : "+r"(n), "+r"(x)::"cc");
    return (double)(ticks() - t0);
}

/* ---- blocks ---- */

struct samples {
    size_t n;
    double cycles[SLICES_MAX];
};

struct timing {
    const char *refused;
    uint64_t passes, runs;
    bool touched[PHYSICAL];
    struct samples of[PLACEMENTS][LENGTHS];
};

static void set_registers(const struct block *b, int placement, uint64_t passes)
{
    static const uint64_t steps[PLACEMENTS] = {5, 11, 23};

    for (uint64_t i = 0; i < REGS; i++) {
        const uint64_t window =
            WINDOWS + i * WINDOW + WINDOW / 2 + 64 * (i * steps[placement] % 64);

        entry.in[i] = (b->bases >> i & 1) || i == SP ? window : b->indices >> i & 1 ? 0 : SMALL;
    }
    __builtin_ia32_ldmxcsr(0x9fc0); /* subnormal numbers count as zero; a refused block left it */
    entry.in[b->counter] = passes;
    entry.code = (uint64_t)b->code;
    entry.vectors = b->vectors;
}

static double run_slice(const struct timing *t)
{
    const uint64_t t0 = ticks();

    for (uint64_t r = 0; r < t->runs; r++)
        enter(&entry);
    return (double)(ticks() - t0);
}

/* How far the block's addresses go in a pass, at most. */
static uint64_t stride_of(const struct block *b, uint64_t passes)
{
    uint64_t most = 0;

    for (int i = 0; i < REGS; i++) {
        const int64_t moved = (int64_t)(entry.out[i] - entry.in[i]);
        const uint64_t per_pass = (uint64_t)(moved < 0 ? -moved : moved) / passes;

        if (per_pass > 1 << 16 || (uint64_t)i == b->counter)
            continue;
        if ((b->bases >> i & 1) && per_pass > most)
            most = per_pass;
        if ((b->indices >> i & 1) && 8 * per_pass > most)
            most = 8 * per_pass;
    }
    return most;
}

/* Registers that address memory, at most as many as windows fit into the cache. */
static uint64_t streams_of(const struct block *b)
{
    const uint64_t n = (uint64_t)__builtin_popcountll(b->bases);

    return n < 1 ? 1 : n > 6 ? 6 : n;
}

/* A first visit: maps what is touched, and finds how many passes a slice may have. */
static void visit(const struct block *b, struct timing *t)
{
    enum { FIRST = 8 };
    uint64_t stride;
    double took;

    memset(touched, 0, sizeof(touched));
    faults = 0;
    t->runs = 1;
    if (sigsetjmp(refuse, 1)) {
        t->refused = reason;
        return;
    }
    set_registers(b, 0, FIRST);
    enter(&entry);
    stride = stride_of(b, FIRST);
    t->passes = stride ? TRAVEL / 2 / stride / streams_of(b) : PASSES_MAX;
    t->passes = t->passes > PASSES_MAX ? PASSES_MAX : t->passes;
    if (t->passes < PASSES_MIN) {
        t->refused = "strides too large for the first-level cache";
        return;
    }
    for (int p = 0; p < PLACEMENTS; p++) {
        set_registers(b, p, 2 * t->passes);
        enter(&entry);
    }
    took = run_slice(t);
    if (took > SLICE && t->passes > PASSES_MIN) {
        const double fewer = (double)t->passes * SLICE / took;

        t->passes = fewer > PASSES_MIN ? (uint64_t)fewer : PASSES_MIN;
        took = SLICE;
    }
    t->runs = 1 + (uint64_t)(SLICE / took);
    memcpy(t->touched, touched, sizeof(touched));
}

static void take_slices(const struct block *b, struct timing *t, int placement)
{
    if (sigsetjmp(refuse, 1)) {
        t->refused = reason;
        return;
    }
    memcpy(touched, t->touched, sizeof(touched));
    faults = 0;
    for (uint64_t length = 0; length < LENGTHS; length++) {
        struct samples *const s = &t->of[placement][length];

        fill_touched();
        set_registers(b, placement, (length + 1) * t->passes);
        enter(&entry);
        for (int k = 0; k < IN_A_ROW; k++) {
            const double before = probe(), took = run_slice(t), after = probe();

            if (fabs(before - after) <= STEADY * before && s->n < SLICES_MAX)
                s->cycles[s->n++] = took * 2000 * CHAIN / (before + after) / (double)t->runs;
        }
    }
    memcpy(t->touched, touched, sizeof(touched));
}

static int in_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The least that a tenth of the samples, three at least, confirm; NAN: none. */
static double least(struct samples *s)
{
    const size_t needed = s->n / 10 > 3 ? s->n / 10 : 3;

    qsort(s->cycles, s->n, sizeof(s->cycles[0]), in_order);
    for (size_t i = 0; i + needed <= s->n; i++) {
        if (s->cycles[i + needed - 1] <= 1.005 * s->cycles[i])
            return s->cycles[i];
    }
    return NAN;
}

static void tell(const struct block *b, struct timing *t)
{
    double values[PLACEMENTS];
    int n = 0;

    for (int p = 0; !t->refused && p < PLACEMENTS; p++) {
        const double one = least(&t->of[p][0]), two = least(&t->of[p][1]);

        if (two > one)
            values[n++] = (two - one) / (double)t->passes;
    }
    if (!t->refused && n < 2)
        t->refused = "no time that is confirmed";
    if (t->refused) {
        printf("%s - %s\n", b->name, t->refused);
        return;
    }
    qsort(values, (size_t)n, sizeof(values[0]), in_order);
    printf("%s %.4f %.4f %llu\n", b->name, values[0], values[1], (unsigned long long)t->passes);
}

int main(int argc, char **argv)
{
    const long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    struct timing *const timings = calloc(blocks_n + 1, sizeof(*timings));
    static const float value = 1.25f;

    if (rounds <= 0 || !timings)
        return 2;
    open_memory();
    for (size_t i = 0; i < sizeof(entry.pattern) / (sizeof(value)); i++)
        memcpy((char *)entry.pattern + i * sizeof(value), &value, sizeof(value));
    for (uint64_t i = 0; i < blocks_n; i++)
        visit(&blocks[i], &timings[i]);
    for (long r = 0; r < rounds; r++) {
        for (uint64_t i = 0; i < blocks_n; i++) {
            if (!timings[i].refused)
                take_slices(&blocks[i], &timings[i], (int)(r % PLACEMENTS));
        }
    }
    for (uint64_t i = 0; i < blocks_n; i++)
        tell(&blocks[i], &timings[i]);
    return 0;
}
