/* SPDX-License-Identifier: MIT */
/* Whether a results file is whole: five checks over its rows. */
#include "store/verify.h"

#include "base/text.h"
#include "store/read.h"
#include "store/seal.h"

#include <math.h>
#include <string.h>

const char *const am_check_states[] = {"holds", "not sealed", "broken", NULL};

/* The worker computed with the same numbers in the same order; only the text of the protocol lies
 * between. */
static const double value_tolerance = 1e-9;

enum { POINT_TEXT_MAX = 1 << 20 }; /* bytes; no text that we write comes near */

struct verifier {
    struct am_store *store;
    struct am_arena *arena;
    struct am_file_check *check; /* at hand */
};

static void tell(struct verifier *v, enum am_check_state state, const char *story)
{
    v->check->state = state;
    v->check->story = story ? story : "out of memory";
}

/* A check whose statements cannot be read does not hold. */
static bool read_whole(struct verifier *v, struct am_db_rows *rows)
{
    if (am_db_rows_close(rows) == AM_OK)
        return true;
    tell(v, AM_CHECK_BROKEN, am_arena_strdup(v->arena, rows->err->text));
    return false;
}

static void check_structure(struct verifier *v)
{
    struct am_err err = {0};
    struct am_db_rows rows = {.store = v->store, .arena = v->arena, .err = &err};
    const char *found = "";

    am_db_rows_open(&rows, "PRAGMA integrity_check(1)");
    if (am_db_rows_next(&rows))
        found = am_db_get_text(&rows, 0);
    if (!read_whole(v, &rows))
        return;
    if (strcmp(found, "ok") == 0)
        tell(v, AM_CHECK_HOLDS, "pages, tables and indexes of the database");
    else
        tell(v, AM_CHECK_BROKEN, found);
}

static void check_references(struct verifier *v)
{
    struct am_err err = {0};
    struct am_db_rows rows = {.store = v->store, .arena = v->arena, .err = &err};
    const char *first = NULL, *parent = NULL;
    size_t n = 0;

    am_db_rows_open(&rows, "PRAGMA foreign_key_check");
    for (; am_db_rows_next(&rows); n++) {
        if (n == 0) {
            first = am_db_get_text(&rows, 0);
            parent = am_db_get_text(&rows, 2);
        }
    }
    if (!read_whole(v, &rows))
        return;
    if (n == 0)
        tell(v, AM_CHECK_HOLDS, "every row belongs to one that is there");
    else
        tell(v, AM_CHECK_BROKEN,
             am_arena_printf(v->arena, "%zu rows belong to none; the first, of %s, lacks its %s", n,
                             first, parent));
}

/* Each counts what must not be. */
static const struct {
    const char *what, *sql;
} counts[] = {
    {"launches without visits",
     "SELECT count(*) FROM launch WHERE id NOT IN (SELECT launch FROM visit)"},
    {"visits that are ok and have no samples",
     "SELECT count(*) FROM visit v WHERE state = 'ok' AND NOT EXISTS"
     " (SELECT 1 FROM sample s WHERE s.visit = v.id)"},
    {"visits that are ok and do not say their work",
     "SELECT count(*) FROM visit WHERE state = 'ok' AND bytes_read IS NULL"},
    {"visits that are ok with a failure, or are not and have none",
     "SELECT count(*) FROM visit v WHERE (state = 'ok') = EXISTS"
     " (SELECT 1 FROM failure f WHERE f.visit = v.id)"},
    {"visits whose samples are not numbered from 0 on",
     "SELECT count(*) FROM (SELECT 1 FROM sample GROUP BY visit"
     " HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1)"},
    {"visits whose samples have more or fewer values than the first",
     "SELECT count(*) FROM (SELECT 1 FROM (SELECT visit, count(*) AS n FROM value"
     " GROUP BY visit, seq) GROUP BY visit HAVING min(n) <> max(n))"},
    {"points that lack a parameter of their bench",
     "SELECT count(*) FROM point p WHERE (SELECT count(*) FROM axis a WHERE a.bench = p.bench) <>"
     " (SELECT count(*) FROM param x WHERE x.point = p.id)"},
};

/* ---- the texts of points ---- */

/* A point while its parameters are read: its text, and the one that they make. */
struct text_check {
    int64_t point; /* 0: none yet */
    struct am_text stored, made;
    size_t wrong;
};

/* A text that would be longer than is stored ends before a parameter. */
static bool is_cut(const struct text_check *t)
{
    enum { LONGEST = AM_NAME_MAX + AM_VALUE_TEXT_MAX };

    return t->made.len >= AM_POINT_TEXT_MAX && t->stored.len >= AM_POINT_TEXT_MAX - LONGEST &&
           strncmp(am_text_str(&t->stored), am_text_str(&t->made), t->stored.len) == 0;
}

static void end_point(struct text_check *t)
{
    t->wrong +=
        t->point != 0 && strcmp(am_text_str(&t->stored), am_text_str(&t->made)) != 0 && !is_cut(t);
    am_text_clear(&t->stored);
    am_text_clear(&t->made);
}

/* Columns as in sql_texts. */
static void add_param(struct text_check *t, sqlite3_stmt *stmt)
{
    const bool real = sqlite3_column_type(stmt, 3) == SQLITE_FLOAT;
    const struct am_value value = {.kind = AM_AXIS_REAL,
                                   .r = real ? sqlite3_column_double(stmt, 3) : 0};
    const char *const axis = (const char *)sqlite3_column_text(stmt, 2);
    char number[AM_VALUE_TEXT_MAX];
    const char *text = number;

    if (real)
        am_value_text(&value, number, sizeof(number));
    else
        text = (const char *)sqlite3_column_text(stmt, 3);
    if (axis && text)
        am_text_addf(&t->made, "%s%s=%s", t->made.len ? " " : "", axis, text);
}

/* What is shown of a point, and what it is computed with, must not differ. */
static bool check_texts(struct verifier *v)
{
    static const char sql_texts[] = "SELECT p.id, p.text, a.name, x.value FROM point p"
                                    " LEFT JOIN param x ON x.point = p.id"
                                    " LEFT JOIN axis a ON a.id = x.axis ORDER BY p.id, x.axis";
    struct am_err err = {0};
    struct am_db_rows rows = {.store = v->store, .arena = v->arena, .err = &err};
    struct text_check t = {0};

    am_text_init(&t.stored, POINT_TEXT_MAX);
    am_text_init(&t.made, POINT_TEXT_MAX);
    am_db_rows_open(&rows, sql_texts);
    while (am_db_rows_next(&rows)) {
        if (sqlite3_column_int64(rows.stmt, 0) != t.point) {
            const char *const text = (const char *)sqlite3_column_text(rows.stmt, 1);

            end_point(&t);
            t.point = sqlite3_column_int64(rows.stmt, 0);
            am_text_add(&t.stored, text ? text : "");
        }
        add_param(&t, rows.stmt);
    }
    end_point(&t);
    am_text_fini(&t.stored);
    am_text_fini(&t.made);
    if (!read_whole(v, &rows))
        return false;
    if (t.wrong)
        tell(v, AM_CHECK_BROKEN,
             am_arena_printf(v->arena, "points whose text is not that of their parameters: %zu",
                             t.wrong));
    return t.wrong == 0;
}

static void check_counts(struct verifier *v)
{
    struct am_err err = {0};
    struct am_db_rows rows = {.store = v->store, .arena = v->arena, .err = &err};

    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        int64_t n = 0;

        am_db_rows_open(&rows, counts[i].sql);
        if (am_db_rows_next(&rows))
            n = am_db_get_int(&rows, 0);
        if (!read_whole(v, &rows))
            return;
        if (n == 0)
            continue;
        tell(v, AM_CHECK_BROKEN,
             am_arena_printf(v->arena, "%s: %lld", counts[i].what, (long long)n));
        return;
    }
    if (check_texts(v))
        tell(v, AM_CHECK_HOLDS, "launches, visits, samples, values, parameters");
}

/* ---- values ---- */

static const char sql_values[] =
    "SELECT x.value, m.rule, m.name, v.bytes_read, v.bytes_written, v.flops, v.ops,"
    " l.clock_overhead_ns, s.iters, s.elapsed_ns, s.hz_before, s.hz_after, v.launch, s.seq"
    " FROM visit v CROSS JOIN launch l ON l.id = v.launch CROSS JOIN sample s ON s.visit = v.id"
    " CROSS JOIN value x ON x.visit = s.visit AND x.seq = s.seq"
    " CROSS JOIN metric m ON m.id = x.metric"
    " WHERE v.state = 'ok' AND v.bytes_read NOT NULL";

static enum am_rule rule_of(const struct am_db_rows *rows)
{
    const char *const text = (const char *)sqlite3_column_text(rows->stmt, 1);

    return text ? am_rule_find(text, strcspn(text, " ")) : AM_RULE_COUNT;
}

/* The value that follows from the row's work and time; NAN where the rule needs more than that. */
static double derived(struct am_db_rows *rows, enum am_rule rule, struct am_sample *scratch)
{
    const struct am_metric metrics[] = {{.name = "", .rule = rule}, {.name = NULL}};
    const struct am_work work = {
        .bytes_read = am_db_get_real(rows, 3, 0),
        .bytes_written = am_db_get_real(rows, 4, 0),
        .flops = am_db_get_real(rows, 5, 0),
        .ops = am_db_get_real(rows, 6, 0),
    };
    const struct am_clock clock = {.overhead_ns = am_db_get_u64(rows, 7)};

    if (rule == AM_RULE_OWN || rule == AM_RULE_CLOCK_RATIO || rule == AM_RULE_COUNT)
        return NAN;
    scratch->iters = am_db_get_u64(rows, 8);
    scratch->elapsed_ns = am_db_get_u64(rows, 9);
    scratch->hz_before = am_db_get_real(rows, 10, 0);
    scratch->hz_after = am_db_get_real(rows, 11, 0);
    am_bench_derive(metrics, &work, &clock, scratch);
    return scratch->values[0];
}

static bool is_same_value(double stored, double value)
{
    if (!isfinite(value))
        return !isfinite(stored);
    return fabs(stored - value) <= value_tolerance * fmax(fabs(value), fabs(stored));
}

static void check_values(struct verifier *v)
{
    struct am_err err = {0};
    struct am_db_rows rows = {.store = v->store, .arena = v->arena, .err = &err};
    struct am_sample scratch = {0};
    const char *first = NULL;
    size_t compared = 0, all = 0, wrong = 0, unknown = 0;

    am_db_rows_open(&rows, sql_values);
    for (; am_db_rows_next(&rows); all++) {
        const enum am_rule rule = rule_of(&rows);
        const double value = derived(&rows, rule, &scratch), stored = am_db_get_real(&rows, 0, NAN);

        unknown += rule == AM_RULE_COUNT;
        if (isnan(value))
            continue;
        compared++;
        if (is_same_value(stored, value))
            continue;
        if (wrong++ == 0)
            first = am_arena_printf(v->arena, "%s of launch %lld, sample %lld: %.9g, not %.9g",
                                    am_db_get_text(&rows, 2), (long long)am_db_get_int(&rows, 12),
                                    (long long)am_db_get_int(&rows, 13), value, stored);
    }
    if (!read_whole(v, &rows))
        return;
    if (wrong)
        tell(v, AM_CHECK_BROKEN,
             am_arena_printf(v->arena, "%zu do not follow from work and time; the first: %s", wrong,
                             first ? first : ""));
    else if (unknown)
        tell(v, AM_CHECK_BROKEN,
             am_arena_printf(v->arena,
                             "%zu are of a rule that this version does not know, and cannot be "
                             "computed again",
                             unknown));
    else
        tell(v, AM_CHECK_HOLDS,
             am_arena_printf(v->arena,
                             "%zu of %zu computed again from work and time; the others are the "
                             "benches' own",
                             compared, all));
}

/* ---- seals ---- */

static void check_seals(struct verifier *v, struct am_seal *seal)
{
    static const enum am_check_state states[] = {
        [AM_SEAL_UNCHECKED] = AM_CHECK_OPEN, [AM_SEAL_NONE] = AM_CHECK_OPEN,
        [AM_SEAL_PARTLY] = AM_CHECK_OPEN,    [AM_SEAL_HOLDS] = AM_CHECK_HOLDS,
        [AM_SEAL_BROKEN] = AM_CHECK_BROKEN,
    };

    am_seal_check(v->store, true, v->arena, seal);
    tell(v, states[seal->state],
         seal->story ? seal->story
         : seal->state == AM_SEAL_HOLDS
             ? am_arena_printf(v->arena, "%zu launches, and all that was said of the run",
                               seal->sealed)
             : am_arena_printf(v->arena,
                               "%zu launches were stored by a version that had no seals; "
                               "%zu are sealed",
                               seal->unsealed, seal->sealed));
}

void am_store_seal(struct am_store *store, struct am_arena *arena, struct am_seal *out)
{
    struct am_err err = {0};

    *out = (struct am_seal){.state = AM_SEAL_BROKEN};
    if (am_db_read_begin(store, &err) != AM_OK) {
        out->story = am_arena_strdup(arena, err.text);
        return;
    }
    am_seal_check(store, true, arena, out);
    am_db_read_end(store);
}

enum am_status am_store_verify(struct am_store *store, struct am_arena *arena,
                               struct am_verification *out, struct am_err *err)
{
    static const struct {
        const char *name;
        void (*check)(struct verifier *v);
    } checks[AM_CHECK_SEALS] = {
        [AM_CHECK_STRUCTURE] = {"structure", check_structure},
        [AM_CHECK_REFERENCES] = {"references", check_references},
        [AM_CHECK_COUNTS] = {"counts", check_counts},
        [AM_CHECK_VALUES] = {"values", check_values},
    };
    struct verifier v = {.store = store, .arena = arena};
    const char *const slash = strrchr(store->path, '/');
    const enum am_status s = am_db_read_begin(store, err);

    *out = (struct am_verification){.holds = true};
    if (s != AM_OK)
        return s;
    out->file = am_arena_strdup(arena, slash ? slash + 1 : store->path);
    for (size_t i = 0; i < AM_CHECK_SEALS; i++) {
        v.check = &out->checks[i];
        v.check->name = checks[i].name;
        checks[i].check(&v);
    }
    v.check = &out->checks[AM_CHECK_SEALS];
    v.check->name = "seals";
    check_seals(&v, &out->seal);
    am_db_read_end(store);
    for (size_t i = 0; i < AM_CHECK_KINDS; i++)
        out->holds = out->holds && out->checks[i].state != AM_CHECK_BROKEN;
    return AM_OK;
}
