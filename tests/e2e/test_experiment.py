# SPDX-License-Identifier: MIT
"""Experiments and tables: an external program over two axes, killed and resumed; the thesis's listings;
tables against direct SQL; nothing reaches a shell unasked. Arguments: archmeter, its build folder."""
import csv
import os
import shutil
import signal
import sys
import time

from e2e import Bench, Tap

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
POINTS, REPS = 6, 10
BAD = 1e-12  # relative: texts are exact, this is for the reader's arithmetic


def write(bench, name, text, mode=0o644):
    path = bench.path(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def complete(bench, db, points, reps):
    visits = bench.query(db, "SELECT point, round, count(*) FROM visit WHERE state = 'ok' GROUP BY 1, 2")
    return len(visits) == points * reps and all(n == 1 for _, _, n in visits)


def launches(bench):
    return set(bench.query("sum.db", "SELECT v.point, v.round, l.started_ns FROM launch l "
                                     "JOIN visit v ON v.launch = l.id"))


def example(tap, bench):
    """The program of examples/, killed in the middle, from a folder that is gone at the resume."""
    for name in ("sum.c", "sum.exp", "sum.tab"):
        shutil.copy(os.path.join(EXAMPLES, name), bench.path(name))
    dry = bench.run("experiment", "sum.exp", "--dry-run")
    tap.ok(dry.returncode == 0 and "60" in dry.stdout and not os.path.exists(bench.path("sum")),
           "a dry run shows 60 launches and builds nothing", dry.stdout + dry.stderr)
    child = bench.start("experiment", "sum.exp", "-o", "sum.db")
    for _ in range(600):
        time.sleep(0.05)
        if os.path.exists(bench.path("sum.db")) and bench.run("show", "sum.db").returncode == 0:
            if bench.query("sum.db", "SELECT count(*) FROM launch")[0][0] >= 7:
                break
    child.send_signal(signal.SIGKILL)
    child.communicate()
    before = launches(bench)
    os.remove(bench.path("sum.exp"))
    resumed = bench.run("resume", "sum.db")
    after = launches(bench)
    tap.ok(resumed.returncode == 0 and before <= after and complete(bench, "sum.db", POINTS, REPS),
           f"killed with {len(before)} launches, resume completes 60 without the file",
           resumed.stderr)


def close(a, b):
    return abs(float(a) - float(b)) <= BAD * abs(float(b))


def tables(tap, bench):
    made = bench.run("table", "sum.tab")
    tap.ok(made.returncode == 0, "the example's tables are written", made.stderr)
    direct = bench.query("sum.db", """
        SELECT (SELECT value FROM params WHERE point_id = s.point_id AND axis = 'elements') AS e,
               (SELECT value FROM params WHERE point_id = s.point_id AND axis = 'stride') AS t,
               s.round, s.value,
               (SELECT value FROM samples i WHERE i.launch = s.launch AND i.metric = 'iterations'),
               s.labels <> 0 OR (SELECT labels <> 0 FROM surroundings x WHERE x.launch = s.launch)
        FROM samples s WHERE s.metric = 'rt' ORDER BY e, t, s.round""")
    with open(bench.path("sum.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    tap.ok(rows[0] == ["elements", "stride", "round", "rt", "iterations"], "CSV names its columns",
           rows[0])
    tap.ok(len(rows) - 1 == len(direct) == POINTS * REPS and all(
        float(cell) == float(want) for row, line in zip(rows[1:], direct)
        for cell, want in zip(row, line)), "and holds what direct SQL gives, to the last digit",
        (rows[1:3], direct[:2]))
    wanted = statistics(direct)
    with open(bench.path("sum.tex"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    tap.ok(len(lines) == POINTS and all(line.endswith("\\\\") for line in lines),
           "LaTeX has a row a point, ended as asked", lines)
    cells = [line[:-2].split("&") for line in lines]
    tap.ok(all(close(c, w) for row, want in zip(cells, wanted) for c, w in zip(row, want)),
           "and median and weighted deviation as computed from direct SQL", (cells, wanted))
    with open(bench.path("sum.dat"), encoding="utf-8") as file:
        data = file.read().splitlines()
    tap.ok(data[0].startswith("# ") and all(len(line.split()) == 3 for line in data[1:]),
           "direction right puts queries side by side", data)
    with open(bench.path("sum.md"), encoding="utf-8") as file:
        tap.ok(file.read().splitlines()[1].count("---") == 6, "Markdown has its rule")


def statistics(direct):
    """elements, stride, median of rt (of undisturbed launches where there are five), weighted deviation (section 5.5)."""
    groups, quiet = {}, {}
    for e, t, _, value, weight, disturbed in direct:
        groups.setdefault((e, t), []).append((value, weight))
        quiet.setdefault((e, t), []).extend([] if disturbed else [value])
    out = []
    for (e, t), rows in sorted(groups.items()):
        used = quiet[e, t] if len(quiet[e, t]) >= 5 else [v for v, _ in rows]
        values, k, n = sorted(used), len(rows), len(used)
        median = (values[(n - 1) // 2] + values[n // 2]) / 2
        total = sum(w for _, w in rows)
        mean = sum(w * v for v, w in rows) / total
        spread = k / (total * (k - 1)) * sum(w * (v - mean) ** 2 for v, w in rows)
        out.append((e, t, median, spread ** 0.5))
    return out


LISTING_G1 = """include include/ompss_flags.inc

test bsop_debug
path ./bsop
exec bsop.x

reps 10

env NX_SCHEDULE=wf

# Performance testing, with different sizes
testset perf_novec
cpufreq 3400
vectorize none
nthreads 8
width 1024
run
width 2048
run
"""

LISTING_G2 = """set db results.db

file data/performance.tex
separator &
newline \\\\
query select N, rt from results where test_name='mybenchmark' and testset='
   my_new_scheduling_alg'
"""


def listings(tap, bench):
    write(bench, "g1/include/ompss_flags.inc", "# flags\nmakeflags CC=cc\n")
    write(bench, "g1/bsop/bsop.x", "#!/bin/sh\necho \"$NX_SCHEDULE $*\" >> calls\n", 0o755)
    write(bench, "g1/bsop/Makefile", "all:\n\techo $(CC) >> built\n")
    write(bench, "g1/set_cpufreq", "#!/bin/sh\necho $1 >> frequencies\n", 0o755)
    write(bench, "g1/g1.exp", LISTING_G1)
    ran = bench.run("experiment", "g1/g1.exp", "-o", "g1.db")
    tap.ok(ran.returncode == 0 and complete(bench, "g1.db", 2, 10), "listing G.1 runs as printed",
           ran.stderr)
    with open(bench.path("g1/bsop/calls"), encoding="utf-8") as file:
        calls = file.read().splitlines()
    tap.ok(len(calls) == 20 and calls.count("wf --vectorize none --nthreads 8 --width 1024") == 10,
           "twenty executions with its variables and environment", calls)
    with open(bench.path("g1/bsop/built"), encoding="utf-8") as file:
        tap.ok(file.read() == "cc\n", "made once, with its flags")
    with open(bench.path("g1/frequencies"), encoding="utf-8") as file:
        tap.ok(set(file.read().split()) == {"3400000"}, "set_cpufreq gets kHz")
    write(bench, "g2.exp", "test mybenchmark\ntestset my_new_scheduling_alg\nexec sh\nreps 2\n"
                           "arg -c 'echo rt=0.{N}'\naxis N 10,20\nresult rt s lower rt=(.*)\nrun\n")
    bench.run("experiment", "g2.exp", "-o", "results.db")
    write(bench, "data/.keep", "")
    write(bench, "g2.tab", LISTING_G2)
    made = bench.run("table", "g2.tab")
    with open(bench.path("data/performance.tex"), encoding="utf-8") as file:
        lines = sorted(file.read().splitlines())
    tap.ok(made.returncode == 0 and lines == ["10&0.1\\\\"] * 2 + ["20&0.2\\\\"] * 2,
           "listing G.2 works as printed", (lines, made.stderr))


def order(tap, bench):
    """-ib: launches of a point in a row."""
    write(bench, "o.exp", "test o\nexec true\narg {n}\naxis n 1:3\nreps 4\nrun\n")
    for ib, longest in (("1", 1), ("2", 2), ("0", 4)):
        ran = bench.run("experiment", "o.exp", "-o", f"o{ib}.db", "-ib", ib)
        points = [p for p, in bench.query(f"o{ib}.db", "SELECT point FROM visit ORDER BY launch")]
        runs = [points[i:i + longest] for i in range(0, len(points), longest)]
        tap.ok(ran.returncode == 0 and len(points) == 12 and all(len(set(r)) == 1 for r in runs)
               and complete(bench, f"o{ib}.db", 3, 4),
               f"-ib {ib} gives {longest} launches in a row", (points, ran.stderr))


def shells(tap, bench):
    """Nothing is run that should not be."""
    write(bench, "s.exp", "test s\nexec echo\narg {v}\nv $(touch pwned); touch pwned | touch pwned\n"
                          "argv `touch pwned`\nreps 1\nrun\n")
    ran = bench.run("experiment", "s.exp", "-o", "s.db")
    tap.ok(ran.returncode == 0 and not os.path.exists(bench.path("pwned")),
           "a value full of shell is an argument like any other", ran.stderr)
    write(bench, "y.exp", "test y\nshell yes\nexec echo a={v} | tr a b\nv 3\n"
                          "result b s lower b=([0-9]+)\nreps 1\nrun\n")
    ran = bench.run("experiment", "y.exp", "-o", "y.db")
    value = bench.query("y.db", "SELECT value FROM samples WHERE metric = 'b'")
    tap.ok(ran.returncode == 0 and value == [(3.0,)], "a shell is there for those who ask", ran.stderr)
    write(bench, "bad.exp", "build touch pwned\ntest b\nexec touch\narg pwned\nrun\nrnu\n")
    ran = bench.run("experiment", "bad.exp", "-o", "bad.db")
    tap.ok(ran.returncode == 2 and "bad.exp:6:" in ran.stderr
           and not os.path.exists(bench.path("pwned")) and not os.path.exists(bench.path("bad.db")),
           "a bad file runs nothing, and says where it is bad", ran.stderr)


def failures(tap, bench):
    write(bench, "f.exp", "test f\nexec sh\nreps 2\nresult r s lower r=([0-9]+)\n"
                          "arg -c 'echo r=1; exit {code}'\naxis code 0,3\nrun\n")
    ran = bench.run("experiment", "f.exp", "-o", "f.db")
    reasons = bench.query("f.db", "SELECT DISTINCT reason FROM failures")
    tap.ok(ran.returncode == 1 and reasons == [("sh ended with exit code 3: r=1",)],
           "an exit code is a stored failure", (ran.returncode, reasons, ran.stderr))
    write(bench, "n.exp", "test n\nexec echo\nreps 1\nresult r s lower r=([0-9]+)\nrun\n")
    ran = bench.run("experiment", "n.exp", "-o", "n.db")
    reasons = bench.query("n.db", "SELECT DISTINCT reason FROM failures")
    tap.ok(ran.returncode == 3 and "no line of the output" in str(reasons),
           "a result that is not printed is one too", (ran.returncode, reasons))
    write(bench, "l.exp", "test l\nexec sh\narg -c 'seq 1 300000; echo r=5'\nreps 1\n"
                          "result r s lower r=([0-9]+)\nrun\n")
    ran = bench.run("experiment", "l.exp", "-o", "l.db")
    reasons = bench.query("l.db", "SELECT DISTINCT reason FROM failures")
    tap.ok(ran.returncode == 3 and "the first 1024 KiB" in str(reasons),
           "what stands behind the first MiB is not found, and that is said", (ran.returncode, reasons))
    write(bench, "t.tab", "set db f.db\nfile -\nformat csv\nquery select 1 as a\nfile -\nformat csv\nquery select 2 as b\n")
    made = bench.run("table", "t.tab")
    tap.ok(made.returncode == 0 and made.stdout.split() == ["a", "1", "b", "2"],
           "several tables may go to the terminal", made.stdout + made.stderr)
    write(bench, "d.exp", "test d\nexec true\nn 1\nrun\nn 1\nrun\n")
    ran = bench.run("experiment", "d.exp", "-o", "d.db")
    tap.ok(ran.returncode == 2 and "d.exp:6:" in ran.stderr, "the same point twice is refused",
           ran.stderr)
    write(bench, "q.tab", "set db f.db\nfile q.csv\nquery select 1\nquery select rt from nowhere\n")
    made = bench.run("table", "q.tab")
    tap.ok(made.returncode == 2 and "q.tab:4:" in made.stderr and "nowhere" in made.stderr,
           "an error in SQL has its line", made.stderr)
    write(bench, "w.tab", "set db f.db\nfile w.csv\nquery delete from run\n")
    made = bench.run("table", "w.tab")
    tap.ok(made.returncode == 2 and "w.tab:3:" in made.stderr, "nothing but reading is possible",
           made.stderr)


def versions(tap, bench):
    """Two files whose tests have one name but other meanings do not compare; other builds do."""
    line = "test v\nexec echo\nreps 2\narg {0}\nbuild true {1}\nresult r s lower ([0-9]+)\nrun\n"
    for name, arg, build in (("a", "7", "x"), ("b", "7", "y"), ("c", "-n 7", "x")):
        write(bench, f"v{name}.exp", line.format(arg, build))
        bench.run("experiment", f"v{name}.exp", "-o", f"v{name}.db")
    same = bench.run("compare", "va.db", "vb.db")
    other = bench.run("compare", "va.db", "vc.db")
    tap.ok("versions differ" not in same.stdout + same.stderr and "1 compared" in same.stdout,
           "results of another build are compared", same.stdout + same.stderr)
    tap.ok("versions differ" in other.stdout + other.stderr,
           "those of another command line are not", other.stdout + other.stderr)


def own_bench(tap, bench):
    write(bench, "own.exp", "test null\naxis n 1,2\nreps 2\nrun\ntest p\nexec true\nrun\n")
    ran = bench.run("experiment", "own.exp", "-o", "own.db")
    names = bench.query("own.db", "SELECT DISTINCT bench FROM samples ORDER BY 1")
    tap.ok(ran.returncode == 0 and names == [("exec.p",), ("null",)],
           "benches of ours stand beside programs", (names, ran.stderr))
    write(bench, "sets.exp", "test null\nreps 1\ntestset one\naxis n 1,2\nrun\ntestset it's \"two\"\n"
                             "axis n 2,3\nrun\ntest p\ntestset three\nexec true\nrun\n")
    write(bench, "sets.tab", "set db sets.db\nfile sets.csv\nquery select test_name, testset, n, launches"
                             " from stats order by 1, 2, 3\nfile sets2.csv\nquery select n, count(*)"
                             " from results where testset='it''s \"two\"' and test_name='null' group by n\n")
    ran = bench.run("experiment", "sets.exp", "-o", "sets.db", "--samples", "2")
    made = bench.run("table", "sets.tab")
    with open(bench.path("sets.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    two = 'it\'s "two"'
    tap.ok(rows == [["null", two, "2", "1"], ["null", two, "3", "1"], ["null", "one", "1", "1"],
                    ["null", "one", "2", "1"], ["p", "three", "", "1"]],
           "our benches have their testsets too, a point in two of them both", (rows, ran.stderr, made.stderr))
    with open(bench.path("sets2.csv"), newline="", encoding="utf-8") as file:
        tap.ok([row[0] for row in list(csv.reader(file))[1:]] == ["2", "3"], "and are asked for by them")
    write(bench, "axis.exp", "test null\nnn 1\nrun\n")
    ran = bench.run("experiment", "axis.exp", "-o", "axis.db")
    tap.ok(ran.returncode == 2 and "axis.exp:2:" in ran.stderr, "an axis it has not is refused",
           ran.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    bench.env = bench.real_env
    if shutil.which("cc"):
        example(tap, bench)
        tables(tap, bench)
    else:
        tap.skip("the example's campaign and its tables", "no cc here")
    listings(tap, bench)
    order(tap, bench)
    shells(tap, bench)
    failures(tap, bench)
    versions(tap, bench)
    own_bench(tap, bench)
    tap.done()


main()
