/* SPDX-License-Identifier: MIT */
/* Elements of either type on their way into a layout and back. */
#include "app/stencil/elements.h"

#include <stdint.h>
#include <string.h>

enum am_status am_elements_check(enum am_stencil_form form, enum am_stencil_type type,
                                 const void *x, size_t count, struct am_err *err)
{
    const double most = am_stencil_magnitude(form, type);
    const bool narrow = type == AM_STENCIL_F32;
    const float *const f32 = x;
    const double *const f64 = x;

    for (size_t i = 0; i < count; i++) {
        const double value = narrow ? (double)f32[i] : f64[i];

        if (!(value >= -most && value <= most))
            return am_fail(err, AM_E_LIMIT, "point %zu is %g: form %s takes up to %g", i, value,
                           am_stencil_forms[form], most);
    }
    return AM_OK;
}

void am_elements_move(char *to, size_t to_step, const char *from, size_t from_step, size_t count,
                      size_t element_bytes)
{
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, count * element_bytes);
    } else if (element_bytes == sizeof(uint32_t)) {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * to_step * sizeof(uint32_t), from + i * from_step * sizeof(uint32_t),
                   sizeof(uint32_t));
    } else {
        for (size_t i = 0; i < count; i++)
            memcpy(to + i * to_step * sizeof(uint64_t), from + i * from_step * sizeof(uint64_t),
                   sizeof(uint64_t));
    }
}
