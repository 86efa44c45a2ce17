/* SPDX-License-Identifier: MIT */
/* The parts of the family of memory: its rules live in two further files, its figures and its
 * guidelines in one each. */
#ifndef AM_FAMILY_MEMORY_H
#define AM_FAMILY_MEMORY_H

#include "family/family.h"

/* memory_levels.c: what chases show. Levels come behind the line, which their TLBs use. */
am_derive_fn am_memory_derive_line;        /* mem.line: line */
am_derive_fn am_memory_derive_ways;        /* mem.ways: ways */
am_derive_fn am_memory_derive_levels;      /* mem.latency, mem.tlb: size, latency, cycles, ... */
am_derive_fn am_memory_derive_huge;        /* mem.latency on both kinds of pages: huge_gain */
am_derive_fn am_memory_derive_parallelism; /* mem.parallel: parallelism */

/* memory_rates.c: what streams show. They come behind the levels, by which they are told apart. */
am_derive_fn am_memory_derive_bandwidth; /* mem.bandwidth: bandwidth, gains, fill_threads */
am_derive_fn am_memory_derive_stanza;    /* mem.stanza: stanza_peak, stanza_knee */
am_derive_fn am_memory_derive_loaded;    /* mem.loaded: loaded_latency, _bandwidth, _penalty */
am_derive_fn am_memory_derive_nodes;     /* mem.numa: node_latency, node_bandwidth */

/* memory_figures.c, ended by a row without a name. */
extern const struct am_figure_row am_memory_figures[];

/* guides/memory_guides.c: advice. */
extern const struct am_guideline_rule am_memory_guidelines[];

#endif
