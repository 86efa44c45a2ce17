# SPDX-License-Identifier: MIT
"""ratio.py: who shares our core is noticed, what was measured meanwhile is measured again, intervals keep their level."""
import pathlib
import random
import subprocess
import sys

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import ratio  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

ALONE, SHARED, UNKNOWN = 0.355, 0.5, 0


def scripted(values):
    """A core whose probes give these values in turn."""
    left = list(values)
    return ratio.Core(lambda: left.pop(0))


def check_core(tap):
    core = scripted((ALONE, SHARED, 1.001 * ALONE, UNKNOWN, 1.1 * ALONE))
    told = [core.is_alone() for _ in range(5)]
    tap.ok(told == [True, False, True, True, False], "alone by the least that was seen; what cannot be told is no reproach", told)
    core = scripted((SHARED, ALONE, SHARED))
    told = [core.is_alone() for _ in range(3)]
    tap.ok(told == [True, True, False], "a core that is shared at first is found out later", told)


def runs_of(after, calm=True):
    """How often something runs whose core is alone or not after each run."""
    core, runs = scripted((ALONE, *after)), []
    core.is_alone()
    ratio.core_of, ratio.await_calm = lambda cpu: core, lambda limit, cpus: calm
    value = ratio.while_calm(1, [0], lambda: runs.append(1) or len(runs))
    return value, len(runs)


def check_turns(tap):
    tap.ok(runs_of((ALONE,)) == (1, 1), "alone before and after: once")
    tap.ok(runs_of((SHARED, ALONE)) == (2, 2), "shared meanwhile: again, and the later one counts")
    tap.ok(runs_of((SHARED, SHARED)) == (3, 3), "shared for ever: three turns at most")
    tap.ok(runs_of((SHARED,), calm=False) == (1, 1), "never calm: not again")


def check_level(tap):
    chance, held = random.Random(5), 0
    for _ in range(400):
        ours, theirs = ([chance.gauss(10, 1) for _ in range(6)] for _ in range(2))
        _, low, high = ratio.ratio(ours, theirs)
        held += low <= 1 <= high
    tap.ok(held >= 368, "of 400 intervals of equals (seed 5) 95 % hold 1, less chance", held)


def check_few(tap):
    three, four = ratio.ratio([2.0] * 3, [1.0] * 3), ratio.ratio([2.0] * 4, [1.0] * 4)
    tap.ok(three == (2.0, 0.0, ratio.math.inf), "three values a side decide nothing: no order of six has a chance of 2.5 %", three)
    tap.ok(four == (2.0, 2.0, 2.0), "four do", four)
    for estimate in (three, ratio.paired([2.0] * 5, [1.0] * 5)):
        cell = ratio.ratio_cell(*estimate)
        tap.ok(cell == "**2.000** (too few for an interval)", "and a table says so in words", cell)
    cell = ratio.ratio_cell(*four)
    tap.ok(cell == "**2.000** [2.000, 2.000]", "an interval that there is stands in brackets", cell)


def main():
    tap = Tap()
    program = ratio.alone_program()
    tap.ok(program is not None, "the probe is compiled")
    tap.ok(subprocess.run([program], check=False).returncode == 2, "the probe wants a CPU")
    told = ratio.probe_cpu(min(ratio.os.sched_getaffinity(0)))
    tap.ok(0 <= told < 100, "and says a number, 0 for nothing", told)
    check_core(tap)
    check_turns(tap)
    check_level(tap)
    check_few(tap)
    tap.done()


main()
