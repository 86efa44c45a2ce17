/* SPDX-License-Identifier: MIT */
/* A study for programs. */
#include "document/study/study_data.h"

#include "document/run.h"

#include <math.h>

static const char *const answers[] = {
    [AM_ANSWER_HOLDS] = "holds", [AM_ANSWER_DENIED] = "denied", [AM_ANSWER_OPEN] = "open"};

static void data_row(struct am_data *d, const struct am_comparison_row *row,
                     const struct am_claim_row *own)
{
    const struct am_ratio r = am_study_ratio(row);

    am_data_object(d, NULL);
    am_data_text(d, "bench", row->b->bench);
    am_data_text(d, "point", row->b->text);
    am_data_text(d, "metric", row->metric_b->name);
    if (row->constant > 0) {
        am_data_number(d, "against_number", row->constant);
    } else {
        am_data_text(d, "against_bench", row->a->bench);
        am_data_text(d, "against", row->a->text);
    }
    am_data_number(d, "ratio", r.ratio);
    am_data_range(d, "interval", r.lo, r.hi);
    am_data_number(d, "p", row->p);
    am_data_object(d, "grading");
    am_data_grading(d, am_grading_worse(row->metric_a->grading, row->metric_b->grading));
    am_data_object_end(d);
    am_data_unsigned(d, "launches", row->n_b);
    am_data_number(d, "allowed", own->allowance > 0 ? exp(own->allowance) : NAN);
    am_data_text(d, "answer", answers[own->answer]);
    am_data_text(d, "why", own->why);
    am_data_object_end(d);
}

static void data_question(struct am_data *d, const struct am_judged_study *s,
                          const struct am_claim_question *q)
{
    am_data_object(d, NULL);
    am_data_text(d, "that", q->that->text);
    am_data_text(d, "answer", answers[q->answer]);
    am_data_text(d, "why", q->why);
    am_data_array(d, "rows");
    for (size_t k = q->first; k < q->first + q->n; k++)
        data_row(d, &s->comparison.rows[k], &s->rows[k]);
    am_data_array_end(d);
    am_data_object_end(d);
}

/* Whether the run supports why a claim is contradicted. */
static void data_reason(struct am_data *d, const struct am_judged_study *s, size_t i)
{
    const struct am_judged_claim *const reason = &s->reasons[i];
    const bool asked = reason->claim && s->claims[i].outcome == AM_CLAIM_CONTRADICTED;

    am_data_text(d, "because_is", asked ? am_claim_supports[reason->outcome] : NULL);
    am_data_array(d, "because_questions");
    for (size_t q = 0; asked && q < reason->n; q++)
        data_question(d, s, &reason->questions[q]);
    am_data_array_end(d);
}

static void data_claims(struct am_data *d, const struct am_study_view *view)
{
    am_data_array(d, "claims");
    for (size_t i = 0; i < view->study->n_claims; i++) {
        const struct am_judged_claim *const c = &view->judged->claims[i];

        am_data_object(d, NULL);
        am_data_text(d, "claim", c->claim->name);
        am_data_text(d, "says", c->claim->says);
        am_data_text(d, "section", c->claim->section);
        am_data_text(d, "outcome", am_claim_outcomes[c->outcome]);
        am_data_text(d, "why", c->why);
        am_data_text(d, "because", c->outcome == AM_CLAIM_CONTRADICTED ? c->claim->because : NULL);
        data_reason(d, view->judged, i);
        am_data_unsigned(d, "passed_over", c->skipped);
        am_data_array(d, "questions");
        for (size_t q = 0; q < c->n; q++)
            data_question(d, view->judged, &c->questions[q]);
        am_data_array_end(d);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void data_table(struct am_data *d, const struct am_query_table *q)
{
    am_data_array(d, "rows");
    for (size_t r = 0; r < q->n_rows; r++) {
        am_data_object(d, NULL);
        for (size_t i = 0; i < q->n_columns; i++) {
            const struct am_cell *const cell = &q->cells[r * q->n_columns + i];

            if (cell->kind == AM_CELL_INT)
                am_data_integer(d, q->columns[i], cell->i);
            else if (cell->kind == AM_CELL_REAL)
                am_data_number(d, q->columns[i], cell->r);
            else
                am_data_text(d, q->columns[i], cell->kind == AM_CELL_TEXT ? cell->text : NULL);
        }
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void data_number(struct am_data *d, const struct am_study_number *number,
                        const struct am_study_beside *beside)
{
    const struct am_result_metric *const m = beside->pick ? beside->pick->metric : NULL;

    am_data_object(d, NULL);
    am_data_text(d, "what", number->what);
    am_data_number(d, "there", number->si);
    am_data_text(d, "unit", number->si_unit);
    am_data_number(d, "here", m ? m->summary.median : NAN);
    am_data_text(d, "here_unit", m ? m->unit : NULL);
    am_data_text(d, "point", m ? beside->pick->result->text : NULL);
    am_data_text(d, "why", beside->why);
    am_data_object_end(d);
}

static void data_items(struct am_data *d, const struct am_study_view *view)
{
    am_data_array(d, "items");
    for (size_t i = 0; i < view->study->n_items; i++) {
        const struct am_study_made *const made = &view->made[i];

        am_data_object(d, NULL);
        am_data_text(d, "kind", am_study_kinds[made->item->kind]);
        am_data_text(d, "number", made->item->label);
        am_data_text(d, "caption", made->item->caption);
        am_data_bool(d, "made", !made->why);
        am_data_text(d, "why", made->why);
        data_table(d, &made->table);
        am_data_array(d, "numbers");
        for (size_t k = 0; k < made->item->n_beside; k++)
            data_number(d, &made->item->beside[k], &made->beside[k]);
        am_data_array_end(d);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

static void data_counts(struct am_data *d, const struct am_study_view *view)
{
    static const char *const names[] = {[AM_STUDY_TABLE] = "tables", [AM_STUDY_FIGURE] = "figures"};
    static const char *const outcomes[] = {[AM_CLAIM_REPRODUCED] = "reproduced",
                                           [AM_CLAIM_CONTRADICTED] = "contradicted",
                                           [AM_CLAIM_UNDECIDED] = "undecided"};

    for (size_t k = 0; k < AM_STUDY_KINDS; k++) {
        const struct am_study_counts n = am_study_count(view, (enum am_study_kind)k);

        am_data_object(d, names[k]);
        am_data_unsigned(d, "in_paper", n.all);
        am_data_unsigned(d, "made", n.made);
        am_data_unsigned(d, "not_made_here", n.not_here);
        am_data_unsigned(d, "missing", n.missing);
        am_data_object_end(d);
    }
    am_data_object(d, "outcomes");
    for (size_t i = 0; i < AM_CLAIM_OUTCOMES; i++)
        am_data_unsigned(d, outcomes[i], view->judged->count[i]);
    am_data_object_end(d);
}

static void data_missing(struct am_data *d, const struct am_study *study)
{
    am_data_array(d, "missing");
    for (size_t i = 0; i < study->n_missing; i++) {
        am_data_object(d, NULL);
        am_data_text(d, "kind", am_study_kinds[study->missing[i].kind]);
        am_data_text(d, "number", study->missing[i].label);
        am_data_text(d, "why", study->missing[i].why);
        am_data_object_end(d);
    }
    am_data_array_end(d);
}

void am_study_data(struct am_data *d, const void *self)
{
    const struct am_study_view *const view = self;

    am_data_text(d, "study", view->study->name);
    am_data_text(d, "title", view->study->title);
    am_data_text(d, "source", view->study->source);
    am_data_run(d, "run", view->set);
    data_counts(d, view);
    am_data_number(d, "level", view->judged->level);
    am_data_unsigned(d, "sharing", view->judged->n_judged);
    am_data_unsigned(d, "comparisons", view->judged->comparison.n_judged);
    data_claims(d, view);
    data_items(d, view);
    data_missing(d, view->study);
}
