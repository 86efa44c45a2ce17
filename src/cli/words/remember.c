/* SPDX-License-Identifier: MIT */
/* Options that decide what is measured beside time, kept with a run. */
#include "cli/words/remember.h"

#include "base/text.h"
#include "store/query.h"

#include <string.h>

#define FIELD(member) offsetof(struct am_options, member)

static const struct kept {
    const char *key;
    enum am_option_kind kind; /* flag, text or number */
    size_t offset;
} all[] = {
    {"option.fsroot", AM_OPTION_TEXT, FIELD(fsroot)},
    {"option.machine", AM_OPTION_TEXT, FIELD(machine)},
    {"option.energy", AM_OPTION_FLAG, FIELD(energy)},
    {"option.meter", AM_OPTION_TEXT, FIELD(meter)},
    {"option.meter-command", AM_OPTION_TEXT, FIELD(meter_command)},
    {"option.meter-scpi", AM_OPTION_TEXT, FIELD(meter_scpi)},
    {"option.meter-msr", AM_OPTION_FLAG, FIELD(meter_msr)},
    {"option.meter-sys-cfg", AM_OPTION_FLAG, FIELD(meter_sys_cfg)},
    {"option.counters", AM_OPTION_TEXT, FIELD(counters)},
    {"option.counters-with-time", AM_OPTION_FLAG, FIELD(counters_with_time)},
    {"option.process-node", AM_OPTION_NUMBER, FIELD(process_nm)},
    {"option.no-tuning", AM_OPTION_FLAG, FIELD(no_tuning)},
    {"option.process-exponent", AM_OPTION_NUMBER, FIELD(process_exponent)},
};

static const void *field_of(const struct am_options *options, const struct kept *k)
{
    return (const char *)options + k->offset;
}

static void keep_flag(const struct kept *k, const void *field, struct am_arena *arena,
                      struct am_kvs *settings)
{
    if (*(const bool *)field)
        am_kvs_add(settings, arena, k->key, "yes");
}

static void keep_text(const struct kept *k, const void *field, struct am_arena *arena,
                      struct am_kvs *settings)
{
    const char *const text = *(const char *const *)field;

    if (text)
        am_kvs_add(settings, arena, k->key, text);
}

static void keep_number(const struct kept *k, const void *field, struct am_arena *arena,
                        struct am_kvs *settings)
{
    const struct am_number *const number = field;

    if (number->given)
        am_kvs_addf(settings, arena, k->key, "%llu", (unsigned long long)number->value);
}

static void recall_flag(void *field, const char *text)
{
    *(bool *)field = *(bool *)field || strcmp(text, "yes") == 0;
}

static void recall_text(void *field, const char *text)
{
    const char **const value = field;

    if (!*value)
        *value = text;
}

static void recall_number(void *field, const char *text)
{
    struct am_number *const number = field;

    if (!number->given)
        number->given = am_parse_u64(text, strlen(text), &number->value);
}

static const struct {
    void (*keep)(const struct kept *k, const void *field, struct am_arena *arena,
                 struct am_kvs *settings);
    void (*recall)(void *field, const char *text);
} ways[] = {
    [AM_OPTION_FLAG] = {keep_flag, recall_flag},
    [AM_OPTION_TEXT] = {keep_text, recall_text},
    [AM_OPTION_NUMBER] = {keep_number, recall_number},
};

void am_options_keep(const struct am_options *options, struct am_arena *arena,
                     struct am_kvs *settings)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        ways[all[i].kind].keep(&all[i], field_of(options, &all[i]), arena, settings);
    am_options_given(options, arena, AM_STORE_GIVEN, settings);
}

void am_options_given(const struct am_options *options, struct am_arena *arena, const char *prefix,
                      struct am_kvs *out)
{
    for (size_t i = 0; i < options->given.n; i++) {
        const char *const pair = options->given.items[i], *const value = strchr(pair, '=');
        const char *const key =
            value ? am_arena_printf(arena, "%s%.*s", prefix, (int)(value - pair), pair) : NULL;

        if (key)
            am_kvs_add(out, arena, key, value + 1);
    }
}

void am_options_recall(const struct am_kvs *settings, struct am_options *options)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const char *const text = am_kvs_get(settings, all[i].key);

        if (text)
            ways[all[i].kind].recall((char *)options + all[i].offset, text);
    }
}
