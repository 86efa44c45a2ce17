#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Seeds for the fuzz targets `documents` and `page` from a results file, as run_text.h reads them:

    seeds_of_run.py RUN.db FOLDER [--head]

One file per family of benches (the word before the dot) with at most RESULTS results and LAUNCHES
launches each; numbers are cut to five digits. With --head each begins with the two bytes that choose
document and form for `documents`, a different pair in each file."""
import argparse
import sqlite3
from pathlib import Path

RESULTS, LAUNCHES, METRICS, MACHINE = 24, 6, 4, 40
DOCUMENTS, FORMS = 9, 5


def short(value: float) -> str:
    return f"{value:.5g}"


def machine_lines(db: sqlite3.Connection) -> list[str]:
    rows = db.execute("SELECT key, value FROM machine LIMIT ?", (MACHINE,))
    return [f"m {key} {value}" for key, value in rows]


def metric_lines(db: sqlite3.Connection, point: int, bench: int) -> list[str]:
    lines = []
    for metric, name, unit, better in db.execute(
            "SELECT id, name, unit, better FROM metric WHERE bench = ? ORDER BY id LIMIT ?", (bench, METRICS)):
        values = [x for (x,) in db.execute(
            "SELECT avg(x.value) FROM visit v JOIN value x ON x.visit = v.id AND x.metric = ? "
            "WHERE v.point = ? AND v.state = 'ok' GROUP BY v.id LIMIT ?", (metric, point, LAUNCHES)) if x is not None]
        if values:
            lines.append(f"v {name} {unit or '-'} {better[0]} " + " ".join(map(short, values)))
    return lines


def result_lines(db: sqlite3.Connection, point: int, bench: int, name: str, worker: str, text: str) -> list[str]:
    work = db.execute("SELECT bytes_read, bytes_written, flops, ops FROM visit WHERE point = ? AND bytes_read NOT NULL "
                      "LIMIT 1", (point,)).fetchone()
    metrics = metric_lines(db, point, bench)
    lines = [f"r {name} {worker} {text}"]
    if work:
        lines.append("w " + " ".join(map(short, work)))
    if metrics:
        lines += ["t 0.01 1e-09 2e-08 3e+09"] + metrics
    else:
        lines.append("x skip not for this machine")
    lines += [f"c {key} {value}" for key, value in db.execute(
        "SELECT DISTINCT name, value FROM chosen c JOIN visit v ON v.id = c.visit WHERE v.point = ? LIMIT 4", (point,))]
    return lines


def spread(rows: list, most: int) -> list:
    """So many of them, evenly."""
    return rows if len(rows) <= most else [rows[i * len(rows) // most] for i in range(most)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--head", action="store_true")
    options = parser.parse_args()
    db = sqlite3.connect(f"file:{options.run}?mode=ro", uri=True)
    families: dict[str, list] = {}
    for row in db.execute("SELECT p.id, b.id, b.name, b.worker, p.text FROM point p JOIN bench b ON b.id = p.bench"):
        families.setdefault(row[2].split(".")[0], []).append(row)
    families["all"] = [row for rows in list(families.values()) for row in spread(rows, 6)]
    options.folder.mkdir(parents=True, exist_ok=True)
    for i, (family, rows) in enumerate(sorted(families.items())):
        lines = machine_lines(db)
        for row in spread(rows, RESULTS):
            lines += result_lines(db, *row)
        head = chr(ord("0") + i % DOCUMENTS) + chr(ord("0") + i % FORMS) if options.head else ""
        (options.folder / family).write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


main()
