/* SPDX-License-Identifier: MIT */
/* The report of a run as a document of sections: how quiet it was and how far it can be trusted,
 * the machine in short, comparisons, the machine in full, nodes, figures by section, facts,
 * findings, bounds, every result, the method. */
#ifndef AM_DOCUMENT_PAGE_H
#define AM_DOCUMENT_PAGE_H

#include "document/comparison.h"
#include "document/document.h"
#include "document/figure/figure.h"
#include "document/model.h"
#include "model/explain.h"
#include "model/nodes.h"

struct am_known_machines; /* document/known.h */

struct am_page {
    /* given */
    const struct am_result_set *sets; /* the first is shown, the others are compared with it */
    size_t n;
    struct am_compare_settings compare;
    const char *command;                   /* that makes this page, as typed */
    const struct am_known_machines *known; /* among which the machine is placed; NULL: none */
    struct am_arena *arena;
    /* learned from them */
    struct am_facts facts;
    struct am_guidelines guidelines;
    struct am_roofline roofline;
    struct am_explanations explanations;
    struct am_figure_source source; /* of the figures, which refer to it */
    struct am_figures figures;
    struct am_node_study nodes;             /* of merged files */
    struct am_comparison_view *comparisons; /* n - 1: of sets[1 + i] with the first */
};

/* Asks for all knowledge that the page shows. */
enum am_status am_page_learn(struct am_page *page, struct am_err *err);
/* The same page gives the same bytes. */
struct am_document am_document_page(const struct am_page *page);

/* ---- its sections that are no parts of other documents ---- */

/* How far a run can be trusted, in a word and a sentence (quality.c). */
void am_quality_verdict(struct am_body *b, const struct am_result_set *set);
/* How quiet the run was and what that means, in one line; `precision` is what most of the figures
 * above it are good to, NAN when nothing says. */
void am_quality_sentence(struct am_body *b, const struct am_result_set *set, double precision);
/* How it was measured, what went wrong, and how to do it again (method.c). */
void am_method_section(struct am_body *b, const struct am_result_set *set);
void am_reproduce_section(struct am_body *b, const struct am_result_set *set, const char *command);

#endif
