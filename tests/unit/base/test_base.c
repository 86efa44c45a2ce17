/* SPDX-License-Identifier: MIT */
/* Bounded text, numbers, names, arena, random numbers, clock, file-system root, large memory. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/fsroot.h"
#include "base/kv.h"
#include "base/large.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/text.h"
#include "tap.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static void test_text(void)
{
    struct am_text t;
    char small[4];

    am_text_init(&t, 10);
    am_text_add(&t, "12345");
    am_text_addf(&t, "%d", 67890);
    is_str(am_text_str(&t), "1234567890", "a text takes exactly its limit");
    ok(!t.overflow, "and has not overflowed");
    am_text_add(&t, "x");
    ok(t.overflow, "one more byte overflows");
    is_str(am_text_str(&t), "1234567890", "and leaves the text as it was");
    am_text_fini(&t);
    is_str(am_text_str(&t), "", "a finished text reads as empty");
    ok(!am_str_copy(small, sizeof(small), "long"), "a cut copy says so");
    is_str(small, "lon", "a cut copy is terminated");
}

static void test_numbers(void)
{
    static const char *const bad_u64[] = {"",   "-1",   "+1",  "1 ",
                                          " 1", "0x10", "1.0", "18446744073709551616"};
    static const char *const bad_f64[] = {"", "nan", "inf", "-inf", "1e999", "1x", " 1", "--1"};
    uint64_t u;
    int64_t i;
    double d;

    ok(am_parse_u64("18446744073709551615", 20, &u) && u == UINT64_MAX, "largest u64 parses");
    for (size_t k = 0; k < sizeof(bad_u64) / sizeof(*bad_u64); k++)
        ok(!am_parse_u64(bad_u64[k], strlen(bad_u64[k]), &u), "\"%s\" is no u64", bad_u64[k]);
    ok(am_parse_i64("-42", 3, &i) && i == -42, "negative i64 parses");
    ok(!am_parse_i64("-", 1, &i), "a lone minus is no i64");
    ok(am_parse_f64("0x1.8p+1", 8, &d) && d == 3.0, "hexadecimal doubles parse");
    for (size_t k = 0; k < sizeof(bad_f64) / sizeof(*bad_f64); k++)
        ok(!am_parse_f64(bad_f64[k], strlen(bad_f64[k]), &d), "\"%s\" is no f64", bad_f64[k]);
}

static void test_names(void)
{
    static const char *const names[] = {"mem.latency", "mem.bandwidth", "cpu.flops"};
    static const char *const ended[] = {"a", "b", NULL, "c"};

    is_str(am_nearest("mem.latncy", names, 3), "mem.latency", "a dropped letter is found");
    is_str(am_nearest("cpu.flosp", names, 3), "cpu.flops", "a swap is found");
    ok(am_nearest("zzzzzz", names, 3) == NULL, "nonsense has no neighbour");
    is_str(am_nearest("cpu", names, 3), "cpu.flops", "the only name that begins so is found");
    ok(am_nearest("mem", names, 3) == NULL, "of two that begin so none is");
    ok(am_name_index(names, 3, names[2]) == 2 && am_name_index(names, 3, names[0]) == 0,
       "a name's index is found");
    ok(am_name_index(names, 2, names[2]) == -1, "names behind the length are not looked at");
    ok(am_name_index(ended, AM_NAMES_ENDED, "b") == 1 &&
           am_name_index(ended, AM_NAMES_ENDED, "c") == -1 && am_name_index(ended, 9, "c") == -1,
       "nothing behind a NULL is looked at");
    ok(am_name_index(ended, AM_NAMES_ENDED, NULL) == -1, "no text has no index");
    ok(am_glob_match("mem.*", "mem.latency"), "star matches the rest");
    ok(am_glob_match("*.l?tency", "mem.latency"), "star backtracks, ? takes one");
    ok(!am_glob_match("mem", "mem.latency"), "a pattern covers the whole name");
    ok(am_glob_match("**", ""), "stars match nothing too");
    ok(am_glob_any((const char *const[]){"a", "b*", NULL}, "bc") &&
           !am_glob_any((const char *const[]){"a", "b", NULL}, "bc") &&
           !am_glob_any((const char *const[]){NULL}, ""),
       "any of several patterns, or none");
}

static void test_arena(void)
{
    struct am_arena a = {0};
    struct am_kvs kvs = {0};
    char *big = am_arena_alloc(&a, 1 << 20);

    ok(big && big[0] == 0 && big[(1 << 20) - 1] == 0, "large allocations are zeroed");
    ok(am_arena_array(&a, SIZE_MAX / 2, 16) == NULL, "an overflowing product is refused");
    for (int i = 0; i < 100; i++)
        am_kvs_addf(&kvs, &a, i == 77 ? "key" : "other", "%d", i);
    ok(kvs.n == 100, "a list grows");
    is_str(am_kvs_get(&kvs, "key"), "77", "and finds its facts");
    am_arena_fini(&a);
}

static void test_rng(void)
{
    struct am_rng a, b;
    size_t order[50], seen = 0;
    int counts[7] = {0};

    am_rng_seed(&a, 1, 2);
    am_rng_seed(&b, 1, 2);
    ok(am_rng_u64(&a) == am_rng_u64(&b), "equal seeds give equal streams");
    am_rng_seed(&b, 1, 3);
    ok(am_rng_u64(&a) != am_rng_u64(&b), "streams of one seed differ");
    for (int i = 0; i < 70000; i++)
        counts[am_rng_below(&a, 7)]++;
    for (int i = 0; i < 7; i++)
        seen += counts[i] > 9500 && counts[i] < 10500;
    ok(seen == 7, "below() is uniform within 5 sigma");
    for (size_t i = 0; i < 50; i++)
        order[i] = i;
    am_rng_shuffle(&a, order, 50);
    seen = 0;
    for (size_t i = 0; i < 50; i++)
        seen += order[i];
    ok(seen == 49 * 50 / 2, "a shuffle keeps every item");
}

static void test_clock(void)
{
    struct am_clock c;
    const uint64_t before = am_now_ns();
    double hz;

    am_clock_init(&c);
    hz = am_clock_core_hz(&c);
    ok(am_now_ns() > before, "time goes on");
    ok(c.resolution_ns > 0, "resolution is measured");
    ok(hz > 1e7 && hz < 2e10, "the core clock is that of a processor (%.3g Hz)", hz);
}

static void test_errors(void)
{
    struct am_err err = {0};

    errno = ENOENT;
    ok(am_fail(&err, AM_E_SYS, "file %s", "x") == AM_E_SYS, "am_fail returns its status");
    is_str(err.text, "file x: No such file or directory", "and tells errno's story");
    (void)am_fail(&err, AM_E_USAGE, "later");
    ok(err.status == AM_E_SYS && strstr(err.text, "file x"), "the first story is kept");
}

static void test_fsroot(void)
{
    struct am_fsroot root = {0};
    struct am_err err = {0};
    char buf[4096];

    ok(am_fsroot_open(&root, NULL, &err) == AM_OK && !root.synthetic, "the real root opens");
    ok(am_fsroot_read(&root, "proc/self/stat", buf, sizeof(buf)) > 0, "and reads below it");
    ok(am_fsroot_read(&root, "no/such", buf, sizeof(buf)) == -1, "an absent file is -1");
    ok(am_fsroot_read(&root, "proc/self/stat", buf, 4) <= 3, "a long file is cut");
    am_fsroot_close(&root);
    ok(am_fsroot_open(&root, "/no/such/root", &err) == AM_E_USAGE, "an absent root is refused");
}

static void test_large(void)
{
    static const size_t sizes[] = {1, 64, AM_LARGE_PAGE - 1, AM_LARGE_PAGE, AM_LARGE_PAGE + 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const size_t unit = sizes[i] < AM_LARGE_PAGE ? AM_LARGE_LINE : AM_LARGE_PAGE;
        char *const at = am_large_alloc(sizes[i]);

        ok(at && (uintptr_t)at % unit == 0, "%zu bytes begin a unit of %zu", sizes[i], unit);
        if (at)
            at[0] = at[sizes[i] - 1] = 1;
        free(at);
    }
    ok(!am_large_alloc(0) && !am_large_alloc(SIZE_MAX), "no memory is said, not guessed");
}

int main(void)
{
    test_text();
    test_numbers();
    test_names();
    test_arena();
    test_rng();
    test_clock();
    test_errors();
    test_fsroot();
    test_large();
    return tap_done();
}
