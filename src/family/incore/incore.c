/* SPDX-License-Identifier: MIT */
/* From classes and mixes to resources with names. */
#include "family/incore/incore.h"

#include "base/array.h"
#include "base/text.h"
#include "family/core.h"

#include <math.h>
#include <string.h>

enum {
    STARTS = 3,       /* of the fit */
    KINDS_MIN = 4,    /* fewer say nothing of what they share */
    FORMS_MANY = 200, /* from here on forms have their like */
    PARTS_MAX = 16,   /* classes in a mix, the loop's own instruction included */
    NAMES_IN_ONE = 4, /* anchors that a resource's name holds */
};
static const uint64_t fit_seed = 24;
/* A class is bounded by a resource that it keeps busy for this share of its time alone. */
static const double bounded = 0.93;
/* Of many forms, classes that are more than this share of them are none: the measurements scatter.
 */
static const double kinds_most = 0.6;
/* Evidence of which more than this is left out concludes nothing. */
static const double dropped_most = 0.5;

#define ROLE(role, legacy, other, arm, what) #role,
static const char *const roles[AM_MIX_ANCHORS] = {AM_MIX_ANCHOR_MAP(ROLE)};
#undef ROLE

#define MIX_NAME(i) "mix_" #i,
static const char *const mix_names[AM_MIX_SET] = {AM_MIX_SET_MAP(MIX_NAME)};
#undef MIX_NAME

const char am_incore_needs[] = "cpu.ports cpu.mix cpu.chain cpu.loop";

/* ---- mixes ---- */

struct counted {
    struct am_resources_use uses[PARTS_MAX];
    size_t n;
};

static void count(struct counted *c, size_t kind, double n)
{
    size_t i = 0;

    while (i < c->n && c->uses[i].kind != kind)
        i++;
    if (i == PARTS_MAX)
        return;
    c->uses[i].kind = kind;
    c->uses[i].n += n;
    c->n += i == c->n;
}

/* The loop's decrement and jump, one integer operation per pass, shared by the copies. */
static void count_loop(const struct am_incore *core, struct counted *c, size_t instructions)
{
    const size_t alu = core->anchors[AM_MIX_alu][1];

    count(c, core->forms[alu].kind, 1 / (double)am_mix_copies(instructions));
}

static bool add_mix(struct am_incore *core, struct am_arena *arena, const struct counted *c,
                    double cycles)
{
    struct am_resources_mix *const mix =
        AM_ARRAY_ADD(arena, core->mixes, core->n_mixes, core->cap_mixes);
    struct am_resources_use *const uses = am_arena_array(arena, c->n, sizeof(*uses));

    if (!mix || !uses)
        return false;
    memcpy(uses, c->uses, c->n * sizeof(*uses));
    *mix = (struct am_resources_mix){.uses = uses, .n = c->n, .cycles = cycles};
    return true;
}

/* The median over a class's forms of what `cell` names; NAN without any. */
struct cell_place {
    bool alone;
    size_t counts, anchor, way;
};

static double class_cell(const struct am_incore *core, size_t kind, const struct cell_place *place,
                         double *scratch)
{
    size_t n = 0;

    for (size_t i = 0; i < core->n_forms; i++) {
        const struct am_incore_form *const f = &core->forms[i];
        const double value =
            place->alone ? f->alone.value : f->with[place->counts][place->anchor].value;

        if (f->kind == kind && (place->alone || f->legacy == (place->way == 0)) && !isnan(value))
            scratch[n++] = value;
    }
    am_stats_sort(scratch, n);
    return n ? am_stats_median(scratch, n) : NAN;
}

/* A class beside each anchor, in each of the counts. */
static bool add_beside(struct am_incore *core, struct am_arena *arena, size_t kind, size_t way,
                       double *scratch)
{
    for (size_t i = 0; i < core->n_counts; i++) {
        for (size_t k = 0; k < AM_MIX_ANCHORS; k++) {
            const struct cell_place place = {.counts = i, .anchor = k, .way = way};
            const double cycles = class_cell(core, kind, &place, scratch);
            const size_t anchor = core->anchors[k][way];
            struct counted c = {.n = 0};

            if (isnan(cycles) || anchor == core->n_forms)
                continue;
            count(&c, kind, core->counts[i].form);
            count(&c, core->forms[anchor].kind, core->counts[i].anchor);
            count_loop(core, &c, core->counts[i].form + core->counts[i].anchor);
            if (!add_mix(core, arena, &c, cycles))
                return false;
        }
    }
    return true;
}

static bool add_classes(struct am_incore *core, struct am_arena *arena, double *scratch)
{
    for (size_t kind = 0; kind < core->n_kinds; kind++) {
        const struct cell_place alone = {.alone = true};
        const double cycles = class_cell(core, kind, &alone, scratch);
        struct counted c = {.n = 0};

        count(&c, kind, 1);
        count_loop(core, &c, 1);
        core->kinds[kind].alone = cycles;
        if (!add_mix(core, arena, &c, cycles) || !add_beside(core, arena, kind, 0, scratch) ||
            !add_beside(core, arena, kind, 1, scratch))
            return false;
    }
    return true;
}

/* ---- random mixes ---- */

/* The next of "2*add_r64 1*imul_r64" and how many; NULL when it was not measured, or is none. */
static struct am_incore_form *next_form(const struct am_incore *core, const char **at, uint64_t *n)
{
    const size_t len = strcspn(*at, " "), star = strcspn(*at, "*");
    const char *const text = *at;
    char name[64];

    *at += len;
    *at += strspn(*at, " ");
    if (star >= len || !am_parse_u64(text, star, n) || *n == 0 || *n > AM_MIX_TARGET ||
        !am_str_format(name, sizeof(name), "%.*s", (int)(len - star - 1), text + star + 1))
        return NULL;
    for (size_t i = 0; i < core->n_forms; i++) {
        if (strcmp(core->forms[i].name, name) == 0)
            return &core->forms[i];
    }
    return NULL;
}

/* False when a form of it was not measured. */
static bool parse_forms(const struct am_incore *core, const char *text, struct counted *c,
                        size_t *instructions)
{
    *instructions = 0;
    for (const char *at = text; *at;) {
        uint64_t n;
        const struct am_incore_form *const form = next_form(core, &at, &n);

        if (!form || form->kind == SIZE_MAX)
            return false;
        count(c, form->kind, (double)n);
        *instructions += n;
    }
    return c->n > 0;
}

static bool is_test(const struct am_result *result)
{
    return fabs(remainder(am_result_number(result, "set"), AM_MIX_HELD)) < 0.5;
}

static bool is_mix(const struct am_result *result)
{
    return result->state == AM_POINT_OK && strcmp(result->bench, "cpu.mix") == 0;
}

/* In how many mixes that are to be fitted each form stands. */
static void count_mixes(const struct am_result_set *set, const struct am_incore *core)
{
    for (size_t i = 0; i < set->n; i++) {
        const struct am_result *const r = &set->results[i];

        for (size_t k = 0; is_mix(r) && !is_test(r) && k < AM_MIX_SET; k++) {
            const char *const forms = am_kvs_get(&r->chosen, mix_names[k]);
            uint64_t n;

            for (const char *at = forms ? forms : ""; *at;) {
                struct am_incore_form *const form = next_form(core, &at, &n);

                if (form)
                    form->mixes++;
            }
        }
    }
}

struct held {
    struct am_resources_mix *items;
    size_t n, cap;
};

static bool hold_back(struct held *held, struct am_arena *arena, const struct counted *c,
                      double cycles)
{
    struct am_resources_mix *const mix = AM_ARRAY_ADD(arena, held->items, held->n, held->cap);
    struct am_resources_use *const uses = am_arena_array(arena, c->n, sizeof(*uses));

    if (!mix || !uses)
        return false;
    memcpy(uses, c->uses, c->n * sizeof(*uses));
    *mix = (struct am_resources_mix){.uses = uses, .n = c->n, .cycles = cycles};
    return true;
}

static bool add_random(struct am_incore *core, struct am_arena *arena,
                       const struct am_result *result, struct held *held)
{
    for (size_t i = 0; i < AM_MIX_SET; i++) {
        const struct am_incore_cell cell = am_incore_read_cell(core, result, mix_names[i]);
        const char *const forms = am_kvs_get(&result->chosen, mix_names[i]);
        struct counted c = {.n = 0};
        size_t instructions;

        if (isnan(cell.value) || !forms || !parse_forms(core, forms, &c, &instructions))
            continue;
        count_loop(core, &c, instructions);
        if (is_test(result) ? !hold_back(held, arena, &c, cell.value)
                            : !add_mix(core, arena, &c, cell.value))
            return false;
    }
    return true;
}

static bool is_wide_kind(const struct am_incore *core, size_t kind)
{
    return am_incore_is_wide(core->kinds[kind].name);
}

static bool is_wide(const struct am_incore *core, const struct am_resources_mix *mix)
{
    for (size_t i = 0; i < mix->n; i++) {
        if (is_wide_kind(core, mix->uses[i].kind))
            return true;
    }
    return false;
}

static void judge_held(struct am_incore *core, const struct held *held)
{
    double sum = 0, squares = 0, wide = 0, n;

    for (size_t i = 0; i < held->n; i++) {
        const struct am_resources_mix *const mix = &held->items[i];
        const double e =
            fabs(am_resources_cycles(&core->model, mix->uses, mix->n, NULL) / mix->cycles - 1);

        if (is_wide(core, mix)) {
            wide += e;
            core->wide++;
            continue;
        }
        sum += e;
        squares += e * e;
        core->held++;
    }
    n = (double)core->held;
    core->wide_error = core->wide ? wide / (double)core->wide : NAN;
    core->held_error = core->held ? sum / n : NAN;
    core->held_half =
        core->held > 1 ? 1.96 * sqrt(fmax(squares / n - sum / n * (sum / n), 0) / (n - 1)) : NAN;
}

double am_incore_error(const struct am_incore *core, bool wide)
{
    if (wide && isfinite(core->wide_error))
        return core->wide_error;
    return isfinite(core->held_error) ? core->held_error : core->model.error;
}

/* ---- names ---- */

static bool is_bounded(const struct am_incore *core, size_t kind, size_t r)
{
    return am_resources_weight(&core->model, kind, r)->value >= bounded * core->kinds[kind].alone;
}

static void add_name(struct am_text *text, size_t *named, const char *name)
{
    if (*named < NAMES_IN_ONE)
        am_text_addf(text, "%s%s", *named ? "+" : "", name);
    else if (*named == NAMES_IN_ONE)
        am_text_add(text, "+more");
    ++*named;
}

/* The anchors whose time alone is that of the resource; where there is none, the class that keeps
 * it busy most. */
static double share_of(const struct am_incore *core, size_t kind, size_t r)
{
    return am_resources_weight(&core->model, kind, r)->value / core->kinds[kind].alone;
}

/* The class of an anchor; n_kinds: it was not measured. */
static size_t anchor_kind(const struct am_incore *core, size_t k)
{
    const size_t form =
        core->anchors[k][1] < core->n_forms ? core->anchors[k][1] : core->anchors[k][0];

    return form < core->n_forms ? core->forms[form].kind : core->n_kinds;
}

/* A resource that bounds no anchor alone is one that several share: "fadd-or-shift", by the two
 * that take most of it; by a class only where no anchor takes much. */
static void add_users(const struct am_incore *core, size_t r, struct am_text *text)
{
    static const double much = 0.3;
    size_t used[AM_MIX_ANCHORS], n = 0, most = 0;

    for (size_t k = 0; k < AM_MIX_ANCHORS; k++) {
        size_t at = n;

        if (anchor_kind(core, k) == core->n_kinds || share_of(core, anchor_kind(core, k), r) < much)
            continue;
        for (; at > 0 && share_of(core, anchor_kind(core, k), r) >
                             share_of(core, anchor_kind(core, used[at - 1]), r);
             at--)
            used[at] = used[at - 1];
        used[at] = k;
        n++;
    }
    for (size_t c = 0; c < core->n_kinds; c++)
        most = share_of(core, c, r) > share_of(core, most, r) ? c : most;
    if (n >= 2)
        am_text_addf(text, "%s-or-%s", roles[used[0]], roles[used[1]]);
    else
        am_text_addf(text, "%s%s", n ? "part-of-" : "",
                     n ? roles[used[0]] : core->kinds[most].name);
}

static const char *name_resource(const struct am_incore *core, size_t r, struct am_arena *arena)
{
    struct am_text text = {.data = NULL};
    size_t named = 0;
    const char *name;

    if (r == 0)
        return "front";
    am_text_init(&text, 256);
    for (size_t k = 0; k < AM_MIX_ANCHORS; k++) {
        if (anchor_kind(core, k) < core->n_kinds && is_bounded(core, anchor_kind(core, k), r))
            add_name(&text, &named, roles[k]);
    }
    if (named == 0)
        add_users(core, r, &text);
    name = am_arena_strdup(arena, am_text_str(&text));
    am_text_fini(&text);
    return name;
}

static bool name_resources(struct am_incore *core, struct am_arena *arena)
{
    core->resources = am_arena_array(arena, core->model.resources, sizeof(*core->resources));
    for (size_t r = 0; core->resources && r < core->model.resources; r++) {
        const char *const name = name_resource(core, r, arena);
        size_t same = 1;

        for (size_t q = 0; name && q < r; q++)
            same += strcmp(core->resources[q], name) == 0 ||
                    (strncmp(core->resources[q], name, strlen(name)) == 0 &&
                     core->resources[q][strlen(name)] == '.');
        core->resources[r] = name && same > 1 ? am_arena_printf(arena, "%s.%zu", name, same) : name;
        if (!core->resources[r])
            return false;
    }
    return core->resources != NULL;
}

/* ---- all of it ---- */

static const char *what_is_missing(const struct am_incore *core, struct am_arena *arena)
{
    if ((double)core->dropped > dropped_most * (double)core->measured)
        return am_arena_printf(
            arena,
            "%zu of %zu mixes have fewer than three launches, are not verified, or have a least "
            "that no second launch confirms: measure with --launches 5 or more",
            core->dropped, core->measured);
    if (core->anchors[AM_MIX_alu][1] == core->n_forms)
        return "the anchor add_r64 was not measured among the forms";
    if (core->anchors[AM_MIX_slot][1] == core->n_forms)
        return "the anchor xor_r32_zero was not measured among the forms";
    return NULL;
}

/* Cycles of a class's instructions beside the zero of 512 bits, which takes a slot and no more. NAN
 * where nothing was measured, or where the slots of both take as long: then it is not known. */
static double alone_beside_wide(const struct am_incore *core, size_t kind, double slot,
                                double *scratch)
{
    static const double clearly = 1.05;
    double most = NAN;

    for (size_t i = 0; i < core->n_counts; i++) {
        const struct am_incore_counts *const n = &core->counts[i];
        const struct cell_place place = {.counts = i, .anchor = AM_MIX_wide, .way = 1};
        const double cycles = class_cell(core, kind, &place, scratch);

        if (n->form > n->anchor && cycles > clearly * slot * (n->form + n->anchor))
            most = fmax(cycles / n->form, isnan(most) ? 0 : most);
    }
    return most;
}

/* What the fit knows of classes. */
struct classes {
    double *alone, *alone_wide;
    bool *wide;
};

static bool describe(struct am_incore *core, struct am_arena *arena, double *scratch,
                     struct classes *out)
{
    const size_t slot = core->forms[core->anchors[AM_MIX_slot][1]].kind;
    const size_t alu = core->forms[core->anchors[AM_MIX_alu][1]].kind;
    const double loop = 1 + 1 / (double)am_mix_copies(1);

    *out = (struct classes){am_arena_array(arena, core->n_kinds, sizeof(*out->alone)),
                            am_arena_array(arena, core->n_kinds, sizeof(*out->alone_wide)),
                            am_arena_array(arena, core->n_kinds, sizeof(*out->wide))};
    if (!out->alone || !out->alone_wide || !out->wide)
        return false;
    core->kinds[slot].alone /= loop;
    if (alu != slot)
        core->kinds[alu].alone /= loop;
    for (size_t c = 0; c < core->n_kinds; c++) {
        out->alone[c] = core->kinds[c].alone;
        out->wide[c] = is_wide_kind(core, c);
        out->alone_wide[c] =
            out->wide[c] ? NAN : alone_beside_wide(core, c, core->kinds[slot].alone, scratch);
    }
    return true;
}

/* The core with the other model and its names. */
static bool add_beside_wide(struct am_incore *core, struct am_arena *arena)
{
    struct am_incore *wide;

    if (!core->model.beside_wide)
        return true;
    wide = am_arena_alloc(arena, sizeof(*wide));
    if (!wide)
        return false;
    *wide = *core;
    wide->model = *core->model.beside_wide;
    core->beside_wide = wide;
    return name_resources(wide, arena);
}

const struct am_incore *am_incore_beside(const struct am_incore *core, bool wide)
{
    return wide && core->beside_wide ? core->beside_wide : core;
}

static bool fit(struct am_incore *core, struct am_arena *arena, double *scratch)
{
    struct classes classes;
    struct am_resources_input input = {.kinds = core->n_kinds,
                                       .slot = core->forms[core->anchors[AM_MIX_slot][1]].kind,
                                       .mixes = core->mixes,
                                       .n = core->n_mixes,
                                       .noise = AM_INCORE_STEADY /
                                                2, /* half an interval is two deviations */
                                       .seed = fit_seed,
                                       .starts = STARTS};

    if (!describe(core, arena, scratch, &classes))
        return false;
    input.alone = classes.alone;
    input.alone_wide = classes.alone_wide;
    input.wide = classes.wide;
    return am_resources_fit_ports(&input, arena, &core->model) && name_resources(core, arena) &&
           add_beside_wide(core, arena);
}

bool am_incore_infer(const struct am_result_set *set, struct am_arena *arena, struct am_incore *out,
                     const char **why_not)
{
    struct held held = {.items = NULL};
    struct am_core_turns turns;
    double *scratch;

    *out = (struct am_incore){.held_error = NAN, .wide_error = NAN};
    *why_not = NULL;
    if (!am_incore_set_aside(set, arena, out) || !am_incore_read(set, arena, out) ||
        !am_incore_read_ways(set, arena, out) || out->n_forms == 0)
        return false;
    out->window = am_core_window(set, arena);
    out->waiting = am_core_waiting(set, arena);
    turns = am_core_turns(set, arena);
    out->turns = turns.units;
    out->addressing = turns.addressing;
    out->places = turns.places;
    am_incore_read_schedulers(out, arena);
    *why_not = what_is_missing(out, arena);
    scratch = am_arena_array(arena, out->n_forms, sizeof(*scratch));
    count_mixes(set, out);
    if (*why_not || !scratch || !am_incore_group(out, arena))
        return false;
    if (out->n_kinds < KINDS_MIN) {
        *why_not = "too few forms that behave differently were measured";
        return false;
    }
    if (out->n_forms >= FORMS_MANY && (double)out->n_kinds > kinds_most * (double)out->n_forms) {
        *why_not = am_arena_printf(arena,
                                   "%zu forms fall into %zu classes: the measurements scatter too "
                                   "much",
                                   out->n_forms, out->n_kinds);
        return false;
    }
    if (!add_classes(out, arena, scratch))
        return false;
    for (size_t i = 0; i < set->n; i++) {
        if (is_mix(&set->results[i]) && !add_random(out, arena, &set->results[i], &held))
            return false;
    }
    if (!fit(out, arena, scratch))
        return false;
    judge_held(out, &held);
    return true;
}
