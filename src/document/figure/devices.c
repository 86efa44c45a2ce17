/* SPDX-License-Identifier: MIT */
/* Devices by their facts. */
#include "document/figure/devices.h"

#include "base/text.h"
#include "core/stats/grade.h"

#include <math.h>
#include <string.h>

enum { WHERE_BYTES = 256 };

const struct am_fact *am_device_fact(const struct am_facts *facts, const char *device,
                                     const char *name, const char *where)
{
    char all[WHERE_BYTES];

    (void)am_str_format(all, sizeof(all), "device=%s%s%s", device, where ? " " : "",
                        where ? where : "");
    return am_facts_most(facts, name, all);
}

/* Characters before the number at the end of a name. */
static size_t stem(const char *name)
{
    size_t n = strlen(name);

    while (n > 0 && strchr("-_0123456789", name[n - 1]))
        n--;
    return n;
}

static bool are_near(const struct am_fact *a, const struct am_fact *b)
{
    return (!a && !b) ||
           (a && b && fabs(a->value - b->value) <= am_grade_rows[AM_REASON_WIDE].a * a->value);
}

static bool are_alike(const struct am_facts *facts, const char *a, const char *b)
{
    static const struct {
        const char *name, *where;
    } figures[] = {{"opencl.peak", "type=float"},
                   {"opencl.peak", "type=double"},
                   {"opencl.read", NULL},
                   {"opencl.transfer", "direction=h2d"}};

    if (stem(a) != stem(b) || strncmp(a, b, stem(a)) != 0 || !a[stem(a)])
        return false;
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        if (!are_near(am_device_fact(facts, a, figures[i].name, figures[i].where),
                      am_device_fact(facts, b, figures[i].name, figures[i].where)))
            return false;
    }
    return true;
}

static bool is_processor(const struct am_facts *facts, const char *device)
{
    return am_device_fact(facts, device, "opencl.peak_over_native", NULL) ||
           am_device_fact(facts, device, "opencl.read_over_native", NULL) ||
           am_device_fact(facts, device, "opencl.scale_over_native", NULL);
}

/* The different values of the label `device`. */
static size_t name_all(const struct am_facts *facts, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < facts->n; i++) {
        const char *const name = am_fact_text(&facts->items[i], "device");
        size_t k = 0;

        while (name && k < n && strcmp(names[k], name) != 0)
            k++;
        if (name && k == n && n < AM_DEVICES_MAX)
            names[n++] = name;
    }
    return n;
}

size_t am_devices_find(const struct am_facts *facts, struct am_device_group *out)
{
    const char *names[AM_DEVICES_MAX];
    const size_t all = name_all(facts, names);
    size_t n = 0;

    for (size_t i = 0; i < all; i++) {
        size_t k = 0;

        while (k < n && !are_alike(facts, out[k].name, names[i]))
            k++;
        if (k == n)
            out[n++] = (struct am_device_group){.name = names[i],
                                                .processor = is_processor(facts, names[i])};
        out[k].alike++;
    }
    return n;
}
