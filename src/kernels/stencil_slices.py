# SPDX-License-Identifier: MIT
"""Writes the slices of the stencil (kernels/stencil.h) in assembly: every point in a register.

usage: stencil_slices.py ARCH ISA OUTPUT

Compilers spill from 9 to 14 points on, whatever the source looks like. So registers are given out
here, the same for every compiler.

Up to ROTATING points, point k at step s lives in register (k - 2s) mod (w + 2): the new y[k] takes
the place of x[k-2], of which it is made, and no move is needed. y[k] then waits for x[k] through its
last operation alone (one addition in the scaled form). Wider slices hide that latency anyhow: y[k]
takes the place of x[k], from the last point to the first, and a loop is one step long.
"""

import sys
from pathlib import Path

ROTATING = 13
FORMS = ("paper", "scaled", "centred")
TYPES = {"f32": 4, "f64": 8}
# struct am_stencil_slice
U, V, E, CHUNKS, CHUNK_PERIODS, LAST_PERIODS, LAST_STEPS = range(0, 56, 8)
SIDE, CENTRE, RESCALE, RESCALE_LAST = 64, 128, 192, 256


class Machine:
    """Instructions of one ISA and type. Registers are numbers, constants numbers or offsets into
    the arguments (Memory)."""

    def __init__(self, isa, kind, vector_bytes, registers):
        self.isa, self.kind, self.registers = isa, kind, registers
        self.bytes = vector_bytes
        self.lines = []
        self.temp = None

    def put(self, line):
        self.lines.append("\t" + line)

    def label(self, name):
        self.lines.append(f".L{name}:")


class Memory(int):
    """An offset from the pointer to the arguments."""


class X86(Machine):
    """Legacy encodings: two operands, no fma."""

    HAS_FMA = False
    VEX = ""
    NAMES = {"scalar": "xmm", "sse2": "xmm", "avx": "ymm", "avx2": "ymm", "avx512": "zmm"}

    def __init__(self, isa, kind, vector_bytes, registers):
        super().__init__(isa, kind, vector_bytes, registers)
        width = "s" if isa == "scalar" else "p"
        self.suffix = width + {"f32": "s", "f64": "d"}[kind]
        self.move = self.VEX + ("mov" + self.suffix if isa == "scalar" else "mova" + self.suffix)

    def name(self, operand):
        if isinstance(operand, Memory):
            return f"{operand:d}(%rdi)"
        return f"%{self.NAMES[self.isa]}{operand}"

    def op(self, mnemonic, *operands):
        self.put(f"{self.VEX}{mnemonic}{self.suffix} " + ", ".join(map(self.name, operands)))

    def load(self, d, base, offset):
        self.put(f"{self.move} {offset}(%{base}), {self.name(d)}")

    def store(self, x, base, offset):
        self.put(f"{self.move} {self.name(x)}, {offset}(%{base})")

    def add(self, d, x):
        self.op("add", x, d)

    def mul(self, d, x):
        self.op("mul", x, d)

    def product(self, d, x, c):
        self.put(f"movap{self.kind_letter()} {self.name(x)}, {self.name(d)}")
        self.op("mul", c, d)

    def kind_letter(self):
        return "s" if self.kind == "f32" else "d"

    def accumulate(self, d, x, c):
        self.product(self.temp, x, c)
        self.add(d, self.temp)

    def scale_add(self, d, c, x):
        self.mul(d, c)
        self.add(d, x)

    def paper(self, d, side, x0, centre, x1):
        self.product(self.temp, x1, centre)
        self.add(d, x0)
        self.scale_add(d, side, self.temp)

    @classmethod
    def temps(cls, form):
        return 1 if form == "paper" or (form == "scaled" and not cls.HAS_FMA) else 0

    def begin(self, name, constants):
        self.lines += ["\t.p2align 6", f"\t.globl {name}", f"\t.hidden {name}",
                       f"\t.type {name}, @function", f"{name}:"]
        for register, offset in (("rsi", U), ("r8", V), ("rdx", E), ("rcx", CHUNKS),
                                 ("r9", CHUNK_PERIODS), ("r10", LAST_PERIODS),
                                 ("r11", LAST_STEPS)):
            self.put(f"mov {offset}(%rdi), %{register}")
        for register, offset in constants:
            self.load(register, "rdi", offset)

    def loop(self, body, period, rescale):
        self.label("chunk" + self.tag)
        self.put("mov %r10, %rax")
        self.put("test %rcx, %rcx")
        self.put("cmovne %r9, %rax")
        self.put("test %rax, %rax")
        self.put(f"je .Lafter{self.tag}")
        self.put(".p2align 6")
        self.label("period" + self.tag)
        body()
        self.put(f"add ${2 * self.bytes * period}, %rdx")
        self.put("dec %rax")
        self.put(f"jne .Lperiod{self.tag}")
        self.label("after" + self.tag)
        self.put("test %rcx, %rcx")
        self.put(f"je .Ltail{self.tag}")
        rescale()
        self.put("dec %rcx")
        self.put(f"jmp .Lchunk{self.tag}")
        self.label("tail" + self.tag)

    def leave_after(self, step):
        self.put(f"cmp ${step}, %r11")
        self.put(f"je .Lexit{self.tag}_{step}")

    def end(self):
        if self.VEX:
            self.put("vzeroupper")
        self.put("ret")

    def close(self, name):
        self.lines.append(f"\t.size {name}, .-{name}")


class Avx(X86):
    VEX = "v"

    def add(self, d, x):
        self.op("add", x, d, d)

    def mul(self, d, x):
        self.op("mul", x, d, d)

    def product(self, d, x, c):
        self.op("mul", c, x, d)


class Avx2(Avx):
    HAS_FMA = True

    def accumulate(self, d, x, c):
        if isinstance(c, Memory):
            self.op("fmadd231", c, x, d)
        else:
            self.op("fmadd231", x, c, d)

    def scale_add(self, d, c, x):
        if isinstance(c, Memory):
            self.op("fmadd132", c, x, d)
        else:
            self.op("fmadd213", x, c, d)


class AArch64(Machine):
    """A multiply-add adds to its destination: no temporary in any form, but three operations in the
    centred one of vectors."""

    BASES = {"rdi": "x0", "rsi": "x1", "r8": "x2", "rdx": "x3"}

    def name(self, register):
        if self.isa == "scalar":
            return f"{'s' if self.kind == 'f32' else 'd'}{register}"
        return f"v{register}.{'4s' if self.kind == 'f32' else '2d'}"

    def word(self, register):
        letter = "q" if self.isa != "scalar" else "s" if self.kind == "f32" else "d"
        return f"{letter}{register}"

    def op(self, mnemonic, *operands):
        self.put(f"{mnemonic} " + ", ".join(map(self.name, operands)))

    def load(self, d, base, offset):
        self.put(f"ldr {self.word(d)}, [{self.BASES[base]}, #{offset}]")

    def store(self, x, base, offset):
        self.put(f"str {self.word(x)}, [{self.BASES[base]}, #{offset}]")

    def add(self, d, x):
        self.op("fadd", d, d, x)

    def mul(self, d, x):
        if isinstance(x, Memory):
            self.load(self.temp, "rdi", x)
            x = self.temp
        self.op("fmul", d, d, x)

    def accumulate(self, d, x, c):
        if self.isa == "scalar":
            self.op("fmadd", d, x, c, d)
        else:
            self.op("fmla", d, x, c)

    def scale_add(self, d, c, x):
        if self.isa == "scalar":
            self.op("fmadd", d, d, c, x)
        else:
            self.mul(d, c)
            self.add(d, x)

    def paper(self, d, side, x0, centre, x1):
        self.add(d, x0)
        self.mul(d, side)
        self.accumulate(d, x1, centre)

    @staticmethod
    def temps(_form):
        return 0

    def begin(self, name, constants):
        self.lines += ["\t.p2align 6", f"\t.globl {name}", f"\t.hidden {name}",
                       f"\t.type {name}, %function", f"{name}:"]
        self.put("sub sp, sp, #64")  # the lower halves of v8 to v15 are the caller's
        for i in range(0, 8, 2):
            self.put(f"stp d{8 + i}, d{9 + i}, [sp, #{8 * i}]")
        for register, offset in (("x1", U), ("x2", V), ("x3", E), ("x4", CHUNKS),
                                 ("x5", CHUNK_PERIODS), ("x6", LAST_PERIODS), ("x7", LAST_STEPS)):
            self.put(f"ldr {register}, [x0, #{offset}]")
        for register, offset in constants:
            self.load(register, "rdi", offset)

    def loop(self, body, period, rescale):
        self.label("chunk" + self.tag)
        self.put("cmp x4, #0")
        self.put("csel x8, x6, x5, eq")
        self.put(f"cbz x8, .Lafter{self.tag}")
        self.put(".p2align 6")
        self.label("period" + self.tag)
        body()
        self.put(f"add x3, x3, #{2 * self.bytes * period}")
        self.put("sub x8, x8, #1")
        self.put(f"cbnz x8, .Lperiod{self.tag}")
        self.label("after" + self.tag)
        self.put(f"cbz x4, .Ltail{self.tag}")
        rescale()
        self.put("sub x4, x4, #1")
        self.put(f"b .Lchunk{self.tag}")
        self.label("tail" + self.tag)

    def leave_after(self, step):
        self.put(f"cmp x7, #{step}")
        self.put(f"b.eq .Lexit{self.tag}_{step}")

    def end(self):
        for i in range(0, 8, 2):
            self.put(f"ldp d{8 + i}, d{9 + i}, [sp, #{8 * i}]")
        self.put("add sp, sp, #64")
        self.put("ret")

    def close(self, name):
        self.lines.append(f"\t.size {name}, .-{name}")


# ISA: class, vector bytes (0: one element), registers
MACHINES = {
    ("x86_64", "scalar"): (X86, 0, 16),
    ("x86_64", "sse2"): (X86, 16, 16),
    ("x86_64", "avx"): (Avx, 32, 16),
    ("x86_64", "avx2"): (Avx2, 32, 16),
    ("x86_64", "avx512"): (Avx2, 64, 32),
    ("aarch64", "scalar"): (AArch64, 0, 32),
    ("aarch64", "neon"): (AArch64, 16, 32),
}


class Slice:
    def __init__(self, machine, form, width):
        self.m, self.form, self.w = machine, form, width
        self.points = width + 2  # with the two to the left
        self.rotates = width <= ROTATING
        self.period = 1
        if self.rotates:
            self.period = self.points if self.points % 2 else self.points // 2
        self.give_out_registers()

    def give_out_registers(self):
        """Points first, then a temporary, then constants; those left over stay in memory. The
        side's first: it is in the longer chain."""
        free = list(range(self.points, self.m.registers))
        if self.m.temps(self.form):
            self.m.temp = free.pop(0)
        wanted = {"paper": (SIDE, CENTRE), "scaled": (CENTRE,), "centred": (SIDE,)}[self.form]
        self.constants, self.held = {}, []
        for offset in wanted:
            if free:
                self.constants[offset] = free.pop(0)
                self.held.append((self.constants[offset], offset))
            else:
                self.constants[offset] = Memory(offset)

    def at(self, k, s):
        """The register of point k, from -2 on, at step s of a period."""
        if self.rotates:
            return (k - 2 * s) % self.points
        return k if k >= 0 else self.w + 2 + k

    def first(self, d, x0, x1):
        """The part of a step that leaves out the point it is nearest to, where there is one."""
        m, c = self.m, self.constants
        if self.form == "scaled":
            m.accumulate(d, x1, c[CENTRE])
        elif self.form == "centred":
            m.add(d, x0)

    def second(self, d, x0, x1):
        m, c = self.m, self.constants
        if self.form == "scaled":
            m.add(d, x0)
        elif self.form == "centred":
            m.scale_add(d, c[SIDE], x1)
        else:
            m.paper(d, c[SIDE], x0, c[CENTRE], x1)

    def points_of(self, s):
        """(destination, the other side, the middle) of each y, in an order in which none is made of
        what another has overwritten. The destination is a side, too."""
        at = self.at
        if self.rotates:
            return [(at(k - 2, s), at(k, s), at(k - 1, s)) for k in range(self.w)]
        return [(at(k, s), at(k - 2, s), at(k - 1, s)) for k in reversed(range(self.w))]

    def pairs(self, points):
        """Two firsts, two seconds: the order that keeps multipliers and adders busy together."""
        step = 2 if self.form == "scaled" and not self.m.temps(self.form) else 1
        for i in range(0, len(points), step):
            for part in (self.first, self.second):
                for point in points[i:i + step]:
                    part(*point)

    def step(self, s):
        m, points = self.m, self.points_of(s)
        edge = 2 * m.bytes * s if self.period > 1 else 0
        m.load(self.at(-1, s), "rdx", edge + m.bytes)
        m.load(self.at(-2, s), "rdx", edge)
        left = [(self.at(self.w - 2, s), edge), (self.at(self.w - 1, s), edge + m.bytes)]
        early = 2 if self.rotates else 0  # in place, the last points are overwritten first
        self.pairs(points[:early])
        for register, offset in left:
            m.store(register, "rdx", offset)
        self.pairs(points[early:])

    def rescale(self, s, offset):
        if self.form == "paper":
            return
        for k in range(self.w):
            self.m.mul(self.at(k, s), Memory(offset))

    def write(self, name):
        m = self.m
        m.tag = "_" + name
        m.begin(name, self.held)
        for k in range(self.w):
            m.load(self.at(k, 0), "rsi", k * m.bytes)
        # AArch64 rescales by way of a register that holds no point between steps.
        if isinstance(m, AArch64):
            m.temp = self.at(-1, 0)
        m.loop(lambda: [self.step(s) for s in range(self.period)], self.period,
               lambda: self.rescale(0, RESCALE))
        for s in range(self.period - 1):
            m.leave_after(s)
            self.step(s)
        for s in reversed(range(self.period)):
            m.label(f"exit{m.tag}_{s}")
            if isinstance(m, AArch64):
                m.temp = self.at(-1, s)
            self.rescale(s, RESCALE_LAST)
            for k in range(self.w):
                m.store(self.at(k, s), "r8", k * m.bytes)
            m.end()
        m.close(name)
        return m.lines


def width_max(registers):
    return 28 if registers == 32 else ROTATING


def generate(arch, isa):
    machine, vector_bytes, registers = MACHINES[arch, isa]
    lines = ["/* Written by stencil_slices.py. */", "\t.text"]
    for form in FORMS:
        for kind, element_bytes in TYPES.items():
            for width in range(1, width_max(registers) + 1):
                m = machine(isa, kind, vector_bytes or element_bytes, registers)
                lines += Slice(m, form, width).write(f"am_slice_{isa}_{form}_{kind}_{width}")
    note = "@" if arch == "x86_64" else "%"
    lines.append(f'\t.section .note.GNU-stack,"",{note}progbits')
    return "\n".join(lines) + "\n"


def main(argv):
    arch, isa, output = argv[1:]
    Path(output).write_text(generate(arch, isa), encoding="ascii")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
