/* SPDX-License-Identifier: MIT */
/* What a process runs, and which compilers made it; files that are no programs say nothing. */
#include "base/loaded.h"

#include "base/rng.h"
#include "tap.h"

#include <stdio.h>
#include <unistd.h>

enum { COPY_MAX = 64 << 20, DAMAGES = 300 };

struct seen {
    size_t n;
    bool program_first, libc;
};

static bool look(void *self, const struct am_loaded *loaded)
{
    struct seen *const seen = self;

    if (seen->n++ == 0)
        seen->program_first = strstr(loaded->path, "test_loaded") != NULL;
    if (strstr(loaded->path, "/libc.so") || strstr(loaded->path, "/libc-"))
        seen->libc = strspn(loaded->build_id, "0123456789abcdef") == AM_BUILD_ID_TEXT - 1;
    return true;
}

static bool stop(void *self, const struct am_loaded *loaded)
{
    (void)loaded;
    ++*(size_t *)self;
    return false;
}

static void test_each(void)
{
    struct seen seen = {0};
    size_t n = 0;

    am_loaded_each(look, &seen);
    ok(seen.program_first, "the program comes first");
    ok(seen.n >= 2 && seen.libc, "the C library is there, with its build id");
    am_loaded_each(stop, &n);
    ok(n == 1, "who has seen enough sees no more");
}

static void test_names(void)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        {"/usr/lib/libgomp.so.1.0.0", "libgomp.so"},
        {"/usr/lib/libstdc++.so.6", "libstdc++.so"},
        {"/opt/archmeter-worker-cpu", "archmeter-worker-cpu"},
        {"plain", "plain"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char name[AM_LIBRARY_NAME_MAX];

        am_library_name(cases[i].path, name);
        is_str(name, cases[i].name, "a name without its version");
    }
}

static size_t read_self(unsigned char *buf)
{
    FILE *const f = fopen("/proc/self/exe", "rb");
    const size_t n = f ? fread(buf, 1, COPY_MAX, f) : 0;

    if (f)
        (void)fclose(f);
    return n;
}

static bool write_copy(const unsigned char *buf, size_t n)
{
    FILE *const f = fopen("loaded-copy", "wb");
    const bool good = f && fwrite(buf, 1, n, f) == n;

    if (f)
        (void)fclose(f);
    return good;
}

/* Headers that lie: of every length, and with bytes changed where the headers stand. */
static void test_damaged(void)
{
    static unsigned char buf[COPY_MAX];
    const size_t n = read_self(buf), least = n < 4096 ? n : 4096;
    char text[AM_COMPILERS_TEXT], flags[AM_FLAGS_TEXT];
    struct am_rng rng;
    size_t written = 0;

    am_rng_seed(&rng, 18, 0);
    for (size_t i = 0; n && i < DAMAGES; i++) {
        const size_t place = i % 2 ? am_rng_below(&rng, 64) : n - 1 - am_rng_below(&rng, least);
        const unsigned char kept = buf[place];

        buf[place] = (unsigned char)am_rng_below(&rng, 256);
        written += write_copy(buf, i % 3 ? n : am_rng_below(&rng, n));
        (void)am_loaded_compilers("loaded-copy", text);
        (void)am_loaded_flags("loaded-copy", flags);
        buf[place] = kept;
    }
    ok(written == DAMAGES, "%zu damaged programs are read without harm", written);
    (void)unlink("loaded-copy");
}

extern const char test_flags[];
__attribute__((section(AM_FLAGS_SECTION), used)) const char test_flags[] = "-made -up";

static void test_compilers(void)
{
    char text[AM_COMPILERS_TEXT], flags[AM_FLAGS_TEXT];

    ok(am_loaded_compilers("/proc/self/exe", text) &&
           (strstr(text, "GCC") || strstr(text, "clang")),
       "this program's compiler: %s", text);
    ok(!am_loaded_compilers("/dev/null", text) && !*text, "a device has none");
    ok(!am_loaded_compilers("/etc/passwd", text) && !*text, "a text has none");
    ok(!am_loaded_compilers("not-there", text) && !*text, "what is not there has none");
    ok(am_loaded_flags("/proc/self/exe", flags) && strcmp(flags, "-made -up") == 0,
       "flags stand in a section of their own: %s", flags);
    ok(!am_loaded_flags("/bin/sh", flags) && !*flags, "programs of others have none");
}

int main(void)
{
    test_each();
    test_names();
    test_compilers();
    test_damaged();
    return tap_done();
}
