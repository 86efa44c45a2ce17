# SPDX-License-Identifier: MIT
"""Peaks and cycles on simulated machines, where the true ones follow from the description."""
import json
import os
import sys
import tempfile

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# One 512-bit unit where there are two of 256 bits, and a lower clock for it: the wider set is the slower.
SILVER = """[machine]
name one 512-bit unit
vendor GenuineIntel
model made up
features fpu tsc sse2 ssse3 sse4_1 sse4_2 popcnt avx avx2 fma bmi1 bmi2 avx512f avx512dq avx512cd avx512bw avx512vl
[kind core]
cores 4
one_ghz 3.0
all_ghz 2.8
isa scalar 64 2 3.0 2.8
isa sse2 128 2 3.0 2.8
isa avx 256 2 2.9 2.6
isa avx2 256 2 2.9 2.6
isa avx512 512 1 2.2 1.8
[cache L1]
level 1
size 32K
ways 8
cycles 4
bytes_per_cycle 64
[memory]
size 8G
latency_ns 90
core_gbs 12
node_gbs 40
"""

# Machine: instruction set and Gflop/s of the fastest f64 of one thread, by lanes x operations x pipes x GHz. Zen 4 adds
# beside each fused operation: three where fma has two.
TRUTH = {
    "xeon-8180": ("avx512", 8 * 2 * 2 * 3.5),
    "xeon-phi-5110p": ("avx512", 8 * 2 * 1 * 1.053 * 0.5),  # one thread has every other cycle
    "graviton3": ("sve", 4 * 2 * 2 * 2.6),
    "core2-q6600": ("sse2", 2 * 2 * 1 * 2.4),
    "zen4-guest-2": ("avx512", 8 * 3 * 1 * 3.7),
    "silver": ("avx2", 4 * 2 * 2 * 2.9),
}


def peaks(bench, machine):
    """The facts core.peak of f64 and one thread by instruction set, after a quick run of cpu.flops."""
    db = os.path.basename(machine) + ".db"
    done = bench.run("--machine", machine, "run", "cpu.flops", "--quick", "-q", "--seed", "1", "-p", "type=f64", "-o", db,
                     env=bench.real_env)
    assert done.returncode == 0, done.stderr
    told = json.loads(bench.run("model", db, "--format", "json", env=bench.real_env).stdout)
    found = [f for f in told["facts"] if f["id"].startswith("core.peak{") and "threads=1}" in f["id"]]
    return {f["id"].split("isa=")[1].split(",")[0]: f for f in found}


def fastest(tap, bench, word, truth):
    machine = "silver.machine" if word == "silver" else os.path.join(ROOT, "machines", word + ".machine")
    isa, rate = truth
    found = peaks(bench, machine)
    best = max(found, key=lambda name: found[name]["value"])
    peak = found[best]
    tap.ok(best == isa, f"{word}: the fastest set is {isa}, whatever its width", {k: f["value"] for k, f in found.items()})
    tap.ok(abs(peak["value"] / 1e9 / rate - 1) < 0.02 and peak["grade"] in "AB" and peak["kind"] == "capability",
           f"{word}: its peak is {rate:.1f} Gflop/s", peak)


def cycles(tap, bench, error):
    """A run of something else measures the standards too; a misread core clock takes its cycles the right to conclude."""
    name = f"error{error}"
    with open(bench.path(name + ".machine"), "w", encoding="utf-8") as f:
        f.write(SILVER + f"[noise]\ncycle_error {error}\n")
    done = bench.run("--machine", name + ".machine", "run", "mem.latency", "--quick", "-q", "--seed", "1", "-p", "size=4K",
                     "-o", name + ".db", env=bench.real_env)
    assert done.returncode == 0, done.stderr
    results = bench.results(name + ".db")
    standards = [r for r in results if r["bench"] == "cpu.standard"]
    loads = [r["metrics"] for r in results if r["bench"] == "mem.latency"]
    missed = error != 0
    tap.ok(len(standards) >= 2 and all(r["state"] == "ok" for r in standards),
           f"cycle_error {error}: the standards are measured unasked", [r["bench"] for r in results])
    tap.ok(all(("standard" in m["cycles"]["reasons"]) == missed and "standard" not in m["latency"]["reasons"] for m in loads),
           f"cycle_error {error}: cycles are{'' if missed else ' not'} graded down, seconds are not", loads)
    for command in (["show", name + ".db"], ["model", name + ".db"]):
        said = " ".join(bench.run(*command, env=bench.real_env).stdout.split())
        tap.ok(("imul_r64 took" in said and "not a whole number" in said) == missed,
               f"cycle_error {error}: {command[0]} says {'so' if missed else 'nothing of it'}", said)


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="am-e2e-") as scratch:
        bench.real_env["TMPDIR"] = scratch
        with open(bench.path("silver.machine"), "w", encoding="utf-8") as f:
            f.write(SILVER)
        for word, truth in TRUTH.items():
            fastest(tap, bench, word, truth)
        for error in (0, 0.05, -0.5):
            cycles(tap, bench, error)
    tap.done()


if __name__ == "__main__":
    main()
