#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a mark costs: a loop with marks beside the same loop without, off and on, in nanoseconds per mark.

    tools/mark_cost.py [--cc CC] [--rounds N]

Loops of a dependent chain take turns, each in a process of its own; the difference of the best CPU times of a
loop with two marks (begin, end) and of one without, halved, is the cost of a mark. Nothing is asserted: a
busy machine has other numbers."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

PROGRAM = r"""
#include <archmeter/mark.h>
#include <stdio.h>
#ifdef MARKED
#define BEGIN am_mark_begin("region")
#define END am_mark_end("region")
#else
#define BEGIN (void)0
#define END (void)0
#endif
int main(void)
{
    enum { TURNS = 5000000 };
    unsigned long x = 1;
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        struct timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        for (int i = 0; i < TURNS; i++) {
            BEGIN;
            __asm__ volatile("" : "+r"(x));
            x = x * 3 + 1;
            END;
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        const double ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / TURNS;
        best = ns < best ? ns : best;
    }
    printf("%.4f %lu\n", best, x);
    return 0;
}
"""


def build(cc: str, folder: str, name: str, flags: list[str]) -> str:
    source, program = os.path.join(folder, "loop.c"), os.path.join(folder, name)
    with open(source, "w", encoding="ascii") as file:
        file.write(PROGRAM)
    subprocess.run([cc, "-O2", "-I", os.path.join(ROOT, "include"), *flags, "-o", program, source],
                   check=True)
    return program


def time_of(program: str, marks: str | None) -> float:
    env = dict(os.environ)
    env.pop("ARCHMETER_MARKS", None)
    if marks:
        env["ARCHMETER_MARKS"] = marks
    out = subprocess.run([program], env=env, check=True, capture_output=True, text=True).stdout
    return float(out.split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        plain = build(options.cc, folder, "plain", [])
        marked = build(options.cc, folder, "marked", ["-DMARKED"])
        ways = {"off": (marked, None), "on, by ticks": (marked, "ticks:" + folder),
                "on, by the clock": (marked, "clock:" + folder)}
        cost: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(options.rounds):
            base = time_of(plain, None)
            for name, (program, marks) in ways.items():
                cost[name].append((time_of(program, marks) - base) / 2)
    for name, values in cost.items():
        print(f"{name:18} {min(values):7.2f} ns per mark (median of {len(values)}: "
              f"{statistics.median(values):.2f})")


if __name__ == "__main__":
    sys.exit(main())
