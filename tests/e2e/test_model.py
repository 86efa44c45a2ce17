# SPDX-License-Identifier: MIT
"""model: facts of a real run on this machine, their JSON, and what has none."""
import json
import sys

from e2e import Bench, Tap


def facts_of(bench, db):
    out = bench.run("model", db, "--format", "json", env=bench.real_env)
    told = json.loads(out.stdout)
    return out, told["facts"], told["not_concluded"]


def find(facts, family, name, **labels):
    """The only fact of this name with these labels; None without."""
    found = [f for f in facts if (f["family"], f["name"]) == (family, name)
             and all(f["labels"].get(key) == text for key, text in labels.items())]
    return found[0] if len(found) == 1 else None


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    run = bench.run("run", "mem.line", "mem.ways", "--quick", "-q", "-o", "a.db",
                    env=bench.real_env)
    tap.ok(run.returncode in (0, 1), "the structure of the first cache is measured", run.stderr)
    out, facts, withheld = facts_of(bench, "a.db")
    tap.ok(out.returncode == 0 and not out.stderr, "model succeeds", out.stderr)
    line = find(facts, "memory", "line")
    tap.ok(line or any(w.startswith("memory.line is not concluded:") for w in withheld),
           "a line size is found, or is withheld on a busy machine with a reason", out.stdout)
    if line:
        tap.ok(line["value"] in (32, 64, 128, 256), "and is one", line)
        tap.ok(line["unit"] == "B" and line["interval"][0] <= line["value"] <= line["interval"][1]
               and line["claimed"] is None and line["contradicts"] is False and line["evidence"],
               "a fact has unit, interval, claim and evidence", line)
        tap.ok(line["id"] == "memory.line" and line["labels"] == {} and line["kind"] == "typical"
               and line["grade"] in ("A", "B"), "and family, name, labels, kind and grade", line)
    ways = find(facts, "memory", "ways", level="l1d")
    tap.ok(ways is None or ways["id"] == "memory.ways{level=l1d}", "labels stand in the id", ways)
    for fmt in ("table", "csv", "md", "tex"):
        got = bench.run("model", "a.db", "--format", fmt)
        tap.ok(got.returncode == 0 and ("memory.line" in got.stdout or not line) and not got.stderr,
               f"model --format {fmt}", got.stdout + got.stderr)
    bench.run("run", "fake.work", "-p", "n=1", "--quick", "-q", "-o", "none.db")
    out, facts, _ = facts_of(bench, "none.db")
    tap.ok(out.returncode == 0 and not facts and "nothing" in out.stderr,
           "a run that shows nothing says so", out.stderr)
    for args in (["absent.db"], ["a.db", "absent.db"]):
        got = bench.run("model", *args)
        tap.ok(got.returncode == 2 and got.stderr and not got.stdout,
               f"model {' '.join(args)}: exit code 2", f"{got.returncode} {got.stderr}")
    tap.done()


if __name__ == "__main__":
    main()
