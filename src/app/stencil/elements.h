/* SPDX-License-Identifier: MIT */
/* Elements of either type, for layouts of any dimension: checked, moved, and room for them. */
#ifndef AM_APP_STENCIL_ELEMENTS_H
#define AM_APP_STENCIL_ELEMENTS_H

#include "app/stencil/forms.h"

/* The next multiple of a unit. */
static inline size_t am_elements_up_to(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* AM_E_LIMIT where one of x[0] to x[count - 1] is beyond am_stencil_magnitude(), or no number. */
enum am_status am_elements_check(enum am_stencil_form form, enum am_stencil_type type,
                                 const void *x, size_t count, struct am_err *err);

/* Copies elements that are `to_step` and `from_step` elements apart. */
void am_elements_move(char *to, size_t to_step, const char *from, size_t from_step, size_t count,
                      size_t element_bytes);

#endif
