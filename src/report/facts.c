/* SPDX-License-Identifier: MIT */
/* Facts of a machine: one row each with interval, claim and evidence; in JSON unscaled. */
#include "report/facts.h"

#include "base/text.h"
#include "report/grid.h"
#include "report/json.h"
#include "report/results.h"
#include "document/units.h"

#include <math.h>
#include <string.h>

enum { LINE_MAX_BYTES = 512 };

static bool is_bytes(const char *unit)
{
    return strcmp(unit, "B") == 0;
}

/* Capacities in binary units, as caches are made: 34567 is "33.8 KiB". */
static void binary_text(double bytes, char *buf, size_t cap)
{
    static const char *const prefixes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    const size_t last = sizeof(prefixes) / sizeof(prefixes[0]) - 1;
    size_t p = 0;

    for (; fabs(bytes) >= 1000 && p < last; p++)
        bytes /= 1024;
    (void)am_str_format(buf, cap, "%.3g %s", bytes, prefixes[p]);
}

/* A number of things is whole where it was measured as such. */
static void value_text(double value, const char *unit, char *buf, size_t cap)
{
    if (!isfinite(value))
        (void)am_str_copy(buf, cap, "-");
    else if (is_bytes(unit))
        binary_text(value, buf, cap);
    else if (!*unit && fabs(value) >= 100)
        (void)am_str_format(buf, cap, "%.0f", value);
    else if (!*unit)
        (void)am_str_format(buf, cap, "%.3g", value);
    else
        am_units_value(value, unit, buf, cap);
}

void am_fact_value(const struct am_fact *f, char *buf, size_t cap)
{
    value_text(f->value, f->unit, buf, cap);
}

void am_fact_interval(const struct am_fact *f, char *buf, size_t cap)
{
    char lo[AM_UNITS_MAX], hi[AM_UNITS_MAX];

    value_text(f->ci.lo, f->unit, lo, sizeof(lo));
    value_text(f->ci.hi, f->unit, hi, sizeof(hi));
    if (f->ci.coverage <= 0) /* one launch has no interval */
        (void)am_str_copy(buf, cap, "-");
    else if (f->ci.lo >= f->ci.hi)
        (void)am_str_copy(buf, cap, "exact");
    else
        (void)am_str_format(buf, cap, "%s .. %s", lo, hi);
}

/* "33554432 B" is shown as the measured value is; any other claim as it is. */
void am_fact_claim(const struct am_fact *f, char *buf, size_t cap)
{
    const size_t digits = f->claimed ? strspn(f->claimed, "0123456789") : 0;
    double bytes;

    if (digits && is_bytes(f->unit) && strcmp(f->claimed + digits, " B") == 0 &&
        am_parse_f64(f->claimed, digits, &bytes))
        binary_text(bytes, buf, cap);
    else
        (void)am_str_copy(buf, cap, f->claimed ? f->claimed : "");
}

static void add_row(struct am_grid *g, const struct am_fact *f)
{
    char value[AM_UNITS_MAX], interval[2 * AM_UNITS_MAX + 8], claim[LINE_MAX_BYTES];

    am_fact_value(f, value, sizeof(value));
    am_fact_interval(f, interval, sizeof(interval));
    am_fact_claim(f, claim, sizeof(claim));
    am_grid_row(g);
    am_grid_cell(g, f->id);
    am_grid_paint(g, value, AM_PAINT_STRONG);
    am_grid_cell(g, interval);
    am_grid_cell(g, claim);
    if (f->contradicts)
        am_grid_paint(g, "CONTRADICTED", AM_PAINT_WARN);
    else
        am_grid_cell(g, f->claimed ? "agrees" : "");
    am_grid_cell(g, f->what);
    am_grid_cell(g, f->evidence);
}

/* Facts of one group share the first word of their ids: "cache", "memory", "cpu". */
static bool same_group(const char *a, const char *b)
{
    const size_t n = strcspn(a, ".");

    return n == strcspn(b, ".") && strncmp(a, b, n) == 0;
}

static bool seen_before(const struct am_facts *facts, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (same_group(facts->items[k].id, facts->items[i].id))
            return true;
    }
    return false;
}

static void write_group(const struct am_facts *facts, size_t first, const struct am_style *style,
                        struct am_arena *arena, FILE *out)
{
    static const struct {
        const char *title;
        enum am_align align;
        unsigned rank;
        bool flow;
    } columns[] = {
        {"fact", AM_ALIGN_LEFT, 0, true},      {"value", AM_ALIGN_RIGHT, 0, false},
        {"interval", AM_ALIGN_LEFT, 3, false}, {"claimed", AM_ALIGN_LEFT, 1, true},
        {"claim", AM_ALIGN_LEFT, 0, false},    {"meaning", AM_ALIGN_LEFT, 4, true},
        {"evidence", AM_ALIGN_LEFT, 2, true},
    };
    struct am_grid g;

    am_grid_init(&g, arena);
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        am_grid_column(&g, columns[i].title, columns[i].align, columns[i].rank);
        if (columns[i].flow)
            am_grid_flow(&g);
    }
    for (size_t i = first; i < facts->n; i++) {
        if (same_group(facts->items[first].id, facts->items[i].id))
            add_row(&g, &facts->items[i]);
    }
    (void)am_grid_write(&g, style, 0, out);
}

static void write_text(const struct am_result_set *set, const struct am_facts *facts,
                       const struct am_style *style, struct am_arena *arena, FILE *out)
{
    static const char *const before[AM_FORMAT_COUNT] = {
        [AM_FORMAT_TABLE] = "", [AM_FORMAT_MD] = "- ", [AM_FORMAT_TEX] = "% "};
    char machine[LINE_MAX_BYTES];

    am_report_machine_line(&set->machine, machine, sizeof(machine));
    (void)fputs(before[style->format], out);
    am_style_put(style, out, "machine  ");
    am_style_put(style, out, machine);
    (void)fputc('\n', out);
    for (size_t i = 0; i < facts->n; i++) {
        if (seen_before(facts, i))
            continue;
        (void)fputc('\n', out);
        write_group(facts, i, style, arena, out);
    }
}

static void json_fact(struct am_json *j, const struct am_fact *f)
{
    am_json_object(j, NULL);
    am_json_string(j, "id", f->id);
    am_json_string(j, "family", f->family);
    am_json_string(j, "name", f->name);
    am_json_object(j, "labels");
    for (size_t i = 0; i < f->n_labels; i++)
        am_json_string(j, f->labels[i].name, f->labels[i].text);
    am_json_object_end(j);
    am_json_string(j, "kind", f->kind == AM_FACT_CAPABILITY ? "capability" : "typical");
    am_json_string(j, "grade", am_grade_names[f->grading.grade]);
    am_json_string(j, "what", f->what);
    am_json_string(j, "unit", f->unit);
    am_json_number(j, "value", f->value);
    am_json_array(j, "interval");
    am_json_number(j, NULL, f->ci.lo);
    am_json_number(j, NULL, f->ci.hi);
    am_json_array_end(j);
    am_json_number(j, "coverage", f->ci.coverage);
    am_json_string(j, "claimed", f->claimed);
    am_json_bool(j, "contradicts", f->contradicts);
    am_json_string(j, "evidence", f->evidence);
    am_json_object_end(j);
}

void am_json_fact_list(struct am_json *j, const struct am_facts *facts)
{
    am_json_array(j, "facts");
    for (size_t i = 0; i < facts->n; i++)
        json_fact(j, &facts->items[i]);
    am_json_array_end(j);
    am_json_array(j, "not_concluded");
    for (size_t i = 0; i < facts->n_remarks; i++)
        am_json_string(j, NULL, facts->remarks[i]);
    am_json_array_end(j);
}

static void write_json(const struct am_result_set *set, const struct am_facts *facts, FILE *out)
{
    struct am_json j;

    am_json_init(&j, out, 3);
    am_json_object(&j, NULL);
    am_json_integer(&j, "schema", 1);
    am_json_run(&j, "run", set);
    am_json_facts(&j, "machine", &set->machine);
    am_json_fact_list(&j, facts);
    am_json_object_end(&j);
}

/* CSV carries the numbers as they are. */
static void write_csv(const struct am_facts *facts, struct am_arena *arena, FILE *out)
{
    static const char *const titles[] = {"id",      "unit",        "value", "lo",      "hi",
                                         "claimed", "contradicts", "what",  "evidence"};
    const struct am_style style = {.format = AM_FORMAT_CSV};
    struct am_grid g;

    am_grid_init(&g, arena);
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        am_grid_column(&g, titles[i], AM_ALIGN_LEFT, 0);
    for (size_t i = 0; i < facts->n; i++) {
        const struct am_fact *const f = &facts->items[i];
        const double numbers[] = {f->value, f->ci.lo, f->ci.hi};

        am_grid_row(&g);
        am_grid_cell(&g, f->id);
        am_grid_cell(&g, f->unit);
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
            am_grid_number(&g, numbers[k]);
        am_grid_cell(&g, f->claimed);
        am_grid_cell(&g, f->contradicts ? "yes" : "no");
        am_grid_cell(&g, f->what);
        am_grid_cell(&g, f->evidence);
    }
    (void)am_grid_write(&g, &style, 0, out);
}

void am_report_facts(const struct am_result_set *set, const struct am_facts *facts,
                     const struct am_style *style, struct am_arena *arena, FILE *out)
{
    if (style->format == AM_FORMAT_JSON)
        write_json(set, facts, out);
    else if (style->format == AM_FORMAT_CSV)
        write_csv(facts, arena, out);
    else
        write_text(set, facts, style, arena, out);
}
