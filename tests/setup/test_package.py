# SPDX-License-Identifier: MIT
"""The installation and the package work from where they lie. Argument: a complete build folder."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv[1]).resolve()
LIMIT = 600  # seconds a command may take; lintian is slow on a busy machine

count = failures = 0


def ok(passed: bool, sentence: str, notes: str = "") -> None:
    global count, failures
    count += 1
    failures += not passed
    print(f"{'' if passed else 'not '}ok {count} - {sentence}")
    if not passed:
        print("\n".join("# " + line for line in notes.strip().split("\n")[-20:]))


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> tuple[int, str]:
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**os.environ, **environment}, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def check_works(place: Path, work: Path, what: str) -> None:
    """The program below `place`/bin finds its workers and the described machines beside it."""
    status, told = run(place / "bin/archmeter", "list", cwd=work)
    ok(status == 0 and "mem.latency" in told, f"{what}: the workers are found", told)
    results = work / f"{what.split()[-1]}.db"
    status, told = run(place / "bin/archmeter", "--machine", place / "share/archmeter/machines/ryzen-9950x.machine",
                       "run", "cpu.flops", "--quick", "-o", results, cwd=work)
    ok(status == 0 and results.exists(), f"{what}: a described machine is measured", told)


def check_install(work: Path) -> None:
    status, told = run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", work / "dest")
    found = list((work / "dest").rglob("bin/archmeter"))
    ok(status == 0 and len(found) == 1, "meson install writes below DESTDIR", told)
    stated = json.loads(run("meson", "introspect", "--installed", BUILD)[1])
    absent = [place for place in stated.values() if not (work / f"dest{place}").exists()]
    ok(not absent, "everything that is stated is there", " ".join(absent))
    if found:
        check_works(found[0].parents[1], work, "an installation")


def check_package(work: Path) -> None:
    if not shutil.which("dpkg-shlibdeps"):
        ok(True, "a package is written # SKIP dpkg-dev is not here")
        return
    person = {"DEBFULLNAME": "A Tester", "DEBEMAIL": "tester@debian.org"}
    status, told = run(sys.executable, "tools/package.py", "--build", BUILD, "--output", work / "out", **person)
    packages = list((work / "out").glob("archmeter_*.deb"))
    ok(status == 0 and len(packages) == 1, "a package is written", told)
    if not packages:
        return
    container = (work / "out/Containerfile").read_text()
    ok(packages[0].name in container, "the container file installs that package", container)
    ok("libgomp1" in container and "pocl-opencl-icd" in container and "openmpi" not in container,
       "and what the workers of one machine need", container)
    status, told = run(sys.executable, "tools/try_package.py", work / "out", "--steps")
    ok(status == 0 and told.startswith("FROM debian:") and "apt-get install" in told and told.rstrip().endswith("]"),
       "its steps can be tried in a clean root", told)
    status, told = run("dpkg-deb", "-f", packages[0], "Depends")
    ok("libsqlite3" in told and "libhwloc" in told and "libfftw3" not in told and "libstarpu" not in told,
       "it depends on what everything needs, and on no single worker's library", told)
    run("dpkg-deb", "-x", packages[0], work / "unpacked")
    check_works(work / "unpacked/usr", work, "a package")
    if not shutil.which("lintian"):
        ok(True, "lintian accepts it # SKIP lintian is not here")
        return
    status, told = run("lintian", "--fail-on", "error,warning", packages[0])
    ok(status == 0, "lintian accepts it without a warning", told)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        check_install(Path(folder))
        check_package(Path(folder))
    print(f"1..{count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
