#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often `archmeter explain RUN --on HERE --on THERE` is right: points that two machines measured are predicted from the
one for the other, each by a model that does not know it, and held against what was measured there.

    tools/held_out.py --archmeter build/archmeter a.db b.db [PATTERN ...]

The ceilings of the other machine that come from the point itself are left out of its model. A prediction is right when its
interval and the 95 % interval of the measurement meet; one that says nothing (a point far below every roof, without
instructions measured on both machines) is counted apart, with its reason."""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile


def call(archmeter, *words):
    done = subprocess.run([archmeter, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"archmeter {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def key_of(point):
    return point["bench"], json.dumps(point["point"], sort_keys=True)


def measured(archmeter, run):
    """(bench, point): (metrics by name, the point's text as ceilings cite it)."""
    found = json.loads(call(archmeter, "show", run, "--format", "json"))["results"]
    return {key_of(r): r for r in found if r.get("state", "ok") == "ok" and r.get("metrics")}


def cited(result):
    """How a ceiling names the point that it comes from."""
    return result["bench"] + " " + " ".join(f"{name}={value}" for name, value in result["point"].items())


def without(model, result):
    """The model as if the point had not been measured."""
    return dict(model, ceilings=[c for c in model["ceilings"] if c["from"] != cited(result)])


def judge(prediction, metric):
    """'right', 'wrong', or why nothing was predicted."""
    interval = prediction["expected_interval"]
    if prediction["why_not"] or prediction.get("unsure") or interval is None or interval[0] is None:
        return prediction["why_not"] or prediction.get("unsure") or "nothing is expected"
    if metric.get("grade") == "C":
        return "measured there with grade C"
    return "right" if interval[0] <= metric["ci"][1] and interval[1] >= metric["ci"][0] else "wrong"


def predict_all(archmeter, here, there, patterns=(), folder="."):
    """One direction: a list of (bench, point, verdict, factor, interval, what was measured over what was here)."""
    path = os.path.join(folder, "there.json")
    call(archmeter, "model", there, "-o", path)
    with open(path, encoding="utf-8") as f:
        model = json.load(f)
    theirs, rows = measured(archmeter, there), []
    for key, ours in measured(archmeter, here).items():
        if key not in theirs:
            continue
        left = without(model, theirs[key])
        with open(path, "w", encoding="utf-8") as f:
            json.dump(left, f)
        told = json.loads(call(archmeter, "explain", here, *(patterns or [key[0]]), "--on", path, "--format", "json"))
        for p in told["predictions"]:
            metric = theirs[key]["metrics"].get(p["metric"])
            if key_of(p) == key and metric and metric.get("median"):
                ratio = metric["median"] / ours["metrics"][p["metric"]]["median"]
                rows.append((*key, judge(p, metric), p["factor"], p["factor_interval"], ratio))
    return rows


def summary(rows):
    counts = collections.Counter("silent" if verdict not in ("right", "wrong") else verdict for _, _, verdict, *_ in rows)
    return counts["right"], counts["wrong"], counts["silent"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archmeter", default="archmeter")
    parser.add_argument("--verbose", "-v", action="store_true")
    parser.add_argument("run", nargs=2)
    parser.add_argument("pattern", nargs="*")
    options = parser.parse_args()
    for here, there in (options.run, options.run[::-1]):
        with tempfile.TemporaryDirectory(prefix="held-out-") as folder:
            rows = predict_all(options.archmeter, here, there, options.pattern, folder)
        right, wrong, silent = summary(rows)
        print(f"{here} -> {there}: {right} of {right + wrong} within their interval, of {silent} nothing is said")
        for bench, point, verdict, factor, interval, ratio in rows:
            if options.verbose or verdict == "wrong":
                print(f"  {verdict:6.60} {bench} {point}: expected {factor} {interval}, measured {ratio:.3g}")


if __name__ == "__main__":
    main()
