/* SPDX-License-Identifier: MIT */
/* Symbols and sections of an ELF file of 64 bits, read with every step checked. */
#include "model/block/elf.h"

#include "base/array.h"
#include "base/text.h"
#include "model/block/archive.h"
#include "model/block/marks.h"
#include "model/block/names.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

const char *const am_arch_names[AM_ARCHS] = {
    [AM_ARCH_X86_64] = "x86-64", [AM_ARCH_AARCH64] = "AArch64"};

static const Elf64_Half machines[AM_ARCHS] = {
    [AM_ARCH_X86_64] = EM_X86_64, [AM_ARCH_AARCH64] = EM_AARCH64};

enum { NAMES_MAX = 20000 }; /* functions that are looked at for the nearest name */

struct file {
    const char *name;
    const unsigned char *data;
    size_t n;
    Elf64_Ehdr head;
    enum am_arch arch;
};

/* Copies `size` bytes at `offset`; false when they are not all in the file. */
static bool get(const struct file *f, uint64_t offset, void *to, size_t size)
{
    if (offset > f->n || size > f->n - offset)
        return false;
    memcpy(to, f->data + offset, size);
    return true;
}

static bool get_section(const struct file *f, size_t i, Elf64_Shdr *out)
{
    return i < f->head.e_shnum && (uint64_t)i * sizeof(*out) <= UINT64_MAX - f->head.e_shoff &&
           get(f, f->head.e_shoff + (uint64_t)i * sizeof(*out), out, sizeof(*out));
}

/* The text at `at` of a section of strings, NULL when it does not end inside of it. */
static const char *get_text(const struct file *f, const Elf64_Shdr *strings, uint64_t at)
{
    const char *text;

    if (strings->sh_offset > f->n || strings->sh_size > f->n - strings->sh_offset ||
        at >= strings->sh_size)
        return NULL;
    text = (const char *)f->data + strings->sh_offset + at;
    return memchr(text, '\0', strings->sh_size - at) ? text : NULL;
}

/* What else files are that somebody takes for code: by their first bytes. */
static const char *other_kind(const struct file *f)
{
    static const struct {
        const char *magic, *what;
    } kinds[] = {
        {"BC\xc0\xde", "LLVM's intermediate code (-flto): name the program that is linked from it"},
        {"#!", "a script"},
        {"!<thin>\n", "a library of names alone: name one of its object files"},
        {"\xcf\xfa\xed\xfe", "a file of another system (Mach-O)"},
        {"MZ", "a file of another system (PE)"},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const size_t n = strlen(kinds[i].magic);

        if (f->n >= n && memcmp(f->data, kinds[i].magic, n) == 0)
            return kinds[i].what;
    }
    return "neither an object file nor a program (no ELF file)";
}

static const char *machine_name(const Elf64_Ehdr *head)
{
    static const struct {
        Elf64_Half machine;
        const char *name;
    } names[] = {{EM_386, "32-bit x86"}, {EM_ARM, "32-bit ARM"}, {EM_RISCV, "RISC-V"},
                 {EM_PPC64, "POWER"},    {EM_S390, "s390"},      {EM_LOONGARCH, "LoongArch"}};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (head->e_machine == names[i].machine)
            return names[i].name;
    }
    return head->e_ident[EI_CLASS] == ELFCLASS32 ? "32 bits" : "another architecture";
}

static enum am_status open_file(struct file *f, struct am_err *err)
{
    uint64_t sections;

    if (f->n < SELFMAG || memcmp(f->data, ELFMAG, SELFMAG) != 0)
        return am_fail(err, AM_E_USAGE, "%s: %s", f->name, other_kind(f));
    if (f->n < sizeof(f->head))
        return am_fail(err, AM_E_USAGE, "%s: cut short: %zu bytes, less than a header has", f->name,
                       f->n);
    memcpy(&f->head, f->data, sizeof(f->head));
    while (f->arch < AM_ARCHS && f->head.e_machine != machines[f->arch])
        f->arch++;
    if (f->head.e_ident[EI_CLASS] != ELFCLASS64 || f->head.e_ident[EI_DATA] != ELFDATA2LSB ||
        f->arch == AM_ARCHS)
        return am_fail(
            err, AM_E_USAGE,
            "%s: code of %s; only x86-64 and AArch64 (64 bits, least byte first) are read", f->name,
            machine_name(&f->head));
    if (f->head.e_shentsize != sizeof(Elf64_Shdr) || f->head.e_shnum == 0)
        return am_fail(err, AM_E_USAGE, "%s: the file has no table of sections", f->name);
    sections = (uint64_t)f->head.e_shnum * sizeof(Elf64_Shdr);
    if (f->head.e_shoff > f->n || sections > f->n - f->head.e_shoff)
        return am_fail(
            err, AM_E_USAGE,
            "%s: cut short: it has %zu bytes, and its table of sections lies behind them", f->name,
            f->n);
    return AM_OK;
}

/* A linker puts the sections of an object anywhere that suits their alignment; what is linked is
 * moved by whole pages. */
static unsigned kept_of(const struct file *f, const Elf64_Shdr *section)
{
    enum { PAGE = 4096 };

    return f->head.e_type == ET_REL && section->sh_addralign < PAGE
               ? (unsigned)section->sh_addralign
               : PAGE;
}

/* The bytes of a function, from its symbol; false when the symbol is no code of this file. */
static bool code_of(const struct file *f, const Elf64_Sym *sym, const char *name,
                    struct am_code *out)
{
    Elf64_Shdr section;
    uint64_t at;

    if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF ||
        sym->st_shndx >= SHN_LORESERVE || !get_section(f, sym->st_shndx, &section) ||
        section.sh_type != SHT_PROGBITS)
        return false;
    at = f->head.e_type == ET_REL ? sym->st_value : sym->st_value - section.sh_addr;
    if ((f->head.e_type != ET_REL && sym->st_value < section.sh_addr) || at >= section.sh_size ||
        sym->st_size > section.sh_size - at || section.sh_offset > f->n ||
        section.sh_size > f->n - section.sh_offset)
        return false;
    *out = (struct am_code){.arch = f->arch,
                            .name = name,
                            .bytes = f->data + section.sh_offset + at,
                            .n = sym->st_size ? sym->st_size : section.sh_size - at,
                            .address = sym->st_value,
                            .kept = kept_of(f, &section),
                            .open_ended = sym->st_size == 0};
    return true;
}

/* Functions that go by one name. */
struct finds {
    struct am_code code;
    const char *other; /* the name of a second one, NULL: there is none */
    size_t different;  /* at different places */
};

/* The search over all tables of symbols, of all members of a library. */
struct search {
    const char *wanted; /* NULL: any */
    struct am_arena *arena;
    struct am_strings names;
    struct finds called, meant; /* exactly so; or as somebody would write it */
    bool chosen_later;          /* the name is one of an indirect function */
    bool intermediate;          /* there is code that has not been compiled to the end */
};

static void count_find(struct finds *finds, const struct am_code *code)
{
    if (finds->different && finds->code.bytes == code->bytes)
        return;
    if (finds->different)
        finds->other = code->name;
    else
        finds->code = *code;
    finds->different++;
}

/* The name that messages have for a symbol. */
static const char *readable(const struct search *s, const char *symbol)
{
    char name[256];
    const char *const kept =
        am_name_read(symbol, name, sizeof(name)) ? am_arena_strdup(s->arena, name) : NULL;

    return kept ? kept : symbol;
}

static void see(struct search *s, const struct am_code *code)
{
    const bool other = s->wanted && strcmp(code->name, s->wanted) != 0;

    if (s->names.n < NAMES_MAX && (other || !s->wanted))
        (void)am_strings_add(&s->names, s->arena, readable(s, code->name));
    if (!other)
        count_find(&s->called, code);
    else if (am_name_is_meant(s->wanted, code->name))
        count_find(&s->meant, code);
}

static void search_table(const struct file *f, const Elf64_Shdr *table, struct search *s)
{
    const uint64_t n =
        table->sh_entsize == sizeof(Elf64_Sym) ? table->sh_size / sizeof(Elf64_Sym) : 0;
    Elf64_Shdr strings;

    if (!get_section(f, table->sh_link, &strings) || strings.sh_type != SHT_STRTAB)
        return;
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Sym sym;
        struct am_code code;
        const char *name;

        if (table->sh_offset > f->n ||
            !get(f, table->sh_offset + i * sizeof(sym), &sym, sizeof(sym)))
            return;
        name = get_text(f, &strings, sym.st_name);
        s->chosen_later =
            s->chosen_later || (name && s->wanted && ELF64_ST_TYPE(sym.st_info) == STT_GNU_IFUNC &&
                                strcmp(name, s->wanted) == 0);
        if (name && *name && code_of(f, &sym, name, &code))
            see(s, &code);
    }
}

static void search_file(const struct file *f, struct search *s)
{
    static const char lto[] = ".gnu.lto_";
    Elf64_Shdr names, section;
    const bool named = get_section(f, f->head.e_shstrndx, &names);

    for (size_t i = 0; i < f->head.e_shnum; i++) {
        const char *name;

        if (!get_section(f, i, &section))
            return;
        if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
            search_table(f, &section, s);
        name = named ? get_text(f, &names, section.sh_name) : NULL;
        s->intermediate = s->intermediate || (name && strncmp(name, lto, sizeof(lto) - 1) == 0);
    }
}

/* Why no function was found. */
static enum am_status tell(const char *file, const struct search *s, struct am_err *err)
{
    const char *const nearest =
        s->wanted && s->names.n ? am_nearest(s->wanted, s->names.items, s->names.n) : NULL;

    if (!s->wanted && s->names.n)
        return am_fail(err, AM_E_USAGE,
                       "%s: %zu functions; choose one by --function, for example --function %.100s",
                       file, s->names.n, s->names.items[0]);
    if (s->chosen_later)
        return am_fail(err, AM_E_USAGE,
                       "%s: %.100s is chosen among several functions when the program starts; name "
                       "one of those",
                       file, s->wanted);
    if (s->names.n == 0 && s->intermediate)
        return am_fail(err, AM_E_USAGE,
                       "%s: GCC's intermediate code (-flto), not compiled to the end: name the "
                       "program that is linked from it, or compile with -ffat-lto-objects",
                       file);
    if (!s->wanted || !s->names.n)
        return am_fail(err, AM_E_USAGE,
                       "%s: no functions are named in it (stripped, or without code); --marked "
                       "needs no names",
                       file);
    return am_fail(err, AM_E_USAGE, "%s: no function %.100s%s%.100s%s", file, s->wanted,
                   nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

/* The one function that was found. */
static enum am_status choose(const char *file, const struct search *s, struct am_code *out,
                             struct am_err *err)
{
    const struct finds *const finds = s->called.different ? &s->called : &s->meant;

    if (finds->different > 1 && s->wanted)
        return am_fail(err, AM_E_USAGE, "%s: %zu functions are called %.100s%s%.100s%s%.100s", file,
                       finds->different, s->wanted, finds == &s->meant ? ": choose " : "",
                       finds == &s->meant ? finds->code.name : "", finds == &s->meant ? ", " : "",
                       finds == &s->meant ? finds->other : "");
    if (finds->different != 1)
        return tell(file, s, err);
    *out = finds->code;
    return AM_OK;
}

/* Of a library, its members are looked through; what is no code among them is passed over. */
enum am_status am_elf_function(const char *file, const void *data, size_t n, const char *name,
                               struct am_arena *arena, struct am_code *out, struct am_err *err)
{
    struct search s = {.wanted = name, .arena = arena};
    struct am_member member = {.next = 0};
    struct am_err passed_over = {.status = AM_OK};
    const bool is_library = am_archive_is(data, n);
    size_t opened = 0;

    while (am_archive_next(data, n, &member)) {
        struct file f = {.name = file, .data = member.data, .n = member.n};
        const enum am_status status = open_file(&f, is_library ? &passed_over : err);

        if (status != AM_OK && !is_library)
            return status;
        opened += status == AM_OK;
        if (status == AM_OK)
            search_file(&f, &s);
    }
    if (opened == 0)
        return am_fail(err, AM_E_USAGE,
                       "%s: a library without any object file of x86-64 or AArch64", file);
    return choose(file, &s, out, err);
}

/* ---- marked blocks ---- */

static bool is_code(const struct file *f, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_PROGBITS && (section->sh_flags & SHF_EXECINSTR) &&
           section->sh_offset <= f->n && section->sh_size <= f->n - section->sh_offset;
}

static enum am_status add_marked(const struct file *f, const Elf64_Shdr *section,
                                 struct am_arena *arena, struct am_codes *out, struct am_err *err)
{
    const unsigned char *const bytes = f->data + section->sh_offset;
    struct am_marked m = {.behind = 0};
    enum am_marking found;

    while ((found = am_marks_next(f->arch, bytes, section->sh_size, m.behind, &m)) !=
           AM_MARKS_NONE) {
        struct am_code *code;

        if (found == AM_MARKS_OPEN)
            return am_fail(err, AM_E_USAGE,
                           "%s: the block marked at %#" PRIx64 " has no mark of its end", f->name,
                           section->sh_addr + m.first);
        code = AM_ARRAY_ADD(arena, out->items, out->n, out->cap);
        if (!code)
            return am_fail(err, AM_E_NOMEM, "no memory for the marked blocks of %s", f->name);
        *code = (struct am_code){.arch = f->arch,
                                 .name = "marked block",
                                 .bytes = bytes + m.first,
                                 .n = m.n,
                                 .address = section->sh_addr + m.first,
                                 .kept = kept_of(f, section)};
    }
    return AM_OK;
}

static enum am_status add_all_marked(const struct file *f, struct am_arena *arena,
                                     struct am_codes *out, struct am_err *err)
{
    enum am_status status = AM_OK;

    for (size_t i = 0; status == AM_OK && i < f->head.e_shnum; i++) {
        Elf64_Shdr section;

        if (get_section(f, i, &section) && is_code(f, &section))
            status = add_marked(f, &section, arena, out, err);
    }
    return status;
}

enum am_status am_elf_marked(const char *file, const void *data, size_t n, struct am_arena *arena,
                             struct am_codes *out, struct am_err *err)
{
    struct am_member member = {.next = 0};
    struct am_err passed_over = {.status = AM_OK};
    const bool is_library = am_archive_is(data, n);
    enum am_status status = AM_OK;

    *out = (struct am_codes){.n = 0};
    while (status == AM_OK && am_archive_next(data, n, &member)) {
        struct file f = {.name = file, .data = member.data, .n = member.n};

        status = open_file(&f, is_library ? &passed_over : err);
        if (status == AM_OK)
            status = add_all_marked(&f, arena, out, err);
        else if (is_library)
            status = AM_OK;
    }
    if (status == AM_OK && out->n == 0)
        return am_fail(err, AM_E_USAGE,
                       "%s: no block is marked in it (AM_BLOCK_BEGIN and AM_BLOCK_END of "
                       "archmeter/block.h)",
                       file);
    return status;
}
