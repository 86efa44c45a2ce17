# SPDX-License-Identifier: MIT
"""Known machines: those shipped, the user's own beside them, a bad file passed over, and a run placed among them."""
import json
import os
import sys

from e2e import Bench, Tap

MACHINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "machines", "zen4-guest-2.machine")


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    rows = json.loads(bench.run("machines", "--format", "json").stdout)["rows"]
    names = [row["name"] for row in rows]
    tap.ok({"zen4-2cpu", "xeon-16cpu-h200"} <= set(names) and all(row["from"] == "shipped" for row in rows),
           "machines measured for the project are shipped", rows)
    tap.ok(all(row["f64"] and row["memory_latency"] for row in rows), "with their figures", rows)
    out = bench.run("run", "cpu.flops", "mem.latency", "mem.bandwidth", "--quick", "--machine", MACHINE, "-o", "a.db",
                    env=bench.real_env)
    folder = os.path.join(bench.env["XDG_DATA_HOME"], "archmeter", "machines")
    os.makedirs(folder)
    out = bench.run("model", "a.db", "-o", os.path.join(folder, "mine.json"))
    tap.ok(out.returncode == 0, "a model goes into the user's folder", out.stderr)
    with open(os.path.join(folder, "bad.json"), "w", encoding="utf-8") as file:
        file.write('{"kind": 1}')
    out = bench.run("machines")
    tap.ok(out.returncode == 0 and "mine" in out.stdout and "yours" in out.stdout and "bad.json" in out.stderr,
           "it is listed, and a file that is no model is passed over with a word", out.stdout + out.stderr)
    tap.ok("archmeter model" in out.stdout and "made of a.db" in out.stdout, "each says where it comes from", out.stdout)
    out = bench.run("model", "a.db")
    lines = out.stdout.splitlines()
    at = next((i for i, line in enumerate(lines) if line.strip().startswith("this one")), None)
    tap.ok(at is not None and any("zen4-2cpu" in line for line in lines[at:]), "model places the machine among them",
           out.stdout[-1500:])
    tap.ok(not any(line.strip().startswith("mine") for line in lines) and
           "the same kind of machine as mine " in " ".join(lines[at or 0:]), "and says which of them is this one",
           out.stdout[-1500:])
    tap.done()


main()
