/* SPDX-License-Identifier: MIT */
/* JSON read: trees with places, refusals with places. */
#include "base/json_read.h"

#include "tap.h"

#include <stdlib.h>

static struct am_arena arena;

static enum am_status parse(const char *text, struct am_json_value *v, struct am_err *err)
{
    *err = (struct am_err){0};
    return am_json_read("f", text, strlen(text), &arena, v, err);
}

static void test_values(void)
{
    static const char text[] =
        "{\"a\": [1, -2.5e3, true, null],\n  \"b\": \"x\\n\\u00e9\\ud83d\\ude00\"}";
    struct am_json_value v;
    struct am_err err;
    const struct am_json_value *a, *b;

    ok(parse(text, &v, &err) == AM_OK, "an object is read (%s)", err.text);
    a = am_json_get(&v, "a");
    b = am_json_get(&v, "b");
    ok(a && a->kind == AM_JSON_ARRAY && a->n == 4, "with an array of four");
    is_near(a->items[1].number, -2500, 0, "of a number");
    is_str(a->items[1].text, "-2.5e3", "that keeps its literal");
    ok(a->items[2].kind == AM_JSON_BOOL && a->items[2].truth && a->items[3].kind == AM_JSON_NULL,
       "of true and null");
    is_str(b->text, "x\n\xc3\xa9\xf0\x9f\x98\x80", "escapes become UTF-8");
    ok(b->line == 2 && b->column == 8, "a value knows its place (%u:%u)", b->line, b->column);
    ok(!am_json_get(&v, "c") && !am_json_get(a, "a"), "what is not there is NULL");
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *place;
    } cases[] = {
        {"", "f:1:1: "},
        {"{\"a\": 1,\n \"a\": 2}", "f:2:2: "},
        {"[1, 2", "f:1:6: "},
        {"{\"a\" 1}", "f:1:6: "},
        {"{a: 1}", "f:1:2: "},
        {"[1,]", "f:1:4: "},
        {"[01]", "f:1:2: "},
        {"[1e999]", "f:1:2: "},
        {"[-]", "f:1:2: "},
        {"[.5]", "f:1:2: "},
        {"[NaN]", "f:1:2: "},
        {"[Infinity]", "f:1:2: "},
        {"\"a", "f:1:3: "},
        {"\"\\x\"", "f:1:4: "},
        {"\"\\u0000\"", "f:1:"},
        {"\"\\ud800\"", "f:1:"},
        {"\"\\udc00\\ud800\"", "f:1:"},
        {"\"\t\"", "f:1:2: "},
        {"1 2", "f:1:3: "},
        {"[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "f:1:17: "},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct am_json_value v;
        struct am_err err;

        ok(parse(cases[i].text, &v, &err) == AM_E_USAGE &&
               strncmp(err.text, cases[i].place, strlen(cases[i].place)) == 0,
           "refused with its place: %s", err.text);
    }
}

static void test_many_keys(void)
{
    char *const text = malloc(16 * (AM_JSON_KEYS_MAX + 2));
    size_t len = 1;
    struct am_json_value v;
    struct am_err err;

    text[0] = '{';
    for (int i = 0; i <= AM_JSON_KEYS_MAX; i++)
        len += (size_t)snprintf(text + len, 16, "%s\"%d\":1", i ? "," : "", i);
    (void)memcpy(text + len, "}", 2);
    ok(parse(text, &v, &err) == AM_E_USAGE && strstr(err.text, "too many keys"),
       "an object of more keys than can be compared is refused");
    free(text);
}

int main(void)
{
    test_values();
    test_refusals();
    test_many_keys();
    am_arena_fini(&arena);
    return tap_done();
}
