/* SPDX-License-Identifier: MIT */
/* The network between ranks of MPI (mpi.*): what messages cost, and how far the distributed stencil
 * scales, with what messages and work alone predict for it. */
#include "family/families.h"
#include "family/plot.h"

/* ---- scaling of the distributed stencil ---- */

static const char panel_axes[] = "scaling,n,type,form";
static const char line_axes[] = "threads,isa,steps,node";

/* "threads=2 isa=avx2": the threads, and what else tells the lines of the panel apart. */
static const char *name_of(const struct am_picks *panel, const struct am_result *r)
{
    static const char *const others[] = {"isa", "steps", "node"};
    const char *name = am_arena_printf(panel->arena, "threads=%s", am_result_text(r, "threads"));

    for (size_t i = 0; name && i < sizeof(others) / sizeof(others[0]); i++) {
        if (am_picks_group(panel, others[i]).n > 1)
            name = am_arena_printf(panel->arena, "%s %s=%s", name, others[i],
                                   am_result_text(r, others[i]));
    }
    return name;
}

static void add_measured(struct am_plot *plot, const struct am_picks *curve, const char *name,
                         unsigned color)
{
    struct am_plot_mark *const marks = am_arena_array(curve->arena, curve->n, sizeof(*marks));

    for (size_t i = 0; marks && i < curve->n; i++) {
        const struct am_summary *const s = &curve->items[i].metric->summary;

        marks[i] = (struct am_plot_mark){
            .x = curve->items[i].x, .y = s->median, .lo = s->ci.lo, .hi = s->ci.hi};
    }
    am_plot_add(
        plot, curve->arena,
        &(struct am_plot_series){.label = name, .marks = marks, .n = curve->n, .color = color});
}

/* What is predicted has neither marks nor intervals. */
static void add_predicted(struct am_plot *plot, const struct am_picks *curve, const char *name,
                          unsigned color)
{
    struct am_plot_mark *const marks = am_arena_array(curve->arena, curve->n, sizeof(*marks));
    size_t n = 0;

    for (size_t i = 0; marks && i < curve->n; i++) {
        const struct am_result_metric *const m =
            am_result_metric(curve->items[i].result, "predicted");

        if (m)
            marks[n++] = (struct am_plot_mark){.x = curve->items[i].x, .y = m->summary.median};
    }
    am_plot_add(
        plot, curve->arena,
        &(struct am_plot_series){.label = am_arena_printf(curve->arena, "%s, predicted", name),
                                 .marks = marks,
                                 .n = n,
                                 .color = color,
                                 .dashed = true,
                                 .bare = true});
}

/* A panel of one grid; at each number of ranks the fastest shape of blocks counts. */
static void add_panel(struct am_plots *out, const struct am_picks *panel)
{
    const struct am_result *const head = panel->items[0].result;
    const struct am_groups lines = am_picks_group(panel, line_axes);
    struct am_plot plot = {
        .title = am_arena_printf(panel->arena, "%s, n = %s, %s, %s",
                                 am_result_text(head, "scaling"), am_result_text(head, "n"),
                                 am_result_text(head, "type"), am_result_text(head, "form")),
        .x = {.title = "ranks", .unit = "", .whole = true},
        .y = {.title = "speed", .unit = "flop/s"}};
    struct am_plot *made = NULL;
    unsigned color = 0;

    for (size_t i = 0; i < lines.n; i++) {
        const struct am_picks curve = am_picks_curve(&lines.items[i].picks, "ranks", NULL);
        const char *name;

        if (curve.n < 2)
            continue;
        made = made ? made : am_plots_add(out, &plot);
        name = name_of(panel, curve.items[0].result);
        if (!made || !name)
            return;
        add_measured(made, &curve, name, color);
        add_predicted(made, &curve, name, color++);
    }
}

/* A panel per grid, weak or strong; nothing without a curve of two numbers of ranks. */
static bool plot_scaling(const struct am_figure_source *source, struct am_plots *out)
{
    const struct am_selector from = {"mpi.stencil", NULL, "flops"};
    const struct am_picks picks = am_select(source->set, &from, source->arena);
    const struct am_groups panels = am_picks_group(&picks, panel_axes);

    for (size_t i = 0; i < panels.n; i++)
        add_panel(out, &panels.items[i].picks);
    return out->n > 0;
}

/* ---- tables ---- */

/* The best of all sizes of messages: what the network and its library can do. */
static const struct am_fact_rule rules[] = {
    {.name = "latency",
     .what = "least time of a message between two ranks",
     .from = {"mpi.pingpong", NULL, "latency"},
     .labels = "ranks,pair",
     .reduce = AM_REDUCE_BEST,
     .kind = AM_FACT_CAPABILITY},
    {.name = "bandwidth",
     .what = "most bytes per second from one rank to another",
     .from = {"mpi.pingpong", NULL, "bandwidth"},
     .labels = "ranks,pair",
     .reduce = AM_REDUCE_BEST,
     .kind = AM_FACT_CAPABILITY},
    {.name = "barrier",
     .what = "a barrier of all ranks",
     .from = {"mpi.collective", "op=barrier", "time"},
     .labels = "ranks"},
    {.name = "hidden",
     .what = "share of an exchange that hides behind computation: 1 is all",
     .from = {"mpi.overlap", NULL, "hidden"},
     .labels = "ranks,progress,size"},
    {0},
};

#define SECTION "Messages between ranks"

static const struct am_figure_row figures[] = {
    {.name = "mpi-latency",
     .section = SECTION,
     .title = "Time of a message by its size",
     .caption = "Half a round trip between two ranks. Flat: the cost of any message; rising: its "
                "bytes; a step: another protocol of the library.",
     .bench = "mpi.pingpong",
     .metric = "latency",
     .kind = AM_FIGURE_LINES,
     .x = "size",
     .series = "pair",
     .xscale = AM_SCALE_LOG2,
     .yscale = AM_SCALE_LOG10},
    {.name = "mpi-bandwidth",
     .section = SECTION,
     .title = "Bandwidth of messages by their size, one way",
     .caption = "Bytes over the time of the message above.",
     .bench = "mpi.pingpong",
     .metric = "bandwidth",
     .kind = AM_FIGURE_LINES,
     .x = "size",
     .series = "pair",
     .xscale = AM_SCALE_LOG2,
     .yscale = AM_SCALE_LOG10},
    {.name = "mpi-bidirectional",
     .section = SECTION,
     .title = "Bandwidth of messages by their size, both ways at once",
     .caption = "Twice the curve above where the two directions do not hinder each other.",
     .bench = "mpi.bidirectional",
     .metric = "bandwidth",
     .kind = AM_FIGURE_LINES,
     .x = "size",
     .series = "pair",
     .xscale = AM_SCALE_LOG2,
     .yscale = AM_SCALE_LOG10},
    {.name = "mpi-matrix",
     .section = SECTION,
     .title = "Time of a message between all pairs of ranks",
     .caption =
         "All pairs of a round of a tournament at the same time. Blocks are nodes; a dark row "
         "and column is one slow link.",
     .bench = "mpi.matrix",
     .metric = "latency",
     .kind = AM_FIGURE_HEAT,
     .x = "to",
     .series = "from",
     .panel = "size"},
    {.name = "mpi-collective",
     .section = SECTION,
     .title = "Collective operations by size",
     .caption = "Until the last rank is done; sizes are those of one rank.",
     .bench = "mpi.collective",
     .metric = "time",
     .kind = AM_FIGURE_LINES,
     .x = "size",
     .series = "ranks",
     .panel = "op",
     .where = "op=bcast,allreduce,alltoall",
     .xscale = AM_SCALE_LOG2,
     .yscale = AM_SCALE_LOG10},
    {.name = "mpi-halo",
     .section = SECTION,
     .title = "Exchange of faces with the neighbours",
     .caption = "One exchange of all faces of a rank on a periodic grid of ranks.",
     .bench = "mpi.halo",
     .metric = "time",
     .kind = AM_FIGURE_LINES,
     .x = "size",
     .series = "dim",
     .xscale = AM_SCALE_LOG2,
     .yscale = AM_SCALE_LOG10},
    {.name = "mpi-stencil",
     .section = SECTION,
     .title = "The distributed stencil over ranks",
     .caption =
         "Strong: one grid for all; weak: one per rank. A line that bends away from a straight "
         "one has run out of cores, of memory bandwidth, or of work between messages.",
     .bench = "mpi.stencil",
     .metric = "flops",
     .kind = AM_FIGURE_LINES,
     .x = "ranks",
     .series = "threads",
     .panel = "scaling"},
    {.name = "mpi-overlap",
     .section = SECTION,
     .title = "How much of an exchange hides behind computation",
     .caption = "1: the exchange costs no time of its own; 0: all of it. test: the computation "
                "calls the library now and then, so that it can make progress.",
     .bench = "mpi.overlap",
     .metric = "hidden",
     .kind = AM_FIGURE_LINES,
     .x = "size",
     .series = "progress",
     .panel = "ranks",
     .xscale = AM_SCALE_LOG2},
    {.name = "mpi-scaling",
     .section = SECTION,
     .title = "Scaling of the distributed stencil, measured and predicted",
     .caption = "Strong: one grid for all ranks; weak: one per rank. Dashed: what blocks without "
                "messages and messages alone add up to, one after the other. Measured above it: "
                "messages hide behind work; below: ranks wait for each other.",
     .make = plot_scaling},
    {.name = NULL},
};

/* Whether calls of the library during computation let it make progress: decided where the
 * intervals are apart. */
static bool say_progress(const struct am_facts *facts, struct am_arena *arena,
                         struct am_guideline *out)
{
    const struct am_fact *const with = am_facts_most(facts, "network.hidden", "progress=test");
    const struct am_fact *const without = am_facts_most(facts, "network.hidden", "progress=none");

    if (!with || !without || !am_fact_alike(with, without, "progress"))
        return false;
    out->text = with->ci.lo > without->ci.hi
                    ? "Test outstanding messages now and then during computation: the library "
                      "makes progress only when it is called."
                : without->ci.lo > with->ci.hi
                    ? "Leave the library alone during computation: messages progress without it."
                    : "Not decided: whether calls during computation help messages along.";
    out->evidence = am_arena_printf(arena, "%s = %.2f, %s = %.2f", with->id, with->value,
                                    without->id, without->value);
    out->command = "run mpi.overlap";
    out->grading = am_grading_worse(with->grading, without->grading);
    return true;
}

static const struct am_guideline_rule guidelines[] = {
    {"network.progress", say_progress},
    {.id = NULL},
};

const struct am_family am_family_network = {
    .name = "network",
    .title = "Messages between ranks",
    .facts = rules,
    .figures = figures,
    .guidelines = guidelines,
};
