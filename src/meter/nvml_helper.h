/* SPDX-License-Identifier: MIT */
/* What is asked of the process that reads NVIDIA's library, and what it answers.
 *
 * A call into the driver may never come back (a board that fell off its bus keeps a thread in the
 * kernel, where no signal reaches it), or may end the process that made it. So nothing of the
 * library is called in the process that measures: a helper does it. Both ends of a socket pair
 * carry one question and one answer at a time, whole messages of fixed size between two copies of
 * one program. The helper ends when its socket is closed. Times in answers are of the clock that
 * both processes share. */
#ifndef AM_METER_NVML_HELPER_H
#define AM_METER_NVML_HELPER_H

#include <stdbool.h>
#include <stdint.h>

enum { AM_NVML_TEXT_CAP = 160 };

enum am_nvml_what {
    AM_NVML_BEGIN,  /* loads the library; the answer's value is how many devices there are */
    AM_NVML_DEVICE, /* the name of a device, and whether its power is momentary */
    AM_NVML_ENERGY, /* millijoules */
    AM_NVML_POWER,  /* milliwatts */
};

struct am_nvml_question {
    uint32_t what, index; /* of the device */
};

/* Codes of our own beside the library's, which are not negative. */
enum { AM_NVML_NO_LIBRARY = -1, AM_NVML_NO_FUNCTION = -2 };

struct am_nvml_answer {
    int32_t code;     /* 0: good */
    uint32_t instant; /* AM_NVML_DEVICE: power is momentary, not averaged */
    uint64_t value;
    uint64_t t0_ns, t1_ns;       /* around the reading */
    char text[AM_NVML_TEXT_CAP]; /* what the code means, the function that is missing, the name */
};

/* The helper's life: answers until the other end is closed. `path` is the library's. */
void am_nvml_serve(int socket, const char *path);

#endif
