/* SPDX-License-Identifier: MIT */
/* Tables of fields against objects of JSON. */
#include "base/json_fields.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WORDS_MAX = 64, STORY_BYTES = 400, SHOWN = 60 };

enum am_status am_json_refuse(const struct am_json_source *source, const struct am_json_value *at,
                              const char *fmt, ...)
{
    char story[STORY_BYTES];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(story, sizeof(story), fmt, ap);
    va_end(ap);
    return am_fail(source->err, AM_E_USAGE, "%s:%u:%u: %s", source->name, at->line, at->column,
                   story);
}

/* ---- words ---- */

static enum am_status no_such_word(const struct am_json_source *source,
                                   const struct am_json_value *at, const char *what,
                                   const char *word, const char *const *words, size_t n)
{
    const char *const near = am_nearest(word, words, n);

    return am_json_refuse(source, at, "%s \"%.*s\" is not known%s%s%s", what, SHOWN, word,
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static enum am_status check_keys(const struct am_json_source *source,
                                 const struct am_json_value *object, const struct am_field *fields)
{
    const char *keys[WORDS_MAX];
    size_t n = 0;

    for (; fields[n].key && n < WORDS_MAX; n++)
        keys[n] = fields[n].key;
    for (size_t i = 0; i < object->n; i++) {
        if (am_name_index(keys, n, object->items[i].key) < 0)
            return no_such_word(source, &object->items[i], "the key", object->items[i].key, keys,
                                n);
    }
    return AM_OK;
}

/* ---- values ---- */

static const enum am_json_kind kinds[AM_FIELD_KINDS] = {
    [AM_FIELD_TEXT] = AM_JSON_TEXT,    [AM_FIELD_NUMBER] = AM_JSON_NUMBER,
    [AM_FIELD_WHOLE] = AM_JSON_NUMBER, [AM_FIELD_BOOL] = AM_JSON_BOOL,
    [AM_FIELD_WORD] = AM_JSON_TEXT,    [AM_FIELD_RANGE] = AM_JSON_ARRAY,
    [AM_FIELD_TREE] = AM_JSON_OBJECT,
};

static enum am_status take_whole(const struct am_json_source *source, const struct am_json_value *v,
                                 uint64_t *out)
{
    if (!(v->number >= 0 && v->number <= 0x1p53) || v->number > floor(v->number))
        return am_json_refuse(source, v, "\"%s\" must be a whole number", v->key);
    *out = (uint64_t)v->number;
    return AM_OK;
}

static enum am_status take_word(const struct am_json_source *source, const struct am_json_value *v,
                                const struct am_field *f, int *out)
{
    *out = am_name_index(f->words, f->n_words, v->text);
    return *out >= 0 ? AM_OK : no_such_word(source, v, f->key, v->text, f->words, f->n_words);
}

static enum am_status take_range(const struct am_json_source *source, const struct am_json_value *v,
                                 double *out)
{
    bool fits = v->n == 2;

    for (size_t i = 0; fits && i < 2; i++) {
        fits = v->items[i].kind == AM_JSON_NUMBER || v->items[i].kind == AM_JSON_NULL;
        out[i] = v->items[i].kind == AM_JSON_NUMBER ? v->items[i].number : (double)NAN;
    }
    if (!fits)
        return am_json_refuse(source, v, "\"%s\" must be two numbers", v->key);
    if (out[0] > out[1])
        return am_json_refuse(source, v, "\"%s\" ends before it begins", v->key);
    return AM_OK;
}

/* What null stands for; what is neither text nor number stays as it was. */
static void put_null(const struct am_field *f, void *to)
{
    if (f->kind == AM_FIELD_NUMBER)
        *(double *)to = NAN;
    else if (f->kind == AM_FIELD_TEXT)
        *(const char **)to = NULL;
}

static enum am_status take(const struct am_json_source *source, const struct am_field *f,
                           const struct am_json_value *v, void *to)
{
    const enum am_json_kind wanted = f->kind == AM_FIELD_TREE ? f->tree : kinds[f->kind];

    if (v->kind == AM_JSON_NULL && f->null) {
        put_null(f, to);
        return AM_OK;
    }
    if (v->kind != wanted)
        return am_json_refuse(source, v, "\"%s\" must be %s, and is %s", f->key,
                              am_json_kind_words(wanted), am_json_kind_words(v->kind));
    switch (f->kind) {
    case AM_FIELD_WHOLE: return take_whole(source, v, to);
    case AM_FIELD_WORD: return take_word(source, v, f, to);
    case AM_FIELD_RANGE: return take_range(source, v, to);
    case AM_FIELD_TEXT: *(const char **)to = v->text; return AM_OK;
    case AM_FIELD_NUMBER: *(double *)to = v->number; return AM_OK;
    case AM_FIELD_BOOL: *(bool *)to = v->truth; return AM_OK;
    default: *(const struct am_json_value **)to = v; return AM_OK;
    }
}

enum am_status am_json_fields(const struct am_json_source *source,
                              const struct am_json_value *object, const struct am_field *fields,
                              void *out)
{
    enum am_status s;

    if (object->kind != AM_JSON_OBJECT)
        return am_json_refuse(source, object, "must be an object, and is %s",
                              am_json_kind_words(object->kind));
    s = check_keys(source, object, fields);
    for (const struct am_field *f = fields; s == AM_OK && f->key; f++) {
        const struct am_json_value *const v = am_json_get(object, f->key);

        s = v ? take(source, f, v, (char *)out + f->offset)
              : am_json_refuse(source, object, "the key \"%s\" is missing", f->key);
    }
    return s;
}
