/* SPDX-License-Identifier: MIT */
/* Files that users name: static libraries, functions of C++ by the names that they were given, and
 * files that hold no code, each refused with what it is. */
#include "model/block/archive.h"
#include "model/block/elf.h"
#include "self_file.h"
#include "tap.h"

#include <ar.h>
#include <elf.h>
#include <string.h>

/* Functions of this program under the names that compilers would give them. */
void te_total(void) __asm__("_ZNK2ns1SIfE5totalEv");
void te_other_total(void) __asm__("_ZNK2ns5OtherIfE5totalEv");
void te_copy(void) __asm__("te_copied.constprop.0");
void te_copy_cold(void) __asm__("te_copied.constprop.0.cold");
void te_plain(void);

void te_total(void)
{
    __asm__ volatile("nop");
}

void te_other_total(void)
{
    __asm__ volatile("nop; nop");
}

void te_copy(void)
{
    __asm__ volatile("nop; nop; nop");
}

void te_copy_cold(void)
{
    __asm__ volatile("nop; nop; nop; nop");
}

void te_plain(void)
{
    te_total();
    te_other_total();
    te_copy();
    te_copy_cold();
}

static enum am_status find(const struct bytes *b, const char *name, struct am_arena *arena,
                           struct am_code *out, struct am_err *err)
{
    *err = (struct am_err){.status = AM_OK};
    return am_elf_function("file", b->data, b->n, name, arena, out, err);
}

static void is_found(const struct bytes *b, const char *name, const char *symbol)
{
    struct am_arena arena = {NULL};
    struct am_code code = {.name = ""};
    struct am_err err;
    const enum am_status s = find(b, name, &arena, &code, &err);

    ok(s == AM_OK && strcmp(code.name, symbol) == 0 && code.bytes >= b->data &&
           code.bytes + code.n <= b->data + b->n,
       "%s is found as %s %s", name, code.name, err.text);
    am_arena_fini(&arena);
}

static void is_refused(const struct bytes *b, const char *name, const char *because)
{
    struct am_arena arena = {NULL};
    struct am_code code;
    struct am_err err;
    const enum am_status s = find(b, name, &arena, &code, &err);

    ok(s == AM_E_USAGE && strstr(err.text, because), "refused with '%s': %s", because, err.text);
    am_arena_fini(&arena);
}

static void append(struct bytes *b, const void *data, size_t n)
{
    b->data = realloc(b->data, b->n + n);
    if (!b->data)
        abort();
    memcpy(b->data + b->n, data, n);
    b->n += n;
}

static void append_member(struct bytes *b, const char *name, const void *data, size_t n)
{
    char head[sizeof(struct ar_hdr) + 1];

    (void)snprintf(head, sizeof(head), "%-16s%-12d%-6d%-6d%-8o%-10zu%s", name, 0, 0, 0, 0644, n,
                   ARFMAG);
    append(b, head, sizeof(struct ar_hdr));
    append(b, data, n);
    if (n % 2)
        append(b, "\n", 1);
}

/* The program as an object: its symbols count from their sections, which are aligned so. */
static void make_object(struct bytes *b, unsigned aligned)
{
    Elf64_Ehdr *const head = (Elf64_Ehdr *)(void *)b->data;
    Elf64_Shdr *const sections = (Elf64_Shdr *)(void *)(b->data + head->e_shoff);

    head->e_type = ET_REL;
    for (size_t i = 0; i < head->e_shnum; i++) {
        Elf64_Sym *const symbols = (Elf64_Sym *)(void *)(b->data + sections[i].sh_offset);
        const bool table = sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM;

        sections[i].sh_addralign = sections[i].sh_flags & SHF_EXECINSTR ? aligned : 1;
        for (size_t k = 0; table && k < sections[i].sh_size / sizeof(*symbols); k++) {
            if (symbols[k].st_shndx < head->e_shnum)
                symbols[k].st_value -= sections[symbols[k].st_shndx].sh_addr;
        }
    }
}

/* How much is known of where code lies when it is executed. */
static void check_kept(const struct bytes *self)
{
    struct am_arena arena = {NULL};
    struct bytes object = {.n = 0};
    struct am_code code = {.kept = 0};
    struct am_err err;
    enum am_status status = find(self, "te_plain", &arena, &code, &err);

    ok(status == AM_OK && code.kept == 4096, "a program is moved by pages: %u", code.kept);
    append(&object, self->data, self->n);
    make_object(&object, 32);
    status = find(&object, "te_plain", &arena, &code, &err);
    ok(status == AM_OK && code.kept == 32, "an object by what its section is aligned to: %u %s",
       code.kept, err.text);
    free(object.data);
    am_arena_fini(&arena);
}

static void check_library(const struct bytes *self)
{
    struct bytes library = {.n = 0}, part;
    size_t found = 0;

    append(&library, ARMAG, SARMAG);
    is_refused(&library, "te_plain", "without any object file");
    append_member(&library, "/", "an index", 8);
    append_member(&library, "//", "a_long_name.o/\n", 15);
    append_member(&library, "notes.txt/", "no code", 7);
    is_refused(&library, "te_plain", "without any object file");
    append_member(&library, "/0", self->data, self->n);
    is_found(&library, "te_plain", "te_plain");
    is_refused(&library, "te_plian", "te_plain");
    for (size_t n = SARMAG; n < library.n; n += n < 300 ? 1 : library.n / 97) {
        struct am_arena arena = {NULL};
        struct am_code code;
        struct am_err err;

        part = (struct bytes){.data = malloc(n), .n = n};
        memcpy(part.data, library.data, n);
        found += find(&part, "te_plain", &arena, &code, &err) == AM_OK;
        free(part.data);
        am_arena_fini(&arena);
    }
    ok(found == 0, "in a library that is cut short nothing is found");
    append_member(&library, "twice.o/", self->data, self->n);
    is_refused(&library, "te_plain", "2 functions are called te_plain");
    free(library.data);
}

/* The program itself with another header. */
static void check_headers(const struct bytes *self)
{
    struct bytes b = {.data = malloc(self->n), .n = self->n};
    Elf64_Ehdr *const head = (Elf64_Ehdr *)b.data;

    memcpy(b.data, self->data, self->n);
    head->e_ident[EI_CLASS] = ELFCLASS32;
    is_refused(&b, "te_plain", "32 bits");
    head->e_machine = EM_386;
    is_refused(&b, "te_plain", "32-bit x86");
    head->e_ident[EI_CLASS] = ELFCLASS64;
    head->e_machine = EM_RISCV;
    is_refused(&b, "te_plain", "RISC-V");
    memcpy(b.data, self->data, self->n);
    b.n = self->n / 2;
    is_refused(&b, "te_plain", "cut short");
    b.n = 20;
    is_refused(&b, "te_plain", "cut short");
    memcpy(b.data, "BC\xc0\xde", 4);
    is_refused(&b, "te_plain", "intermediate code");
    memcpy(b.data, "#!/bin/sh\n", 10);
    is_refused(&b, "te_plain", "script");
    memcpy(b.data, "!<thin>\n", 8);
    is_refused(&b, "te_plain", "names alone");
    free(b.data);
}

int main(void)
{
    const struct bytes self = read_self();

    te_plain();
    is_found(&self, "ns::S<float>::total", "_ZNK2ns1SIfE5totalEv");
    is_refused(&self, "total", "2 functions are called total: choose _ZNK2ns");
    is_found(&self, "te_copied", "te_copied.constprop.0");
    is_refused(&self, "ns::S::totl", "did you mean ns::S::total");
    check_kept(&self);
    check_library(&self);
    check_headers(&self);
    free(self.data);
    return tap_done();
}
