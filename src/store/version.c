/* SPDX-License-Identifier: MIT */
/* What stands in a file's schema, and files of earlier versions. */
#include "store/version.h"

#include "base/text.h"
#include "store/seal.h"
#include "store/store.h"

#include <string.h>

enum { SQL_MAX = 64 * 1024, NAME_BYTES = 64 };

/* Objects that a version brought. */
static const struct {
    unsigned version;
    const char *name;
} brought[] = {
    {3, "setting"}, {3, "chosen"},       {3, "proposed"},   {3, "attachment"},
    {3, "choices"}, {4, "surroundings"}, {4, "off_cpu"},    {5, "chain"},
    {5, "seal"},    {5, "sample_seal"},  {5, "table_seal"},
};

/* Names that version2.sql gives views of; they are shown as they are of a newer file. */
static const char as_in_3[] = "CREATE TEMP VIEW chosen AS SELECT * FROM main.chosen;"
                              "CREATE TEMP VIEW proposed AS SELECT * FROM main.proposed;"
                              "CREATE TEMP VIEW attachment AS SELECT * FROM main.attachment;"
                              "CREATE TEMP VIEW note AS SELECT * FROM main.note;"
                              "CREATE TEMP VIEW setting AS SELECT * FROM main.setting;"
                              "CREATE TEMP VIEW environment AS SELECT * FROM main.environment;";

/* What nobody looked at before version 4 is not known. */
static const char before_4[] =
    "CREATE TEMP VIEW surroundings AS SELECT id AS launch, NULL AS load, NULL AS runnable,"
    " NULL AS others, NULL AS steal, NULL AS pressure_cpu, NULL AS pressure_memory,"
    " NULL AS pressure_io, 0 AS labels FROM main.launch WHERE 0;"
    "CREATE TEMP VIEW off_cpu AS SELECT visit, seq, 0 AS off_ns FROM main.sample WHERE 0;";
static const char as_in_4[] = "CREATE TEMP VIEW surroundings AS SELECT * FROM main.surroundings;"
                              "CREATE TEMP VIEW off_cpu AS SELECT * FROM main.off_cpu;";

/* Nothing was sealed before version 5. */
static const char before_5[] =
    "CREATE TEMP VIEW chain AS SELECT NULL AS node, 0 AS first, 0 AS launches, NULL AS start"
    " WHERE 0;"
    "CREATE TEMP VIEW seal AS SELECT 0 AS launch, NULL AS digest WHERE 0;"
    "CREATE TEMP VIEW sample_seal AS SELECT 0 AS visit, NULL AS shown, NULL AS rest WHERE 0;";
static const char as_in_5[] = "CREATE TEMP VIEW chain AS SELECT * FROM main.chain;"
                              "CREATE TEMP VIEW seal AS SELECT * FROM main.seal;"
                              "CREATE TEMP VIEW sample_seal AS SELECT * FROM main.sample_seal;";

static const char drop_views[] =
    "DROP VIEW IF EXISTS temp.chosen; DROP VIEW IF EXISTS temp.proposed;"
    "DROP VIEW IF EXISTS temp.attachment; DROP VIEW IF EXISTS temp.note;"
    "DROP VIEW IF EXISTS temp.setting; DROP VIEW IF EXISTS temp.environment;"
    "DROP VIEW IF EXISTS temp.surroundings; DROP VIEW IF EXISTS temp.off_cpu;"
    "DROP VIEW IF EXISTS temp.chain; DROP VIEW IF EXISTS temp.seal;"
    "DROP VIEW IF EXISTS temp.sample_seal;";

/* ---- comparing ---- */

/* Moves over blanks and comments; true when there were any. */
static bool skip_blanks(const char **p)
{
    const char *const begin = *p;

    for (;;) {
        *p += strspn(*p, " \t\r\n");
        if (strncmp(*p, "--", 2) != 0)
            return *p != begin;
        *p += strcspn(*p, "\n");
    }
}

/* The end of what a quote begins. */
static size_t quoted_len(const char *p)
{
    const char *const end = strchr(p + 1, *p);

    return end ? (size_t)(end - p) + 1 : strlen(p);
}

/* Equal but for blanks and comments, which are equal to each other wherever both have some. */
static bool is_same_sql(const char *a, const char *b)
{
    while (*a && *b) {
        const size_t len = *a == '\'' || *a == '"' ? quoted_len(a) : 1;
        const bool blank_a = skip_blanks(&a), blank_b = skip_blanks(&b);

        if (blank_a != blank_b)
            return false;
        if (blank_a)
            continue;
        if (strncmp(a, b, len) != 0)
            return false;
        a += len;
        b += len;
    }
    return *a == *b;
}

/* Whether a file of this version cannot have the object yet. */
static bool is_later(const char *name, unsigned version)
{
    for (size_t i = 0; i < sizeof(brought) / sizeof(*brought); i++) {
        if (strcmp(name, brought[i].name) == 0)
            return brought[i].version > version;
    }
    return false;
}

/* ---- objects ---- */

/* What is done with each object of our schema. */
typedef enum am_status object_fn(struct am_store *store, const char *type, const char *name,
                                 const char *sql, struct am_err *err);

/* Up to the semicolon that ends the statement, or the end of the text; in comments and quotes they
 * end nothing. */
static size_t statement_len(const char *sql)
{
    const char *p = sql;

    while (*p && *p != ';') {
        if (!skip_blanks(&p))
            p += *p == '\'' || *p == '"' ? quoted_len(p) : 1;
    }
    return (size_t)(p - sql);
}

/* The object that a statement creates, NULL of other statements; its name is put into `name`. */
static const char *created(const char *sql, char *name, size_t cap)
{
    static const struct {
        const char *begin, *type;
    } kinds[] = {{"CREATE TABLE ", "table"}, {"CREATE VIEW ", "view"}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const size_t n = strlen(kinds[i].begin);

        if (strncmp(sql, kinds[i].begin, n) == 0 &&
            am_str_format(name, cap, "%.*s", (int)strcspn(sql + n, " ("), sql + n))
            return kinds[i].type;
    }
    return NULL;
}

static enum am_status each_object(struct am_store *store, object_fn *fn, struct am_err *err)
{
    const char *sql = am_store_schema;
    enum am_status s = AM_OK;
    struct am_text text;
    char name[NAME_BYTES];

    am_text_init(&text, SQL_MAX);
    for (size_t n; s == AM_OK; sql += n + (sql[n] == ';')) {
        const char *type;

        (void)skip_blanks(&sql);
        n = statement_len(sql);
        if (n == 0)
            break;
        type = created(sql, name, sizeof(name));
        am_text_clear(&text);
        am_text_addn(&text, sql, n);
        if (text.overflow)
            s = am_fail(err, AM_E_NOMEM, "%s: cannot open: no memory", store->path);
        else if (type)
            s = fn(store, type, name, am_text_str(&text), err);
    }
    am_text_fini(&text);
    return s;
}

static enum am_status check_object(struct am_store *store, const char *type, const char *name,
                                   const char *sql, struct am_err *err)
{
    static const char sql_have[] = "SELECT sql FROM sqlite_schema WHERE type = ?1 AND name = ?2";
    struct am_db_rows rows = {.store = store, .err = err, .keep = true};
    const char *have = NULL;

    if (is_later(name, store->version))
        return AM_OK;
    am_db_rows_open(&rows, sql_have);
    if (rows.status == AM_OK &&
        (sqlite3_bind_text(rows.stmt, 1, type, -1, SQLITE_STATIC) != SQLITE_OK ||
         sqlite3_bind_text(rows.stmt, 2, name, -1, SQLITE_STATIC) != SQLITE_OK))
        rows.status = am_db_fail(store, "read", err);
    if (am_db_rows_next(&rows))
        have = (const char *)sqlite3_column_text(rows.stmt, 0);
    if (rows.status == AM_OK && (!have || (strcmp(have, sql) != 0 && !is_same_sql(have, sql))))
        rows.status =
            am_fail(err, AM_E_STORE, "%s: cannot read: its %s %s is not that of schema %u",
                    store->path, type, name, store->version);
    return am_db_rows_close(&rows);
}

enum am_status am_version_check(struct am_store *store, struct am_err *err)
{
    return each_object(store, check_object, err);
}

static enum am_status create_object(struct am_store *store, const char *type, const char *name,
                                    const char *sql, struct am_err *err)
{
    (void)type;
    return is_later(name, store->version) ? am_db_exec(store, sql, "upgrade", err) : AM_OK;
}

/* ---- earlier versions ---- */

/* The text with `schema` in the place of "main". */
static void add_for_schema(struct am_text *out, const char *sql, const char *schema)
{
    static const char name[] = "main.";
    const char *at;

    for (; (at = strstr(sql, name)) != NULL; sql = at + strlen(name)) {
        am_text_addn(out, sql, (size_t)(at - sql));
        am_text_addf(out, "%s.", schema);
    }
    am_text_add(out, sql);
}

enum am_status am_version_adapt(struct am_store *store, const char *schema, unsigned version,
                                struct am_err *err)
{
    struct am_text sql;
    enum am_status s;

    am_text_init(&sql, SQL_MAX);
    add_for_schema(&sql, version < 3 ? am_store_version2 : as_in_3, schema);
    add_for_schema(&sql, version < 4 ? before_4 : as_in_4, schema);
    add_for_schema(&sql, version < 5 ? before_5 : as_in_5, schema);
    s = sql.overflow ? am_fail(err, AM_E_NOMEM, "%s: cannot open: no memory", store->path)
                     : am_db_exec(store, am_text_str(&sql), "read", err);
    am_text_fini(&sql);
    return s;
}

enum am_status am_version_drop(struct am_store *store, struct am_err *err)
{
    return am_db_exec(store, drop_views, "read", err);
}

/* From version 2 to 3; what later versions brought begins empty. */
static const char move_rows[] =
    "INSERT INTO main.chosen SELECT visit, name, value FROM temp.chosen;"
    "INSERT INTO main.proposed SELECT visit, axis, value FROM temp.proposed;"
    "INSERT INTO main.attachment SELECT visit, name, type, data FROM temp.attachment;"
    "INSERT INTO main.setting SELECT seq, key, value FROM temp.setting ORDER BY seq;"
    "DELETE FROM main.note AS n WHERE NOT EXISTS"
    " (SELECT 1 FROM temp.note t WHERE t.visit = n.visit AND t.key = n.key);"
    "DELETE FROM main.environment WHERE seq IN (SELECT seq FROM main.setting);";

enum am_status am_version_upgrade(struct am_store *store, struct am_err *err)
{
    enum am_status s = am_db_begin(store, err);

    if (s != AM_OK)
        return s;
    s = each_object(store, create_object, err);
    if (s == AM_OK)
        s = am_version_adapt(store, "main", store->version, err);
    if (s == AM_OK && store->version < 3)
        s = am_db_exec(store, move_rows, "upgrade", err);
    if (s == AM_OK)
        s = am_version_drop(store, err);
    if (s == AM_OK)
        s = am_seal_begin(store, err);
    if (s == AM_OK)
        s = am_db_exec(store, "PRAGMA main.user_version = 5;", "upgrade", err);
    s = am_db_end(store, s, err);
    if (s == AM_OK)
        store->version = AM_SCHEMA_VERSION;
    return s;
}
