# SPDX-License-Identifier: MIT
"""blocks.py: loops are cut out of a disassembly as they should be, all blocks assemble, those that are made up run, and the table is right."""
import argparse
import contextlib
import io
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import blocks  # noqa: E402  (found by the path above)
import blocks_find  # noqa: E402
from e2e import Tap  # noqa: E402

LISTING = """
0000000000000010 <plain>:
  10:\tmov    (%rsi,%rax,8),%rdx
  14:\taddpd  0x0(%rip),%xmm0        # 20 <plain+0x10>
  18:\ttest   %rdx,%rdx
  1b:\tje     40 <plain+0x30>
  1d:\tadd    $0x1,%eax
  20:\tcmp    %rcx,%rax
  23:\tjne    10 <plain>
  25:\tret
0000000000000050 <calls>:
  50:\tcall   10 <plain>
  55:\tdec    %rdi
  58:\tjne    50 <calls>
0000000000000060 <inside>:
  60:\ttest   %rdx,%rdx
  63:\tje     68 <inside+0x8>
  65:\tadd    %rax,%rbx
  68:\tdec    %rdi
  6b:\tjne    60 <inside>
"""


def check_cut(tap):
    found = list(blocks_find.loops_of("libc", "x.a", LISTING.splitlines()))
    tap.ok(len(found) == 1 and found[0].origin == "x.a:plain", "calls and branches inside are no block", found)
    block = found[0]
    tap.ok(block.lines == ("mov (%rsi,%rax,8),%rdx", "addpd blocks_constants(%rip),%xmm0", "test %rdx,%rdx", "add $0x1,%eax",
                           "cmp %rcx,%rax"), "branches out of it and its jump are dropped, constants are one", block.lines)
    tap.ok(block.memory_registers() == ({"rsi"}, {"rax"}), "bases and indices", block.memory_registers())
    tap.ok(block.operands() == [blocks_find.Operands("rsi", "rax", 8, 1, 1)], "what is addressed how, constants aside", block.operands())
    tap.ok(block.counter() == "r15" and block.vectors() == 0, "a free register counts", block.counter())


def check_memory(tap):
    """Which registers must point to memory, and how many streams a pass goes through."""
    def registers(*lines):
        return blocks_find.Block("libc", "x", lines).memory_registers()[0]

    tap.ok(registers("mov %rsi,%r13", "movzbl 0x1(%r13),%r9d", "lea 0x1(%r13),%rsi") == {"rsi", "r13"}, "what a base is copied from points, too")
    got = registers("mov %rdx,%rcx", "shr %rcx", "mov %rcx,%rax", "shl $0x5,%rax", "add %rsi,%rax", "mov (%rax),%rdi")
    tap.ok("rsi" in got and not got & {"rdx", "rcx"}, "a number that is shifted is none: what was added to it is", got)
    tap.ok(registers("add %r9,%r8", "movsd (%r8),%xmm0") == {"r8"}, "a stride is no pointer")

    def streams(*lines):
        return [(o.streams, o.n) for o in blocks_find.Block("libc", "x", lines).operands() if o.index]

    table = ("mov 0x8(%rdx),%rsi", "movapd (%rax,%rsi,8),%xmm0", "mov 0x10(%rdx),%rsi", "movapd (%rax,%rsi,8),%xmm1")
    tap.ok(streams(*table) == [(2, 2)], "an index that is loaded anew is another stream", streams(*table))
    again = (*table, "mov 0x8(%rdx),%rsi", "movapd %xmm1,(%rax,%rsi,8)")
    tap.ok(streams(*again) == [(2, 3)], "the same index loaded again is not", streams(*again))
    tap.ok(streams("movups (%rdi,%rax),%xmm0", "add $0x40,%rdi", "movups %xmm0,(%rdi,%rax)") == [(1, 2)], "nor is a base with a constant added")


def made_up():
    return list(blocks_find.mixes(6)) + list(blocks_find.chains(6))


def check_run(tap, folder):
    """Faults are refused with their reason; the rest has times."""
    odd = [blocks_find.Block("libc", "pointer", ("mov (%rax),%rax",)), blocks_find.Block("libc", "nowhere", ("movabs $0x8000000000000000,%rax", "mov (%rax),%rcx")),
           blocks_find.Block("libc", "zero", ("xor %ecx,%ecx", "div %ecx"))]
    wanted = [b for b in made_up() if b.vectors() == 0] + odd
    nonsense = blocks_find.Block("", "", ("add %rax,%rbx", "nonsense %rax"))
    tap.ok(blocks.assembling([*made_up(), nonsense, *odd]) == made_up() + odd, "all assemble, and nonsense does not")
    with contextlib.redirect_stdout(io.StringIO()):
        gather, blocks.gather = blocks.gather, lambda options: wanted
        blocks.make(argparse.Namespace(folder=folder))
        blocks.gather = gather
    options = argparse.Namespace(folder=folder, seconds=1, cpu=min(blocks.usable_cpus()))
    blocks.run(options)
    times = blocks.times_of(folder)
    tap.ok(len(times) == len(wanted), "every block has a line", times)
    tap.ok(times[f"block_{len(wanted) - 2}"] == "address that cannot be mapped" and times[f"block_{len(wanted) - 1}"] == "division that faults",
           "what faults is refused", times)
    tap.ok(times[f"block_{len(wanted) - 3}"] != "address that cannot be mapped", "an address in memory leads somewhere", times)
    file = pathlib.Path(folder, "times.txt")
    file.write_text("block_1 1234.5000 1234.7500 77\n", encoding="ascii")
    blocks.run(options)
    again = blocks.times_of(folder)
    tap.ok(again["block_1"] == (1234.5, 1234.75) and len(again) == len(wanted), "a time that stands already is kept, the others are looked for", again)


OSACA = """
     |  0   |  1   - DV  ||  CP  | LCD  |
--------------------------------------
   2 | 0.50 | 0.50  9.00 ||  3.0 |  {0}|   vaddpd %ymm12,%ymm0,%ymm0

       1.50   1.50  2.50     17.0   {0}

   2 |  3.0 | vaddpd %ymm12,%ymm0,%ymm0           | [3]
"""


def check_osaca(tap, rows):
    said = [blocks.osaca_said(text) for text in (OSACA.format("3.0 "), OSACA.format("0.0 "), OSACA.format("    "), "X unknown\n1 |\n")]
    tap.ok(said == [3.0, 2.5, 2.5, None], "of OSACA's report the busiest port or the carried chain, not the critical path", said)
    with tempfile.TemporaryDirectory() as folder:
        options = argparse.Namespace(folder=folder, osaca="printf '%s'")
        asked = [{"lines": ["add %rax,%rbx"], "counter": "r15"}, {"lines": ["add %rax,%rcx"], "counter": "r15"}]
        first = blocks.osaca_cycles(options, asked)
        file = pathlib.Path(folder, "osaca.json")
        file.write_text(file.read_text(encoding="ascii").replace("null", "4.5"), encoding="ascii")
        tap.ok(first == [None, None] and blocks.osaca_cycles(options, asked) == [4.5, 4.5], "what it said is kept", first)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        blocks.print_rows([r | {"osaca": 5.0 if r["ours"] < 11 else None} for r in rows], seen_only=True)
    line = next(line for line in out.getvalue().splitlines() if line.startswith("| zlib"))
    tap.ok(line.count("|") == 6 and "held out" not in out.getvalue(), "held-out blocks can be left away", out.getvalue())


# Feeds the rule of blocks_moment.c with times of the front end: RARE at 0.8, SHARED of a thousand at 1.4 to 2, others at 1 to 1.02.
MOMENTS = """
#include "blocks_moment.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const int rare = argc == 3 ? atoi(argv[1]) : 0, shared = argc == 3 ? atoi(argv[2]) : 0;
    for (int i = 0; i < 20000; i++) {
        const int at = i * 7 % 1000;
        blocks_note_front(at < rare ? 0.8 : at < rare + shared ? 1.4 + at * 0.0006 : 1 + i % 20 * 0.001);
    }
    printf("%f %d %d", blocks_moments.limit, blocks_is_alone(0.8), blocks_is_alone(1.005));
}
"""


def check_moments(tap, folder):
    """Moments alone are told from shared ones, whatever their shares, and an accident does not count."""
    peers = pathlib.Path(blocks.__file__).parent
    source = pathlib.Path(folder, "moments.c")
    source.write_text(MOMENTS, encoding="ascii")
    program = str(pathlib.Path(folder, "moments"))
    subprocess.run([os.environ.get("CC", "cc"), "-O1", f"-I{peers}", "-o", program, str(source), str(peers / "blocks_moment.c"), "-lm"], check=True)
    said = {given: subprocess.run([program, *given], capture_output=True, text=True, check=True).stdout.split()
            for given in (("0", "0"), ("0", "500"), ("0", "900"), ("5", "500"), ("0", "1000"))}
    limits = {given: float(words[0]) for given, words in said.items()}
    all_shared = limits.pop(("0", "1000"))
    tap.ok(all(1.01 < limit < 1.1 for limit in limits.values()), "whether the core is shared is told by its front end", limits)
    tap.ok(all(said[given][1:] == ["0", "1"] for given in limits), "a moment whose chain was slow is none alone", said)
    tap.ok(all_shared > 1.4, "where it always is, by the least of these", all_shared)


# Pages of all windows whose lines a cache could take for another's: how many share their low 8 bits, and how many Zen's hash of addresses.
WINDOWS = """
#include "blocks_entry.h"
#include <stdio.h>
static unsigned hash_of(uint64_t at)
{
    return (at >> 12 ^ at >> 17 & 0xf8 ^ (at >> 27 & 1) ^ (at >> 25 & 2) ^ (at >> 23 & 4)) & 0xff;
}
static unsigned shared(const unsigned char *seen) { unsigned n = 0; for (int i = 0; i < 256; i++) n += seen[i] > 1; return n; }
int main(void)
{
    static unsigned char low[256], hashed[256];
    for (int i = 0; i < REGS; i++)
        for (int page = -WINDOW_PAGES / 2; page < WINDOW_PAGES / 2; page++) {
            const uint64_t at = WINDOWS + i * WINDOW + WINDOW / 2 + (uint64_t)((int64_t)page * PAGE);
            low[at >> 12 & 0xff]++;
            hashed[hash_of(at)]++;
        }
    printf("%u %u %llu", shared(low), shared(hashed), WINDOW / PAGE % WINDOW_PAGES);
}
"""


def check_windows(tap, folder):
    """No two windows meet in a cache that tells lines by lower bits of addresses, or by a hash of them as Zen's does."""
    source = pathlib.Path(folder, "windows.c")
    source.write_text(WINDOWS, encoding="ascii")
    program = str(pathlib.Path(folder, "windows"))
    subprocess.run([os.environ.get("CC", "cc"), "-w", f"-I{pathlib.Path(blocks.__file__).parent}", "-o", program, str(source)], check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    tap.ok(said == "0 0 0", "pages around all windows differ in lower bits and in Zen's hash, and begin with a physical one", said)


def check_table(tap):
    rows = [{"source": "zlib", "held": held, "cycles": 10.0, "ours": ours, "mca": 20.0 + ours}
            for held, ours in ((False, 11.0), (False, 9.0), (True, 10.0), (True, 20.0))]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        blocks.print_rows(rows)
    line = next(line for line in out.getvalue().splitlines() if line.startswith("| zlib"))
    tap.ok(line.startswith("| zlib | 2 | 10.0 %, 10.0 %") and "| 2 | 50.0 %, 50.0 %" in line, "seen and held out stand apart", line)
    tap.ok("OSACA" not in out.getvalue(), "who says nothing has no column", out.getvalue())
    check_osaca(tap, rows)
    why = [blocks.why_left_out({"lines": lines}, time) for lines, time in
           ((["add %rax,%rbx"], (1.0, 1.02)), (["add %rax,%rbx"], (1.0, 1.04)), (["divq (%rcx)"], (9.0, 9.0)), (["vdivpd %ymm0,%ymm1,%ymm2"], (9.0, 9.0)),
            (["add %rax,%rbx"], "why"))]
    tap.ok(why[0] is None and "placements" in why[1] and "division" in why[2] and why[3] is None and why[4] == "why", "what is left out, and why", why)
    tap.ok(blocks.tau([1, 2, 3], [2, 4, 9]) == 1 and blocks.tau([1, 2, 3], [9, 4, 2]) == -1, "ranks")
    text = "loop,instructions,cycles,limit\n0x40,3,2.5,chain\n0x80,3,1,jump\n\nloop,resource,cycles\n0x40,front,1\n"
    tap.ok(blocks.summary_of(text) == [(0x40, 2.5), (0x80, 1.0)], "the summary of predict is read", blocks.summary_of(text))


def check_options(tap):
    said = io.StringIO()
    code = None
    try:
        with contextlib.redirect_stderr(said):
            blocks.parsed(["table", "folder", "--on", "x.db", "--archmeter", "sh", "--mca", "", "--osaca", "no-such-program --arch ZEN3"])
    except SystemExit as end:
        code = end.code
    tap.ok(code == 2 and "no program 'no-such-program'" in said.getvalue(), "a program that is not there is named", said.getvalue())


def main():
    tap = Tap()
    check_options(tap)
    check_cut(tap)
    check_memory(tap)
    check_table(tap)
    wide = list(blocks_find.wide_mixes(30))
    tap.ok(all(b.vectors() == 2 and "zmm" in "".join(b.lines) for b in wide) and blocks.assembling(wide) == wide,
           "mixes of AVX-512 have 512-bit vectors, and assemble")
    held = [b.held for b in blocks_find.mixes(300)]
    tap.ok(70 < sum(held) < 130 and held == [b.held for b in blocks_find.mixes(300)], "a third is held out, always the same", sum(held))
    if platform.machine() == "x86_64":
        with tempfile.TemporaryDirectory() as folder:
            check_run(tap, folder)
            check_moments(tap, folder)
            check_windows(tap, folder)
    tap.done()


main()
