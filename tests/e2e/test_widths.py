# SPDX-License-Identifier: MIT
"""What people read fits their terminal: no line of any command is wider than it, on machines small and large, and what
was left out is named."""
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import unicodedata

from e2e import Bench, Tap

MACHINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "machines")
RUN = ["cpu.flops", "mem.latency", "mem.bandwidth", "omp.sync", "app.stencil"]
HERE = [["doctor"], ["list"], ["list", "mem.latency"], ["list", "app.stencil"], ["plan"], ["machines"], ["study"]]
OF_RUNS = [["show", "NAME-1.db"], ["model", "NAME-1.db"], ["model", "NAME-1.db", "--facts"], ["explain", "NAME-1.db"],
           ["compare", "NAME-1.db", "NAME-2.db"], ["check", "NAME-1.db", "NAME-2.db"],
           ["history", "NAME-1.db", "NAME-2.db"], ["verify", "NAME-1.db"]]


def columns(line):
    wide = {"W": 2, "F": 2}
    return sum(0 if unicodedata.combining(c) else wide.get(unicodedata.east_asian_width(c), 1) for c in line)


# Messages that are longer than a line, and what is no table.
TOLD = [["version"], ["run", "mem.latency", "-p", "size=16X"], ["run", "no.such-bench-of-this-name-at-all-and-a-word-that-is-wider-than-a-terminal"],
        ["stencil", "export", "nowhere.sten", "--language", "fortran"], ["plan", "mem.latency", "--budget", "1 fortnight or so"],
        ["check", "absent-one.db", "absent-two.db", "--nearly-an-option", "and", "much", "more", "that", "is", "none", "either"]]


def on_terminal(bench, width, args, messages=False):
    """What stands on a terminal so wide, without colours: standard output, and standard error where messages are looked at."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.dup2(follower, 1)
        os.dup2(follower if messages else os.open(os.devnull, os.O_WRONLY), 2)
        os.chdir(bench.dir)
        os.execve(bench.archmeter, [bench.archmeter, *args], {**bench.real_env, "TERM": "xterm", "LC_ALL": "C.UTF-8"})
    os.close(follower)
    out = b""
    while True:
        try:
            piece = os.read(leader, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.waitpid(pid, 0)
    os.close(leader)
    return re.sub(r"\x1b\[[0-9;]*m", "", out.decode()).replace("\r\n", "\n")


def check(tap, bench, what, args):
    for width in (80, 60):
        text = on_terminal(bench, width, args)
        wide = [line for line in text.split("\n") if columns(line) > width]
        tap.ok(len(text) > 20 and not wide, f"{what}: {' '.join(args)} fits {width} columns",
               "\n".join(wide[:5]) or text[:300])


def check_told(tap, bench, args):
    """Lines break at blanks, and no word is lost or cut."""
    piped = bench.run(*args, env=bench.real_env)
    plain = (piped.stdout + piped.stderr).split()
    for width in (80, 60):
        text = on_terminal(bench, width, args, messages=True)
        wide = [line for line in text.split("\n") if columns(line) > width and " " in line.strip()]
        tap.ok(not wide and text.split() == plain, f"told: {' '.join(args)[:40]} in {width} columns", text)


def check_kept(tap, text, words, what):
    """Every table that has numbers has these columns, wherever its heading goes on."""
    tables = [part for part in text.split("\n\n") if re.search(r"[a-z] +±  | share  ", part)]
    without = [part for part in tables if not all(word in part for word in words)]
    tap.ok(tables and not without, f"{what} is left out of no table of {len(tables)}", without[:2] or text[:300])


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    for args in TOLD:
        check_told(tap, bench, args)
    lines = bench.run("version").stdout.splitlines()
    tap.ok(len(lines) > 5 and all(": " in line for line in lines[1:]), "version has a line each where scripts read it", lines)
    for name, more in (("zen4-guest-2", []), ("gpu-host-8", ["ocl.arith"])):
        machine = ["--machine", os.path.join(MACHINES, f"{name}.machine")]
        for seed in ("1", "2"):
            bench.run(*machine, "run", *RUN, *more, "--quick", "--seed", seed, "-o", f"{name}-{seed}.db", env=bench.real_env)
        for args in HERE:
            check(tap, bench, name, [*machine, *args])
        for args in OF_RUNS:
            check(tap, bench, name, [word.replace("NAME", name) for word in args])
    told = on_terminal(bench, 80, ["show", "gpu-host-8-1.db"])
    tap.ok(re.search(r"left out to fit the terminal: \w", told), "columns that are left out are named", told[-300:])
    told = on_terminal(bench, 80, ["show", "zen4-guest-2-1.db", "mem.latency"])
    check_kept(tap, told, ["grade"], "what tells how far a number is to be trusted")
    tap.ok("grade" not in told.partition("left out to fit")[2], "other metrics go before it", told[-300:])
    check_kept(tap, on_terminal(bench, 80, ["explain", "gpu-host-8-1.db"]), ["limited by"], "what limits a point")
    tap.done()


main()
