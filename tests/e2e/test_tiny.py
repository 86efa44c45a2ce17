# SPDX-License-Identifier: MIT
"""Machines that lack something: one CPU, little memory, no huge pages, no word on caches.

What cannot be measured there is a skip with its reason. Nothing fails, nothing is invented.
"""
import ctypes
import os
import resource
import sys

from e2e import Bench, Tap

PR_SET_THP_DISABLE = 41
MIB = 1 << 20


def one_cpu():
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def half_a_gibibyte():
    resource.setrlimit(resource.RLIMIT_AS, (512 * MIB, 512 * MIB))


def no_huge_pages():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


# A topology of two cores with nothing but their numbers, taken for this machine's.
BARE = {"HWLOC_SYNTHETIC": "pack:1 core:2 pu:1", "HWLOC_THISSYSTEM": "1"}

# name -> (before the program starts, environment, arguments,
#          {bench: words of its skips, or None where something must be measured})
MACHINES = {
    "one CPU": (one_cpu, {}, ["mem.*", "cpu.flops"], {
        "cpu.flops": None, "mem.latency": None, "mem.bandwidth": None, "mem.ways": None,
        "mem.coherence": "one CPU only", "mem.pingpong": "one CPU only",
        "mem.placement": "one CPU only", "mem.sharing": "2 threads on 1 CPUs",
        "mem.loaded": "1 threads"}),
    "one CPU, asked for pairs": (one_cpu, {}, ["cpu.flops", "-p", "on=smt2", "-p", "threads=2"], {
        "cpu.flops": "no core has two hardware threads here"}),
    "512 MiB of address space": (half_a_gibibyte, {}, [
        "mem.latency", "mem.bandwidth", "mem.stanza", "mem.numa", "-p", "size=64K,1G"], {
            "mem.latency": "memory", "mem.bandwidth": "memory", "mem.stanza": "memory"}),
    "no huge pages": (no_huge_pages, {}, ["mem.latency", "mem.bandwidth", "mem.tlb", "-p",
                                          "size=4M", "-p", "pages=huge,any"], {
        "mem.latency": "huge pages for 0 of", "mem.bandwidth": "huge pages for 0 of",
        "mem.tlb": "huge pages for 0 of"}),
    "caches and memory not stated": (None, BARE, ["mem.latency", "mem.bandwidth", "mem.line",
                                                  "cpu.flops"], {
        "mem.latency": None, "mem.bandwidth": None, "mem.line": None, "cpu.flops": None}),
}


def can_start(bench, before, variables):
    """Sanitizers take terabytes of addresses: a limit of those is not for such builds."""
    started = bench.run("list", "null", env={**bench.real_env, **variables}, preexec_fn=before)
    return started.returncode == 0 and "null" in started.stdout


def check_machine(tap, bench, name, machine):
    before, variables, arguments, expected = machine
    if not can_start(bench, before, variables):
        tap.skip(name, "this build does not start there")
        return []
    db = name.replace(" ", "-") + ".db"
    run = bench.run("run", *arguments, "--quick", "--launches", "1", "--samples", "2", "--min-batch", "1ms", "--format", "json", "-q",
                    "-o", db, env={**bench.real_env, **variables}, preexec_fn=before)
    tap.ok(run.returncode in (0, 3), f"{name}: the run ends in order",
           f"{run.returncode}\n{run.stderr}")
    rows = bench.results(db)
    tap.ok(rows and all(r["state"] in ("ok", "skip") for r in rows), f"{name}: nothing fails",
           [r for r in rows if r["state"] not in ("ok", "skip")])
    tap.ok(all(r["reason"] for r in rows if r["state"] == "skip"),
           f"{name}: every skip has its reason")
    values = [v["median"] for r in rows if r["state"] == "ok" for v in r["metrics"].values()]
    tap.ok(all(v is not None and v >= 0 for v in values), f"{name}: every value is a number", values)
    for word, reason in expected.items():
        mine = [r for r in rows if r["bench"] == word]
        if reason is None:
            tap.ok(any(r["state"] == "ok" for r in mine), f"{name}: {word} is measured", mine)
        else:
            tap.ok(any(r["state"] == "skip" and reason in r["reason"] for r in mine),
                   f"{name}: {word} says \"{reason}\"", mine)
    return rows


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    rows = {name: check_machine(tap, bench, name, m) for name, m in MACHINES.items()}
    small = rows["512 MiB of address space"]
    tap.ok(all(r["state"] == "ok" for r in small
               if r["bench"] == "mem.latency" and r["point"]["size"] == 64 << 10),
           "what fits into little memory is measured", small)
    plain = [r for r in rows["no huge pages"] if r["point"].get("pages") == "any"]
    tap.ok(all(r["state"] == "ok" for r in plain), "without huge pages small ones do",
           plain)
    tap.done()


main()
