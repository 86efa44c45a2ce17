# SPDX-License-Identifier: MIT
"""Where the loops of blocks.py come from: innermost loops of libraries, random mixes, chains.

A loop of a library is what stands between the target of a jump backwards and the jump, as objdump writes it. Left out are loops
with calls, with branches to another place of the loop, and with instructions that touch more than registers and data. Branches out
of the loop are dropped (they are not taken while it runs), its own jump is replaced by a counter in a register that it does not
use, and constants beside the code become one constant. What is executed, predicted and given to llvm-mca is that same text.
"""

import collections
import functools
import hashlib
import itertools
import pathlib
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

GENERAL = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15")
LONGEST = 300  # instructions of a loop
REFUSED = re.compile(r"^(call|ret|push|pop|lock|xchg|cmpxchg|xadd|rep|cpuid|rdtsc|syscall|sysenter|int|f\w+|emms|enter|leave|[lsm]fence|v?movnt\w+"
                     r"|clflush\w*|clwb|std|cld|in|out|ud2|hlt|loop\w*|jrcxz|jecxz|xbegin|xend|xtest|xgetbv|v?ldmxcsr|v?stmxcsr|notrack|data16"
                     r"|addr32|bnd|ds|es|cs|ss|fs|gs|lods\w*|stos\w*|movs[bwlq]|scas\w*|cmps[bwlq]|v?maskmov\w+|rdrand|rdseed|pause"
                     r"|vzeroall|tile\w+|tdp\w+|\(bad\)|\.byte|endbr64)$")
WINDOW_OF = {"e" + n[1:]: n for n in GENERAL if n[1].isalpha()} | {n + "d": n for n in GENERAL if not n[1].isalpha()}


# What leaves a register pointing into the same stream.
MOVED_BY_CONSTANT = re.compile(r"(add|sub)[lq]? \$|(inc|dec)[lq]? |(cmp|test)|lea -?(0x)?[0-9a-f]*\(%(\w+)\),%\4$")


@dataclass(frozen=True)
class Operands:
    """Operands in memory with the same registers; streams: different values that these have in one pass, but for constants."""
    base: str
    index: str
    scale: int
    streams: int
    n: int


@dataclass(frozen=True)
class Block:
    """A loop without its jump: text, and which registers address memory."""
    source: str
    origin: str
    lines: tuple[str, ...]

    @property
    def key(self) -> str:
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()

    @property
    def held(self) -> bool:
        """Whether it belongs to the third that is never looked at while developing."""
        return int(self.key[:8], 16) % 3 == 0

    def used(self) -> set[str]:
        """General registers by full name."""
        return {r for line in self.lines for r in registers_of(line)} & set(GENERAL)

    def counter(self) -> str | None:
        free = [r for r in reversed(GENERAL) if r not in self.used() and r != "rsp"]
        return free[0] if free else None

    def memory_registers(self) -> tuple[set[str], set[str]]:
        """Bases, with what they are computed from, and indices."""
        found = [address for line in self.lines for address in addresses(line)]
        bases = {base for base, _, _ in found} | pointers_before(self.lines)
        general = set(GENERAL)
        return bases & general, ({index for _, index, _ in found} - bases) & general

    def operands(self) -> list[Operands]:
        """Those in memory by the registers they are addressed with."""
        count: dict[tuple[str, str, int], list[int]] = {}
        known = set()
        value: dict[str, int] = collections.defaultdict(int)  # what a register holds: a number for each way it came about
        for line in self.lines:
            for base, index, scale in addresses(line) if not line.startswith("lea") else []:
                stream = (value[base], value[index], base if not value[base] else "", index if not value[index] else "", scale)
                counted = count.setdefault((base, index, scale), [0, 0])
                counted[0] += stream not in known
                counted[1] += 1
                known.add(stream)
            if not line.endswith(")") and not MOVED_BY_CONSTANT.match(line):
                *sources, result = registers_of(line) or [""]
                kept = [] if line.startswith(("mov", "lea")) else [value[result]]
                value[result] = hash((re.sub(r"%\w+$", "", line), *(value[r] for r in sources), *kept))
        return [Operands(*key, *counted) for key, counted in count.items()]

    def vectors(self) -> int:
        """0 legacy SSE, 1 VEX, 2 EVEX: what the upper halves must be."""
        text = "\n".join(self.lines)
        if re.search(r"%zmm|%k[0-7]|%[xy]mm(1[6-9]|2\d|3[01])\b", text):
            return 2
        return 1 if "%ymm" in text or re.search(r"(^|\n)v", text) else 0


@functools.cache
def full_name(register: str) -> str:
    """rax of al, eax and rax."""
    small = {"al": "rax", "ah": "rax", "ax": "rax", "bl": "rbx", "bh": "rbx", "bx": "rbx", "cl": "rcx", "ch": "rcx", "cx": "rcx",
             "dl": "rdx", "dh": "rdx", "dx": "rdx", "sil": "rsi", "si": "rsi", "dil": "rdi", "di": "rdi", "bpl": "rbp", "bp": "rbp",
             "spl": "rsp", "sp": "rsp"}
    if register in small:
        return small[register]
    if re.fullmatch(r"r\d+[bwd]", register):
        return register[:-1]
    return "r" + register[1:] if re.fullmatch(r"e[a-z]{2}", register) else register


def registers_of(line: str) -> list[str]:
    return [full_name(word) for word in re.findall(r"%(\w+)", line)]


def addresses(line: str) -> list[tuple[str, str, int]]:
    """Base, index and scale of operands in memory, but for constants beside the code; "": no general register."""
    found = []
    for inside in re.findall(r"\(([^)]*)\)", line):
        base, index, scale = (inside.split(",") + ["", ""])[:3]
        if base != "%rip":
            names = [n if n in GENERAL else "" for n in (full_name(r.strip().lstrip("%")) for r in (base, index))]
            found.append((*names, int(scale or 1)))
    return found


COPY = re.compile(r"(?:movq? |lea -?(?:0x)?[0-9a-f]*\()%(r\w+)(?:,%r\w+(?:,\d)?)?\)?,%(r\w+)$")
SUM = re.compile(r"addq? %(r\w+),%(r\w+)$")
NUMBER = re.compile(r"(?:sh[lr]|sa[lr]|imul|and|mov[sz]\w+|xor)q? .*%(\w+)$")


def pointers_before(lines: tuple[str, ...]) -> set[str]:
    """General registers that must point to memory when a loop begins, by going through it backwards, twice round.

    A copy passes the duty on; a number that is computed is none, so what was added to it is the pointer; memory has its own.
    """
    wanted: set[str] = set()
    added: dict[str, str] = {}
    for line in reversed(lines * 2):
        copy, total, number = COPY.match(line), SUM.match(line), NUMBER.match(line)
        if copy and copy.group(2) in wanted:
            wanted = wanted - {copy.group(2)} | {copy.group(1)}
        elif total and total.group(2) in wanted:
            added[total.group(2)] = total.group(1)
        elif number and full_name(number.group(1)) in wanted & set(added):
            wanted = wanted - {full_name(number.group(1))} | {added.pop(full_name(number.group(1)))}
        elif re.match(r"movq? .*\),%\w+$", line):
            wanted -= {full_name(line.rpartition("%")[2])}
        wanted |= {base for base, _, _ in addresses(line) if base and not line.startswith("lea")}
    return wanted


# ---- loops of libraries ----

FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")


def functions_of(lines: Iterable[str]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Names and (address, text) of what objdump wrote."""
    name, found = "", []
    for line in lines:
        address, tab, text = line.partition(":\t")
        if tab:
            found.append((int(address, 16), text.strip()))
            continue
        head = FUNCTION.match(line)
        if head:
            if found:
                yield name, found
            name, found = head.group(1), []
    if found:
        yield name, found


def target_of(text: str) -> int | None:
    """Of a jump, conditional or not; None: no jump to a known place."""
    if text[0] not in "jb":
        return None
    jump = re.match(r"^(?:bnd )?j\w+(?:,p[nt])?\s+([0-9a-f]+) <", text)
    return int(jump.group(1), 16) if jump else None


def plain(text: str) -> str | None:
    """As the assembler takes it; None: not in a block."""
    text = re.sub(r"\s+#.*$", "", text)
    text = re.sub(r"\s+<[^>]*>$", "", text)
    word = text.split()[0]
    if REFUSED.match(word) or word.startswith("j") or "%mm" in text or "%st" in text or re.search(r"%[cdefgs]s:", text):
        return None
    if "%rsp" in re.sub(r"\([^)]*\)", "", text) or "%esp" in text:
        return None
    text = re.sub(r"-?(0x)?[0-9a-f]*\(%rip\)", "blocks_constants(%rip)", text)
    return re.sub(r"\s+", " ", text)


def cut(found: list[tuple[int, str]], first: int, last: int) -> tuple[str, ...] | None:
    """The lines of a loop that closes with found[last]."""
    begin, end = found[first][0], found[last][0]
    lines = []
    for _, text in found[first:last]:
        target = target_of(text)
        if target is not None:
            if text.startswith("jmp") or begin < target <= end:
                return None
            continue
        if text.startswith("nop") or re.match(r"^(cs |data16 )*nop", text) or text == "xchg   %ax,%ax":
            continue
        line = plain(text)
        if line is None:
            return None
        lines.append(line)
    return tuple(lines) if 1 <= len(lines) <= LONGEST else None


# Of our kernels, what cpu.instr times one form by is no loop of a program.
SINGLE = re.compile(r"^(chain|free)_")


def loops_of(source: str, file: str, lines: Iterable[str]) -> Iterator[Block]:
    for name, found in functions_of(lines):
        if SINGLE.match(name):
            continue
        places = {address: i for i, (address, _) in enumerate(found)}
        for last, (address, text) in enumerate(found):
            target = target_of(text)
            if target is None or target > address or target not in places or text.startswith("jmp"):
                continue
            if last - places[target] > LONGEST:
                continue
            body = cut(found, places[target], last)
            if body:
                block = Block(source, f"{file}:{name}", body)
                if block.counter():
                    yield block


def disassembled(path: str) -> Iterator[str]:
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as process:
        yield from process.stdout


def members(archive: str, pattern: str, most: int, folder: str) -> list[str]:
    """Members of an archive whose names match, at most so many, by the hash of their names."""
    names = subprocess.run(["ar", "t", archive], capture_output=True, text=True, check=True).stdout.split()
    chosen = sorted({n for n in names if re.search(pattern, n)}, key=lambda n: hashlib.sha256(n.encode()).hexdigest())[:most]
    if chosen:
        subprocess.run(["ar", "x", archive, *chosen], cwd=folder, check=True)
    return [str(pathlib.Path(folder, n)) for n in chosen]


def chosen(blocks: Iterable[Block], most: int) -> list[Block]:
    """Different ones, at most so many, by their hash."""
    different = {b.key: b for b in blocks}
    return [different[k] for k in sorted(different, key=lambda k: k[8:])[:most]]


# ---- made up ----

# Operations on the registers of a turn: {d} destination, {s} and {t} sources that nobody writes, {a} an address.
MIXED = ("add %{gs},%{gd}", "lea (%{gs},%{gt}),%{gd}", "lea 8(%{gs},%{gt},4),%{gd}", "imul %{gs},%{gd}", "shl $5,%{gd}", "popcnt %{gs},%{gd}",
         "cmovb %{gs},%{gd}", "mov {o}(%rsi),%{gd}", "mov %{gs},{o}(%rdi)", "and %{gs},%{gd}", "xor %{gs},%{gd}", "movzbl {o}(%rsi),%{gd32}",
         "vaddpd %ymm{s},%ymm{t},%ymm{d}", "vmulpd %ymm{s},%ymm{t},%ymm{d}", "vfmadd231pd %ymm{s},%ymm{t},%ymm{d}", "vaddps %xmm{s},%xmm{t},%xmm{d}",
         "vmaxpd %ymm{s},%ymm{t},%ymm{d}", "vpaddd %ymm{s},%ymm{t},%ymm{d}", "vpand %ymm{s},%ymm{t},%ymm{d}", "vpsllq $3,%ymm{s},%ymm{d}",
         "vpshufd $27,%ymm{s},%ymm{d}", "vpmuludq %ymm{s},%ymm{t},%ymm{d}", "vshufps $33,%ymm{s},%ymm{t},%ymm{d}",
         "vperm2f128 $1,%ymm{s},%ymm{t},%ymm{d}", "vblendvpd %ymm{s},%ymm{t},%ymm{s},%ymm{d}", "vmovups {o}(%rsi),%ymm{d}",
         "vmovups %ymm{s},{o}(%rdi)", "vmovups %xmm{s},{o}(%rdi)", "vaddpd {o}(%rsi),%ymm{t},%ymm{d}", "vcvtdq2ps %ymm{s},%ymm{d}",
         "vdivpd %ymm{s},%ymm{t},%ymm{d}", "vsqrtpd %ymm{s},%ymm{d}", "vmovq %xmm{s},%{gd}", "vcmpltpd %ymm{s},%ymm{t},%ymm{d}",
         "vroundpd $4,%ymm{s},%ymm{d}", "vcvtpd2ps %ymm{s},%xmm{d}", "vpsadbw %ymm{s},%ymm{t},%ymm{d}", "vpmaddwd %ymm{s},%ymm{t},%ymm{d}")
SELDOM = ("vdiv", "vsqrt")
# The same with 512-bit vectors, of which each mix has one at least.
WIDE = tuple(re.sub(r"ymm", "zmm", t) for t in MIXED if re.match(r"v(addpd|mulpd|fmadd|maxpd|paddd|psllq|pshufd|pmuludq|shufps|movups.*ymm|cvtdq2ps"
                                                                 r"|divpd|sqrtpd|psadbw|pmaddwd) ", t) and "ymm" in t) + (
    "vpandd %zmm{s},%zmm{t},%zmm{d}", "vpermd %zmm{s},%zmm{t},%zmm{d}", "vcmpltpd %zmm{s},%zmm{t},%k{k}", "vpternlogd $120,%zmm{s},%zmm{t},%zmm{d}",
    "vrndscalepd $4,%zmm{s},%zmm{d}", "vaddps %zmm{s},%zmm{t},%zmm{d}{{%k{k}}}", "vblendmpd %zmm{s},%zmm{t},%zmm{d}{{%k{k}}}",
    "vmovaps %zmm{s},%zmm{d}", "vpxord %zmm{d},%zmm{d},%zmm{d}", "kmovw %k{k},%{gd32}")
TURN = ("rax", "rbx", "rdx", "r8", "r9", "r10", "r11", "r12")
NARROW = {"rax": "eax", "rbx": "ebx", "rdx": "edx"}


def filled(template: str, turn: int, offset: int) -> str:
    general = TURN[turn % len(TURN)]
    return template.format(gd=general, gd32=NARROW.get(general, general + "d"), gs="rcx", gt="rbp", s=12 + turn % 2, t=14, d=turn % 12, k=1 + turn % 6, o=offset)


def mixed(source: str, label: str, operations: tuple[str, ...]) -> Block:
    """4 to 12 operations, repeated to about 96, each copy with the next registers."""
    rng = random.Random(label)
    wanted = rng.randint(4, 12)
    drawn: list[str] = []
    while len(drawn) < wanted:
        template = rng.choice(operations)
        if not template.startswith(SELDOM) or rng.random() < 0.25:
            drawn.append(template)
    step = 64 if "zmm" in "".join(drawn) else 32
    lines = [filled(t, i, step * (i % 32)) for i, t in enumerate(drawn * max(1, 96 // wanted))]
    return Block(source, label, tuple(lines))


def mixes(n: int) -> Iterator[Block]:
    for number in range(n):
        yield mixed("random mixes", f"mix {number}", MIXED)


def wide_mixes(n: int) -> Iterator[Block]:
    """Of 512-bit vectors alone, or with narrower ones and general registers."""
    blocks = (mixed("random mixes", f"wide mix {number}", WIDE if number % 3 == 0 else WIDE + MIXED) for number in itertools.count())
    return itertools.islice((b for b in blocks if "zmm" in "".join(b.lines)), n)


CHAINED = {"vector": ("vaddpd %ymm12,%ymm0,%ymm0", "vmulpd %ymm12,%ymm0,%ymm0", "vfmadd213pd %ymm12,%ymm13,%ymm0", "vaddss %xmm12,%xmm0,%xmm0",
                      "vpaddd %ymm12,%ymm0,%ymm0", "vpshufd $27,%ymm0,%ymm0", "vpmuludq %ymm12,%ymm0,%ymm0", "vmaxpd %ymm12,%ymm0,%ymm0",
                      "vpsllq $3,%ymm0,%ymm0", "vcvtdq2ps %ymm0,%ymm0", "vblendvpd %ymm12,%ymm0,%ymm13,%ymm0", "vdivpd %ymm12,%ymm0,%ymm0",
                      "vsqrtpd %ymm0,%ymm0", "vroundpd $4,%ymm0,%ymm0", "vpermpd $27,%ymm0,%ymm0", "vpxor %ymm12,%ymm0,%ymm0"),
           "general": ("add %rcx,%rax", "imul %rcx,%rax", "lea 5(%rax,%rcx,4),%rax", "popcnt %rax,%rax", "shl $3,%rax", "xor %rcx,%rax",
                       "bswap %rax", "sub %rcx,%rax", "movzbl %al,%eax", "rol $7,%rax", "lea (%rax,%rcx),%rax", "cmovb %rcx,%rax", "not %rax")}
BESIDE = ("vaddpd %ymm12,%ymm13,%ymm{r}", "mov {o}(%rsi),%rdx", "lea (%rcx,%rbp),%rbx", "vmovups {o}(%rsi),%ymm{r}", "vpaddd %ymm12,%ymm13,%ymm{r}",
          "mov %rcx,{o}(%rdi)")


def chains(n: int) -> Iterator[Block]:
    """2 to 8 operations of which each waits for the one before, with others beside them."""
    for number in range(n):
        rng = random.Random(f"chain {number}")
        kind = rng.choice(sorted(CHAINED))
        lines = [rng.choice(CHAINED[kind]) for _ in range(rng.randint(2, 8))]
        for i in range(rng.randint(0, 6)):
            lines.insert(rng.randint(0, len(lines)), rng.choice(BESIDE).format(r=2 + i, o=32 * i))
        yield Block("chains", f"chain {number}", tuple(lines))
