/* SPDX-License-Identifier: MIT */
/* What doctor judges of this program's own build. */
#ifndef AM_TOPO_BUILD_H
#define AM_TOPO_BUILD_H

#include <stdbool.h>

struct am_build {
    bool optimized, assertions;
    const char *type;  /* Meson's buildtype */
    const char *flags; /* the user's own, then Meson's */
};

const struct am_build *am_build_facts(void);
/* "address,undefined", or NULL when there are none. */
const char *am_build_sanitizers(void);

#endif
