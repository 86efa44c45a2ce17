#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every test: builds by two compilers, one without anything optional, sanitizers, fuzzing,
clang-tidy, the bundle. A failing stage fails the whole but stops nothing; the last line is
`N passed, N failed, N skipped`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FUZZ_FLAGS = "-gline-tables-only -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link"

# What meson writes as a test's result, and how it counts.
PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


class Stage(NamedTuple):
    """One build folder and the tests that are run in it."""

    name: str
    compiler: str
    options: list[str]
    tests: list[str]  # arguments of `meson test` that choose them
    also: tuple[str, ...] = ()  # targets built beside what the chosen tests need
    environment: dict[str, str] = {}


MEMORY = "-Db_sanitize=address,undefined"
LINES = ["-Ddebug=false", "-Dc_args=-gline-tables-only"]  # debug information for traces, and no more
ONCE = ["--no-suite", "structure", "--no-suite", "setup", "--no-suite", "peers"]  # no compiler changes their outcome
PROGRAMS = ("programs",)  # what is installed
SLOW = ["--timeout-multiplier", "4"]  # sanitizers cost time

# A crash must stay the signal that it is: tests look at how workers die.
# intercept_tls_get_addr: the thread-local block of a library that was opened (BLIS has one) is taken for one with a
# header of glibc 2.19 where it begins 16 bytes behind a page, and LeakSanitizer dies of the bounds it reads there
# (google/sanitizers, issue 1322). Not asked for, nothing is lost: what the dynamic linker allocates is searched anyhow.
ASAN = ("strict_string_checks=1:detect_stack_use_after_return=1:handle_segv=0:handle_sigbus=0"
        ":handle_sigill=0:intercept_tls_get_addr=0")

# What must not break the program is tried once: with sanitizers, where the compiler for them is.
ROBUST = ["--no-suite", "robust"] if shutil.which("clang") else []

STAGES = (
    Stage("gcc", "gcc", [], ROBUST, also=("all",)),
    # As on a machine with a compiler, hwloc and SQLite and nothing else: it builds, what an absent library changes works
    # (these folders; all other objects are those of the first stage), and so do runs.
    Stage("minimal", "gcc", ["-Dextras=disabled"],
          ["--suite", "unit-app", "--suite", "unit-stencil", "--suite", "unit-model", "--suite", "unit-block", "--suite", "unit-bench_cpu",
           "--suite", "optional"], also=PROGRAMS),
    # What another compiler may make of the same source. That all programs compile, the next stage shows; objects of the
    # cross compiler are the same in every stage.
    Stage("clang", "clang", LINES, ["--suite", "kernels", "--no-suite", "cross"]),
    # Kernels and device code are not instrumented: guard pages and other stages check them.
    Stage("asan", "clang", [MEMORY, "-Doptimization=1", *LINES],
          [*SLOW, *ONCE, "--no-suite", "kernels", "--no-suite", "ocl", "--no-suite", "e2e"], also=PROGRAMS,
          environment={"ASAN_OPTIONS": ASAN,
                       "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}),
    Stage("tsan", "clang", ["-Db_sanitize=thread", *LINES],
          [*SLOW, "team", "meter", "meter_sampler", "merge", "task", "steal", "apps", "wave_team"],
          environment={"TSAN_OPTIONS": "halt_on_error=1"}),
    Stage("fuzz", "clang", [MEMORY, "-Dfuzz=true", "-Ddebug=false", f"-Dc_args={FUZZ_FLAGS}"], ["--suite", "fuzz"]),
)


class Count(NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Count") -> "Count":  # type: ignore[override]
        return Count(*(a + b for a, b in zip(tuple(self), tuple(other))))

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def say(text: str) -> None:
    print(f"==> {text}", flush=True)


def run(command: list[str], environment: dict[str, str]) -> int:
    return subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL).returncode


def run_quietly(command: list[str], environment: dict[str, str]) -> int:
    """As run(), but what the command prints is shown only when it fails."""
    done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    if done.returncode != 0:
        print(done.stdout, flush=True)
    return done.returncode


def leaks_can_be_found(compiler: str) -> bool:
    """LeakSanitizer needs ptrace, which some sandboxes refuse."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "probe")
        command = [compiler, "-fsanitize=address", "-x", "c", "-", "-o", str(program)]
        if subprocess.run(command, input="int main(void) { return 0; }", text=True).returncode:
            return False
        return subprocess.run([str(program)], capture_output=True).returncode == 0


def stage_environment(stage: Stage) -> dict[str, str]:
    environment = {**os.environ, **stage.environment, "CC": stage.compiler, "CCACHE_NOHASHDIR": "1"}
    if "ASAN_OPTIONS" in stage.environment and not leaks_can_be_found(stage.compiler):
        say(f"{stage.name}: leaks cannot be looked for in this sandbox")
        environment["ASAN_OPTIONS"] += ":detect_leaks=0"
    return environment


def compiler_words(compiler: str) -> str:
    """Stages share flags where they can: what one has compiled, ccache has for the next, and for clones elsewhere.
    Meson takes ccache unasked for a compiler that it finds itself, never for one that it is told."""
    return f"ccache {compiler}" if shutil.which("ccache") else compiler


def configure(stage: Stage, folder: Path, environment: dict[str, str]) -> bool:
    """A folder made before is taken up again; one of a moved clone or a broken one is made anew."""
    environment = {**environment, "CC": compiler_words(stage.compiler)}
    command = ["meson", "setup", str(folder), str(ROOT), "-Dwerror=true", *stage.options]
    info = folder / "meson-info" / "meson-info.json"
    if (folder / "build.ninja").exists() and f'"{ROOT}"' in info.read_text():
        command.append("--reconfigure")
    elif (folder / "meson-private").exists():
        command.append("--wipe")
    return run_quietly(command, environment) == 0


def configure_all(stages: list[Stage]) -> set[str]:
    """The names of those that could be: half of that time one process of one compiler is waited for."""
    there = [stage for stage in stages if shutil.which(stage.compiler)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        done = pool.map(lambda stage: configure(stage, ROOT / f"build-{stage.name}", stage_environment(stage)), there)
    return {stage.name for stage, good in zip(there, done) if good}


def show_failure(entry: dict[str, str]) -> None:
    """What a failed test said: meson swallows the diagnostics of TAP tests."""
    print(f"--- {entry['name']}: {entry['result']}")
    told = (entry.get("stdout", "") + entry.get("stderr", "")).split("\n")
    print("\n".join(line for line in told if line and not line.startswith("ok ")), flush=True)


def read_log(path: Path) -> Count:
    """Counts a testlog.json: one JSON object per line, one line per test."""
    total = Count()
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        entry = json.loads(line)
        good, skip = entry["result"] in PASSED, entry["result"] in SKIPPED
        if not good and not skip:
            show_failure(entry)
        total += Count(int(good), int(not good and not skip), int(skip))
    return total


def share_device_code(folder: Path) -> None:
    """What PoCL compiles takes it seconds each, and no option of a stage changes it."""
    shared, place = ROOT / "build-pocl", folder / "pocl"
    shared.mkdir(exist_ok=True)
    if not place.exists():
        place.symlink_to(shared, target_is_directory=True)


def run_stage(stage: Stage, configured: set[str]) -> Count:
    if not shutil.which(stage.compiler):
        say(f"{stage.name}: SKIP, {stage.compiler} is not here")
        return Count(skipped=1)
    folder = ROOT / f"build-{stage.name}"
    environment = stage_environment(stage)
    if stage.name not in configured:
        say(f"{stage.name}: cannot be configured")
        return Count(failed=1)
    share_device_code(folder)
    if stage.also and run_quietly(["ninja", "-k0", "-C", str(folder), *stage.also], environment):
        say(f"{stage.name}: does not build")
        return Count(failed=1)
    log = folder / "meson-logs" / "testlog.json"
    log.unlink(missing_ok=True)
    # Tests wait for processes, locks and limits now and then: one more of them than processors.
    command = ["meson", "test", "-C", str(folder), "--num-processes", str((os.cpu_count() or 1) + 1)]
    status = run([*command, *stage.tests], environment)
    total = read_log(log)
    if sum(total) == 0:
        say(f"{stage.name}: did not build, or has no test")
        return Count(failed=1)
    # A status without a failed test is a failure of its own (e.g. meson was killed).
    return total if status == 0 or total.failed else total + Count(failed=1)


TIDY = "clang-tidy-14"
TIDIED = Stage("tidy", "clang", [], [])
# Not looked at: kernels, which are generated by macros and checked by kcheck and the disassembly.
UNTIDIED = ("src/kernels/",)
TIDY_LOT = 16  # sources looked at by one process
TIDY_NEEDS = ("src/topo/build_commit.h",)  # generated headers


def tidy_sources(folder: Path) -> list[str]:
    """Sources of src/ in the compile database, each once. Those of OpenMP workers are not in it."""
    entries = json.loads((folder / "compile_commands.json").read_text())
    found = {os.path.relpath((folder / entry["file"]).resolve(), ROOT) for entry in entries}
    return sorted(name for name in found if name.startswith("src/") and not name.startswith(UNTIDIED))


def tidy(folder: Path, names: list[str]) -> str:
    """What clang-tidy says of sources; empty when it has nothing to say."""
    command = [TIDY, "--quiet", "-p", str(folder), *names]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    told = done.stdout.strip()
    return told or (done.stderr.strip() if done.returncode else "")


def tidy_each(folder: Path, names: list[str]) -> list[str]:
    """As tidy(), for each of some sources: its start costs as much as a source, and mostly nothing is found."""
    return [tidy(folder, [name]) for name in names] if tidy(folder, names) else [""] * len(names)


def tidy_finds_bugs(folder: Path) -> bool:
    """A planted error is found: else zero findings would prove nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".c", dir=folder) as planted:
        planted.write("int f(int a);\nint f(int a)\n{\n    if (a == 1)\n        return 2;\n"
                      "    else\n        return 2;\n}\n")
        planted.flush()
        command = [TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", planted.name, "--"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return done.returncode != 0 and "bugprone-branch-clone" in done.stdout


def run_tidy(configured: set[str]) -> Count:
    """Every source is a test: passed without a finding of .clang-tidy."""
    if not shutil.which(TIDY):
        say(f"tidy: SKIP, {TIDY} is not here")
        return Count(skipped=1)
    folder, environment = ROOT / "build-tidy", stage_environment(TIDIED)
    if TIDIED.name not in configured:
        say("tidy: cannot be configured")
        return Count(failed=1)
    if run_quietly(["ninja", "-C", str(folder), *TIDY_NEEDS], environment):
        return Count(failed=1)
    if not tidy_finds_bugs(folder):
        say("tidy: does not find a planted error")
        return Count(failed=1)
    names = tidy_sources(folder)
    lots = [names[at:at + TIDY_LOT] for at in range(0, len(names), TIDY_LOT)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        told = [words for lot in pool.map(lambda lot: tidy_each(folder, lot), lots) for words in lot]
    for name, words in zip(names, told):
        if words:
            print(f"--- {name}\n{words}", flush=True)
    failed = sum(bool(words) for words in told)
    return Count(passed=len(names) - failed, failed=failed if names else 1)


def run_bundle() -> Count:
    output = ROOT / "build-bundle" / "bundle"
    environment = dict(os.environ)
    # Linked anew out of what the first stage compiled.
    make = ["tools/bundle.py", "--build", "build-gcc", "--output", str(output)]
    status = run([sys.executable, *make], environment)
    if status == 0:
        status = run([sys.executable, "tests/bundle/test_bundle.py", str(output)], environment)
    return Count(passed=int(status == 0), failed=int(status != 0))


def main() -> int:
    chosen = sys.argv[1:]
    configured: set[str] = set()
    stages = [(stage.name, lambda stage=stage: run_stage(stage, configured)) for stage in STAGES]
    stages += [("tidy", lambda: run_tidy(configured)), ("bundle", run_bundle)]
    unknown = set(chosen) - {name for name, _ in stages}
    if unknown:
        print(f"no stage {', '.join(sorted(unknown))}: {' '.join(n for n, _ in stages)}")
        return 2
    total, begun = Count(), time.monotonic()
    configured |= configure_all([stage for stage in (*STAGES, TIDIED) if not chosen or stage.name in chosen])
    for name, body in stages:
        if chosen and name not in chosen:
            continue
        say(f"{name}: begins")
        start = time.monotonic()
        count = body()
        say(f"{name}: {count} in {time.monotonic() - start:.0f} s")
        total += count
    say(f"all stages in {time.monotonic() - begun:.0f} s")
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
