# SPDX-License-Identifier: MIT
"""The report from the command line, its pictures as XML, and the page in a real browser."""
import base64
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
import zlib

import browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from e2e import Bench, Tap  # noqa: E402

# width, height, dark, the smallest text that counts as legible (CSS pixels)
VIEWS = [(1280, 900, False, 11), (1280, 900, True, 11), (390, 844, False, 8.5), (390, 844, True, 8.5)]

# What a person would see: sizes of text, texts that lie on each other, figures without content.
PROBE = r"""
(function () {
  function shown(el) { return el.getClientRects().length > 0; }
  function luminance(color) {
    var c = color.match(/[\d.]+/g).slice(0, 3).map(function (v) {
      v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
  }
  function contrast(a, b) {
    var x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  }
  var paper = getComputedStyle(document.body).backgroundColor;
  var out = {wide: document.documentElement.scrollWidth - innerWidth, least: 1e9, where: "",
             contrast: 1e9, overlaps: [], figures: [], empty: []};
  document.querySelectorAll("figure[id^=fig-]").forEach(function (figure) {
    var id = figure.id.slice(4);
    var filled = figure.querySelector("svg [data-y], svg rect, svg path, tbody tr");
    out.figures.push(id);
    if (!filled || !shown(filled)) out.empty.push(id);
    if (figure.classList.contains("wide")) return;
    figure.querySelectorAll("svg").forEach(function (svg) {
      var scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, boxes = [];
      svg.querySelectorAll("text").forEach(function (text) {
        if (!shown(text)) return;
        var style = getComputedStyle(text), size = parseFloat(text.getAttribute("font-size")) * scale;
        if (size < out.least) { out.least = size; out.where = id + ": " + text.textContent; }
        if (text.getAttribute("fill") === "currentColor")
          out.contrast = Math.min(out.contrast, contrast(style.color, paper));
        if (text.hasAttribute("transform")) return;
        boxes.push([text.getBoundingClientRect(), text.textContent]);
      });
      boxes.forEach(function (a, i) {
        boxes.slice(0, i).forEach(function (b) {
          var w = Math.min(a[0].right, b[0].right) - Math.max(a[0].left, b[0].left);
          var h = Math.min(a[0].bottom, b[0].bottom) - Math.max(a[0].top, b[0].top);
          if (w > 1 && h > a[0].height / 3) out.overlaps.push(id + ": " + a[1] + " / " + b[1]);
        });
      });
    });
  });
  return out;
})()
"""

# What no page may have, each as "figure: what". Figures that say nothing; labels that are cut, or that
# are the same for two things; points above every ceiling without a remark; what is wider than its place.
FAULTS = r"""
(function () {
  var out = [];
  function each(root, selector, fn) { Array.prototype.forEach.call(root.querySelectorAll(selector), fn); }
  function shown(el) { return el.getClientRects().length > 0; }
  function places(g) {
    var at = {};
    each(g, "circle[data-x]", function (c) { at[c.getAttribute("data-x")] = 1; });
    return Object.keys(at).length;
  }
  function says(figure) {
    var bars = 0, curve = 0, cells = 0;
    each(figure, "svg", function (svg) {
      bars = Math.max(bars, svg.querySelectorAll("[data-series] rect[data-y]").length);
      cells = Math.max(cells, svg.querySelectorAll("rect[data-y]").length);
      each(svg, "[data-series]", function (g) { curve = Math.max(curve, places(g)); });
    });
    return curve >= 3 || bars >= 2 || (bars === 0 && cells >= 3) || figure.id === "fig-roofline" ||
           figure.id === "fig-machine" || figure.classList.contains("wide") || !!figure.querySelector("tbody tr");
  }
  function cut(figure) {
    each(figure, "svg", function (svg) {
      var frame = svg.getBoundingClientRect();
      each(svg, "text", function (text) {
        var box = text.getBoundingClientRect();
        if (shown(text) && (box.left < frame.left - 2 || box.right > frame.right + 2))
          out.push(figure.id + ": cut: " + text.textContent);
      });
    });
    each(figure, "figcaption *, .effect span", function (el) {
      if (el.scrollWidth > el.clientWidth + 1 && getComputedStyle(el).display !== "inline")
        out.push(figure.id + ": cut: " + el.textContent.slice(0, 60));
    });
  }
  function alike(figure) { /* lines of two things in one picture that nobody can tell apart */
    each(figure, "svg", function (svg) {
      var seen = {};
      each(svg, "g[data-series]", function (g) {
        var path = g.querySelector("path[fill=none][stroke]"), name = g.getAttribute("data-series"), look;
        if (!path) return;
        look = getComputedStyle(path).color + " " + path.getAttribute("stroke-dasharray");
        if (seen[look] && seen[look] !== name) out.push(figure.id + ": look alike: " + seen[look] + " / " + name);
        seen[look] = name;
      });
    });
  }
  function beyond(figure) { /* a text that begins in a box ends in it: the smallest one around its beginning */
    var boxes = [];
    each(figure, "svg rect", function (rect) { boxes.push(rect.getBoundingClientRect()); });
    boxes.sort(function (a, b) { return a.width * a.height - b.width * b.height; });
    each(figure, "svg text", function (text) {
      var at = text.getBoundingClientRect(), middle = (at.top + at.bottom) / 2;
      var box = boxes.find(function (b) {
        return b.left <= at.left + 1 && at.left < b.right && b.top <= middle && middle <= b.bottom; });
      if (box && (at.right > box.right || at.bottom > box.bottom + 1))
        out.push(figure.id + ": beyond its box: " + text.textContent);
    });
  }
  function broken(td, node) { /* a word that stands in two lines and has no place to be parted at */
    if (node.nodeType !== 3) { Array.prototype.forEach.call(node.childNodes, function (c) { broken(td, c); }); return; }
    var word = /[A-Za-z_.]{2,30}/g, found, range = document.createRange();
    while ((found = word.exec(node.data)) && shown(td)) {
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      var boxes = range.getClientRects();
      if (boxes.length > 1 && boxes[boxes.length - 1].top > boxes[0].top + 2) {
        out.push("a word is broken in a table: " + found[0] + " of " + td.textContent.slice(0, 60));
        return;
      }
    }
  }
  function twins(figure) {
    var seen = {};
    each(figure, ".legend li, .effect > span:first-child", function (el) {
      if (seen[el.textContent]) out.push((figure.id || "comparison") + ": two are called " + el.textContent);
      seen[el.textContent] = 1;
    });
  }
  function above(figure) {
    var rings = figure.querySelectorAll("[data-odd]").length, note = figure.querySelector(".note");
    each(figure, "svg", function (svg) {
      var roof = 1e9;
      each(svg, "[data-series] path[stroke]", function (path) {
        roof = Math.min(roof, path.getBoundingClientRect().top); });
      each(svg, "circle[data-y]:not([data-odd])", function (c) {
        var box = c.getBoundingClientRect();
        if ((box.top + box.bottom) / 2 < roof - 2) out.push(figure.id + ": above its ceiling: " + c.textContent);
      });
    });
    if (rings && !(note && / above /.test(note.textContent))) out.push(figure.id + ": rings without a remark");
  }
  each(document, "figure", function (figure) {
    if (figure.id && !says(figure)) out.push(figure.id + ": says nothing");
    cut(figure);
    twins(figure);
    alike(figure);
    if (figure.id === "fig-roofline") above(figure);
    if (figure.id === "fig-machine") beyond(figure);
  });
  each(document, "td", function (td) { broken(td, td); });
  each(document, "main > *, main > div > *", function (el) {
    if (shown(el) && el.getBoundingClientRect().right > document.documentElement.clientWidth + 1 &&
        getComputedStyle(el.parentNode).overflowX === "visible")
      out.push("wider than the page: " + el.nodeName + " " + el.textContent.slice(0, 60));
  });
  return out;
})()
"""

# Faults planted into a page that has none: each must be found, by these words.
PLANTED = {
    "says nothing": r"""
        document.querySelectorAll("#fig-latency circle[data-x]").forEach(function (c, i) { if (i) c.remove(); });""",
    "cut": r"""
        document.querySelector("#fig-latency svg text").setAttribute("x", "-60");""",
    "look alike": r"""
        document.querySelectorAll("#fig-roofline [data-series] path[stroke]").forEach(function (p) {
          p.style.color = "black"; p.setAttribute("stroke-dasharray", "5 3"); });""",
    "beyond its box": r"""
        document.querySelector("#fig-machine svg text").textContent += ", and more words than any box of it has room for";""",
    "above its ceiling": r"""
        document.querySelector("#fig-roofline circle[data-y]").setAttribute("cy", "-40");""",
    "rings without a remark": r"""
        document.querySelector("#fig-roofline circle[data-y]").setAttribute("data-odd", "1");
        document.querySelectorAll("#fig-roofline .note").forEach(function (n) { n.remove(); });""",
    "two are called": r"""
        document.querySelectorAll(".legend").forEach(function (l) { l.appendChild(l.firstChild.cloneNode(true)); });""",
    "wider than the page": r"""
        document.querySelector("main").insertAdjacentHTML("afterbegin", "<p style='width:3000px;max-width:none'>x</p>");""",
}

# A4 without margins, in CSS pixels.
PAPER_WIDTH, PAPER_HEIGHT = 703, 1017

# What the script adds; each answers with true.
ACTIONS = {
    "the other scale moves the marks and its ticks": r"""
        (function () {
          var f = document.getElementById("fig-latency"), c = f.querySelector("circle");
          var before = c.getAttribute("cy"), shown = f.querySelector(".am-y").getAttribute("display");
          f.querySelector("button").click();
          return c.getAttribute("cy") !== before &&
                 f.querySelector(".am-y").getAttribute("display") === "none" && shown === null;
        })()""",
    "a name hides its series": r"""
        (function () {
          var f = document.getElementById("fig-latency"), n = f.querySelector("[data-name]");
          n.dispatchEvent(new MouseEvent("click", {bubbles: true}));
          return Array.from(f.querySelectorAll("[data-series]")).some(function (g) {
            return g.getAttribute("data-series") === n.getAttribute("data-name") &&
                   g.getAttribute("display") === "none"; });
        })()""",
    "a mark shows its tooltip": r"""
        (function () {
          var c = document.querySelector("#fig-latency circle"), r = c.getBoundingClientRect();
          c.dispatchEvent(new PointerEvent("pointermove",
            {bubbles: true, clientX: r.x, clientY: r.y}));
          var tip = document.getElementById("tip");
          return !tip.hidden && /ns/.test(tip.textContent);
        })()""",
    "keys do what clicks do: names and headings take the focus, Enter acts": r"""
        (function () {
          function press(el) {
            el.focus();
            el.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
            return document.activeElement === el;
          }
          var name = document.querySelector("#fig-latency [data-name]"), off = name.classList.contains("off");
          document.querySelectorAll("details").forEach(function (d) { d.open = true; });
          var th = document.querySelector("table.sortable th");
          return press(name) && name.classList.contains("off") !== off && press(th) &&
                 th.hasAttribute("aria-sort");
        })()""",
    "a heading sorts its table": r"""
        (function () {
          document.querySelectorAll("details").forEach(function (d) { d.open = true; });
          var t = Array.from(document.querySelectorAll("table.sortable")).filter(function (t) {
            return t.tBodies[0].rows.length > 4 && t.querySelector("th.n"); })[0];
          var th = t.querySelector("th.n"), i = th.cellIndex;
          th.click(); th.click();
          var v = Array.from(t.tBodies[0].rows).map(function (r) {
            return parseFloat(r.cells[i].getAttribute("data-v")); });
          return v.every(function (x, k) { return k === 0 || v[k - 1] >= x; });
        })()""",
}


def check_files(tap, bench, make_run):
    for name, factor in (("a.db", "1"), ("b.db", "1.2")):
        subprocess.run([make_run, bench.path(name), "small", factor], check=True)
    out = bench.run("report", "a.db", "b.db")
    tap.ok(out.returncode == 0 and out.stdout == "a.html\n", "the page lies beside its run",
           out.stdout + out.stderr)
    tap.ok(os.path.getsize(bench.path("a.html")) < 1_000_000, "and is below a megabyte")
    first = pathlib.Path(bench.path("a.html")).read_bytes()
    out = bench.run("report", "a.db", "b.db", "-o", "again.html")
    again = pathlib.Path(bench.path("again.html")).read_bytes()
    tap.ok(first.replace(b"a.db b.db", b"") == again.replace(b"a.db b.db -o again.html", b""),
           "made again it is the same but for the command", out.stderr)


def check_pictures(tap, bench):
    listed = [line.split()[0] for line in bench.run("export", "a.db", "--svg", "list").stdout.splitlines()]
    tap.ok({"latency", "pingpong"} <= set(listed), "figures are listed", listed)
    for name in listed:
        out = bench.run("export", "a.db", "--svg", name)
        try:
            root = xml.fromstring(out.stdout)
            well = root.tag.endswith("svg") and root.get("viewBox")
        except xml.ParseError as error:
            well, out.stderr = False, f"{error}\n{out.stderr}"
        tap.ok(well, f"{name} is well-formed XML", out.stderr)
    page = pathlib.Path(bench.path("a.html")).read_text(encoding="utf-8")
    bad = []
    for svg in re.findall(r"<svg .*?</svg>", page, re.S):
        try:
            xml.fromstring(svg)
        except xml.ParseError as error:
            bad.append(f"{error}: {svg[:80]}")
    tap.ok(not bad, "so is every picture in the page", "\n".join(bad))
    out = bench.run("export", "a.db", "--svg", "latncy", "-o", "x.svg")
    tap.ok(out.returncode == 2 and '"latency"' in out.stderr and not os.path.exists(bench.path("x.svg")),
           "an unknown figure names the nearest one and writes nothing", out.stderr)
    return listed


def check_bad_runs(tap, bench):
    connection = sqlite3.connect(bench.path("b.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    data = bytearray(pathlib.Path(bench.path("a.db")).read_bytes())
    data[4096:8192] = os.urandom(4096)
    pathlib.Path(bench.path("corrupt.db")).write_bytes(data)
    pathlib.Path(bench.path("text.db")).write_text("no database\n")
    for name, codes, word in (("b.db", {2}, "schema"), ("corrupt.db", {2, 3}, "corrupt.db"),
                              ("text.db", {2}, "text.db"), ("absent.db", {2}, "absent.db")):
        out = bench.run("report", name, "-o", "bad.html")
        tap.ok(out.returncode in codes and word in out.stderr and not os.path.exists(bench.path("bad.html")),
               f"{name} is refused with a message, and no page is left", f"{out.returncode} {out.stderr}")


def check_browser(tap, bench, program, listed):
    url = "file://" + bench.path("a.html")
    page = browser.Browser(program)
    try:
        for width, height, dark, least in VIEWS:
            view = f"{width} px, {'dark' if dark else 'light'}"
            troubles, requests = page.show(url, width, height, dark)
            seen = page.run(PROBE)
            tap.ok(not troubles, f"{view}: no error on the console", "\n".join(troubles))
            tap.ok(requests == [url], f"{view}: no request leaves the page", requests)
            tap.ok(set(listed) <= set(seen["figures"]) and not seen["empty"],
                   f"{view}: every figure is there", f"{seen['figures']} empty {seen['empty']}")
            tap.ok(seen["least"] >= least, f"{view}: the smallest text has {seen['least']:.1f} px",
                   seen["where"])
            tap.ok(seen["contrast"] >= 2.7, f"{view}: text stands out ({seen['contrast']:.1f})")
            tap.ok(not seen["overlaps"], f"{view}: no text lies on another", "\n".join(seen["overlaps"]))
            tap.ok(seen["wide"] <= 0, f"{view}: the page does not scroll sideways", seen["wide"])
        for sentence, action in ACTIONS.items():
            tap.ok(page.run(action) is True, sentence)
        tap.ok(not page.troubles(), "still no error on the console", "\n".join(page.troubles()))
    finally:
        page.close()


# The right edge of the first table that fits, and of the first that does not: inside, half way down.
EDGES = r"""
(function () {
  var out = {};
  document.querySelectorAll(".scroll").forEach(function (el) {
    var box = el.getBoundingClientRect(), more = el.scrollWidth > el.clientWidth + 20 ? "more" : "whole";
    if (box.height && !(more in out)) out[more] = [box.right - 2, box.bottom + scrollY - 3];
  });
  return out;
})()
"""


def pixel(page, x, y):
    """Red, green and blue of one pixel: a PNG of one is a filter byte and these."""
    data = base64.b64decode(page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                                      clip={"x": x, "y": y, "width": 1, "height": 1, "scale": 1})["data"])
    at, packed = 8, b""
    while at < len(data):
        length = int.from_bytes(data[at:at + 4], "big")
        packed += data[at + 8:at + 8 + length] if data[at + 4:at + 8] == b"IDAT" else b""
        at += 12 + length
    return tuple(zlib.decompress(packed)[1:4])


def check_edges(tap, page, url):
    """On a phone a shadow says that a table goes on to the right, and only there."""
    page.show(url, 390, 844, False)
    edges = page.run(EDGES)
    paper = pixel(page, 1, 1)
    tap.ok("whole" in edges and pixel(page, *edges["whole"]) == paper, "a table that fits has no shadow", edges)
    tap.ok("more" in edges and pixel(page, *edges["more"]) != paper, "one that goes on has", edges)


def check_faults(tap, page, url, what):
    """No view of the page has a fault, printed neither."""
    for width, height, media in ((1280, 900, "screen"), (390, 844, "screen"), (PAPER_WIDTH, PAPER_HEIGHT, "print")):
        page.show(url, width, height, False, media)
        faults = page.run(FAULTS)
        tap.ok(not faults, f"{what}, {width} px, {media}: every figure says something, nothing is cut or above its "
               "ceiling unremarked", "\n".join(faults[:20]))
        if media == "print":
            tall = page.run("document.documentElement.scrollHeight")
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf()))
    tap.ok(1 <= pages <= 1.35 * tall / PAPER_HEIGHT + 1,
           f"{what}: printed on {pages} pages, not half empty ones", f"{tall} px, {tall / PAPER_HEIGHT:.1f} pages of content")


def check_history(tap, bench, make_run, program):
    """Sixteen runs, the last six slower: found, dated, on a page that links what there is."""
    os.mkdir(bench.path("past"))
    for i in range(16):
        factor = (1 if i < 10 else 1.2) * (1 + 0.001 * (i * 7 % 5))
        path = bench.path(f"past/r{i:02}.db")
        subprocess.run([make_run, path, "small", f"{factor:.4f}"], check=True)
        connection = sqlite3.connect(path)
        connection.execute("UPDATE run SET started = ?", (f"2026-10-{i + 1:02}T12:00:00Z",))
        connection.execute("UPDATE machine SET value = '99' WHERE key = 'cores'" if i >= 5 else "SELECT 1")
        connection.commit()
        connection.close()
    point = ("--point", "mem.latency size=4K pattern=random")
    out = bench.run("history", "past", "--format", "json", *point)
    data = json.loads(out.stdout) if out.returncode == 0 else {"lines": [], "runs": []}
    lines = [line for line in data["lines"] if line["name"].startswith("mem.latency")]
    dates = [change["date"][:10] for line in lines for change in line["changes"]]
    tap.ok(len(lines) == 1 and dates == ["2026-10-11"], "the change is found and dated", out.stdout[-800:] + out.stderr)
    marked = [i for i, run in enumerate(data["runs"]) if run["machine_changed"]]
    tap.ok(marked == [5], "where the machine changed is marked", marked)
    bench.run("report", "past/r00.db")
    out = bench.run("history", "past", "-o", "past/index.html", *point)
    page = pathlib.Path(bench.path("past/index.html")).read_text(encoding="utf-8")
    tap.ok(out.returncode == 0 and "E-divisive" in page and page.count("r00.html") == 1 and "r01.html" not in page,
           "the page names its method and links the page that is there", out.stderr)
    for words, args in (("two at least", ("history", "a.db")), ("no such", ("history", "nowhere")),
                        ("size=7", ("history", "past", "--point", "mem.latency size=7"))):
        out = bench.run(*args)
        tap.ok(out.returncode == 2 and words in out.stderr, f"refused: {' '.join(args)[:40]}", out.stderr)
    if program:
        browser_page = browser.Browser(program)
        try:
            check_faults(tap, browser_page, "file://" + bench.path("past/index.html"), "history")
        finally:
            browser_page.close()


def check_planted(tap, page, url):
    for words, script in PLANTED.items():
        page.show(url, 1280, 900, False)
        page.run("(function () {" + script + "return 0;})()")
        faults = page.run(FAULTS)
        tap.ok(any(words in fault for fault in faults), f"planted: {words}", "\n".join(faults[:5]))


def check_machine(tap, bench, program, machine):
    """A page with devices, a roofline with points and hundreds of results: a simulated machine's."""
    out = bench.run("--machine", machine, "run", "--quick", "-o", "m.db", env=bench.real_env)
    out = bench.run("report", "m.db")
    tap.ok(out.returncode == 0, "a page of a simulated machine", out.stderr)
    text = pathlib.Path(bench.path("m.html")).read_text(encoding="utf-8")
    order = [text.find(f'<h2 id="{word}">') for word in
             ("the-machine", "roofline", "memory", "cores", "between-cores", "openmp", "devices", "finite-differences")]
    tap.ok(-1 not in order and order == sorted(order), "the machine first, what runs on it last", order)
    tap.ok(re.search(r"<p class=\"(good|warn)\"><strong>[^<]*(quiet|busy|launches)", text[:order[0]]),
           "how quiet it was stands at the top", text[text.find("<main>"):][:600])
    cards = re.findall(r'<div class="card"><b>([^<]*)</b><small>([^<]*)</small><small>([^<]*)</small>', text)
    exact = "finite differences, of their bound"  # the simulator computes that share without noise
    sizes = [card for card in cards if re.fullmatch(r"[\d.]+( [KM]iB)?-[\d.]+ [KMG]iB", card[0])]
    bare = [card for card in cards if "±" not in card[2] and card[1] != exact and card not in sizes]
    tap.ok(len(cards) > 15 and not bare, "every card has its interval", bare or len(cards))
    tap.ok(sizes and all("cache found" in card[1] and "±" not in card[2] for card in sizes),
           "a size between two that were tried is these two", sizes)
    diagram = text[text.find('id="fig-machine"'):order[1]]
    missing = [word for word in ("L1", "L2", "L3", "memory", "latency", "read", "h100", "link") if word not in diagram]
    tap.ok(not missing, "the drawing has every level, devices and links", missing)
    page = browser.Browser(program)
    try:
        url = "file://" + bench.path("m.html")
        check_faults(tap, page, url, "simulated machine")
        check_planted(tap, page, url)
        check_edges(tap, page, url)
        check_faults(tap, page, "file://" + bench.path("a.html"), "two runs")
    finally:
        page.close()


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], ".")
    make_run = os.path.abspath(sys.argv[2])
    check_files(tap, bench, make_run)
    listed = check_pictures(tap, bench)
    program = browser.find()
    if program:
        begun = time.monotonic()
        check_browser(tap, bench, program, listed)
        check_machine(tap, bench, program, os.path.abspath(sys.argv[3]))
        print(f"# browser: {time.monotonic() - begun:.1f} s")
    else:
        tap.skip("the page in a browser", "no Chromium here")
    check_history(tap, bench, make_run, program)
    check_bad_runs(tap, bench)
    tap.done()


main()
