/* SPDX-License-Identifier: MIT */
/* Verdicts by the change against the margin, Holm over the rows, ranks that agree. */
#include "model/verdict.h"

#include "core/stats/summary.h"
#include "evidence/evidence.h"
#include "model/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *am_verdict_name(enum am_verdict verdict)
{
#define WORD(id, word, direction) [id] = word,
    static const char *const names[AM_VERDICT_COUNT] = {AM_VERDICT_MAP(WORD)};
#undef WORD

    return (unsigned)verdict < AM_VERDICT_COUNT ? names[verdict] : "unknown";
}

int am_verdict_direction(enum am_verdict verdict)
{
#define DIRECTION(id, word, direction) [id] = direction,
    static const int directions[AM_VERDICT_COUNT] = {AM_VERDICT_MAP(DIRECTION)};
#undef DIRECTION

    return (unsigned)verdict < AM_VERDICT_COUNT ? directions[verdict] : 0;
}

const char *am_basis_text(enum am_basis basis)
{
#define WORDS(id, words, decides) [id] = words,
    static const char *const texts[AM_BASIS_COUNT] = {AM_BASIS_MAP(WORDS)};
#undef WORDS

    return (unsigned)basis < AM_BASIS_COUNT ? texts[basis] : "unknown";
}

static bool decides(enum am_basis basis)
{
#define DECIDES(id, words, decides) [id] = decides,
    static const bool answers[AM_BASIS_COUNT] = {AM_BASIS_MAP(DECIDES)};
#undef DECIDES

    return (unsigned)basis < AM_BASIS_COUNT && answers[basis];
}

/* ln(largest / smallest) of launches that lie in two groups, else 0; sorts them. */
static double mode_span(double *medians, size_t n, double delta)
{
    am_stats_sort(medians, n);
    return am_stats_bimodal(medians, n, delta) && medians[0] > 0 ? log(medians[n - 1] / medians[0])
                                                                 : 0;
}

/* What is shown of a change as measured, and then the change turned so that above zero is slower.
 */
static void show_change(struct am_comparison_row *row, struct am_change c)
{
    const bool lower = row->metric_a->better == AM_LOWER;

    row->ratio = (struct am_ratio){exp(c.d), exp(c.lo), exp(c.hi), 0.95};
    row->speedup = lower ? exp(-c.d) : exp(c.d);
    if (!lower) {
        const double lo = c.lo;

        c.d = -c.d;
        c.lo = -c.hi;
        c.hi = -lo;
    }
    row->change = c;
    row->p = c.p;
}

/* What A counts as, in place of its launches. */
static void turn_a(const struct am_comparison_row *row, double *medians)
{
    for (size_t i = 0; i < row->n_a; i++) {
        medians[i] = row->constant > 0 ? row->constant : medians[i];
        medians[i] *= row->times > 0 ? row->times : 1;
    }
}

enum am_status am_row_measure(struct am_comparison_row *row, double delta, struct am_err *err)
{
    const struct am_series *sa = &row->metric_a->series, *sb = &row->metric_b->series;
    double *medians = calloc(sa->n + sb->n + 1, sizeof(*medians));
    struct am_change c;

    if (!medians)
        return am_fail(err, AM_E_NOMEM, "no memory to compare launches");
    delta = row->delta > 0 ? row->delta : delta;
    row->n_a = am_series_medians(sa, medians);
    row->n_b = am_series_medians(sb, medians + row->n_a);
    turn_a(row, medians);
    /* a number has no launches of its own: each of B's is held against it */
    c = row->constant > 0 ? am_change_paired(medians, medians + row->n_a, row->n_b, delta)
                          : am_change_of(medians, row->n_a, medians + row->n_a, row->n_b, delta);
    row->mode_span =
        fmax(mode_span(medians, row->n_a, delta), mode_span(medians + row->n_a, row->n_b, delta));
    free(medians);
    show_change(row, c);
    return AM_OK;
}

/* ---- launches of one round ---- */

/* The launch of the round; NULL: the side has none. */
static const struct am_launch_values *of_round(const struct am_series *s, unsigned round)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->launches[i].round == round)
            return &s->launches[i];
    }
    return NULL;
}

/* Room for pairs, and for the samples of one launch. */
struct paired {
    double *a, *b, *scratch;
    bool quiet; /* those alone of which neither was disturbed */
};

/* Medians of both sides by the rounds that both have; returns how many. */
static size_t pair_up(const struct am_series *a, const struct am_series *b,
                      const struct paired *out)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        const struct am_launch_values *const other = of_round(b, a->launches[i].round);

        if (!other || !a->launches[i].n || !other->n ||
            (out->quiet && (am_launch_disturbed(&a->launches[i]) || am_launch_disturbed(other))))
            continue;
        out->a[n] = am_launch_median(&a->launches[i], out->scratch);
        out->b[n++] = am_launch_median(other, out->scratch);
    }
    return n;
}

/* By pairs of launches; by all of them where most have no partner. */
static enum am_status measure_pairs(struct am_comparison_row *row, double delta, struct am_err *err)
{
    const struct am_series *const sa = &row->metric_a->series, *const sb = &row->metric_b->series;
    const size_t least = sa->n < sb->n ? sa->n : sb->n;
    double *const room =
        calloc(2 * sa->n + am_series_most(sa) + am_series_most(sb) + 1, sizeof(*room));
    struct paired pairs = {.quiet = true};
    size_t n;

    if (!room)
        return am_fail(err, AM_E_NOMEM, "no memory to compare launches");
    pairs.a = room;
    pairs.b = room + sa->n;
    pairs.scratch = room + 2 * sa->n;
    n = pair_up(sa, sb, &pairs);
    pairs.quiet = n >= AM_QUIET_LAUNCHES;
    if (!pairs.quiet)
        n = pair_up(sa, sb, &pairs);
    if (n >= AM_CHANGE_LEAST && (pairs.quiet || 2 * n > least)) {
        row->n_a = row->n_b = n;
        show_change(row, am_change_paired(pairs.a, pairs.b, n, delta));
        free(room);
        return AM_OK;
    }
    free(room);
    return am_row_measure(row, delta, err);
}

/* What was in the way of a number of grade C may have met one side more than the other: turns
 * share out what comes and goes, not what a program itself meets beside a busy neighbour. */
static bool is_doubtful(const struct am_comparison_row *row)
{
    return row->metric_a->grading.grade == AM_GRADE_C || row->metric_b->grading.grade == AM_GRADE_C;
}

/* What the row rests on. Adds what earlier runs differ by, where enough of them have the row. */
static void add_record(struct am_comparison_row *row, const struct am_compare_settings *settings)
{
    const double turn = row->metric_a->better == AM_LOWER ? 1 : -1;
    struct am_change c = row->change;
    double spread;

    row->basis = settings->graded && is_doubtful(row) ? AM_BASIS_DOUBTFUL : settings->basis;
    if (settings->basis != AM_BASIS_ONE_RUN || !settings->record)
        return;
    spread = am_record_spread(settings->record, row->a, row->metric_a->name, &row->runs);
    if (isnan(spread))
        return;
    row->basis = AM_BASIS_RECORD;
    c.d *= turn; /* as measured again */
    am_change_add_runs(&c, spread, row->runs);
    show_change(row, c);
}

/* Launches in two modes are parted by chance, one side's in the one and the other's in the other,
 * with at most 2 x 2^-(n_a + n_b) per row. Such a row looks like any that changed, but the others
 * of its kind show both modes: where they are so many that one of them may well be parted, ranks
 * that can go no further prove nothing about a change as small as such modes lie apart. Half of
 * alpha is left to what is tested. */
static bool modes_mislead(const struct am_comparison_row *row, const struct am_comparison *c,
                          double alpha)
{
    return fabs(row->change.d) <= c->mode_span &&
           (double)c->two_modes * ldexp(2, -(int)(row->n_a + row->n_b)) > alpha / 2;
}

/* Ranks agree: as far beyond doubt as a row among all must be, or as far as so few launches can. */
static bool ranks_agree(const struct am_comparison_row *row, const struct am_comparison *c,
                        double share, double alpha)
{
    const double p = row->change.p_rank * (1 - 1e-9);

    if (p <= share)
        return true;
    return p <= row->change.least_rank && !modes_mislead(row, c, alpha);
}

int am_row_beyond(const struct am_comparison_row *row, const struct am_comparison *all,
                  double share, double alpha)
{
    const struct am_change *const c = &row->change;

    if (isnan(c->p) || row->slight || !(fabs(c->d) > c->margin) || c->p > share ||
        !ranks_agree(row, all, share, alpha))
        return 0;
    return c->d > 0 ? 1 : -1;
}

enum am_verdict am_verdict_of(const struct am_change *c, double p, bool agrees, enum am_basis basis,
                              double level)
{
    const double alpha = 1 - level;
    const bool sure = decides(basis);

    if (isnan(c->p))
        return AM_VERDICT_UNDECIDED;
    if (fabs(c->d) > c->margin && c->p <= alpha) {
        if (p > alpha || !agrees)
            return AM_VERDICT_SUSPECT;
        if (c->d > 0)
            return sure ? AM_VERDICT_SLOWER : AM_VERDICT_MAYBE_SLOWER;
        return sure ? AM_VERDICT_FASTER : AM_VERDICT_MAYBE_FASTER;
    }
    return c->p_same <= alpha ? AM_VERDICT_SAME : AM_VERDICT_UNDECIDED;
}

/* What is left of two times whose reference was taken off may be near zero, where ratios mean
 * nothing: such a change is held against the times themselves. NAN: it is no such row. */
static double room_of(const struct am_comparison_row *row, double delta)
{
    const struct am_result_metric *const a = am_result_base(row->a, row->metric_a);
    const struct am_result_metric *const b = am_result_base(row->b, row->metric_b);

    if (a == row->metric_a || b == row->metric_b || !a->has_summary || !b->has_summary ||
        strcmp(a->unit, row->metric_a->unit) != 0)
        return NAN;
    return delta * fmin(a->summary.median, b->summary.median);
}

static enum am_verdict judge(struct am_comparison_row *row,
                             const struct am_compare_settings *settings,
                             const struct am_comparison *all)
{
    const double alpha = 1 - settings->level;
    const bool agrees = ranks_agree(row, all, alpha / (double)all->n_judged, alpha);
    const struct am_summary *const a = &row->metric_a->summary, *const b = &row->metric_b->summary;
    const double room = room_of(row, settings->delta);

    row->slight = !(row->constant > 0) &&
                  fabs(b->median - (row->times > 0 ? row->times : 1) * a->median) <= room;
    if (row->slight)
        return a->ci.hi - b->ci.lo <= room && b->ci.hi - a->ci.lo <= room ? AM_VERDICT_SAME
                                                                          : AM_VERDICT_UNDECIDED;
    return am_verdict_of(&row->change, row->p, agrees, row->basis, settings->level);
}

void am_verdicts_count(struct am_comparison *out)
{
    out->slower_suspects = 0;
    memset(out->count, 0, sizeof(out->count));
    for (size_t i = 0; i < out->n; i++) {
        struct am_comparison_row *row = &out->rows[i];

        row->launches_needed = 0;
        if (row->verdict == AM_VERDICT_SUSPECT || row->verdict == AM_VERDICT_UNDECIDED)
            row->launches_needed = am_change_needs(&row->change, row->n_a, row->n_b, out->n_judged);
        row->seen = am_change_seen(&row->change, out->n_judged);
        out->count[row->verdict]++;
        out->slower_suspects += row->verdict == AM_VERDICT_SUSPECT && row->change.d > 0;
    }
}

enum am_status am_verdicts_judge(const struct am_compare_settings *settings,
                                 struct am_comparison *out, struct am_err *err)
{
    double *p = calloc(out->n + 1, sizeof(*p));
    enum am_status status = AM_OK;

    if (!p)
        return am_fail(err, AM_E_NOMEM, "no memory to compare");
    for (size_t i = 0; i < out->n && status == AM_OK; i++) {
        status = settings->paired ? measure_pairs(&out->rows[i], settings->delta, err)
                                  : am_row_measure(&out->rows[i], settings->delta, err);
        if (status == AM_OK)
            add_record(&out->rows[i], settings);
        p[i] = out->rows[i].p;
        out->n_judged += !isnan(p[i]);
        out->two_modes += out->rows[i].mode_span > 0;
        out->mode_span = fmax(out->mode_span, out->rows[i].mode_span);
    }
    if (!settings->unadjusted)
        am_stats_holm(p, out->n);
    for (size_t i = 0; i < out->n; i++)
        out->rows[i].p = p[i];
    free(p);
    if (status != AM_OK)
        return status;
    for (size_t i = 0; i < out->n; i++)
        out->rows[i].verdict = judge(&out->rows[i], settings, out);
    am_verdicts_count(out);
    return AM_OK;
}
