/* SPDX-License-Identifier: MIT */
/* The command line of archmeter-mpi: its own words, and those that every node's archmeter gets. */
#ifndef AM_CLUSTER_WORDS_H
#define AM_CLUSTER_WORDS_H

#include "base/arena.h"
#include "base/array.h"
#include "base/status.h"
#include "core/bench/axis.h"

#include <stdbool.h>
#include <stddef.h>

enum am_nodes_order { AM_NODES_TOGETHER, AM_NODES_ONE_BY_ONE };

struct am_cluster_words {
    bool help, version, report;
    bool keep; /* the files of the nodes, beside the output */
    const char *output;
    enum am_nodes_order order;
    double node_limit_s, silence_s; /* after which a node is given up; 0: no limit */
    double launch_limit_s;          /* of the command, or more than any that it could have */
    /* Arguments behind "archmeter"; n == 0: this phase has nothing to measure. */
    struct am_strings local; /* benches of one machine, on every node */
    struct am_strings joint; /* benches of all ranks together */
};

/* A bench of all ranks together, for the words. */
struct am_cluster_bench {
    const char *name; /* NULL ends a table */
    const struct am_axis *axes;
};

/* `joint` are the benches of all ranks: patterns decide which phase they belong to, and no pattern
 * means all. An axis (-p) that no bench of all ranks has is none of theirs. The output file is in
 * neither command. AM_E_USAGE tells the word and the nearest valid one. */
enum am_status am_cluster_words_parse(int argc, const char *const *argv,
                                      const struct am_cluster_bench *joint, struct am_arena *arena,
                                      struct am_cluster_words *out, struct am_err *err);

extern const char am_cluster_usage[];

#endif
