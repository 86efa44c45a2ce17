# SPDX-License-Identifier: MIT
"""Runs by name (latest, latest~1, tags), explain, and what a terminal gets: widths, graphics, colour."""
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios

from e2e import Bench, Tap


def run(bench, db, tag, scale=1.0):
    """A run of the fake bench; its start is moved, since runs of one second have no order."""
    env = dict(bench.env, FAKE_SCALE=str(scale))
    got = bench.run("run", "fake.work", "-p", "n=1:4", "-p", "pause=1", "--quick", "--launches", "6",
                    "--tag", tag, "-q", "-o", db, env=env)
    assert got.returncode == 0, got.stderr


def set_start(bench, db, started):
    import sqlite3

    connection = sqlite3.connect(bench.path(db))
    connection.execute("UPDATE run SET started = ?", (started,))
    connection.commit()
    connection.close()


def shown(bench, word):
    out = bench.run("show", word, "--format", "json")
    return json.loads(out.stdout)["run"]["name"] if out.returncode == 0 else out.stderr


def names(tap, bench):
    for word, want in [("latest", "c.db"), ("latest~1", "b.db"), ("latest~2", "a.db"),
                       ("base", "b.db"), ("base~1", "a.db"), ("new", "c.db"),
                       ("./latest", "c.db"), (bench.dir + "/base~1", "a.db"), ("a.db", "a.db")]:
        got = shown(bench, word)
        tap.ok(got == want, f"{word} is {want}", got)
    for word, words in [("latest~3", ["latest~3", "3"]), ("bsae", ["bsae", "base"]),
                        ("base~2", ["base~2", "2"]), ("nothing/latest", ["nothing"])]:
        got = bench.run("show", word)
        tap.ok(got.returncode == 2 and all(w in got.stderr for w in words),
               f"{word}: exit code 2, names {', '.join(words)}", got.stderr)
    got = bench.run("compare", "base~1", "latest", "--format", "json")
    verdicts = {r["verdict"] for r in json.loads(got.stdout)["rows"]}
    tap.ok(verdicts == {"slower?"}, "compare takes names", verdicts)
    got = bench.run("check", "latest", "--against", "base")
    tap.ok(got.returncode == 4 and "c.db" in got.stdout and "b.db" in got.stdout,
           "check takes names, and says which files they are", got.stdout + got.stderr)
    got = bench.run("export", "latest", "--samples", "--format", "csv")
    tap.ok(got.returncode == 0 and len(got.stdout.splitlines()) > 100, "so does export", got.stderr)


def helps(tap, bench):
    """Commands that take the latest run where none is named have nothing to look up when help is asked for."""
    for command in ["show", "explain", "compare", "report", "export"]:
        got = bench.run(command, "--help")
        tap.ok(got.returncode == 0 and f"archmeter {command}" in got.stdout, f"{command} --help needs no run",
               f"{got.returncode} {got.stderr}")


def on_terminal(bench, columns, *args, **changes):
    """What the program writes to a terminal of so many columns."""
    env = dict(bench.env, TERM="xterm", **changes)
    env = {k: v for k, v in env.items() if v is not None}
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen([bench.archmeter, *args], cwd=bench.dir, env=env,
                             stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL)
    os.close(slave)
    out = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    child.wait()
    os.close(master)
    return out.decode("utf-8", errors="replace").replace("\r\n", "\n")


def terminal(tap, bench):
    for columns in (80, 120):
        for args in (["show", "a.db"], ["compare", "a.db", "c.db"], ["list"], ["model", "a.db"],
                     ["explain", "a.db"]):
            out = on_terminal(bench, columns, *args)
            widest = max((len(line) for line in out.splitlines()), default=0)
            tap.ok(out and widest <= columns, f"{' '.join(args)} fits {columns} columns", out)
    out = on_terminal(bench, 100, "show", "a.db")
    tap.ok("█" in out and "\033[" not in out, "bars on a terminal; NO_COLOR is respected", out)
    out = on_terminal(bench, 100, "show", "a.db", NO_COLOR=None)
    tap.ok("\033[1m" in out, "colour without it", out)
    out = on_terminal(bench, 100, "show", "a.db", "--ascii")
    tap.ok("#" in out and out.isascii(), "--ascii is plain", out)
    out = on_terminal(bench, 100, "show", "a.db", LC_ALL="C")
    tap.ok(out.isascii(), "so is another locale", out)
    out = on_terminal(bench, 100, "show", "a.db", "--graphs", "never")
    tap.ok("█" not in out, "--graphs never leaves the numbers", out)
    piped = bench.run("show", "a.db")
    tap.ok("█" not in piped.stdout, "a pipe gets the table alone", piped.stdout)
    piped = bench.run("show", "a.db", "--graphs", "always")
    tap.ok("█" in piped.stdout, "unless it asks for more", piped.stdout)


def explain(tap, bench):
    # A described machine: on one that is busy, ceilings may be of grade C, and nothing is explained.
    machine = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../machines/zen4-guest-2-silent.machine")
    got = bench.run("--machine", machine, "run", "cpu.flops", "mem.bandwidth", "-p", "kernel=read,copy", "-p",
                    "size=16K,4M", "-p", "threads=1", "-p", "nt=0", "--quick", "-q", "-o",
                    "real.db", env=bench.real_env)
    tap.ok(got.returncode in (0, 1), "ceilings are measured", got.stderr)
    got = bench.run("explain", "real.db", "--format", "json")
    points = json.loads(got.stdout)["points"]
    tap.ok(got.returncode == 0 and len(points) >= 4, "explain has a row a point", got.stderr)
    tap.ok(all(p["why_not"] is None and p["next"] and p["limit"] for p in points),
           "each has its limit and the next thing to try", got.stdout)
    tap.ok(all(0 < p["share"] and p["measured"] <= p["bound"] for p in points),
           "no point lies above its bound",
           [(p["point"], p["measured"], p["bound"]) for p in points if p["measured"] > p["bound"]])
    some = bench.run("explain", "real.db", "mem.*", "--format", "csv").stdout.splitlines()
    tap.ok(1 < len(some) and all(line.startswith(("bench,", "mem.")) for line in some),
           "a pattern chooses rows, not ceilings", some)
    got = bench.run("explain", "real.db", "mem.bandwdith")
    tap.ok(got.returncode == 2 and "mem.bandwidth" in got.stderr, "a wrong name is told",
           got.stderr)
    got = bench.run("explain", "a.db")
    tap.ok(got.returncode == 0 and "nothing" in got.stderr, "a run without rates says so",
           got.stderr)
    for fmt in ("table", "md", "tex"):
        got = bench.run("explain", "real.db", "--format", fmt)
        tap.ok(got.returncode == 0 and "arithmetic" in got.stdout and not got.stderr,
               f"explain --format {fmt}", got.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    run(bench, "a.db", "base")
    run(bench, "b.db", "base")
    run(bench, "c.db", "new", 1.3)
    for day, db in enumerate(("a.db", "b.db", "c.db"), start=1):
        set_start(bench, db, f"2024-01-0{day}T00:00:00Z")
    with open(bench.path("text.db"), "w", encoding="utf-8") as f:
        f.write("not a run\n")
    names(tap, bench)
    helps(tap, bench)
    terminal(tap, bench)
    explain(tap, bench)
    target = bench.run("run", "fake.work", "--target", "0", "-o", "t.db")
    tap.ok(target.returncode == 2 and "--target" in target.stderr,
           "a target that cannot be reached is refused", target.stderr)
    by_pattern = bench.run("show", "cpu.f*")
    named = bench.run("show", "latest", "cpu.f*")
    tap.ok(by_pattern.returncode == 0 and by_pattern.stdout == named.stdout and "cpu.flops" in named.stdout,
           "a pattern without a file is of the latest run", by_pattern.stderr)
    wrong = bench.run("show", "cpu.flosp")
    tap.ok(wrong.returncode == 2 and "cpu.flops" in wrong.stderr, "a wrong one names the nearest bench", wrong.stderr)
    wrong = bench.run("show", "nobase")
    tap.ok(wrong.returncode == 2 and "no run" in wrong.stderr, "a word without a dot is a run's name", wrong.stderr)
    before = set(os.listdir(bench.dir))
    dry, plan = bench.run("run", "fake.work", "--dry-run"), bench.run("plan", "fake.work")
    tap.ok(dry.returncode == 0 and dry.stdout == plan.stdout and set(os.listdir(bench.dir)) == before,
           "run --dry-run is plan, and leaves nothing", dry.stderr)
    listed = bench.run("list").stdout
    tap.ok("\nfake\n" in "\n" + listed and "quick: measured by a bare" in listed,
           "list groups by family and says what quick runs", listed)
    doctor = bench.run("doctor").stdout
    tap.ok("\nverdict: " in doctor, "doctor ends with a verdict", doctor)
    axes = bench.run("list", "--axes").stdout.split()
    tap.ok("n" in axes and "pause" in axes and len(axes) == len(set(axes)),
           "list --axes gives every axis once", axes)
    tap.done()


if __name__ == "__main__":
    main()
