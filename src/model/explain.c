/* SPDX-License-Identifier: MIT */
/* Bounds of points: each resource would need its time for the work; the longest is the least that
 * the whole can take, even if all of them work at once. */
#include "model/explain.h"

#include <math.h>
#include <string.h>

static bool text_is(const struct am_result *r, const char *param, const char *value)
{
    const char *const text = am_result_text(r, param);

    return text && strcmp(text, value) == 0;
}

static bool has_threads(const struct am_result *r)
{
    return am_result_text(r, "threads") || am_result_text(r, "cores");
}

/* Points whose work the ceilings say nothing of; NULL when they do. */
static const char *foreign(const struct am_result *r)
{
    static const struct {
        const char *bench, *why;
    } rows[] = {
        {"mem.numa", "reads by all CPUs of a node, which the point does not state"},
        {"mem.loaded", "two kinds of work at once"},
        {"mem.coherence", "a matter of latency, not of rates"},
        {"mem.sharing", "a matter of latency, not of rates"},
        {"mem.pingpong", "a matter of latency, not of rates"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(r->bench, rows[i].bench) == 0)
            return rows[i].why;
    }
    if (am_result_text(r, "device") && r->work.bytes_read + r->work.bytes_written > 0)
        return "memory of another device: only its arithmetic has ceilings";
    if (!am_result_text(r, "device") && !has_threads(r) && strcmp(r->worker, "cpu") != 0)
        return "the point does not state its threads";
    if (text_is(r, "memory", "same"))
        return "threads read the same memory: one fetch serves several";
    return NULL;
}

static const struct am_result_metric *metric_in(const struct am_result *r, const char *unit)
{
    for (size_t i = 0; i < r->n_metrics; i++) {
        if (strcmp(r->metrics[i].unit, unit) == 0)
            return &r->metrics[i];
    }
    return NULL;
}

/* The rate that the work is measured by: of flops where there is one, else of bytes. NULL: none. */
static const struct am_result_metric *rate_of(const struct am_result *r)
{
    const struct am_result_metric *const flops = r->work.flops > 0 ? metric_in(r, "flop/s") : NULL;

    if (flops)
        return flops;
    return r->work.bytes_read + r->work.bytes_written > 0 ? metric_in(r, "B/s") : NULL;
}

static bool has_rates(const struct am_result *r)
{
    return strcmp(r->state, "ok") == 0 && rate_of(r);
}

/* What the metric counts of one iteration. */
static double amount_of(const struct am_explanation *e)
{
    const struct am_work *const w = &e->result->work;

    return strcmp(e->metric->unit, "flop/s") == 0 ? w->flops : w->bytes_read + w->bytes_written;
}

/* Benches that empty the caches before every pass work on memory, whatever their size. */
static bool is_cold(const struct am_result *r)
{
    return strcmp(r->bench, "mem.stanza") == 0;
}

/* Bytes that a point works on: as its axis says, else what one iteration touches, which holds if it
 * touches nothing twice and is on the safe side of the caches otherwise. */
static double working_set(const struct am_result *r)
{
    const double size = am_result_number(r, "size");

    for (size_t i = 0; i < r->n_params; i++) {
        if (strcmp(r->params[i].name, "size") == 0 && r->params[i].kind == AM_AXIS_SIZE)
            return size;
    }
    return r->work.bytes_read + r->work.bytes_written;
}

static const char *kind_words(enum am_ceiling_kind kind)
{
    static const char *const words[AM_CEILING_KINDS] = {
        [AM_CEILING_FLOPS] = "arithmetic",
        [AM_CEILING_READ] = "reads",
        [AM_CEILING_WRITE] = "writes",
        [AM_CEILING_BYTES] = "reads and writes",
    };

    return words[kind];
}

/* "L2 reads", "f64 arithmetic"; how the ceiling differs from the point, where it does: "L1 writes
 * (of avx512; scaled)". */
static const char *resource_of(const struct am_explanation *e, struct am_arena *arena)
{
    const struct am_roof *const roof = &e->roofs[e->limit];
    const struct am_ceiling *const c = roof->ceiling;
    const char *const isa = am_result_text(e->result, "isa");
    const bool other = c->isa && isa && strcmp(c->isa, isa) != 0;
    const char *const text = am_arena_printf(
        arena, "%s %s%s%s%s%s%s", c->kind == AM_CEILING_FLOPS ? c->type : am_tier_title(c->level),
        kind_words(c->kind), other || roof->scaled ? " (" : "", other ? "of " : "",
        other ? c->isa : "", other && roof->scaled ? "; " : "",
        roof->scaled ? "scaled)"
        : other      ? ")"
                     : "");

    return text ? text : kind_words(c->kind);
}

/* Fills roofs and limit; returns the least seconds of one iteration, 0 when nothing bounds it. */
static double least_time(struct am_explanation *e, const struct am_roofline *roofline)
{
    const struct am_work *const w = &e->result->work;
    const double amounts[AM_CEILING_KINDS] = {
        [AM_CEILING_FLOPS] = w->flops,
        [AM_CEILING_READ] = w->bytes_read,
        [AM_CEILING_WRITE] = w->bytes_written,
        [AM_CEILING_BYTES] = w->bytes_read + w->bytes_written,
    };
    double least = 0;

    for (enum am_ceiling_kind k = AM_CEILING_FLOPS; k < AM_CEILING_KINDS; k++) {
        const struct am_roof_query query = {
            .kind = k,
            .level = e->level,
            .type = am_result_type(e->result),
            .isa = am_result_text(e->result, "isa"),
            .threads = am_result_threads(e->result),
            .device = am_result_text(e->result, "device"),
        };
        struct am_roof roof;

        if (!(amounts[k] > 0) || !am_roofline_find(roofline, &query, &roof))
            continue;
        e->roofs[k] = roof;
        if (amounts[k] / roof.rate > least) {
            least = amounts[k] / roof.rate;
            e->limit = k;
        }
    }
    return least;
}

/* Work of both kinds is bounded only when both ceilings are known. */
static const char *lacking(const struct am_explanation *e)
{
    const struct am_work *const w = &e->result->work;

    if (w->flops > 0 && !e->roofs[AM_CEILING_FLOPS].ceiling)
        return "no ceiling of its arithmetic was measured: run cpu.flops (ocl.arith for devices) in the same run";
    if (w->bytes_read + w->bytes_written > 0 && !e->roofs[AM_CEILING_BYTES].ceiling)
        return "no ceiling of its level of memory was measured: run mem.bandwidth in the same run";
    return NULL;
}

static void explain_point(struct am_explanation *e, const struct am_roofline *roofline,
                          struct am_arena *arena)
{
    const struct am_result *const r = e->result;
    const double bytes = r->work.bytes_read + r->work.bytes_written, set = working_set(r);
    const double threads = am_result_threads(r);
    double least;

    e->intensity = r->work.flops > 0 && bytes > 0 ? r->work.flops / bytes : NAN;
    e->level = bytes > 0 ? am_tiers_fastest(&roofline->levels, set, threads) : AM_TIER_COUNT;
    if (e->level < AM_TIER_COUNT && is_cold(r))
        e->level = AM_TIER_MEMORY;
    e->between =
        bytes > 0 && !is_cold(r) && am_tiers_of(&roofline->levels, set, threads) != e->level;
    least = least_time(e, roofline);
    e->why_not = lacking(e);
    if (e->why_not)
        return;
    e->bound = amount_of(e) / least;
    e->share = e->measured.median / e->bound;
    e->above = e->share > 1 && e->measured.ci.lo > e->bound;
    e->resource = resource_of(e, arena);
}

void am_explain(const struct am_result_set *set, const struct am_facts *facts,
                const struct am_roofline *roofline, struct am_arena *arena,
                struct am_explanations *out)
{
    *out = (struct am_explanations){
        .items = am_arena_array(arena, set->n + 1, sizeof(*out->items)),
    };
    for (size_t i = 0; out->items && i < set->n; i++) {
        const struct am_result *const r = &set->results[i];
        struct am_explanation *const e = &out->items[out->n];

        if (!has_rates(r))
            continue;
        *e = (struct am_explanation){
            .result = r, .metric = rate_of(r), .why_not = foreign(r), .level = AM_TIER_COUNT};
        if (!am_summarise(&e->metric->series, &e->measured))
            continue;
        if (!e->why_not)
            explain_point(e, roofline, arena);
        if (!e->why_not)
            e->next = am_explain_next(e, facts, roofline, arena);
        out->above += e->above;
        out->unexplained += e->why_not != NULL;
        out->n++;
    }
}
