/* SPDX-License-Identifier: MIT */
/* Seals that a writer other than ours could make: over whatever stands in a file by now, as if it
 * had been stored so. */
#ifndef AM_TESTS_SEAL_AGAIN_H
#define AM_TESTS_SEAL_AGAIN_H

#include "store/db.h"
#include "store/seal.h"

/* Each launch with the seals that storing it would have given it, in their order. */
static inline enum am_status sa_seal_launches(struct am_store *store, struct am_err *err)
{
    struct am_db_rows rows = {.store = store, .err = err};
    enum am_status s = AM_OK;

    am_db_rows_open(&rows, "SELECT launch, min(id), max(id) FROM visit GROUP BY launch");
    while (s == AM_OK && am_db_rows_next(&rows))
        s = am_seal_launch(store, am_db_get_int(&rows, 0), am_db_get_int(&rows, 1),
                           am_db_get_int(&rows, 2), err);
    return am_db_rows_close(&rows) == AM_OK ? s : rows.status;
}

/* A chain begins before the first launch: those that are there stand aside meanwhile. */
static inline enum am_status sa_seal(const char *path, struct am_err *err)
{
    struct am_store *store = NULL;
    enum am_status s = am_store_open(path, true, &store, err);

    if (s == AM_OK)
        store->doubtful = 0;
    if (s == AM_OK)
        s = am_db_exec(store, "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF", "seal", err);
    if (s == AM_OK)
        s = am_db_begin(store, err);
    if (s == AM_OK) {
        s = am_db_exec(
            store,
            "DELETE FROM seal; DELETE FROM sample_seal; DELETE FROM chain;"
            "DELETE FROM table_seal; CREATE TEMP TABLE aside AS SELECT * FROM main.launch;"
            "DELETE FROM main.launch",
            "seal", err);
        if (s == AM_OK)
            s = am_seal_begin(store, err);
        if (s == AM_OK)
            s = am_db_exec(store, "INSERT INTO main.launch SELECT * FROM temp.aside", "seal", err);
        if (s == AM_OK)
            s = sa_seal_launches(store, err);
        s = am_db_end(store, s, err);
    }
    am_store_close(store);
    return s;
}

#endif
