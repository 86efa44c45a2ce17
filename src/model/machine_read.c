/* SPDX-License-Identifier: MIT */
/* A model from its file: tables of fields for each part, then what tables cannot check. */
#include "base/json_fields.h"
#include "base/text.h"
#include "family/family.h"
#include "model/machine.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* No machine has a rate beyond this, and products of two still are numbers. */
static const double rate_max = 1e30, threads_max = 1e7;

enum { REMARKS_MAX = 10000, FAMILIES_MAX = 32 };

struct reading {
    struct am_json_source source;
    struct am_arena *arena;
    struct am_machine_model *out;
};

/* ---- the run ---- */

struct run_part {
    const char *name, *version, *command, *started, *ended, *label, *profile, *seed;
    int state;
    bool synthetic;
    uint64_t launches;
    double launched_s;
};

#define RUN(field) offsetof(struct run_part, field)
static const struct am_field run_fields[] = {
    {.key = "name", .kind = AM_FIELD_TEXT, .offset = RUN(name), .null = true},
    {.key = "version", .kind = AM_FIELD_TEXT, .offset = RUN(version), .null = true},
    {.key = "command", .kind = AM_FIELD_TEXT, .offset = RUN(command), .null = true},
    {.key = "started", .kind = AM_FIELD_TEXT, .offset = RUN(started), .null = true},
    {.key = "ended", .kind = AM_FIELD_TEXT, .offset = RUN(ended), .null = true},
    {.key = "state",
     .kind = AM_FIELD_WORD,
     .offset = RUN(state),
     .words = am_run_states,
     .n_words = AM_RUN_STATES},
    {.key = "label", .kind = AM_FIELD_TEXT, .offset = RUN(label), .null = true},
    {.key = "synthetic", .kind = AM_FIELD_BOOL, .offset = RUN(synthetic)},
    {.key = "profile", .kind = AM_FIELD_TEXT, .offset = RUN(profile)},
    {.key = "seed", .kind = AM_FIELD_TEXT, .offset = RUN(seed)},
    {.key = "launches", .kind = AM_FIELD_WHOLE, .offset = RUN(launches)},
    {.key = "launch_seconds", .kind = AM_FIELD_NUMBER, .offset = RUN(launched_s), .null = true},
    {0},
};

static enum am_status read_run(struct reading *r, const struct am_json_value *tree)
{
    struct am_run_info *const run = &r->out->set.run;
    struct run_part part = {0};
    enum am_status s = am_json_fields(&r->source, tree, run_fields, &part);

    if (s != AM_OK)
        return s;
    *run = (struct am_run_info){
        .name = part.name,
        .command = part.command,
        .version = part.version,
        .started = part.started,
        .ended = part.ended,
        .state = (enum am_run_state)part.state,
        .label = part.label,
        .synthetic = part.synthetic,
        .launched_s = part.launched_s > 0 ? part.launched_s : 0,
        .settings = {.profile = am_profile_find(part.profile)},
    };
    r->out->set.launches = (size_t)part.launches;
    if (run->settings.profile == AM_PROFILE_COUNT)
        return am_json_refuse(&r->source, am_json_get(tree, "profile"),
                              "no profile is called so; there are quick, standard and thorough");
    if (!am_parse_u64(part.seed, strlen(part.seed), &run->settings.seed))
        return am_json_refuse(&r->source, am_json_get(tree, "seed"), "the seed is no whole number");
    return AM_OK;
}

/* Keys with texts or numbers, as machine, environment and build have them. */
static enum am_status read_pairs(struct reading *r, const struct am_json_value *tree,
                                 struct am_kvs *out)
{
    for (size_t i = 0; i < tree->n; i++) {
        const struct am_json_value *const v = &tree->items[i];

        if (v->kind != AM_JSON_TEXT && v->kind != AM_JSON_NUMBER)
            return am_json_refuse(&r->source, v, "\"%s\" must be a text or a number, and is %s",
                                  v->key, am_json_kind_words(v->kind));
        am_kvs_add(out, r->arena, v->key, v->text);
    }
    return AM_OK;
}

/* ---- facts ---- */

struct fact_part {
    const char *id, *family, *name, *what, *unit, *claimed, *evidence;
    const struct am_json_value *labels, *reasons;
    int kind, grade;
    double value, bound, coverage, interval[2];
    uint64_t launches;
    bool contradicts;
};

#define FACT(field) offsetof(struct fact_part, field)
/* Evidence of grade C concludes nothing: there is no such fact. */
enum { FACT_GRADES = AM_GRADE_C };
static const struct am_field fact_fields[] = {
    {.key = "id", .kind = AM_FIELD_TEXT, .offset = FACT(id)},
    {.key = "family", .kind = AM_FIELD_TEXT, .offset = FACT(family)},
    {.key = "name", .kind = AM_FIELD_TEXT, .offset = FACT(name)},
    {.key = "labels", .kind = AM_FIELD_TREE, .offset = FACT(labels), .tree = AM_JSON_OBJECT},
    {.key = "kind",
     .kind = AM_FIELD_WORD,
     .offset = FACT(kind),
     .words = am_fact_kinds,
     .n_words = AM_FACT_KINDS},
    {.key = "grade",
     .kind = AM_FIELD_WORD,
     .offset = FACT(grade),
     .words = am_grade_names,
     .n_words = FACT_GRADES},
    {.key = "reasons", .kind = AM_FIELD_TREE, .offset = FACT(reasons), .tree = AM_JSON_ARRAY},
    {.key = "what", .kind = AM_FIELD_TEXT, .offset = FACT(what)},
    {.key = "unit", .kind = AM_FIELD_TEXT, .offset = FACT(unit)},
    {.key = "value", .kind = AM_FIELD_NUMBER, .offset = FACT(value), .null = true},
    {.key = "bound", .kind = AM_FIELD_NUMBER, .offset = FACT(bound), .null = true},
    {.key = "interval", .kind = AM_FIELD_RANGE, .offset = FACT(interval)},
    {.key = "coverage", .kind = AM_FIELD_NUMBER, .offset = FACT(coverage), .null = true},
    {.key = "launches", .kind = AM_FIELD_WHOLE, .offset = FACT(launches), .null = true},
    {.key = "claimed", .kind = AM_FIELD_TEXT, .offset = FACT(claimed), .null = true},
    {.key = "contradicts", .kind = AM_FIELD_BOOL, .offset = FACT(contradicts)},
    {.key = "evidence", .kind = AM_FIELD_TEXT, .offset = FACT(evidence)},
    {0},
};

static enum am_status check_family(const struct reading *r, const struct am_json_value *tree,
                                   const char *family)
{
    const char *names[FAMILIES_MAX];
    const char *near;
    size_t n = 0;

    if (am_family_find(family))
        return AM_OK;
    for (; am_families[n] && n < FAMILIES_MAX; n++)
        names[n] = am_families[n]->name;
    near = am_nearest(family, names, n);
    return am_json_refuse(&r->source, am_json_get(tree, "family"), "no family is called so%s%s%s",
                          near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static enum am_status read_labels(const struct reading *r, const struct am_json_value *tree,
                                  struct am_fact *fact)
{
    for (size_t i = 0; i < tree->n; i++) {
        const struct am_json_value *const v = &tree->items[i];
        const bool number = v->kind == AM_JSON_NUMBER;

        if (!number && v->kind != AM_JSON_TEXT)
            return am_json_refuse(&r->source, v, "a label is a text or a number");
        if (fact->n_labels == AM_FACT_LABELS_MAX)
            return am_json_refuse(&r->source, v, "a fact has at most %d labels",
                                  AM_FACT_LABELS_MAX);
        fact->labels[fact->n_labels++] =
            (struct am_result_param){v->key, number ? AM_AXIS_REAL : AM_AXIS_NAME, v->text};
    }
    return AM_OK;
}

static enum am_status read_reasons(const struct reading *r, const struct am_json_value *tree,
                                   uint32_t *out)
{
    for (size_t i = 0; i < tree->n; i++) {
        const struct am_json_value *const v = &tree->items[i];
        const int reason =
            v->kind == AM_JSON_TEXT ? am_name_index(am_reason_words, AM_REASONS, v->text) : -1;
        const char *const near =
            v->kind == AM_JSON_TEXT ? am_nearest(v->text, am_reason_words, AM_REASONS) : NULL;

        if (reason < 0)
            return am_json_refuse(&r->source, v, "no such reason of a grade%s%s%s",
                                  near ? "; did you mean \"" : "", near ? near : "",
                                  near ? "\"?" : "");
        *out |= UINT32_C(1) << reason;
    }
    return AM_OK;
}

/* The id is made from family, name and labels: a file whose ids say something else was changed by
 * hand in one place and not in the other. */
static enum am_status add_fact(struct reading *r, const struct am_json_value *tree,
                               const struct am_fact *fact, const char *id)
{
    struct am_facts *const facts = &r->out->facts;
    const size_t before = facts->n;

    facts->family = fact->family;
    am_facts_offer(facts, *fact);
    facts->family = NULL;
    if (facts->n == before)
        return am_json_refuse(&r->source, tree, "a fact of these labels was there already");
    if (strcmp(facts->items[before].id, id) != 0)
        return am_json_refuse(&r->source, am_json_get(tree, "id"),
                              "family, name and labels make the id %s", facts->items[before].id);
    return AM_OK;
}

static enum am_status read_fact(struct reading *r, const struct am_json_value *tree)
{
    struct fact_part part = {0};
    enum am_status s = am_json_fields(&r->source, tree, fact_fields, &part);
    struct am_fact fact = {
        .family = part.family,
        .name = part.name,
        .what = part.what,
        .unit = part.unit,
        .kind = (enum am_fact_kind)part.kind,
        .value = part.value,
        .ci = {part.interval[0], part.interval[1], part.coverage},
        .grading = {.grade = (enum am_grade)part.grade},
        .evidence = part.evidence,
        .launches = (size_t)part.launches,
        .claimed = part.claimed,
        .contradicts = part.contradicts,
    };

    if (s == AM_OK)
        s = check_family(r, tree, part.family);
    if (s == AM_OK && isnan(part.value) && !isnan(part.bound))
        fact.value =
            (part.interval[0] + part.interval[1]) / 2; /* "< 67 ns": not told, only bounded */
    if (s == AM_OK && !isfinite(fact.value))
        s = am_json_refuse(&r->source, am_json_get(tree, "value"),
                           "\"value\" must be a number, and is null");
    if (s == AM_OK && (part.coverage < 0 || part.coverage > 1))
        s = am_json_refuse(&r->source, am_json_get(tree, "coverage"),
                           "a coverage lies between 0 and 1");
    if (s == AM_OK)
        s = read_labels(r, part.labels, &fact);
    if (s == AM_OK)
        s = read_reasons(r, part.reasons, &fact.grading.reasons);
    return s == AM_OK ? add_fact(r, tree, &fact, part.id) : s;
}

/* ---- ceilings ---- */

struct ceiling_part {
    int kind, level;
    const char *type, *isa, *op, *device, *space, *unit, *from;
    double threads, rate, median, interval[2];
};

#define CEILING(field) offsetof(struct ceiling_part, field)
static const char *const levels[AM_TIER_COUNT] = {
    [AM_TIER_L1D] = "l1d", [AM_TIER_L2] = "l2", [AM_TIER_L3] = "l3", [AM_TIER_MEMORY] = "memory"};
static const struct am_field ceiling_fields[] = {
    {.key = "kind",
     .kind = AM_FIELD_WORD,
     .offset = CEILING(kind),
     .words = am_ceiling_words,
     .n_words = AM_CEILING_KINDS},
    {.key = "level",
     .kind = AM_FIELD_WORD,
     .offset = CEILING(level),
     .words = levels,
     .n_words = AM_TIER_COUNT,
     .null = true},
    {.key = "space", .kind = AM_FIELD_TEXT, .offset = CEILING(space), .null = true},
    {.key = "type", .kind = AM_FIELD_TEXT, .offset = CEILING(type), .null = true},
    {.key = "isa", .kind = AM_FIELD_TEXT, .offset = CEILING(isa), .null = true},
    {.key = "op", .kind = AM_FIELD_TEXT, .offset = CEILING(op), .null = true},
    {.key = "device", .kind = AM_FIELD_TEXT, .offset = CEILING(device), .null = true},
    {.key = "threads", .kind = AM_FIELD_NUMBER, .offset = CEILING(threads)},
    {.key = "unit", .kind = AM_FIELD_TEXT, .offset = CEILING(unit)},
    {.key = "rate", .kind = AM_FIELD_NUMBER, .offset = CEILING(rate)},
    {.key = "median", .kind = AM_FIELD_NUMBER, .offset = CEILING(median)},
    {.key = "interval", .kind = AM_FIELD_RANGE, .offset = CEILING(interval)},
    {.key = "from", .kind = AM_FIELD_TEXT, .offset = CEILING(from)},
    {0},
};

static bool is_rate(double x)
{
    return x > 0 && x < rate_max;
}

/* What the fields of a ceiling must be to each other; NULL: they are. */
static const char *wrong_ceiling(const struct ceiling_part *p)
{
    const bool flops = p->kind == AM_CEILING_FLOPS;

    if (!is_rate(p->rate) || !is_rate(p->median) || !is_rate(p->interval[0]) ||
        !is_rate(p->interval[1]))
        return "rates lie above 0 and below 1e30";
    if (!(p->threads >= 1 && p->threads <= threads_max))
        return "threads are from 1 to 10 million";
    if (strcmp(p->unit, am_ceiling_unit_of((enum am_ceiling_kind)p->kind, p->type)) != 0)
        return flops ? "the unit of this kind is flop/s, of whole numbers op/s"
                     : "the unit of this kind is B/s";
    if (flops && !p->type)
        return "arithmetic has a type";
    if (flops ? p->level != AM_TIER_COUNT || p->space : (p->level == AM_TIER_COUNT) != !!p->space)
        return "bytes have a level of memory or a space, arithmetic has neither";
    return NULL;
}

static enum am_status read_ceiling(struct reading *r, const struct am_json_value *tree)
{
    struct am_roofline *const roofline = &r->out->roofline;
    struct ceiling_part p = {.level = AM_TIER_COUNT};
    enum am_status s = am_json_fields(&r->source, tree, ceiling_fields, &p);
    const char *const wrong = s == AM_OK ? wrong_ceiling(&p) : NULL;
    const struct am_ceiling c = {
        .kind = (enum am_ceiling_kind)p.kind,
        .level = (enum am_tier)p.level,
        .space = p.space,
        .type = p.type,
        .isa = p.isa,
        .op = p.op,
        .device = p.device,
        .threads = p.threads,
        .rate = p.rate,
        .median = p.median,
        .ci = {p.interval[0], p.interval[1], NAN},
        .from = p.from,
    };

    if (wrong)
        return am_json_refuse(&r->source, tree, "%s", wrong);
    if (s == AM_OK)
        am_roofline_add(roofline, &c);
    return s;
}

/* ---- the file ---- */

struct file_part {
    uint64_t schema, version;
    const char *kind, *node;
    const struct am_json_value *run, *machine, *environment, *build, *facts, *remarks, *guidelines,
        *ceilings;
};

#define FILE_PART(field) offsetof(struct file_part, field)
#define FILE_OBJECT(word, field)                                                                   \
    {                                                                                              \
        .key = (word), .kind = AM_FIELD_TREE, .offset = FILE_PART(field), .tree = AM_JSON_OBJECT   \
    }
#define FILE_ARRAY(word, field)                                                                    \
    {                                                                                              \
        .key = (word), .kind = AM_FIELD_TREE, .offset = FILE_PART(field), .tree = AM_JSON_ARRAY    \
    }
static const struct am_field file_fields[] = {
    {.key = "schema", .kind = AM_FIELD_WHOLE, .offset = FILE_PART(schema)},
    {.key = "kind", .kind = AM_FIELD_TEXT, .offset = FILE_PART(kind)},
    {.key = "version", .kind = AM_FIELD_WHOLE, .offset = FILE_PART(version)},
    {.key = "node", .kind = AM_FIELD_TEXT, .offset = FILE_PART(node), .null = true},
    FILE_OBJECT("run", run),
    FILE_OBJECT("machine", machine),
    FILE_OBJECT("environment", environment),
    FILE_OBJECT("build", build),
    FILE_ARRAY("facts", facts),
    FILE_ARRAY("not_concluded", remarks),
    FILE_ARRAY("guidelines", guidelines), /* made anew from the facts */
    FILE_ARRAY("ceilings", ceilings),
    {0},
};

/* Before anything else is looked at: a file of another kind or version has other keys. */
static enum am_status check_kind(const struct reading *r, const struct am_json_value *tree)
{
    const struct am_json_value *const kind = am_json_get(tree, "kind");
    const struct am_json_value *const version = am_json_get(tree, "version");

    if (!kind || kind->kind != AM_JSON_TEXT || strcmp(kind->text, am_machine_kind) != 0)
        return am_json_refuse(&r->source, kind ? kind : tree,
                              "not a machine model (\"kind\" must be \"%s\"); archmeter model RUN "
                              "-o FILE writes one",
                              am_machine_kind);
    if (!version || version->kind != AM_JSON_NUMBER || version->number < 0.5 ||
        version->number > AM_MACHINE_VERSION + 0.5)
        return am_json_refuse(&r->source, version ? version : tree,
                              "this archmeter reads machine models of version %d only",
                              AM_MACHINE_VERSION);
    return AM_OK;
}

static enum am_status read_all(struct reading *r, const struct am_json_value *list, size_t most,
                               enum am_status (*read)(struct reading *,
                                                      const struct am_json_value *))
{
    enum am_status s = AM_OK;

    if (list->n > most)
        return am_json_refuse(&r->source, list, "more than %zu items", most);
    for (size_t i = 0; s == AM_OK && i < list->n; i++)
        s = read(r, &list->items[i]);
    return s;
}

static enum am_status read_remark(struct reading *r, const struct am_json_value *tree)
{
    if (tree->kind != AM_JSON_TEXT)
        return am_json_refuse(&r->source, tree, "must be a text, and is %s",
                              am_json_kind_words(tree->kind));
    am_facts_remark(&r->out->facts, "%s", tree->text);
    return AM_OK;
}

static enum am_status read_parts(struct reading *r, const struct file_part *file)
{
    struct am_machine_model *const out = r->out;
    enum am_status s = read_run(r, file->run);

    if (s == AM_OK)
        s = read_pairs(r, file->machine, &out->set.machine);
    if (s == AM_OK)
        s = read_pairs(r, file->environment, &out->set.environment);
    if (s == AM_OK)
        s = read_pairs(r, file->build, &out->set.build);
    if (s == AM_OK)
        s = read_all(r, file->facts, AM_MACHINE_FACTS_MAX, read_fact);
    if (s == AM_OK)
        s = read_all(r, file->remarks, REMARKS_MAX, read_remark);
    if (s == AM_OK)
        s = read_all(r, file->ceilings, AM_MACHINE_CEILINGS_MAX, read_ceiling);
    return s;
}

enum am_status am_machine_read(const char *name, const char *text, size_t n, struct am_arena *arena,
                               struct am_machine_model *out, struct am_err *err)
{
    struct reading r = {.source = {name, err}, .arena = arena, .out = out};
    struct file_part file = {0};
    struct am_json_value tree;
    enum am_status s = am_json_read(name, text, n, arena, &tree, err);

    *out = (struct am_machine_model){.read = true, .name = name};
    out->facts.arena = out->roofline.arena = arena;
    if (s == AM_OK)
        s = check_kind(&r, &tree);
    if (s == AM_OK)
        s = am_json_fields(&r.source, &tree, file_fields, &file);
    if (s == AM_OK)
        s = read_parts(&r, &file);
    out->node = file.node;
    if (s == AM_OK)
        out->roofline.levels = am_tiers_find(&out->set, &out->facts);
    return s;
}
