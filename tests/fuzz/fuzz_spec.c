/* SPDX-License-Identifier: MIT */
/* libFuzzer: experiment files, studies and output files of tables parse or are explained with file
 * and line; what parses has a flat form that says the same. The first byte chooses the kind of
 * file, and the form of a study. */
#include "core/spec/spec.h"
#include "core/spec/study.h"
#include "core/spec/tablespec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct am_symbol symbols[] = {{"cpus", 16}, {"huge", INT64_MAX}, {NULL, 0}};

static void require(int condition)
{
    if (!condition)
        abort();
}

/* An include finds the text again: files that include themselves must end. */
static enum am_status load(void *self, const char *name, const char *from, struct am_arena *arena,
                           struct am_spec_file *out, struct am_err *err)
{
    const struct am_spec_source *const source = self;

    (void)name, (void)from, (void)arena, (void)err;
    *out = (struct am_spec_file){"included", source->text, source->len};
    return AM_OK;
}

static void check_story(const struct am_err *err)
{
    require(err->status != AM_OK && strchr(err->text, ':'));
}

static void check_axes(const struct am_spec *spec, struct am_arena *arena)
{
    for (size_t t = 0; t < spec->n_tests && t < 4; t++) {
        struct am_err err = {0};
        struct am_spec_axes axes;

        if (am_spec_axes_of(spec, t, arena, &axes, &err) != AM_OK) {
            check_story(&err);
            continue;
        }
        for (size_t r = 0; r < spec->n_runs && r < 4; r++) {
            for (size_t i = 0; spec->runs[r].test == t && i < axes.n; i++)
                require(am_spec_run_labels(&axes, i, &spec->runs[r], arena) != NULL);
        }
    }
}

/* The flat form of a study is a study that asks the same. */
static void check_study(const struct am_spec *spec, const struct am_spec *again)
{
    require(!spec->study == !again->study);
    if (!spec->study)
        return;
    require(again->study->n_claims == spec->study->n_claims &&
            again->study->n_items == spec->study->n_items &&
            again->study->n_missing == spec->study->n_missing);
    for (size_t i = 0; i < spec->study->n_claims; i++) {
        const struct am_study_claim *const a = &spec->study->claims[i];
        const struct am_study_claim *const b = &again->study->claims[i];

        require(a->n_thats == b->n_thats && a->share == b->share);
        for (size_t k = 0; k < a->n_thats; k++)
            require(a->thats[k].relation == b->thats[k].relation &&
                    strcmp(a->thats[k].left.where, b->thats[k].left.where) == 0 &&
                    strcmp(a->thats[k].differ, b->thats[k].differ) == 0);
    }
}

static void fuzz_experiment(const char *text, size_t len, bool quick)
{
    struct am_spec_source source = {.file = "f", .folder = "/d", .text = text, .len = len};
    struct am_spec_source flat = {.file = "f", .folder = "/", .load = NULL};
    struct am_arena arena = {0};
    struct am_spec spec, again;
    struct am_err err = {0};

    source.quick = quick;
    source.symbols = symbols;
    source.load = load;
    source.load_self = &source;
    if (am_spec_parse(&source, &arena, &spec, &err) != AM_OK) {
        check_story(&err);
    } else {
        flat.text = spec.flat;
        flat.len = strlen(spec.flat);
        require(am_spec_parse(&flat, &arena, &again, &err) == AM_OK);
        require(strcmp(again.flat, spec.flat) == 0);
        require(again.n_tests == spec.n_tests && again.n_runs == spec.n_runs);
        check_axes(&spec, &arena);
        check_study(&spec, &again);
    }
    am_arena_fini(&arena);
}

static void fuzz_table(const char *text, size_t len)
{
    struct am_arena arena = {0};
    struct am_tablespec spec;
    struct am_err err = {0};

    if (am_tablespec_parse("f", text, len, &arena, &spec, &err) != AM_OK)
        check_story(&err);
    else
        require(spec.n > 0 && spec.files[0].n > 0 && spec.files[0].form < AM_TABLEFORM_COUNT);
    am_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data + (size > 0);
    const size_t len = size ? size - 1 : 0;

    if (size && data[0] % 2)
        fuzz_table(text, len);
    else
        fuzz_experiment(text, len, size && data[0] & 2);
    return 0;
}
