# SPDX-License-Identifier: MIT
"""Bad input: a clear message with the nearest valid name, exit code 2 or 3, nothing half-written."""
import os
import resource
import sys

from e2e import Bench, Tap

# arguments, exit code, words that stderr must have
CASES = [
    (["rnu"], 2, ["rnu", "run"]),
    (["run", "fake.wrok"], 2, ["fake.wrok", "fake.work"]),
    (["run", "nothing.*"], 2, ["nothing.*"]),
    (["run", "fake.work", "-p", "m=1"], 2, ["m", "n"]),
    (["run", "fake.work", "-p", "n"], 2, ["AXIS=VALUES"]),
    (["run", "fake.work", "-p", "n=1:x"], 2, ["n", "column"]),
    (["run", "fake.work", "-p", "n=5:1"], 2, ["5:1"]),
    (["run", "fake.work", "-p", "n=1:1000000000"], 2, ["n"]),
    (["run", "fake.act", "-p", "act=segw"], 2, ["segw", "segv"]),
    (["run", "--qiuck"], 2, ["--qiuck", "--quick"]),
    (["run", "--quick", "--thorough"], 2, ["--quick", "--thorough"]),
    (["run", "--budget", "soon"], 2, ["budget", "soon"]),
    (["run", "--launches", "0"], 2, ["launches"]),
    (["run", "--format", "jsn"], 2, ["jsn", "json"]),
    (["run", "--output"], 2, ["--output"]),
    (["run", "fake.work", "-o", "no/such/folder/x.db"], 3, ["no/such/folder"]),
    (["run", "fake.work", "-o", "exists.db"], 2, ["exists.db"]),
    (["run", "fake.work", "-o", "."], 2, ["is a folder"]),
    (["history", "text.db"], 2, ["text.db", "not an archmeter run"]),
    (["experiment", "absent.txt"], 2, ["absent.txt", "No such file"]),
    (["experiment", "."], 2, ["directory"]),
    (["table", "absent.txt"], 2, ["absent.txt", "No such file"]),
    (["energy", "--", "./absent"], 127, ["absent", "No such file"]),
    (["show", "latest~99"], 2, ["latest~99"]),
    (["show", "absent.db"], 2, ["absent.db"]),
    (["show", "text.db"], 2, ["text.db"]),
    (["show", "foreign.db"], 2, ["foreign.db"]),
    (["show", "."], 2, ["."]),
    (["resume", "text.db"], 2, ["text.db"]),
    (["export", "foreign.db"], 2, ["foreign.db"]),
    (["compare", "good.db"], 2, ["compare"]),
    (["compare", "good.db", "absent.db"], 2, ["absent.db"]),
    (["compare", "good.db", "--between", "n"], 2, ["AXIS=A,B"]),
    (["compare", "good.db", "--between", "n=1,99"], 2, ["n=99"]),
    (["check", "good.db", "--against", "absent.db"], 2, ["absent.db"]),
    (["show", "good.db", "fake.wrok"], 2, ["fake.wrok"]),
    (["doctor", "--explain", "freq.governer"], 2, ["freq.governor"]),
    (["list", "fake.wrok"], 2, ["fake.work"]),
    (["completion", "bsh"], 2, ["bash"]),
    (["--fsroot", "/no/such/root", "doctor"], 2, ["/no/such/root"]),
]


def prepare(bench):
    import sqlite3

    with open(bench.path("text.db"), "w", encoding="utf-8") as f:
        f.write("this is no database\n" * 100)
    with open(bench.path("exists.db"), "w", encoding="utf-8") as f:
        f.write("someone's work")
    foreign = sqlite3.connect(bench.path("foreign.db"))
    foreign.execute("CREATE TABLE run (id INTEGER)")
    foreign.commit()
    foreign.close()
    bench.run("run", "fake.work", "-p", "n=1:2", "--quick", "--launches", "2", "-o", "good.db")


def snapshot(bench):
    out = {}
    for folder, _, names in os.walk(bench.dir):
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as f:
                out[os.path.relpath(path, bench.dir)] = f.read()
    return out


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    prepare(bench)
    before = snapshot(bench)
    for args, code, words in CASES:
        got = bench.run(*args)
        tap.ok(got.returncode == code and all(w in got.stderr for w in words) and not got.stdout,
               f"{' '.join(args)}: exit code {code}, names {', '.join(words)}",
               f"exit {got.returncode}\nstdout: {got.stdout}\nstderr: {got.stderr}")
    after = snapshot(bench)
    tap.ok(after == before, "no bad call wrote or changed a file",
           sorted(set(after) ^ set(before)))
    taken_path(tap, bench)
    permissions(tap, bench)
    full_disk(tap, bench)
    few_files(tap, bench)
    closed_output(tap, bench)
    tap.done()


def taken_path(tap, bench):
    """A path that is taken is told before anything is planned or waited for."""
    got = bench.run("run", "fake.work", "-o", "exists.db")
    tap.ok(got.stderr.count("\n") == 1 and "exists already" in got.stderr, "a path that is taken is refused at once", got.stderr)
    merged = bench.run("merge", "good.db", "text.db", "-o", "merged.db")
    tap.ok(merged.returncode == 1 and merged.stdout.startswith("node ") and "not an archmeter run" in merged.stdout,
           "merge says why a file has no results, as a table", merged.stdout)


def few_files(tap, bench):
    """Where descriptors run out the reason is told, and not that there is no worker."""
    for limit in (8, 12, 20):
        got = bench.run("run", "fake.work", "--quick", "-o", "few.db",
                        preexec_fn=lambda n=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        tap.ok(got.returncode == 3 and "Too many open files" in got.stderr and not os.path.exists(bench.path("few.db")),
               f"{limit} open files: exit code 3 and the reason", f"{got.returncode} {got.stderr}")
    page = bench.run("report", "good.db", "-o", "page.html",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    tap.ok(page.returncode == 3 and "page.html" in page.stderr and
           not [name for name in os.listdir(bench.dir) if name.startswith("page.html")],
           "a page beyond the limit of a file's size: exit code 3, nothing left", f"{page.returncode} {page.stderr}")


def permissions(tap, bench):
    os.mkdir(bench.path("sealed"))
    os.chmod(bench.path("sealed"), 0o500)
    if os.geteuid() == 0:
        # root writes anywhere: drop to nobody for this one
        if not os.path.isdir("/proc/self") or os.stat(bench.archmeter).st_mode & 0o001 == 0:
            return tap.skip("no write permission", "running as root, program not executable by all")
        readable = reachable_by_others(bench.archmeter) and reachable_by_others(bench.dir)
        if not readable:
            return tap.skip("no write permission", "running as root, build folder closed to others")
    user = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
    got = bench.run("run", "fake.work", "--quick", "-o", "sealed/x.db", **user)
    tap.ok(got.returncode == 3 and "sealed/x.db" in got.stderr and not
           os.listdir(bench.path("sealed")),
           "no write permission: exit code 3, named, nothing left behind",
           f"{got.returncode} {got.stderr}")
    return None


def reachable_by_others(path):
    while path != "/":
        if os.stat(path).st_mode & 0o001 == 0:
            return False
        path = os.path.dirname(path)
    return True


def full_disk(tap, bench):
    """A file-size limit stands for a full disk: what was stored before stays readable. The signal that belongs to it is
    the program's own business."""
    def limit(size):
        def set_limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return set_limit

    got = bench.run("run", "fake.work", "-p", "n=1:200", "-p", "pause=1", "--quick", "--launches",
                    "5", "-o", "full.db", preexec_fn=limit(400 * 1024))
    tap.ok(got.returncode == 3 and "full.db" in got.stderr,
           "a full disk ends the run with exit code 3 and says where",
           f"{got.returncode} {got.stderr}")
    shown = bench.results("full.db")
    measured = sum(r["state"] == "ok" for r in shown)
    tap.ok(0 < measured, f"{measured} points measured before it are kept")
    resumed = bench.run("resume", "full.db", timeout=900)
    tap.ok(resumed.returncode == 0 and
           all(r["state"] == "ok" for r in bench.results("full.db")),
           "with room again, resume completes the run", resumed.stderr)
    tiny = bench.run("run", "fake.work", "--quick", "-o", "tiny.db", preexec_fn=limit(2 * 1024))
    tap.ok(tiny.returncode == 3 and not os.path.exists(bench.path("tiny.db")),
           "a disk too full for the plan leaves nothing behind",
           f"{tiny.returncode} {tiny.stderr}")


def closed_output(tap, bench):
    if not os.path.exists("/dev/full"):
        return tap.skip("stdout to a full device", "no /dev/full")
    import subprocess

    with open("/dev/full", "w", encoding="utf-8") as full:
        got = subprocess.run([bench.archmeter, "show", "good.db"], cwd=bench.dir, env=bench.env,
                             stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    return tap.ok(got.returncode == 3 and got.stderr, "output that cannot be written: exit code 3",
                  f"{got.returncode} {got.stderr}")


main()
