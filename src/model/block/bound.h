/* SPDX-License-Identifier: MIT */
/* What bounds a loop inside of a core, by what was measured of its instructions.
 *
 * Three bounds: the busiest resource, by the weights that mixes of instructions gave; the longest
 * chain that runs through one iteration into the next, by latencies of single instructions; and
 * what it takes to take the body in and to jump back, a cycle at least. The largest is the
 * prediction, or more where the window of the core was
 * measured and iterations that are played in it take longer than each bound says (flow.h): of long
 * bodies too few are under way at once to hide what their instructions wait for. It assumes that
 * data are in the first-level cache at multiples of their size and that branches are foreseen.
 * Instructions without a form make it a lower bound.
 *
 * Where a core binds integer operations to units by turns, that is a bound, too: a unit whose
 * places are taken is passed over (turns.h). */
#ifndef AM_MODEL_BLOCK_BOUND_H
#define AM_MODEL_BLOCK_BOUND_H

#include "family/incore/incore.h"
#include "model/block/forms.h"
#include "model/block/loops.h"

enum am_limit {
    AM_LIMIT_RESOURCE,
    AM_LIMIT_CHAIN,
    AM_LIMIT_JUMP,
    AM_LIMIT_WINDOW,
    AM_LIMIT_TURNS,
    AM_LIMITS
};

/* One word each, for programs. */
extern const char *const am_limit_words[AM_LIMITS];

/* Cycles that it takes to take a loop's body in and to jump back (turn.h). */
struct am_turn {
    double cycles;      /* on average over where the loop may lie, for all that is known of it; no
                         * place counts less than what bounds the loop otherwise */
    double least, most; /* the same, where it is quickest and where it takes longest */
    double elsewhere;   /* the least that it would take anywhere; NAN: that is not known */
};

struct am_predicted_line {
    const struct am_insn *insn;
    struct am_insn_forms forms;
    double latency;  /* cycles to its result; NAN where it is not known */
    double *use;     /* cycles that it takes, by resource */
    unsigned slots;  /* of the front end; none of what is fused */
    double pressure; /* the same of the busiest */
    enum am_incore_home home;
    double base_more;   /* cycles that the base of an address computation takes beyond its index */
    double index_more;  /* likewise that the index of a load takes beyond its base */
    double away, other; /* cycles to units of another kind and back (struct am_incore_way) */
    double clash;       /* cycles to an addition of numbers of another size */
    bool renamed;       /* a move whose result is its operand */
    bool afresh;        /* does not wait for what its register held (am_flow_halves()) */
    bool on_chain;      /* of the longest chain from one iteration to the next */
};

struct am_predicted {
    const struct am_loop *loop;
    const struct am_incore *core; /* as this loop finds it: names of resources, weights */
    bool wide;                    /* has 512-bit instructions, beside which ports may be others */
    struct am_predicted_line *lines;
    size_t n;
    double *pressure;         /* cycles per iteration, by resource */
    size_t busiest;           /* resource */
    double throughput;        /* cycles per iteration by the busiest resource */
    double lo, hi;            /* the same by the ends of the weights' intervals */
    double next;              /* by the second busiest */
    double chain;             /* cycles per iteration by the longest chain */
    double load;              /* cycles from an address to what is loaded from there */
    size_t unknown, like;     /* instructions without a form, and with another's */
    size_t latencies_unknown; /* of instructions that have a form: counted as one cycle */
    double played; /* cycles per iteration with resources, chains and a window at once; NAN: the
                    * window is not known */
    double turned; /* the same where integer operations are bound to units by turns (turns.h); NAN:
                      this core does not bind them, or it is not known */
    double free;   /* the prediction as if they went to any unit */
    struct am_turn jump;
    double cycles; /* the prediction */
    enum am_limit limit;
};

/* The architecture of the core that was measured. */
enum am_arch am_core_arch(const struct am_incore *core);

/* False when memory is refused. The instructions are of the core's architecture. */
bool am_loop_predict(const struct am_incore *measured, const struct am_insns *insns,
                     const struct am_loop *loop, struct am_arena *arena, struct am_predicted *out);

#endif
