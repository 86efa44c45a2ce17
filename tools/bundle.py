#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a relocatable folder with archmeter, its workers and the libraries they need.

Libraries under the GPL stay out (`-Dgpl=disabled`): the folder is handed on under the terms in licences/, and names
what it contains in sbom.spdx.json and SHA256SUMS."""

import argparse
import json
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import sbom

ROOT = Path(__file__).resolve().parent.parent
GLIBC_MAX = (2, 36)  # of Debian 12: the oldest system the bundle promises to run on

# Programs look beside themselves. DT_RPATH, unlike DT_RUNPATH, also serves the libraries' own needs,
# and unlike LD_LIBRARY_PATH it is not handed on to the programs that archmeter starts.
RPATH = "-Wl,-rpath,$ORIGIN/../lib,--disable-new-dtags"

# Where the programs of a build folder go.
PROGRAMS = {
    "bin": ["archmeter", "archmeter-mpi", "tests/kcheck/kcheck"],
    "libexec/archmeter": ["archmeter-worker-*", "src/bench/omp/count/archmeter-omp-count.so"],
}

# An MPI library must be the one of its launcher: these programs find the system's, or do not start. All else
# that they need comes along with other programs.
OF_THE_SYSTEM = {"archmeter-mpi", "archmeter-worker-mpi"}

# Parts of glibc: they must come from the system, together with its loader.
GLIBC = re.compile(
    r"^(ld-linux.*|libc|libm|libmvec|libpthread|libdl|librt|libresolv|libutil|libnsl|libanl"
    r"|libthread_db|libnss_\w+|linux-vdso|linux-gate)\.so"
)

START = """#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts archmeter from wherever this folder lies, also through a link.
exec "$(dirname -- "$(readlink -f -- "$0")")/bin/archmeter" "$@"
"""


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def build(folder: Path) -> None:
    """The search path is fixed when a program is linked: a folder that was built without it is linked anew."""
    info = folder / "meson-info" / "meson-info.json"
    if (folder / "build.ninja").exists() and f'"{ROOT}"' in info.read_text():
        command = ["meson", "configure", str(folder), f"-Dc_link_args={RPATH}", f"-Dcpp_link_args={RPATH}", "-Dgpl=disabled"]
    else:
        options = [f"-Dc_link_args={RPATH}", f"-Dcpp_link_args={RPATH}", "-Dgpl=disabled", "-Dbuildtype=debugoptimized", "-Ddebug=false"]
        command = ["meson", "setup", str(folder), str(ROOT), *options]
        if (folder / "meson-private").exists():
            command.append("--wipe")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    # What is known of a folder is that of its last configuration: make it anew before asking.
    subprocess.run(["ninja", "-C", str(folder), "build.ninja"], check=True, stdout=subprocess.DEVNULL)
    targets = json.loads(output_of("meson", "introspect", "--targets", str(folder)))
    wanted = [name for target in targets if target["installed"] or target["name"] == "kcheck"
              for name in target["filename"]]
    names = [str(Path(name).relative_to(folder)) for name in wanted]
    subprocess.run(["ninja", "-C", str(folder), *names], check=True)


def copy_programs(folder: Path, output: Path) -> list[Path]:
    programs = []
    for place, patterns in PROGRAMS.items():
        (output / place).mkdir(parents=True)
        for path in sorted(p for pattern in patterns for p in folder.glob(pattern) if p.is_file()):
            copy = output / place / path.name
            shutil.copy(path, copy)
            subprocess.run(["strip", str(copy)], check=True)
            programs.append(copy)
    for notes in folder.glob("workers.txt"):  # why a worker is not there
        shutil.copy(notes, output / "libexec/archmeter")
    return programs


def copy_shared(folder: Path, output: Path) -> None:
    """Manual page, completion scripts, described machines, headers and the sources of OpenMP benches, where an installation
    would have them."""
    installed = json.loads(output_of("meson", "introspect", "--installed", str(folder)))
    for source, place in installed.items():
        found = re.search(r"/((?:share|include|libexec/archmeter/runtime)/.+)", place)
        if found and Path(source).exists():
            target = output / found.group(1)
            target.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if Path(source).is_dir() else shutil.copy
            copy(source, target)


def libraries_of(program: Path) -> dict[str, Path]:
    """Name -> file of every library beyond glibc that the program maps."""
    found = {}
    for line in output_of("ldd", str(program)).splitlines():
        match = re.match(r"\s*(\S+) => (\S+|not found)", line)
        if match and not GLIBC.match(match.group(1)):
            if match.group(2) == "not found":
                raise SystemExit(f"bundle: {program.name} needs {match.group(1)}, not found")
            found[match.group(1)] = Path(match.group(2))
    return found


def copy_licence(library: Path, output: Path) -> None:
    """The terms under which Debian ships the library travel with it."""
    package, _ = sbom.debian_package(library)
    terms = Path("/usr/share/doc", package, "copyright")
    if package and terms.exists():
        shutil.copy(terms, output / "licences" / package)


def copy_libraries(programs: list[Path], output: Path) -> dict[Path, Path]:
    """Copy -> where it came from."""
    (output / "lib").mkdir()
    (output / "licences").mkdir()
    shutil.copy(ROOT / "LICENSE", output / "licences" / "archmeter")
    # Programs below libexec/ search the same ../lib.
    (output / "libexec/lib").symlink_to("../lib")
    needed = {}
    for program in (p for p in programs if p.name not in OF_THE_SYSTEM):
        needed.update(libraries_of(program))
    for name, path in sorted(needed.items()):
        shutil.copy(path.resolve(), output / "lib" / name)
        copy_licence(path, output)
    return {output / "lib" / name: needed[name] for name in sorted(needed)}


def check_glibc(files: list[Path]) -> None:
    """Refuses a file that needs a symbol of a newer glibc than the bundle promises."""
    newest = (0, 0)
    for path in files:
        for name, major, minor in re.findall(
            r"\(?GLIBC_((\d+)\.(\d+))", output_of("objdump", "-T", str(path))
        ):
            version = (int(major), int(minor))
            newest = max(newest, version)
            if version > GLIBC_MAX:
                raise SystemExit(f"bundle: {path.name} needs glibc {name}: build on Debian 12")
    print(f"==> newest glibc symbol needed: {newest[0]}.{newest[1]}")


def project_version() -> str:
    return json.loads(output_of("meson", "introspect", "--projectinfo", str(ROOT / "meson.build")))["version"]


def made_at() -> str:
    """Time of the commit, so that equal sources give equal bundles; now where there is no history."""
    asked = subprocess.run(["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(asked) if asked.strip().isdigit() else time.time()))


def write(folder: Path, output: Path) -> None:
    if output.exists():
        shutil.rmtree(output)
    output.mkdir(parents=True)
    programs = copy_programs(folder, output)
    libraries = copy_libraries(programs, output)
    sbom.refuse_unlisted(list(libraries))
    copy_shared(folder, output)
    check_glibc([*programs, *libraries])
    start = output / "archmeter"
    start.write_text(START)
    start.chmod(0o755)
    sbom.write_bill(output, project_version(), made_at(), programs, libraries)
    sbom.write_checksums(output)
    for path in [*programs, *libraries]:
        print(f"    {path.relative_to(output)}")


def pack(output: Path) -> Path:
    """The same folder as one file; owners and order fixed, so that equal folders pack equally."""
    archive = output.with_name(output.name + ".tar.gz")
    name = f"archmeter-{project_version()}-{platform.machine()}"
    command = ["tar", "-C", str(output.parent), "--sort=name", "--owner=0", "--group=0",
               "--numeric-owner", "--mtime=@0", f"--transform=s,^{output.name},{name},S",
               "-czf", str(archive), output.name]
    subprocess.run(command, check=True)
    return archive


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="build folder to use or make")
    parser.add_argument("--output", type=Path, required=True, help="folder to write anew")
    arguments = parser.parse_args()
    output = arguments.output.resolve()
    if output.exists() and not (output / "bin/archmeter").exists() and any(output.iterdir()):
        raise SystemExit(f"bundle: {output} is not a bundle, not overwriting it")
    build(arguments.build.resolve())
    write(arguments.build.resolve(), output)
    print(f"==> wrote {output} and {pack(output)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
