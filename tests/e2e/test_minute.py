# SPDX-License-Identifier: MIT
"""The quick minute on machines of every size: what everybody asks is measured in time, plan says how long, and progress
leaves nothing behind. Time is that of simulated machines: however busy this one is, the result is the same.

Arguments: archmeter, the folder of the fake workers, which are not used."""
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

from e2e import Bench, Tap

MACHINES = {"zen4-guest-2": (), "xeon-guest-16-h200": ("nvidia-h200",), "gpu-host-8": ("h100",)}  # and its devices


def described(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "machines", name + ".machine")


def plan(bench, machine):
    done = bench.run("--machine", described(machine), "plan", "--quick", "--format", "json", env=bench.real_env)
    return json.loads(done.stdout)


def seconds(text):
    """What the run says of its length: "880 launches in 1 min 0 s"."""
    found = re.search(r"launches in (?:(\d+) min )?(?:([\d.]+) s)?", text)
    return 60 * int(found.group(1) or 0) + float(found.group(2) or 0)


def launches(result):
    """Of the first metric; 0 of a point that was left out."""
    return next((m["launches"] for m in result["metrics"].values()), 0)


def minute(tap, bench, machine):
    """The first run knows nothing of the machine, the second one what the first has learned."""
    for attempt in ("first", "second"):
        told = plan(bench, machine)
        timed, most_worth = told["timed_points"], sum(p["worth"] < 100 for p in told["points"])
        tap.ok(timed >= most_worth if attempt == "second" else timed == 0, f"{machine}, {attempt} run: plan says how many points it knows",
               (timed, most_worth))
        db = f"{machine}-{attempt}.db"
        done = bench.run("--machine", described(machine), "run", "--seed", "7", "-o", db, env=bench.real_env)
        took = seconds(done.stderr)
        tap.ok(done.returncode == 0 and took <= 60.5, f"{machine}, {attempt} run: within a minute", (took, done.stderr))
        wanted = {(p["bench"], json.dumps(p["point"])) for p in told["points"] if p["worth"] < 100}
        # by (bench, point): how many launches were measured, or refused for a reason of the machine's
        results = {(r["bench"], json.dumps(r["point"])): r for r in bench.results(db)}
        short = [(key, results[key]["state"]) for key in wanted if results[key]["state"] != "skip" and launches(results[key]) < 5]
        tap.ok(len(wanted) > 30 and not short, f"{machine}, {attempt} run: every line of the first screen has 5 launches", short)
        screen = [line for line in done.stdout.splitlines() if line.strip()]
        tap.ok(len(screen) <= 20 and all(len(line) <= 80 for line in screen), f"{machine}, {attempt} run: one screen", done.stdout)
        shown = re.search(r"quick set, (?:(\d+) min )?(?:([\d.]+) s)?, simulated", done.stdout)
        tap.ok(shown and abs(60 * int(shown.group(1) or 0) + float(shown.group(2) or 0) - took) <= 1,
               f"{machine}, {attempt} run: the screen shows the seconds of that machine", done.stdout)
        lines = re.sub(r"\n {18}", " ", done.stdout)  # a line that is too long goes on below its figures
        missing = [line for line in ("memory read", "memory triad", "memory latency", *MACHINES[machine])
                   if not re.search(rf"^{line} .*±?[\d.]+ % [AB]\b", lines, re.M)]
        missing += [] if re.search(r"^memory read +\S+ GB/s +\d", lines, re.M) else ["memory read of all cores"]
        tap.ok(not missing, f"{machine}, {attempt} run: memory and devices stand on the screen", (missing, done.stdout))
        if attempt == "second":
            tap.ok(abs(told["estimate_s"] - took) <= 0.2 * took, f"{machine}: plan knows how long it takes",
                   (told["estimate_s"], took))


def short_of_time(tap, bench):
    """Of a budget that is too short the lines of most worth have all their launches, and others none."""
    done = bench.run("--machine", described("gpu-host-8"), "run", "--quick", "--budget", "10s", "--seed", "7", "-o", "s.db",
                     env=bench.real_env)
    counts = bench.query("s.db", """SELECT b.name, count(DISTINCT v.id) * 1.0 / count(DISTINCT p.id) FROM point p JOIN bench b
        ON p.bench = b.id LEFT JOIN visit v ON v.point = p.id GROUP BY b.name""")
    counts = dict(counts)
    tap.ok(seconds(done.stderr) <= 10.5 and "do not fit" in done.stderr and "left out" in done.stderr,
           "what does not fit is said before and after", done.stderr)
    tap.ok(counts["cpu.flops"] == 5 and counts["cpu.instr"] == 0, "the time goes to what is of most worth", counts)


def whole_time(tap, bench):
    """A budget bounds the command, not only its launches: a worker that is slow to say what it has uses it up."""
    workers = bench.path("workers")
    os.mkdir(workers)
    fake = os.path.join(bench.env["ARCHMETER_WORKERS"], "archmeter-worker-fake")
    os.symlink(fake, os.path.join(workers, "archmeter-worker-fake"))
    counts = {}
    for name, program in (("swift", "#!/bin/sh\nexit 1\n"), ("slow", "#!/bin/sh\nsleep 3\nexit 1\n")):
        path = os.path.join(workers, "archmeter-worker-slow")
        with open(path, "w", encoding="ascii") as f:
            f.write(program)
        os.chmod(path, 0o755)
        budget = "1h" if name == "swift" else "2s"
        done = bench.run("run", "fake.work", "--quick", "--launches", "20", "--budget", budget, "-o", name + ".db",
                         env=dict(bench.env, ARCHMETER_WORKERS=workers))
        counts[name] = bench.query(name + ".db", "SELECT count(*) FROM launch")[0][0] if done.returncode == 0 else done.stderr
    tap.ok(counts["swift"] >= 20 and counts["slow"] == 1, "time spent before the first launch is time of the budget", counts)


def damaged(tap, bench):
    """Whatever stands in the file of costs, plans and runs go on."""
    path = os.path.join(bench.env["XDG_DATA_HOME"], "archmeter", "costs")
    with open(path, "rb") as f:
        good = f.read()
    for name, content in (("noise", os.urandom(5000)), ("half", good[:len(good) // 2 + 7]), ("empty", b""), ("zeros", bytes(9000))):
        with open(path, "wb") as f:
            f.write(content)
        done = bench.run("--machine", described("zen4-guest-2"), "run", "null", "--quick", "-q", "-o", name + ".db", env=bench.real_env)
        tap.ok(done.returncode == 0, f"a file of costs that is {name}: no harm", done.stderr)
    os.unlink(path)
    os.mkdir(path)
    done = bench.run("--machine", described("zen4-guest-2"), "run", "null", "--quick", "-q", "-o", "folder.db", env=bench.real_env)
    tap.ok(done.returncode == 0, "a folder in its place: no harm", done.stderr)
    os.rmdir(path)
    os.mkfifo(path)
    done = bench.run("--machine", described("zen4-guest-2"), "run", "null", "--quick", "-q", "-o", "fifo.db", env=bench.real_env)
    tap.ok(done.returncode == 0, "a pipe that nobody reads in its place: nobody waits", done.stderr)
    os.unlink(path)


class Terminal:
    """As much of a terminal as progress needs: rows of text, the cursor, erasing, wrapping."""

    def __init__(self, columns):
        self.columns, self.rows, self.row, self.column = columns, [""], 0, 0
        self.pending = ""

    def put(self, char):
        if self.column == self.columns:
            self.row, self.column = self.row + 1, 0
        while len(self.rows) <= self.row:
            self.rows.append("")
        line = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = line[:self.column] + char + line[self.column + 1:]
        self.column += 1

    def feed(self, text):
        for token in re.findall(r"\x1b\[[\d;]*[A-Za-z]|[\s\S]", self.pending + text):
            if token == "\r":
                self.column = 0
            elif token == "\n":
                self.row += 1
                while len(self.rows) <= self.row:
                    self.rows.append("")
            elif token == "\x1b[K":
                self.rows[self.row] = self.rows[self.row][:self.column]
            elif token == "\x1b[1A":
                self.row = max(0, self.row - 1)
            elif not token.startswith("\x1b"):
                self.put(token)

    def text(self):
        return "\n".join(self.rows)


def on_terminal(bench, columns, args, interrupt_after):
    """Runs on a terminal; after so many drawings Ctrl-C is typed. Gives the raw text, the screen before, the screen after."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = dict(bench.real_env, TERM="xterm", NO_COLOR="1")
    child = subprocess.Popen([bench.archmeter, *args], cwd=bench.dir, env=env, stdin=follower, stdout=follower, stderr=follower,
                             start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(follower)
    terminal, raw, before = Terminal(columns), "", None
    limit = time.monotonic() + 600
    while time.monotonic() < limit:
        if not select.select([leader], [], [], 1)[0]:
            continue
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        text = data.decode("utf-8", "replace")
        raw += text
        terminal.feed(text)
        if interrupt_after and before is None and raw.count(" left") >= interrupt_after and raw.endswith(" of 5"):
            before = terminal.text()
            os.write(leader, b"\x03")
    child.wait()
    os.close(leader)
    return child.returncode, raw, before, terminal.text()


def drawn(tap, bench):
    for columns in (80, 120):
        db = f"p{columns}.db"
        args = ["--machine", described("gpu-host-8"), "run", "--seed", "7", "-o", db]
        code, raw, before, after = on_terminal(bench, columns, args, 420)
        bars = [line for line in (before or "").splitlines() if re.match(r"\[#*-*\] ", line)]
        tap.ok(len(bars) == 1 and " left" in bars[0], f"{columns} columns: one bar is drawn, again and again", before)
        tap.ok(re.search(r": [\d.]+ \S+.*, \d of 5$", before.rstrip()) is not None, f"{columns} columns: and what was measured", before)
        tap.ok(code == 130, f"{columns} columns: Ctrl-C ends it", code)
        tap.ok("[#" not in after and "[-" not in after and " left" not in after and "^" not in after,
               f"{columns} columns: nothing of it is left", after)
        tap.ok("not finished" in after and "arithmetic" in after and "pending" not in after,
               f"{columns} columns: and what there is, is shown", after)
    args = ["--machine", described("tiny-guest-1"), "run", "mem.latency", "--quick", "--launches", "1", "-p", "size=4K,8K", "-o", "e.db"]
    code, raw, _, after = on_terminal(bench, 80, args, 0)
    tap.ok(code == 0 and " left" in raw and "] 100 %" not in after and ", 1 of 1" not in after, "nor when it ends by itself", after)
    done = bench.run("--machine", described("zen4-guest-2"), "run", "--seed", "7", "-o", "plain.db", env=bench.real_env)
    tap.ok("\x1b" not in done.stderr and "\r" not in done.stderr and re.search(r"^ *\d+ %, \d+ of \d+, ", done.stderr, re.M),
           "plain lines where there is no terminal", done.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    for machine in MACHINES:
        minute(tap, bench, machine)
    short_of_time(tap, bench)
    whole_time(tap, bench)
    damaged(tap, bench)
    drawn(tap, bench)
    tap.done()


main()
