/* SPDX-License-Identifier: MIT */
/* The rule of grades: one measure per reason, one table of limits. */
#include "core/stats/grade.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

const char *const am_grade_names[] = {"A", "B", "C"};

#define WORD(id, word, phrase) [id] = word,
#define PHRASE(id, word, phrase) [id] = phrase,
const char *const am_reason_words[] = {AM_REASON_MAP(WORD)};
const char *const am_reason_phrases[] = {AM_REASON_MAP(PHRASE)};

const struct am_grade_row am_grade_rows[] = {
    [AM_REASON_LAUNCHES] = {AM_REASON_LAUNCHES, 0, 3,
                            "launches missing from five, the fewest whose interval covers 90 %"},
    [AM_REASON_WIDE] = {AM_REASON_WIDE, 0.05, 0.5, "half-width of the interval over the median"},
    [AM_REASON_DISTURBED] = {AM_REASON_DISTURBED, 0.2, 0.5, "share of disturbed samples"},
    [AM_REASON_BUSY] = {AM_REASON_BUSY, 0.2, 0.5,
                        "share of launches during which others were busy"},
    [AM_REASON_MODES] = {AM_REASON_MODES, 0, 1, "1 when the values have two modes"},
    [AM_REASON_ZERO] = {AM_REASON_ZERO, 0, 0.5, "1 when the interval includes zero"},
    [AM_REASON_CLOCK] = {AM_REASON_CLOCK, 0.2, 1, "share of samples with a drifting clock"},
    [AM_REASON_UNVERIFIED] = {AM_REASON_UNVERIFIED, 1, 1, "1 when nothing was compared"},
    [AM_REASON_STANDARD] = {AM_REASON_STANDARD, 0, 0,
                            "of cycles: standards whose interval leaves out the known value"},
};

/* ---- measures ---- */

enum { LAUNCHES_FULL = 5 };

static double launches_missing(const struct am_grade_input *in)
{
    const size_t n = in->summary->launches;

    return n < LAUNCHES_FULL ? (double)(LAUNCHES_FULL - n) : 0;
}

static double half_width(const struct am_grade_input *in)
{
    const struct am_summary *const s = in->summary;

    return fabs(s->median) > 0 ? (s->ci.hi - s->ci.lo) / 2 / fabs(s->median) : 0;
}

static double disturbed_share(const struct am_grade_input *in)
{
    const struct am_summary *const s = in->summary;

    return s->taken ? (double)s->labelled / (double)s->taken : 0;
}

static double busy_share(const struct am_grade_input *in)
{
    const struct am_summary *const s = in->summary;

    return s->launches ? (double)s->busy / (double)s->launches : 0;
}

static double two_modes(const struct am_grade_input *in)
{
    return in->summary->bimodal;
}

static double includes_zero(const struct am_grade_input *in)
{
    const struct am_summary *const s = in->summary;

    return s->ci.hi > s->ci.lo && s->ci.lo <= 0 && s->ci.hi >= 0;
}

static double drift_share(const struct am_grade_input *in)
{
    return in->all_samples ? (double)in->drifted / (double)in->all_samples : 0;
}

static double unverified(const struct am_grade_input *in)
{
    return !in->verified;
}

static double standards_missed(const struct am_grade_input *in)
{
    return (double)in->missed;
}

double am_grade_measure(enum am_reason reason, const struct am_grade_input *input)
{
    static double (*const measures[AM_REASONS])(const struct am_grade_input *) = {
        [AM_REASON_LAUNCHES] = launches_missing, [AM_REASON_WIDE] = half_width,
        [AM_REASON_DISTURBED] = disturbed_share, [AM_REASON_BUSY] = busy_share,
        [AM_REASON_MODES] = two_modes,           [AM_REASON_ZERO] = includes_zero,
        [AM_REASON_CLOCK] = drift_share,         [AM_REASON_UNVERIFIED] = unverified,
        [AM_REASON_STANDARD] = standards_missed,
    };

    return measures[reason](input);
}

struct am_grading am_grade(const struct am_grade_input *input)
{
    struct am_grading g = {AM_GRADE_A, 0};

    for (int i = 0; i < AM_REASONS; i++) {
        const double measure = am_grade_measure((enum am_reason)i, input);
        const enum am_grade grade = measure <= am_grade_rows[i].a   ? AM_GRADE_A
                                    : measure <= am_grade_rows[i].b ? AM_GRADE_B
                                                                    : AM_GRADE_C;

        if (grade != AM_GRADE_A)
            g = am_grading_worse(g, (struct am_grading){grade, UINT32_C(1) << i});
    }
    return g;
}

struct am_grading am_grading_worse(struct am_grading a, struct am_grading b)
{
    return (struct am_grading){a.grade > b.grade ? a.grade : b.grade, a.reasons | b.reasons};
}

const char *am_grading_text(struct am_grading g, char *buf, size_t cap)
{
    buf[0] = '\0';
    for (int i = 0; i < AM_REASONS; i++) {
        const size_t used = strlen(buf);

        if (g.reasons & UINT32_C(1) << i)
            (void)am_str_format(buf + used, cap - used, "%s%s", used ? ", " : "",
                                am_reason_phrases[i]);
    }
    return buf;
}
