/* SPDX-License-Identifier: MIT */
/* Temporary results files. */
#include "cli/run/scratch.h"

#include "base/text.h"
#include "cli/run/measure.h"

#include <stdlib.h>
#include <unistd.h>

enum am_status am_scratch_open(struct am_scratch *place, const char *wanted, struct am_err *err)
{
    const char *tmp = getenv("TMPDIR");

    *place = (struct am_scratch){.temporary = !wanted};
    if (wanted) {
        (void)am_str_copy(place->path, sizeof(place->path), wanted);
        return AM_OK;
    }
    if (!am_str_format(place->dir, sizeof(place->dir), "%s/archmeter-XXXXXX",
                       tmp && *tmp ? tmp : "/tmp") ||
        !mkdtemp(place->dir)) {
        place->dir[0] = '\0';
        return am_fail(err, AM_E_SYS, "cannot create a temporary directory");
    }
    (void)am_str_format(place->path, sizeof(place->path), "%s/run.db", place->dir);
    return AM_OK;
}

void am_scratch_close(const struct am_scratch *place)
{
    if (!place->temporary || !place->dir[0])
        return;
    (void)unlink(place->path);
    (void)rmdir(place->dir);
}

enum am_status am_scratch_measure(struct am_cli *cli, struct am_setup *setup,
                                  const struct am_scratch *place, struct am_store **store_p,
                                  struct am_err *err)
{
    struct am_outcome outcome = {0};
    enum am_status status = am_measure_create(cli, setup, place->path, store_p, err);

    if (status == AM_OK)
        status = am_measure_run(cli, setup, *store_p, NULL, &outcome, err);
    if (status == AM_OK && outcome.interrupted)
        status = am_fail(err, AM_E_INTERRUPTED, "interrupted");
    if (status == AM_OK && outcome.ok == 0)
        status = am_fail(err, AM_E_ABSENT, "nothing could be measured");
    return status;
}
