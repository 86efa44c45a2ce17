/* SPDX-License-Identifier: MIT */
/* Loaded files by dl_iterate_phdr(), build ids by their notes, compilers by the section .comment.
 */
#include "base/loaded.h"

#include "base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- loaded files ---- */

struct visitor {
    am_loaded_fn *fn;
    void *self;
};

static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* Looks for the build id among the notes of one segment. */
static void find_id(const char *at, size_t left, char out[AM_BUILD_ID_TEXT])
{
    ElfW(Nhdr) note;

    for (; left >= sizeof(note);
         at += sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz),
         left -= sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz)) {
        memcpy(&note, at, sizeof(note));
        if (sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz) > left)
            return;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp(at + sizeof(note), "GNU", 4) != 0)
            continue;
        for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < AM_BUILD_ID_TEXT; i++)
            (void)am_str_format(out + 2 * i, 3, "%02x",
                                (unsigned)(unsigned char)at[sizeof(note) + 4 + i]);
        return;
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *self)
{
    const struct visitor *const v = self;
    const char *const name = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    char path[PATH_MAX];
    struct am_loaded loaded = {.path = path, .build_id = "none"};

    (void)size;
    if (!strchr(name, '/') || !realpath(name, path))
        return 0; /* the kernel's own, or gone from the disk */
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const p = &info->dlpi_phdr[i];

        if (p->p_type == PT_NOTE)
            find_id((const char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, loaded.build_id);
    }
    return !v->fn(v->self, &loaded);
}

void am_loaded_each(am_loaded_fn *fn, void *self)
{
    struct visitor v = {fn, self};

    (void)dl_iterate_phdr(visit, &v);
}

void am_library_name(const char *path, char out[AM_LIBRARY_NAME_MAX])
{
    static const char ending[] = ".so";
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    const char *const so = strstr(name, ending);
    const size_t n = so ? (size_t)(so - name) + strlen(ending) : strlen(name);

    (void)am_str_format(out, AM_LIBRARY_NAME_MAX, "%.*s", (int)n, name);
}

/* ---- compilers and flags ---- */

/* A file in memory. */
struct image {
    const char *bytes;
    size_t n;
};

/* The texts of one section, and where they are put, parted by "; ". */
struct sought {
    const char *section;
    char *out;
    size_t cap;
};

static bool has(const struct image *f, uint64_t at, uint64_t n)
{
    return at <= f->n && n <= f->n - at;
}

/* One that is there already, or has no room, is left out. */
static void add_text(const struct sought *s, const char *text, size_t n)
{
    const size_t used = strlen(s->out), part = used ? 2 : 0;

    if (n == 0 || n + part >= s->cap - used || memmem(s->out, used, text, n))
        return;
    memcpy(s->out + used, "; ", part);
    memcpy(s->out + used + part, text, n);
    s->out[used + part + n] = '\0';
}

/* They end with zeros. */
static void read_texts(const struct sought *s, const char *text, size_t left)
{
    while (left) {
        const size_t n = strnlen(text, left);

        add_text(s, text, n);
        text += n < left ? n + 1 : n;
        left -= n < left ? n + 1 : n;
    }
}

static void read_sections(const struct image *f, const struct sought *s)
{
    const size_t name_size = strlen(s->section) + 1;
    Elf64_Ehdr head;
    Elf64_Shdr names, section;

    if (!has(f, 0, sizeof(head)))
        return;
    memcpy(&head, f->bytes, sizeof(head));
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shentsize != sizeof(section) ||
        !has(f, head.e_shoff, (uint64_t)head.e_shnum * sizeof(section)) ||
        head.e_shstrndx >= head.e_shnum)
        return;
    memcpy(&names, f->bytes + head.e_shoff + head.e_shstrndx * sizeof(names), sizeof(names));
    for (size_t i = 0; i < head.e_shnum; i++) {
        memcpy(&section, f->bytes + head.e_shoff + i * sizeof(section), sizeof(section));
        if (has(f, names.sh_offset, section.sh_name) &&
            has(f, names.sh_offset + section.sh_name, name_size) &&
            memcmp(f->bytes + names.sh_offset + section.sh_name, s->section, name_size) == 0 &&
            has(f, section.sh_offset, section.sh_size))
            read_texts(s, f->bytes + section.sh_offset, section.sh_size);
    }
}

static bool read_program(const char *path, const struct sought *s)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct image f = {0};
    struct stat st;
    void *map = MAP_FAILED;

    s->out[0] = '\0';
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (map == MAP_FAILED)
        return false;
    f = (struct image){map, (size_t)st.st_size};
    read_sections(&f, s);
    (void)munmap(map, f.n);
    return *s->out != '\0';
}

bool am_loaded_compilers(const char *path, char out[AM_COMPILERS_TEXT])
{
    return read_program(path, &(struct sought){".comment", out, AM_COMPILERS_TEXT});
}

bool am_loaded_flags(const char *path, char out[AM_FLAGS_TEXT])
{
    return read_program(path, &(struct sought){AM_FLAGS_SECTION, out, AM_FLAGS_TEXT});
}
