# SPDX-License-Identifier: MIT
"""Reads the disassembly of the loops over boxes: are rows in registers, and is each point loaded once?

usage: grid.py ARCH OBJDUMP ISA=FILE...

A loop of `prefetch` takes two columns of several rows. It must load each of them once, with a vector
above the rows and one below, and in three dimensions the planes beside them; store each once; and
leave no vector on the stack (a few in three dimensions). The other vector loops load all neighbours of a point and store it.
Prints TAP.
"""

import re
import sys

from codegen import AArch64, Tap, X86, disassemble, innermost_loops
from stencil import FORMS, REGISTERS, TYPES

DIMS = (2, 3)
NEIGHBOURS = {2: 5, 3: 7}  # and the point itself
UNROLLED = 4
FEW = 6  # of so many accesses in three dimensions, which clang has no register for, one may be a spill
VECTOR = {X86: r"%[xyz]mm\d", AArch64: r"\b[vqds]\d+\b"}
STACK = {X86: r"-?\w*\(%rsp[^)]*\)", AArch64: r"\[sp[^\]]*\]"}
FRAME = {X86: r"-?\w*\(%rbp[^)]*\)", AArch64: r"\[x29[^\]]*\]"}
SAVED = r"^d([89]|1[0-5])\b"  # AArch64: the caller's registers, saved and restored


def rows_of(arch, isa):
    return 5 if arch is AArch64 else 8 if REGISTERS[isa] == 32 else 4


def vector_accesses(arch, insns):
    return [i for i in insns if any(arch.memory(i)) and re.search(VECTOR[arch], i.operands)]


def slots(arch, insns, body):
    """{where on the stack: accesses there}; the frame's register may be any other's."""
    framed = any(re.search(r"^%rsp,%rbp$|^x29, sp", i.operands) for i in body)
    where = STACK[arch] + ("|" + FRAME[arch] if framed else "")
    found = {}
    for i in vector_accesses(arch, insns):
        place = re.search(where, i.operands)
        if place and not (arch is AArch64 and re.match(SAVED, i.operands)):
            found.setdefault(place.group(0), []).append(i)
    return found


def spills(arch, insns, body):
    """What is stored and never read is no spill: gcc keeps a dead store of an array in registers."""
    read = {place for place, accesses in slots(arch, body, body).items()
            if any(arch.memory(i)[0] for i in accesses)}
    return [f"spill: {i}" for place, accesses in slots(arch, insns, body).items() if place in read
            for i in accesses]


def busiest(arch, isa, kind, body):
    """Of the innermost loops the one with the most additions."""
    add = arch.arithmetic(isa, "add", kind)
    loops = innermost_loops(arch, body)
    return max(loops, key=lambda l: sum(add.match(i.mnemonic) is not None for i in l), default=[])


def access_faults(arch, loop, body, loads, stores):
    beside = [i for accesses in slots(arch, loop, body).values() for i in accesses]
    apart = [i for i in vector_accesses(arch, loop) if "(%rip)" not in i.operands and i not in beside]
    got = [sum(arch.memory(i)[k] for i in apart) for k in (0, 1)]
    return [] if got == [loads, stores] else [f"{got[0]} loads and {got[1]} stores, not {loads} "
                                              f"and {stores}"]


def prefetch_faults(arch, isa, dim, kind, body):
    """Columns are walked through two at a time, several rows or, where few are left, one."""
    loop, rows = busiest(arch, isa, kind, body), rows_of(arch, isa)
    planes = 2 * rows if dim == 3 else 0
    faults = access_faults(arch, loop, body, 2 * (rows + 2 + planes), 2 * rows)
    found = spills(arch, loop, body)
    few = len(vector_accesses(arch, loop)) // FEW if dim == 3 else 0
    return faults + (found if len(found) > few else [])


def plain_faults(arch, isa, dim, kind, body):
    loop = busiest(arch, isa, kind, body)
    copies = isa == "sse2"  # its operands in memory are aligned: gcc makes such a copy of one
    return (([] if copies else spills(arch, loop, body))
            + access_faults(arch, loop, body, UNROLLED * NEIGHBOURS[dim], UNROLLED))


LOOPS = {"prefetch": prefetch_faults, "unaligned": plain_faults, "interleaved": plain_faults}


def main(argv):
    arch = {"x86_64": X86, "aarch64": AArch64}[argv[1]]
    objects = {}
    for word in argv[3:]:
        isa, path = word.split("=", 1)
        if isa != "plain":
            objects.setdefault(isa, {}).update(disassemble(argv[2], path))
    tap = Tap()
    for isa, functions in objects.items():
        for dim in DIMS:
            for form in FORMS:
                for kind in TYPES:
                    for name, faults in LOOPS.items():
                        body = functions.get(f"{name}_{dim}_{form}_{kind}")
                        tap.check(faults(arch, isa, dim, kind, body) if body else ["missing"],
                                  f"{isa} {name} {dim}-D {form} {kind}: each vector once, no spill")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
