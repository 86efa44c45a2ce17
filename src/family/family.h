/* SPDX-License-Identifier: MIT */
/* A family: all that is known, above the store, of one group of benches.
 *
 * One file per family holds its tables: rules for facts, figures, guidelines, headline entries,
 * and how its points are bounded. This folder is the only place above the store that names
 * benches, axes and metrics; a test holds every such name against the workers' --list. Rows are
 * data; functions are there for mathematics only. Families are applied in the order of
 * am_families: a later one may look at the facts of those before it. */
#ifndef AM_FAMILY_FAMILY_H
#define AM_FAMILY_FAMILY_H

#include "family/fact.h"
#include "family/figure_row.h"

/* What a rule works with. */
struct am_deriving {
    const struct am_result_set *set; /* of one machine, or of one place on it (family/parts.h) */
    struct am_facts *facts;          /* offers go there; those of families before are there */
    struct am_arena *arena;
    const struct am_result_set *all; /* of the machine and all its places: for what compares them */
};
typedef void am_derive_fn(const struct am_deriving *d);

enum am_reduce {
    AM_REDUCE_ONLY, /* one result is wanted: several are remarked upon, and give no fact */
    AM_REDUCE_BEST, /* the best median; of grade C only where there is no other */
};

/* A rule for facts: the selected results are parted by the axes `labels`, each part is reduced to
 * one result, and its metric becomes a fact with these labels. Axes in which points may differ are
 * therefore either labels, or fixed by `from.where`, or given up by `most` or AM_REDUCE_BEST on
 * purpose. */
struct am_fact_rule {
    const char
        *name; /* with `derive`: all names that it offers, "size,latency"; NULL ends a table */
    const char *what; /* one phrase for a person */
    struct am_selector from;
    const char *labels; /* "kernel,threads"; NULL: none. With `derive`: for the reference only */
    const char *also;   /* axes that are labels only when the selected results differ in them */
    const char *most;   /* an axis: of each part the results with the largest number; it is a label
                         * too. NULL: all */
    double (*factor)(const struct am_result *result); /* the metric counts times this; NULL: 1 */
    enum am_reduce reduce;
    enum am_fact_kind kind;
    am_derive_fn *derive; /* instead of the above: what needs mathematics; offers facts itself */
};

/* The list `labels` with those axes of `also` in which the picks differ; "" when memory is refused.
 * What rules do with `also`, for those that need mathematics. */
const char *am_labels_also(const struct am_picks *picks, const char *labels, const char *also);

/* The only result of `picks`; NULL when there is none, or several: then a remark says that the fact
 * `name` is not concluded, and what differs. For rules that need mathematics. */
const struct am_pick *am_fact_only(const struct am_deriving *d, const char *name,
                                   const struct am_picks *picks);

/* A guideline: what a programmer should do on this machine, as its facts say. */
struct am_guideline {
    const char *id;       /* "core.streams"; set from the rule */
    const char *text;     /* one or two sentences; "not decided: ..." is an answer */
    const char *evidence; /* ids and values of the facts behind it */
    const char *command;  /* arguments of archmeter that measure it again */
    struct am_grading grading;
};
struct am_guideline_rule {
    const char *id; /* NULL ends a table */
    /* Fills text, evidence and command; false when the run has not what it needs. */
    bool (*say)(const struct am_facts *facts, struct am_arena *arena, struct am_guideline *out);
};

/* Where a headline figure stands in its line of the first screen. */
enum am_headline_place {
    AM_HEADLINE_ONE,    /* in the column of one core */
    AM_HEADLINE_ALL,    /* in the column of all cores */
    AM_HEADLINE_SIZE,   /* behind the line's name; "undecided" where the line has other figures */
    AM_HEADLINE_NOTE,   /* among the remarks */
    AM_HEADLINE_DENIED, /* among the remarks, and only where it denies what is stated */
    AM_HEADLINE_WORDS,  /* the whole line is words: "region 590 ns, barrier 240 ns" */
};

/* A figure that everybody asks for: stands on cards and on the first screen. Entries with one title
 * that follow each other are ways to the same figure: the first that is known counts. */
struct am_headline {
    const char *title; /* "memory read, all threads"; NULL ends a table */
    const char *fact;  /* "memory.bandwidth" */
    const char *where; /* conditions on its labels */
    bool least;        /* of several the smallest counts, not the largest */
    unsigned rank;     /* place on the screen, all families together; the same rank: one line */
    enum am_headline_place place;
    const char *row;  /* name of the line, the same in all of a rank; NULL: on cards only */
    const char *word; /* before the value ("region"); of one core: among the remarks */
    const char *of;   /* the value is a share of this: "96 % of its bound" */
    const char *per;  /* AM_HEADLINE_WORDS: a line per value of this label, named so */
    const char *each; /* AM_HEADLINE_WORDS: all values of this label, each before its figure */
};

/* How points of a bench are bounded by the machine. A bench without a row is bounded by its stated
 * work, if it states any. */
enum am_bound_role {
    AM_BOUND_ORDINARY, /* bounded by ceilings */
    AM_BOUND_FLOPS,    /* and its rates of arithmetic are ceilings */
    AM_BOUND_BYTES,    /* and its rates of bytes are ceilings */
    AM_BOUND_FOREIGN,  /* not bounded, with a reason */
};
/* A point of another device, of whose bytes it is asked which of its memories serves them. */
struct am_placing {
    const struct am_result *result;
    const struct am_facts *facts;
    double bytes; /* that it works on */
    bool ceiling; /* it is to show how fast that memory is: no other may serve a part of it. Else it
                   * is to be bounded by it: of two that may, the faster */
};
struct am_bound_row {
    const char *bench; /* a name or glob; NULL ends a table */
    const char *where; /* only such points; NULL: all */
    enum am_bound_role role;
    const char *why; /* AM_BOUND_FOREIGN: the reason, for a person */
    bool cold;       /* works on memory, whatever its size */
    bool device;     /* gives ceilings of other devices than the processor */
    /* Bytes that a point works on; NULL: its axis of sizes, else what an iteration touches. */
    double (*working_set)(const struct am_result *result);
    /* On other devices: the name of the memory, "local memory"; NULL where it is not known. Without
     * this function the device's caches and its global memory are asked. */
    const char *(*space)(const struct am_placing *placing);
    /* The metric by which a bench that knows its own mix of instructions says what part of its own
     * bound it reaches; NULL: none. */
    const char *own_share;
    /* The metric that counts operations per second as they were executed, no more and no fewer:
     * such a rate is evidence of what the cores can do. NULL: the bench has none. */
    const char *executed;
    /* With own_share: the rate that is bounded by it alone, of a bench that states neither flops
     * nor bytes; and what sets that bound, for a person. NULL: rates of flops and bytes. */
    const char *rate, *limit;
    /* Of AM_BOUND_FLOPS without an axis of types: the type of a point's numbers, NULL where it is
     * not known; and the operation that it is measured with. Its rates are in op/s, and count so
     * many operations as one. */
    const char *(*type)(const struct am_result *result);
    const char *(*operation)(const struct am_result *result);
    double operations;
};

/* A point below its bound, of which a family may know what to try next. */
struct am_trying {
    const struct am_result *result;
    const struct am_facts *facts;
    struct am_arena *arena;
    const char *level; /* of memory that bounds its bytes, as facts are labelled; NULL: none */
    bool computes;     /* arithmetic is its limit */
    double share;      /* of the bound, that it reaches */
    double worth;      /* a smaller gain is not worth a change of code */
    double at_roof;    /* from this share on nothing is left */
};
/* A few words, or NULL when it does not apply. */
typedef const char *am_try_fn(const struct am_trying *trying);

/* An application analysed in prose: what it asks of a machine against what the machine has. */
struct am_analysing {
    const struct am_result_set *set; /* the application's points */
    const struct am_facts *facts;    /* of the machine that it is held against */
    const struct am_kvs *machine;    /* what that machine states */
    const char *on;                  /* its name where it is another than the points'; else NULL */
    struct am_arena *arena;
};
struct am_paragraph {
    const char *name; /* "Working set" */
    const char *text; /* sentences */
};
enum { AM_PARAGRAPHS_MAX = 16 };
struct am_analysis {
    const char *bench; /* whose points it is about */
    const char *title;
    struct am_paragraph items[AM_PARAGRAPHS_MAX];
    size_t n;
};
/* False, and nothing written, when the run has no such points. */
typedef bool am_analyse_fn(const struct am_analysing *analysing, struct am_analysis *out);

struct am_family {
    const char *name;  /* "memory": the first word of its facts' ids */
    const char *title; /* "Memory": heads its tables */
    const struct am_fact_rule *facts;
    const struct am_figure_row *figures;
    const struct am_guideline_rule *guidelines;
    const struct am_headline *headlines;
    const struct am_bound_row *bounds;
    am_try_fn *const *tries; /* in the order in which they are worth trying; ended by NULL */
    am_analyse_fn *analyse;  /* of its application; NULL: none */
};                           /* tables may be NULL */

extern const struct am_family *const am_families[]; /* ended by NULL */
/* Sections of figures in the order in which people ask: the machine before what runs on it. Every
 * row's is among them. Ended by NULL. */
extern const char *const am_sections[];

enum { AM_HEADLINES_MAX = 96 };
/* The headline entries of all families by rank, into `out` (room for AM_HEADLINES_MAX); returns how
 * many. Entries of one rank keep the order of their tables. */
size_t am_families_headlines(const struct am_headline **out);
/* The fact behind a headline; NULL when it is not known. */
const struct am_fact *am_headline_fact(const struct am_headline *h, const struct am_facts *facts);
const struct am_family *am_family_find(const char *name);

/* Applies the rules of every family to the run. */
void am_families_derive(const struct am_result_set *set, struct am_arena *arena,
                        struct am_facts *facts);
/* The rules of one family, behind the facts that are there; for tests. */
void am_family_derive(const struct am_family *family, const struct am_result_set *set,
                      struct am_facts *facts);

/* Guidelines of all families in their order. */
struct am_guidelines {
    struct am_guideline *items;
    size_t n, cap;
    struct am_arena *arena;
};
struct am_guidelines am_families_guide(const struct am_facts *facts, struct am_arena *arena);

/* A point's rate of operations as executed (am_bound_row.executed), as a pick; false: none, or it
 * was no core of this machine that executed them. */
bool am_families_executed(const struct am_result *result, struct am_pick *out);
/* The row that bounds a point, or NULL. */
const struct am_bound_row *am_families_bound(const struct am_result *result);
/* "cpu.flops, cpu.dot": the benches whose points have this role and may bound a point, on its
 * device and of its type, as far as that is known. */
const char *am_families_benches(enum am_bound_role role, const struct am_result *result,
                                struct am_arena *arena);
/* The analyses of all families that have one, into `out` (room for as many as there are families);
 * returns how many. */
size_t am_families_analyse(const struct am_analysing *analysing, struct am_analysis *out);
enum { AM_ANALYSES_MAX = 16 };
/* The memory of its device that serves a point; NULL when it is not known. */
const char *am_families_space(const struct am_placing *placing);
/* What to try next: the first that a family has to say, or NULL. */
const char *am_families_try(const struct am_trying *trying);

#endif
