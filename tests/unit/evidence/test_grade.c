/* SPDX-License-Identifier: MIT */
/* Grades: each reason alone, at its limits and beyond them. */
#include "core/stats/grade.h"
#include "tap.h"

/* Five launches of which nothing can be said but good. */
static const struct am_summary good = {
    .median = 10, .ci = {9.9, 10.1, 0.9375}, .launches = 5, .samples = 25};

static void test_table(void)
{
    for (int i = 0; i < AM_REASONS; i++) {
        const struct am_grade_row *const row = &am_grade_rows[i];

        ok((int)row->reason == i && row->a <= row->b && row->measure,
           "the row of \"%s\" is its own, and its limits rise", am_reason_words[i]);
    }
}

static void test_good(void)
{
    const struct am_grading g =
        am_grade(&(struct am_grade_input){.summary = &good, .all_samples = 25, .verified = true});
    char text[128];

    ok(g.grade == AM_GRADE_A && g.reasons == 0, "a quiet, narrow, verified summary is A");
    is_str(am_grading_text(g, text, sizeof(text)), "", "which needs no reason");
}

/* One reason at a time. */
static const struct {
    const char *what;
    struct am_summary s;
    size_t samples, drifted;
    bool unverified;
    enum am_reason reason;
    enum am_grade grade;
} cases[] = {
    {"three launches",
     {.median = 10, .ci = {9.9, 10.1, 0.75}, .launches = 3},
     9,
     0,
     false,
     AM_REASON_LAUNCHES,
     AM_GRADE_B},
    {"one launch",
     {.median = 10, .ci = {10, 10, 0}, .launches = 1},
     5,
     0,
     false,
     AM_REASON_LAUNCHES,
     AM_GRADE_C},
    {"an interval of a fifth",
     {.median = 10, .ci = {8, 12, 0.94}, .launches = 5},
     25,
     0,
     false,
     AM_REASON_WIDE,
     AM_GRADE_B},
    {"an interval from 1 to 30",
     {.median = 10, .ci = {1, 30, 0.94}, .launches = 5},
     25,
     0,
     false,
     AM_REASON_WIDE,
     AM_GRADE_C},
    {"half of the samples disturbed",
     {.median = 10, .ci = {9.9, 10.1, 0.94}, .launches = 5, .taken = 25, .labelled = 12},
     25,
     0,
     false,
     AM_REASON_DISTURBED,
     AM_GRADE_B},
    {"all samples disturbed",
     {.median = 10, .ci = {9.9, 10.1, 0.94}, .launches = 5, .taken = 25, .labelled = 25},
     25,
     0,
     false,
     AM_REASON_DISTURBED,
     AM_GRADE_C},
    {"others busy in two of five launches",
     {.median = 10, .ci = {9.9, 10.1, 0.94}, .launches = 5, .busy = 2},
     25,
     0,
     false,
     AM_REASON_BUSY,
     AM_GRADE_B},
    {"others busy in four of five",
     {.median = 10, .ci = {9.9, 10.1, 0.94}, .launches = 5, .busy = 4},
     25,
     0,
     false,
     AM_REASON_BUSY,
     AM_GRADE_C},
    {"two modes",
     {.median = 10, .ci = {9.9, 10.1, 0.94}, .launches = 5, .bimodal = true},
     25,
     0,
     false,
     AM_REASON_MODES,
     AM_GRADE_B},
    {"a difference that may be nothing",
     {.median = 0.1, .ci = {-0.01, 0.1, 0.94}, .launches = 5},
     25,
     0,
     false,
     AM_REASON_ZERO,
     AM_GRADE_C},
    {"a drifting clock",
     {.median = 10, .ci = {9.9, 10.1, 0.94}, .launches = 5},
     25,
     12,
     false,
     AM_REASON_CLOCK,
     AM_GRADE_B},
};

static void test_reasons(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct am_grading g =
            am_grade(&(struct am_grade_input){.summary = &cases[i].s,
                                              .all_samples = cases[i].samples,
                                              .drifted = cases[i].drifted,
                                              .verified = !cases[i].unverified});

        ok(g.grade == cases[i].grade && (g.reasons & UINT32_C(1) << cases[i].reason),
           "%s is %s for \"%s\" (got %s)", cases[i].what, am_grade_names[cases[i].grade],
           am_reason_phrases[cases[i].reason], am_grade_names[g.grade]);
    }
}

static void test_worse(void)
{
    const struct am_grading a = {AM_GRADE_A, 0}, b = {AM_GRADE_B, 1}, c = {AM_GRADE_C, 4};
    const struct am_grading all = am_grading_worse(am_grading_worse(a, c), b);
    char text[128];

    ok(all.grade == AM_GRADE_C && all.reasons == 5, "a conclusion has the worst, and all reasons");
    is_str(am_grading_text(all, text, sizeof(text)),
           "too few launches, many samples were disturbed", "in words");
}

int main(void)
{
    test_table();
    test_good();
    test_reasons();
    test_worse();
    return tap_done();
}
