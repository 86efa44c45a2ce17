/* SPDX-License-Identifier: MIT */
/* The axis syntax: what it gives, and what it says when it cannot. */
#include "base/text.h"
#include "core/bench/axis.h"
#include "core/bench/isas.h"
#include "tap.h"

#include <stdint.h>

static const char *const isas[] = {"scalar", "sse2", "avx", "avx2", "avx512", NULL};
static const char *const reasons[] = {NULL, NULL, NULL, NULL, "no AVX-512 here"};
static const char *const nothing[] = {"a", "a", "a", "a", "a"};
static const struct am_symbol symbols[] = {{"cpus", 16}, {"l1", 32768},       {"l2", 524288},
                                           {"odd", 7},   {"huge", INT64_MAX}, {NULL, 0}};

static const char *no_sse(const char *choice)
{
    return strcmp(choice, "sse2") == 0 ? "not today" : NULL;
}

static const struct am_axis threads = {.name = "threads", .kind = AM_AXIS_INT};
static const struct am_axis size = {.name = "size", .kind = AM_AXIS_SIZE};
static const struct am_axis load = {.name = "load", .kind = AM_AXIS_REAL};
static const struct am_axis isa = {
    .name = "isa", .kind = AM_AXIS_NAME, .choices = isas, .ranked = true, .reasons = reasons};
static const struct am_axis worker_isa = {
    .name = "isa", .kind = AM_AXIS_NAME, .choices = isas, .ranked = true, .why_not = no_sse};
static const struct am_axis no_isa = {
    .name = "isa", .kind = AM_AXIS_NAME, .choices = isas, .ranked = true, .reasons = nothing};
static const char *const kernels[] = {"read", "write", NULL};
static const struct am_axis kernel = {.name = "kernel", .kind = AM_AXIS_NAME, .choices = kernels};
static const struct am_axis policy = {.name = "policy", .kind = AM_AXIS_NAME};

/* The values in canonical text, separated by spaces. */
static void join(const struct am_values *values, struct am_text *out)
{
    char buf[AM_VALUE_TEXT_MAX];

    for (size_t i = 0; i < values->n; i++) {
        am_value_text(&values->v[i], buf, sizeof(buf));
        am_text_addf(out, "%s%s", i ? " " : "", buf);
    }
}

static void test_values(void)
{
    static const struct {
        const struct am_axis *axis;
        const char *text, *want;
    } cases[] = {
        {&size, "4K", "4096"},
        {&size, "4K:64K:*2", "4096 8192 16384 32768 65536"},
        {&size, "4K:40K:*2", "4096 8192 16384 32768"},
        {&size, "4K,8K,64K:128K:*2", "4096 8192 65536 131072"},
        {&size, "1.5K", "1536"},
        {&size, "1:10:*1.5", "1 2 3 5 8"},
        {&size, "1K:3K:*1.5", "1024 1536 2304"},
        {&size, "0.5T", "549755813888"},
        {&size, "l2/2,l2,l2*2", "262144 524288 1048576"},
        {&size, "l1:l2*2:*4", "32768 131072 524288"},
        {&size, "odd/2", "3"},
        {&size, "8388607T", "9223370937343148032"},
        {&threads, "1:5", "1 2 3 4 5"},
        {&threads, "1:10:3", "1 4 7 10"},
        {&threads, "1:10:+4", "1 5 9"},
        {&threads, "1:cpus:*2", "1 2 4 8 16"},
        {&threads, "3,1,2,1:4", "3 1 2 4"},
        {&threads, "0,1", "0 1"},
        {&threads, "5:5", "5"},
        {&threads, "007", "7"},
        {&threads, "1e3", "1000"},
        {&threads, "9223372036854775806:9223372036854775807",
         "9223372036854775806 9223372036854775807"},
        {&threads, "4611686018427387904:9223372036854775807:*2", "4611686018427387904"},
        {&threads, "9007199254740993:27021597764222979:*3", "9007199254740993 27021597764222979"},
        {&load, "0:0.5:0.1", "0 0.1 0.2 0.3 0.4 0.5"},
        {&load, "0.1:0.3:0.1", "0.1 0.2 0.3"},
        {&load, "1:100:*10", "1 10 100"},
        {&load, "0.25,1e-05,2", "0.25 1e-05 2"},
        {&load, "100000000000000000000", "1e+20"},
        {&isa, "avx2", "avx2"},
        {&isa, "avx2,scalar,avx2", "avx2 scalar"},
        {&isa, "all", "scalar sse2 avx avx2 avx512"},
        {&isa, "usable", "scalar sse2 avx avx2"},
        {&isa, "best", "avx2"},
        {&isa, "widest", "avx2"},
        {&isa, "avx*", "avx avx2"}, /* what cannot be used is no match */
        {&isa, "scalar,neon*", "scalar"},
        {&isa, "avx512,usable", "avx512 scalar sse2 avx avx2"},
        {&worker_isa, "usable", "scalar avx avx2 avx512"},
        {&worker_isa, "widest", "avx512"},
        {&worker_isa, "best", "avx2 avx512"}, /* the wider need not be the faster */
        {&worker_isa, "avx512,best", "avx512 avx2"},
        {&policy, "starpu:eager,omp-for,starpu:eager", "starpu:eager omp-for"},
        {&policy, "best", "best"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_arena arena = {0};
        struct am_values values;
        struct am_text got;
        struct am_err err = {0};

        am_text_init(&got, 4096);
        if (am_axis_parse(cases[i].axis, cases[i].text, strlen(cases[i].text), symbols, &arena,
                          &values, &err) == AM_OK)
            join(&values, &got);
        else
            am_text_add(&got, err.text);
        is_str(am_text_str(&got), cases[i].want, cases[i].text);
        am_text_fini(&got);
        am_arena_fini(&arena);
    }
}

static const struct {
    const struct am_axis *axis;
    const char *text;
    enum am_status status;
    const char *story;
} refusals[] = {
    {&isa, "sse2,avx22", AM_E_USAGE,
     "isa: unknown value \"avx22\" at column 6; did you mean \"avx2\"? "
     "(scalar, sse2, avx, avx2, avx512, all, usable, widest, best)"},
    {&isa, "usabel", AM_E_USAGE,
     "isa: unknown value \"usabel\" at column 1; did you mean \"usable\"? "
     "(scalar, sse2, avx, avx2, avx512, all, usable, widest, best)"},
    {&isa, "", AM_E_USAGE, "isa: a value is missing at column 1"},
    {&isa, "avx2,,sse2", AM_E_USAGE, "isa: a value is missing at column 6"},
    {&kernel, "best", AM_E_USAGE,
     "kernel: unknown value \"best\" at column 1 (read, write, all, usable)"},
    {&isa, "neon*", AM_E_ABSENT, "isa: no usable value here matches \"neon*\""},
    {&no_isa, "best", AM_E_ABSENT, "isa: none of its values is usable here: a"},
    {&no_isa, "usable", AM_E_ABSENT, "isa: none of its values is usable here: a"},
    {&policy, "two words", AM_E_USAGE, "policy: a name cannot hold the character at column 4"},
    {&policy, "a=b", AM_E_USAGE, "policy: a name cannot hold the character at column 2"},
    {&threads, "1:cpu", AM_E_USAGE,
     "threads: unknown value \"cpu\" at column 3; did you mean \"cpus\"? "
     "(a number, cpus, l1, l2, odd, huge)"},
    {&size, "", AM_E_USAGE, "size: a value is missing at column 1"},
    {&size, "4K,", AM_E_USAGE, "size: a value is missing at column 4"},
    {&size, "4K:", AM_E_USAGE, "size: a value is missing at column 4"},
    {&size, "4K:8K:", AM_E_USAGE, "size: a value is missing at column 7"},
    {&size, "4K:8K:*", AM_E_USAGE, "size: a value is missing at column 8"},
    {&size, "16kB", AM_E_USAGE,
     "size: \"kB\" at column 3 may mean powers of 1000; write KiB (powers of 1024)"},
    {&size, "4K,2MB", AM_E_USAGE,
     "size: \"MB\" at column 5 may mean powers of 1000; write MiB (powers of 1024)"},
    {&size, "4kiB", AM_E_USAGE,
     "size: unknown suffix \"kiB\" at column 2; the suffix must be K, M, G or T, or KiB, MiB, GiB or "
     "TiB (powers of 1024)"},
    {&size, "16KiBx", AM_E_USAGE,
     "size: unknown suffix \"KiBx\" at column 3; the suffix must be K, M, G or T, or KiB, MiB, GiB "
     "or TiB (powers of 1024)"},
    {&size, "1e", AM_E_USAGE,
     "size: unknown suffix \"e\" at column 2; the suffix must be K, M, G or T, or KiB, MiB, GiB or TiB (powers of 1024)"},
    {&size, "8K:4K", AM_E_USAGE, "size: a range must rise, unlike \"8K:4K\" at column 1"},
    {&size, "4K:8K:0", AM_E_USAGE, "size: a step must be above 0, unlike \"0\" at column 7"},
    {&size, "4K:8K:-1", AM_E_USAGE, "size: a step may not be negative at column 7"},
    {&size, "4K:8K:*1", AM_E_USAGE, "size: a factor must be above 1, unlike \"*1\" at column 7"},
    {&size, "4K:8K:*0.5", AM_E_USAGE,
     "size: a factor must be above 1, unlike \"*0.5\" at column 7"},
    {&size, "4K:8K:*-2", AM_E_USAGE, "size: a step may not be negative at column 7"},
    {&size, "0:8K:*2", AM_E_USAGE,
     "size: a factor needs a lower end above 0, unlike \"0:8K:*2\" at column 1"},
    {&size, "-4K", AM_E_USAGE, "size: a value may not be negative at column 1"},
    {&size, "1.3", AM_E_USAGE, "size: not a whole number in range: \"1.3\" at column 1"},
    {&size, "1.", AM_E_USAGE, "size: a digit is missing at column 3"},
    {&size, "8388608T", AM_E_USAGE, "size: too large a number \"8388608T\" at column 1"},
    {&size, "99999999999999999999", AM_E_USAGE,
     "size: too large a number \"99999999999999999999\" at column 1"},
    {&load, "1e308T", AM_E_USAGE, "load: too large a number \"1e308T\" at column 1"},
    {&size, "l2/0", AM_E_USAGE, "size: impossible \"l2/0\" at column 1"},
    {&size, "l2*", AM_E_USAGE, "size: a whole number is missing at column 4"},
    {&size, "huge*2", AM_E_USAGE, "size: too large a number \"huge*2\" at column 1"},
    {&size, "4K;8K", AM_E_USAGE, "size: unexpected \";\" at column 3"},
    {&size, "4K:8K:1K:2", AM_E_USAGE, "size: unexpected \":\" at column 9"},
    {&size, "l2/2,4*8", AM_E_USAGE, "size: unexpected \"*\" at column 7"},
    {&size, " 4K", AM_E_USAGE, "size: a value cannot begin with \" \" at column 1"},
    {&size, "\xff", AM_E_USAGE, "size: a value cannot begin with \"?\" at column 1"},
    {&threads, "1:5000", AM_E_USAGE, "threads: more than 4096 values at column 1"},
    {&threads, "1:9223372036854775807", AM_E_USAGE, "threads: more than 4096 values at column 1"},
    {&threads, "7,1:16:*1.0000001", AM_E_USAGE, "threads: more than 4096 values at column 3"},
    {&load, "0:1:1e-20", AM_E_USAGE, "load: more than 4096 values at column 1"},
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
        struct am_arena arena = {0};
        struct am_values values;
        struct am_err err = {0};
        const char *text = refusals[i].text;

        ok(am_axis_parse(refusals[i].axis, text, strlen(text), symbols, &arena, &values, &err) ==
               refusals[i].status,
           "\"%s\" is refused", strchr(text, '\xff') ? "(byte 255)" : text);
        is_str(err.text, refusals[i].story, "with its story");
        am_arena_fini(&arena);
    }
}

static void test_bounds(void)
{
    static const char *const many[] = {"zz1", "zz2", NULL};
    const struct am_axis two = {.name = "x", .kind = AM_AXIS_NAME, .choices = many};
    struct am_arena arena = {0};
    struct am_values values;
    struct am_err err = {0};
    char longer[200];

    ok(am_axis_parse(&threads, "1:4096", 6, NULL, &arena, &values, &err) == AM_OK &&
           values.n == AM_AXIS_VALUES_MAX && values.v[4095].i == 4096,
       "the largest number of values parses");
    ok(am_axis_parse(&size, "4Kxyz", 2, NULL, &arena, &values, &err) == AM_OK,
       "nothing is read beyond the length");
    ok(am_axis_parse(&size, "4K\0,8K", 6, NULL, &arena, &values, &err) == AM_E_USAGE,
       "a NUL byte is no end");
    memset(longer, 'x', sizeof(longer));
    memset(&err, 0, sizeof(err));
    ok(am_axis_parse(&policy, longer, 63, NULL, &arena, &values, &err) == AM_OK,
       "a name of 63 bytes is accepted");
    ok(am_axis_parse(&policy, longer, 64, NULL, &arena, &values, &err) == AM_E_USAGE,
       "one of 64 is too long");
    memset(&err, 0, sizeof(err));
    ok(am_axis_parse(&two, longer, 200, NULL, &arena, &values, &err) == AM_E_USAGE &&
           strstr(err.text, "(zz1, zz2, all, usable)"),
       "a long unknown word is cut, the choices are listed");
    am_arena_fini(&arena);
}

static void test_canonical(void)
{
    static const struct {
        const struct am_axis *axis;
        const char *text;
        bool good;
    } cases[] = {
        {&size, "4096", true},
        {&size, "4K", false},
        {&threads, "-3", true},
        {&threads, "", false},
        {&load, "0.1", true},
        {&load, "1e-05", true},
        {&load, "inf", false},
        {&isa, "avx512", true},
        {&isa, "avx", true},
        {&isa, "best", false},
        {&policy, "omp-for", true},
        {&policy, "", false},
        {&load, "0.30000000000000004", true},
    };
    char buf[AM_VALUE_TEXT_MAX];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct am_value v;
        struct am_err err = {0};
        const enum am_status s =
            am_value_parse(cases[i].axis, cases[i].text, strlen(cases[i].text), &v, &err);

        ok((s == AM_OK) == cases[i].good && (s == AM_OK || err.text[0]), "\"%s\" is %scanonical",
           cases[i].text, cases[i].good ? "" : "not ");
        if (s != AM_OK)
            continue;
        am_value_text(&v, buf, sizeof(buf));
        is_str(buf, cases[i].text, "and reads back");
    }
}

static void test_tables(void)
{
    const struct am_axis axes[] = {threads, size, {.name = NULL}};
    const struct am_value a = {.kind = AM_AXIS_INT, .i = 1}, b = {.kind = AM_AXIS_INT, .i = 2};

    ok(am_axis_count(axes) == 2 && am_axis_count(NULL) == 0, "axes are counted");
    ok(am_axis_find(axes, "size") == 1, "an axis is found");
    ok(am_axis_find(axes, "sizes") == -1 && am_axis_find(NULL, "size") == -1, "or is not");
    is_str(am_axis_why_not(&isa, 4), "no AVX-512 here", "reasons tell why not");
    is_str(am_axis_why_not(&worker_isa, 1), "not today", "and so does the worker's function");
    ok(am_axis_why_not(&worker_isa, 0) == NULL, "a usable choice has no reason");
    ok(am_value_same(&a, &a) && !am_value_same(&a, &b), "equal values are the same");
}

static void test_ranks(void)
{
    ok(am_isa_rank("scalar") == 0 && am_isa_rank("avx512") == AM_ISA_RANKS - 1,
       "instruction sets have ranks");
    ok(am_isa_rank("avx") > am_isa_rank("sse2") && am_isa_rank("avx2") > am_isa_rank("avx"),
       "that rise");
    ok(am_isa_rank("mmx") == -1 && am_isa_rank(NULL) == -1, "others have none");
}

int main(void)
{
    test_ranks();
    test_values();
    test_refusals();
    test_bounds();
    test_canonical();
    test_tables();
    return tap_done();
}
