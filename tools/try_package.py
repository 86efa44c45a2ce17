#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs the package of ./setup.sh package in a clean Debian root and runs it there, by the steps of the
Containerfile beside it.

Arguments: the folder with both. Needs root, mmdebstrap and the package sources of this machine, which the root takes
over; without one of these it says so and is skipped. Prints TAP. First the package alone is installed, without what it
only recommends, and must measure; then the Containerfile's own steps are done in the same root, each as a container
engine would. Nothing is changed outside the root: it is mounted in a namespace of its own, and removed in the end."""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SUITES = {"debian:12": "bookworm", "debian:13": "trixie"}
WORDS = ("FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT", "CMD")
LIMIT = 1800  # seconds for one step; packages come over the network
MOUNT = ('mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" && '
         'cd / && exec chroot "$0" /bin/sh -c "$1"')


def steps_of(text: str) -> list[tuple[str, str]]:
    """(instruction, argument) of a Containerfile, lines that end in a backslash joined."""
    steps = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        word, _, rest = line.strip().partition(" ")
        if word not in WORDS:
            raise SystemExit(f"try_package: the Containerfile has a step {word}, which this program does not know")
        steps.append((word, " ".join(rest.split())))
    return steps


class Tap:
    def __init__(self) -> None:
        self.count = self.failed = 0

    def ok(self, passed: bool, sentence: str, notes: str = "") -> bool:
        self.count += 1
        self.failed += not passed
        print(f"{'' if passed else 'not '}ok {self.count} - {sentence}", flush=True)
        if not passed:
            print("\n".join("# " + line for line in notes.strip().splitlines()[-30:]), flush=True)
        return passed

    def done(self) -> int:
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def run(*command: str, **more) -> tuple[int, str]:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=LIMIT, **more)
    return done.returncode, done.stdout


def apt_sources() -> list[str]:
    """Where this machine has its packages from."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    return [str(p) for p in places if p.suffix in (".list", ".sources") and p.is_file() and p.stat().st_size]


def give_network(root: Path) -> None:
    """Names and proxies of this machine, as a container engine gives them."""
    for name in ("resolv.conf", "hosts"):
        if Path("/etc", name).exists():
            shutil.copy(Path("/etc", name), root / "etc" / name)
    for place in sorted(Path("/etc/apt/apt.conf.d").glob("*")):
        if "Proxy" in place.read_text(errors="replace"):
            shutil.copy(place, root / "etc/apt/apt.conf.d" / place.name)


def make_root(root: Path, suite: str) -> tuple[int, str]:
    status, told = run("mmdebstrap", "--variant=minbase", "--skip=cleanup/apt", suite, str(root), *apt_sources())
    if status == 0:
        give_network(root)
    return status, told


def in_root(root: Path, command: str, folder: str = "/") -> tuple[int, str]:
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                   "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "ARCHMETER_WAIT": "0s"}
    kept = {name: os.environ[name] for name in ("http_proxy", "https_proxy") if name in os.environ}
    return run("unshare", "--mount", "sh", "-c", MOUNT, str(root), f"cd {shlex.quote(folder)} && {command}",
               env={**environment, **kept})


def measured(root: Path, results: str) -> set[str]:
    """The benches that have results in a file."""
    status, told = in_root(root, f"archmeter show {shlex.quote(results)} --format json >/tmp/shown.json")
    if status != 0:
        return set()
    return {r["bench"] for r in json.loads((root / "tmp/shown.json").read_text())["results"] if r["state"] == "ok"}


def try_alone(tap: Tap, root: Path, package: Path) -> None:
    """The package with its Depends only."""
    shutil.copy(package, root / "tmp" / package.name)
    status, told = in_root(root, f"apt-get update -q && apt-get install -q -y --no-install-recommends /tmp/{package.name}")
    if not tap.ok(status == 0, "the package installs with its dependencies alone", told):
        return
    status, told = in_root(root, "archmeter list")
    tap.ok(status == 0 and "mem.latency" in told, "its workers are found", told)
    status, told = in_root(root, "rm -f /tmp/alone.db; archmeter run --quick -o /tmp/alone.db")
    tap.ok(status == 0 and measured(root, "/tmp/alone.db") >= {"cpu.flops", "mem.bandwidth"}, "and measure the quick set", told)
    status, told = in_root(root, "dpkg -V archmeter && apt-get remove -q -y archmeter && ! which archmeter")
    tap.ok(status == 0, "it is removed without a trace in $PATH", told)


def try_container(tap: Tap, root: Path, steps: list[tuple[str, str]], beside: Path) -> None:
    """The Containerfile's steps, and what it starts."""
    folder, entry, arguments = "/", [], []
    for word, argument in steps:
        if word == "COPY":
            name, place = argument.split()
            shutil.copy(beside / name, root / place.lstrip("/") / name)
        elif word == "RUN":
            status, told = in_root(root, argument, folder)
            if not tap.ok(status == 0, f"RUN {argument[:60]}...", told):
                return
        elif word == "WORKDIR":
            folder = argument
            (root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "ENTRYPOINT":
            entry = json.loads(argument)
        elif word == "CMD":
            arguments = json.loads(argument)
    status, told = in_root(root, shlex.join(entry + ["list"]), folder)
    absent = [word for word in ("cpu", "ocl", "omp-gcc", "omp-clang", "task") if f"worker {word} is not available" in told]
    tap.ok(status == 0 and not absent and "ocl.arith" in told, "no worker lacks its library, and there is a device", told)
    status, told = in_root(root, shlex.join(entry + arguments), folder)
    files = sorted((root / folder.lstrip("/")).iterdir())
    written = [p.suffix for p in files]
    names = measured(root, f"{folder}/{files[0].name}") if files else set()
    tap.ok(status == 0 and "cpu.flops" in names, f"{shlex.join(entry + arguments)} measures", told)
    tap.ok(written == [".db", ".html"], "and leaves its results and their page", str(written) + told)
    print("\n".join("# " + line for line in told.splitlines()[-24:]))


def why_not() -> str | None:
    if os.geteuid() != 0:
        return "only root can make a root"
    for program in ("mmdebstrap", "unshare", "chroot"):
        if not shutil.which(program):
            return f"{program} is not here"
    return None if apt_sources() else "this machine has no package sources"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="with archmeter_*.deb and its Containerfile")
    parser.add_argument("--root", type=Path, help="a root of mmdebstrap that is there already; it is left as it becomes")
    parser.add_argument("--steps", action="store_true", help="only say what would be done")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    packages, container = sorted(folder.glob("archmeter_*.deb")), folder / "Containerfile"
    if len(packages) != 1 or not container.exists():
        raise SystemExit(f"try_package: {folder} must hold one archmeter_*.deb and a Containerfile (./setup.sh package)")
    steps = steps_of(container.read_text())
    suite = SUITES.get(dict(steps).get("FROM", ""))
    if suite is None:
        raise SystemExit(f"try_package: no suite is known for FROM {dict(steps).get('FROM')}")
    if arguments.steps:
        print("\n".join(f"{word} {argument}" for word, argument in steps))
        return 0
    if why_not():
        print(f"1..0 # SKIP {why_not()}")
        return 0
    tap = Tap()
    if arguments.root:
        give_network(arguments.root.resolve())
        try_alone(tap, arguments.root.resolve(), packages[0])
        try_container(tap, arguments.root.resolve(), steps, folder)
        return tap.done()
    with tempfile.TemporaryDirectory(prefix="archmeter-root-") as place:
        root = Path(place) / "root"
        status, told = make_root(root, suite)
        if tap.ok(status == 0, f"a minimal root of {suite}", told):
            try_alone(tap, root, packages[0])
            try_container(tap, root, steps, folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
