/* SPDX-License-Identifier: MIT */
/* Figures of the cores: arithmetic and instructions. */
#include "report/figure.h"

static const char section[] = "Cores";

const struct am_figure_row am_figures_cpu[] = {
    {
        .name = "flops-peak",
        .section = section,
        .title = "Peak arithmetic by instruction set",
        .caption = "Fused multiply-add in twelve independent streams, all operands in registers. A "
                   "set of registers twice as wide should double the bar; threads that share a "
                   "core or a power budget add less than one.",
        .bench = "cpu.flops",
        .metric = "flops",
        .kind = AM_FIGURE_BARS,
        .x = "isa",
        .series = "threads",
        .panel = "type",
        .where = "op=fma streams=12",
        .y_title = "operations a second",
    },
    {
        .name = "flops-streams",
        .section = section,
        .title = "Streams needed to fill the pipelines",
        .caption =
            "Arithmetic against the number of independent chains a thread, for multiplication and "
            "fused multiply-add. One stream shows the latency of an instruction; the curve is "
            "flat from latency × pipelines streams on. A second hardware thread on the core "
            "brings streams of its own.",
        .bench = "cpu.flops",
        .metric = "flops",
        .kind = AM_FIGURE_LINES,
        .x = "streams",
        .series = "isa",
        .panel = "op",
        .where = "op=mul,fma type=f64",
        .x_title = "independent streams a thread",
        .y_title = "f64 operations a second",
    },
    {
        .name = "flops-operations",
        .section = section,
        .title = "Operations a cycle by instruction",
        .caption = "One thread, twelve streams, by the core clock measured around each batch. fma "
                   "counts two operations; mix alternates fma and add and counts three for two "
                   "instructions, so it shows pipelines that only add.",
        .bench = "cpu.flops",
        .metric = "flops_per_cycle",
        .kind = AM_FIGURE_BARS,
        .x = "op",
        .series = "isa",
        .panel = "type",
        .where = "streams=12 threads=1",
        .y_title = "operations a cycle",
    },
    {
        .name = "instructions",
        .section = section,
        .title = "Latency and throughput of instructions",
        .caption = "Latency: cycles from an operand to the result, in a chain of dependent "
                   "instructions. Throughput: cycles for each of many independent ones; 0.5 means "
                   "two a cycle. Click a heading to sort.",
        .bench = "cpu.instr",
        .kind = AM_FIGURE_TABLE,
        .x = "instr",
    },
    {.name = NULL},
};
