#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs ocl.arith and ocl.global in turn with clpeak, on one OpenCL device, as Markdown.

usage: peers/clpeak.py [--archmeter PROGRAM] [--clpeak PROGRAM] [--device NAME] [--platform N] [--number N]
                       [--rounds N] [--calm SECONDS]

--device is archmeter's name (`archmeter list ocl.arith`), --platform and --number are clpeak's for
the same device; with one device on the machine none of them is needed. Compared are clpeak's float16
arithmetic with fma of as wide a vector, and the best of its five global reads with the best read of
ours. clpeak times a chain of mad(), one per work-item, and takes the mean of 10 to 30 runs. Every round
measures both once with each program, the order changing from round to round. Ratio and interval as
in ratio.py. clpeak here is 1.1; ocl_peers.py has 2.x, whose options and files are others.
"""

import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import ratio

# case -> (clpeak's option, its element of the XML file, how its values become one, unit scale,
#          our bench, point and metric, the goal)
CASES = {
    "arithmetic": ("--compute-sp", "single_precision_compute", lambda v: v["float16"], 1e9,
                   "ocl.arith", {"op": "fma", "type": "float", "width": 16, "mode": "throughput"},
                   "flops", 5.0),
    "global read": ("--global-bandwidth", "global_memory_bandwidth", lambda v: max(v.values()), 1e9,
                    "ocl.global", {"kernel": "read", "stride": 1, "width": "1,4"}, "bandwidth",
                    0.95),
}
LABELS = {"arithmetic": "float16 arithmetic, Gflop/s", "global read": "best global read, GB/s"}


def values_of(xml_file: str, element: str) -> dict[str, float]:
    """{"float4": 27.41, ...} of the first device that has the element."""
    tree = xml.etree.ElementTree.parse(xml_file)
    found = tree.find(f".//{element}")
    if found is None:
        sys.exit(f"clpeak wrote no {element}")
    return {child.tag: float(child.text) for child in found
            if re.fullmatch(r"float\d*", child.tag)}


def run_clpeak(options, case: str) -> float:
    option, element, choose, scale, *_ = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        xml_file = os.path.join(folder, "clpeak.xml")
        command = [options.clpeak, option, "-p", str(options.platform), "-d", str(options.number),
                   "-f", xml_file]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return choose(values_of(xml_file, element)) * scale


def run_ours(options, case: str) -> float:
    *_, bench, point, metric, _ = CASES[case]
    chosen = dict(point, device=options.device) if options.device else point
    return max(ratio.run_archmeter(options.archmeter, bench, chosen, metric))


def verdict(goal: float, low: float, high: float) -> str:
    if low >= goal:
        return "reached"
    return "missed" if high < goal else "undecided"


def print_table(options, ours: dict, theirs: dict) -> int:
    print(f"Measured {datetime.date.today().isoformat()} with `peers/clpeak.py --rounds "
          f"{options.rounds}`. Medians of the rounds; in brackets the spread, (max − min) / median.\n")
    ratio.print_head(["what", "clpeak", "archmeter", "ratio [95 % interval]", "goal", ""])
    missed = 0
    for case, (*_, goal) in CASES.items():
        a, b = ours[case,], theirs[case,]
        estimate, low, high = ratio.ratio(a, b)
        word = verdict(goal, low, high)
        missed += word == "missed"
        ratio.print_row([LABELS[case], ratio.value_cell(b, 1e-9, 1), ratio.value_cell(a, 1e-9, 1),
                         ratio.ratio_cell(estimate, low, high), f"≥ {goal:g}", word])
    return 1 if missed else 0


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    parser.add_argument("--device", help="archmeter's name of the device")
    parser.add_argument("--clpeak", default="clpeak", help="the other program")
    parser.add_argument("--platform", type=int, default=0, help="clpeak's number of the platform")
    parser.add_argument("--number", type=int, default=0, help="clpeak's number of the device")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("rounds are 1 or more")
    if not shutil.which(options.clpeak):
        sys.exit("clpeak is not installed (Debian: clpeak)")
    ours, theirs = ratio.in_turn(options, [(case,) for case in CASES],
                                 lambda case: run_ours(options, case),
                                 lambda case: run_clpeak(options, case))
    return print_table(options, ours, theirs)


if __name__ == "__main__":
    sys.exit(main())
