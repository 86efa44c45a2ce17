/* SPDX-License-Identifier: MIT */
/* Variants of described stencils by what their formulas allow. */
#include "cli/stencil/variants.h"

#include "cli/stencil/emit_device.h"
#include "cli/stencil/emit_fold.h"
#include "cli/stencil/emit_wave.h"

#include <string.h>

/* ---- why not: in the order of the conditions ---- */

static const char *lacks_waves(const struct am_description *d)
{
    if (am_emit_has_waves(d))
        return NULL;
    if (d->boundary[0] != AM_BOUNDARY_PERIODIC)
        return "in one dimension waves are for rings (boundary periodic), and this one has sides";
    if (d->second)
        return "in one dimension waves are for first order in time, and this one reads .before";
    return "in one dimension waves are for one field whose formula is a sum of neighbours, each "
           "times numbers and parameters";
}

static const char *lacks_folds(const struct am_description *d)
{
    if (d->dimensions < 3)
        return "folds are for three dimensions";
    return am_emit_has_folds(d)
               ? NULL
               : "folds are for formulas that reach two points or more along y or z";
}

static const char *lacks_device_waves(const struct am_description *d)
{
    struct am_weights w;

    if (am_emit_has_device_waves(d))
        return NULL;
    if (d->dimensions == 1)
        return "waves on devices are for two and three dimensions";
    if (!am_weights_find(d, &w))
        return "waves on devices are for one field whose formula is a sum of neighbours, each "
               "times numbers and parameters";
    return "waves on devices are for neighbours at distance 1 along the axes";
}

static const struct {
    const char *name;
    const char *(*lacks)(const struct am_description *d); /* NULL: all have it */
    bool device;
} variants[] = {
    {"plain", NULL, false},       {"tiled", NULL, false}, {"wave", lacks_waves, false},
    {"fold", lacks_folds, false}, {"device", NULL, true}, {"device-wave", lacks_device_waves, true},
};
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

void am_variants_list(const struct am_description *d, bool devices, const char *between,
                      struct am_text *out)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        if ((!variants[i].device || devices) && (!variants[i].lacks || !variants[i].lacks(d)))
            am_text_addf(out, "%s%s", i ? between : "", variants[i].name);
    }
}

const char *am_variant_lacks(const struct am_description *d, const char *variant)
{
    for (size_t i = 0; i < VARIANTS; i++) {
        if (strcmp(variants[i].name, variant) == 0)
            return variants[i].lacks ? variants[i].lacks(d) : NULL;
    }
    return NULL;
}
