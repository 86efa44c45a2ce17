/* SPDX-License-Identifier: MIT */
/* A PAPI library for tests: four events that rise by fixed numbers from reading to reading.
 * $FAKE_PAPI says what it cannot do: "init", "inherit", "start". */
#include <stdlib.h>
#include <string.h>

enum { VERSION = 0x07000000, E_NOEVENT = -7, E_INVALID = -1, EVENTS_MAX = 8 };

int PAPI_library_init(int version);
void PAPI_shutdown(void);
int PAPI_create_eventset(int *set);
int PAPI_assign_eventset_component(int set, int component);
int PAPI_set_opt(int option, void *value);
int PAPI_add_named_event(int set, const char *name);
int PAPI_start(int set);
int PAPI_stop(int set, long long *values);
int PAPI_read(int set, long long *values);
int PAPI_cleanup_eventset(int set);
int PAPI_destroy_eventset(int *set);
char *PAPI_strerror(int code);

static const struct {
    const char *name;
    long long step;
} events[] = {
    {"PAPI_L2_TCA", 1000}, {"PAPI_L2_TCM", 250}, {"PAPI_L3_TCM", 80}, {"perf::PAGE-FAULTS", 7}};

static long long steps[EVENTS_MAX], readings;
static int n;

static int fails(const char *what)
{
    const char *const asked = getenv("FAKE_PAPI");

    return asked && strcmp(asked, what) == 0;
}

int PAPI_library_init(int version)
{
    return version == VERSION && !fails("init") ? VERSION : E_INVALID;
}

void PAPI_shutdown(void)
{
    n = 0;
}

int PAPI_create_eventset(int *set)
{
    *set = 1;
    n = 0;
    readings = 0;
    return 0;
}

int PAPI_assign_eventset_component(int set, int component)
{
    return set == 1 && component == 0 ? 0 : E_INVALID;
}

int PAPI_set_opt(int option, void *value)
{
    const int *const words = value;

    return option == 28 && words[0] == 1 && words[1] == 1 && !fails("inherit") ? 0 : E_INVALID;
}

int PAPI_add_named_event(int set, const char *name)
{
    for (size_t i = 0; set == 1 && i < sizeof(events) / sizeof(*events); i++) {
        if (strcmp(events[i].name, name) == 0) {
            steps[n++] = events[i].step;
            return 0;
        }
    }
    return E_NOEVENT;
}

int PAPI_start(int set)
{
    return set == 1 && !fails("start") ? 0 : E_INVALID;
}

int PAPI_stop(int set, long long *values)
{
    return PAPI_read(set, values);
}

int PAPI_read(int set, long long *values)
{
    readings++;
    for (int i = 0; i < n; i++)
        values[i] = readings * steps[i];
    return set == 1 && !fails("read") ? 0 : E_INVALID;
}

int PAPI_cleanup_eventset(int set)
{
    return set == 1 ? 0 : E_INVALID;
}

int PAPI_destroy_eventset(int *set)
{
    *set = -1;
    return 0;
}

char *PAPI_strerror(int code)
{
    static char no_event[] = "Event does not exist", other[] = "Invalid argument";

    return code == E_NOEVENT ? no_event : other;
}
