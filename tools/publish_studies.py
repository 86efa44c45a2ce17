#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What studies came to: the table of doc/results/studies.md, from results files.

    tools/studies_table.py --archmeter build/archmeter "2-CPU guest=001.db" "16 CPUs + H200=h200/001.db" ...

One row per file: tables and figures of the paper, made here and missing; claims reproduced, contradicted, undecided. Behind
it every claim that was decided, with the comparison behind it, and of the undecided ones how many have which reason."""
import argparse
import collections
import json
import subprocess
import sys


def read(archmeter, path):
    done = subprocess.run([archmeter, "study", "show", path, "--format", "json"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def seconds(study):
    """Of the run, as its launches took them."""
    return f"{study['run']['launch_seconds']:.0f} s"


def counts(part):
    left = [f"{part[key]} {word}" for key, word in (("not_made_here", "not here"), ("missing", "missing")) if part[key]]
    return f"{part['made']} of {part['in_paper']}" + (f" ({', '.join(left)})" if left else "")


def summary(rows):
    yield "| study | machine | run | launches | tables | figures | reproduced | contradicted | undecided |"
    yield "|---|---|---|---:|---|---|---:|---:|---:|"
    for machine, s in rows:
        o = s["outcomes"]
        yield (f"| {s['study']} | {machine} | {s['run']['started'][:16]}, {seconds(s)} | {s['run']['launches']} | {counts(s['tables'])} | "
               f"{counts(s['figures'])} | {o['reproduced']} | {o['contradicted']} | {o['undecided']} |")


def plain(text):
    return " ".join((text or "").replace("|", "\\|").split())


def evidence(claim):
    """The ratio of the first row that was answered, with its interval, and how many there are."""
    rows = [r for q in claim["questions"] for r in q["rows"] if r.get("ratio") is not None]
    if not rows:
        return plain(claim["why"])
    first = rows[0]
    text = f"{first['ratio']:.3g} [{first['interval'][0]:.3g}, {first['interval'][1]:.3g}], grade {first['grading']['grade']}"
    return text + (f", the first of {len(rows)}" if len(rows) > 1 else "")


def decided(machine, study):
    """Claims with an outcome, and why the others have none."""
    claims = [c for c in study["claims"] if c["outcome"] != "undecided here"]
    yield ""
    yield f"## {study['study']}, {machine}"
    yield ""
    if claims:
        yield "| outcome | section | claim | evidence | why it may differ |"
        yield "|---|---|---|---|---|"
    for c in sorted(claims, key=lambda c: c["outcome"]):
        because = plain(c["because"]) if c["outcome"] == "contradicted" else ""
        yield f"| {c['outcome']} | {c['section'] or ''} | {plain(c['says'])} | {evidence(c)} | {because} |"
    reasons = collections.Counter(reason(c["why"]) for c in study["claims"] if c["outcome"] == "undecided here")
    if reasons:
        yield ""
        yield "Undecided: " + "; ".join(f"{n} {word}" for word, n in reasons.most_common()) + "."


# Words of a reason, and what it is counted as.
REASONS = (("no point of", "without such a point here"), ("fewer than three", "with fewer than three launches"),
           ("grade C", "of grade C"), ("scatter", "whose launches scatter too much"))


def reason(why):
    return next((short for words, short in REASONS if words in (why or "")), "for another reason")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archmeter", default="build/archmeter")
    parser.add_argument("runs", nargs="+", metavar="MACHINE=FILE")
    words = parser.parse_args()
    rows = []
    for run in words.runs:
        machine, found, path = run.partition("=")
        if not found:
            parser.error(f"{run}: MACHINE=FILE is wanted")
        rows.append((machine, read(words.archmeter, path)))
    print("\n".join(summary(rows)))
    for machine, study in rows:
        print("\n".join(decided(machine, study)))


if __name__ == "__main__":
    main()
