/* SPDX-License-Identifier: MIT */
/* Hardware events through PAPI. Declarations are our own, so that no build needs its headers. */
#include "worker/counters.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAPI_OK_CODE = 0, PAPI_NONE = -1, OPTION_INHERIT = 28, INHERIT_ALL = 1 };
enum { CPU_COMPONENT = 0, OPTION_BYTES = 4096 };

/* The beginning of the library's option union in the case of inheritance; the rest is zero. */
union option {
    struct {
        int set, inherit;
    } inherit;
    char room[OPTION_BYTES];
};

struct library {
    void *handle;
    int (*init)(int version);
    void (*shutdown)(void);
    int (*create)(int *set);
    int (*assign)(int set, int component);
    int (*option)(int option, void *value);
    int (*add)(int set, const char *name);
    int (*start)(int set);
    int (*stop)(int set, long long *values);
    int (*read)(int set, long long *values);
    int (*cleanup)(int set);
    int (*destroy)(int *set);
    char *(*error)(int code);
};

struct am_counters {
    struct library library;
    int set;
    size_t n;
    bool follow, initialised, started;
};

static const struct {
    const char *name;
    size_t at;
} symbols[] = {
    {"PAPI_library_init", offsetof(struct library, init)},
    {"PAPI_shutdown", offsetof(struct library, shutdown)},
    {"PAPI_create_eventset", offsetof(struct library, create)},
    {"PAPI_assign_eventset_component", offsetof(struct library, assign)},
    {"PAPI_set_opt", offsetof(struct library, option)},
    {"PAPI_add_named_event", offsetof(struct library, add)},
    {"PAPI_start", offsetof(struct library, start)},
    {"PAPI_stop", offsetof(struct library, stop)},
    {"PAPI_read", offsetof(struct library, read)},
    {"PAPI_cleanup_eventset", offsetof(struct library, cleanup)},
    {"PAPI_destroy_eventset", offsetof(struct library, destroy)},
    {"PAPI_strerror", offsetof(struct library, error)},
};

/* A library takes its own version only: major and minor in the upper half. */
static const int versions[] = {0x07020000, 0x07010000, 0x07000000, 0x06000000, 0x05070000};
static const char *const files[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                    "libpapi.so.6.0", "libpapi.so"};

/* ---- names ---- */

static const struct {
    const char *name;
    const char *events[2];
} lists[] = {
    {"l2", {"PAPI_L2_TCA", "PAPI_L2_TCM"}},
    {"l3", {"PAPI_L3_TCA", "PAPI_L3_TCM"}},
};

static enum am_status add_name(struct am_counter_names *out, const char *name, struct am_err *err)
{
    if (am_name_index(out->items, out->n, name) >= 0)
        return AM_OK;
    if (out->n == AM_COUNTERS_MAX)
        return am_fail(err, AM_E_USAGE, "at most %d events are counted at a time", AM_COUNTERS_MAX);
    out->items[out->n++] = name;
    return AM_OK;
}

static enum am_status add_word(struct am_counter_names *out, const char *word, struct am_err *err)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        enum am_status s;

        if (strcmp(lists[i].name, word) != 0)
            continue;
        s = add_name(out, lists[i].events[0], err);
        return s == AM_OK ? add_name(out, lists[i].events[1], err) : s;
    }
    return add_name(out, word, err);
}

enum am_status am_counters_expand(const char *text, struct am_arena *arena,
                                  struct am_counter_names *out, struct am_err *err)
{
    enum am_status s = AM_OK;

    *out = (struct am_counter_names){.n = 0};
    while (s == AM_OK) {
        const size_t len = strcspn(text, ",");
        const char *const word = am_arena_strndup(arena, text, len);

        if (!word)
            return am_fail(err, AM_E_NOMEM, "no memory for the names of events");
        if (len == 0 || strpbrk(word, " \t"))
            return am_fail(err, AM_E_USAGE, "\"%s\" is no name of an event", word);
        s = add_word(out, word, err);
        if (text[len] == '\0')
            break;
        text += len + 1;
    }
    return s;
}

/* ---- the library ---- */

static bool bind_library(struct library *l, const char *file)
{
    l->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; l->handle && i < sizeof(symbols) / sizeof(*symbols); i++) {
        void *const found = dlsym(l->handle, symbols[i].name);

        if (!found) {
            (void)dlclose(l->handle);
            l->handle = NULL;
            break;
        }
        memcpy((char *)l + symbols[i].at, &found, sizeof(found));
    }
    return l->handle != NULL;
}

static enum am_status load(struct am_counters *c, struct am_err *err)
{
    const char *const named = getenv("ARCHMETER_PAPI");
    bool found = named && bind_library(&c->library, named);

    for (size_t i = 0; !named && !found && i < sizeof(files) / sizeof(*files); i++)
        found = bind_library(&c->library, files[i]);
    if (!found)
        return am_fail(err, AM_E_ABSENT,
                       "events cannot be counted: the PAPI library is not here (%s); Debian's "
                       "package is libpapi7.0",
                       named ? named : files[0]);
    for (size_t i = 0; !c->initialised && i < sizeof(versions) / sizeof(*versions); i++)
        c->initialised = c->library.init(versions[i]) == versions[i];
    if (!c->initialised)
        return am_fail(err, AM_E_ABSENT,
                       "events cannot be counted: the PAPI library does not start here");
    return AM_OK;
}

static bool follow(const struct am_counters *c)
{
    union option option = {.inherit = {c->set, INHERIT_ALL}};

    return c->library.option(OPTION_INHERIT, &option) == PAPI_OK_CODE;
}

static enum am_status begin(struct am_counters *c, const struct am_counter_names *names,
                            struct am_err *err)
{
    const struct library *const l = &c->library;
    int code = l->create(&c->set);

    if (code == PAPI_OK_CODE)
        code = l->assign(c->set, CPU_COMPONENT);
    if (code != PAPI_OK_CODE)
        return am_fail(err, AM_E_ABSENT, "events cannot be counted: %s", l->error(code));
    c->follow = follow(c);
    for (; c->n < names->n; c->n++) {
        code = l->add(c->set, names->items[c->n]);
        if (code != PAPI_OK_CODE)
            return am_fail(err, AM_E_ABSENT,
                           "%s cannot be counted: %s (virtual machines often have no hardware "
                           "counters; \"papi_avail -a\" lists what there is)",
                           names->items[c->n], l->error(code));
    }
    code = l->start(c->set);
    c->started = code == PAPI_OK_CODE;
    if (!c->started)
        return am_fail(err, AM_E_ABSENT,
                       "events cannot be counted: %s (kernel.perf_event_paranoid above 2 forbids "
                       "it; fewer events at a time may fit)",
                       l->error(code));
    return AM_OK;
}

enum am_status am_counters_open(const struct am_counter_names *names,
                                struct am_counters **counters_p, struct am_err *err)
{
    struct am_counters *const c = calloc(1, sizeof(*c));
    enum am_status s;

    if (!c)
        return am_fail(err, AM_E_NOMEM, "no memory for the counters");
    c->set = PAPI_NONE;
    s = load(c, err);
    if (s == AM_OK)
        s = begin(c, names, err);
    if (s == AM_OK)
        *counters_p = c;
    else
        am_counters_close(c);
    return s;
}

bool am_counters_read(struct am_counters *c, double *out)
{
    long long values[AM_COUNTERS_MAX] = {0};

    if (c->library.read(c->set, values) != PAPI_OK_CODE)
        return false;
    for (size_t i = 0; i < c->n; i++)
        out[i] = (double)values[i];
    return true;
}

bool am_counters_follow(const struct am_counters *c)
{
    return c->follow;
}

/* The library stays mapped: it has registered handlers that outlive it. */
void am_counters_close(struct am_counters *c)
{
    long long values[AM_COUNTERS_MAX];

    if (!c)
        return;
    if (c->started)
        (void)c->library.stop(c->set, values);
    if (c->set != PAPI_NONE) {
        (void)c->library.cleanup(c->set);
        (void)c->library.destroy(&c->set);
    }
    if (c->initialised)
        c->library.shutdown();
    free(c);
}
