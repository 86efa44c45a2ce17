# SPDX-License-Identifier: MIT
"""blocks.py: loops are cut out of a disassembly as they should be, all blocks assemble, those that are made up run, and the table is right."""
import argparse
import contextlib
import io
import json
import pathlib
import platform
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
    tap.ok(block.scale() == 8, "the largest scale", block.scale())
    tap.ok(block.counter() == "r15" and block.vectors() == 0, "a free register counts", block.counter())


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
    blocks.run(argparse.Namespace(folder=folder, rounds=9, cpu=min(blocks.usable_cpus())))
    times = blocks.times_of(folder)
    tap.ok(len(times) == len(wanted), "every block has a line", times)
    tap.ok(times[f"block_{len(wanted) - 2}"] == "address that cannot be mapped" and times[f"block_{len(wanted) - 1}"] == "division that faults",
           "what faults is refused", times)
    tap.ok(times[f"block_{len(wanted) - 3}"] != "address that cannot be mapped", "an address in memory leads somewhere", times)


def check_table(tap):
    rows = [{"source": "zlib", "held": held, "cycles": 10.0, "ours": ours, "mca": 20.0 + ours}
            for held, ours in ((False, 11.0), (False, 9.0), (True, 10.0), (True, 20.0))]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        blocks.print_rows(rows)
    line = next(line for line in out.getvalue().splitlines() if line.startswith("| zlib"))
    tap.ok(line.startswith("| zlib | 2 | 10.0 %, 10.0 %") and "| 2 | 50.0 %, 50.0 %" in line, "seen and held out stand apart", line)
    why = [blocks.why_left_out({"lines": lines}, time) for lines, time in
           ((["add %rax,%rbx"], (1.0, 1.02)), (["add %rax,%rbx"], (1.0, 1.04)), (["divq (%rcx)"], (9.0, 9.0)), (["vdivpd %ymm0,%ymm1,%ymm2"], (9.0, 9.0)),
            (["add %rax,%rbx"], "why"))]
    tap.ok(why[0] is None and "placements" in why[1] and "division" in why[2] and why[3] is None and why[4] == "why", "what is left out, and why", why)
    tap.ok(blocks.tau([1, 2, 3], [2, 4, 9]) == 1 and blocks.tau([1, 2, 3], [9, 4, 2]) == -1, "ranks")
    text = "loop,instructions,cycles,limit\n0x40,3,2.5,chain\n0x80,3,1,jump\n\nloop,resource,cycles\n0x40,front,1\n"
    tap.ok(blocks.summary_of(text) == [(0x40, 2.5), (0x80, 1.0)], "the summary of predict is read", blocks.summary_of(text))


def main():
    tap = Tap()
    check_cut(tap)
    check_table(tap)
    held = [b.held for b in blocks_find.mixes(300)]
    tap.ok(70 < sum(held) < 130 and held == [b.held for b in blocks_find.mixes(300)], "a third is held out, always the same", sum(held))
    if platform.machine() == "x86_64":
        with tempfile.TemporaryDirectory() as folder:
            check_run(tap, folder)
    tap.done()


main()
