/* SPDX-License-Identifier: MIT */
/* Times loops that were taken out of their programs (blocks.py): prints cycles per pass of each.
 *
 * usage: blocks ROUNDS, linked with the assembled blocks
 *
 * A block is entered with registers of our making: those that address memory point into windows of
 * their own, as far apart within a page as their number allows (a load is held up by a store before
 * it that has the same place in another page), indices are zero, everything else is small. Whatever
 * page a block touches is mapped when it faults, those of a window to a few physical ones in turn,
 * so that data stay in the first-level cache. Memory holds 1.25f everywhere; a block that takes
 * addresses out of it meets an address in a window of its own instead. How far a block goes in 3n
 * passes is bounded, so that it meets no line under a second address: caches that predict ways by
 * addresses take such for a miss. A slice enters a block several times for n, 2n or 3n passes; the
 * differences are n passes each in the steady state, without entry and exit. Cycles are by a chain
 * of additions before and after a slice, which must agree. Per block, three placements of the
 * windows; printed are the best and the second. Shares no code with archmeter.
 *
 * A time counts when the slices of even and of odd rounds say the same within 3 %, when the second
 * n passes take as long as the third within 5 %, and when they take some hundred cycles: shorter
 * ones are all begin and end, and in others a queue is still filling up.
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
    LENGTHS = 3,
    IN_A_ROW = 2,
    SLICES_MAX = 400,
    CHAIN = 16,        /* thousands of additions of a probe */
    SLICE = 40000,     /* cycles, about */
    TRAVEL = 20 << 10, /* bytes that a block may go through in 3n passes, all registers together */
    PASSES_MAX = 4000,
    PASSES_MIN = 16,
    FAULTS_MAX = 2000,
    WINDOW_PAGES = 4, /* physical ones */
    PHYSICAL = 32 * WINDOW_PAGES,
    SP = 4,           /* number of the stack pointer */
    SMALL = 64,       /* in other registers: as a stride, a line of the cache */
    FILLS = 2,        /* what memory may hold */
    ADDRESSES = 16,   /* number of the window that addresses in memory lead to */
    CYCLES_MIN = 300, /* of n passes */
};
#define CONFIRMED 0.03 /* by which even and odd rounds may differ */
#define EVEN 0.05      /* and the second from the third n passes */
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
    uint64_t scale;          /* the largest that an index has */
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

/* Two of 1.25f are a double of 0.03. */
static void fill_page(uint64_t page, int fill)
{
    static const float floats[2] = {1.25f, 1.25f};
    static const uint64_t address = WINDOWS + ADDRESSES * WINDOW + WINDOW / 2;

    for (size_t i = 0; i < PAGE; i += sizeof(address)) {
        if (fill == 0)
            memcpy(pages[page] + i, floats, sizeof(floats));
        else
            memcpy(pages[page] + i, &address, sizeof(address));
    }
}

static void fill_touched(int fill)
{
    for (uint64_t i = 0; i < PHYSICAL; i++) {
        if (touched[i])
            fill_page(i, fill);
    }
}

static void fill_all(int fill)
{
    for (uint64_t i = 0; i < PHYSICAL; i++)
        fill_page(i, fill);
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
        fill_page(i, 0);
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

static double reading; /* ticks that lie between two readings in a row */

static void time_reading(void)
{
    enum { TRIES = 1000 };

    reading = INFINITY;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t t0 = ticks();

        reading = fmin(reading, (double)(ticks() - t0));
    }
}

static __attribute__((noinline)) double probe(void)
{
    uint64_t n = CHAIN, x = 1;
    const uint64_t t0 = ticks();

    __asm__ volatile(".p2align 6\n1: .rept 1000\n add %1,%1\n .endr\n dec %0\n jnz 1b"
                     : "+r"(n), "+r"(x)::"cc");
    return (double)(ticks() - t0) - reading;
}

/* ---- blocks ---- */

struct samples {
    size_t n;
    double cycles[SLICES_MAX];
};

struct timing {
    const char *refused;
    int fill;
    uint64_t passes, runs;
    bool touched[PHYSICAL];
    struct samples of[PLACEMENTS][LENGTHS][2]; /* of even and odd rounds */
};

/* Where in its page a register's window begins: those that address memory share it out. */
static uint64_t place_of(const struct block *b, uint64_t reg, int placement)
{
    const uint64_t bases = b->bases | 1u << SP;
    const uint64_t rank = (uint64_t)__builtin_popcountll(bases & ((UINT64_C(1) << reg) - 1));
    const uint64_t n = (uint64_t)__builtin_popcountll(bases);

    return (PAGE * rank / n / 64 + 5 * (uint64_t)placement) % (PAGE / 64) * 64;
}

static void set_registers(const struct block *b, int placement, uint64_t passes)
{
    for (uint64_t i = 0; i < REGS; i++) {
        const uint64_t window = WINDOWS + i * WINDOW + WINDOW / 2 + place_of(b, i, placement);

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
        if ((b->indices >> i & 1) && b->scale * per_pass > most)
            most = b->scale * per_pass;
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

    t->refused = NULL;
    faults = 0;
    t->runs = 1;
    if (sigsetjmp(refuse, 1)) {
        t->refused = reason;
        return;
    }
    fill_all(t->fill);
    memset(touched, t->fill != 0, sizeof(touched)); /* others' pages, which are mapped, too */
    set_registers(b, 0, FIRST);
    enter(&entry);
    stride = stride_of(b, FIRST);
    t->passes = stride ? TRAVEL / LENGTHS / stride / streams_of(b) : PASSES_MAX;
    t->passes = t->passes > PASSES_MAX ? PASSES_MAX : t->passes;
    if (t->passes < PASSES_MIN) {
        t->refused = "strides too large for the first-level cache";
        return;
    }
    for (int p = 0; p < PLACEMENTS; p++) {
        set_registers(b, p, LENGTHS * t->passes);
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

static void take_slices(const struct block *b, struct timing *t, int placement, int half)
{
    if (sigsetjmp(refuse, 1)) {
        t->refused = reason;
        fill_all(0);
        return;
    }
    memcpy(touched, t->touched, sizeof(touched));
    faults = 0;
    for (uint64_t length = 0; length < LENGTHS; length++) {
        struct samples *const s = &t->of[placement][length][half];

        fill_touched(t->fill);
        set_registers(b, placement, (length + 1) * t->passes);
        enter(&entry);
        for (int k = 0; k < IN_A_ROW; k++) {
            const double before = probe(), took = run_slice(t) - reading, after = probe();

            if (fabs(before - after) <= STEADY * before && s->n < SLICES_MAX)
                s->cycles[s->n++] = took * 2000 * CHAIN / (before + after) / (double)t->runs;
        }
    }
    memcpy(t->touched, touched, sizeof(touched));
    if (t->fill != 0)
        fill_all(0);
}

static int in_order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Below the lowest tenth of the samples lie lucky ones only; NAN: too few. */
static double low(const struct samples *s)
{
    enum { LEAST = 5 };
    double sorted[SLICES_MAX];

    memcpy(sorted, s->cycles, s->n * sizeof(sorted[0]));
    qsort(sorted, s->n, sizeof(sorted[0]), in_order);
    return s->n < LEAST ? NAN : sorted[s->n / 10];
}

/* Cycles per pass by one half of the rounds; NAN: these are not n passes of a steady state. */
static double steady(const struct timing *t, int placement, int half)
{
    const double one = low(&t->of[placement][0][half]), two = low(&t->of[placement][1][half]);
    const double three = low(&t->of[placement][2][half]);
    const double second = two - one, third = three - two;

    return fmin(second, third) >= CYCLES_MIN && fabs(second - third) <= EVEN * fmin(second, third)
               ? (three - one) / 2 / (double)t->passes
               : NAN;
}

static void tell(const struct block *b, struct timing *t)
{
    double values[PLACEMENTS];
    int n = 0;

    for (int p = 0; !t->refused && p < PLACEMENTS; p++) {
        const double even = steady(t, p, 0), odd = steady(t, p, 1);

        if (fabs(even - odd) <= CONFIRMED * fmin(even, odd))
            values[n++] = (even + odd) / 2;
    }
    if (!t->refused && n < 2)
        t->refused = "no steady time that is confirmed";
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
    time_reading();
    for (uint64_t i = 0; i < blocks_n; i++) {
        for (timings[i].fill = 0; timings[i].fill < FILLS; timings[i].fill++) {
            visit(&blocks[i], &timings[i]);
            if (!timings[i].refused)
                break;
        }
    }
    for (long r = 0; r < rounds; r++) {
        for (uint64_t i = 0; i < blocks_n; i++) {
            if (!timings[i].refused)
                take_slices(&blocks[i], &timings[i], (int)(r % PLACEMENTS),
                            (int)(r / PLACEMENTS % 2));
        }
    }
    for (uint64_t i = 0; i < blocks_n; i++)
        tell(&blocks[i], &timings[i]);
    return 0;
}
