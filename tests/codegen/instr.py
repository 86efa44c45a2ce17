# SPDX-License-Identifier: MIT
"""Reads the disassembly of cpu.instr's kernels: does each loop hold the instruction that it names?

usage: instr.py ARCH OBJDUMP FILE [LEAST]

What a loop must hold follows from the form's name alone, not from the table it is made of:
<mnemonic>[_<mnemonic>]_<operands>[_<what differs>]. Prints TAP; LEAST is the number of forms that
the catalogue must have.
"""

import re
import sys

from codegen import AArch64, Insn, Tap, X86, disassemble, innermost_loops

CHAIN, FREE = 100, 96

# Words that end the mnemonics of a name, and what the operands must show for each.
X86_OPERANDS = {
    "r64": r"%r(\d+|[a-d]x)(?!\w)", "r32": r"%(r\d+d|e[a-d]x)", "r16": r"%(r\d+w|[a-d]x)",
    "r8": r"%(r\d+b|[a-d]l)", "m64": r"\(", "xmm": "%xmm", "ymm": "%ymm", "zmm": "%zmm",
    "k": r"%k\d", "cl": "%cl", "imm": r"\$",
}
ARM_OPERANDS = {
    "x": r"\bx\d", "w": r"\bw\d", "d": r"\bd\d", "s": r"\bs\d",
    **{t: rf"\.({t}|{t[-1]}\[)" for t in ("16b", "8b", "8h", "4s", "2s", "2d")},
}

# Names that the disassembler gives to some encodings.
ALIASES = {
    "pclmulqdq": "pclmulhqlqdq", "crc32": "crc32q", "cvtsi2sd": "cvtsi2sd[lq]",
    "cvtsi2ss": "cvtsi2ss[lq]", "ins": "mov",
}

# What else may stand in a loop, by kernel and name: everything else is a fault.
HELPERS = (
    (r"(chain|extra)_v?f?sqrt", r"v?f?mul([ps][ds])?$"),  # brings the root back, and is subtracted
    (r"free_(i?div|mul)_r", r"mov$"),  # fresh registers for the implicit operands
    (r"(chain|free)_vp?gather\w+_[xy]mm", r"vpcmpeqd$"),  # a new mask: the gather consumes it
    (r"(chain|free)_vp?gather\w+_zmm", r"kxnorw$"),
)


class Form:
    """What a name promises."""

    def __init__(self, name, operands):
        words = name.split("_")
        first = next(i for i, word in enumerate(words) if word in operands)
        self.name = name
        self.patterns = [f"({w}|{ALIASES.get(w, w)})$" for w in words[:first]]
        self.operands = [operands[w] for w in words[first:] if w in operands]

    def names(self, insn):
        return any(re.match(p, insn.mnemonic) for p in self.patterns)

    def operand_faults(self, named):
        """Each named operand stands in every instruction; in some, where several are named."""
        faults = []
        for shape in self.operands:
            hits = sum(bool(re.search(shape, i.operands)) for i in named)
            if hits < (len(named) if len(self.operands) == 1 else 1):
                faults.append(f"not of the named operands {shape}: {named[0]}")
        return faults


def loop_faults(arch, kind, form, body):
    loops = innermost_loops(arch, body)
    if len(loops) != 1:
        return [f"{len(loops)} loops"]
    *steps, count, _branch = loops[0]
    helper = next((h for k, h in HELPERS if re.match(k, f"{kind}_{form.name}")), None)
    helpers = [i for i in steps if helper and re.match(helper, i.mnemonic)]
    named = [i for i in steps if form.names(i) and i not in helpers]
    faults = [f"beside the form: {i}" for i in steps if i not in named and i not in helpers]
    if count.mnemonic not in ("dec", "sub"):
        faults.append(f"the count is {count}")
    if kind == "extra":
        return faults + ([] if len(helpers) == CHAIN and not named else ["not the helper alone"])
    if len(named) != (FREE if kind == "free" else CHAIN):
        return faults + [f"{len(named)} instructions of the form"]
    for pattern in form.patterns:
        share = sum(bool(re.match(pattern, i.mnemonic)) for i in named)
        if share * len(form.patterns) != len(named):
            faults.append(f"{share} of {len(named)} are {pattern}")
    return faults + form.operand_faults(named)


REGISTER = re.compile(r"%?(?:[xyz]mm|[vdsqbhxwk]|r)(\d+)|%[re]([a-d]x)")


def chain_faults(arch, body):
    """Each step of a chain has a register in common with the step before it, at least."""
    steps = innermost_loops(arch, body)[0][:-2]
    sets = [{"".join(m) for m in REGISTER.findall(i.operands)} for i in steps]
    alone = [i for i, a, b in zip(steps[1:], sets, sets[1:]) if a and b and not a & b]
    return [f"shares nothing with the one before: {i}" for i in alone]


def self_test(tap):
    """The test tested, on loops made up here."""
    def loop(mnemonic, operands, times):
        insns = [Insn(i, mnemonic, operands) for i in range(times)]
        return insns + [Insn(times, "dec", "%rdi"), Insn(times + 1, "jne", "0")]

    form = Form("add_r64", X86_OPERANDS)
    cases = (
        ("a right loop passes", loop("add", "%rax,%r8", CHAIN), False),
        ("one instruction too few is noticed", loop("add", "%rax,%r8", CHAIN - 1), True),
        ("another instruction is noticed", loop("sub", "%rax,%r8", CHAIN), True),
        ("another width is noticed", loop("add", "%eax,%r8d", CHAIN), True),
    )
    for sentence, body, wrong in cases:
        faults = loop_faults(X86, "chain", form, body)
        tap.check([] if bool(faults) == wrong else ["it is not"], f"self-test: {sentence}")


def main(argv):
    arch = {"x86_64": X86, "aarch64": AArch64}[argv[1]]
    operands = X86_OPERANDS if arch is X86 else ARM_OPERANDS
    least = int(argv[4]) if len(argv) > 4 else 1
    functions = {n: b for n, b in disassemble(argv[2], argv[3]).items()
                 if re.match(r"(chain|free|extra)_", n)}
    forms = {n.split("_", 1)[1] for n in functions}
    tap = Tap()
    self_test(tap)
    tap.check([] if len(forms) >= least else [f"{len(forms)} forms"],
              f"the catalogue has at least {least} forms")
    for name in sorted(forms):
        faults = []
        for kind in ("chain", "free", "extra"):
            body = functions.get(f"{kind}_{name}")
            if body:
                found = loop_faults(arch, kind, Form(name, operands), body)
                if kind == "chain" and not found:
                    found = chain_faults(arch, body)
                faults += [f"{kind}: {fault}" for fault in found]
            elif kind != "extra":
                faults.append(f"{kind} is missing")
        tap.check(faults, f"{name}: the loops hold it {CHAIN} and {FREE} times and nothing else")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
