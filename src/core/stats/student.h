/* SPDX-License-Identifier: MIT */
/* Student's t law: the tail that tests need and the quantile that intervals need.
 *
 * Degrees of freedom may be any number above zero: Welch's approximation gives broken ones. Both
 * functions are pure arithmetic, right to about nine digits for 1 to 100 degrees of freedom, and
 * give NAN for input that has no answer. */
#ifndef AM_CORE_STATS_STUDENT_H
#define AM_CORE_STATS_STUDENT_H

/* The probability of a value above t. */
double am_student_tail(double t, double df);
/* The t that is exceeded with probability `tail`, 0 < tail < 1. */
double am_student_quantile(double tail, double df);

#endif
