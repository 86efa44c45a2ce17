/* SPDX-License-Identifier: MIT */
/* Several OpenCL devices as one: their names, and which devices they are. */
#include "bench/ocl/host/together.h"

#include "base/text.h"
#include "bench/ocl/host/found.h"

#include <string.h>

enum { NAMES_MAX = 3 * AM_OCL_FOUND_MAX };

static const char together_named[] = "several devices are one where they are named";

/* NAME*2 for every device, and as many as there are equal ones. Made once: axes keep pointers. */
static struct {
    bool made;
    char text[NAMES_MAX][AM_OCL_NAME_MAX];
    const char *names[NAMES_MAX + 1];
} known;

static bool exists(const char *name, unsigned number)
{
    char wanted[AM_OCL_NAME_MAX];

    if (!am_str_format(wanted, sizeof(wanted), "%s-%u", name, number))
        return false;
    return am_name_index(am_ocl_device_names(), AM_NAMES_ENDED, wanted) >= 0;
}

const char *const *am_ocl_together_names(void)
{
    size_t n = 0;

    if (known.made)
        return known.names;
    known.made = true;
    for (const char *const *name = am_ocl_device_names(); *name && n < NAMES_MAX; name++)
        known.names[n++] = *name;
    for (const char *const *name = am_ocl_device_names(); *name; name++) {
        for (unsigned k = 2; k <= AM_OCL_TOGETHER_MAX && !am_ocl_device_why_not(*name); k++) {
            if ((k == 2 || exists(*name, k)) && n < NAMES_MAX &&
                am_str_format(known.text[n], sizeof(known.text[n]), "%s*%u", *name, k)) {
                known.names[n] = known.text[n];
                n++;
            }
        }
    }
    return known.names;
}

const char *am_ocl_together_why_not(const char *name)
{
    return strchr(name, '*') ? together_named : am_ocl_device_why_not(name);
}

/* Equal devices where there are so many, else shares of the one. */
static enum am_status open_equal(struct am_ocl_together *w, const struct am_ctx *ctx,
                                 const char *name, size_t k, struct am_err *err)
{
    enum am_status s = am_ocl_device_open(&w->device[0], ctx, name, err);

    w->count = k;
    w->use[0] = &w->device[0];
    if (s != AM_OK || k == 1)
        return s;
    if (!exists(name, (unsigned)k)) {
        s = am_ocl_split_open(&w->split, &w->device[0], k, err);
        for (size_t i = 0; i < k; i++)
            w->use[i] = &w->split.device[i];
        return s;
    }
    for (size_t i = 1; i < k && s == AM_OK; i++) {
        char other[AM_OCL_NAME_MAX];

        if (!am_str_format(other, sizeof(other), "%s-%zu", name, i + 1))
            return am_fail(err, AM_E_LIMIT, "the name of %s is too long", name);
        s = am_ocl_device_open(&w->device[i], ctx, other, err);
        w->use[i] = &w->device[i];
    }
    return s;
}

enum am_status am_ocl_together_open(struct am_ocl_together *w, const struct am_ctx *ctx,
                                    const char *choice, struct am_err *err)
{
    const char *const star = strchr(choice, '*');
    char name[AM_OCL_NAME_MAX];
    size_t k = 1;

    if (!am_str_copy(name, sizeof(name), choice))
        return am_fail(err, AM_E_ABSENT, "there is no device %s here", choice);
    if (star) {
        name[star - choice] = '\0';
        k = star[1] >= '2' && star[1] <= '0' + AM_OCL_TOGETHER_MAX && !star[2]
                ? (size_t)(star[1] - '0')
                : 0;
    }
    if (!k)
        return am_fail(err, AM_E_ABSENT, "%s: 2 to %d devices can be one", choice,
                       AM_OCL_TOGETHER_MAX);
    return open_equal(w, ctx, name, k, err);
}

void am_ocl_together_close(struct am_ocl_together *w)
{
    am_ocl_split_close(&w->split);
    for (size_t i = 0; i < AM_OCL_TOGETHER_MAX; i++)
        am_ocl_device_close(&w->device[i]);
}
