# SPDX-License-Identifier: MIT
"""Runs on MPI: ranks of one machine, machines in namespaces, one that dies, and what the merged file
says of it."""
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from e2e import Bench, Tap
from hosts import Hosts, why_not

COUNTED = ("value", "sample", "visit", "launch", "point", "note", "failure")
QUICK = ["--quick", "--launches", "2", "--samples", "2"]
# Ranks wait for each other on fewer CPUs than ranks: they must let go of them.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
LIMIT = 120  # seconds that nothing here should take


def rows(path, sql):
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
    tap.ok(code == 0 and names == {"mpi.pingpong", "mpi.bidirectional", "mpi.matrix", "mpi.collective",
                                   "mpi.overlap", "mpi.halo", "mpi.stencil"},
           "all benches of ranks measure", f"{names} {err}")
    path = bench.path("stencil.db")
    code, _, err = run([bench.archmeter, "run", "mpi.stencil", *QUICK, "--launches", "1", "--samples", "1", "-p",
                        "ranks=1,2,3", "-p", "n=4099,10007", "-p", "type=all", "-p", "form=paper,scaled", "-p",
                        "depth=7", "-p", "steps=30", "-p", "threads=1,2", "-o", path], env)
    states = rows(path, "SELECT state, count(*) FROM visit GROUP BY state")
    tap.ok(code == 0 and states == [("ok", 48)],
           "the stencil over ranks and threads is that of one process, bit by bit", f"{states} {err}")
    path = bench.path("four.db")
    code, _, err = run([bench.archmeter, "run", "mpi.matrix", *QUICK, "--launches", "1", "-o", path],
                       {**env, "ARCHMETER_MPI_RANKS": "4"})
    pairs = rows(path, "SELECT count(DISTINCT point) FROM samples")[0][0]
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
    for words, story in (("run null", "-o FILE"), ("run --qick -o x.db", "--quick"),
                         ("show one.db", "run only")):
        code, _, err = run(["mpirun", "-n", "2", program, *words.split()], env)
        tap.ok(code == 2 and err.count(story) == 1, f"{words}: told once, code 2", f"{code} {err}")


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


def leader_of(host):
    """The archmeter-mpi of a host: the only one there."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = os.readlink(f"/proc/{pid}/exe")
            same = os.readlink(f"/proc/{pid}/ns/net") == os.readlink(f"/proc/{host}/ns/net")
        except OSError:
            continue
        if same and name.endswith("/archmeter-mpi"):
            return int(pid)
    return None


def test_dead_machine(tap, bench, program, env):
    """One machine dies in the middle; the others' results are kept."""
    path = bench.path("dead.db")
    with Hosts(bench.dir, 3) as hosts:
        child = start(hosts.mpirun(["-n", "3", program, "run", "null", "mpi.halo", *QUICK, "--budget", "4s",
                                    "--launches", "2000", "--target", "0.01%", "--silence", "3s", "-o", path]),
                      env)
        deadline, pid = time.monotonic() + 30, None
        while time.monotonic() < deadline and pid is None:
            time.sleep(0.2)
            pid = leader_of(hosts.pids[2])
        time.sleep(1)
        if pid:
            os.kill(pid, signal.SIGKILL)
        begun = time.monotonic()
        try:
            out, err = child.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            out, err = child.communicate()
    took = time.monotonic() - begun
    nodes = {n: (s, r) for n, s, r in rows(path, "SELECT name, state, reason FROM node")}
    tap.ok(nodes.get("node3", ("",))[0] == "lost"
           and "no word" in str(nodes["node3"][1]), "a machine that dies is lost, with its reason",
           f"{child.returncode} {nodes} {out} {err}")
    measured = {n for n, in rows(path, "SELECT DISTINCT value FROM params WHERE axis = 'node'")}
    tap.ok({"node1", "node2"} <= measured, "the others' results are there", measured)
    tap.ok("not measured" in str(nodes.get("all-ranks")), "what needs all ranks says why it is missing",
           nodes)
    tap.ok(took < LIMIT / 2, "and nothing hangs", took)


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
        test_machines(tap, bench, program, env)
        test_dead_machine(tap, bench, program, env)
    tap.done()


if __name__ == "__main__":
    main()
