# SPDX-License-Identifier: MIT
"""Includes are rooted, point down the layers, and name a foreign library only where it belongs."""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

from structure import LAYERS, Case, Violation, main, read, sources

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Headers of foreign libraries and the folders of src/ that may know them.
OWNERS = {
    "sqlite3*.h": ("store",),
    "hwloc*": ("topo",),
    "omp*.h": ("bench",),
    "CL/*": ("bench",),
    "mpi.h": ("bench", "cluster"),
    "starpu*.h": ("bench",),
    "tbb/*": ("bench",),
    "taskflow/*": ("bench",),
    "cilk/*": ("bench",),
    "nanos6*": ("bench",),
}

# Folders of src/bench that are no worker program.
WORKERS_SHARE = ("apps", "shared")
# Ranks that have devices: the worker of jobs has those of the worker of devices where both are built.
WORKERS_JOINED = {"mpi": ("ocl",)}

# core and base need libc and the compiler only.
LIBC = set(
    "assert ctype dirent elf errno fcntl fenv float fnmatch ftw getopt glob inttypes limits link locale malloc"
    " math poll pthread regex sched setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint"
    " stdio stdlib stdnoreturn string strings threads time unistd wchar".split()
)
# Instructions by their names, from the compiler itself.
COMPILER = {"arm_neon", "cpuid", "immintrin"}


def judge_project(layer: str, target: str) -> str | None:
    """Why `"target"` may not be included from the layer, or None."""
    below = target.split("/")[0]
    if "/" not in target or below not in LAYERS:
        return f'"{target}" is not rooted at a layer of src/'
    if LAYERS.index(below) < LAYERS.index(layer):
        return f'"{target}" points up: {layer} is below {below}'
    return None


def judge_worker(name: Path, target: str) -> str | None:
    """A worker program is built from its own folder, and from those that workers share."""
    here, there = name.parts, target.split("/")
    if here[1] != "bench" or there[0] != "bench" or there[1] in (here[2], *WORKERS_SHARE, *WORKERS_JOINED.get(here[2], ())):
        return None
    return f'"{target}" is another worker\'s: bench/{here[2]} and bench/{there[1]} are programs of their own'


def judge_system(layer: str, target: str) -> str | None:
    if target.startswith("archmeter/"):
        return None  # what is installed for users' programs: include/archmeter
    for pattern, owners in OWNERS.items():
        if fnmatch(target, pattern) and layer not in owners:
            return f"<{target}> belongs to src/{', src/'.join(owners)} alone"
    if layer in ("core", "base"):
        stem = target.removesuffix(".h")
        if stem not in LIBC | COMPILER and not target.startswith(("sys/", "linux/", "asm/")):
            return f"<{target}>: {layer} needs libc only"
    return None


def is_generated(path: Path, target: str) -> bool:
    """Made by Meson from a template beside the file that includes it."""
    return "/" not in target and path.with_name(target + ".in").exists()


def check(root: Path) -> tuple[list[Violation], int]:
    found, examined = [], 0
    for path in sources(root, ("src",), (".c", ".h", ".c.in", ".h.in")):
        examined += 1
        name = path.relative_to(root)
        layer = name.parts[1]
        if layer not in LAYERS:
            found.append(Violation(str(name), 1, f"{layer} is no layer"))
            continue
        for number, line in enumerate(read(path).split("\n"), 1):
            match = INCLUDE.match(line)
            if match and not is_generated(path, match.group(2)):
                judge = judge_project if match.group(1) == '"' else judge_system
                why = judge(layer, match.group(2)) or judge_worker(name, match.group(2))
                if why:
                    found.append(Violation(str(name), number, why))
    return found, examined


CASES = [
    Case("downward and sideways includes pass",
         {"src/core/a.c": '#include "core/a.h"\n#include "base/b.h"\n#include <stdio.h>\n'}, None),
    Case("an upward include is reported with its place",
         {"src/core/a.c": '\n#include "store/store.h"\n'}, "src/core/a.c:2: "),
    Case("an include that is not rooted is reported",
         {"src/base/a.c": '#include "a.h"\n'}, "not rooted"),
    Case("a header generated from a template beside the file passes",
         {"src/topo/a.c": '#include "info.h"\n', "src/topo/info.h.in": ""}, None),
    Case("another worker's header is reported",
         {"src/bench/mpi/a.c": '#include "bench/cpu/b.h"\n'}, "is another worker's"),
    Case("what workers share passes",
         {"src/bench/mpi/a.c": '#include "bench/shared/b.h"\n#include "bench/mpi/c.h"\n'}, None),
    Case("SQLite outside the store is reported",
         {"src/document/a.c": "#include <sqlite3.h>\n"}, "belongs to src/store"),
    Case("SQLite inside the store passes", {"src/store/a.c": "#include <sqlite3.h>\n"}, None),
    Case("hwloc outside topo is reported",
         {"src/conductor/a.c": "# include <hwloc/linux.h>\n"}, "belongs to src/topo"),
    Case("OpenMP outside the benches is reported",
         {"src/worker/a.h": "#include <omp.h>\n"}, "belongs to src/bench"),
    Case("core and base with more than libc are reported",
         {"src/base/a.c": "#include <zlib.h>\n"}, "libc only"),
    Case("a folder that is no layer is reported", {"src/util/a.c": ""}, "no layer"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "every include is rooted and points down the layers"))
