#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs BabelStream, clpeak 2, mixbench and SHOC (OpenCL) in turn with ocl.*, as Markdown.

usage: peers/ocl_peers.py [--babelstream FOLDER] [--clpeak FOLDER] [--mixbench FOLDER] [--shoc FOLDER] [--built FOLDER]
                          [--cases NAME,...] [--archmeter PROGRAM] [--device NAME] [--number N] [--place PLATFORM:DEVICE]
                          [--elements N] [--launches N] [--rounds N] [--calm SECONDS]

The folders hold the programs' sources, outside of this tree; each is built in a temporary folder, SHOC by its
configure, the others by CMake. --built names a folder with programs that were built before, for machines without
compilers. --device is archmeter's name of the device (`archmeter list ocl.arith`), --number the peers' one over all
platforms, from 0 on, --place its platform and its number there, which SHOC and clpeak ask for. --elements are the
doubles of each of BabelStream's arrays, --launches those of ours per round (as the quick profile has them otherwise).
A program that was not given, or does not build, is left out with that reason.
Compared are rates of the same bytes and operations: BabelStream's dot reads only, as ocl.global does, its
copy reads and writes, as ocl.bus d2d does; mixbench sweeps operations per byte, as ocl.intensity does; SHOC's level 0 has
arithmetic, memories and the bus. Of each program the best of its figures counts. Every round
measures each case once with each program, the order changing from round to round; cases of one program share its run
of that round. Each value is told on standard error as it comes. Ratio and interval as in ratio.py. clpeak 1.1 has a
script of its own (clpeak.py).
"""

import csv
import datetime
import os
import re
import subprocess
import sys
import tempfile

import ratio

# case -> (peer, its program, what of its table, our bench, point, metric, label)
CASES = {
    "read": ("babelstream", "ocl-stream", "Dot", "ocl.global",
             {"kernel": "read", "stride": 1, "shape": "group", "width": "4,16"}, "bandwidth",
             "reading (BabelStream dot), GB/s"),
    "copy": ("babelstream", "ocl-stream", "Copy", "ocl.bus",
             {"direction": "d2d", "method": "read_write", "memory": "pageable", "size": "ARRAY"}, "bandwidth",
             "copying (BabelStream copy), GB/s"),
    "single": ("mixbench", "mixbench-ocl", "single", "ocl.intensity", {"type": "float", "fmas": "512,1024"}, "flops",
               "most float operations (mixbench), Gflop/s"),
    "double": ("mixbench", "mixbench-ocl", "double", "ocl.intensity", {"type": "double", "fmas": "512,1024"}, "flops",
               "most double operations (mixbench), Gflop/s"),
    "flops": ("shoc", "MaxFlops", ".*-SP", "ocl.arith", {"type": "float", "mode": "throughput", "op": "fma,muladd"}, "flops",
              "most float operations (SHOC MaxFlops), Gflop/s"),
    "flops64": ("shoc", "MaxFlops", ".*-DP", "ocl.arith", {"type": "double", "mode": "throughput", "op": "fma,muladd"},
                "flops", "most double operations (SHOC MaxFlops), Gflop/s"),
    "global": ("shoc", "DeviceMemory", "readGlobalMemoryCoalesced", "ocl.global",
               {"kernel": "read", "stride": 1, "shape": "group", "width": "0"}, "bandwidth",
               "reading (SHOC DeviceMemory), GB/s"),
    "store": ("shoc", "DeviceMemory", "writeGlobalMemoryCoalesced", "ocl.global",
              {"kernel": "write", "stride": 1, "shape": "single", "width": "0"}, "bandwidth",
              "writing (SHOC DeviceMemory), GB/s"),
    "local": ("shoc", "DeviceMemory", "readLocalMemory", "ocl.local", {"kernel": "read", "stride": 1}, "bandwidth",
              "reading local memory (SHOC DeviceMemory), GB/s"),
    "download": ("shoc", "BusSpeedDownload", "DownloadSpeed", "ocl.bus",
                 {"direction": "h2d", "size": "64M"}, "bandwidth", "host to device (SHOC), GB/s"),
    "readback": ("shoc", "BusSpeedReadback", "ReadbackSpeed", "ocl.bus",
                 {"direction": "d2h", "size": "64M"}, "bandwidth", "device to host (SHOC), GB/s"),
}
CASES.update({
    "peak": ("clpeak", "clpeak", "single_precision_compute", "ocl.arith",
             {"type": "float", "mode": "throughput", "op": "fma,muladd"}, "flops", "most float operations (clpeak 2), Gflop/s"),
    "peak64": ("clpeak", "clpeak", "double_precision_compute", "ocl.arith",
               {"type": "double", "mode": "throughput", "op": "fma,muladd"}, "flops",
               "most double operations (clpeak 2), Gflop/s"),
    "stream": ("clpeak", "clpeak", "global_memory_bandwidth", "ocl.global",
               {"kernel": "read", "stride": 1, "shape": "group", "width": "0"}, "bandwidth", "reading (clpeak 2), GB/s"),
    "near": ("clpeak", "clpeak", "local_memory_bandwidth", "ocl.local", {"kernel": "read", "stride": 1}, "bandwidth",
             "reading local memory (clpeak 2), GB/s"),
})
PEERS = ("babelstream", "clpeak", "mixbench", "shoc")
BYTES = {"mbytes": 1e6, "mb": 1e6, "gb": 1e9, "tb": 1e12, "mib": 2**20, "gib": 2**30, "tib": 2**40}


def programs_of(peer: str) -> list[str]:
    return sorted({row[1] for row in CASES.values() if row[0] == peer})


def library_path() -> str:
    done = subprocess.run(["gcc", "-print-file-name=libOpenCL.so"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def commands_of(peer: str, folder: str, target: str) -> list[list[str]]:
    """What builds a peer's programs below `target`."""
    if peer == "shoc":
        common = [["make", "-C", os.path.join(target, part)] for part in ("src/common", "src/opencl/common")]
        return [[os.path.join(os.path.abspath(folder), "configure"), "--without-cuda", "--without-mpi", "--disable-stability"],
                *common, ["make", "-C", os.path.join(target, "src/opencl/level0"), *programs_of(peer)]]
    inner = os.path.join(folder, "mixbench-opencl")  # mixbench keeps a CMake project per programming model
    source = inner if os.path.isdir(inner) else folder
    # BabelStream would fetch headers, and looks for no library by itself
    options = {"babelstream": ["-DMODEL=ocl", "-DFETCHCONTENT_SOURCE_DIR_OPENCL_HEADER=/usr/include",
                               f"-DOpenCL_LIBRARY={library_path()}"],
               "clpeak": [f"-DCLPEAK_ENABLE_{part}=OFF" for part in
                          ("VULKAN", "CUDA", "ROCM", "METAL", "ONEAPI", "CPU", "GUI")]}
    return [["cmake", "-S", source, "-B", target, "-DCMAKE_BUILD_TYPE=Release", *options.get(peer, [])],
            ["cmake", "--build", target, "-j2"]]


def build(peer: str, folder: str, work: str) -> dict[str, str]:
    """The programs' paths by name; RuntimeError with the builder's words when one is missing."""
    target = os.path.join(work, peer)
    os.makedirs(target)
    for command in commands_of(peer, folder, target):
        done = subprocess.run(command, cwd=target, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()[-300:]}")
    found = {name: os.path.join(where, name) for where, _, files in os.walk(target) for name in files
             if name in programs_of(peer) and os.access(os.path.join(where, name), os.X_OK)}
    missing = set(programs_of(peer)) - set(found)
    if missing:
        raise RuntimeError(f"{folder} built no {', '.join(sorted(missing))}")
    return found


def read_babelstream(text: str) -> dict[str, float]:
    """{"Copy": bytes per second, ...} from the output of --csv."""
    found, columns, rate, scale = {}, [], "", 0.0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        head = re.search(r"\bmax_(\w+)_per_sec\b", line)
        if head and head.group(1).lower() in BYTES:
            columns, rate, scale = cells, head.group(0), BYTES[head.group(1).lower()]
        elif columns and len(cells) == len(columns):
            row = dict(zip(columns, cells))
            found[row["function"]] = float(row[rate]) * scale
    return found


def read_mixbench(text: str) -> dict[str, float]:
    """The most operations per second of each precision, from the table with two heading lines."""
    found: dict[str, float] = {}
    kinds: list[str] = []
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if cells[0] == "Experiment ID":
            kinds = cells
        elif cells[0] == "Compute iters":
            columns = cells
        elif columns and len(cells) >= len(columns) and cells[0].isdigit():
            kind = ""
            for i, name in enumerate(columns):
                kind = kinds[i].split()[0].lower() if i and i < len(kinds) and kinds[i] else kind
                if name == "GFLOPS":
                    found[kind] = max(found.get(kind, 0.0), float(cells[i]) * 1e9)
    return found


def read_shoc(text: str) -> dict[str, float]:
    """The most of each test over its sizes and passes, from the table that tabs part."""
    found: dict[str, float] = {}
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("\t")]
        if cells[:3] == ["test", "atts", "units"]:
            columns = cells
        elif columns and len(cells) >= columns.index("max") + 1 and cells[2] in ("GB/sec", "GFLOPS", "GB/s"):
            try:
                most = float(cells[columns.index("max")]) * 1e9
            except ValueError:  # "N/A": the device cannot
                continue
            found[cells[0]] = max(found.get(cells[0], 0.0), most)
    return found


def read_clpeak(text: str) -> dict[str, float]:
    """The most of each test over its vector widths, from the file that --csv-file writes."""
    found: dict[str, float] = {}
    for row in csv.DictReader(text.splitlines()):
        if row.get("status") == "ok" and row.get("unit") in ("gflops", "gops", "gbps"):
            found[row["test"]] = max(found.get(row["test"], 0.0), float(row["value"]) * 1e9)
    return found


def place_of(options) -> tuple[int, int]:
    """Platform and device there; without --place the first platform has it."""
    return tuple(int(n) for n in options.place.split(":")) if options.place else (0, options.number)


def command_of(options, peer: str, program: str, file: str) -> list[str]:
    """`file` is where clpeak puts its table; the others print theirs."""
    platform, number = place_of(options)
    if peer == "babelstream":
        return [program, "--csv", "--device", str(options.number), "-s", str(options.elements), "-n", "50"]
    if peer == "mixbench":
        return [program, str(options.number + 1)]
    if peer == "clpeak":
        tests = [f"--{row[2].replace('_', '-')}" for row in CASES.values() if row[0] == peer]
        return [program, "--opencl", "--cl-platform", str(platform), "--cl-device", str(number), *tests, "--csv-file", file]
    return [program, "-p", str(platform), "-d", str(number), "-s", "2", "-n", "3"]


READERS = {"babelstream": read_babelstream, "clpeak": read_clpeak, "mixbench": read_mixbench, "shoc": read_shoc}


def table_of(options, peer: str, program: str) -> dict[str, float]:
    """What one run of a peer's program says."""
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as file:
        command = command_of(options, peer, program, file.name)
        # mixbench reads its kernels from the folder it is started in
        done = subprocess.run(command, cwd=os.path.dirname(program), capture_output=True, text=True, check=False)
        table = READERS[peer](file.read() if peer == "clpeak" else done.stdout)
    if not table:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}, without a table:\n{(done.stdout + done.stderr)[-500:]}")
    return table


class Runs:
    """One run of a program serves each of its cases once: a round."""

    def __init__(self, options, programs: dict[str, str]) -> None:
        self.options, self.programs = options, programs
        self.tables: dict[str, dict[str, float]] = {}
        self.served: dict[str, set[str]] = {}

    def value(self, case: str) -> float:
        peer, name, what, *_ = CASES[case]
        if case in self.served.get(name, {case}):
            self.tables[name] = table_of(self.options, peer, self.programs[name])
            self.served[name] = set()
        self.served[name].add(case)
        values = [value for key, value in self.tables[name].items() if re.fullmatch(what, key)]
        if not values:
            sys.exit(f"{name} has no {what}: {self.tables[name]}")
        return max(values)


def told(side: str, case: str, value: float) -> float:
    print(f"{side} {case} {value:.6g}", file=sys.stderr, flush=True)
    return value


def run_ours(options, case: str) -> float:
    _, _, _, bench, point, metric, _ = CASES[case]
    chosen = {axis: 8 * options.elements if value == "ARRAY" else value for axis, value in point.items()}
    if options.device:
        chosen["device"] = options.device
    more = ["--launches", str(options.launches)] if options.launches else []
    return max(ratio.run_archmeter(options.archmeter, bench, chosen, metric, more))


def build_all(options, work: str) -> dict[str, str]:
    names = {row[1] for row in CASES.values()} if options.built else set()
    programs = {name: path for name in names if os.access(path := os.path.join(os.path.abspath(options.built), name), os.X_OK)}
    for peer in PEERS:
        folder = getattr(options, peer)
        if not folder and set(programs_of(peer)) & set(programs):
            continue
        if not folder:
            print(f"{peer}: left out, no --{peer} FOLDER", file=sys.stderr)
            continue
        try:
            programs.update(build(peer, folder, work))
        except (RuntimeError, OSError) as why:
            print(f"{peer}: left out, {why}", file=sys.stderr)
    return programs


def print_table(options, ours: dict, theirs: dict) -> None:
    print(f"Measured {datetime.date.today().isoformat()} with `peers/ocl_peers.py --rounds "
          f"{options.rounds}`. Medians of the rounds; in brackets the spread, (max − min) / median.\n")
    ratio.print_head(["what", "peer", "archmeter", "ratio [95 % interval]"])
    for (case,), values in ours.items():
        estimate, low, high = ratio.ratio(values, theirs[case,])
        ratio.print_row([CASES[case][-1], ratio.value_cell(theirs[case,], 1e-9, 1),
                         ratio.value_cell(values, 1e-9, 1), ratio.ratio_cell(estimate, low, high)])


def main() -> int:
    parser = ratio.parser_of(__doc__.splitlines()[0])
    for peer in PEERS:
        parser.add_argument("--" + peer, help="folder with its sources")
    parser.add_argument("--cases", help="some of " + ",".join(CASES))
    parser.add_argument("--device", help="archmeter's name of the device")
    parser.add_argument("--number", type=int, default=0, help="the peers' number of the device, over all platforms")
    parser.add_argument("--place", help="PLATFORM:DEVICE, numbers of the same")
    parser.add_argument("--built", help="folder with programs that are built")
    parser.add_argument("--elements", type=int, default=1 << 25, help="of each of BabelStream's arrays")
    parser.add_argument("--launches", type=int, help="of ours per round")
    options = parser.parse_args()
    chosen = options.cases.split(",") if options.cases else list(CASES)
    if options.rounds < 1:
        parser.error("rounds are 1 or more")
    if options.place and not re.fullmatch(r"\d+:\d+", options.place):
        parser.error("a place is PLATFORM:DEVICE, as 1:0")
    if set(chosen) - set(CASES):
        parser.error(f"cases are {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as work:
        programs = build_all(options, work)
        cases = [(case,) for case in chosen if CASES[case][1] in programs]
        if not cases:
            sys.exit("no other program is there to compare with")
        runs = Runs(options, programs)
        ours, theirs = ratio.in_turn(options, cases, lambda case: told("ours", case, run_ours(options, case)),
                                     lambda case: told("theirs", case, runs.value(case)))
    print_table(options, ours, theirs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
