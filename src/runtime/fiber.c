/* SPDX-License-Identifier: MIT */
/* Fibers by hand: a switch pushes the registers that a call must preserve onto the stack that is
 * left, and pops those of the stack that is continued. */
#include "runtime/fiber.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Saves the stack pointer at *save, takes `sp`, and returns `handed` on the stack there. */
void *am_fiber_jump(void **save, void *sp, void *handed);
/* Where a new fiber begins: calls its function with what the jump returned. */
void am_fiber_begin(void);

#if defined(__x86_64__)
enum { SAVED_RBX = 4, SAVED_RETURN = 6, SAVED_WORDS = 7 };
/* The stack pointer is a multiple of 16 at am_fiber_begin, as it must be before a call. */
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl am_fiber_jump\n"
        ".hidden am_fiber_jump\n"
        ".type am_fiber_jump, @function\n"
        "am_fiber_jump:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    movq %rdx, %rax\n"
        "    ret\n"
        ".size am_fiber_jump, . - am_fiber_jump\n"
        ".p2align 4\n"
        ".globl am_fiber_begin\n"
        ".hidden am_fiber_begin\n"
        ".type am_fiber_begin, @function\n"
        "am_fiber_begin:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined %rip\n" /* the end of a backtrace */
        "    movq %rax, %rdi\n"
        "    call *%rbx\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size am_fiber_begin, . - am_fiber_begin\n"
        ".popsection\n");

static void set_first_frame(struct am_fiber *f, uintptr_t top, am_fiber_fn *fn)
{
    uintptr_t *const frame = (uintptr_t *)top - SAVED_WORDS;

    frame[SAVED_RBX] = (uintptr_t)fn;
    frame[SAVED_RETURN] = (uintptr_t)am_fiber_begin;
    f->sp = frame;
}
#elif defined(__aarch64__)
enum { SAVED_X19 = 0, SAVED_X30 = 11, SAVED_WORDS = 20 };
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl am_fiber_jump\n"
        ".hidden am_fiber_jump\n"
        ".type am_fiber_jump, %function\n"
        "am_fiber_jump:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    mov x0, x2\n"
        "    ret\n"
        ".size am_fiber_jump, . - am_fiber_jump\n"
        ".p2align 4\n"
        ".globl am_fiber_begin\n"
        ".hidden am_fiber_begin\n"
        ".type am_fiber_begin, %function\n"
        "am_fiber_begin:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined x30\n" /* the end of a backtrace */
        "    blr x19\n"
        "    brk #1\n"
        "    .cfi_endproc\n"
        ".size am_fiber_begin, . - am_fiber_begin\n"
        ".popsection\n");

static void set_first_frame(struct am_fiber *f, uintptr_t top, am_fiber_fn *fn)
{
    uintptr_t *const frame = (uintptr_t *)top - SAVED_WORDS;

    frame[SAVED_X19] = (uintptr_t)fn;
    frame[SAVED_X30] = (uintptr_t)am_fiber_begin;
    f->sp = frame;
}
#else
#error "no switch of stacks for this architecture"
#endif

/* ThreadSanitizer keeps a shadow of every stack and must be told of switches; what AddressSanitizer
 * knows of a stack must end with it, or it holds for what is mapped there next. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#endif

#if defined(WITH_TSAN)
#include <sanitizer/tsan_interface.h>
#define sanitizer_current() __tsan_get_current_fiber()
#define sanitizer_new() __tsan_create_fiber(0)
#define sanitizer_free(f) __tsan_destroy_fiber((f)->sanitizer)
#define sanitizer_switch(f) __tsan_switch_to_fiber((f)->sanitizer, 0)
#elif defined(WITH_ASAN)
#include <sanitizer/asan_interface.h>
#define sanitizer_current() NULL
#define sanitizer_new() NULL
#define sanitizer_free(f) __asan_unpoison_memory_region((f)->stack, (f)->bytes)
#define sanitizer_switch(f) ((void)(f))
#else
#define sanitizer_current() NULL
#define sanitizer_new() NULL
#define sanitizer_free(f) ((void)(f))
#define sanitizer_switch(f) ((void)(f))
#endif

bool am_fiber_new(struct am_fiber *f, size_t bytes, am_fiber_fn *fn)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t whole = (bytes + page - 1) / page * page + page;
    void *const stack = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (stack == MAP_FAILED)
        return false;
    if (mprotect(stack, page, PROT_NONE) != 0) {
        (void)munmap(stack, whole);
        return false;
    }
    *f = (struct am_fiber){.stack = stack, .bytes = whole, .sanitizer = sanitizer_new()};
    set_first_frame(f, (uintptr_t)stack + whole, fn);
    return true;
}

void am_fiber_free(struct am_fiber *f)
{
    if (!f->stack)
        return;
    sanitizer_free(f);
    (void)munmap(f->stack, f->bytes);
    f->stack = NULL;
}

void am_fiber_adopt(struct am_fiber *f)
{
    *f = (struct am_fiber){.sanitizer = sanitizer_current()};
}

void *am_fiber_switch(struct am_fiber *from, const struct am_fiber *to, void *handed)
{
    sanitizer_switch(to);
    return am_fiber_jump(&from->sp, to->sp, handed);
}
