# SPDX-License-Identifier: MIT
"""setup.sh on machines made of fake tools: what it installs, what it says, how it ends. Argument:
the script."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SCRIPT = Path(sys.argv[1]).resolve()
REAL = ("sh", "cat", "cut", "sort", "tr", "head", "grep", "dirname", "basename", "find", "env")

# A tool that answers what setup.sh asks of it, and writes its call down.
TOOL = """#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
case "${0##*/} $*" in
"meson --version") echo 1.0.1 ;;
"meson setup "*) mkdir -p "$BUILD" && : >"$BUILD/build.ninja" ;;
esac
"""

# An apt-get that brings what it is asked for; $REFUSE names a package it does not know.
APT = """#!/bin/sh
echo "apt-get $*" >>"$CALLS"
case " $* " in
*" update "*) exit 0 ;;
*" ${REFUSE:-none} "*) exit 100 ;;
*" ninja-build "*) cp "$TOOLS/meson" "$TOOLS/ninja" ;;
esac
"""

TOOLS = ("cc", "c++", "objdump", "pkg-config", "python3", "ninja", "meson", "clang", "gfortran", "mpicc", "mpirun")

count = failures = 0


def ok(passed: bool, sentence: str, notes: str = "") -> None:
    global count, failures
    count += 1
    failures += not passed
    print(f"{'' if passed else 'not '}ok {count} - {sentence}")
    if not passed:
        print("\n".join("# " + line for line in notes.split("\n")))


class Outcome(NamedTuple):
    status: int
    told: str
    calls: list[str]

    def installs(self) -> list[str]:
        """What apt-get was asked to install, in order."""
        marker = "--no-install-recommends "
        return [c.split(marker)[1] for c in self.calls if marker in c]

    def __str__(self) -> str:
        return f"status {self.status}\n{self.told}\n" + "\n".join(self.calls)


def write_tool(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def run(*words: str, lacking: tuple[str, ...] = (), apt: bool = True, refuse: str = "",
        uid: int = 0, sudo: bool = False) -> Outcome:
    """Runs setup.sh in a folder of its own with a PATH of fakes and a few real tools."""
    with tempfile.TemporaryDirectory() as folder:
        root, tools = Path(folder, "root"), Path(folder, "tools")
        root.mkdir()
        tools.mkdir()
        shutil.copy(SCRIPT, root / "setup.sh")
        for name in REAL + ("mkdir", "cp"):
            (tools / name).symlink_to(shutil.which(name) or name)
        for name in set(TOOLS) - set(lacking):
            write_tool(tools / name, TOOL)
        if "pocl" not in lacking:
            write_tool(tools / "pocl.icd", "")
        write_tool(tools / "id", f"#!/bin/sh\necho {uid}\n")
        if apt:
            write_tool(tools / "apt-get", APT)
        if sudo:
            write_tool(tools / "sudo", '#!/bin/sh\necho "sudo $1" >>"$CALLS"\nexec "$@"\n')
        calls = Path(folder, "calls")
        environment = {"PATH": str(tools), "CALLS": str(calls), "TOOLS": str(tools),
                       "BUILD": str(root / "build"), "REFUSE": refuse,
                       "OCL_ICD_VENDORS": str(tools)}
        done = subprocess.run([str(tools / "sh"), str(root / "setup.sh"), *words], text=True,
                              env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=900)
        lines = calls.read_text().splitlines() if calls.exists() else []
    return Outcome(done.returncode, done.stdout, lines)


def check_complete() -> None:
    whole = run("build")
    ok(whole.status == 0 and not whole.installs(), "nothing missing, nothing installed", str(whole))
    ok(any(c.startswith("ninja -C") and c.endswith(" programs") for c in whole.calls), "build makes what is installed, and no test", str(whole))
    first = run("run", "null")
    ok(first.status != 0 and "run --quick --report null" in first.told,
       "run builds, starts the program and passes on its failure", str(first))


def check_installing() -> None:
    lacks = run("build", lacking=("ninja",))
    ok(lacks.status == 0 and lacks.installs() == ["ninja-build"],
       "what is missing is installed, and only that", str(lacks))
    announced = lacks.told.find("will install:"), lacks.told.find("runs the build"), lacks.told.find("installing: ninja")
    ok(0 <= announced[0] < announced[1] < announced[2], "what will be installed, and what for, is said before", str(lacks))
    kept = run("--no-install", "build", lacking=("pocl",))
    ok(kept.status == 0 and not kept.installs() and "OpenCL on the CPU" in kept.told,
       "--no-install builds with what is there and says what is not", str(kept))
    short = run("--no-install", "build", lacking=("ninja",))
    ok(short.status == 1 and not short.installs() and "cannot build without: command:ninja" in short.told,
       "--no-install without a build tool ends with its name", str(short))
    engine = run("build", lacking=("pocl",), refuse="pocl-opencl-icd")
    ok(engine.status == 0 and "going on without: icd:pocl" in engine.told,
       "without a runtime to measure it builds all the same", str(engine))
    updates = [i for i, c in enumerate(lacks.calls) if c.endswith(" update")]
    ok(len(updates) == 1, "package lists are fetched once", str(lacks))
    user = run("build", lacking=("ninja",), uid=1000, sudo=True)
    ok(user.status == 0 and "sudo env" in user.calls, "a plain user goes through sudo", str(user))
    alone = run("build", lacking=("ninja",), uid=1000)
    ok(alone.status == 1 and "no sudo" in alone.told and not alone.installs(),
       "without root and sudo it says so and stops", str(alone))
    partly = run("build", lacking=("ninja", "objdump"), refuse="binutils")
    ok(partly.installs() == ["binutils ninja-build", "binutils", "ninja-build"],
       "one unknown package does not cost the others", str(partly))
    ok(partly.status == 1 and "cannot build without: command:objdump" in partly.told,
       "a build tool that stays missing ends it with its name", str(partly))


def check_elsewhere() -> None:
    bare = run("build", lacking=("ninja",), apt=False)
    named = all(f"{system}: " in bare.told for system in ("Debian", "Fedora")) and "Arch:" in bare.told
    ok(bare.status == 1 and named, "without apt-get the packages are named", str(bare))
    fine = run("build", apt=False)
    ok(fine.status == 0, "without apt-get a complete machine builds", str(fine))


def check_words() -> None:
    doctor = run("doctor-deps", lacking=("ninja",))
    ok(doctor.status == 1 and "MISSING" in doctor.told and not doctor.installs(),
       "doctor-deps reports a missing build tool and installs nothing", str(doctor))
    ok(run("doctor-deps").status == 0, "doctor-deps is content when the build set is there")
    wrong = run("biuld")
    ok(wrong.status == 2 and '"biuld"' in wrong.told, "an unknown command is a usage error", str(wrong))
    ok(run("help").status == 0 and run().status == 0, "help needs no tool")


def main() -> int:
    check_complete()
    check_installing()
    check_elsewhere()
    check_words()
    print(f"1..{count}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
