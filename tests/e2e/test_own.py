# SPDX-License-Identifier: MIT
"""Benches out of the tree: written by `new bench`, compiled, measured, compared, resumed; and files that do not
compile, are wrong, crash, hang, leave, or do nothing."""
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import time

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAST = ("--quick", "--launches", "2", "--samples", "2", "--min-batch", "200us")
ONCE = ("--quick", "--launches", "1", "--samples", "2", "--min-batch", "200us")
STRUCT = re.compile(r"struct (archmeter_\w+) \{\n(.*?)\n\};", re.DOTALL)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


class Own(Bench):
    """With the real worker, and nobody's own compilers and flags. What the other workers have is asked for where it matters
    only: every command would list them all."""

    def __init__(self):
        super().__init__(sys.argv[1], sys.argv[2])
        self.all_env = dict(self.real_env)
        os.mkdir(self.path("workers"))
        name = "archmeter-worker-own"
        os.symlink(os.path.join(os.path.dirname(self.archmeter), name), os.path.join(self.path("workers"), name))
        self.real_env["ARCHMETER_WORKERS"] = self.path("workers")
        for name in ("CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "FCFLAGS", "LDFLAGS", "LDLIBS"):
            self.real_env.pop(name, None)
            self.all_env.pop(name, None)
        # A file's own memory is its own business; Fortran's texts live as long as the process.
        self.real_env["ASAN_OPTIONS"] += ":detect_leaks=0"
        self.all_env["ASAN_OPTIONS"] = self.real_env["ASAN_OPTIONS"]

    def do(self, *words, **environment):
        return self.run(*words, env=dict(self.real_env, **environment))

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def settings(self, db):
        return dict(self.query(db, "SELECT key, value FROM setting"))


def failure_of(own, db):
    return " ".join(row[0] for row in own.query(db, "SELECT reason FROM failure"))


def test_new(tap, own):
    done = own.do("new", "bench", "tally")
    text = own.read("tally.c")
    tap.ok(done.returncode == 0 and "archmeter run ./tally.c" in done.stderr, "new bench writes a file", done.stderr)
    lines = [line for line in text.splitlines() if line.strip()]
    tap.ok(len(lines) < 20, f"it has less than 20 lines: {len(lines)}")
    own.write("tally.c", text + "\n/* mine */\n")
    done = own.do("new", "bench", "tally")
    tap.ok(done.returncode == 2 and "/* mine */" in own.read("tally.c"), "a file that is there is left as it is")
    for words in (("new", "bench", "no-name"), ("new", "bnech", "x"), ("new", "bench", "x", "--language", "cobol")):
        done = own.do(*words)
        tap.ok(done.returncode == 2, f"{' '.join(words)} is refused: {done.stderr.strip()}")
    own.write("tally.c", text)


def test_measured(tap, own):
    done = own.do("list", "./tally.c")
    tap.ok(done.returncode == 0 and "own.tally" in done.stdout and "1K,32K,1M" in done.stdout,
           "list shows the axes of a file's bench", done.stdout + done.stderr)
    done = own.do("plan", "./tally.c", "-p", "n=1:5", "--format", "json")
    points = json.loads(done.stdout)["points"] if done.returncode == 0 else []
    tap.ok(len(points) == 5 and points[0]["bench"] == "own.tally", "plan has its points", done.stderr)
    tap.ok(own.do("run", "./tally.c", "--dry-run").returncode == 0 and not os.path.exists(own.path("a.db")),
           "--dry-run measures nothing")
    done = own.run("run", "./tally.c", *FAST, "-p", "n=1K,4K", "-o", "a.db", env=own.all_env)
    tap.ok(done.returncode == 0, "run measures it, beside all that other workers have", done.stderr)
    results = own.results("a.db")
    tap.ok([r["bench"] for r in results] == ["own.tally"] * 2, "every point has its result", results)
    verified = own.query("a.db", "SELECT count(*) FROM visit WHERE residual IS NOT NULL")[0][0]
    tap.ok(verified == 4, "every launch was verified", verified)
    done = own.do("run", "tally.c", "own.nothing", *FAST)
    tap.ok(done.returncode == 2 and "own.nothing" in done.stderr, "a bench it has not is refused", done.stderr)


def test_stored(tap, own):
    kept = own.settings("a.db")
    tap.ok(kept.get("own.1.source ./tally.c") == own.read("tally.c"), "the text is stored with the run", list(kept))
    tap.ok(" -c ./tally.c" in kept.get("own.1.commands", "") and kept.get("own.1.compiler"),
           "so are command line and compiler", kept)
    build = dict(own.query("a.db", "SELECT key, value FROM build"))
    tap.ok(build.get("worker.own.code") == kept.get("own.code"), "the code's fingerprint belongs to the build", build)


def test_compared(tap, own):
    done = own.do("run", "./tally.c", "--against", "a.db", "-o", "b.db")
    tap.ok(done.returncode == 0 and "own.tally" in done.stdout and "verdict" in done.stdout,
           "run --against an earlier run ends in verdicts", done.stdout + done.stderr)
    own.write("twice.c", own.read("tally.c").replace("sum += x[i];", "sum += x[i] * x[i];"))
    done = own.do("run", "./tally.c", *FAST, "-p", "n=1K", "--against-source", "./twice.c", "-o", "c.db")
    tap.ok(done.returncode == 0 and "interleaved" in done.stdout, "two sources are measured in turns",
           done.stdout + done.stderr)
    thrice = own.read("tally.c").replace("for (int64_t i = sum = 0;", "for (int k = 0; k < 3; k++) for (int64_t i = sum = 0;")
    own.write("thrice.c", thrice)
    done = own.do("run", "./thrice.c", *FAST, "--launches", "1", "-p", "n=4K", "--against-source", "./tally.c", "-o",
                  "few.db", "--format", "json")
    row = json.loads(done.stdout)["rows"][0]
    tap.ok("launches" in row["a"]["reasons"] and row["verdict"] in ("slower?", "suspect", "undecided") and
           "of grade C" in row["basis"], "one launch is of grade C, which leaves a question", done.stdout)
    sides = own.query("c.db", "SELECT DISTINCT worker FROM launch ORDER BY worker")
    tap.ok(sides == [("own",), ("own@base",)], "each by its own side", sides)
    done = own.do("run", "./tally.c", *FAST, "-p", "n=1K", "--flags", "-O3 -funroll-loops", "--against-flags", "-O1",
                  "-o", "d.db")
    kept = own.settings("d.db")
    tap.ok(done.returncode == 0 and " -O1 " in kept["own.base.1.commands"] and " -funroll-loops " in
           kept["own.1.commands"], "two sets of flags too", done.stderr)
    tap.ok(own.do("report", "d.db").returncode == 0 and "own.tally" in own.read("d.html"), "report shows it")
    done = own.do("run", "cpu.flops", "--flags", "-O3")
    tap.ok(done.returncode == 2 and "name a source file" in done.stderr, "flags without a file are refused", done.stderr)


def test_languages(tap, own):
    for language, ending, compiler in (("c++", "cc", "c++"), ("fortran", "f90", "gfortran")):
        if not shutil.which(compiler):
            tap.skip(f"a bench in {language}", f"there is no {compiler}")
            continue
        own.do("new", "bench", "other", "--language", language)
        done = own.do("run", f"./other.{ending}", *ONCE, "-p", "n=1K", "-o", f"{ending}.db")
        tap.ok(done.returncode == 0 and len(own.results(f"{ending}.db")) == 1, f"a bench in {language}",
               done.stdout + done.stderr)


def test_examples(tap, own):
    for name, compiler, words in (("dot.c", "cc", ("-p", "size=16K")), ("sort.cc", "c++", ()), ("jacobi.f90", "gfortran", ())):
        if not shutil.which(compiler):
            tap.skip(f"examples/own/{name}", f"there is no {compiler}")
            continue
        done = own.do("run", os.path.join(ROOT, "examples/own", name), *ONCE, *words, "-o", f"example-{name}.db")
        tap.ok(done.returncode == 0, f"examples/own/{name}", done.stdout + done.stderr)
    isas = {r["point"]["isa"] for r in own.results("example-dot.c.db")}
    tap.ok("scalar" in isas and len(isas) > 1, f"a file is compiled once per instruction set: {sorted(isas)}")


def test_fortran(tap, own):
    """Every call of the module, by a bench whose metric of its own is known beforehand."""
    if not shutil.which("gfortran"):
        tap.skip("all calls of the Fortran module", "there is no gfortran")
        return
    path = os.path.join(ROOT, "tests/own/all.f90")
    threads = ["1", "2"] if os.cpu_count() > 1 else ["1"]
    done = own.do("run", path, *FAST, "-p", f"threads={','.join(threads)}", "-o", "all.db")
    tap.ok(done.returncode == 0, "a bench in Fortran with every call", done.stdout + done.stderr)
    sums = {(str(r["point"]["threads"]), r["point"]["way"]): r["metrics"]["sum"]["median"] for r in own.results("all.db")}
    want = {(t, way): 100 * int(t) + k for t in threads for k, way in ((1, "plain"), (2, "other"))}
    tap.ok(sums == want, "own metrics, texts of axes and threads are what they must be", sums)
    files = own.query("all.db", "SELECT DISTINCT name, data FROM attachment")
    tap.ok([(name, bytes(data)) for name, data in files] == [("words.txt", b"f90")], "an attachment", files)
    notes = {row[0] for row in own.query("all.db", "SELECT value FROM note WHERE key = 'word'")}
    tap.ok(notes == {"plain", "other"}, "a note", notes)
    for profile, points in (("--quick", {("1", "plain"), ("1", "other")}), ("--thorough", {("1", "other"), ("2", "other")})):
        done = own.do("plan", path, profile, "--format", "json")
        found = {(str(p["point"]["threads"]), p["point"]["way"]) for p in json.loads(done.stdout)["points"]}
        tap.ok(found == points or (os.cpu_count() == 1 and found < points), f"values of {profile}", found)


def cache_of(own):
    return own.path("data/archmeter/own")


def plant_folders(own, count, name="{:016x}", days=1, size=10):
    """Folders as the cache has them, last used so many days ago, the later ones a second later each."""
    for i in range(count):
        folder = os.path.join(cache_of(own), name.format(i + 1))
        os.makedirs(folder)
        with open(os.path.join(folder, "bench.so"), "wb") as f:
            f.truncate(size)
        used = time.time() - days * 86400 + i
        os.utime(folder, (used, used))


def test_cache(tap, own):
    """What was compiled is kept within bounds; what somebody holds, and what is not ours, stays."""
    shutil.rmtree(cache_of(own), ignore_errors=True)
    own.do("plan", "./tally.c")
    names = [n for n in os.listdir(cache_of(own)) if not n.startswith("include-")]
    tap.ok(len(names) == 1, "one folder per code, and nothing of the compiling is left", names)
    width = len(names[0])
    digits = "{:0%dx}" % width
    plant_folders(own, 80, digits)
    plant_folders(own, 1, "f" * width, days=100)
    plant_folders(own, 1, "e" * width, days=2, size=300 << 20)
    plant_folders(own, 1, "mine", days=400)
    plant_folders(own, 1, "archmeter-compile-killed", days=2)
    held = os.open(os.path.join(cache_of(own), digits.format(1)), os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_SH)
    done = own.do("plan", "./tally.c")
    left = set(os.listdir(cache_of(own)))
    os.close(held)
    tap.ok(done.returncode == 0 and len(left) <= 64 + 3, f"{len(left)} folders are left of 85", sorted(left))
    tap.ok(names[0] in left and digits.format(80) in left, "the latest are among them", sorted(left))
    tap.ok(digits.format(1) in left and digits.format(2) not in left, "one that a process holds stays, the next goes")
    tap.ok("f" * width not in left and "e" * width not in left, "what was used long ago, or is too large, goes", sorted(left))
    tap.ok("mine" in left and "archmeter-compile-killed" not in left,
           "names that are not ours stay, what a killed compilation left goes", sorted(left))


def test_cache_together(tap, own):
    """Processes that compile the same and other code at once, with a cache that is full, take nothing from each other."""
    shutil.rmtree(cache_of(own), ignore_errors=True)
    own.do("plan", "./tally.c")
    width = max(len(n) for n in os.listdir(cache_of(own)) if not n.startswith("include-"))
    plant_folders(own, 80, "{:0%dx}" % width)
    jobs = [subprocess.Popen([own.archmeter, "run", "./tally.c", "--flags", f"-DSIDE={i % 3}", *FAST, "-p", "n=1K", "-o",
                              f"together{i}.db"], cwd=own.dir, env=own.real_env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True) for i in range(6)]
    said = [job.communicate()[1] for job in jobs]
    tap.ok(all(job.returncode == 0 for job in jobs), "six at once", said)
    tap.ok(not [n for n in os.listdir(cache_of(own)) if n.startswith("archmeter-")], "and nothing of the compiling is left")


def test_hanging_compiler(tap, own):
    own.write("slowcc", "#!/bin/sh\necho $$ > slowcc.pid\nsleep 1000 & wait\n")
    os.chmod(own.path("slowcc"), 0o755)
    for command in ("run", "plan"):
        own.write("slowcc.pid", "")
        job = subprocess.Popen([own.archmeter, command, "./tally.c", "--cc", own.path("slowcc")], cwd=own.dir,
                               env=own.real_env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not own.read("slowcc.pid").strip():
            time.sleep(0.02)
        job.terminate()
        said = job.communicate(timeout=120)[1]
        tap.ok(job.returncode == 130 and "interrupted" in said, f"{command}: a compiler that hangs ends with an interrupt",
               f"{job.returncode} {said}")
        tap.ok(group_ends(int(own.read("slowcc.pid"))), "with all that it started")


def group_ends(group):
    for _ in range(500):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_bad_files(tap, own):
    """What is no source: each ends with code 2 and a message, at once."""
    for suffix in ("c", "o", "so"):
        os.mkfifo(own.path(f"fifo.{suffix}"))
    os.symlink("self.c", own.path("self.c"))
    os.symlink("/dev/zero", own.path("zero.c"))
    with open(own.path("binary.c"), "wb") as f:
        f.write(b"int x;\n\0\n" * 100000)
    with open(own.path("short.so"), "wb") as f:
        f.write(b"\x7fELF")
    own.write("empty.c", "")
    for name, said in (("fifo.c", "no source file"), ("fifo.o", "not a regular file"), ("fifo.so", "not a regular file"),
                       ("self.c", "symbolic links"), ("zero.c", "no source file"),
                       ("binary.c", "binary.c:2: is no source"), ("short.so", "cannot load"), ("empty.c", "archmeter_describe")):
        done = own.do("plan", "./" + name)
        tap.ok(done.returncode == 2 and said in done.stderr, f"{name}: {said}", f"{done.returncode} {done.stderr[:500]}")
    name = "a b'c\"d.c"
    shutil.copy(own.path("tally.c"), own.path(name))
    done = own.do("plan", "./" + name)
    tap.ok(done.returncode == 0, "a name with blanks and quotes is compiled", done.stderr)
    for place, code in (("ca che", 0), ("co:lon", 2), ("tally.c", 3)):
        done = own.do("plan", "./tally.c", ARCHMETER_OWN_CACHE=own.path(place))
        tap.ok((done.returncode == 0) == (code == 0), f"a cache at {place}: code {done.returncode}", done.stderr)


def test_rerun(tap, own):
    """Runs of two versions: what looks changed is decided by fresh pairs of the code of both."""
    own.write("once.c", own.read("tally.c"))
    own.write("again.c", own.read("tally.c").replace(
        "for (int64_t i = sum = 0;", "for (int k = 0; k < 40; k++)\n        for (int64_t i = sum = 0;"))
    words = ("-p", "n=4K", "--launches", "5", "--samples", "3", "--min-batch", "1ms", "--no-wait")
    for name in ("once", "again"):
        done = own.do("run", f"./{name}.c", *words, "-o", f"re-{name}.db")
        tap.ok(done.returncode == 0, f"{name} is measured", done.stderr)
    done = own.do("compare", "re-once.db", "re-again.db", "--rerun")
    tap.ok("archmeter_alloc" not in done.stdout and "own.code" in done.stdout, "what differs is told without the texts", done.stdout)
    tap.ok(done.returncode == 0 and re.search(r"^slower +own\.tally", done.stdout, re.MULTILINE) and
           "1 row measured again: fresh pairs" in done.stdout, "forty times the work is slower, by fresh pairs",
           done.stdout + done.stderr)
    shutil.move(cache_of(own), own.path("hidden"))
    done = own.do("compare", "re-once.db", "re-again.db", "--rerun")
    said = " ".join(done.stdout.split())
    # A stall may have left the files undecided from the start: what must not be there is an answer.
    tap.ok(done.returncode == 0 and "no longer among the compiled benches" in said and
           re.search(r"^(slower\?|undecided) +own\.tally", done.stdout, re.MULTILINE),
           "without the code the question stays", done.stdout + done.stderr)
    shutil.rmtree(cache_of(own), ignore_errors=True)
    shutil.move(own.path("hidden"), cache_of(own))


def test_resume_sides(tap, own):
    """A run against another source goes on with the code of both."""
    own.write("dying.c", dying(own, own.read("once.c")))
    before = killed(own, "run", "./dying.c", "--against-source", "./again.c", *SHORT)
    done = own.do("resume", "r.db")
    sides = own.query("r.db", "SELECT worker, count(*) FROM launch GROUP BY worker ORDER BY worker")
    tap.ok(done.returncode == 0 and 2 <= before < 12 and sides == [("own", 6), ("own@base", 6)],
           "resume finishes both sides", f"{before} {sides}\n{done.stderr}")


def test_kinds(tap, own):
    """Objects, libraries, folders."""
    text = own.read("tally.c")
    own.write("several/one.c", "double add(double a, double b);\n" + text.replace("sum += x[i]", "sum = add(sum, x[i])"))
    own.write("several/two.c", "double add(double a, double b) { return a + b; }\n")
    done = own.do("run", "several/", *ONCE, "-p", "n=1K", "-o", "folder.db")
    tap.ok(done.returncode == 0, "a folder with two files", done.stderr)
    folder = re.search(r" -I (\S+) ", own.settings("folder.db")["own.1.commands"]).group(1)
    command = ["cc", "-O1", "-fPIC", "-I", folder, "-c", "tally.c", "-o", "tally.o"]
    subprocess.run(command, cwd=own.dir, check=True)
    done = own.do("run", "./tally.o", *ONCE, "-p", "n=1K", "-o", "object.db")
    tap.ok(done.returncode == 0, "an object", done.stderr)
    subprocess.run(["cc", "-shared", "tally.o", "-o", "tally.so"], cwd=own.dir, check=True)
    done = own.do("run", "./tally.so", *ONCE, "-p", "n=1K", "-o", "library.db")
    tap.ok(done.returncode == 0, "a library", done.stderr)
    done = own.run("plan", "several", env=own.all_env)
    tap.ok(done.returncode == 2 and "write ./several" in done.stderr, "a folder's name alone is a bench's, and that is said", done.stderr)
    os.mkdir(own.path("empty"))
    done = own.do("run", "./empty", *FAST)
    tap.ok(done.returncode == 2 and "no source files" in done.stderr, "an empty folder is refused", done.stderr)
    done = own.do("run", "./nothing.c")
    tap.ok(done.returncode == 2 and "No such file" in done.stderr, "a file that is not there", done.stderr)


def test_header_changes(tap, own):
    """What a file includes belongs to it: no old code is measured."""
    own.write("size.h", "#define FACTOR 1\n")
    own.write("inc.c", '#include "size.h"\n' + own.read("tally.c").replace("x[i] = 1", "x[i] = FACTOR").replace(
        "sum, n, 0", "sum, n * FACTOR, 0"))
    own.do("run", "./inc.c", *ONCE, "-p", "n=1K", "-o", "h1.db")
    own.write("size.h", "#define FACTOR 3\n")
    own.do("run", "./inc.c", *ONCE, "-p", "n=1K", "-o", "h2.db")
    codes = [own.settings(db)["own.code"] for db in ("h1.db", "h2.db")]
    tap.ok(codes[0] != codes[1], "a changed header is other code", codes)


def test_unverified(tap, own):
    own.write("trusting.c", own.read("tally.c").replace(", .verify = verify", ""))
    done = own.do("run", "./trusting.c", *FAST, "-p", "n=1K", "-o", "trusting.db")
    notes = {row[0] for row in own.query("trusting.db", "SELECT value FROM note WHERE key = 'verified'")}
    tap.ok(done.returncode == 0 and notes == {"no: the file has no verify()"}, "what is not verified says so", notes)


def test_settings(tap, own):
    text = own.read("tally.c")
    own.write("flags.c", "/* archmeter-flags: -O1 -DWANTED */\n#ifndef WANTED\n#error flags\n#endif\n" + text)
    done = own.do("plan", "./flags.c")
    tap.ok(done.returncode == 0, "a file says its own flags", done.stderr)
    for line, message in (("archmeter-flag: -O1", 'did you mean "archmeter-flags"?'),
                          ("archmeter-isa: avx9", "is no instruction set"),
                          ("archmeter-flags: '-O1", "quote")):
        own.write("typo.c", f"\n/* {line} */\n" + text)
        done = own.do("plan", "./typo.c")
        tap.ok(done.returncode == 2 and message in done.stderr and "typo.c:2" in done.stderr, f"{line} is refused",
               done.stderr)


def test_compiler(tap, own):
    own.write("broken.c", own.read("tally.c").replace("x[i];", "y[i];"))
    done = own.do("run", "./broken.c", *FAST, "-o", "broken.db")
    tap.ok(done.returncode == 2 and "broken.c:" in done.stderr and "y[i]" in done.stderr,
           "a compiler's message is shown with the file's own line", done.stderr)
    tap.ok(not os.path.exists(own.path("broken.db")), "and no results file is left")
    done = own.do("run", "./tally.c", "--cc", "no-such-compiler")
    tap.ok(done.returncode == 3 and "no-such-compiler" in done.stderr, "a compiler that is not there", done.stderr)
    done = own.do("plan", "./tally.c", CC="no-such-compiler")
    tap.ok(done.returncode == 3, "nor that of the environment", done.stderr)
    done = own.do("plan", "./tally.c", "--cc", "sh -c 'kill -INT $$'")
    tap.ok(done.returncode == 130, "a compiler that was interrupted", done.stderr)
    machine = os.path.join(ROOT, "machines/ryzen-9950x.machine")
    done = own.do("plan", "./tally.c", "--machine", machine)
    tap.ok(done.returncode == 2 and "runs no code" in done.stderr, "a described machine runs no code", done.stderr)


MISSING = ("double missing(double);\n", "sum += x[i];", "sum += missing(x[i]);")
VERSION = ("#include <archmeter/bench.h>\n#undef ARCHMETER_BENCH_VERSION\n#define ARCHMETER_BENCH_VERSION 77\n", "", "")
# What is put before the file, what is replaced by what; the code that run ends with; part of what is said.
PLANTS = {
    "folded": ("", "for (int64_t i = sum = 0; i < n; i++) sum += x[i];\n        archmeter_keep(&sum);", "sum = n;", 3,
               "folded away"),
    "capped": ("", "iterations > 0; iterations--", "iterations = iterations > 10 ? 10 : iterations, iterations > 0; iterations--",
               3, "time does not grow"),
    "wrong": ("", "sum, n, 0", "sum, n + 1, 0", 3, "sum is"),
    "crash": ("", "sum += x[i];", "sum += *(volatile double *)8;", 3, "signal"),
    "hang": ("", "iterations > 0; iterations--", "; archmeter_keep(x)", 3, "no end within"),
    "leaves": ("#include <stdlib.h>\n", "sum += x[i];", "exit(0);", 3, ""),
    "axis": ("", 'archmeter_count(p, "n")', 'archmeter_count(p, "m")', 3, "has none"),
    "memory": ("", "n * sizeof(double)", "(size_t)1 << 60", 3, "all it may have"),
    "missing": (*MISSING, 2, "undefined symbol: missing"),
    "version": (*VERSION, 2, "version 77"),
    "values": ("", "1K,32K,1M", "1:10000", 2, "more than 4096 values"),
    "rule": ("", ".axes = axes", '.axes = axes, .metrics = (struct archmeter_metric[]){{"r", "flop"}, {0}}', 2,
             'did you mean "flops"?'),
    "none": ("", "ARCHMETER_BENCH(tally,", "#define UNUSED(...) int unused\nUNUSED(", 2, "describes no bench"),
    "note": ("", "return 0;", 'archmeter_note(p, "n", "x");\n    return 0;', 3, "is the name of an axis"),
    "constructor": ("__attribute__((constructor)) static void begin(void) { *(volatile int *)8 = 1; }\n", "", "", 2,
                    "signal"),
}


def test_plants(tap, own):
    for name, (before, old, new, code, said) in PLANTS.items():
        text = own.read("tally.c")
        tap.ok(not old or old in re.sub(r" /\*.*?\*/\n", "\n", text), f"{name}: the plant has its place")
        text = re.sub(r" /\* else.*?\*/", "", text)
        own.write(f"{name}.c", before + (text.replace(old, new) if old else text))
        params = () if name == "values" else ("-p", "n=4K")
        limit = "200ms" if name == "hang" else "60s"
        done = own.do("run", f"./{name}.c", *ONCE, *params, "--launch-limit", limit, "-o", f"{name}.db")
        told = done.stdout + done.stderr + (failure_of(own, f"{name}.db") if code == 3 and name != "leaves" else "")
        tap.ok(done.returncode == code and said in told, f"{name}: code {code}, {said!r}", f"{done.returncode}\n{told}")


SHORT = ("-p", "n=1K", "--launches", "6", "--samples", "2", "--min-batch", "200us", "-o", "r.db")


def dying(own, text):
    """A bench whose third launch kills archmeter, as long as the file `armed` is there."""
    return "#include <signal.h>\n#include <sys/stat.h>\n#include <unistd.h>\n" + text.replace("    return 0;", f"""
    struct stat st;
    FILE *const launches = fopen("{own.path('armed')}", "r+");
    if (launches && fseek(launches, 0, SEEK_END) == 0 && fputc('x', launches) == 'x' && fclose(launches) == 0 &&
        stat("{own.path('armed')}", &st) == 0 && st.st_size == 3)
        kill(getppid(), SIGKILL);
    return 0;""", 1).replace("#include <archmeter/bench.h>", "#include <stdio.h>\n#include <archmeter/bench.h>")


def killed(own, *words):
    """Runs until the bench kills the program; returns how many launches it had stored."""
    if os.path.exists(own.path("r.db")):
        os.remove(own.path("r.db"))
    own.write("armed", "")
    own.do(*words)
    os.remove(own.path("armed"))
    return launches(own)


def test_resume(tap, own):
    shutil.rmtree(own.path("data/archmeter/own"), ignore_errors=True)
    own.write("dying.c", dying(own, own.read("tally.c")))
    before = killed(own, "run", "./dying.c", *SHORT)
    shutil.move(own.path("data/archmeter/own"), own.path("away"))
    done = own.do("resume", "r.db")
    tap.ok(done.returncode == 3 and "resume FILE ./dying.c" in done.stderr, "resume does not compile by itself",
           done.stderr)
    done = own.do("resume", "r.db", "./twice.c")
    tap.ok(done.returncode == 2 and "not what the run was begun with" in done.stderr, "nor takes other code", done.stderr)
    shutil.rmtree(own.path("data/archmeter/own"))
    shutil.move(own.path("away"), own.path("data/archmeter/own"))
    done = own.do("resume", "r.db")
    tap.ok(done.returncode == 0 and launches(own) == 6 and 2 <= before < 6, "resume goes on with what was compiled then",
           f"{before} {launches(own)}\n{done.stderr}")
    shutil.copy(own.path("r.db"), own.path("s.db"))
    tap.ok(own.do("resume", "s.db", "x.y").returncode == 2, "another operand is refused")


def launches(own):
    return own.query("r.db", "SELECT count(*) FROM launch")[0][0]


def test_tune(tap, own):
    text = own.read("tally.c").replace("{NULL}}", '{"block", .tune = "1,2,4"}, {NULL}}').replace(
        "return 0;", 'archmeter_note(p, "taken", archmeter_text(p, "block"));\n    return 0;')
    own.write("tuned.c", text)
    done = own.do("tune", "./tuned.c", "-p", "n=1K", "--budget", "3s", "-o", "t.db")
    tap.ok(done.returncode == 0 and "own.tally" in done.stdout, "tune searches a file's axis", done.stdout + done.stderr)
    own.write("variants.c", "/* archmeter-isa: scalar */\n" + text)
    done = own.do("tune", "./variants.c", "-p", "n=1K", "--budget", "3s", "--tuning", "variants.json", "-o", "v.db")
    own.do("run", "./variants.c", *FAST, "-p", "n=1K", "--tuning", "variants.json", "-o", "w.db")
    found = re.search(r"^own\.tally .*?block=(\d+)", done.stdout, re.MULTILINE)
    notes = {row[0] for row in own.query("w.db", "SELECT value FROM note WHERE key = 'taken'")}
    tap.ok(done.returncode == 0 and found and notes == {found.group(1)}, "of a variant for an instruction set too, and run takes what "
           "was found", f"{notes} {done.stdout}")
    done = own.do("run", "./tuned.c", *FAST, "-p", "n=1K", "-p", "block=4", "-o", "u.db")
    notes = {row[0] for row in own.query("u.db", "SELECT value FROM note WHERE key = 'taken'")}
    tap.ok(notes == {"4"}, "a value that is given is taken", notes)


# ---- the header ----

def fields(header):
    """struct: names of its fields, in their order; of tables of functions those of the pointers."""
    found = {}
    for name, body in STRUCT.findall(header):
        names = []
        for statement in COMMENT.sub("", body).split(";"):
            pointer = re.search(r"\(\*(\w+)\)\(", statement)
            plain = re.findall(r"[*\s](\w+)\s*(?=,|$)", statement.strip()) if not pointer else [pointer.group(1)]
            names += plain
        found[name] = names
    return found


def offsets(own, header, structs, out):
    """What a compiler makes of the fields: `struct.field offset` each."""
    lines = [f'    printf("{s}.{f} %zu\\n", offsetof(struct {s}, {f}));' for s, names in structs.items() for f in names]
    own.write(f"{out}.c", f'#include <stdio.h>\n#include "{header}"\nint main(void)\n{{\n' + "\n".join(lines) + "\n}\n")
    subprocess.run(["cc", f"{out}.c", "-o", out], cwd=own.dir, check=True)
    return subprocess.run([own.path(out)], check=True, capture_output=True, text=True).stdout


def test_versions(tap, own):
    first = os.path.join(ROOT, "tests/own/bench-1.h")
    with open(first, encoding="utf-8") as f:
        structs = fields(f.read())
    tap.ok({len(v) > 2 for v in structs.values()} == {True} and "fixed_iters" in structs["archmeter_bench"],
           f"the structs of version 1 are found: {', '.join(structs)}", structs)
    now = offsets(own, os.path.join(ROOT, "include/archmeter/bench.h"), structs, "now")
    tap.ok(offsets(own, first, structs, "then") == now, "the header has only grown since version 1")
    own.write("old.c", own.read("tally.c").replace("<archmeter/bench.h>", f'"{first}"'))
    done = own.do("run", "./old.c", *ONCE, "-p", "n=1K", "-o", "old.db")
    tap.ok(done.returncode == 0, "a file that was compiled against version 1 is measured", done.stderr)


def test_guide(tap, own):
    """The guide's transcript, from an empty folder to a verdict; what the verdict is, the machine decides."""
    with open(os.path.join(ROOT, "doc/guide/own-benches.md"), encoding="utf-8") as f:
        block = f.read().split("```")[1]
    env = dict(own.real_env, PATH=f"{os.path.dirname(own.archmeter)}:{os.environ['PATH']}")
    os.mkdir(own.path("guide"))
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    tap.ok(len(commands) == 5, f"the guide has a transcript of {len(commands)} commands")
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=own.path("guide"), env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)
        tap.ok(done.returncode == 0, f"guide: {command[:60]}", done.stdout + done.stderr)
    tap.ok("own.total" in done.stdout and "interleaved" in done.stdout, "the last of them ends in a verdict", done.stdout)


def test_pkg_config(tap, own):
    if not shutil.which("pkg-config"):
        tap.skip("pkg-config", "it is not here")
        return
    for source, place in (("share/pkgconfig/archmeter.pc", os.path.join(os.path.dirname(own.archmeter), "include")),
                          ("include/archmeter/bench.h", os.path.join(ROOT, "include/archmeter"))):
        os.makedirs(own.path(os.path.join("prefix", os.path.dirname(source))))
        shutil.copy(os.path.join(place, os.path.basename(source)), own.path(os.path.join("prefix", source)))
    env = dict(os.environ, PKG_CONFIG_PATH=own.path("prefix/share/pkgconfig"))
    done = subprocess.run(["pkg-config", "--cflags", "archmeter"], env=env, capture_output=True, text=True)
    command = ["cc", *done.stdout.split(), "-fsyntax-only", "tally.c"]
    tap.ok(done.returncode == 0 and subprocess.run(command, cwd=own.dir).returncode == 0,
           "pkg-config finds the header of a tree that was moved", done.stdout + done.stderr)


def main():
    tap = Tap()
    own = Own()
    for test in (test_new, test_measured, test_stored, test_compared, test_languages, test_fortran, test_examples, test_kinds,
                 test_header_changes, test_unverified, test_settings, test_compiler, test_hanging_compiler, test_bad_files, test_plants,
                 test_cache, test_cache_together, test_rerun, test_resume, test_resume_sides, test_tune, test_versions,
                 test_pkg_config, test_guide):
        test(tap, own)
    tap.done()


main()
