# SPDX-License-Identifier: MIT
"""Reads the disassembly of cpu.dot's kernels: does each loop hold the instruction that it names, and nothing else?

usage: dot.py ARCH OBJDUMP FILE LEAST

A form is called after its instruction and its registers: run_<form> holds it once per accumulator, chained_<form> the same
with a chain of known length between. Prints TAP; LEAST is the number of forms there must be.
"""

import re
import sys

from codegen import AArch64, Insn, Tap, X86, disassemble, innermost_loops

VECTORS, WIDE, TILES = 12, 24, 4
HELPERS = {"vpmaddwd": "vpaddd"}  # belongs to it: products alone are no sums
CHAIN = {"x86_64": ("imul", {VECTORS: 24, WIDE: 48, TILES: 32}), "aarch64": ("add", {VECTORS: 72})}
COUNT = {"x86_64": ["dec", "jne"], "aarch64": ["subs", "b.ne"]}


def destination(arch, insn):
    operands = insn.operands.split(",")
    return operands[-1] if arch == "x86_64" else operands[0].split(".")[0]


def faults_of(arch, form, body, chained):
    decoder = {"x86_64": X86, "aarch64": AArch64}[arch]
    loops = innermost_loops(decoder, body)
    if len(loops) != 1:
        return [f"{len(loops)} loops"]
    mnemonic = form.split("_")[0]
    times = TILES if mnemonic.startswith("tdp") else WIDE if form.endswith("_zmm") else VECTORS
    helper, chain = HELPERS.get(mnemonic), CHAIN[arch][0]
    named = [i for i in loops[0][:-2] if i.mnemonic == mnemonic]
    beside = [i for i in loops[0][:-2] if i.mnemonic == helper]
    links = [i for i in loops[0][:-2] if i.mnemonic == chain and i not in named]
    others = [i for i in loops[0][:-2] if i not in named + beside + links]
    faults = [f"beside the form: {i}" for i in others]
    sums = beside if helper else named
    if len(named) != times or len({destination(arch, i) for i in sums}) != times:
        faults.append(f"{len(named)} of {times}, or accumulators shared")
    if len(links) != (CHAIN[arch][1][times] if chained else 0):
        faults.append(f"{len(links)} links of the chain")
    if len({destination(arch, i) for i in links}) > 1:
        faults.append("the chain is several")
    if [i.mnemonic for i in loops[0][-2:]] != COUNT[arch]:
        faults.append(f"the loop ends with {loops[0][-2:]}")
    return faults


def self_test(tap):
    """The test tested, on loops made up here."""
    def loop(times, shared=False, links=0):
        insns = [Insn(i, "vpdpbusd", f"%zmm15,%zmm14,%zmm{0 if shared else i}") for i in range(times)]
        insns += [Insn(times + i, "imul", "%rax,%rax") for i in range(links)]
        end = times + links
        return insns + [Insn(end, "dec", "%rdi"), Insn(end + 1, "jne", "0")]

    cases = (("a right loop passes", loop(24), False, False), ("one too few is noticed", loop(23), False, True),
             ("a shared accumulator is noticed", loop(24, shared=True), False, True),
             ("a link too few is noticed", loop(24, links=47), True, True),
             ("a right chain passes", loop(24, links=48), True, False))
    for sentence, body, chained, wrong in cases:
        faults = faults_of("x86_64", "vpdpbusd_zmm", body, chained)
        tap.check([] if bool(faults) == wrong else [f"it is not: {faults}"], f"self-test: {sentence}")


def main(argv):
    functions = disassemble(argv[2], argv[3])
    forms = sorted(n[len("chained_"):] for n in functions if n.startswith("chained_"))
    tap = Tap()
    self_test(tap)
    tap.check([] if len(forms) >= int(argv[4]) else [f"{len(forms)} forms"], f"there are at least {argv[4]} forms")
    for form in forms:
        faults = [] if f"run_{form}" in functions else ["run is missing"]
        for kind in ("run", "chained"):
            body = functions.get(f"{kind}_{form}")
            faults += [f"{kind}: {f}" for f in faults_of(argv[1], form, body, kind == "chained")] if body else []
        tap.check(faults, f"{form}: the loops hold it once per accumulator and nothing else")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
