/* SPDX-License-Identifier: MIT */
/* Lists of chain numbers for the assembler's .irp: a hundred times the same, or 96 in turn. */
#ifndef AM_KERNELS_INSTR_REPEAT_H
#define AM_KERNELS_INSTR_REPEAT_H

#define AM_TIMES_2(s) s "," s
#define AM_TIMES_3(s) s "," s "," s
#define AM_TIMES_4(s) AM_TIMES_2(AM_TIMES_2(s))
#define AM_TIMES_5(s) s "," s "," s "," s "," s
#define AM_TIMES_25(s) AM_TIMES_5(AM_TIMES_5(s))

/* AM_CHAIN_<n>: for templates that hold n instructions of the form. */
#define AM_CHAIN_1(s) AM_TIMES_4(AM_TIMES_25(s))
#define AM_CHAIN_2(s) AM_TIMES_2(AM_TIMES_25(s))

/* AM_FREE_<chains>_<n> */
#define AM_FREE_12_1(s) AM_TIMES_4(AM_TIMES_2(s))
#define AM_FREE_12_2(s) AM_TIMES_4(s)
#define AM_FREE_8_1(s) AM_TIMES_3(AM_TIMES_4(s))
#define AM_FREE_8_2(s) AM_TIMES_3(AM_TIMES_2(s))
#define AM_FREE_6_1(s) AM_TIMES_4(AM_TIMES_4(s))
#define AM_FREE_6_2(s) AM_TIMES_4(AM_TIMES_2(s))

#endif
