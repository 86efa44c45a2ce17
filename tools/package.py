#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes archmeter_VERSION_ARCH.deb out of a build folder, and beside it a container file that runs the quick set.

Needs dpkg-dev. What `meson install` puts below the prefix lies below /usr in the package. Programs without which
nothing works make Depends; a worker for one runtime (OpenMP of LLVM, OpenCL, StarPU, MPI) makes Recommends: without
its library it does not start, and `archmeter list` says so."""

import argparse
import getpass
import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from bundle import made_at, output_of, project_version

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("archmeter", "archmeter-worker-cpu", "archmeter-worker-exec", "archmeter-worker-sim")

CONTROL = """Package: archmeter
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: {recommends}
Suggests: pocl-opencl-icd, libopenblas0
Section: utils
Priority: optional
Description: measures what a machine can really do
 Measures vector units, caches, memory, traffic between cores, OpenMP runtimes,
 OpenCL devices, messages and energy part by part, runs real kernels beside
 their bounds, and keeps every raw sample in one SQLite file. Verdicts have an
 interval behind them; each number says how far it can be trusted.
"""

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: archmeter
Comment: Workers that link FFTW or StarPU with GLPK may be handed on under the terms of
 the GPL only; the sources of archmeter are all under the licence below.

Files: *
Copyright: 2026 the archmeter developers
License: Expat
{licence}"""

CHANGELOG = """archmeter ({version}) unstable; urgency=medium

  * Packaged from the sources by setup.sh.

 -- {maintainer}  {date}
"""

CONTAINER = """# Runs the quick set of archmeter: podman build -t archmeter . && podman run --rm -v "$PWD:/results" archmeter
FROM debian:12
COPY {package} /tmp/
RUN apt-get update \\
 && apt-get install -y --no-install-recommends /tmp/{package} {extras} \\
 && rm -rf /var/lib/apt/lists/* /tmp/{package}
WORKDIR /results
ENTRYPOINT ["archmeter"]
CMD ["run", "--quick", "--report"]
"""


def maintainer() -> str:
    """Who makes packages here, as Debian's tools and git know it."""
    def known(variable: str, key: str, else_word: str) -> str:
        asked = subprocess.run(["git", "config", key], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        return os.environ.get(variable) or asked or else_word

    name = known("DEBFULLNAME", "user.name", getpass.getuser())
    return f"{name} <{known('DEBEMAIL', 'user.email', f'{getpass.getuser()}@{socket.getfqdn()}')}>"


def install(build: Path, root: Path) -> None:
    """Everything that `meson install` would install, below root/usr, stripped."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["meson", "install", "-C", str(build), "--no-rebuild", "--destdir", folder, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        prefix = next(path.parents[1] for path in Path(folder).rglob("bin/archmeter"))
        shutil.copytree(prefix, root / "usr", symlinks=True)
    for path in programs_of(root):
        subprocess.run(["strip", "--remove-section=.comment", "--remove-section=.note", str(path)], check=True)
    for page in (root / "usr/share/man").rglob("*.1"):
        pack(page.with_name(page.name + ".gz"), page.read_bytes())
        page.unlink()
    zsh = root / "usr/share/zsh/site-functions"
    if zsh.exists():  # Debian's place for functions of packages
        (root / "usr/share/zsh/vendor-completions").parent.mkdir(exist_ok=True)
        zsh.rename(root / "usr/share/zsh/vendor-completions")


def programs_of(root: Path) -> list[Path]:
    places = (root / "usr/bin", root / "usr/libexec/archmeter")
    return sorted(path for place in places for path in place.iterdir() if path.is_file() and path.read_bytes()[:4] == b"\x7fELF")


def pack(place: Path, content: bytes) -> None:
    with open(place, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(content)


def needs_of(programs: list[Path]) -> list[str]:
    """Packages with versions as dpkg-shlibdeps finds them for the symbols in use."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debian").mkdir()
        (Path(folder) / "debian/control").write_text("Source: archmeter\n\nPackage: archmeter\nArchitecture: any\n")
        told = subprocess.run(["dpkg-shlibdeps", "-O", *(f"-e{path}" for path in programs)], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
    found = re.search(r"^shlibs:Depends=(.*)$", told, re.MULTILINE)
    return [word.strip() for word in found.group(1).split(",")] if found else []


def write_documents(root: Path, version: str) -> None:
    place = root / "usr/share/doc/archmeter"
    place.mkdir(parents=True)
    licence = "".join(f" {line}\n" if line.strip() else " .\n"
                      for line in (ROOT / "LICENSE").read_text().split("\n\n", 2)[2].strip().split("\n"))
    (place / "copyright").write_text(COPYRIGHT.format(licence=licence))
    date = output_of("date", "-R", "-u", "-d", made_at()).strip()
    pack(place / "changelog.gz", CHANGELOG.format(version=version, maintainer=maintainer(), date=date).encode())


def write_control(root: Path, version: str, architecture: str) -> None:
    programs = programs_of(root)
    depends = needs_of([path for path in programs if path.name in NEEDED])
    names = {word.split()[0] for word in depends}
    recommends = [word for word in needs_of(programs) if word.split()[0] not in names]
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    control = root / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(CONTROL.format(
        version=version, architecture=architecture, maintainer=maintainer(), depends=", ".join(depends),
        recommends=", ".join(recommends) or "archmeter", kilobytes=sum(path.stat().st_size for path in files) // 1024))
    sums = (f"{output_of('md5sum', str(path)).split()[0]}  {path.relative_to(root)}\n" for path in files)
    (control / "md5sums").write_text("".join(sums))


def extras_of(root: Path) -> list[str]:
    """Names of the packages that the workers of one machine need beyond Depends; a container has no MPI and no StarPU,
    and its OpenCL device is PoCL."""
    workers = [path for path in programs_of(root) if not re.search(r"mpi|starpu", path.name)]
    needed = {word.split()[0] for word in needs_of([path for path in workers if path.name in NEEDED])}
    return sorted({word.split()[0] for word in needs_of(workers)} - needed | {"pocl-opencl-icd"})


def settle_modes(root: Path) -> None:
    """Modes as a package has them, whatever the umask was."""
    programs = set(programs_of(root))
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path in programs else 0o644)


def write_package(build: Path, output: Path) -> Path:
    version, architecture = project_version(), output_of("dpkg", "--print-architecture").strip()
    package = output / f"archmeter_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir(mode=0o755)
        install(build, root)
        write_documents(root, version)
        write_control(root, version, architecture)
        extras = extras_of(root)
        settle_modes(root)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(package)], check=True,
                       stdout=subprocess.DEVNULL)
    (output / "Containerfile").write_text(CONTAINER.format(package=package.name, extras=" ".join(extras)))
    return package


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="build folder, complete")
    parser.add_argument("--output", type=Path, required=True, help="folder for the package")
    arguments = parser.parse_args()
    if not shutil.which("dpkg-shlibdeps"):
        raise SystemExit("package: dpkg-shlibdeps is missing; on Debian install dpkg-dev")
    arguments.output.mkdir(parents=True, exist_ok=True)
    package = write_package(arguments.build.resolve(), arguments.output.resolve())
    print(f"==> wrote {package} and a Containerfile beside it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
