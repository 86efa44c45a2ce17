/* SPDX-License-Identifier: MIT */
/* What opens an energy meter that is there but closed: the doctor and the meters say the same. */
#ifndef AM_TOPO_ENERGY_REMEDIES_H
#define AM_TOPO_ENERGY_REMEDIES_H

#define AM_REMEDY_POWERCAP                                                                         \
    "As root: chgrp a group of measuring users on each energy_uj and chmod 0440 them (a udev "     \
    "rule makes it last), or run as root; in a container mount the host's /sys. Precise energy "   \
    "readings can leak secrets of other users (PLATYPUS), hence the restriction."
#define AM_REMEDY_PERF                                                                             \
    "Run with CAP_PERFMON (setcap cap_perfmon+ep on archmeter; in a container add the "            \
    "capability), or set kernel.perf_event_paranoid to 0 or less."
#define AM_REMEDY_HWMON "Make the sensors' files readable for the measuring users."
#define AM_REMEDY_NVML                                                                             \
    "Add the user to the group that owns /dev/nvidiactl, or start the container with its devices " \
    "and the driver's libraries."

#endif
