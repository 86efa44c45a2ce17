#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the table that compares OpenCL devices by SHOC's rows (Table 4 of the paper), as Markdown.

usage: peers/ocl_table.py [--archmeter PROGRAM] [--paper] [RUN.db ...]

Bus both ways, most operations per second, global and local memory read and written: of every device
the best point that was measured. Without a file, what the table needs is measured first (quick
profile). --paper adds the columns that the paper has, of its own suite and of SHOC.
"""

import argparse
import json
import subprocess
import sys
import tempfile

import ratio

# row, bench, what a point must have, metric
ROWS = (
    ("bus, host to device", "ocl.bus", {"direction": "h2d"}, "bandwidth"),
    ("bus, device to host", "ocl.bus", {"direction": "d2h"}, "bandwidth"),
    ("most operations", "ocl.arith", {"type": "float", "mode": "throughput"}, "flops"),
    ("most operations, double", "ocl.arith", {"type": "double", "mode": "throughput"}, "flops"),
    ("global memory, read", "ocl.global", {"kernel": "read"}, "bandwidth"),
    ("global memory, written", "ocl.global", {"kernel": "write"}, "bandwidth"),
    ("local memory, read", "ocl.local", {"kernel": "read"}, "bandwidth"),
    ("local memory, written", "ocl.local", {"kernel": "write"}, "bandwidth"),
)
UNITS = {"bandwidth": "GB/s", "flops": "Gflop/s"}

# The paper's Table 4: its suite on two devices, then SHOC on the same.
PAPER = {
    "GTX 460SE": (2.7166, 1.7719, 702.88, None, 86.59, 78.95, 300.63, 354.21),
    "HD6850": (5.3704, 5.4329, 1567.96, None, 117.12, 53.51, 380.53, 580.13),
    "GTX 460SE, SHOC": (2.4672, 1.6887, 731.752, None, 84.5758, 78.76, 300.157, 353.408),
    "HD6850, SHOC": (5.1282, 4.3151, 1572.3, None, 114.922, 53.0488, 374.587, 563.811),
}


def measure(program: str, folder: str) -> str:
    db = f"{folder}/table.db"
    command = [program, "run", "ocl.bus", "ocl.arith", "ocl.global", "ocl.local", "--quick", "-q",
               "--budget", "10m", "-o", db]
    # Findings (a point that failed) are no reason to print nothing.
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return db


def read(program: str, db: str) -> list[dict]:
    command = [program, "show", db, "--format", "json"]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return [r for r in json.loads(shown.stdout)["results"] if r["state"] == "ok"]
    except (ValueError, LookupError):
        sys.exit(f"{' '.join(command)}\n{shown.stderr}")


def best(results: list[dict], device: str, bench: str, having: dict, metric: str) -> float | None:
    """In units of 10^9; None when nothing was measured."""
    values = [r["metrics"][metric]["median"] for r in results
              if r["bench"] == bench and r["point"].get("device") == device
              and metric in r["metrics"] and all(r["point"].get(k) == v for k, v in having.items())]
    return max(values) * 1e-9 if values else None


def cell(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if value < 1000 else f"{value:.0f}"


def columns_of(results: list[dict], with_paper: bool) -> dict[str, list]:
    devices = list(dict.fromkeys(r["point"]["device"] for r in results if "device" in r["point"]))
    columns = {d: [best(results, d, *row[1:]) for row in ROWS] for d in devices}
    columns = {d: c for d, c in columns.items() if any(c)}  # ocl.scale has a device "host"
    return {**columns, **(PAPER if with_paper else {})}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archmeter", default="build/archmeter", help="the program to run")
    parser.add_argument("--paper", action="store_true", help="also the paper's own columns")
    parser.add_argument("runs", nargs="*", metavar="RUN.db", help="results to read")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = options.runs or [measure(options.archmeter, folder)]
        results = [r for run in runs for r in read(options.archmeter, run)]
    columns = columns_of(results, options.paper)
    if not set(columns) - set(PAPER):
        sys.exit("no OpenCL results there")
    ratio.print_head(["", "unit", *columns])
    for i, (label, _, _, metric) in enumerate(ROWS):
        ratio.print_row([label, UNITS[metric], *(cell(c[i]) for c in columns.values())])
    return 0


if __name__ == "__main__":
    sys.exit(main())
