# SPDX-License-Identifier: MIT
"""archmeter time: a slower command is found, parameters, codes, what comes before and after, output, interrupts, bad words.
Arguments: archmeter, its build folder."""
import json
import os
import signal
import subprocess
import sys
import time

from e2e import Bench, Tap

LINES, COLUMNS = 24, 80


def script(bench, name, text):
    folder = bench.path("bin")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def fits(text):
    lines = text.splitlines()
    return len(lines) <= LINES and all(len(line) <= COLUMNS for line in lines)


def grades(report):
    """command: grade of its time"""
    return {r["point"]["command"]: r["metrics"]["time"]["grade"] for r in report["results"] if r["bench"] == "exec.time"}


def planted(tap, bench):
    """Sleeping costs no CPU: the ratio holds on a busy machine too. What is concluded of it depends on the grades, which
    are the machine's: verdict, screen and JSON must go with them."""
    out = bench.run("time", "sleep 0.3", "sleep 0.15", "-o", "sleep.db", "--launches", "10", "--seed", "5")
    graded = grades(json.loads(bench.run("show", "sleep.db", "--format", "json").stdout))
    sure = "C" not in graded.values()
    told = ("B is ", "faster than A: significant") if sure else ("B may be ", "faster than A: unsure, grade C")
    tap.ok(out.returncode == 0 and all(part in out.stdout for part in told),
           f"a command that takes twice as long is found, grades {graded}", out.stdout + out.stderr)
    tap.ok(fits(out.stdout), f"on a screen of {LINES} lines of {COLUMNS} columns", out.stdout)
    shown = bench.run("show", "sleep.db")
    tap.ok(shown.returncode == 0 and told[1] in shown.stdout, "show says it again", shown.stdout)
    report = json.loads(bench.run("show", "sleep.db", "--format", "json").stdout)
    verdict = report["verdicts"][0]
    tap.ok(verdict["faster"] == "B" and verdict["verdict"] == ("faster" if sure else "faster?") and verdict["ci"][0] > 1 and
           ("grade C" in verdict["basis"]) != sure, "JSON has the verdict beside the results", verdict)
    between = bench.run("compare", "sleep.db", "--between", "command=sleep_0.15,sleep_0.3")
    tap.ok((("slower?" in between.stdout) != sure) and "slower" in between.stdout, "compare --between says the same",
           between.stdout + between.stderr)
    metrics = report["results"][0]["metrics"]
    tap.ok(all(name in metrics for name in ("time", "cpu", "user", "system", "memory")) and
           metrics["memory"]["median"] > 0, "and what the commands used", list(metrics))
    tap.ok(report["run"]["seed"] == "5", "the seed is stored", report["run"])
    rounds = bench.query("sleep.db", "SELECT v.round, v.point FROM visit v JOIN launch l ON l.id = v.launch "
                                     "ORDER BY l.started_ns")
    orders = {tuple(point for r, point in rounds if r == k) for k in range(10)}
    tap.ok([r for r, _ in rounds] == sorted(r for r, _ in rounds) and len(orders) == 2,
           "each round has both, in an order that is drawn", rounds)
    csv = bench.run("show", "sleep.db", "--format", "csv").stdout.splitlines()
    tap.ok(csv[0].startswith("name,command,median,") and len(csv) == 3, "CSV has a row per command", csv)
    bench.run("time", "sleep 0.3", "sleep 0.15", "-o", "second.db", "--launches", "2")
    for words in (("report", "sleep.db"), ("compare", "sleep.db", "second.db"),
                  ("history", "sleep.db", "second.db", "--point", "exec.time command=sleep_0.3"),
                  ("export", "sleep.db"), ("compare", "sleep.db", "--between", "command=sleep_0.3,sleep_0.15")):
        done = bench.run(*words)
        tap.ok(done.returncode in (0, 4), f"{words[0]} reads it", done.stdout + done.stderr)


def parameters(tap, bench):
    out = bench.run("time", "-p", "n=3,4", "sh -c 'exit {n}'", "true", "-i", "--launches", "2", "-o", "codes.db")
    results = bench.results("codes.db")
    codes = sorted(r["metrics"]["exit_code"]["median"] for r in results)
    tap.ok(out.returncode == 0 and codes == [0, 3, 4],
           "each value of a parameter is measured, a command without it once, and codes are kept", out.stdout + out.stderr)
    tap.ok("sh -c exit 4" in out.stdout or "exit 4" in out.stdout, "lines are shown with their values", out.stdout)
    copies = bench.run("time", "true", "true", "--launches", "2", "-o", "copies.db")
    tap.ok(copies.returncode == 0 and len(bench.results("copies.db")) == 2, "the same command twice is two",
           copies.stdout + copies.stderr)


def failures(tap, bench):
    out = bench.run("time", "true", "sh -c 'echo why; exit 7'", "--launches", "4", "-o", "fails.db", "--warmup", "0")
    tap.ok(out.returncode == 1 and "exit code 7: why" in out.stderr and "--ignore-failure" in out.stderr,
           "a command that fails ends the run, with its code and last words", out.stdout + out.stderr)
    tap.ok(bench.query("fails.db", "SELECT count(*) FROM visit WHERE state = 'fail'") == [(1,)],
           "at its first failure, which is stored")
    kept = bench.query("fails.db", "SELECT a.data FROM attachment a JOIN visit v ON v.id = a.visit WHERE v.state = 'fail'")
    tap.ok([bytes(row[0]) for row in kept] == [b"why\n"], "with what it printed", kept)
    shown = bench.run("show", "fails.db")
    tap.ok(shown.returncode == 0 and "exit code 7" in shown.stdout, "show says why", shown.stdout + shown.stderr)
    again = bench.run("resume", "fails.db")
    tap.ok(again.returncode == 1 and "exit code 7" in again.stderr, "resume meets it again", again.stderr)


def around(tap, bench):
    out = bench.run("time", "sh -c 'cat mark; echo out; echo err >&2'", "--prepare", "echo x > mark",
                    "--cleanup", "sh -c 'rm mark; echo y >> done'", "--launches", "3", "-w", "2", "-o", "around.db")
    with open(bench.path("done"), encoding="utf-8") as file:
        cleaned = file.read()
    tap.ok(out.returncode == 0 and cleaned == "y\n" * 5, "prepare and cleanup surround every execution, two for warming up",
           out.stdout + out.stderr + cleaned)
    kept = bench.query("around.db", "SELECT data FROM attachment WHERE name = 'output'")
    tap.ok([bytes(row[0]) for row in kept] == [b"x\nout\nerr\n"] * 3, "what it prints is kept", kept)
    bad = bench.run("time", "true", "--prepare", "false", "--launches", "2", "-o", "prepare.db")
    tap.ok(bad.returncode == 1 and "prepare: false ended with exit code 1" in bad.stderr, "a prepare that fails is told",
           bad.stderr)
    none = bench.run("time", "echo much", "--discard", "--launches", "2", "-o", "discard.db")
    tap.ok(none.returncode == 0 and bench.query("discard.db", "SELECT count(*) FROM attachment") == [(0,)],
           "--discard keeps nothing", none.stderr)


def shells(tap, bench):
    out = bench.run("time", "echo a | cat", "echo a", "--launches", "2", "-o", "shell.db")
    tap.ok(out.returncode == 0 and "/bin/sh starts A" in out.stdout and "(others: none)" in out.stdout,
           "a shell starts what needs one, and its cost is said", out.stdout + out.stderr)
    marked = bench.run("time", "echo $(touch made)", "--launches", "2", "-o", "touch.db")
    quoted = bench.run("time", "-p", "f=$(touch evil),b", "echo {f}", "--launches", "2", "-o", "evil.db")
    tap.ok(marked.returncode == 0 and os.path.exists(bench.path("made")), "a command may use it", marked.stderr)
    tap.ok(quoted.returncode == 0 and not os.path.exists(bench.path("evil")), "a value alone never reaches it", quoted.stderr)


def interrupted(tap, bench):
    child = bench.start("time", "sleep 0.2", "sleep 0.1", "--launches", "20", "-o", "int.db", "--warmup", "0")
    for _ in range(1200):
        time.sleep(0.05)
        if os.path.exists(bench.path("int.db")) and bench.run("show", "int.db").returncode == 0:
            if bench.query("int.db", "SELECT count(*) FROM launch")[0][0] >= 4:
                break
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=300)
    kept = bench.query("int.db", "SELECT count(*) FROM launch")[0][0]
    tap.ok(child.returncode == 130 and kept >= 4 and "sleep 0.2" in out and "archmeter resume int.db" in out,
           f"an interrupt keeps the {kept} launches and prints the screen", out + err)
    resumed = bench.run("resume", "int.db")
    full = bench.query("int.db", "SELECT count(*) FROM launch")[0][0]
    tap.ok(resumed.returncode == 0 and full == 40 and "faster than A" in resumed.stdout, "and resume finishes it",
           resumed.stdout + resumed.stderr)


def sensitivity(tap, bench):
    """What is concluded depends on the machine; that every step is measured, or skipped with its reason, does not."""
    out = bench.run("time", "--sensitivity", "sh -c :", "--launches", "2", "-o", "take.db")
    results = bench.results("take.db")
    tap.ok(out.returncode == 0 and len(results) == 8 and all(r["state"] in ("ok", "skip") for r in results),
           "eight steps, each measured or skipped", out.stdout + out.stderr)
    report = json.loads(bench.run("show", "take.db", "--format", "json").stdout)["sensitivity"]
    answers = {report[0][key] for key in ("spin", "cache", "memory", "share")}
    tap.ok(len(report) == 1 and len(report[0]["steps"]) == 8 and answers <= {"yes", "no", "undecided"},
           "and an answer for every part of the machine", report)
    if len(os.sched_getaffinity(0)) > 1:
        rates = {r["point"]["taken"]: r["metrics"]["taken_rate"]["median"] for r in results if r["state"] == "ok"}
        tap.ok(rates["none"] == 0 and rates["spin"] == 0 and rates["memory-100"] > 0,
               "what is taken is measured", rates)
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and stands_in(pid, bench.dir)]
    tap.ok(not left, "and nothing runs on behind it", left)


def stands_in(pid, folder):
    """Whether a process has the folder for its working directory, as every worker of this test has."""
    try:
        return os.readlink(f"/proc/{pid}/cwd").startswith(folder)
    except OSError:
        return False


BURN = "import time\nwhile time.process_time() < 0.4: pass\n"
HOLD = "x = b'x' * (96 << 20)\n"


def used(tap, bench):
    """CPU time and memory of commands of which both are known; --format md and csv say what the screen says."""
    for name, text in (("burn.py", BURN), ("hold.py", HOLD)):
        with open(bench.path(name), "w", encoding="ascii") as file:
            file.write(text)
    out = bench.run("time", f"{sys.executable} burn.py", f"{sys.executable} hold.py", "sleep 0.2", "--launches", "3",
                    "-o", "used.db")
    found = [r["metrics"] for r in bench.results("used.db")]
    cpu, memory = [m["cpu"]["median"] for m in found], [m["memory"]["median"] / (1 << 20) for m in found]
    tap.ok(out.returncode == 0 and 0.4 <= cpu[0] < 4 and cpu[2] < 0.1, f"CPU time is what was used: {cpu}", out.stderr)
    tap.ok(96 <= memory[1] < 96 + 100 and memory[0] < 96, f"so is memory: {memory}")
    # Where the clock ticks between them, one of both is 0 in some executions, and has no summary.
    whole = [m for m in found if None not in (m["user"]["median"], m["system"]["median"])]
    tap.ok(all(abs(m["user"]["median"] + m["system"]["median"] - m["cpu"]["median"]) < 0.05 + 0.1 * m["cpu"]["median"]
               for m in whole), "user and system make up CPU time", found)
    md = bench.run("show", "used.db", "--format", "md").stdout
    csv = bench.run("show", "used.db", "--format", "csv").stdout.splitlines()
    tap.ok("| command" in md and "sleep 0.2" in md and "faster than" in md, "Markdown has rows and verdicts", md)
    tap.ok(len(csv) == 4 and abs(float(dict(zip(csv[0].split(","), csv[1].split(",")))["cpu"]) - cpu[0]) < 1e-9,
           "CSV has the same numbers", csv)


def outputs(bench, db):
    return {bytes(row[0]) for row in bench.query(db, "SELECT data FROM attachment WHERE name = 'output'")}


def odd_commands(tap, bench):
    """Commands that read, flood, die, leave others behind, or take no time at all."""
    limit = ("--launches", "2", "-w", "0", "--no-wait")
    with subprocess.Popen([bench.archmeter, "time", "cat", *limit, "-o", "stdin.db"], cwd=bench.dir, env=bench.env,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as out:
        said = out.stdout.read()  # while its own input stays open
        tap.ok(out.wait(timeout=600) == 0, "one that reads its input finds none, and ends", said)
    out = bench.run("time", "head -c 9000000 /dev/zero", *limit, "-o", "flood.db")
    kept = outputs(bench, "flood.db")
    tap.ok(out.returncode == 0 and kept and all(0 < len(k) <= 16 << 10 for k in kept),
           "of one that prints 9 MB the end is kept", [len(k) for k in kept])
    out = bench.run("time", "sh -c 'kill -9 $$'", *limit, "-o", "died.db")
    tap.ok(out.returncode == 1 and "signal 9" in out.stderr, "one that dies by a signal is a failure with its number", out.stderr)
    out = bench.run("time", "sh -c 'kill -9 $$'", *limit, "-i", "-o", "died-i.db")
    codes = [r["metrics"]["exit_code"]["median"] for r in bench.results("died-i.db")]
    tap.ok(out.returncode == 0 and codes == [137], "with -i a code as a shell says it", f"{codes} {out.stderr}")
    began = time.monotonic()
    out = bench.run("time", "sh -c 'sleep 300 & echo here'", *limit, "-o", "behind.db")
    times = [r["metrics"]["time"]["median"] for r in bench.results("behind.db")]
    tap.ok(out.returncode == 0 and time.monotonic() - began < 200 and times[0] < 100 and outputs(bench, "behind.db") == {b"here\n"},
           "nobody waits for what a command leaves behind", f"{times} {out.stderr}")
    out = bench.run("time", "true", "true", *limit, "-o", "nothing.db")
    times = [r["metrics"]["time"]["median"] for r in bench.results("nothing.db")]
    tap.ok(out.returncode == 0 and all(t > 0 for t in times), "one that does nothing takes some time", times)
    out = bench.run("time", "sleep 300", *limit, "--launch-limit", "1s", "-o", "late.db")
    tap.ok(out.returncode == 1 and "1 s" in out.stdout + out.stderr, "one that takes too long is killed", out.stdout + out.stderr)
    left = [pid for pid in os.listdir("/proc") if pid.isdigit() and stands_in(pid, bench.dir)]
    tap.ok(not left, "and nothing runs on behind all these", left)


def odd_words(tap, bench):
    """What reaches a command is what was typed: braces, quotes, blanks, dollars, other alphabets."""
    cases = (
        (("printf =%s= {n}{x} {{n}}",), "n=1,2", {b"=1{x}=={1}=", b"=2{x}=={2}="}),
        (("printf =%s= {w}",), "w=a b,c'd", {b"=a b=", b"=c'd="}),
        (("printf =%s= '{w}' \"{w}\"",), "w=$HOME,*", {b"=$HOME==$HOME=", b"=*==*="}),
        (("printf =%s= ä{w}ß",), "w=日本", {"=ä日本ß=".encode()}),
        (("printf '=%s=' {w}",), "w=;echo evil", {b"=;echo evil="}),
        (("printf =%s= {w} | cat",), "w='a b',c", {b"=a b=", b"=c="}),  # a shell's line: as if it were typed there
    )
    for i, (lines, param, want) in enumerate(cases):
        out = bench.run("time", *lines, "-p", param, "--launches", "2", "-w", "0", "--no-wait", "-o", f"odd{i}.db")
        got = outputs(bench, f"odd{i}.db") if out.returncode == 0 else out.stderr
        tap.ok(got == want, f"{lines[0]} with {param}", got)


def bad_words(tap, bench):
    script(bench, "frobnicate", "true\n")
    env = dict(bench.env, PATH=bench.path("bin") + ":" + bench.env["PATH"])
    cases = (
        (("frobnicat x",), 'did you mean "frobnicate"'),
        (("./absent",), "no program is there"),
        (("",), "empty"),
        (("true 'x",), "quote"),
        (("frobnicate {leve}", "frobnicate {level}", "-p", "level=1"), "did you mean {level}"),
        (("true", "-p", "n=1"), "no command holds {n}"),
        (("true", "-p", "n"), "n"),
        (("true", "--prepaer", "x"), "--prepare"),
        (("true", "--launches", "0"), "launches"),
        (("true {run}", "-p", "run=1"), "run"),
        ((), "COMMAND"),
    )
    for words, story in cases:
        out = bench.run("time", *words, "-o", "bad.db", env=env)
        tap.ok(out.returncode == 2 and story in out.stderr and not os.path.exists(bench.path("bad.db")),
               f"{' '.join(words) or 'nothing'}: {story}", f"{out.returncode} {out.stdout}{out.stderr}")


def main():
    tap, bench = Tap(), Bench(sys.argv[1], sys.argv[2])
    bench.env = bench.real_env
    for part in (planted, parameters, failures, around, shells, used, odd_commands, odd_words, interrupted, sensitivity,
                 bad_words):
        part(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
