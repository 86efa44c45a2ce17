/* SPDX-License-Identifier: MIT */
/* Seals over tables, the encoding of rows, and the digest of a whole file. */
#include "store/seal.h"

#include <endian.h>
#include <math.h>
#include <string.h>

/* What is sealed has had these forms, the latest first. A chain starts from the words of the form
 * that it was begun by: so nobody can call a file one of an earlier form without making every seal
 * of it anew. */
static const struct {
    const char *heading;
    bool seals_chain; /* how many launches there are has a seal of its own */
} forms[] = {
    {"archmeter seals 2", true},
    {"archmeter seals 1", false},
};
enum { FORMS = sizeof(forms) / sizeof(*forms) };

static const struct {
    const char *name, *sql;
    bool fixed; /* nothing changes it after the run began: what the chain starts from */
} tables[AM_SEALED_COUNT] = {
    [AM_SEALED_RUN] = {"run", "SELECT * FROM run", false},
    [AM_SEALED_PLAN] = {"plan",
                        "SELECT command, version, started, label, synthetic, profile, seed,"
                        " min_launches, max_launches, target, budget_s, launch_limit_s,"
                        " min_batch_ns, max_point_ns, warmup, samples, extra, drift_limit FROM run",
                        true},
    [AM_SEALED_MACHINE] = {"machine", "SELECT * FROM machine ORDER BY seq", true},
    [AM_SEALED_ENVIRONMENT] = {"environment", "SELECT * FROM environment ORDER BY seq", false},
    [AM_SEALED_SETTING] = {"setting", "SELECT * FROM setting ORDER BY seq", false},
    [AM_SEALED_BUILD] = {"build", "SELECT * FROM build ORDER BY seq", true},
    [AM_SEALED_FINDING] = {"finding", "SELECT * FROM finding ORDER BY seq", true},
    [AM_SEALED_BENCH] = {"bench", "SELECT * FROM bench ORDER BY id", true},
    [AM_SEALED_AXIS] = {"axis", "SELECT * FROM axis ORDER BY id", true},
    [AM_SEALED_METRIC] = {"metric", "SELECT * FROM metric ORDER BY id", true},
    [AM_SEALED_POINT] = {"point", "SELECT id, bench, text FROM point ORDER BY id", false},
    [AM_SEALED_STOP] = {"stop", "SELECT id, stop_reason FROM point ORDER BY id", false},
    [AM_SEALED_PARAM] = {"param", "SELECT * FROM param ORDER BY point, axis", false},
    [AM_SEALED_CHAIN] = {"chain",
                         "SELECT node, first, launches, start, digest FROM chain LEFT JOIN seal"
                         " ON launch = first + launches - 1 AND launches > 0 ORDER BY first, id",
                         false},
    [AM_SEALED_NODE] = {"node", "SELECT * FROM node ORDER BY id", false},
    [AM_SEALED_NODE_FACT] = {"node_fact", "SELECT * FROM node_fact ORDER BY node, area, key",
                             false},
};

/* ---- the encoding ---- */

static void put_bits(unsigned char *p, uint64_t x)
{
    x = htobe64(x);
    memcpy(p, &x, sizeof(x));
}

static void add_word(struct am_digest *d, char letter, uint64_t x)
{
    unsigned char bytes[1 + sizeof(x)] = {(unsigned char)letter};

    put_bits(bytes + 1, x);
    am_digest_add(d, bytes, sizeof(bytes));
}

static void add_bytes(struct am_digest *d, char letter, const void *data, int n)
{
    add_word(d, letter, (uint64_t)(n > 0 ? n : 0));
    if (data && n > 0)
        am_digest_add(d, data, (size_t)n);
}

static void add_column(struct am_digest *d, sqlite3_stmt *stmt, int col)
{
    const int type = sqlite3_column_type(stmt, col);
    double r;
    uint64_t bits;

    if (type == SQLITE_INTEGER) {
        add_word(d, 'i', (uint64_t)sqlite3_column_int64(stmt, col));
    } else if (type == SQLITE_FLOAT) {
        r = sqlite3_column_double(stmt, col);
        memcpy(&bits, &r, sizeof(bits));
        add_word(d, 'r', bits);
    } else if (type == SQLITE_TEXT) {
        const void *const text = sqlite3_column_text(stmt, col);

        add_bytes(d, 't', text, sqlite3_column_bytes(stmt, col));
    } else if (type == SQLITE_BLOB) {
        const void *const data = sqlite3_column_blob(stmt, col);

        add_bytes(d, 'b', data, sqlite3_column_bytes(stmt, col));
    } else {
        am_digest_add(d, "n", 1);
    }
}

void am_seal_columns(struct am_digest *d, sqlite3_stmt *stmt, int from)
{
    const int n = sqlite3_column_count(stmt);

    for (int col = from; col < n; col++)
        add_column(d, stmt, col);
}

/* Every NAN is the same one. */
static void put_real(unsigned char *p, double r)
{
    static const double no_number = NAN;
    uint64_t x;

    memcpy(&x, isnan(r) ? &no_number : &r, sizeof(x));
    put_bits(p, x);
}

void am_seal_sample(struct am_digest *d, const struct am_sealed_sample *sample)
{
    unsigned char bytes[5 * sizeof(uint64_t)];

    put_bits(bytes, (uint64_t)sample->seq);
    put_bits(bytes + 8, (uint64_t)sample->labels);
    put_bits(bytes + 16, (uint64_t)sample->elapsed_ns);
    put_real(bytes + 24, sample->hz_before);
    put_real(bytes + 32, sample->hz_after);
    am_digest_add(d, bytes, sizeof(bytes));
}

/* The name with its end, then the value: no value can be taken for that of another metric, and no
 * value for the next sample. */
void am_seal_value(struct am_digest *d, const char *metric, double value)
{
    unsigned char bytes[AM_NAME_MAX + sizeof(uint64_t)];
    const size_t n = strnlen(metric, AM_NAME_MAX - 1);

    memcpy(bytes, metric, n);
    bytes[n] = '\0';
    put_real(bytes + n + 1, value);
    am_digest_add(d, bytes, n + 1 + sizeof(uint64_t));
}

/* Indices of the bench's metrics by their names. */
static void order_metrics(const struct am_read_bench *bench, size_t *order)
{
    for (size_t i = 0; i < bench->n_metrics; i++) {
        size_t at = i;

        for (; at > 0 && strcmp(bench->metrics[order[at - 1]].name, bench->metrics[i].name) > 0;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static void digest_rows(const struct am_read_bench *bench, const struct am_read_value *rows,
                        size_t n, unsigned char out[AM_DIGEST_BYTES])
{
    size_t order[AM_METRICS_MAX];
    struct am_digest d;

    order_metrics(bench, order);
    am_digest_init(&d);
    for (size_t i = 0, next; i < n; i = next) {
        const struct am_read_value *of[AM_METRICS_MAX] = {NULL};

        am_seal_sample(&d,
                       &(struct am_sealed_sample){rows[i].seq, rows[i].labels, rows[i].elapsed_ns,
                                                  rows[i].hz_before, rows[i].hz_after});
        for (next = i; next < n && rows[next].seq == rows[i].seq; next++) {
            if (rows[next].metric < bench->n_metrics)
                of[rows[next].metric] = &rows[next];
        }
        for (size_t k = 0; k < bench->n_metrics; k++) {
            if (of[order[k]])
                am_seal_value(&d, bench->metrics[order[k]].name, of[order[k]]->value);
        }
    }
    am_digest_finish(&d, out);
}

const char am_seal_sql_shown[] = "SELECT shown FROM sample_seal WHERE visit = ?1";

enum am_status am_seal_compare(struct am_db_rows *seals, const struct am_read_bench *bench,
                               const struct am_read_value *rows, size_t n, int64_t *launch)
{
    unsigned char digest[AM_DIGEST_BYTES];

    for (size_t i = 0, next; i < n; i = next) {
        const void *stored;

        for (next = i; next < n && rows[next].visit == rows[i].visit;)
            next++;
        am_db_rows_bind(seals, 1, rows[i].visit);
        if (!am_db_rows_next(seals))
            continue;
        digest_rows(bench, rows + i, next - i, digest);
        stored = sqlite3_column_blob(seals->stmt, 0);
        if (*launch == 0 && (!stored || sqlite3_column_bytes(seals->stmt, 0) != AM_DIGEST_BYTES ||
                             memcmp(stored, digest, sizeof(digest)) != 0))
            *launch = rows[i].launch;
    }
    return seals->status;
}

/* ---- tables ---- */

static enum am_status digest_table(struct am_store *store, enum am_sealed which,
                                   unsigned char out[AM_DIGEST_BYTES], struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err, .keep = true};
    struct am_digest d;

    am_digest_init(&d);
    am_db_rows_open(&rows, tables[which].sql);
    while (am_db_rows_next(&rows)) {
        am_digest_add(&d, "row", 3);
        am_seal_columns(&d, rows.stmt, 0);
    }
    am_digest_finish(&d, out);
    return am_db_rows_close(&rows);
}

enum am_status am_seal_tables(struct am_store *store, unsigned which, struct am_err *err)
{
    unsigned char digest[AM_DIGEST_BYTES];
    enum am_status s = AM_OK;

    for (unsigned i = 0; s == AM_OK && i < AM_SEALED_COUNT; i++) {
        if (!((which & ~store->doubtful) >> i & 1))
            continue;
        s = digest_table(store, (enum am_sealed)i, digest, err);
        if (s == AM_OK)
            s = am_db_put(
                store, AM_DB_PUT_TABLE_SEAL,
                AM_DB_VALUES(am_db_text(tables[i].name), am_db_blob(digest, sizeof(digest))), err);
    }
    return s;
}

/* The digests of tables. */
struct digests {
    unsigned char of[AM_SEALED_COUNT][AM_DIGEST_BYTES];
    bool chain_unsealed; /* its seal is not there */
};

/* What a chain starts from: its first launch, so that none can be called older than the seals, and
 * all that does not change after the run began. */
static void digest_start(const struct digests *tables_now, size_t form, int64_t first,
                         unsigned char out[AM_DIGEST_BYTES])
{
    struct am_digest d;

    am_digest_init(&d);
    am_digest_add(&d, forms[form].heading, strlen(forms[form].heading) + 1);
    add_word(&d, 'i', (uint64_t)first);
    for (unsigned i = 0; i < AM_SEALED_COUNT; i++) {
        if (tables[i].fixed)
            am_digest_add(&d, tables_now->of[i], AM_DIGEST_BYTES);
    }
    am_digest_finish(&d, out);
}

static enum am_status digest_fixed(struct am_store *store, struct digests *out, struct am_err *err)
{
    enum am_status s = AM_OK;

    for (unsigned i = 0; s == AM_OK && i < AM_SEALED_COUNT; i++) {
        if (tables[i].fixed)
            s = digest_table(store, (enum am_sealed)i, out->of[i], err);
    }
    return s;
}

enum am_status am_seal_plan(struct am_store *store, unsigned char out[AM_DIGEST_BYTES],
                            struct am_err *err)
{
    static const enum am_sealed of_plan[] = {AM_SEALED_BENCH, AM_SEALED_AXIS, AM_SEALED_METRIC};
    unsigned char digest[AM_DIGEST_BYTES];
    enum am_status s = AM_OK;
    struct am_digest d;

    am_digest_init(&d);
    for (size_t i = 0; s == AM_OK && i < sizeof(of_plan) / sizeof(*of_plan); i++) {
        s = digest_table(store, of_plan[i], digest, err);
        am_digest_add(&d, digest, sizeof(digest));
    }
    am_digest_finish(&d, out);
    return s;
}

enum am_status am_seal_begin(struct am_store *store, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};
    unsigned char start[AM_DIGEST_BYTES];
    struct digests digests;
    int64_t first = 0;
    enum am_status s;

    am_db_rows_open(&rows, "SELECT coalesce(max(id), 0) + 1 FROM launch");
    if (am_db_rows_next(&rows))
        first = am_db_get_int(&rows, 0);
    s = am_db_rows_close(&rows);
    if (s == AM_OK)
        s = digest_fixed(store, &digests, err);
    if (s == AM_OK)
        digest_start(&digests, 0, first, start);
    if (s == AM_OK)
        s = am_db_put_once(store, "INSERT INTO chain VALUES (NULL, NULL, ?, 0, ?)",
                           AM_DB_VALUES(am_db_int(first), am_db_blob(start, sizeof(start))), err);
    return s == AM_OK ? am_seal_tables(store, AM_SEALED_OF_RUNS, err) : s;
}

/* ---- checking ---- */

/* Of a run's own file the one chain is of no node; of a merged file each is of one. */
static enum am_status read_chains(struct am_store *store, bool merged, struct am_arena *arena,
                                  struct am_chains *out, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .arena = arena, .err = err};
    size_t cap = 0;

    am_db_rows_open(&rows, "SELECT node, first, launches, start FROM chain ORDER BY first");
    while (am_db_rows_next(&rows)) {
        struct am_chain *const items =
            am_db_rows_room(&rows, out->items, out->n, &cap, sizeof(*items));
        size_t n = 0;
        const void *start;

        if (!items)
            break;
        out->items = items;
        items[out->n] = (struct am_chain){
            .node = am_db_get_text_or_null(&rows, 0),
            .first = am_db_get_int(&rows, 1),
            .launches = am_db_get_int(&rows, 2),
        };
        start = am_db_get_blob(&rows, 3, &n);
        if (n != AM_DIGEST_BYTES || items[out->n].first < 1 || items[out->n].launches < 0 ||
            (items[out->n].node != NULL) != merged) {
            (void)am_db_rows_damaged(&rows, "a chain of seals is none");
            break;
        }
        memcpy(items[out->n].start, start, AM_DIGEST_BYTES);
        memcpy(items[out->n].head, start, AM_DIGEST_BYTES);
        out->n++;
    }
    return am_db_rows_close(&rows);
}

/* What became of a table since it was sealed. */
enum kept { KEPT, CHANGED, UNSEALED };

/* Compares the table with its seal; its digest is put into `digest`. */
static enum am_status compare_table(struct am_store *store, enum am_sealed which,
                                    unsigned char digest[AM_DIGEST_BYTES], enum kept *kept,
                                    struct am_err *err)
{
    static const char sql[] = "SELECT digest = ?2 FROM table_seal WHERE name = ?1";
    struct am_db_rows rows = {.store = store, .err = err, .keep = true};
    const enum am_status s = digest_table(store, which, digest, err);

    *kept = UNSEALED;
    if (s != AM_OK)
        return s;
    am_db_rows_open(&rows, sql);
    if (rows.status == AM_OK &&
        (sqlite3_bind_text(rows.stmt, 1, tables[which].name, -1, SQLITE_STATIC) != SQLITE_OK ||
         sqlite3_bind_blob(rows.stmt, 2, digest, AM_DIGEST_BYTES, SQLITE_STATIC) != SQLITE_OK))
        rows.status = am_db_fail(store, "read", err);
    if (am_db_rows_next(&rows))
        *kept = sqlite3_column_int(rows.stmt, 0) == 1 ? KEPT : CHANGED;
    return am_db_rows_close(&rows);
}

/* All of them, but for the missing seal of the chain, which `out` tells. */
static enum am_status check_tables(struct am_store *store, bool merged, struct digests *out,
                                   struct am_err *err)
{
    enum am_status s = AM_OK;

    for (unsigned i = 0; s == AM_OK && i < AM_SEALED_COUNT; i++) {
        enum kept kept;

        if (i >= AM_SEALED_NODE && !merged)
            continue;
        s = compare_table(store, (enum am_sealed)i, out->of[i], &kept, err);
        if (i == AM_SEALED_CHAIN && kept == UNSEALED)
            out->chain_unsealed = true;
        else if (s == AM_OK && kept != KEPT)
            s = am_fail(err, AM_E_STORE, "%s is not as it was stored", tables[i].name);
    }
    return s;
}

static void add_tables(struct am_digest *all, bool merged, const struct digests *digests)
{
    for (unsigned i = 0; i < AM_SEALED_COUNT; i++) {
        if (i < AM_SEALED_NODE || merged)
            am_digest_add(all, digests->of[i], AM_DIGEST_BYTES);
    }
}

void am_seal_doubt(struct am_store *store)
{
    const bool merged = am_read_is_merged(store);
    unsigned char digest[AM_DIGEST_BYTES];
    struct am_err ignored = {0};

    if (am_db_read_begin(store, &ignored) != AM_OK) {
        store->doubtful = AM_SEALED_ALL;
        return;
    }
    for (unsigned i = 0; i < AM_SEALED_COUNT; i++) {
        enum kept kept;

        if ((i < AM_SEALED_NODE || merged) &&
            (compare_table(store, (enum am_sealed)i, digest, &kept, &ignored) != AM_OK ||
             kept != KEPT))
            store->doubtful |= 1u << i;
    }
    am_db_read_end(store);
}

/* The start of a run's own chain follows from its tables, and tells by which form it was begun; of
 * a merged file's it is kept only. */
static enum am_status check_start(const struct digests *digests, const struct am_chains *chains,
                                  size_t *form, struct am_err *err)
{
    unsigned char start[AM_DIGEST_BYTES];

    *form = 0;
    if (chains->n == 0 || chains->items[0].node)
        return AM_OK;
    for (; *form < FORMS; ++*form) {
        digest_start(digests, *form, chains->items[0].first, start);
        if (memcmp(start, chains->items[0].start, sizeof(start)) == 0)
            return AM_OK;
    }
    return am_fail(err, AM_E_STORE, "the circumstances are not those that the launches began in");
}

static void add_chains(struct am_digest *all, const struct am_chains *chains)
{
    for (size_t i = 0; i < chains->n; i++) {
        const struct am_chain *const c = &chains->items[i];

        if (c->node)
            am_digest_add(all, c->node, strlen(c->node) + 1);
        add_word(all, 'i', (uint64_t)c->launches);
        am_digest_add(all, c->head, sizeof(c->head));
    }
}

static size_t count_sealed(const struct am_chains *chains)
{
    size_t n = 0;

    for (size_t i = 0; i < chains->n; i++)
        n += (size_t)chains->items[i].checked;
    return n;
}

static enum am_status count_launches(struct am_store *store, size_t *n, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};

    am_db_rows_open(&rows, "SELECT count(*) FROM launch");
    if (am_db_rows_next(&rows))
        *n = (size_t)am_db_get_int(&rows, 0);
    return am_db_rows_close(&rows);
}

/* Whether a statement has a row; an error is told. */
static enum am_status find_any(struct am_store *store, const char *sql, bool *there,
                               struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};

    am_db_rows_open(&rows, sql);
    *there = am_db_rows_next(&rows);
    return am_db_rows_close(&rows);
}

/* One bit of the header makes a file look as one of a version without seals; and every version that
 * stores its commit seals what it stores. `merged`: of several machines, each with its own version.
 */
static enum am_status check_unsealed(struct am_store *store, bool merged, struct am_err *err)
{
    bool seals = false, commit = false;
    enum am_status s = find_any(store,
                                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name IN"
                                " ('chain', 'seal', 'sample_seal', 'table_seal')",
                                &seals, err);

    if (s == AM_OK)
        s = find_any(store, "SELECT 1 FROM build WHERE key = 'commit'", &commit, err);
    if (s == AM_OK && store->version < AM_SCHEMA_VERSION && (seals || commit))
        s = am_fail(err, AM_E_STORE, "it is of a version with seals, and claims one that had none");
    if (s == AM_OK && store->version >= AM_SCHEMA_VERSION && commit && !merged)
        s = am_fail(err, AM_E_STORE, "launches have lost their seals");
    return s;
}

static enum am_status check_all(struct am_store *store, bool whole, struct am_arena *arena,
                                struct am_seal *out, struct am_err *err)
{
    unsigned char bytes[AM_DIGEST_BYTES];
    struct am_chains chains = {0};
    struct digests digests = {0};
    struct am_digest all;
    const bool merged = am_read_is_merged(store);
    enum am_status s = AM_OK;
    size_t form = 0;

    if (store->version >= AM_SCHEMA_VERSION)
        s = read_chains(store, merged, arena, &chains, err);
    if (s != AM_OK)
        return s;
    if (chains.n == 0 && !(merged && store->version >= AM_SCHEMA_VERSION)) {
        s = count_launches(store, &out->unsealed, err);
        if (s == AM_OK && store->version >= AM_SCHEMA_VERSION)
            s = am_fail(err, AM_E_STORE, "its launches have no chain of seals");
        return s == AM_OK ? check_unsealed(store, merged, err) : s;
    }
    s = check_tables(store, merged, &digests, err);
    if (s == AM_OK)
        s = check_start(&digests, &chains, &form, err);
    if (s == AM_OK && digests.chain_unsealed && (merged || forms[form].seals_chain))
        s = am_fail(err, AM_E_STORE, "the chain of seals has lost its own");
    if (s == AM_OK && !am_seal_walk(store, &chains, whole, &out->unsealed, err))
        s = AM_E_STORE;
    if (s == AM_OK && out->unsealed)
        s = check_unsealed(store, merged, err);
    out->sealed = count_sealed(&chains);
    if (s != AM_OK)
        return s;
    out->state = out->unsealed || digests.chain_unsealed ? AM_SEAL_PARTLY : AM_SEAL_HOLDS;
    if (digests.chain_unsealed)
        out->story = "sealed by an earlier form, which does not tell whether launches are missing "
                     "at its end";
    am_digest_init(&all);
    am_digest_add(&all, forms[form].heading, strlen(forms[form].heading) + 1);
    add_tables(&all, merged, &digests);
    add_chains(&all, &chains);
    am_digest_finish(&all, bytes);
    am_digest_text(bytes, out->digest);
    return AM_OK;
}

void am_seal_check(struct am_store *store, bool whole, struct am_arena *arena, struct am_seal *out)
{
    struct am_err err = {0};
    const char *story;

    *out = (struct am_seal){.state = AM_SEAL_NONE};
    if (check_all(store, whole, arena, out, &err) == AM_OK)
        return;
    story = am_arena_strdup(arena, err.text);
    out->state = AM_SEAL_BROKEN;
    out->story = story ? story : "out of memory";
    out->digest[0] = '\0';
}
