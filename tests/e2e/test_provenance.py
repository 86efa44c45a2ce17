# SPDX-License-Identifier: MIT
"""What measured is on record: commit, programs, compilers, flags, loaded libraries; another program is another build.
Arguments: archmeter, its build folder."""
import csv
import hashlib
import io
import json
import os
import re
import shutil
import sys

from e2e import Bench, Tap

ARGS = ["null", "-p", "n=1:2", "--quick", "--launches", "3"]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def recorded(tap, bench, worker):
    ran = bench.run("run", *ARGS, "-o", "a.db")
    said = json.loads(bench.run("export", "a.db").stdout)
    build, environment = said["build"], said["environment"]
    tap.ok(ran.returncode == 0 and re.fullmatch(r"unknown|[0-9a-f]{40}(-dirty)?", build["commit"]), "the commit", build)
    tap.ok(build["worker.cpu"] == sha256(worker), "the SHA-256 of the worker", build)
    tap.ok(re.search("GCC|clang", build["compiler.cpu"]), "its compiler", build)
    tap.ok(re.search(r"-std=gnu17.* -O\w", build["flags.cpu"]), "its flags, out of its program", build)
    tap.ok(all("-O2" in build[f"kernels.{word}"] for word in ("scalar", "scalar.mgvf", "scalar.wave", "plain")) and "-m" in build["kernels.scalar"],
           "the flags of kernels", build)
    libraries = {key: value for key, value in environment.items() if key.startswith("library.cpu.")}
    tap.ok("library.cpu.archmeter-worker-cpu" in libraries and any("libc.so" in key for key in libraries)
           and all(re.match(r"/.+, build id ([0-9a-f]{40}|none)$", value) for value in libraries.values()),
           "the libraries that the worker had loaded, with their build ids", libraries)
    tap.ok(environment["kernel"] == os.uname().release, "the system's kernel", environment["kernel"])
    shown(tap, bench, build)
    bench.run("report", "a.db", "-o", "a.html")
    with open(bench.path("a.html"), encoding="utf-8") as file:
        page = file.read()
    tap.ok(build["worker.cpu"] in page and build["commit"] in page and "library.cpu." in page, "the page has them")
    tap.ok(bench.run("verify", "a.db").returncode == 0, "and all of it is sealed")


def shown(tap, bench, build):
    text = " ".join(bench.run("show", "a.db", "--provenance").stdout.split())
    tap.ok(all(word in text for word in (build["commit"], build["worker.cpu"], "worker cpu", build["flags.cpu"], os.uname().release)),
           "show --provenance tells it", text)
    table = list(csv.DictReader(io.StringIO(bench.run("show", "a.db", "--provenance", "--format", "csv").stdout)))
    tap.ok(any(row["of"] == "worker cpu" and row["what"] == "program, SHA-256" and row["value"] == build["worker.cpu"] for row in table)
           and any(row["of"] == "worker cpu" and row["what"].startswith("libc.so") for row in table), "as a table for programs", table)
    rows = json.loads(bench.run("show", "a.db", "--provenance", "--format", "json").stdout)
    tap.ok(build["worker.cpu"] in json.dumps(rows), "as JSON", rows)
    other = bench.run("export", "a.db", "--provenance")
    tap.ok(other.returncode == 2, "other commands have no such option", other.stderr)


def another(tap, bench, worker):
    """One byte behind a program changes nothing of what it does."""
    os.makedirs(bench.path("workers"))
    copy = shutil.copy(worker, bench.path("workers"))
    env = dict(bench.env, ARCHMETER_WORKERS=bench.path("workers"))
    same = bench.run("run", *ARGS, "-o", "same.db", env=env)
    compared = bench.run("compare", "a.db", "same.db")
    tap.ok(same.returncode == 0 and "different builds" not in compared.stdout + compared.stderr, "a copy of it is the same build",
           compared.stdout + compared.stderr)
    with open(copy, "ab") as file:
        file.write(b"\0")
    ran = bench.run("run", *ARGS, "-o", "b.db", env=env)
    compared = bench.run("compare", "a.db", "b.db")
    tap.ok(ran.returncode == 0 and "different builds of archmeter: program of worker cpu" in
           " ".join((compared.stdout + compared.stderr).split()),
           "compare says that another program measured", compared.stdout + compared.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    bench.env = bench.real_env
    worker = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "archmeter-worker-cpu")
    recorded(tap, bench, worker)
    another(tap, bench, worker)
    tap.done()


main()
