# SPDX-License-Identifier: MIT
"""Each header compiles alone and twice, without a warning. Arguments: root, compiler command."""

import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from structure import Case, Violation, main, sources

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c"]

# Headers of kernels are compiled for an ISA: here for the one that every machine has.
KERNEL_FLAGS = ["-DAM_ISA=scalar", "-DAM_VEC_BYTES=8"]



def mpi_flags() -> list[str]:
    """Where mpi.h lies; empty without an MPI library, whose headers then cannot be looked at."""
    for package in ("ompi-c", "mpich"):
        told = subprocess.run(["pkg-config", "--cflags", package], capture_output=True, text=True)
        if told.returncode == 0:
            return told.stdout.split()
    return []


MPI_FLAGS = mpi_flags()


def compile_twice(root: Path, header: Path) -> Violation | None:
    folder = root / header.relative_to(root).parts[0]
    name = header.relative_to(folder)
    line = f'#include "{name}"\n'
    flags = [*FLAGS, *(KERNEL_FLAGS if name.parts[0] == "kernels" else [])]
    command = [*sys.argv[2:], *flags, f"-I{root / 'src'}", f"-I{root / 'include'}", f"-I{folder}", *MPI_FLAGS, "-"]
    done = subprocess.run(command, input=line * 2, capture_output=True, text=True)
    if done.returncode == 0 or (not MPI_FLAGS and "mpi.h: No such file" in done.stderr):
        return None
    first = next((l for l in done.stderr.split("\n") if "error" in l), done.stderr.strip())
    return Violation(str(header.relative_to(root)), 1, first)


def is_foreign(header: Path) -> bool:
    """kernels/isa/<machine>.h of another machine than this."""
    return header.parent.name == "isa" and header.stem != platform.machine()


def check(root: Path) -> tuple[list[Violation], int]:
    headers = [h for h in sources(root, ("src", "tests", "include"), (".h",)) if not is_foreign(h)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda h: compile_twice(root, h), headers))
    return [r for r in results if r], len(headers)


GUARD = "#ifndef A_H\n#define A_H\n%s\n#endif\n"
CASES = [
    Case("a header that includes what it needs passes",
         {"src/core/a.h": GUARD % '#include "base/b.h"\nstruct a { struct b b; };',
          "src/base/b.h": "#pragma once\nstruct b { int i; };\n"}, None),
    Case("a header that leans on its includer is reported",
         {"src/core/a.h": GUARD % "size_t am_a(void);"}, "src/core/a.h"),
    Case("a header without a guard is reported", {"src/core/a.h": "struct a { int i; };\n"},
         "redefinition"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "every header compiles alone and twice"))
