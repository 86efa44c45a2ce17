# SPDX-License-Identifier: MIT
"""Runs on MPI: ranks of one machine, machines in namespaces, one that dies, and what the merged file
says of it."""
import concurrent.futures
import copy
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from e2e import Bench, Tap
from hosts import Hosts, why_not

COUNTED = ("value", "sample", "visit", "launch", "point", "note", "chosen", "failure")
QUICK = ["--quick", "--launches", "2", "--samples", "2", "--launch-limit", "300s"]
# Ranks wait for each other on fewer CPUs than ranks: they must let go of them.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
LIMIT = 900  # seconds that nothing here should take, on a busy machine too


class Checks:
    """Checks of a test that runs beside others, told once it has ended."""

    def __init__(self):
        self.made = []

    def ok(self, *check):
        self.made.append(check)


def side_by_side(tap, bench, program, env, tests):
    """Tests that mostly wait, each with machines and a folder of its own."""
    def one(test):
        checks, place = Checks(), copy.copy(bench)
        place.dir = bench.path(test.__name__)
        os.mkdir(place.dir)
        test(checks, place, program, env)
        return checks

    with concurrent.futures.ThreadPoolExecutor(len(tests)) as pool:
        for checks in pool.map(one, tests):
            for check in checks.made:
                tap.ok(*check)


def rows(path, sql):
    if not os.path.exists(path):
        return []  # the check tells, with what the program said
    with sqlite3.connect(path) as db:
        return db.execute(sql).fetchall()


def contents(path, node=None):
    """Every value of a file with what it belongs to; `node` as a merged file has it."""
    prefix = f"node={node} " if node else ""
    return sorted((bench, prefix + point, *rest) for bench, point, *rest in rows(
        path, "SELECT bench, point, round, seq, metric, value, iters, elapsed_ns FROM samples"))


def start(command, env):
    return subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def run(command, env):
    child = start(command, env)
    try:
        out, err = child.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        err += f"\nkilled after {LIMIT} s"
    return child.returncode, out, err


def test_benches(tap, bench, env):
    """Every bench of ranks, started by the plain program."""
    path = bench.path("ranks.db")
    code, _, err = run([bench.archmeter, "run", "mpi.*", *QUICK, "--launches", "1", "-p", "ranks=2", "-o", path],
                       env)
    names = {n for n, in rows(path, "SELECT DISTINCT bench FROM samples")}
    tap.ok(code == 0 and names - {"mpi.device"} == {"mpi.pingpong", "mpi.bidirectional", "mpi.matrix", "mpi.collective",
                                                    "mpi.overlap", "mpi.halo", "mpi.stencil"},
           "all benches of ranks measure", f"{names} {err}")
    told = dict(rows(path, "SELECT key, value FROM environment UNION ALL SELECT key, value FROM build"))
    tap.ok("build id" in told.get("library.mpi.libmpi.so", "") and "library.mpi.archmeter-worker-mpi" in told
           and len(told.get("worker.mpi", "")) == 64 and "-O" in told.get("flags.mpi", ""),
           "the program of the ranks, its flags and its MPI library are on record", sorted(told))
    path = bench.path("stencil.db")
    code, _, err = run([bench.archmeter, "run", "mpi.stencil", *QUICK, "--launches", "1", "--samples", "1", "-p",
                        "ranks=2,3", "-p", "n=4099,10007", "-p", "type=all", "-p", "form=paper,scaled", "-p",
                        "depth=7", "-p", "steps=30", "-p", "threads=1,2", "-o", path], env)
    states = rows(path, "SELECT state, count(*) FROM visit GROUP BY state")
    tap.ok(code == 0 and states == [("ok", 32)],
           "the stencil over ranks and threads is that of one process, bit by bit", f"{states} {err}")
    path = bench.path("four.db")
    code, _, err = run([bench.archmeter, "run", "mpi.matrix", *QUICK, "--launches", "1", "-o", path],
                       {**env, "ARCHMETER_MPI_RANKS": "4"})
    pairs = sum(n for n, in rows(path, "SELECT count(DISTINCT point) FROM samples"))
    tap.ok(code == 0 and pairs == 12, f"four ranks have twelve pairs ({pairs})", err)
    code, _, err = run([bench.archmeter, "run", "mpi.halo", *QUICK, "-o", bench.path("none.db")],
                       {**env, "ARCHMETER_MPIRUN": "no-such-launcher"})
    reason = rows(bench.path("none.db"), "SELECT output FROM launch")
    tap.ok(code in (1, 3) and "no-such-launcher" in str(reason), "a missing launcher is told",
           f"{code} {err} {reason}")


def test_one_machine(tap, bench, program, env):
    path = bench.path("one.db")
    code, out, err = run(["mpirun", "-n", "4", program, "run", "null", "mpi.collective", *QUICK, "-o", path, "--keep"], env)
    nodes = rows(path, "SELECT name, state FROM node")
    tap.ok(code == 0 and len(nodes) == 2 and {s for _, s in nodes} == {"done"},
           "four ranks of one machine are one node, and one for all ranks", f"{nodes} {out} {err}")
    ranks = rows(path, "SELECT DISTINCT value FROM params WHERE axis = 'ranks'")
    tap.ok(ranks == [(4,)], "which measures with all of them", ranks)
    libraries = rows(path, "SELECT key, value FROM environment UNION ALL SELECT key, value FROM node_fact")
    tap.ok(any(key.startswith("library.") and "libmpi.so" in key and "build id" in value for key, value in libraries),
           "with an MPI library that is on record", sorted(key for key, _ in libraries if "library" in key))
    for words, story, want in (("run --qick -o x.db", "--quick", 2), (f"run null -o {path}", "File exists", 3)):
        code, _, err = run(["mpirun", "-n", "2", program, *words.split()], env)
        tap.ok(code == want and err.count(story) == 1, f"{words.split('/')[0]}: told once, code {want}",
               f"{code} {err}")
    alone = bench.path("alone.db")
    code, out, err = run([program, "run", "null", "mpi.collective", *QUICK, "-o", alone], env)
    tap.ok(code == 0 and len(rows(alone, "SELECT name FROM node WHERE state = 'done'")) == 2,
           "without a launcher the program is a job of one rank", f"{code} {out} {err}")


def test_machines(tap, bench, program, env):
    """Three machines; files travel over MPI and become one."""
    path = bench.path("three.db")
    with Hosts(bench.dir, 3) as hosts:
        code, out, err = run(hosts.mpirun(["-n", "3", program, "run", "null", *QUICK, "--keep",
                                           "--nodes", "one-by-one", "-o", path]), env)
    names = [n for n, in rows(path, "SELECT name FROM node ORDER BY id")]
    tap.ok(code == 0 and names == ["node1", "node2", "node3"], "three machines are three nodes",
           f"{names} {out} {err}")
    union = sorted(sum((contents(bench.path(f"three.{n}.db"), n) for n in names), []))
    tap.ok(union and contents(path) == union, "the merged file is the union of theirs")
    own = [sum(rows(bench.path(f"three.{n}.db"), f"SELECT count(*) FROM {t}")[0][0] for n in names)
           for t in COUNTED]
    tap.ok(own == [rows(path, f"SELECT count(*) FROM {t}")[0][0] for t in COUNTED],
           "with as many rows in every table", own)
    spans = rows(path, "SELECT min(wall_start), max(wall_start) FROM launch l JOIN visit v ON v.launch = l.id"
                 " JOIN param p ON p.point = v.point JOIN axis a ON a.id = p.axis AND a.name = 'node'"
                 " GROUP BY p.value ORDER BY p.value")
    tap.ok(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), "one after the other", spans)


def process_of(host, program="archmeter-mpi"):
    """The process of a program on a host, or None."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = os.readlink(f"/proc/{pid}/exe")
            same = os.readlink(f"/proc/{pid}/ns/net") == os.readlink(f"/proc/{host}/ns/net")
        except OSError:
            continue
        if same and name.endswith("/" + program):
            return int(pid)
    return None


def await_process(host, program):
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        pid = process_of(host, program)
        if pid:
            return pid
        time.sleep(0.1)
    return None


def end(child):
    """What it printed, and the seconds that it took to end."""
    begun = time.monotonic()
    try:
        out, err = child.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
    return out, err, time.monotonic() - begun


ENDLESS = ["--quick", "--launches", "2000", "--target", "0.01%", "--silence", "3s"]


def test_dead_machine(tap, bench, program, env):
    """One machine dies before it is its turn; the others' results are kept."""
    path = bench.path("dead.db")
    with Hosts(bench.dir, 3) as hosts:
        child = start(hosts.mpirun(["-n", "3", program, "run", "null", "mpi.halo", *ENDLESS, "--budget", "1s",
                                    "--nodes", "one-by-one", "-o", path]), env)
        # The leader of the first runs its part: all three have met.
        await_process(hosts.pids[0], "archmeter")
        os.kill(process_of(hosts.pids[2]), signal.SIGKILL)
        out, err, took = end(child)
    nodes = {n: (s, r) for n, s, r in rows(path, "SELECT name, state, reason FROM node")}
    tap.ok(nodes.get("node3", ("",))[0] == "lost"
           and "no word" in str(nodes["node3"][1]), "a machine that dies is lost, with its reason",
           f"{child.returncode} {nodes} {out} {err}")
    measured = {n for n, in rows(path, "SELECT DISTINCT value FROM params WHERE axis = 'node'")}
    tap.ok(measured == {"node1", "node2"}, "the others' results are there", measured)
    tap.ok("not measured" in str(nodes.get("all-ranks")), "what needs all ranks says why it is missing",
           nodes)
    tap.ok(took < LIMIT / 2, "and nothing hangs", took)


def test_dead_rank(tap, bench, program, env):
    """A rank freezes while all ranks measure together. (Of one that dies Open MPI may hear, and end rank 0.)"""
    path = bench.path("rank.db")
    with Hosts(bench.dir, 2) as hosts:
        child = start(hosts.mpirun(["-n", "2", program, "run", "mpi.halo", *ENDLESS, "--launch-limit", "2s",
                                    "-o", path]), env)
        while not os.path.exists(path) and child.poll() is None and not worker_serves(hosts.pids[0]):
            time.sleep(0.1)
        frozen, begun = process_of(hosts.pids[1]), time.monotonic()
        os.kill(frozen, signal.SIGSTOP)
        while not merged(path) and child.poll() is None and time.monotonic() < begun + LIMIT:
            time.sleep(0.2)
        try:
            os.kill(frozen, signal.SIGKILL)  # mpirun may wait for it
        except ProcessLookupError:
            pass
        out, err, _ = end(child)
        took = time.monotonic() - begun
    nodes = rows(path, "SELECT name, state, reason FROM node")
    tap.ok(len(nodes) == 1 and nodes[0][:2] == ("all-ranks", "partial") and "a rank is lost" in nodes[0][2],
           "a rank is lost in a bench of all ranks: what there is, and the reason, is merged",
           f"{child.returncode} {nodes} {out} {err}")
    tap.ok(took < LIMIT / 2, f"soon after the limit of a launch ({took:.1f} s)", err)


def merged(path):
    """Whether what became of the nodes is written: the last thing that rank 0 does."""
    try:
        return bool(rows(path, "SELECT name FROM node"))
    except sqlite3.Error:
        return False


def worker_serves(host):
    """Whether a launch of ranks is under way: its relay has read its request and lives."""
    pid = process_of(host, "archmeter-worker-mpi")
    try:
        with open(f"/proc/{pid}/cmdline", encoding="ascii") as f:
            return pid is not None and "--list" not in f.read()
    except OSError:
        return False


def test_dead_first(tap, bench, program, env):
    """Without rank 0 nobody can merge: the others end, and say where their results are."""
    with Hosts(bench.dir, 2) as hosts:
        child = start(hosts.mpirun(["-n", "2", program, "run", "null", *ENDLESS, "--budget", "1m",
                                    "-o", bench.path("first.db")]), {**env, "TMPDIR": bench.dir})
        await_process(hosts.pids[1], "archmeter")
        os.kill(process_of(hosts.pids[0]), signal.SIGKILL)
        out, err, took = end(child)
        left = process_of(hosts.pids[1]) or process_of(hosts.pids[1], "archmeter")
    kept = [os.path.join(bench.dir, d, "run.db") for d in os.listdir(bench.dir) if d.startswith("archmeter-node-")]
    told = [path for path in kept if path in err]
    tap.ok(took < LIMIT / 2 and left is None and len(told) == 1 and "no word from rank 0" in err,
           "without rank 0 the others end, and say where their results are", f"{took} {left} {out} {err}")
    code, _, err = run([bench.archmeter, "merge", "-o", bench.path("rescued.db"), *(f"node2={p}" for p in told)], env)
    tap.ok(code == 1 and rows(bench.path("rescued.db"), "SELECT state FROM node") == [("partial",)],
           "which can be merged", f"{code} {err}")


def test_unlike_machines(tap, bench, program, env):
    """One machine lacks a worker and an instruction set."""
    path, folder, build = bench.path("unlike.db"), bench.path("workers"), os.path.dirname(bench.archmeter)
    os.mkdir(folder)
    write_worker(folder, "cpu", f"{build}/archmeter-worker-cpu",
                 "sed 's/^choice sse2 - /choice sse2 too%20old /'")
    write_worker(folder, "fake", f"{bench.env['ARCHMETER_WORKERS']}/archmeter-worker-fake",
                 "{ echo no OpenCL >&2; exit 1; }")
    with Hosts(bench.dir, 2) as hosts:
        code, out, err = run(hosts.mpirun(["-n", "2", program, "run", "cpu.flops", "fake.group", "mpi.halo", *QUICK,
                                           "--launches", "1", "-p", "isa=usable", "-p", "op=fma", "-p", "type=f32",
                                           "-p", "streams=1", "-p", "threads=1", "-p", "dim=1", "-o", path]),
                             {**env, "ARCHMETER_WORKERS": folder})
    states = dict(rows(path, "SELECT name, state || ' ' || coalesce(reason, '') FROM node"))
    tap.ok(states.get("node1") == "done " and "left out" in states.get("node2", "") and
           "fake.group" in states["node2"], "a machine without a worker measures the rest, and says so",
           f"{code} {states} {out} {err}")
    with_isa = {n for n, in rows(path, "SELECT DISTINCT a.value FROM params a JOIN params b ON b.point = a.point"
                                 " WHERE a.axis = 'node' AND b.axis = 'isa' AND b.value = 'sse2'")}
    both = {n for n, in rows(path, "SELECT DISTINCT a.value FROM params a JOIN params b ON b.point = a.point"
                             " WHERE a.axis = 'node' AND b.axis = 'isa' AND b.value = 'scalar'")}
    tap.ok(with_isa == {"node1"} and both == {"node1", "node2"},
           "one without an instruction set measures the others", f"{with_isa} {both}")


def write_worker(folder, name, real, otherwise):
    """A worker that is another one on node2: what it lists goes through `otherwise`."""
    path = os.path.join(folder, "archmeter-worker-" + name)
    with open(path, "w", encoding="ascii") as f:
        f.write(f'#!/bin/sh\nif [ "$(hostname)$1" = node2--list ]; then {real} --list | {otherwise}; exit; fi\n'
                f'exec {real} "$@"\n')
    os.chmod(path, 0o755)


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    program = os.path.join(os.path.dirname(bench.archmeter), "archmeter-mpi")
    env = {**bench.real_env, **MPI}
    if "address" in subprocess.run(["ldd", bench.archmeter], capture_output=True, text=True,
                                   check=False).stdout + os.environ.get("ASAN_OPTIONS", ""):
        tap.skip("runs on MPI", "MPI libraries leak, and a sanitizer tells")
        tap.done()
    if not os.path.exists(program) or not shutil.which("mpirun"):
        tap.skip("runs on MPI", "built without MPI, or no mpirun")
        tap.done()
    test_benches(tap, bench, env)
    test_one_machine(tap, bench, program, env)
    reason = why_not()
    if reason:
        tap.skip("machines in namespaces", reason)
    else:
        side_by_side(tap, bench, program, env, [test_machines, test_unlike_machines])
        side_by_side(tap, bench, program, env, [test_dead_machine, test_dead_rank, test_dead_first])
    tap.done()


if __name__ == "__main__":
    main()
