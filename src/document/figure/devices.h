/* SPDX-License-Identifier: MIT */
/* Inside figures and their drawing: the devices beside the processor, as facts name them. Several
 * of one name but for its number, whose figures do not differ, are told as one. */
#ifndef AM_DOCUMENT_FIGURE_DEVICES_H
#define AM_DOCUMENT_FIGURE_DEVICES_H

#include "family/fact.h"

enum { AM_DEVICES_MAX = 32 };

struct am_device_group {
    const char *name; /* of the first, as facts are labelled */
    size_t alike;     /* how many it stands for, itself included */
    bool processor;   /* the host's own processor, by another programming interface */
};

/* Fills `out` (room for AM_DEVICES_MAX) in the order of the facts; returns how many. */
size_t am_devices_find(const struct am_facts *facts, struct am_device_group *out);
/* The fact of this device, the largest; `where` holds further conditions, NULL for none. */
const struct am_fact *am_device_fact(const struct am_facts *facts, const char *device,
                                     const char *name, const char *where);

#endif
