# SPDX-License-Identifier: MIT
"""model: facts of a real run on this machine, their JSON, and what has none."""
import json
import sys

from e2e import Bench, Tap


def facts_of(bench, db):
    out = bench.run("model", db, "--format", "json", env=bench.real_env)
    return out, {f["id"]: f for f in json.loads(out.stdout)["facts"]}


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    run = bench.run("run", "mem.line", "mem.ways", "--quick", "-q", "-o", "a.db",
                    env=bench.real_env)
    tap.ok(run.returncode in (0, 1), "the structure of the first cache is measured", run.stderr)
    out, facts = facts_of(bench, "a.db")
    tap.ok(out.returncode == 0 and not out.stderr, "model succeeds", out.stderr)
    line = facts.get("cache.line")
    if tap.ok(line, "a line size is found", out.stdout):
        tap.ok(line["value"] in (32, 64, 128, 256), "and is one", line)
        tap.ok(line["unit"] == "B" and line["interval"][0] <= line["value"] <= line["interval"][1]
               and line["claimed"] is None and line["contradicts"] is False and line["evidence"],
               "a fact has unit, interval, claim and evidence", line)
    for fmt in ("table", "csv", "md", "tex"):
        got = bench.run("model", "a.db", "--format", fmt)
        tap.ok(got.returncode == 0 and "cache.line" in got.stdout and not got.stderr,
               f"model --format {fmt}", got.stdout + got.stderr)
    bench.run("run", "fake.work", "-p", "n=1", "--quick", "-q", "-o", "none.db")
    out, facts = facts_of(bench, "none.db")
    tap.ok(out.returncode == 0 and not facts and "nothing" in out.stderr,
           "a run that shows nothing says so", out.stderr)
    for args in (["absent.db"], [], ["a.db", "none.db"]):
        got = bench.run("model", *args)
        tap.ok(got.returncode == 2 and got.stderr and not got.stdout,
               f"model {' '.join(args)}: exit code 2", f"{got.returncode} {got.stderr}")
    tap.done()


if __name__ == "__main__":
    main()
