/* SPDX-License-Identifier: MIT */
/* Inside the experiment parser only: the state between two lines, and what its files share. */
#ifndef AM_CORE_SPEC_READER_H
#define AM_CORE_SPEC_READER_H

#include "base/text.h"
#include "core/spec/spec.h"

/* What the lines so far have set: of the test at hand, or for all tests before the first one. */
struct am_spec_state {
    struct am_spec_test test;
    const char *testset, *cpufreq, *argv, *makeflags;
    struct am_strings env;
    struct am_spec_variables vars;
    unsigned reps;
};

/* The line at hand: what its letters were copied from, without the blanks around them. */
struct am_spec_line_text {
    const char *begin;  /* of the line in its file, */
    const char *source; /* of its first letter there, */
    const char *copy;   /* and in the copy that is taken apart */
    size_t len;
};

struct am_study_item;
struct am_study_claim;

struct am_spec_reader {
    const struct am_spec_source *source;
    struct am_arena *arena;
    struct am_spec *out;
    struct am_err *err;
    struct am_spec_place place; /* of the line at hand */
    unsigned depth;             /* of includes */
    size_t bytes;               /* read so far, of all files */
    size_t values;              /* of all axes so far */
    struct am_text flat;
    struct am_spec_state common; /* before the first test */
    struct am_spec_state now;
    bool in_test;
    struct am_strings used; /* variables that templates of the test at hand name */
    struct am_spec_line_text line;
    bool at_begin; /* no key stood yet: the file may become a study */
    /* Of a study: the table, figure or claim whose keys may follow; NULL: none. */
    struct am_study_item *item;
    struct am_study_claim *claim;
};

/* "FILE:LINE: ..." */
enum am_status am_spec_bad(struct am_spec_reader *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
enum am_status am_spec_bad_at(struct am_spec_reader *r, struct am_spec_place place, const char *fmt,
                              ...) __attribute__((format(printf, 3, 4)));
enum am_status am_spec_no_memory(struct am_spec_reader *r);
/* Where a letter of the line's copy stands; in a study with the column. */
struct am_spec_place am_spec_place_of(const struct am_spec_reader *r, const char *at);

/* True for [A-Za-z_][A-Za-z0-9_]*, short enough. */
bool am_spec_is_name(const char *name);

/* Refuses braces that are no variable. */
enum am_status am_spec_check_template(struct am_spec_reader *r, const char *text);
/* What `exec` means under the test's `shell`, checked at a `run`. */
enum am_status am_spec_check_lines(struct am_spec_reader *r);

/* Keys of how a program is executed (spec_execution.c). */
typedef enum am_status am_spec_key_fn(struct am_spec_reader *r, const char *value);
am_spec_key_fn am_spec_key_shell, am_spec_key_prepare, am_spec_key_cleanup, am_spec_key_warmup,
    am_spec_key_codes, am_spec_key_resources, am_spec_key_printed, am_spec_key_beside;

/* One line: a key of the table, or a variable. */
enum am_status am_spec_line(struct am_spec_reader *r, const char *key, const char *value);
/* The i-th key of the table; NULL behind the last. */
const char *am_spec_key(size_t i);
/* Refuses a key that is neither in the table nor a variable, with the nearest name. */
enum am_status am_spec_unknown(struct am_spec_reader *r, struct am_spec_place place,
                               const char *key);

/* Ends the test at hand: it must have a run, and no variable that nothing uses. */
enum am_status am_spec_close_test(struct am_spec_reader *r);
/* `run`: checks that everything it needs is there, and keeps a copy. */
enum am_status am_spec_add_run(struct am_spec_reader *r);

/* `work` and `mark` (spec_marks.c); and whether a test has what does not go with it. */
bool am_spec_has_more(const struct am_spec_test *test);
enum am_status am_spec_key_work(struct am_spec_reader *r, const char *value);
enum am_status am_spec_key_mark(struct am_spec_reader *r, const char *value);
enum am_status am_spec_key_maybe(struct am_spec_reader *r, const char *value);

/* ---- studies (study_keys.c, study_that.c) ---- */

/* A line of a study that no experiment has; *taken is false for all others. */
enum am_status am_study_line(struct am_spec_reader *r, const char *key, const char *value,
                             bool *taken);
/* The i-th key of a study that stands outside of blocks; NULL behind the last. */
const char *am_study_key(size_t i);
/* Everything that a study must have, checked at the end of its text. */
enum am_status am_study_close(struct am_spec_reader *r);

struct am_study_that;
struct am_study_selector;
/* "SELECTOR is greater than SELECTOR" and the like. */
enum am_status am_study_parse_that(struct am_spec_reader *r, const char *text,
                                   struct am_study_that *out);
/* "[best] BENCH[:METRIC] CONDITIONS" */
enum am_status am_study_parse_selector(struct am_spec_reader *r, const char *text,
                                       struct am_study_selector *out);
/* Conditions alone, with the numbers of this machine. */
enum am_status am_study_parse_where(struct am_spec_reader *r, const char *text, const char **out);
/* "50%" or "0.5", above 0 and at most `most`. */
bool am_study_parse_percent(const char *text, double *out);
/* The story of a wrong word at `at`: "...; did you mean "near"?" where a name is near. */
enum am_status am_study_bad_word(struct am_spec_reader *r, const char *at, const char *story,
                                 const char *word, const char *const *names, size_t n);

/* The variable of that name, made where there is none yet. */
enum am_status am_spec_variable_of(struct am_spec_reader *r, const char *name,
                                   struct am_spec_variable **out);
struct am_spec_variable *am_spec_find_variable(const struct am_spec_variables *vars,
                                               const char *name);

/* Copies, so that later lines do not reach into what is kept. */
bool am_spec_copy_list(struct am_strings *list, struct am_arena *arena);
bool am_spec_copy_variables(struct am_spec_variables *vars, struct am_arena *arena);

/* Reads a file's text line by line; `include` calls it again. */
enum am_status am_spec_read(struct am_spec_reader *r, const struct am_spec_file *file);

#endif
