# SPDX-License-Identifier: MIT
"""Runs one libFuzzer target for FUZZ_SECONDS (6) from its seeds; prints TAP. Arguments: program,
folder of seeds, and how many inputs per second it must at least try."""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SEEDS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SECONDS = int(os.environ.get("FUZZ_SECONDS", "6"))
GRACE = 120  # seconds the fuzzer may take beyond its own limit
INPUT_TIMEOUT = 60  # seconds one input may take on a busy machine: a parser that hangs is a finding
MEMORY_MB = 2048
LEAST_RUNS = int(sys.argv[3])  # per second of CPU time: far below any healthy target, far above a stuck one
SHOWN = 400  # bytes of a bad input that are printed


def report(number: int, passed: bool, sentence: str) -> bool:
    print(f"{'' if passed else 'not '}ok {number} - {sentence}")
    return passed


def fuzz(work: Path) -> tuple[int, str]:
    """Exit status and output of the target; what it finds lands in work."""
    corpus = work / "corpus"
    corpus.mkdir()
    command = [
        str(PROGRAM), f"-max_total_time={SECONDS}", f"-timeout={INPUT_TIMEOUT}",
        f"-rss_limit_mb={MEMORY_MB}", "-print_final_stats=1", "-verbosity=1",
        f"-artifact_prefix={work}/", str(corpus), str(SEEDS),
    ]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS + GRACE, cwd=work,
                              env=dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"))
    except subprocess.TimeoutExpired as late:
        return 124, (late.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def cpu_seconds() -> float:
    """What the target has used: on a busy machine it gets a part of the time that it was given."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def keep_findings(work: Path) -> None:
    """Bad inputs go beside the program, so that they can be tried again, and into the log."""
    for path in sorted(p for p in work.iterdir() if p.is_file()):
        kept = PROGRAM.with_name(f"{PROGRAM.name}-{path.name}")
        shutil.copy(path, kept)
        print(f"# kept {kept}: {path.read_bytes()[:SHOWN]!r}")


def main() -> int:
    seeds = [p for p in SEEDS.iterdir() if p.is_file()] if SEEDS.is_dir() else []
    with tempfile.TemporaryDirectory() as folder:
        status, output = fuzz(Path(folder)) if seeds else (0, "")
        keep_findings(Path(folder))
    found = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
    runs = int(found.group(1)) if found else 0
    results = [
        report(1, bool(seeds), f"{len(seeds)} seeds in {SEEDS.name}/"),
        report(2, status == 0, f"{PROGRAM.name} ends well after {SECONDS} s (status {status})"),
        report(3, runs >= LEAST_RUNS * cpu_seconds(),
               f"{runs} inputs tried in {cpu_seconds():.1f} s of CPU time"),
    ]
    print("1..3")
    if not all(results):
        print("\n".join("# " + line for line in output.split("\n")[-80:]))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
