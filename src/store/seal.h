/* SPDX-License-Identifier: MIT */
/* Inside the store only: seals, made when rows are written and compared when they are read.
 *
 * A seal is a SHA-256 digest of rows in one canonical encoding (doc/internals/seals.md). There are
 * three kinds. Tables that are not of launches have one each, made anew by every commit that
 * changes the table. A visit's samples have two: over what loading reads of them, which compares
 * it on the way, and over the rest. A launch has one over its own row, its surroundings, its visits
 * with all that workers said, its visits' sample seals, and the seal of the launch before: the
 * chain. Ids are not part of a launch's seal, so that a merged file keeps the chains of its parts.
 *
 * Sealing reads the rows back from the file, inside the commit that writes them; checking reads
 * them by the same statements. So there is one encoding and one order. */
#ifndef AM_STORE_SEAL_H
#define AM_STORE_SEAL_H

#include "base/digest.h"
#include "store/db.h"
#include "store/read.h"
#include "store/store.h"

/* What has a seal beside the launches. Two are parts of a table: `plan` is the run's row without
 * what its end changes, `stop` the points' stop reasons. `chain` goes with the latest seal of each
 * chain: how many launches there are is not told by their seals. */
enum am_sealed {
    AM_SEALED_RUN,
    AM_SEALED_PLAN,
    AM_SEALED_MACHINE,
    AM_SEALED_ENVIRONMENT,
    AM_SEALED_SETTING,
    AM_SEALED_BUILD,
    AM_SEALED_FINDING,
    AM_SEALED_BENCH,
    AM_SEALED_AXIS,
    AM_SEALED_METRIC,
    AM_SEALED_POINT,
    AM_SEALED_STOP,
    AM_SEALED_PARAM,
    AM_SEALED_CHAIN,
    AM_SEALED_NODE, /* of merged files only, as the next */
    AM_SEALED_NODE_FACT,
    AM_SEALED_COUNT,
};
#define AM_SEALED(part) (1u << AM_SEALED_##part)
#define AM_SEALED_OF_RUNS (AM_SEALED(NODE) - 1u)
#define AM_SEALED_ALL ((1u << AM_SEALED_COUNT) - 1u)

/* ---- writing, inside a commit ---- */

/* Looks, before anything is written, which tables are not as their seals say: these are not sealed
 * again. */
void am_seal_doubt(struct am_store *store);
/* Seals the chosen tables as they stand now. */
enum am_status am_seal_tables(struct am_store *store, unsigned which, struct am_err *err);
/* Begins the chain of a run: launches stored from now on are sealed. */
enum am_status am_seal_begin(struct am_store *store, struct am_err *err);
/* Seals the launch just written with its visits first_visit..last_visit. */
enum am_status am_seal_launch(struct am_store *store, int64_t launch, int64_t first_visit,
                              int64_t last_visit, struct am_err *err);

/* ---- reading ---- */

/* Adds a row's columns from `from` on in the canonical encoding. */
void am_seal_columns(struct am_digest *d, sqlite3_stmt *stmt, int from);

/* What loading reads of a sample. Clocks are NAN where they are NULL, as values are. */
struct am_sealed_sample {
    int64_t seq, labels, elapsed_ns;
    double hz_before, hz_after;
};
/* A visit's first seal: each sample, followed by its values in the order of their metrics' names.
 */
void am_seal_sample(struct am_digest *d, const struct am_sealed_sample *sample);
void am_seal_value(struct am_digest *d, const char *metric, double value);

/* Compares rows that loading has at hand, all those of a point, with the first seals of their
 * visits, which `seals` reads (opened with am_seal_sql_shown). Sets *launch, if it is 0, to the
 * first whose samples are not as they were stored. A visit without a seal is passed over: its
 * launch's seal tells. */
extern const char am_seal_sql_shown[];
enum am_status am_seal_compare(struct am_db_rows *seals, const struct am_read_bench *bench,
                               const struct am_read_value *rows, size_t n, int64_t *launch);

/* Compares all that is sealed; am_db_read_begin() comes before it. Samples and values are read
 * only when `whole` is true; else their stored seals stand for them, and who loads the samples
 * compares them with those. What does not hold, also what
 * cannot be read, is told in `out`. Texts live in the arena. */
void am_seal_check(struct am_store *store, bool whole, struct am_arena *arena, struct am_seal *out);

/* One digest over benches, axes and metrics, as they stand now: where it is the same, so are all
 * rows of these tables, with their ids. */
enum am_status am_seal_plan(struct am_store *store, unsigned char out[AM_DIGEST_BYTES],
                            struct am_err *err);

/* ---- the walk over launches, for seal.c ---- */

struct am_chain {
    const char *node; /* NULL: of a run's own file */
    int64_t first, launches;
    unsigned char start[AM_DIGEST_BYTES];
    unsigned char head[AM_DIGEST_BYTES]; /* the last seal, as it was computed */
    int64_t checked;                     /* launches that the walk met */
};
struct am_chains {
    struct am_chain *items;
    size_t n;
};
/* Walks all launches and compares; false ends at the first that does not hold, which `story` then
 * names. `unsealed` counts those of no chain. */
bool am_seal_walk(struct am_store *store, struct am_chains *chains, bool whole, size_t *unsealed,
                  struct am_err *story);

#endif
