#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs BabelStream, mixbench and SHOC (OpenCL) in turn with ocl.*, as Markdown.

usage: peers/ocl_peers.py [--babelstream FOLDER] [--mixbench FOLDER] [--shoc FOLDER] [--cases NAME,...]
                          [--archmeter PROGRAM] [--device NAME] [--number N] [--rounds N] [--calm SECONDS]

The folders hold the programs' sources, outside of this tree; each is built in a temporary folder, SHOC by its
configure, the others by CMake. --device is archmeter's name of the device (`archmeter list ocl.arith`), --number the
peers' one, from 0 on. A program that was not given, or does not build, is left out with that reason.
Compared are rates of the same bytes and operations: BabelStream's dot reads only, as ocl.global does, its
copy reads and writes, as ocl.bus d2d does; mixbench sweeps operations per byte, as ocl.intensity does; SHOC's level 0 has
arithmetic, memories and the bus. Of each program the best of its figures counts. Every round
measures each case once with each program, the order changing from round to round. Ratio and interval as in
ratio.py. clpeak has a script of its own (clpeak.py).
"""

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
             {"direction": "d2d", "method": "read_write", "memory": "pageable", "size": "64M"}, "bandwidth",
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
PEERS = ("babelstream", "mixbench", "shoc")
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
    options = ["-DMODEL=ocl", "-DFETCHCONTENT_SOURCE_DIR_OPENCL_HEADER=/usr/include",
               f"-DOpenCL_LIBRARY={library_path()}"] if peer == "babelstream" else []
    return [["cmake", "-S", source, "-B", target, "-DCMAKE_BUILD_TYPE=Release", *options],
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


def command_of(options, peer: str, program: str) -> list[str]:
    if peer == "babelstream":
        return [program, "--csv", "--device", str(options.number)]
    if peer == "mixbench":
        return [program, str(options.number + 1)]
    return [program, "-d", str(options.number), "-s", "2"]


READERS = {"babelstream": read_babelstream, "mixbench": read_mixbench, "shoc": read_shoc}


def run_peer(options, programs: dict[str, str], case: str) -> float:
    peer, name, what, *_ = CASES[case]
    command = command_of(options, peer, programs[name])
    # mixbench reads its kernels from the folder it is started in
    done = subprocess.run(command, cwd=os.path.dirname(programs[name]), capture_output=True, text=True, check=True)
    values = [value for key, value in READERS[peer](done.stdout).items() if re.fullmatch(what, key)]
    if not values:
        sys.exit(f"{' '.join(command)} has no {what}:\n{done.stdout[-500:]}")
    return max(values)


def run_ours(options, case: str) -> float:
    _, _, _, bench, point, metric, _ = CASES[case]
    chosen = dict(point, device=options.device) if options.device else point
    return max(ratio.run_archmeter(options.archmeter, bench, chosen, metric))


def build_all(options, work: str) -> dict[str, str]:
    programs = {}
    for peer in PEERS:
        folder = getattr(options, peer)
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
    parser.add_argument("--number", type=int, default=0, help="the peers' number of the device")
    options = parser.parse_args()
    chosen = options.cases.split(",") if options.cases else list(CASES)
    if options.rounds < 1:
        parser.error("rounds are 1 or more")
    if set(chosen) - set(CASES):
        parser.error(f"cases are {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as work:
        programs = build_all(options, work)
        cases = [(case,) for case in chosen if CASES[case][1] in programs]
        if not cases:
            sys.exit("no other program is there to compare with")
        ours, theirs = ratio.in_turn(options, cases, lambda case: run_ours(options, case),
                                     lambda case: run_peer(options, programs, case))
    print_table(options, ours, theirs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
