# SPDX-License-Identifier: MIT
"""A copy of the bundle works elsewhere, without environment and without installed libraries.
Argument: the bundle's folder."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import sbom  # noqa: E402

LIBRARIES = ("libhwloc.so", "libsqlite3.so")
LIMIT = 120  # seconds a command may take

count = failures = 0


def ok(passed: bool, sentence: str, notes: str = "") -> None:
    global count, failures
    count += 1
    failures += not passed
    print(f"{'' if passed else 'not '}ok {count} - {sentence}")
    if not passed and notes:
        print("\n".join("# " + line for line in notes.strip().split("\n")[-20:]))


def run(*command: str | Path, cwd: str | Path = "/", **environment: str) -> tuple[int, str]:
    """Status and output of a command that sees only the given environment."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def check_libraries(bundle: Path) -> None:
    """Asks the loader itself, as ldd does, which files it maps."""
    status, told = run(bundle / "bin/archmeter", LD_TRACE_LOADED_OBJECTS="1")
    for library in LIBRARIES:
        found = re.search(rf"{re.escape(library)}\S* => (.+?) \(0x", told)
        inside = bool(found) and Path(found.group(1)).resolve().is_relative_to(bundle.resolve())
        ok(status == 0 and inside, f"{library} comes from the bundle", told)


def check_start(bundle: Path, work: Path) -> None:
    status, told = run(bundle / "archmeter", "--version", PATH="/usr/bin:/bin")
    ok(status == 0 and "archmeter" in told, "the start script works from another folder", told)
    link = work / "link"
    link.symlink_to(bundle / "archmeter")
    status, told = run(link, "--version", PATH="/usr/bin:/bin")
    ok(status == 0 and "archmeter" in told, "the start script works through a link", told)
    pages = (bundle / "share/man/man1/archmeter.1").exists()
    ok(pages and any((bundle / "licences").iterdir()), "manual page and licences are there")


def refused(*names: str) -> bool:
    try:
        sbom.refuse_unlisted([Path(name) for name in names])
    except SystemExit:
        return True
    return False


def check_contents(bundle: Path) -> None:
    """What is handed on is named, with its licence; nothing under the GPL is among it."""
    libraries = {path.name for path in (bundle / "lib").iterdir()}
    unmet = [name for name in libraries if re.match(r"lib(fftw3|glpk|starpu)", name)]
    ok(libraries and not unmet, "no library whose licence the bundle does not meet", " ".join(unmet))
    ok(refused("libgomp.so.1", "libglpk.so.40") and not refused("libgomp.so.1", "libsqlite3.so.0"),
       "a library that nobody has looked at stops the bundle")
    packages = {package["name"]: package for package in json.loads((bundle / "sbom.spdx.json").read_text())["packages"]}
    ok(libraries <= set(packages) and all(package["licenseConcluded"] != "NOASSERTION" for package in packages.values()),
       "the bill of materials names every library and its licence", " ".join(sorted(packages)))
    status, told = run("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=bundle, PATH="/usr/bin:/bin")
    ok(status == 0, "every file has the checksum that is stated", told)
    listed = (bundle / "SHA256SUMS").read_text()
    unlisted = [str(path.relative_to(bundle)) for path in bundle.rglob("*")
                if path.is_file() and not path.is_symlink() and f"  {path.relative_to(bundle)}\n" not in listed]
    ok(unlisted == ["SHA256SUMS"], "the checksums leave nothing out but themselves", " ".join(unlisted))
    ok((bundle / "share/archmeter/machines/ryzen-9950x.machine").exists(), "the described machines are there")


def check_run(bundle: Path, work: Path) -> None:
    status, told = run(bundle / "bin/archmeter", "list")
    ok(status == 0 and "mem.latency" in told, "list finds the bundled worker", told)
    command = ("run", "null", "--quick", "--no-wait", "-o", "x.db")
    status, told = run(bundle / "bin/archmeter", *command, cwd=work)
    ok(status == 0 and (work / "x.db").exists(), "a bench runs and its results are stored", told)
    status, told = run(bundle / "bin/archmeter", "show", "x.db", cwd=work)
    ok(status == 0 and "null" in told, "show reads the stored results", told)


def check_own(bundle: Path, work: Path) -> None:
    """A bench of the user's own; editors find the header by pkg-config."""
    ok((bundle / "include/archmeter/bench.h").exists() and (bundle / "share/pkgconfig/archmeter.pc").exists(),
       "the header of own benches is there, and its pkg-config file")
    if not shutil.which("cc"):
        ok(True, "a file of one's own is measured # SKIP there is no C compiler")
        return
    some = {"PATH": "/usr/bin:/bin", "HOME": str(work)}
    status, told = run(bundle / "bin/archmeter", "new", "bench", "mine", cwd=work, **some)
    if status == 0:
        command = ("run", "./mine.c", "-p", "n=1K", "--quick", "--no-wait", "-o", "mine.db")
        status, told = run(bundle / "bin/archmeter", *command, cwd=work, **some)
    ok(status == 0 and "own.mine" in told, "a file of one's own is measured", told)


def check_kernels(bundle: Path) -> None:
    kcheck = bundle / "bin/kcheck"
    status, told = run(kcheck) if kcheck.exists() else (1, "no kcheck")
    ok(status == 0 and "not ok" not in told, "kcheck passes on this machine", told)


def loader_files(program: Path) -> list[Path]:
    """What of the system the program still needs: glibc's own files."""
    _, told = run(program, LD_TRACE_LOADED_OBJECTS="1")
    paths = re.findall(r"^\s*(?:\S+ => )?(/.+) \(0x", told, re.MULTILINE)
    bundle = program.parent.parent.resolve()
    return [Path(p) for p in paths if not Path(p).resolve().is_relative_to(bundle)]


def check_bare_system(bundle: Path, work: Path) -> None:
    """A root directory that holds glibc, the bundle and nothing else."""
    bare = work / "bare"
    shutil.copytree(bundle, bare / "opt", symlinks=True)
    (bare / "dev").mkdir()
    (bare / "dev/null").touch()  # a plain file reads as empty, too
    for path in loader_files(bundle / "bin/archmeter"):
        target = bare / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    chroot = [shutil.which("chroot") or "/usr/sbin/chroot", bare]
    command = chroot if os.geteuid() == 0 else ["/usr/bin/unshare", "-r", *chroot]
    try:
        # It has no /proc, by which the loader and the program otherwise learn where they are.
        status, told = run(*command, "/opt/bin/archmeter", "list", LD_ORIGIN_PATH="/opt/bin",
                           ARCHMETER_WORKERS="/opt/libexec/archmeter")
    except OSError as error:
        status, told = 125, str(error)
    if status == 125 or "Operation not permitted" in told:  # chroot's own failure
        ok(True, f"it runs on a bare system # SKIP no chroot here: {told.strip()}")
        return
    ok(status == 0 and "mem.latency" in told, "it runs on a bare system with glibc alone", told)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        bundle = work / "some where else"
        shutil.copytree(sys.argv[1], bundle, symlinks=True)
        check_libraries(bundle)
        check_start(bundle, work)
        check_contents(bundle)
        check_run(bundle, work)
        check_own(bundle, work)
        check_kernels(bundle)
        check_bare_system(bundle, work)
    print(f"1..{count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
