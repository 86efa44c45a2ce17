/* SPDX-License-Identifier: MIT */
/* Keys by value, and the labels that are made of them. */
#include "document/figure/keys.h"

#include "base/text.h"
#include "document/units.h"
#include "base/utf8.h"
#include "evidence/select.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PART_CHARS = 28, HEAD_CHARS = 8, NAME_BYTES = 128, LABEL_BYTES = 4096, SLOTS_MIN = 64 };

/* ---- values ---- */

void am_keys_use(struct am_keys *keys, const char *list)
{
    for (const char *p = list ? list : ""; *p && keys->axes.n < AM_AXES_MAX;) {
        const size_t n = strcspn(p, ",");
        const char *const name = am_arena_strndup(keys->arena, p, n);

        if (name)
            keys->axes.names[keys->axes.n++] = name;
        p += n + (p[n] == ',');
    }
}

static bool quotient_of(const struct am_result *r, const char *name, struct am_arena *arena,
                        struct am_key_value *out)
{
    char over[NAME_BYTES];
    const char *const slash = strchr(name, '/');
    double q;

    if (!am_str_format(over, sizeof(over), "%.*s", (int)(slash - name), name))
        return false;
    q = am_result_number(r, over) / am_result_number(r, slash + 1);
    if (!isfinite(q) || floor(q) < q)
        return false;
    *out = (struct am_key_value){name, AM_AXIS_INT, am_arena_printf(arena, "%.0f", q), q};
    return out->text != NULL;
}

static bool value_of(const struct am_result *r, const char *name, struct am_arena *arena,
                     struct am_key_value *out)
{
    const struct am_result_param *const p = am_result_param(r, name);

    if (!p && strchr(name, '/'))
        return quotient_of(r, name, arena, out);
    *out = (struct am_key_value){name, p ? p->kind : AM_AXIS_NAME, p ? p->text : "",
                                 p ? am_result_number(r, name) : NAN};
    return true;
}

static bool same_value(const struct am_key_value *a, const struct am_key_value *b)
{
    if (isfinite(a->number) && isfinite(b->number))
        return !(a->number < b->number) && !(a->number > b->number);
    return strcmp(a->text, b->text) == 0;
}

static bool same_values(const struct am_key_value *a, const struct am_key_value *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!same_value(&a[i], &b[i]))
            return false;
    }
    return true;
}

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
    const unsigned char *const bytes = data;

    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
    return h;
}

static uint64_t hash_values(const struct am_key_value *v, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++) {
        const double number = v[i].number + 0.0; /* -0 is 0 */

        h = isfinite(number) ? hash_bytes(h, &number, sizeof(number))
                             : hash_bytes(h, v[i].text, strlen(v[i].text) + 1);
    }
    return h;
}

/* ---- keys ---- */

/* Where the key stands, or the free slot where it would. */
static size_t find_slot(const struct am_keys *k, const struct am_key_value *v)
{
    size_t at = hash_values(v, k->axes.n) & (k->n_slots - 1);

    while (k->slots[at] && !same_values(&k->values[(k->slots[at] - 1) * k->axes.n], v, k->axes.n))
        at = (at + 1) & (k->n_slots - 1);
    return at;
}

static bool grow(struct am_keys *k)
{
    const size_t cap = k->cap ? 2 * k->cap : SLOTS_MIN / 2, slots = 2 * cap;
    struct am_key_value *const values =
        am_arena_array(k->arena, cap * (k->axes.n + 1), sizeof(*values));

    if (!values)
        return false;
    if (k->n)
        memcpy(values, k->values, k->n * k->axes.n * sizeof(*values));
    k->values = values;
    k->slots = am_arena_array(k->arena, slots, sizeof(*k->slots));
    if (!k->slots)
        return false;
    k->n_slots = slots;
    k->cap = cap;
    for (size_t i = 0; i < k->n; i++)
        k->slots[find_slot(k, &k->values[i * k->axes.n])] = i + 1;
    return true;
}

static size_t index_of(struct am_keys *k, const struct am_key_value *v)
{
    size_t slot;

    if (k->n == k->cap && !grow(k))
        return AM_KEY_NONE;
    slot = find_slot(k, v);
    if (k->slots[slot])
        return k->slots[slot] - 1;
    if (k->axes.n)
        memcpy(&k->values[k->n * k->axes.n], v, k->axes.n * sizeof(*v));
    k->slots[slot] = ++k->n;
    return k->n - 1;
}

size_t am_keys_index(struct am_keys *k, const struct am_result *result)
{
    struct am_key_value v[AM_AXES_MAX];

    for (size_t i = 0; i < k->axes.n; i++) {
        if (!value_of(result, k->axes.names[i], k->arena, &v[i]))
            return AM_KEY_NONE;
    }
    return index_of(k, v);
}

/* ---- order ---- */

struct placed {
    const struct am_key_value *values;
    size_t parts, index;
};

static int by_numbers(const void *a, const void *b)
{
    const struct placed *const x = a, *const y = b;

    for (size_t i = 0; i < x->parts; i++) {
        if (x->values[i].number < y->values[i].number || x->values[i].number > y->values[i].number)
            return x->values[i].number < y->values[i].number ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

void am_keys_sort(struct am_keys *k, size_t *rank)
{
    const size_t parts = k->axes.n;
    struct placed *const order = am_arena_array(k->arena, k->n + 1, sizeof(*order));
    struct am_key_value *const values =
        am_arena_array(k->arena, k->cap * (parts + 1), sizeof(*values));
    bool numbers = order && values && parts > 0;

    for (size_t i = 0; i < k->n; i++)
        rank[i] = i;
    for (size_t i = 0; numbers && i < k->n * parts; i++)
        numbers = isfinite(k->values[i].number);
    if (!numbers)
        return;
    for (size_t i = 0; i < k->n; i++)
        order[i] = (struct placed){&k->values[i * parts], parts, i};
    qsort(order, k->n, sizeof(*order), by_numbers);
    for (size_t i = 0; i < k->n; i++) {
        rank[order[i].index] = i;
        memcpy(&values[i * parts], order[i].values, parts * sizeof(*values));
    }
    k->values = values; /* the slots are not needed any more */
}

/* ---- shortening ---- */

const char *am_label_cut(struct am_arena *arena, const char *text, size_t max)
{
    const char *end = text;
    const char *copy;

    for (size_t n = 0; *end; n++) {
        const size_t len = am_utf8_length(end);

        if (n == max) {
            copy = am_arena_printf(arena, "%.*s…", (int)(end - text), text);
            return copy ? copy : "…";
        }
        end += len ? len : 1;
    }
    return text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool all_differ(const char *const *texts, size_t n, struct am_arena *arena)
{
    const char **const sorted = am_arena_array(arena, n + 1, sizeof(*sorted));

    if (!sorted)
        return false;
    memcpy(sorted, texts, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_text);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            return false;
    }
    return true;
}

/* Bytes, up to the end of a character, that the text shares with the one most like it. */
static size_t shared_with_another(const char *const *texts, size_t n, size_t i)
{
    size_t most = 0;

    for (size_t k = 0; k < n; k++) {
        size_t same = 0;

        while (k != i && texts[i][same] && texts[i][same] == texts[k][same])
            same++;
        most = same > most ? same : most;
    }
    while (most && ((unsigned char)texts[i][most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* "NVIDIA G…7 (bus 3)": what is shared loses its end, what follows loses nothing. */
static const char *without_middle(const char *const *texts, size_t n, size_t i,
                                  struct am_arena *arena)
{
    const size_t shared = shared_with_another(texts, n, i);
    const char *const head = am_arena_strndup(arena, texts[i], shared);
    const char *const cut = head ? am_label_cut(arena, head, HEAD_CHARS) : NULL;
    const char *const text = cut ? am_arena_printf(arena, "%s%s", cut, texts[i] + shared) : NULL;

    return text && strlen(text) < strlen(texts[i]) ? text : texts[i];
}

void am_labels_shorten(const char **texts, size_t n, size_t max, struct am_arena *arena)
{
    const char **const shorter = am_arena_array(arena, n + 1, sizeof(*shorter));

    if (!shorter)
        return;
    for (size_t i = 0; i < n; i++)
        shorter[i] = am_label_cut(arena, texts[i], max);
    if (!all_differ(shorter, n, arena)) {
        for (size_t i = 0; i < n; i++)
            shorter[i] = shorter[i] == texts[i] ? texts[i] : without_middle(texts, n, i, arena);
    }
    if (all_differ(shorter, n, arena))
        memcpy(texts, shorter, n * sizeof(*texts));
}

double am_label_width(const char *text, double size)
{
    double width = 0;

    while (*text) {
        const size_t len = am_utf8_length(text);
        const char c = *text;

        if (len > 2)
            width += 0.95;
        else if (strchr("iljtfI.,:;'|!()[] ", c))
            width += 0.37;
        else if (strchr("mwMW@%=+<>", c))
            width += 0.88;
        else if (c >= 'A' && c <= 'Z')
            width += 0.7;
        else
            width += 0.61;
        text += len ? len : 1;
    }
    return width * size;
}

/* ---- labels ---- */

/* The values of one axis among all keys, each once, as they are written. */
struct part {
    struct am_keys values;
    const char **texts;
};

static const char *show(const struct am_key_value *v, struct am_arena *arena)
{
    char text[LABEL_BYTES];

    am_units_param(v->kind, v->text, text, sizeof(text));
    return am_arena_strdup(arena, text);
}

static bool make_part(const struct am_keys *k, size_t axis, struct part *out)
{
    struct am_keys *const values = &out->values;

    *out = (struct part){.values = {.arena = k->arena, .axes = {.n = 1}}};
    for (size_t i = 0; i < k->n; i++) {
        if (index_of(values, &k->values[i * k->axes.n + axis]) == AM_KEY_NONE)
            return false;
    }
    out->texts = am_arena_array(k->arena, values->n + 1, sizeof(*out->texts));
    for (size_t i = 0; out->texts && i < values->n; i++) {
        out->texts[i] = show(&values->values[i], k->arena);
        if (!out->texts[i])
            return false;
    }
    if (!out->texts)
        return false;
    if (!all_differ(out->texts, values->n, k->arena)) { /* rounded to the same words */
        for (size_t i = 0; i < values->n; i++)
            out->texts[i] = values->values[i].text;
    }
    am_labels_shorten(out->texts, values->n, PART_CHARS, k->arena);
    return true;
}

/* What all keys share is told once for the whole figure, but for quotients: they are no axes. */
static bool is_told(const struct part *part, const struct am_key_value *v,
                    enum am_label_style style)
{
    return part->values.n > 1 || style == AM_LABEL_ALL || strchr(v->name, '/');
}

static void add_part(struct am_text *out, struct part *part, const struct am_key_value *v,
                     enum am_label_style style)
{
    const size_t at = index_of(&part->values, v);

    if (at == AM_KEY_NONE || !*v->text || !is_told(part, v, style))
        return;
    if (out->len)
        am_text_add(out, ", ");
    if (v->kind != AM_AXIS_NAME && style == AM_LABEL_NAMED)
        am_text_addf(out, "%s ", v->name);
    am_text_add(out, part->texts[at]);
}

bool am_keys_label(struct am_keys *k, enum am_label_style style)
{
    struct part parts[AM_AXES_MAX];
    const size_t n = k->axes.n;

    k->labels = am_arena_array(k->arena, k->n + 1, sizeof(*k->labels));
    for (size_t a = 0; a < n; a++) {
        if (!make_part(k, a, &parts[a]))
            return false;
    }
    for (size_t i = 0; k->labels && i < k->n; i++) {
        struct am_text text;

        am_text_init(&text, LABEL_BYTES);
        for (size_t a = 0; a < n; a++)
            add_part(&text, &parts[a], &k->values[i * n + a], style);
        k->labels[i] = am_arena_strdup(k->arena, am_text_str(&text));
        am_text_fini(&text);
        if (!k->labels[i])
            return false;
    }
    return k->labels != NULL;
}
