/* SPDX-License-Identifier: MIT */
/* Registers and memory for blocks: see blocks_entry.h. */
#define _GNU_SOURCE
#include "blocks_entry.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FAULTS_MAX = 2000,
    MAPPED_MAX = 1 << 15,
    INDICES = 16,   /* different ones that memory may hold */
    INDEX = 264,    /* the first of them: 33 lines of eight bytes each */
    ADDRESSES = 16, /* number of the window that addresses in memory lead to */
};

void *blocks_back;
void *blocks_stack;
struct entry blocks_entry;

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

sigjmp_buf blocks_refuse;
static int memory_fd;
static unsigned char *pages[PHYSICAL]; /* our own view of them */
bool blocks_touched[PHYSICAL];         /* of the block at hand */
static uint64_t mapped[MAPPED_MAX];    /* addresses */
static size_t mapped_n;
unsigned blocks_faults;
const char *volatile blocks_reason;

static uint64_t page_of(uint64_t at)
{
    return at / WINDOW % (PHYSICAL / WINDOW_PAGES) * WINDOW_PAGES + at / PAGE % WINDOW_PAGES;
}

static bool map_page(uint64_t at)
{
    if (at < WINDOWS / 2 || ++blocks_faults > FAULTS_MAX || mapped_n == MAPPED_MAX)
        return false;
    if (mmap((void *)at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory_fd,
             (off_t)(page_of(at) * PAGE)) == MAP_FAILED)
        return false;
    mapped[mapped_n++] = at;
    blocks_touched[page_of(at)] = true;
    return true;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (signal == SIGSEGV && info->si_code == SEGV_MAPERR &&
        map_page((uint64_t)info->si_addr & ~(uint64_t)(PAGE - 1)))
        return;
    blocks_reason = signal == SIGILL   ? "instruction that this machine lacks"
                    : signal == SIGFPE ? "division that faults"
                                       : "address that cannot be mapped";
    siglongjmp(blocks_refuse, 1);
}

/* So that faults tell what the next block touches. */
void blocks_unmap_all(void)
{
    for (size_t i = 0; i < mapped_n; i++)
        (void)munmap((void *)mapped[i], PAGE);
    mapped_n = 0;
}

/* Two of 1.25f are a double of 0.03. */
static void fill_page(unsigned char *page, enum fill fill)
{
    static const float floats[2] = {1.25f, 1.25f};
    const uint64_t address = WINDOWS + ADDRESSES * WINDOW + WINDOW / 2;

    for (size_t i = 0; i < PAGE; i += sizeof(address)) {
        const uint64_t number = INDEX * (i / sizeof(number) % INDICES);

        memcpy(page + i,
               fill == FLOATS    ? (const void *)floats
               : fill == NUMBERS ? (const void *)&number
                                 : (const void *)&address,
               sizeof(address));
    }
}

static enum fill fill_of(uint64_t page, enum fill fill)
{
    if (fill != MIXED)
        return fill;
    return page / WINDOW_PAGES == SP ? POINTERS : NUMBERS;
}

void blocks_fill_touched(enum fill fill)
{
    for (uint64_t i = 0; i < PHYSICAL; i++) {
        if (blocks_touched[i])
            fill_page(pages[i], fill_of(i, fill));
    }
    fill_page(blocks_constants, fill_of(0, fill));
}

void blocks_fill_all(enum fill fill)
{
    memset(blocks_touched, 1, sizeof(blocks_touched));
    blocks_fill_touched(fill);
}

void blocks_open_memory(void)
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
        fill_page(pages[i], FLOATS);
    }
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &action, NULL);
}
