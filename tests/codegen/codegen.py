# SPDX-License-Identifier: MIT
"""Reads the disassembly of kernel objects: is what is measured what is named?

usage: codegen.py ARCH OBJDUMP ISA=FILE... [plain=FILE]

Every loop of cpu.flops must hold its instruction as often as it has streams, on registers of its
width, and touch no memory. Every loop of mem.bandwidth must hold sixteen loads or stores per array
of its width at constant offsets, non-temporal stores where it says so, and a prefetch for each line
where it says so, and nowhere else. Black-Scholes must be two loops that calculate in vectors of their
width and call nobody. The innermost loop of a matrix product must hold a product for each vector of its
block and store nothing. A step of the motion gradient vector flow must hold its extremes, or its
divisions, in vectors of its width and call nobody. Prints TAP.
"""

import re
import subprocess
import sys

UNROLL = 16
CHAINS_IN_REGISTERS = (2, 4, 8)
HANDOFF = {  # loop: what it must hold on each architecture (AArch64 calls the atomics of libgcc)
    "am_chase_own": (r"lock xadd", r"ldadd|ldxr|bl "),
    "am_handoff_cas": (r"lock cmpxchg", r"cas|ldxr|bl "),
    "am_share_add": (r"lock (add|inc|xadd)", r"ldadd|stadd|ldxr|bl "),
    "am_share_count": (r"(add|inc)l? .*\(|mov .*\(", r"str "),
}
LINE_BYTES = 64
BLACKSCHOLES_LEAST = 12  # arithmetic instructions in each of its loops
MGVF = {  # form: rows of its loops, what they hold how often in a row (lanes: of three columns), on each architecture
    "minmax": ((1, 2, 4), 6, r"v?(min|max)", r"f(min|max)(nm)?$|fcsel$"),
    "atan": ((1,), 6, r"v?div", r"fdiv$"),
    "lanes": ((1, 2, 3, 4), 18, r"v?(min|max)", r"f(min|max)(nm)?$|fcsel$"),
}
GEMM_PRODUCTS = {"scalar": (8, 16), "sse2": (8, 0), "avx": (12, 0), "avx2": (12, 0), "avx512": (24, 0),
                 "neon": (0, 16)}  # vectors of C in registers, on each architecture
GEMM_STEPS = 4  # of the product that a loop has written out: AM_GEMM_CHUNK
GEMM_ROW = {"scalar": 2, "sse2": 2, "avx": 2, "avx2": 2, "avx512": 4, "neon": 2}  # vectors of a row of C or B
GEMM_PACKED = {"gemm_micro": 0, "gemm_micro_packing": 1}  # rows of B stored in each step
VECTOR_BYTES = {"scalar": 8, "sse2": 16, "neon": 16, "avx": 32, "avx2": 32, "avx512": 64}
STREAM = {  # kernel: arrays read, written, and prefetched in each form of its loop
    "read": (1, 0, {"plain": 0, "ahead": 1}),
    "write": (0, 1, {"plain": 0, "nt": 0, "ahead": 1}),
    "update": (1, 1, {"plain": 0, "ahead": 1}),
    "saxpy2": (2, 1, {"plain": 0, "ahead": 2}),
    "copy": (1, 1, {"plain": 0, "nt": 0, "ahead": 2, "nt_ahead": 1}),
    "scale": (1, 1, {"plain": 0, "nt": 0, "ahead": 2, "nt_ahead": 1}),
    "add": (2, 1, {"plain": 0, "nt": 0, "ahead": 3, "nt_ahead": 2}),
    "triad": (2, 1, {"plain": 0, "nt": 0, "ahead": 3, "nt_ahead": 2}),
}
FLOPS = {"fma": ("fma",), "add": ("add",), "mul": ("mul",), "mix": ("fma", "add")}
PRODUCTS_SUMS = {"muladd": ("mul", "add")}  # fourteen streams only


class Insn:
    def __init__(self, address, mnemonic, operands):
        self.address, self.mnemonic, self.operands = address, mnemonic, operands

    def __str__(self):
        return f"{self.address:x}: {self.mnemonic} {self.operands}"


class X86:
    JUMP = re.compile(r"j\w+$")
    COUNTING = {"sub", "add", "dec", "inc", "cmp", "test"}
    FENCE = "sfence"
    PREFETCH = re.compile(r"prefetch(t0|w)$")
    WIDTH = {"scalar": "xmm", "sse2": "xmm", "avx": "ymm", "avx2": "ymm", "avx512": "zmm"}
    SUFFIX = {("scalar", "f32"): "ss", ("scalar", "f64"): "sd"}
    FOREIGN = {  # what must not appear anywhere in the ISA's objects
        "scalar": r"^v|[yz]mm", "sse2": r"^v|[yz]mm",
        # Of the shuffles with p, two are AVX's own.
        "avx": r"zmm|mm(1[6-9]|2\d|3[01])|^vfn?m|^vp(?!ermilp[sd]|erm2f128)\w+ .*ymm",
        "avx2": r"zmm|mm(1[6-9]|2\d|3[01])", "avx512": r"^$",
    }
    HAS_FMA = {"avx2", "avx512"}

    @staticmethod
    def streams_max(isa):
        return 16 if isa == "avx512" else 14

    @classmethod
    def arithmetic(cls, isa, op, kind):
        suffix = cls.SUFFIX.get((isa, kind), "ps" if kind == "f32" else "pd")
        if op == "fma":
            return re.compile(rf"vfmadd(132|213|231){suffix}$")
        return re.compile(("" if isa in ("scalar", "sse2") else "v") + op + suffix + "$")

    @classmethod
    def registers_fit(cls, isa, insn):
        return set(re.findall(r"[xyz]mm", insn.operands)) == {cls.WIDTH[isa]}

    @staticmethod
    def destination(insn):
        return insn.operands.split(",")[-1]

    @classmethod
    def writes_vector(cls, isa, insn):
        return cls.destination(insn).startswith("%" + cls.WIDTH[isa])

    @staticmethod
    def memory(insn):
        """(loads, stores) of one instruction."""
        if "(" not in insn.operands or insn.mnemonic.startswith(
                ("lea", "nop", "data16", "cs", "prefetch")):
            return 0, 0
        return (0, 1) if insn.operands.endswith(")") else (1, 0)

    @staticmethod
    def offset(insn):
        m = re.search(r"(-?)(0x[0-9a-f]+)?\(", insn.operands)
        return int(m.group(1) + (m.group(2) or "0"), 16)

    @staticmethod
    def address_is_plain(insn):
        return re.search(r"\((%r(?!sp|bp)\w+)\)", insn.operands) is not None

    @classmethod
    def access_fits(cls, isa, insn):
        if isa == "scalar":
            return re.match(r"(mov|movs?d|movq|movnti|xor|(add|mul)sd)$", insn.mnemonic) is not None
        return cls.registers_fit(isa, insn)

    @staticmethod
    def is_non_temporal(insn):
        return re.match(r"v?movnt(i|p[sd]|dq)$", insn.mnemonic) is not None

    @staticmethod
    def follows_pointer(insn):
        m = re.match(r"\(%(r\w+)\),%(r\w+)$", insn.operands)
        return insn.mnemonic == "mov" and m is not None and m.group(1) == m.group(2)


class AArch64:
    JUMP = re.compile(r"(b\.\w+|cbn?z|tbn?z|b)$")
    COUNTING = {"sub", "subs", "add", "cmp"}
    FENCE = "dmb"
    PREFETCH = re.compile(r"prfu?m$")
    # A register is cleared by its vector name.
    FOREIGN = {"scalar": r"^(?!movi v\d+\.2s, #0x0).*(\bv\d+\.|\bq\d+)", "neon": r"\bz\d+\."}
    HAS_FMA = {"scalar", "neon"}
    MNEMONIC = {"add": "fadd", "mul": "fmul"}
    REGISTER = {
        ("scalar", "f32"): r"s\d+", ("scalar", "f64"): r"d\d+",
        ("neon", "f32"): r"v\d+\.4s", ("neon", "f64"): r"v\d+\.2d",
    }

    @staticmethod
    def streams_max(_isa):
        return 16

    @classmethod
    def arithmetic(cls, isa, op, _kind):
        fma = "fmadd" if isa == "scalar" else "fmla"
        return re.compile((fma if op == "fma" else cls.MNEMONIC[op]) + "$")

    @classmethod
    def registers_fit(cls, isa, insn):
        shapes = [cls.REGISTER[isa, kind] for kind in ("f32", "f64")]
        names = insn.operands.replace(" ", "").split(",")
        return any(all(re.fullmatch(s, n) for n in names) for s in shapes)

    @staticmethod
    def destination(insn):
        return insn.operands.split(",")[0]

    @classmethod
    def writes_vector(cls, isa, insn):
        return any(re.fullmatch(cls.REGISTER[isa, kind], cls.destination(insn))
                   for kind in ("f32", "f64"))

    @staticmethod
    def memory(insn):
        n = 2 if insn.mnemonic in ("ldp", "stp", "ldnp", "stnp") else 1
        if re.match(r"ld(r|p|np|ur)$", insn.mnemonic):
            return n, 0
        return (0, n) if re.match(r"st(r|p|np|ur)$", insn.mnemonic) else (0, 0)

    @staticmethod
    def offset(insn):
        m = re.search(r"\[\w+(?:, #(-?\d+))?\]", insn.operands)
        return int(m.group(1) or 0) if m else 0

    @staticmethod
    def address_is_plain(insn):
        return re.search(r"\[x\d+(, #-?\d+)?\]", insn.operands) is not None

    @staticmethod
    def access_fits(isa, insn):
        return re.match(r"q\d+" if isa == "neon" else r"[dx]\d+", insn.operands) is not None

    @staticmethod
    def is_non_temporal(insn):
        return insn.mnemonic == "stnp"

    @staticmethod
    def follows_pointer(insn):
        m = re.match(r"(x\d+), \[(x\d+)\]$", insn.operands)
        return insn.mnemonic == "ldr" and m is not None and m.group(1) == m.group(2)


class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def check(self, faults, sentence):
        self.count += 1
        print(f"{'not ' if faults else ''}ok {self.count} - {sentence}")
        for fault in faults[:8]:
            print(f"# {fault}")
        self.failed += bool(faults)

    def done(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def disassemble(objdump, path):
    """{function: [Insn]}"""
    text = subprocess.run([objdump, "-d", "-w", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout
    functions, body = {}, None
    for line in text.splitlines():
        if m := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            body = functions.setdefault(m.group(1), [])
        elif body is not None and (m := re.match(r"\s*([0-9a-f]+):\s+(?:\{e?vex\}\s+)?(\S+)\s*(.*)$", line)):
            operands = re.split(r"\s+(?://|<)|\s{2,}#", m.group(3))[0].strip()
            body.append(Insn(int(m.group(1), 16), m.group(2), operands))
    return functions


def innermost_loops(arch, body):
    spans = []
    for insn in body:
        target = re.search(r"([0-9a-f]+)$", insn.operands) if arch.JUMP.match(insn.mnemonic) else None
        if target and body[0].address <= int(target.group(1), 16) <= insn.address:
            spans.append((int(target.group(1), 16), insn.address))
    inner = [s for s in set(spans)
             if not any(t != s and s[0] <= t[0] and t[1] <= s[1] for t in spans)]
    return [[i for i in body if lo <= i.address <= hi] for lo, hi in sorted(inner)]


def flops_loop_faults(arch, isa, loop, op, kind, n):
    """Each of the operation's instructions on each of the n accumulators, and the loop's count."""
    faults, chains = [], []
    for instruction in {**FLOPS, **PRODUCTS_SUMS}[op]:
        pattern = arch.arithmetic(isa, instruction, kind)
        named = [i for i in loop if pattern.match(i.mnemonic)]
        chains += named
        if len(named) != n or len({arch.destination(i) for i in named}) != n:
            faults.append(f"{len(named)} of {n} {instruction}, or accumulators shared")
    if len({arch.destination(i) for i in chains}) != n:
        faults.append("an accumulator lacks one of its instructions")
    other = [i for i in loop[:-1] if i not in chains]
    faults += [str(i) for i in chains if any(arch.memory(i)) or not arch.registers_fit(isa, i)]
    faults += [str(i) for i in other if i.mnemonic not in arch.COUNTING or any(arch.memory(i))]
    if len(other) > 2:
        faults.append(f"{len(other)} instructions beside the chains")
    return faults


def flops_faults(arch, isa, functions, op, kind):
    faults = []
    for n in range(1, 17):
        name = f"{op}_{kind}_{n}"
        wanted = n <= arch.streams_max(isa) and ("fma" not in FLOPS[op] or isa in arch.HAS_FMA)
        if (name in functions) != wanted:
            faults.append(f"{name} is {'missing' if wanted else 'there'}")
        if not wanted or name not in functions:
            continue
        loops = innermost_loops(arch, functions[name])
        if len(loops) != 1:
            faults.append(f"{name} has {len(loops)} loops")
            continue
        faults += [f"{name}: {fault}"
                   for fault in flops_loop_faults(arch, isa, loops[0], op, kind, n)]
    return faults


def products_sums_faults(arch, isa, functions, op, kind):
    """The chain that bounds products and sums where nothing is fused."""
    body = functions.get(f"{op}_{kind}_14")
    loops = innermost_loops(arch, body) if body else []
    return flops_loop_faults(arch, isa, loops[0], op, kind, 14) if len(loops) == 1 else [f"{len(loops)} loops"]


def stream_faults(arch, isa, functions, name, reads, writes, prefetched):
    body = functions.get(name)
    if not body:
        return [f"{name} is missing"]
    non_temporal = "_nt" in name
    loop = max(innermost_loops(arch, body), key=len)
    accesses = [i for i in loop if any(arch.memory(i))]
    loads = sum(arch.memory(i)[0] for i in accesses)
    stores = [i for i in accesses if arch.memory(i)[1]]
    n_stores = sum(arch.memory(i)[1] for i in stores)
    faults = []
    if loads != UNROLL * reads or n_stores != UNROLL * writes:
        faults.append(f"{loads} loads and {n_stores} stores in the loop")
    faults += [f"width: {i}" for i in accesses if not arch.access_fits(isa, i)]
    faults += [f"address: {i}" for i in accesses if not arch.address_is_plain(i)]
    if not writes:  # prefetchers follow lines that rise; gcc's scheduler may swap neighbours
        faults += [f"order: {j}" for i, j in zip(accesses, accesses[1:])
                   if arch.offset(j) // LINE_BYTES < arch.offset(i) // LINE_BYTES - 1]
    faults += [f"store: {i}" for i in stores if arch.is_non_temporal(i) != non_temporal]
    ahead = sum(arch.PREFETCH.match(i.mnemonic) is not None for i in loop)
    if ahead != prefetched * UNROLL * VECTOR_BYTES[isa] // LINE_BYTES:
        faults.append(f"{ahead} prefetches in the loop")
    if non_temporal != any(i.mnemonic == arch.FENCE for i in body):
        faults.append("fence missing or superfluous")
    return faults


def blackscholes_faults(arch, isa, functions, name, kind):
    """One loop for what prices are made of, one for the prices; the compiler may inline either."""
    patterns = [arch.arithmetic(isa, op, kind) for op in ("mul", "add")]
    if isa in arch.HAS_FMA:
        patterns.append(arch.arithmetic(isa, "fma", kind))
    bodies = [body for f, body in functions.items()
              if re.fullmatch(rf"{name}(_vectors)?_{kind}(\.\w+)*", f)]
    loops = []
    for loop in (loop for body in bodies for loop in innermost_loops(arch, body)):
        work = [i for i in loop if any(p.match(i.mnemonic) for p in patterns)]
        if len(work) >= BLACKSCHOLES_LEAST:
            loops.append((loop, work))
    faults = [] if len(loops) >= 2 else [f"{len(loops)} loops that calculate"]
    for loop, work in loops:
        faults += [str(i) for i in work if not arch.writes_vector(isa, i)]
        faults += [str(i) for i in loop if re.match(r"call|blr?$", i.mnemonic)]
    return faults


def mgvf_faults(arch, isa, functions, form, kind):
    """Loops over one row and over several: so many instructions a row, of the ISA's width."""
    forms, least, x86, arm = MGVF[form]
    pattern = re.compile(arm if arch is AArch64 else x86 + X86.SUFFIX.get(
        (isa, kind), "ps" if kind == "f32" else "pd") + "$")
    faults = []
    for rows in forms:
        if rows == 4 and arch is X86 and isa != "avx512":  # 16 registers: not enough
            continue
        body = next((b for f, b in functions.items()
                     if re.fullmatch(rf"{form}_rows_{rows}(_1)?_{kind}(\.\w+)*", f)), [])
        loop = max(innermost_loops(arch, body), key=len, default=[])
        if isa == "scalar":  # branches where vectors select: there is no one loop
            loop = [i for i in body if i.mnemonic not in ("call", "bl")]
        work = [i for i in loop if pattern.match(i.mnemonic)]
        if len(work) < least * rows:
            faults.append(f"{rows} rows: {len(work)} of {least * rows}")
        faults += [str(i) for i in work if not arch.writes_vector(isa, i)]
        faults += [str(i) for i in loop if re.match(r"call|blr?$", i.mnemonic)]
    return faults


def gemm_faults(arch, isa, functions, form, kind):
    """One loop that multiplies and adds in each step as often as there are vectors of C, and stores nothing but
    the vectors of B that it packs."""
    body = functions.get(f"{form}_{kind}")
    if not body:
        return [f"{form}_{kind} is missing"]
    patterns = {op: arch.arithmetic(isa, op, kind)
                for op in (("fma",) if isa in arch.HAS_FMA else ("mul", "add"))}
    loop = max(innermost_loops(arch, body), key=lambda insns: sum(
        any(p.match(i.mnemonic) for p in patterns.values()) for i in insns))
    stores = [i for i in loop if arch.memory(i)[1] and (form == "gemm_micro" or re.search(
        r"%[xyz]mm|\b[qds]\d", i.operands))]  # counters may lie in memory where B's rows need registers
    faults = [f"not in registers: {i}" for i in stores[GEMM_STEPS * GEMM_PACKED[form] * GEMM_ROW[isa]:]]
    for op, pattern in patterns.items():
        work = [i for i in loop if pattern.match(i.mnemonic)]
        faults += [f"width: {i}" for i in work if not arch.writes_vector(isa, i)]
        if len(work) != GEMM_STEPS * GEMM_PRODUCTS[isa][arch is AArch64]:
            faults.append(f"{len(work)} {op}")
    return faults


def check_isa(tap, arch, isa, functions):
    foreign = [f"{name}: {i}" for name, body in functions.items() for i in body
               if re.search(arch.FOREIGN[isa], f"{i.mnemonic} {i.operands}")]
    tap.check(foreign, f"{isa}: no instruction or register of a higher ISA")
    for op in FLOPS:
        for kind in ("f32", "f64"):
            tap.check(flops_faults(arch, isa, functions, op, kind),
                      f"{isa} {op} {kind}: loops hold their instructions and nothing else")
    for op in PRODUCTS_SUMS:
        for kind in ("f32", "f64"):
            tap.check(products_sums_faults(arch, isa, functions, op, kind),
                      f"{isa} {op} {kind}: products and sums in turn, never fused")
    for form in GEMM_PACKED:
        for kind in ("f32", "f64"):
            tap.check(gemm_faults(arch, isa, functions, form, kind),
                      f"{isa} {form} {kind}: a block of C stays in registers of its width")
    for name in ("poly", "erf"):
        for kind in ("f32", "f64"):
            tap.check(blackscholes_faults(arch, isa, functions, name, kind),
                      f"{isa} blackscholes {name} {kind}: two loops of its width, without calls")
    for form in MGVF:
        for kind in ("f32", "f64"):
            tap.check(mgvf_faults(arch, isa, functions, form, kind),
                      f"{isa} mgvf {form} {kind}: its instructions for every row, without calls")
    for kernel, (reads, writes, forms) in STREAM.items():
        for form, prefetched in forms.items():
            tap.check(stream_faults(arch, isa, functions, f"{kernel}_{form}", reads, writes,
                                    prefetched),
                      f"{isa} {kernel}_{form}: {UNROLL} accesses an array, of its width, at "
                      f"constant offsets")


def check_chase(tap, arch, functions):
    loop = max(innermost_loops(arch, functions["am_chase"]), key=len)
    follows = [i for i in loop if arch.follows_pointer(i)]
    faults = [str(i) for i in loop if any(arch.memory(i)) and i not in follows]
    if len(follows) != UNROLL:
        faults.append(f"{len(follows)} loads in the loop")
    tap.check(faults, f"chase: {UNROLL} loads, each through the register it fills")
    for chains in CHAINS_IN_REGISTERS:
        loop = max(innermost_loops(arch, functions[f"chase_{chains}"]), key=len)
        follows = [i for i in loop if arch.follows_pointer(i)]
        faults = [str(i) for i in loop if any(arch.memory(i)) and i not in follows]
        registers = {i.operands for i in follows}
        if len(follows) != chains or len(registers) != chains:
            faults.append(f"{len(follows)} loads through {len(registers)} registers in the loop")
        tap.check(faults, f"chase of {chains} chains: a load and a register each, nothing else")


def handoff_faults(arch, body, wanted):
    """The instruction is in the loop, and no hint to wait stands between attempts."""
    loops = [i for loop in innermost_loops(arch, body) for i in loop]
    text = [f"{i.mnemonic} {i.operands}" for i in loops]
    faults = [line for line in text if re.match(r"pause|rep nop|yield|isb|wfe", line)]
    if not any(re.match(wanted, line) for line in text):
        faults.append(f"no {wanted} among: " + "; ".join(text))
    return faults


def check_handoff(tap, arch, functions):
    for name, wanted in HANDOFF.items():
        tap.check(handoff_faults(arch, functions[name], wanted[arch is AArch64]),
                  f"{name}: the loop holds its instruction and no pause")
    plain = [str(i) for i in functions["am_share_count"] if re.match(r"lock|xchg|stlr|dmb", i.mnemonic)
             and i.operands != "%ax,%ax"]
    tap.check(plain, "am_share_count: nothing atomic")
    flush = {X86: ("clflush", "mfence"), AArch64: ("dc", "dsb")}[arch]
    for name, mnemonic in zip(("am_line_flush", "am_line_fence"), flush):
        found = any(i.mnemonic == mnemonic for i in functions[name])
        tap.check([] if found else [f"no {mnemonic}"], f"{name}: it is {mnemonic}")


def main(argv):
    arch = {"x86_64": X86, "aarch64": AArch64}[argv[1]]
    objects = {}
    for word in argv[3:]:
        isa, path = word.split("=", 1)
        objects.setdefault(isa, {}).update(disassemble(argv[2], path))
    tap = Tap()
    for isa, functions in objects.items():
        if isa == "plain":
            check_chase(tap, arch, functions)
            check_handoff(tap, arch, functions)
        else:
            check_isa(tap, arch, isa, functions)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main(sys.argv))
