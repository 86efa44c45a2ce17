# SPDX-License-Identifier: MIT
"""app.stencil from one worker to the next, its explanation and facts, its experiments."""
import json
import os
import sys

from e2e import Bench, Tap

FEW = ("--quick", "--launches", "2", "--samples", "1", "--min-batch", "100us")
SMALL = ("-p", "n=32K", "-p", "steps=24")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def check_run(tap, bench):
    run = bench.run("run", "app.stencil", "-p", "variant=slice,auto,fft", "-p", "executor=serial,task:dbf",
                    "-p", "form=paper", *SMALL, *FEW, "-o", "a.db", env=bench.real_env)
    results = bench.results("a.db")
    measured = [r for r in results if r["state"] == "ok"]
    refused = {r["point"]["variant"]: r["reason"] for r in results if r["state"] != "ok"}
    tap.ok(run.returncode == 0 and len(measured) >= 4 and set(refused) <= {"fft"},
           "stepped and transformed, serially and by tasks", run.stderr + str(results))
    tap.ok(all(r["metrics"]["bound_share"]["median"] > 0 and r["metrics"]["peak_share"]["median"] > 0
               for r in measured if r["point"]["variant"] != "fft"), "with shares of peak and bound", measured)
    chosen = {name for (name,) in bench.query("a.db", "SELECT DISTINCT name FROM choices")}
    tap.ok({"w", "depth"} <= chosen, "what was chosen is stored", chosen)
    return any(r["point"]["variant"] == "fft" for r in measured)


def check_model(tap, bench, transformed):
    facts = json.loads(bench.run("model", "a.db", "--facts", "--format", "json").stdout)["facts"]
    values = {f["name"]: f["value"] for f in facts if f["family"] == "stencil" and f["labels"]["type"] == "f32"}
    # On a busy machine the points may be of grade C, which concludes nothing, and says so.
    withheld = "Not concluded" in bench.run("model", "a.db").stdout
    tap.ok(withheld or (values.get("slice_gain", 0) > 0 and "bound_share" in values),
           "the gain of slices and the bound are facts", facts)
    if transformed:
        tap.ok(withheld or values.get("fft_steps", 0) > 0, "so is the rival's break-even", facts)
    else:
        tap.skip("so is the rival's break-even", "built without FFTW")
    told = " ".join(bench.run("explain", "a.db").stdout.split())
    tap.ok("run mem.bandwidth" in told and "in the same run" in told,
           "explain says which ceilings are missing", told)


def check_experiments(tap, bench):
    for name in ("weak", "rival"):
        dry = bench.run("experiment", os.path.join(EXAMPLES, name + ".exp"), "--dry-run", env=bench.real_env)
        tap.ok(dry.returncode == 0 and "app.stencil" in dry.stdout, f"{name}.exp can be planned", dry.stderr)


def main(argv):
    tap = Tap()
    bench = Bench(argv[1], argv[2])
    check_model(tap, bench, check_run(tap, bench))
    check_experiments(tap, bench)
    tap.done()


if __name__ == "__main__":
    main(sys.argv)
