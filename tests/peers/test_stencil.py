# SPDX-License-Identifier: MIT
"""stencil.py: the plain loop compiles and steps, rivals' words are replaced, and what they print is read."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import stencil  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402


def raises(call, *words):
    try:
        call(*words)
    except ValueError:
        return True
    return False


# Says in place of a rate which CPUs it may use.
SAYS_CPUS = """#!/usr/bin/env python3
import json, os
cpus = sorted(os.sched_getaffinity(0))
print(json.dumps({"results": [{"state": "ok", "metrics": {"updates": {"max": 1000 * len(cpus) + cpus[-1]}}}]}))
"""


def check_pinned(tap, folder):
    """Ours has the CPU that rivals have, and no other."""
    cpus = sorted(stencil.os.sched_getaffinity(0))
    if len(cpus) == 1:
        tap.skip("who runs where", "there is one CPU")
        return
    program = pathlib.Path(folder, "says_cpus")
    program.write_text(SAYS_CPUS, encoding="ascii")
    program.chmod(0o755)
    for cpu in (cpus[0], cpus[-1]):
        options = argparse.Namespace(cpu=cpu, archmeter=str(program), calm=0, launches=1, isa="", flags="", describe="")
        for who, variant in ((stencil.OURS, "wave"), (stencil.OURS, "own:wave"), (stencil.HAND_MADE, "own:wave"), (stencil.SWEEPS, "own:wave")):
            said = stencil.run_one(options, {}, {}, who, variant, "f64", 3, 64, 48)
            tap.ok(said == 1000 + cpu, f"{who} by {variant} is run on CPU {cpu} alone", said)


def check_passes(tap, program):
    """Whoever checks an outcome leaves the grid where it began: from the middle of a pass a run would have one more."""
    for grid, shape, passes in (("256,256", "16:5", 3), ("64,64,64", "6:76", 8)):
        sides = [f"wave:{shape}", f"wave:fixed:{shape}"]
        done = subprocess.run([program, "f32", "scalar", grid, "48", *sides], input="\n", capture_output=True, text=True, check=False)
        said = [line for line in done.stdout.splitlines() if line.endswith("in a run")]
        tap.ok(said == [f"# {side}: {passes} passes in a run" for side in sides], f"{grid}: runs are of as many passes with either sides",
               done.stdout + done.stderr)


def main():
    tap = Tap()
    options = argparse.Namespace(cpu=min(stencil.os.sched_getaffinity(0)), archmeter="false")
    tap.ok(stencil.cases_of("2:256:96,3:64:48") == [(2, 256, 96), (3, 64, 48)], "cases are read")
    tap.ok(all(raises(stencil.cases_of, text) for text in ("", "2:256", "4:1:1", "2:0:1", "a:b:c")), "others are refused")
    tap.ok(stencil.variants_of("auto,wave", 1) == ["auto"], "waves need two dimensions")
    tap.ok(stencil.last_number("time 3.5 s\nrate 1.25e9\n") == 1.25e9 and raises(stencil.last_number, "none"),
           "the last number is the rate")
    tap.ok(stencil.rivals_of("wave", {"x": ""}) == [stencil.PLAIN, "x"] and
           stencil.HAND_MADE in stencil.rivals_of("own:wave", {}), "described stencils stand beside the hand-made ones")
    tap.ok(all((stencil.EXAMPLES / f"heat{dim}d.sten").exists() for dim in (1, 2, 3)), "their descriptions are there")
    tap.ok(stencil.rivals_of("own:wave", {"x": ""}, "iso3dfd.sten") == [stencil.SWEEPS, "x"], "another equation has no plain loop here")
    rivals = {"echo": "echo {dim} {side} {steps} {type}9"}
    tap.ok(stencil.run_one(options, {}, rivals, "echo", "auto", "f64", 2, 7, 3) == 649, "a rival's words are replaced")
    said = []
    turns = stencil.in_turns(argparse.Namespace(rounds=3, calm=0), [("wave", 2)], lambda case: ["ours", "a", "b"],
                             lambda who, *case: said.append(who) or len(said))
    tap.ok("".join(who[0] for who in said) == "oababoboa" and turns["a", "wave", 2] == [2, 4, 9],
           "all are run in every round, and another one is first", said)
    case = ("f64", 3, 64, 48)
    seen = {("ours", *case, 1): [2, 4], ("ours", *case, 8): [12, 32], ("units", *case, 1): [1, 1], ("units", *case, 8): [7, 8]}
    tap.ok(stencil.gains(seen, "ours", case, 8) == [6, 8] and stencil.gains(seen, "units", case, 8) == [7, 8],
           "what threads gain is of the same round")
    beside = [{"bench": "cpu.standard", "metrics": {"latency": {"median": 9}}}, {"bench": "b", "metrics": {"x": {"median": 3}}}]
    tap.ok(stencil.median_of(beside, "b", "x") == 3, "what is measured beside a bench is not taken for it")
    tap.ok(stencil.more_of(argparse.Namespace(calm=0, launches=0)) == ["--no-wait"] and
           stencil.more_of(argparse.Namespace(calm=5, launches=2)) == ["--launches", "2"], "without calm nobody waits for it; launches are passed on")
    with tempfile.TemporaryDirectory() as folder:
        check_pinned(tap, folder)
        tap.ok(stencil.compile_plain(folder, "false", "f64") == "", "what does not compile is no program")
        for kind in ("f32", "f64"):
            program = stencil.compile_plain(folder, "cc", kind)
            for dim in (1, 2, 3):
                rate = stencil.run_one(options, {kind: program}, {}, stencil.PLAIN, "auto", kind, dim, 9, 2)
                tap.ok(rate > 0, f"{dim} dimensions of {kind} are stepped", rate)
            done = subprocess.run([program, "4", "9", "2"], capture_output=True, check=False)
            tap.ok(done.returncode == 2 and done.stderr, "four dimensions are refused")
    check_passes(tap, f"{sys.argv[2]}/stencil_turns")
    tap.done()


main()
