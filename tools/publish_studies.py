#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Results of studies as pages that a repository can bear, from folders of results files.

    tools/publish_studies.py --archmeter build/archmeter --to doc/results "2-CPU guest=FOLDER" "16 CPUs + H200=FOLDER"

Every results file of a study in the folders (NAME.db, .db.gz, .db.xz) becomes, below TO/studies: NAME-MACHINE.md (claims with their evidence,
tables, the paper's numbers), NAME-MACHINE.svg (all figures on one sheet) and NAME-MACHINE.db.xz, a results file that the pages are made of:
`xz -dk NAME-MACHINE.db.xz; archmeter study show NAME-MACHINE.db` says the same. It is stripped: values have 12 bits (0.01 %), time stamps, folders
and seals are left out, so that it is a tenth of the size and no proof of its origin. The summary of all of them goes to TO/studies.md, behind the
line that says so; what stands above that line is written by hand."""
import argparse
import collections
import gzip
import html
import json
import lzma
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree as ElementTree

MARK = "<!-- Below: tools/publish_studies.py -->"
SVG = "{http://www.w3.org/2000/svg}"
BITS = 12
PANEL_WIDTH, SHEET_WIDTH = 480, 1000
INHERITED = {"fill": "currentColor", "font-size": "12", "stroke-width": "1"}  # said once, by the sheet


# ---- results files ----

def unpack(path, to):
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(os.path.splitext(path)[1], open)
    with opened(path, "rb") as source, open(to, "wb") as out:
        shutil.copyfileobj(source, out)


def short(x):
    """The number with BITS bits of mantissa: zeros, which compress, in place of digits that no launch repeats."""
    if not isinstance(x, float) or x == 0 or not math.isfinite(x):
        return x
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * (1 << BITS)), exponent - BITS)


def without_paths(words):
    """Folders of the machine tell nothing: names of files stay."""
    if not isinstance(words, str):
        return words
    return re.sub(r"/(?:tmp|work|root|home)/(?:[^\s,;:'\"|/]+/)*", "", re.sub(r"(?m)\Afolder /.*$", "folder /", words))


def strip(path):
    """Leaves what studies are judged and shown by."""
    db = sqlite3.connect(path)
    db.create_function("without_paths", 1, without_paths)
    for table, column in (("run", "command"), ("environment", "value"), ("setting", "value"), ("finding", "value"), ("chosen", "value"),
                          ("note", "value"), ("build", "value"), ("launch", "output")):
        db.execute(f"UPDATE {table} SET {column} = without_paths({column})")
    db.create_function("short", 1, short)
    db.create_function("short_int", 1, lambda x: x and int(short(float(x))))
    for table in ("seal", "sample_seal", "table_seal", "chain"):
        db.execute(f"DELETE FROM {table}")
    db.execute("UPDATE value SET value = short(value)")
    db.execute("UPDATE sample SET elapsed_ns = short_int(elapsed_ns), hz_before = short(hz_before), hz_after = short(hz_after)")
    db.execute("UPDATE sample SET t0_ns = 0, t1_ns = elapsed_ns")
    db.execute("UPDATE surroundings SET load = short(load), others = short(others), steal = short(steal)")
    db.commit()
    db.execute("VACUUM")
    db.close()


def run(archmeter, folder, *words):
    done = subprocess.run([archmeter, "study", "show", *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"study show {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


# ---- figures ----

def cleaned(svg):
    """A panel without what only the page uses: the other scale, what is shown under the mouse."""
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == SVG + "title" or "am-alt" in child.get("class", ""):
                parent.remove(child)
    for element in root.iter():
        for name in list(element.attrib):
            if name.startswith("data-") or name in ("class", "role", "aria-label", "font-family") or INHERITED.get(name) == element.get(name):
                del element.attrib[name]
            elif name in ("d", "cx", "cy", "x", "y", "x1", "y1", "x2", "y2", "points"):
                element.set(name, re.sub(r"(\d+\.\d)\d+", r"\1", element.get(name)))
        element.tail = None
    return root


def text(parent, x, y, words, **attributes):
    ElementTree.SubElement(parent, SVG + "text", {"x": str(x), "y": str(y), **attributes}).text = words


def add_legend(sheet, block, y):
    """Names of the series with the colours that the panels have for them; returns where it ends."""
    colours = dict(re.findall(r'<g class="(am-s\d+)[^"]*" color="([^"]+)"', block))
    x = 0
    for kind, name in re.findall(r'<i class="(am-s\d+)[^"]*"></i>(.*?)</li>', block):
        name = html.unescape(re.sub(r"<[^>]*>", "", name))
        if x and x + 30 + 7 * len(name) > SHEET_WIDTH:
            x, y = 0, y + 18
        ElementTree.SubElement(sheet, SVG + "rect", {"x": str(x), "y": str(y - 9), "width": "10", "height": "10", "fill": colours.get(kind, "#888")})
        text(sheet, x + 14, y, name)
        x += 30 + 7 * len(name)
    return y + (18 if x else 0)


def add_figure(sheet, label, caption, block, y):
    for i, line in enumerate(textwrap.wrap(f"Figure {label}. {caption}", 150)):
        text(sheet, 0, y, line, **{"font-size": "13", "font-weight": "600" if i == 0 else "400"})
        y += 18
    y = add_legend(sheet, block, y)
    column, row_height = 0, 0
    for svg in re.findall(r"<svg.*?</svg>", block, re.S):
        panel = cleaned(svg)
        width, height = float(panel.get("width")), float(panel.get("height"))
        if column and column + width > SHEET_WIDTH:
            column, y, row_height = 0, y + row_height, 0
        panel.set("x", str(column))
        panel.set("y", str(y))
        sheet.append(panel)
        column += max(width, PANEL_WIDTH) + 20
        row_height = max(row_height, height + 10)
    return y + row_height + 24


def sheet_of(page):
    """All figures of a page below each other; how many."""
    ElementTree.register_namespace("", SVG[1:-1])
    sheet = ElementTree.Element(SVG + "svg", {"font-family": "system-ui, Arial, sans-serif", "color": "#1c1f23", **INHERITED})
    ElementTree.SubElement(sheet, SVG + "rect", {"width": "100%", "height": "100%", "fill": "#fff"})
    y, n = 20, 0
    blocks = re.findall(r'<h3>Figure ([^<]*?) <small class="muted">(.*?)</small></h3>(.*?)(?=<h3>Figure |<h2|\Z)', page, re.S)
    for label, caption, block in blocks:
        if "<svg" in block:
            y = add_figure(sheet, label, html.unescape(caption), block, y)
            n += 1
    sheet.set("viewBox", f"0 0 {SHEET_WIDTH} {y:.0f}")
    return ElementTree.tostring(sheet, encoding="unicode") + "\n", n


# ---- pages ----

def slug(machine):
    return re.sub(r"[^a-z0-9]+", "-", machine.lower()).strip("-")


def page_of(told, machine, stem, shown, figures):
    """The page in Markdown: what `study show` says, with the sheet of figures."""
    shown = re.sub(r"(?m)^-? ?drawn on the page \(-o PAGE.html\)$", f"On the [sheet]({stem}.svg).", shown.strip())
    shown = re.sub(r"(?m)^#(#+) ", r"\1 ", shown)
    head = [f"# {told['study']}, {machine}", "",
            f"Made by `tools/publish_studies.py`; [results]({stem}.db.xz) (stripped): `xz -dk {stem}.db.xz; archmeter study show {stem}.db`. "
            "[All studies](../studies.md).", ""]
    if figures:
        shown = re.sub(r"(?m)^(## Figures .*)$", rf"\1\n\n![{figures} figures]({stem}.svg)", shown, count=1)
    return "\n".join(head) + "\n" + shown + "\n"


def write(path, content):
    with open(path, "w", encoding="utf-8") as out:
        out.write(content)


def publish(archmeter, machine, path, to):
    """One results file; returns what it says, None where it is no study's."""
    name = re.sub(r"\.db(\.gz|\.xz)?$", "", os.path.basename(path))
    stem = f"{name}-{slug(machine)}"
    with tempfile.TemporaryDirectory() as work:
        db = os.path.join(work, stem + ".db")
        unpack(path, db)
        strip(db)
        told = json.loads(run(archmeter, work, stem + ".db", "--format", "json"))
        run(archmeter, work, stem + ".db", "-o", "page.html")
        with open(os.path.join(work, "page.html"), encoding="utf-8") as page:
            svg, figures = sheet_of(page.read())
        shown = run(archmeter, work, stem + ".db", "--format", "md")
        with open(db, "rb") as file:
            packed = lzma.compress(file.read(), preset=9 | lzma.PRESET_EXTREME)
    if figures:
        write(os.path.join(to, stem + ".svg"), svg)
    write(os.path.join(to, stem + ".md"), page_of(told, machine, stem, shown, figures))
    with open(os.path.join(to, stem + ".db.xz"), "wb") as out:
        out.write(packed)
    sizes = {end: os.path.getsize(os.path.join(to, stem + end)) // 1024 for end in (".md", ".svg", ".db.xz")
             if os.path.exists(os.path.join(to, stem + end))}
    print(f"{stem}: {', '.join(f'{size} KiB {end[1:]}' for end, size in sizes.items())}; {told['outcomes']}", file=sys.stderr)
    return told


# ---- the summary ----

def counts(part):
    left = [f"{part[key]} {word}" for key, word in (("not_made_here", "not here"), ("missing", "missing")) if part[key]]
    return f"{part['made']} of {part['in_paper']}" + (f" ({', '.join(left)})" if left else "")


def summary(rows):
    yield "| study | machine | run | launches | tables | figures | reproduced | contradicted | undecided |"
    yield "|---|---|---|---:|---|---|---:|---:|---:|"
    for machine, s in rows:
        o = s["outcomes"]
        yield (f"| [{s['study']}](studies/{s['study']}-{slug(machine)}.md) | {machine} | {s['run']['started'][:16]}, "
               f"{s['run']['launch_seconds']:.0f} s | {s['run']['launches']} | {counts(s['tables'])} | {counts(s['figures'])} | "
               f"{o['reproduced']} | {o['contradicted']} | {o['undecided']} |")


def plain(words):
    return " ".join((words or "").replace("|", "\\|").split())


def ratio_of(row):
    low, high = row["interval"]
    allowed = f", {row['allowed']:.3g} x allowed for others" if row.get("allowed") else ""
    return f"{row['ratio']:.3g} [{low:.3g}, {high:.3g}], grade {row['grading']['grade']}{allowed}"


def evidence(questions, answer):
    """The ratio of the first row that speaks for the answer, with its interval, and how many rows there are."""
    rows = [r for q in questions for r in q["rows"] if r.get("ratio") is not None]
    telling = [r for r in rows if r["answer"] == answer] or rows
    if not telling:
        return ""
    return ratio_of(telling[0]) + (f", one of {len(rows)}" if len(rows) > 1 else "")


def why_of(claim):
    """Why a claim may be contradicted, and whether the run supports that."""
    support = claim.get("because_is")
    if not support:
        return plain(claim["because"])
    answer = {"supported": "holds", "not supported": "denied"}.get(support, "open")
    shown = evidence(claim["because_questions"], answer)
    return f"{plain(claim['because'])} *{support}*" + (f": {shown}" if shown else "")


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
        denied = c["outcome"] == "contradicted"
        yield (f"| {c['outcome']} | {c['section'] or ''} | {plain(c['says'])} | "
               f"{evidence(c['questions'], 'denied' if denied else 'holds')} | {why_of(c) if denied else ''} |")
    reasons = collections.Counter(reason(c["why"]) for c in study["claims"] if c["outcome"] == "undecided here")
    if reasons:
        yield ""
        yield "Undecided: " + "; ".join(f"{n} {word}" for word, n in reasons.most_common()) + "."


# Words of a reason, and what it is counted as.
REASONS = (("meter measures", "that need a meter of energy"), ("no point of", "without such a point here"), ("was not measured", "without such a point here"),
           ("cannot be measured here", "without such a point here"), ("fewer than three", "with fewer than three launches"),
           ("others took", "of grade C, by no more than others may have caused"), ("grade C", "of grade C"),
           ("scatter", "whose launches scatter too much"))


def reason(why):
    return next((word for words, word in REASONS if words in (why or "")), "for another reason")


def files_of(folder):
    if os.path.isfile(folder):
        return [folder]
    return [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if re.search(r"\.db(\.gz|\.xz)?$", f)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--archmeter", default="build/archmeter")
    parser.add_argument("--to", default="doc/results")
    parser.add_argument("runs", nargs="+", metavar="MACHINE=FOLDER")
    words = parser.parse_args()
    archmeter, pages = os.path.abspath(words.archmeter), os.path.join(words.to, "studies")
    os.makedirs(pages, exist_ok=True)
    rows = []
    for given in words.runs:
        machine, found, folder = given.partition("=")
        if not found:
            parser.error(f"{given}: MACHINE=FOLDER is wanted")
        rows += [(machine, publish(archmeter, machine, path, pages)) for path in files_of(folder)]
    rows.sort(key=lambda row: row[1]["study"])
    lines = list(summary(rows))
    for machine, study in rows:
        lines += decided(machine, study)
    path = os.path.join(words.to, "studies.md")
    with open(path, encoding="utf-8") as file:
        head = file.read().partition(MARK)[0].rstrip()
    write(path, head + f"\n\n{MARK}\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
