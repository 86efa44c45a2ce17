/* SPDX-License-Identifier: MIT */
/* Looking for models in folders. */
#include "cli/run/known.h"

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/run/machines.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = ".json";

static size_t stem_of(const char *name)
{
    const size_t n = strlen(name), e = sizeof(ending) - 1;

    return n > e && strcmp(name + n - e, ending) == 0 ? n - e : 0;
}

static int is_model(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && stem_of(entry->d_name) > 0;
}

const char *am_known_folder(struct am_arena *arena)
{
    const char *const data = getenv("XDG_DATA_HOME"), *const home = getenv("HOME");

    if (data && *data)
        return am_arena_printf(arena, "%s/archmeter/machines", data);
    return home && *home ? am_arena_printf(arena, "%s/.local/share/archmeter/machines", home)
                         : NULL;
}

static enum am_status add_file(const struct am_cli *cli, const char *folder, const char *file,
                               bool shipped, struct am_known_machines *out, struct am_err *err)
{
    struct am_err story = {0};
    struct am_known known = {.shipped = shipped,
                             .name = am_arena_strndup(cli->arena, file, stem_of(file)),
                             .path = am_arena_printf(cli->arena, "%s/%s", folder, file)};
    struct am_known *added;

    if (!known.name || !known.path)
        return am_fail(err, AM_E_NOMEM, "no memory for the known machines");
    if (am_load_machine(cli, known.path, NULL, &known.model, &story) != AM_OK) {
        am_log(AM_LOG_WARN, "passed over: %s", story.text);
        return AM_OK;
    }
    added = AM_ARRAY_ADD(cli->arena, out->items, out->n, out->cap);
    if (!added)
        return am_fail(err, AM_E_NOMEM, "no memory for the known machines");
    *added = known;
    return AM_OK;
}

static enum am_status add_folder(const struct am_cli *cli, const char *folder, bool shipped,
                                 struct am_known_machines *out, struct am_err *err)
{
    struct dirent **entries = NULL;
    const int n = folder ? scandir(folder, &entries, is_model, alphasort) : 0;
    enum am_status status = AM_OK;

    for (int i = 0; i < n; i++) {
        if (status == AM_OK)
            status = add_file(cli, folder, entries[i]->d_name, shipped, out, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

const char *am_shipped_folder(const char *word, struct am_arena *arena)
{
    static const char *const places[] = {"", "../share/archmeter/", "../"};
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n <= 0)
        return NULL;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const char *const folder = am_arena_printf(arena, "%s/%s%s", self, places[i], word);

        if (folder && access(folder, R_OK) == 0)
            return folder;
    }
    return NULL;
}

enum am_status am_known_load(const struct am_cli *cli, struct am_known_machines *out,
                             struct am_err *err)
{
    enum am_status status;

    *out = (struct am_known_machines){0};
    status = add_folder(cli, am_shipped_folder("known", cli->arena), true, out, err);
    return status == AM_OK ? add_folder(cli, am_known_folder(cli->arena), false, out, err) : status;
}
