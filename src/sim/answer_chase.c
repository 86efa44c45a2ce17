/* SPDX-License-Identifier: MIT */
/* Chases of pointers on a simulated machine: mem.latency and what else walks from load to load. */
#include "sim/hierarchy.h"

#include <math.h>
#include <string.h>

enum { WINDOW_PAGES = 64 }; /* of the local order: one translation serves its whole window */

/* A walk by the launch's first CPU. */
static struct am_sim_walk walk_of(const struct am_sim_question *q, struct am_sim_answer *a,
                                  double bytes)
{
    struct am_sim_team team;

    am_sim_team_first(q, 1, &team);
    a->hz = am_sim_ghz(team.cpus[0], NULL, &team) * 1e9;
    return (struct am_sim_walk){
        .cpu = team.cpus[0],
        .ghz = a->hz * 1e-9,
        .bytes = bytes,
        .span = bytes,
        .translated = 1,
        .huge = am_sim_is_huge(am_sim_machine_of(q), am_sim_name(q, "pages", "any"), bytes),
    };
}

static double page_of(const struct am_sim_machine *m, const struct am_sim_walk *w)
{
    return (double)(w->huge ? m->memory.huge : m->memory.page);
}

static double line_of(const struct am_sim_question *q)
{
    return (double)am_sim_machine_of(q)->caches[0].line;
}

/* Time of an ascending walk: within a line the first cache answers, and steps that the prefetcher
 * follows see a part of the latency. */
static double ascending_ns(const struct am_sim_question *q, struct am_sim_walk w, double stride,
                           bool fetched)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const double line = line_of(q), fresh = fmin(1, stride / line);
    const double first = am_sim_first_ns(q->launch, w.cpu, w.ghz);
    double ns;

    w.bytes = stride > line ? w.span * line / stride : w.span;
    w.span = fmin(w.span, w.span / stride * page_of(m, &w));
    w.translated = fmin(1, stride / (double)m->memory.page);
    ns = am_sim_load_ns(q->launch, &w);
    if (fetched && m->prefetch.streams && stride <= (double)m->prefetch.stride)
        ns = first + (ns - first) * (1 - m->prefetch.hides);
    return first + (fmax(ns, first) - first) * fresh;
}

/* Two neighbours `stride` apart, then two others anywhere. */
static double pair_ns(const struct am_sim_question *q, struct am_sim_walk w, double stride)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const double line = line_of(q), first = am_sim_first_ns(q->launch, w.cpu, w.ghz);
    const double far = am_sim_load_ns(q->launch, &w);
    double second;

    w.translated = stride / (double)m->memory.page;
    second = am_sim_load_ns(q->launch, &w);
    if (stride < line)
        second = first;
    else if (m->prefetch.pairs && stride < 2 * line)
        second = first + (second - first) * (1 - m->prefetch.hides);
    return (far + second) / 2;
}

/* One line of each page. */
static double page_ns(const struct am_sim_question *q, struct am_sim_walk w)
{
    w.bytes = w.span / 4096 * line_of(q);
    return am_sim_load_ns(q->launch, &w);
}

static double pattern_ns(const struct am_sim_question *q, struct am_sim_walk w, double stride)
{
    const char *const pattern = am_sim_name(q, "pattern", "random");

    if (strcmp(pattern, "local") == 0)
        w.translated = 1.0 / WINDOW_PAGES;
    if (strcmp(pattern, "page") == 0)
        return page_ns(q, w);
    if (strcmp(pattern, "stride") == 0)
        return ascending_ns(q, w, stride, true);
    if (strcmp(pattern, "pair") == 0)
        return pair_ns(q, w, stride);
    return am_sim_load_ns(q->launch, &w);
}

/* Several chains overlap up to what a core keeps under way, and never beyond its ports. */
static void fill(struct am_sim_answer *a, const struct am_sim_question *q, double ns, double chains)
{
    const struct am_sim_memory *const y = &am_sim_machine_of(q)->memory;
    const double beside = fmin(chains, y->parallel);
    const double each = fmax(ns / beside, 0.5e9 / a->hz);

    a->work.ops = chains;
    a->work.bytes_read = 8 * chains;
    a->seconds = each * chains * 1e-9;
}

static enum am_status answer_latency(const struct am_sim_question *q, struct am_sim_answer *a,
                                     struct am_err *err)
{
    const struct am_sim_walk w = walk_of(q, a, (double)am_sim_int(q, "size", 4096));
    const double stride = (double)am_sim_int(q, "stride", 64);
    const double chains = (double)am_sim_int(q, "chains", 1);

    if (stride < 8 || chains < 1 || w.span / stride < chains)
        return am_fail(err, AM_E_ABSENT, "%g cells of %g bytes cannot be chased by %g chains",
                       w.span / fmax(stride, 1), stride, chains);
    fill(a, q, pattern_ns(q, w, stride), chains);
    return AM_OK;
}

static enum am_status answer_line(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    const struct am_sim_walk w = walk_of(q, a, (double)am_sim_int(q, "size", 4096));

    (void)err;
    fill(a, q, pair_ns(q, w, (double)am_sim_int(q, "stride", 64)), 1);
    return AM_OK;
}

static enum am_status answer_stride(const struct am_sim_question *q, struct am_sim_answer *a,
                                    struct am_err *err)
{
    const struct am_sim_walk w = walk_of(q, a, (double)am_sim_int(q, "size", 4096));
    const double stride = (double)am_sim_int(q, "stride", 64);

    if (stride < 8 || stride > w.span)
        return am_fail(err, AM_E_ABSENT, "stride %g does not fit into the set", stride);
    fill(a, q, ascending_ns(q, w, stride, !am_sim_is(q, "hwprefetch", "off")), 1);
    return AM_OK;
}

static enum am_status answer_tlb(const struct am_sim_question *q, struct am_sim_answer *a,
                                 struct am_err *err)
{
    const struct am_sim_walk w = walk_of(q, a, (double)am_sim_int(q, "size", 4096));

    (void)err;
    fill(a, q, page_ns(q, w), 1);
    return AM_OK;
}

/* Cells `stride` apart meet in few sets: each cache holds as many as its ways there. */
static enum am_status answer_ways(const struct am_sim_question *q, struct am_sim_answer *a,
                                  struct am_err *err)
{
    const struct am_sim_machine *const m = am_sim_machine_of(q);
    const double cells = (double)am_sim_int(q, "cells", 1);
    const double stride = (double)am_sim_int(q, "stride", 65536);
    struct am_sim_walk w = walk_of(q, a, cells * stride);
    double ns = m->memory.latency_ns;

    (void)err;
    for (size_t i = m->n_caches; i-- > 0;) {
        const struct am_sim_cache *const c = &m->caches[i];
        const double way = (double)c->size / (double)c->ways;
        const double room = (double)c->ways * fmax(1, way / stride);

        if (am_sim_cache_serves(c, w.cpu) && cells <= room)
            ns = c->cycles / w.ghz + c->ns;
    }
    w.span = fmin(w.span, cells * page_of(m, &w)); /* a page per cell at most */
    fill(a, q, ns + am_sim_translate_ns(q->launch, &w), 1);
    return AM_OK;
}

const struct am_sim_answerer am_sim_chase_answers[] = {
    {"mem.latency", answer_latency},
    {"mem.parallel", answer_latency},
    {"mem.line", answer_line},
    {"mem.stride", answer_stride},
    {"mem.tlb", answer_tlb},
    {"mem.ways", answer_ways},
    {NULL, NULL},
};
