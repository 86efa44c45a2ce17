/* SPDX-License-Identifier: MIT */
/* Families applied to a run: rules to facts, facts to guidelines, points to what bounds them. */
#include "family/family.h"

#include "base/text.h"
#include "family/families.h"
#include "family/opencl/opencl.h"
#include "family/parts.h"
#include "family/roles.h"

#include <assert.h>
#include <string.h>

/* In the order in which they are applied and shown. */
const struct am_family *const am_families[] = {
    &am_family_core,      /* cpu.* */
    &am_family_memory,    /* mem.*: caches and memory */
    &am_family_coherence, /* mem.*: lines between cores */
    &am_family_openmp,    /* omp.* */
    &am_family_opencl,    /* ocl.* */
    &am_family_tasks,     /* task.overhead, app.blackscholes, app.fft, app.gemm, app.hetero */
    &am_family_stencil,   /* app.stencil */
    &am_family_leukocyte, /* app.leukocyte */
    &am_family_energy,    /* any bench with energy, meter.stability */
    &am_family_network,   /* mpi.* */
    &am_family_programs,  /* exec.*: programs that are not ours */
    &am_family_claims,    /* what the system and devices claim, beside facts of all others */
    NULL,
};

const char *const am_sections[] = {
    "Memory",  "Cores",  "Between cores",          "OpenMP",
    "Devices", "Tasks",  "Applications",           "Finite differences",
    "Tuning",  "Energy", "Messages between ranks", NULL,
};

const struct am_family *am_family_find(const char *name)
{
    for (size_t i = 0; am_families[i]; i++) {
        if (strcmp(am_families[i]->name, name) == 0)
            return am_families[i];
    }
    return NULL;
}

const struct am_fact *am_headline_fact(const struct am_headline *h, const struct am_facts *facts)
{
    return h->least ? am_facts_least(facts, h->fact, h->where)
                    : am_facts_most(facts, h->fact, h->where);
}

/* ---- facts ---- */

const struct am_pick *am_fact_only(const struct am_deriving *d, const char *name,
                                   const struct am_picks *picks)
{
    const char *several = NULL;
    const struct am_pick *const pick = am_picks_only(picks, &several);
    const struct am_picks sound = am_picks_sound(picks);

    if (several && strcmp(am_picks_varying(picks, NULL), "isa") == 0)
        return am_picks_best(&sound); /* several ways to do the same: the fastest stands for it */
    if (several)
        am_facts_remark(d->facts,
                        "%s.%s is not concluded: several results where one was wanted (%s %s); "
                        "measure one of them, or look at archmeter show",
                        d->facts->family, name, picks->items[0].result->bench, several);
    return pick;
}

static void apply_to_group(const struct am_fact_rule *rule, const char *labels,
                           const struct am_picks *picks, const struct am_deriving *d)
{
    const struct am_picks sound = am_picks_sound(picks);
    const struct am_pick *const pick =
        rule->reduce == AM_REDUCE_BEST ? am_picks_best(&sound) : am_fact_only(d, rule->name, picks);
    struct am_fact fact;

    if (!pick)
        return;
    fact = am_fact_of(pick, d->arena);
    fact.name = rule->name;
    fact.what = rule->what;
    fact.kind = rule->kind;
    if (rule->factor)
        am_fact_scale(&fact, rule->factor(pick->result));
    am_fact_label_axes(&fact, pick->result, labels);
    if (rule->most)
        am_fact_label_axes(&fact, pick->result, rule->most);
    am_facts_offer(d->facts, fact);
}

const char *am_labels_also(const struct am_picks *picks, const char *labels, const char *also)
{
    for (const char *p = also; labels && *p; p += *p == ',') {
        const size_t len = strcspn(p, ",");
        const char *const axis = am_arena_strndup(picks->arena, p, len);

        if (axis && am_picks_group(picks, axis).n > 1)
            labels = am_arena_printf(picks->arena, "%s%s%s", labels, *labels ? "," : "", axis);
        p += len;
    }
    return labels ? labels : "";
}

static void apply_rule(const struct am_fact_rule *rule, const struct am_deriving *d)
{
    struct am_picks picks;
    struct am_groups groups;
    const char *labels;

    d->facts->names = rule->name;
    if (rule->derive) {
        rule->derive(d);
        return;
    }
    picks = am_select(d->set, &rule->from, d->arena);
    labels = am_labels_also(&picks, rule->labels ? rule->labels : "", rule->also ? rule->also : "");
    groups = am_picks_group(&picks, labels);
    for (size_t i = 0; i < groups.n; i++) {
        const struct am_picks *const part = &groups.items[i].picks;
        const struct am_picks most = rule->most ? am_picks_extreme(part, rule->most, false) : *part;

        apply_to_group(rule, labels, &most, d);
    }
}

static void derive(const struct am_family *family, const struct am_deriving *d)
{
    d->facts->family = family->name;
    for (const struct am_fact_rule *rule = family->facts; rule && rule->name; rule++)
        apply_rule(rule, d);
    d->facts->names = NULL;
}

void am_family_derive(const struct am_family *family, const struct am_result_set *set,
                      struct am_facts *facts)
{
    const struct am_deriving d = {set, facts, facts->arena, set};

    derive(family, &d);
}

/* All families on the results of one place. */
static void derive_place(const struct am_result_set *set, const char *place, struct am_facts *facts)
{
    const struct am_result_set part = am_part_of(set, place, facts->arena);
    const struct am_deriving d = {&part, facts, facts->arena, set};

    facts->on = place;
    for (size_t i = 0; am_families[i]; i++)
        derive(am_families[i], &d);
    facts->on = NULL;
}

void am_families_derive(const struct am_result_set *set, struct am_arena *arena,
                        struct am_facts *facts)
{
    const char *const *const places = am_parts_list(set, arena);

    *facts = (struct am_facts){.arena = arena};
    derive_place(set, NULL, facts);
    for (size_t i = 0; places && places[i]; i++)
        derive_place(set, places[i], facts);
}

/* ---- guidelines ---- */

static size_t count_rules(void)
{
    size_t n = 0;

    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_guideline_rule *r = am_families[i]->guidelines; r && r->id; r++)
            n++;
    }
    return n;
}

/* Advice compares results of different moments. Where others were at work in some of them, what
 * differs may be theirs: it is told, and not decided. */
static void doubt(struct am_guideline *line, struct am_arena *arena)
{
    static const char opening[] = "Not decided";

    if ((line->grading.reasons & 1u << AM_REASON_BUSY) &&
        strncmp(line->text, opening, strlen(opening)) != 0)
        line->text =
            am_arena_printf(arena, "%s, since others were busy meanwhile: %s", opening, line->text);
}

struct am_guidelines am_families_guide(const struct am_facts *facts, struct am_arena *arena)
{
    struct am_guidelines out = {
        .items = am_arena_array(arena, count_rules() + 1, sizeof(struct am_guideline))};

    for (size_t i = 0; out.items && am_families[i]; i++) {
        for (const struct am_guideline_rule *r = am_families[i]->guidelines; r && r->id; r++) {
            struct am_guideline line = {0};

            if (!r->say(facts, arena, &line) || !line.text || !line.evidence || !line.command)
                continue;
            line.id = r->id;
            doubt(&line, arena);
            if (line.text)
                out.items[out.n++] = line;
        }
    }
    return out;
}

/* ---- bounds ---- */

const struct am_bound_row *am_families_bound(const struct am_result *result)
{
    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_bound_row *row = am_families[i]->bounds; row && row->bench; row++) {
            if (am_glob_match(row->bench, result->bench) &&
                am_where_matches(row->where, result->params, result->n_params))
                return row;
        }
    }
    return NULL;
}

bool am_families_executed(const struct am_result *result, struct am_pick *out)
{
    const struct am_bound_row *const row = am_families_bound(result);
    const char *const name = row && !am_result_device(result) ? row->executed : NULL;

    *out =
        (struct am_pick){.result = result, .metric = name ? am_result_metric(result, name) : NULL};
    return out->metric != NULL;
}

const char *am_families_space(const struct am_placing *placing)
{
    const struct am_bound_row *const row = am_families_bound(placing->result);

    return row && row->space ? row->space(placing) : am_opencl_space(placing);
}

/* Benches with types of their own are for those that applications do not name: bytes, half
 * precision. */
static bool may_bound(const struct am_bound_row *row, const struct am_result *result)
{
    return row->device == (am_result_device(result) != NULL) &&
           !(row->type && am_result_type(result));
}

const char *am_families_benches(enum am_bound_role role, const struct am_result *result,
                                struct am_arena *arena)
{
    const char *list = "";

    for (size_t i = 0; list && am_families[i]; i++) {
        for (const struct am_bound_row *row = am_families[i]->bounds; row && row->bench; row++) {
            if (list && row->role == role && may_bound(row, result))
                list = am_arena_printf(arena, "%s%s%s", list, *list ? ", " : "", row->bench);
        }
    }
    return list ? list : "";
}

static const char *first_of(am_try_fn *const *tries, const struct am_trying *trying)
{
    const char *text = NULL;

    for (size_t i = 0; tries && tries[i] && !text; i++)
        text = tries[i](trying);
    return text;
}

const char *am_families_try(const struct am_trying *trying)
{
    const char *text = NULL;

    for (size_t i = 0; am_families[i] && !text; i++)
        text = first_of(am_families[i]->tries, trying);
    return text;
}

size_t am_families_analyse(const struct am_analysing *analysing, struct am_analysis *out)
{
    size_t n = 0;

    for (size_t i = 0; am_families[i] && n < AM_ANALYSES_MAX; i++) {
        out[n] = (struct am_analysis){0};
        n += am_families[i]->analyse && am_families[i]->analyse(analysing, &out[n]);
    }
    return n;
}

/* ---- headlines ---- */

size_t am_families_headlines(const struct am_headline **out)
{
    size_t n = 0;

    for (size_t i = 0; am_families[i]; i++) {
        for (const struct am_headline *h = am_families[i]->headlines; h && h->title; h++) {
            size_t k = n;

            assert(n < AM_HEADLINES_MAX);
            for (; k > 0 && out[k - 1]->rank > h->rank; k--)
                out[k] = out[k - 1];
            out[k] = h;
            n++;
        }
    }
    return n;
}
