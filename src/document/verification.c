/* SPDX-License-Identifier: MIT */
/* The checks of verify as one table, and a file's seals in a sentence. */
#include "document/verification.h"

static const char *const seal_states[] = {
    [AM_SEAL_UNCHECKED] = "not checked", [AM_SEAL_NONE] = "not sealed",
    [AM_SEAL_PARTLY] = "sealed in part", [AM_SEAL_HOLDS] = "holds",
    [AM_SEAL_BROKEN] = "broken",
};

const char *am_seal_sentence(const struct am_seal *seal, struct am_arena *arena)
{
    const char *text = NULL;

    if (seal->state == AM_SEAL_HOLDS)
        text = am_arena_printf(arena, "every launch is sealed, and the seals hold; digest %s",
                               seal->digest);
    else if (seal->state == AM_SEAL_PARTLY && seal->story)
        text = am_arena_printf(arena, "%s; the seals hold; digest %s", seal->story, seal->digest);
    else if (seal->state == AM_SEAL_PARTLY)
        text = am_arena_printf(arena,
                               "%zu of %zu launches were stored before there were seals; the "
                               "seals of the others hold; digest %s",
                               seal->unsealed, seal->sealed + seal->unsealed, seal->digest);
    else if (seal->state == AM_SEAL_BROKEN)
        text = am_arena_printf(arena, "the file is not as it was written: %s",
                               seal->story ? seal->story : "");
    return text ? text : "not sealed: stored by a version that had no seals";
}

void am_data_seal(struct am_data *d, const struct am_seal *seal)
{
    if (seal->state == AM_SEAL_UNCHECKED)
        return;
    am_data_object(d, "seal");
    am_data_text(d, "state", seal_states[seal->state]);
    am_data_text(d, "digest", *seal->digest ? seal->digest : NULL);
    am_data_unsigned(d, "sealed", seal->sealed);
    am_data_unsigned(d, "unsealed", seal->unsealed);
    am_data_text(d, "story", seal->story);
    am_data_object_end(d);
}

static enum am_tone tone_of(enum am_check_state state)
{
    static const enum am_tone tones[AM_CHECK_STATES] = {
        [AM_CHECK_HOLDS] = AM_TONE_GOOD,
        [AM_CHECK_OPEN] = AM_TONE_WARN,
        [AM_CHECK_BROKEN] = AM_TONE_BAD,
    };

    return tones[state];
}

static void blocks(struct am_body *b, const void *self)
{
    static const struct am_column columns[] = {
        {.title = "check", .key = "check"},
        {.title = "result", .key = "result"},
        {.title = "of what", .key = "story", .flow = true},
    };
    const struct am_verification *const v = self;
    struct am_table *const t = am_block_table(b, columns, sizeof(columns) / sizeof(columns[0]));

    for (size_t i = 0; i < AM_CHECK_KINDS; i++) {
        const struct am_file_check *const c = &v->checks[i];

        am_table_row(t);
        (void)am_table_text(t, c->name);
        am_table_text(t, am_check_states[c->state])->tone = tone_of(c->state);
        (void)am_table_text(t, c->story);
    }
    (void)am_block_add(b, AM_BLOCK_GAP, NULL, NULL);
    (void)am_block_addf(b, AM_BLOCK_PARAGRAPH, NULL, "%s: %s", v->file ? v->file : "",
                        !v->holds ? "do not trust it" : am_seal_sentence(&v->seal, b->arena));
}

static void data(struct am_data *d, const void *self)
{
    const struct am_verification *const v = self;

    am_data_text(d, "file", v->file);
    am_data_bool(d, "holds", v->holds);
    am_data_array(d, "checks");
    for (size_t i = 0; i < AM_CHECK_KINDS; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "check", v->checks[i].name);
        am_data_text(d, "result", am_check_states[v->checks[i].state]);
        am_data_text(d, "story", v->checks[i].story);
        am_data_object_end(d);
    }
    am_data_array_end(d);
    am_data_seal(d, &v->seal);
}

struct am_document am_document_verification(const struct am_verification *verification)
{
    return (struct am_document){.self = verification, .blocks = blocks, .data = data};
}
