/* SPDX-License-Identifier: MIT */
/* The parts of the family of coherence: which CPUs are alike is found in a file of its own. */
#ifndef AM_FAMILY_COHERENCE_H
#define AM_FAMILY_COHERENCE_H

#include "family/family.h"

/* What the system states of a pair of CPUs, as the metric `distance` of a result tells; -1 where it
 * does not. */
enum { AM_RELATION_CORE = 1, AM_RELATIONS = 5 };
int am_coherence_relation(const struct am_result *result);

/* The axes that name the two CPUs. */
extern const char am_coherence_from[], am_coherence_to[];

/* A result of lines that pass between two CPUs, with the interval of its latency. */
struct am_line_pair {
    const struct am_result *result;
    int from, to;
    double lo, hi;
};
struct am_line_pairs {
    struct am_line_pair *items;
    size_t n;
};
/* Sound results of benches with such pairs, for who wants more of them where they differ. */
struct am_line_pairs am_coherence_pairs(const struct am_result_set *set, struct am_arena *arena);
/* Whether two of them differ in nothing but their CPUs. */
bool am_coherence_same_line(const struct am_result *a, const struct am_result *b);
/* Whether pairs of which one takes at least `slow` and another at most `fast` are not alike: the
 * intervals say so, by more than ways of one kind differ. */
bool am_coherence_differs(double slow, double fast);

/* Where pairs of one stated relation lie both within and between groups, nothing may be inferred
 * for pairs that were not measured: a pair for each group of which it is open whether it is one
 * with the first such group, and a result of which only the CPUs differ. None (NULL) where all is
 * known. */
struct am_open_pairs {
    const struct am_result *like;
    int (*pairs)[2]; /* from, to */
    size_t n;
};
struct am_open_pairs am_coherence_open(const struct am_result_set *set, struct am_arena *arena);

/* coherence_groups.c: groups, group_ratio. */
am_derive_fn am_coherence_derive_groups;

#endif
