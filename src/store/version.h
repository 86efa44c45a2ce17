/* SPDX-License-Identifier: MIT */
/* Inside the store only: what stands in a file's schema, and files of earlier versions.
 *
 * A file of version 2, 3 or 4 is read through temporary views that show it as one of version 5
 * (version2.sql translates what version 3 changed; what later versions brought is empty in them),
 * or becomes one of version 5 when it is opened for writing: what it holds by then has no seals.
 * The rest of the store, and all above it, knows version 5 only. */
#ifndef AM_STORE_VERSION_H
#define AM_STORE_VERSION_H

#include "store/db.h"

enum { AM_SCHEMA_OLDEST = 2 }; /* that can be read; AM_SCHEMA_VERSION is written */

/* Refuses a file (AM_E_STORE) in which an object of its version is missing, or stands other than
 * we wrote it; comments and blanks aside. Then the types are as declared, and no view or odd index
 * takes a table's place. Objects that people added are let be. */
enum am_status am_version_check(struct am_store *store, struct am_err *err);

/* Shows the file `schema` ("main", or the name of an attached one) of the given version as one of
 * AM_SCHEMA_VERSION: names without a schema then mean temporary views where the versions differ.
 * With "main" of the current version nothing is needed. am_version_drop() takes the views away. */
enum am_status am_version_adapt(struct am_store *store, const char *schema, unsigned version,
                                struct am_err *err);
enum am_status am_version_drop(struct am_store *store, struct am_err *err);

/* Makes an older file one of AM_SCHEMA_VERSION, in one commit. */
enum am_status am_version_upgrade(struct am_store *store, struct am_err *err);

#endif
