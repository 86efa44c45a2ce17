# SPDX-License-Identifier: MIT
"""Ports and predictions as a user meets them: a mix is measured, killed runs are resumed, and what predict cannot
use is refused with a reason and code 2."""
import shutil
import sqlite3
import subprocess
import sys
import time

from e2e import Bench, Tap

FORMS = "add_r64,imul_r64_imm,shl_r64"
LOOP = """
double sum(const double *x, long n)
{
    double s = 0;

    for (long i = 0; i < n; i++)
        s += x[i];
    return s;
}
"""


def measure(bench, tap):
    """A few points: each is stored with every anchor, whatever the machine is busy with."""
    env = bench.real_env
    plain = ["run", "cpu.ports", "cpu.mix", "cpu.chain", "-p", f"instr={FORMS}", "-p", "counts=1:1", "-p", "set=1:3",
             "--quick", "--launches", "2", "-o", "ports.db"]
    ran = bench.run(*plain, env=env)
    if "x86-64 instructions only" in ran.stdout + ran.stderr:
        tap.skip("mixes are measured", "not on this architecture")
        return False
    tap.ok(ran.returncode == 0, "mixes are measured", ran.stdout + ran.stderr)
    rows = bench.query("ports.db", "SELECT count(*) FROM point")
    tap.ok(rows and rows[0][0] >= 9, "each form, its chain and each set of mixes is a point", rows)
    again = bench.run("resume", "ports.db", env=env)
    tap.ok(again.returncode == 0, "a run that is complete is resumed without harm", again.stderr)
    return True


VISITS = "SELECT id, launch, point FROM visit WHERE state = 'ok' ORDER BY id"


def kill_and_resume(bench, tap):
    """Killed in the middle, as soon as something is stored: what stands is kept, and the rest is measured once."""
    process = bench.start("run", "cpu.ports", "cpu.mix", "-p", f"instr={FORMS}", "-p", "set=1:8", "--quick", "--launches", "4:4", "-o",
                          "killed.db", env=bench.real_env)
    before = []
    while process.poll() is None and not before:
        time.sleep(0.02)
        try:
            before = bench.query("killed.db", VISITS)
        except sqlite3.Error:
            pass  # not made yet
    process.kill()
    process.communicate()
    planned = 4 * bench.query("killed.db", "SELECT count(*) FROM point p JOIN bench b ON b.id = p.bench WHERE b.name LIKE 'cpu.ports' "
                              "OR b.name LIKE 'cpu.mix'")[0][0]
    before = bench.query("killed.db", VISITS)
    tap.ok(0 < len(before) < planned, "a run of mixes is killed in the middle", (len(before), planned))
    again = bench.run("resume", "killed.db", env=bench.real_env)
    after = bench.query("killed.db", VISITS)
    tap.ok(again.returncode == 0 and after[:len(before)] == before, "resumed, it keeps what stood", again.stderr)
    counted = bench.query("killed.db", "SELECT v.point, count(*) FROM visit v JOIN point p ON p.id = v.point JOIN bench b ON b.id = p.bench "
                          "WHERE v.state = 'ok' AND b.name IN ('cpu.ports', 'cpu.mix') GROUP BY v.point")
    tap.ok(4 * len(counted) == planned and all(n == 4 for _, n in counted), "and measures the rest, no launch twice", counted)
    mixes = bench.query("killed.db", "SELECT count(*), count(DISTINCT c.value) FROM chosen c WHERE c.name = 'mix_1'")
    tap.ok(mixes and mixes[0][1] == 8 and mixes[0][0] > 8, "with the same mixes in all launches", mixes)


def refuse(bench, tap, what, words, *args):
    ran = bench.run("predict", *args, env=bench.real_env)
    text = ran.stdout + ran.stderr
    tap.ok(ran.returncode == 2 and all(word in text for word in words), f"{what} is refused by name, code 2", text)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    compiler = shutil.which("cc")
    measured = measure(bench, tap)
    if measured:
        kill_and_resume(bench, tap)
    with open(bench.path("loop.c"), "w", encoding="utf-8") as file:
        file.write(LOOP)
    with open(bench.path("text.o"), "w", encoding="utf-8") as file:
        file.write("not an object file, but as long as the header of one would have to be\n")
    open(bench.path("empty.o"), "wb").close()
    refuse(bench, tap, "a file that is not there", ["none.o", "No such file"], "none.o", "--function", "f")
    refuse(bench, tap, "a text", ["text.o", "ELF"], "text.o", "--function", "f")
    refuse(bench, tap, "an empty file", ["empty.o", "empty file"], "empty.o", "--function", "f")
    refuse(bench, tap, "a folder", ["directory"], ".", "--function", "f")
    refuse(bench, tap, "no file at all", ["FILE"])
    if measured and compiler:
        subprocess.run([compiler, "-O1", "-c", "loop.c", "-o", "loop.o"], cwd=bench.dir, check=True)
        refuse(bench, tap, "a function that is not there", ["loop.o", "sum"], "loop.o", "--function", "sun")
        subprocess.run(["ar", "rcs", "libloop.a", "loop.o"], cwd=bench.dir, check=True)
        refuse(bench, tap, "a function that a static library has not", ["libloop.a", "sum"], "libloop.a", "--function", "sun")
        with open(bench.path("loop.o"), "rb") as whole, open(bench.path("cut.o"), "wb") as cut:
            cut.write(whole.read()[:200])
        refuse(bench, tap, "a file that is cut short", ["cut.o", "cut short"], "cut.o", "--function", "sum")
        without = bench.run("predict", "loop.o", "--function", "sum", "--on", "ports.db", env=bench.real_env)
        decoder = "without a decoder" in without.stderr
        tap.ok(without.returncode == (3 if decoder else 2)
               and (decoder or "cpu.ports" in without.stderr),
               "a run that cannot tell ports is refused with what to measure", without.stderr)
    tap.done()


main()
