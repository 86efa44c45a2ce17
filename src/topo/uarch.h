/* SPDX-License-Identifier: MIT */
/* The microarchitecture by the numbers that a processor gives of itself. */
#ifndef AM_TOPO_UARCH_H
#define AM_TOPO_UARCH_H

#include "base/kv.h"

/* "Zen 4" from the machine's facts (am_machine_describe(), or a run that was loaded); NULL for
 * numbers that are not in the table: nothing is guessed from neighbours. Static text. */
const char *am_uarch_name(const struct am_kvs *machine);

/* Published latency of an instruction form of cpu.instr ("imul_r64") on this microarchitecture, in
 * cycles; 0 where it is not in the table. */
unsigned am_uarch_cycles(const struct am_kvs *machine, const char *form);

#endif
