/* SPDX-License-Identifier: MIT */
/* Tables of fields against objects of JSON: what is filled, and every refusal with its words. */
#include "base/json_fields.h"

#include "tap.h"

#include <stddef.h>
#include <stdint.h>

static struct am_arena arena;

struct part {
    const char *name;
    double value, range[2];
    uint64_t count;
    bool flag;
    int word;
    const struct am_json_value *list;
};
#define PART(field) offsetof(struct part, field)

static const char *const words[] = {"red", "green"};
static const struct am_field fields[] = {
    {.key = "name", .kind = AM_FIELD_TEXT, .offset = PART(name), .null = true},
    {.key = "value", .kind = AM_FIELD_NUMBER, .offset = PART(value), .null = true},
    {.key = "range", .kind = AM_FIELD_RANGE, .offset = PART(range)},
    {.key = "count", .kind = AM_FIELD_WHOLE, .offset = PART(count)},
    {.key = "flag", .kind = AM_FIELD_BOOL, .offset = PART(flag)},
    {.key = "word", .kind = AM_FIELD_WORD, .offset = PART(word), .words = words, .n_words = 2},
    {.key = "list", .kind = AM_FIELD_TREE, .offset = PART(list), .tree = AM_JSON_ARRAY},
    {0},
};

static enum am_status fill(const char *text, struct part *out, struct am_err *err)
{
    const struct am_json_source source = {"f", err};
    struct am_json_value v;
    enum am_status s;

    *err = (struct am_err){0};
    *out = (struct part){0};
    s = am_json_read("f", text, strlen(text), &arena, &v, err);
    return s == AM_OK ? am_json_fields(&source, &v, fields, out) : s;
}

#define REST "\"count\": 3, \"flag\": true, \"list\": []"

static void test_fields(void)
{
    static const struct {
        const char *text, *story;
    } refused[] = {
        {"[]", "f:1:1: must be an object, and is an array"},
        {"{\"nam\": \"x\"}", "the key \"nam\" is not known; did you mean \"name\"?"},
        {"{\"name\": 1}", "\"name\" must be a text, and is a number"},
        {"{\"name\": \"x\"}", "the key \"value\" is missing"},
        {"{\"name\": null, \"value\": 1, \"range\": [2, 1], \"word\": \"red\", " REST "}",
         "\"range\" ends before it begins"},
        {"{\"name\": null, \"value\": 1, \"range\": [2], \"word\": \"red\", " REST "}",
         "\"range\" must be two numbers"},
        {"{\"name\": null, \"value\": 1, \"range\": [1, 2], \"word\": \"gren\", " REST "}",
         "word \"gren\" is not known; did you mean \"green\"?"},
        {"{\"name\": null, \"value\": 1, \"range\": [1, 2], \"word\": \"red\", \"count\": 1.5, "
         "\"flag\": true, \"list\": []}",
         "\"count\" must be a whole number"},
        {"{\"name\": null, \"value\": 1, \"range\": [1, 2], \"word\": \"red\", \"count\": -1, "
         "\"flag\": true, \"list\": []}",
         "\"count\" must be a whole number"},
    };
    struct part p;
    struct am_err err;

    ok(fill("{\"name\": null, \"value\": null, \"range\": [1, null], \"word\": \"green\", " REST
            "}",
            &p, &err) == AM_OK,
       "an object fills a struct (%s)", err.text);
    ok(!p.name && isnan(p.value) && p.count == 3 && p.flag && p.word == 1 && p.list,
       "null is none, words are indices");
    ok(p.range[0] >= 1 && p.range[0] <= 1 && isnan(p.range[1]), "an open end is NAN");
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        ok(fill(refused[i].text, &p, &err) == AM_E_USAGE && strstr(err.text, refused[i].story),
           "refused: %s", err.text);
}

int main(void)
{
    test_fields();
    am_arena_fini(&arena);
    return tap_done();
}
