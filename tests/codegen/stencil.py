# SPDX-License-Identifier: MIT
"""Reads the disassembly of the stencil's loops: are points in registers, and nothing else done?

usage: stencil.py ARCH OBJDUMP ISA=FILE...

The loop of every slice must hold its form's operations once a point and step, two loads and two
stores of edges a step, constants from memory only where registers are short, and no spill. Sweeps
must hold the loads and stores that name them, grids in registers none at all. Prints TAP.
"""

import re
import sys

from codegen import AArch64, Tap, X86, disassemble, innermost_loops

ROTATING = 13
FORMS = ("paper", "scaled", "centred")
TYPES = ("f32", "f64")
STACK = {X86: r"\(%r[sb]p", AArch64: r"\[(sp|x29)"}
ARGUMENTS = {X86: r"\(%rdi\)", AArch64: r"\[x0[,\]]"}
REGISTERS = {"scalar": 16, "sse2": 16, "avx": 16, "avx2": 16, "avx512": 32}
HELD = {False: (6, 8, 10), True: (8, 16, 24)}  # widths of grids in registers, by 32 of them
SWEEPS = {  # loop: vectors, loads, stores of one round of its unrolled loop
    "unaligned": (4, 12, 4), "interleaved": (4, 12, 4), "prefetch": (6, 6, 6), "skew": (1, 2, 2),
}


def width_max(arch, isa):
    return 28 if arch is AArch64 or REGISTERS[isa] == 32 else ROTATING


def period(width):
    registers = width + 2
    if width > ROTATING:
        return 1
    return registers if registers % 2 else registers // 2


def operations(arch, isa, form):
    """{operation: how often for one point and step}"""
    fused = isa in arch.HAS_FMA
    if arch is AArch64 and isa == "neon" and form == "centred":
        fused = False  # a vector's multiply-add adds to its destination only
    if form == "paper":
        return {"add": 1, "mul": 1, "fma": 1} if fused else {"add": 2, "mul": 2}
    return {"add": 1, "fma": 1} if fused else {"add": 2, "mul": 1}


def spills(arch, insns):
    return [f"spill: {i}" for i in insns if re.search(STACK[arch], i.operands)]


def count_faults(arch, isa, kind, loop, wanted):
    faults = []
    for operation, times in wanted.items():
        pattern = arch.arithmetic(isa, operation, kind)
        named = [i for i in loop if pattern.match(i.mnemonic)]
        if len(named) != times:
            faults.append(f"{len(named)} of {times} {operation}")
        if arch is X86:
            faults += [f"width: {i}" for i in named if not arch.registers_fit(isa, i)]
    return faults


def access_faults(arch, accesses, loads, stores):
    got = [sum(arch.memory(i)[k] for i in accesses) for k in (0, 1)]
    return [] if got == [loads, stores] else [f"{got[0]} loads and {got[1]} stores, not {loads} "
                                              f"and {stores}"]


def slice_faults(arch, isa, form, kind, width, body):
    loops = innermost_loops(arch, body)
    if len(loops) != 1:
        return [f"{len(loops)} loops"]
    loop, steps = loops[0], period(width)
    wanted = {op: times * width * steps for op, times in operations(arch, isa, form).items()}
    accesses = [i for i in loop if any(arch.memory(i))]
    constants = [i for i in accesses if re.search(ARGUMENTS[arch], i.operands)]
    edges = [i for i in accesses if i not in constants]
    faults = spills(arch, loop) + count_faults(arch, isa, kind, loop, wanted)
    faults += access_faults(arch, edges, 2 * steps, 2 * steps)
    if arch is X86:
        faults += spills(arch, body)  # AArch64 saves its caller's registers, outside the loop
        if constants and width + 2 + 3 <= REGISTERS[isa]:
            faults.append("constants in memory though there are registers for them")
    elif constants:
        faults.append("constants in memory")
    return faults


def slices_faults(arch, isa, form, kind, functions):
    faults = []
    for width in range(1, width_max(arch, isa) + 1):
        name = f"am_slice_{isa}_{form}_{kind}_{width}"
        found = [f"{name} is missing"]
        if name in functions:
            found = slice_faults(arch, isa, form, kind, width, functions[name])
        faults += [f"{name}: {fault}" for fault in found]
    return faults


def sweep_faults(arch, isa, form, kind, loop_name, functions):
    body = functions.get(f"{loop_name}_{form}_{kind}")
    if not body:
        return ["missing"]
    vectors, loads, stores = SWEEPS[loop_name]
    loops = [l for l in innermost_loops(arch, body) if any(any(arch.memory(i)) for i in l)]
    add = arch.arithmetic(isa, "add", kind)
    loop = max(loops, key=lambda l: sum(add.match(i.mnemonic) is not None for i in l))
    accesses = [i for i in loop if any(arch.memory(i))]
    wanted = {"add": vectors * operations(arch, isa, form)["add"]}
    if arch is AArch64 and form == "centred":
        wanted = {"add": vectors}  # a destination of its own is free here
    return (spills(arch, [i for l in loops for i in l]) + access_faults(arch, accesses, loads, stores)
            + count_faults(arch, isa, kind, loop, wanted))


def held_faults(arch, isa, form, kind, functions):
    """Grids in registers: their loops touch no array and compute every point once."""
    faults = []
    for width in HELD[arch is AArch64 or REGISTERS[isa] == 32]:
        name = f"held_{form}_{kind}_{width}"
        if name not in functions:
            faults.append(f"{name} is missing")
            continue
        add = arch.arithmetic(isa, "add", kind)
        loop = max(innermost_loops(arch, functions[name]),
                   key=lambda l: sum(add.match(i.mnemonic) is not None for i in l))
        found = [f"memory: {i}" for i in loop
                 if any(arch.memory(i)) and "(%rip)" not in i.operands]  # how lanes are turned
        times = operations(arch, isa, form)["add"]
        if arch is AArch64 and form == "centred":
            times = 1  # a destination of its own is free here
        found += count_faults(arch, isa, kind, loop, {"add": width * times})
        faults += [f"{name}: {fault}" for fault in found]
    return faults


# Rows begin anywhere: vectors of half a line.
AUTO_WIDTH = {"avx512": "avx2"}


def auto_faults(arch, isa, form, kind, functions):
    name = f"auto_{form}_{kind}"
    if isa == "scalar":
        return [f"{name} is there"] if name in functions else []
    if name not in functions:
        return ["missing"]
    add = arch.arithmetic(isa, "add", kind)
    inside = [i for loop in innermost_loops(arch, functions[name]) for i in loop]
    vectors = [i for i in inside if add.match(i.mnemonic) and arch.registers_fit(AUTO_WIDTH.get(isa, isa), i)]
    return spills(arch, inside) + ([] if vectors else ["not vectorised at its width"])


def main(argv):
    arch = {"x86_64": X86, "aarch64": AArch64}[argv[1]]
    objects = {}
    for word in argv[3:]:
        isa, path = word.split("=", 1)
        if isa != "plain":
            objects.setdefault(isa, {}).update(disassemble(argv[2], path))
    tap = Tap()
    for isa, functions in objects.items():
        for form in FORMS:
            for kind in TYPES:
                tap.check(slices_faults(arch, isa, form, kind, functions),
                          f"{isa} slices {form} {kind}: {width_max(arch, isa)} widths in "
                          f"registers, edges alone in memory")
                for name in SWEEPS:
                    tap.check(sweep_faults(arch, isa, form, kind, name, functions),
                              f"{isa} {name} {form} {kind}: its loads and stores, no spill")
                tap.check(held_faults(arch, isa, form, kind, functions),
                          f"{isa} registers {form} {kind}: no array in memory")
                tap.check(auto_faults(arch, isa, form, kind, functions),
                          f"{isa} auto {form} {kind}: vectorised by the compiler, or rightly not")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
