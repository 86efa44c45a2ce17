# SPDX-License-Identifier: MIT
"""Files from elsewhere run nothing and overwrite nothing unasked. Arguments: archmeter, its build folder."""
import os
import pty
import shutil
import sqlite3
import stat
import subprocess
import sys

from e2e import Bench, Tap

OWN = """test hello
build none
exec /bin/echo
arg took 1.5
result time s lower took ([0-9.]+)
reps 2
run
"""


def write(bench, name, text):
    with open(bench.path(name), "w", encoding="utf-8") as file:
        file.write(text)


def edit(bench, db, *statements):
    connection = sqlite3.connect(bench.path(db))
    connection.execute("PRAGMA ignore_check_constraints = ON")
    for sql in statements:
        connection.execute(*sql) if isinstance(sql, tuple) else connection.execute(sql)
    connection.commit()
    connection.close()


def reopen(bench, db, *more):
    """As a run that was interrupted before its first launch."""
    edit(bench, db, "UPDATE point SET stop_reason = NULL", "UPDATE run SET state = 'interrupted'", *more)


def elsewhere(bench, name):
    """The environment of somebody who agreed to nothing."""
    return dict(bench.env, XDG_DATA_HOME=bench.path(name))


def on_terminal(bench, env, answer, *args, meanwhile=None):
    """Runs it with a terminal as stdin and stderr, and answers the question, after doing something else."""
    main, other = pty.openpty()
    child = subprocess.Popen([bench.archmeter, *args], cwd=bench.dir, env=env, stdin=other, stderr=other,
                             stdout=subprocess.DEVNULL)
    os.close(other)
    said = b""
    try:
        while b"[y/N]" not in said:
            said += os.read(main, 4096)
        if meanwhile:
            meanwhile()
        os.write(main, answer)
        while True:
            said += os.read(main, 4096)
    except OSError:  # the end of a terminal
        pass
    os.close(main)
    return child.wait(), said.decode(errors="replace")


def experiments(tap, bench):
    write(bench, "own.exp", OWN)
    env = elsewhere(bench, "first")
    ran = bench.run("experiment", "own.exp", "-o", "a.db", env=env, trusting=False)
    tap.ok(ran.returncode == 2 and "runs: /bin/echo took 1.5" in ran.stderr and "--trust" in ran.stderr
           and not os.path.exists(bench.path("a.db")), "an experiment shows what it would run, and does not", ran.stderr)
    ran = bench.run("experiment", "own.exp", "--dry-run", env=env, trusting=False)
    tap.ok(ran.returncode == 0, "a dry run needs no consent", ran.stderr)
    ran = bench.run("experiment", "own.exp", "--trust", "-o", "a.db", env=env)
    tap.ok(ran.returncode == 0, "with --trust it runs", ran.stderr)
    ran = bench.run("experiment", "own.exp", "-o", "b.db", env=env, trusting=False)
    tap.ok(ran.returncode == 0 and "would" not in ran.stderr, "what was agreed to is not asked again", ran.stderr)
    write(bench, "own.exp", OWN.replace("took 1.5", "took 1.6"))
    ran = bench.run("experiment", "own.exp", "-o", "c.db", env=env, trusting=False)
    tap.ok(ran.returncode == 2, "another text is", ran.stderr)
    write(bench, "own.exp", OWN)
    key = os.path.join(bench.path("first"), "archmeter", "key")
    tap.ok(stat.S_IMODE(os.stat(key).st_mode) == 0o600 and os.path.getsize(key) == 32, "the key is the user's alone")
    os.chmod(key, 0o644)
    ran = bench.run("experiment", "own.exp", "-o", "c.db", env=env, trusting=False)
    tap.ok(ran.returncode == 2, "a key that others read binds nothing", ran.stderr)
    os.chmod(key, 0o600)
    code, said = on_terminal(bench, elsewhere(bench, "asked"), b"n\n", "experiment", "own.exp", "-o", "c.db")
    tap.ok(code == 2 and not os.path.exists(bench.path("c.db")), "on a terminal it asks: no", said)
    code, said = on_terminal(bench, elsewhere(bench, "asked"), b"y\n", "experiment", "own.exp", "-o", "c.db")
    tap.ok(code == 0 and os.path.exists(bench.path("c.db")), "on a terminal it asks: yes", said)
    other = elsewhere(bench, "raced")
    code, said = on_terminal(bench, other, b"y\n", "experiment", "own.exp", "-o", "race.db",
                             meanwhile=lambda: write(bench, "own.exp", OWN.replace("/bin/echo", "/bin/sh -c 'id > PWNED' x")))
    tap.ok(code == 0 and not os.path.exists(bench.path("PWNED")) and bench.results("race.db")[0]["state"] == "ok",
           "what runs is what was shown, although the file was changed while it asked", said)
    write(bench, "own.exp", OWN)
    stranger = elsewhere(bench, "stranger")
    os.makedirs(os.path.join(stranger["XDG_DATA_HOME"], "archmeter"))
    shutil.copy(os.path.join(bench.path("first"), "archmeter", "trusted"), os.path.join(stranger["XDG_DATA_HOME"], "archmeter"))
    ran = bench.run("experiment", "own.exp", "-o", "d.db", env=stranger, trusting=False)
    tap.ok(ran.returncode == 2 and not os.path.exists(bench.path("d.db")), "what another user agreed to binds nothing here", ran.stderr)
    os.makedirs(bench.path("copy"))
    write(bench, "copy/own.exp", OWN)
    ran = bench.run("experiment", "copy/own.exp", "-o", "d.db", env=env, trusting=False)
    tap.ok(ran.returncode == 2, "nor does it for the same text in another folder, whose programs are others", ran.stderr)
    write(bench, "esc.exp", OWN.replace("took 1.5", "took \u202e1.5"))
    ran = bench.run("experiment", "esc.exp", "-o", "d.db", env=env, trusting=False)
    tap.ok(ran.returncode == 2 and "\u202e" not in ran.stderr,
           "what is shown moves no cursor and turns no letters", ran.stderr)
    write(bench, "bench.exp", "test fake.work\nreps 2\nrun\n")
    ran = bench.run("experiment", "bench.exp", "--quick", "-o", "e.db", env=env, trusting=False)
    tap.ok(ran.returncode == 0, "an experiment of our own benches asks nothing", ran.stderr)


def hidden_acts(tap, bench):
    """All that an experiment would start is shown, wherever it stands in it."""
    env = elsewhere(bench, "hidden")
    write(bench, "sly.exp", """test sly
path below
exec {tool}
arg took 1.5
shell yes
build none
prepare touch PREPARED
cleanup touch CLEANED
variable tool
tool /bin/echo
env LD_PRELOAD=/tmp/sly.so
cpufreq 1000
result time s lower took ([0-9.]+)
reps 1
run
""")
    os.makedirs(bench.path("below"), exist_ok=True)
    ran = bench.run("experiment", "sly.exp", "-o", "sly.db", env=env, trusting=False)
    for act in ("prepares in a shell: touch PREPARED", "cleans up in a shell: touch CLEANED", "where {tool} is: /bin/echo",
                "sets: LD_PRELOAD=/tmp/sly.so", f"works in the folder: {os.path.realpath(bench.path('below'))}",
                f"by this program where it is there: {os.path.realpath(bench.dir)}/set_cpufreq"):
        tap.ok(ran.returncode == 2 and act in ran.stderr, f"it shows what it would do: {act.split(':')[0]}", ran.stderr)
    for what, text in (("longer", OWN.replace("took 1.5", "took 1.5 " + "x" * 3000 + " >PWNED")),
                       ("more", "".join(OWN.replace("hello", f"hello{i}").replace("1.5", f"1.{i}") for i in range(220)))):
        write(bench, "far.exp", text)
        code, said = on_terminal(bench, env, b"y\n", "experiment", "far.exp", "-o", "far.db")
        tap.ok(code == 2 and "[y/N]" not in said and "--trust" in said and not os.path.exists(bench.path("far.db")),
               f"of {what} than a person reads nothing is asked: it takes --trust", said)
    bench.run("run", "fake.work", "--quick", "-o", "reg.db", env=env)
    reopen(bench, "reg.db", "INSERT INTO setting (key, value) VALUES ('option.energy', 'yes'), ('option.meter-sys-cfg', 'yes')")
    ran = bench.run("resume", "reg.db", env=env)
    tap.ok(ran.returncode == 2 and "through physical memory" in ran.stderr, "nor are registers written unasked", ran.stderr)


def resumes(tap, bench):
    env = elsewhere(bench, "first")
    reopen(bench, "b.db")
    ran = bench.run("resume", "b.db", env=env)
    tap.ok(ran.returncode == 0 and "would do" not in ran.stderr, "one's own run is resumed without a question", ran.stderr)
    spec = bench.query("a.db", "SELECT value FROM setting WHERE key = 'experiment.spec'")[0][0]
    evil = spec.replace("build none", "build /bin/sh -c 'id > PWNED'")
    tap.ok(evil != spec, "the stored experiment has a line of build", spec)
    reopen(bench, "a.db", ("UPDATE setting SET value = ? WHERE key = 'experiment.spec'", (evil,)),
           "DELETE FROM value", "DELETE FROM sample", "DELETE FROM visit", "DELETE FROM launch")
    ran = bench.run("resume", "a.db", env=env)
    tap.ok(ran.returncode == 2 and "id > PWNED" in ran.stderr and not os.path.exists(bench.path("PWNED")),
           "a file that would run a command shows it, and does not", ran.stderr)
    tap.ok("not as it was written" in ran.stderr, "and is known to be edited", ran.stderr)
    bench.run("run", "fake.work", "--quick", "-o", "m.db", env=env)
    reopen(bench, "m.db", "INSERT INTO setting (key, value) VALUES ('option.energy', 'yes')",
           "INSERT INTO setting (key, value) VALUES ('option.meter-command', 'touch PWNED')")
    ran = bench.run("resume", "m.db", env=env)
    tap.ok(ran.returncode == 2 and "touch PWNED" in ran.stderr and not os.path.exists(bench.path("PWNED")),
           "a meter's command is shown, and not run", ran.stderr)


def tables(tap, bench):
    bench.run("run", "fake.work", "--quick", "-o", "t.db")
    os.makedirs(bench.path("below"), exist_ok=True)
    os.symlink("/tmp", bench.path("away"))
    query = "set db t.db\nfile {}\nformat csv\nquery SELECT 1 AS a\n"
    write(bench, "precious", "mine\n")
    os.symlink("../precious", bench.path("below/link.csv"))
    os.symlink("/dev/null", bench.path("device.csv"))
    for name in ("../x.csv", "/tmp/x.csv", ".bashrc", "below/../../x.csv", "away/x.csv", "below/.hidden"):
        write(bench, "t.tab", query.format(name))
        ran = bench.run("table", "t.tab")
        tap.ok(ran.returncode == 2 and "--trust" in ran.stderr and not os.path.exists(bench.path(name)),
               f"a table does not write {name}", ran.stderr)
    for name in ("below/link.csv", "device.csv"):
        write(bench, "t.tab", query.format(name))
        ran = bench.run("table", "t.tab")
        with open(bench.path("precious"), encoding="utf-8") as file:
            kept = file.read() == "mine\n"
        tap.ok(ran.returncode == 2 and kept and os.path.islink(bench.path(name)), f"nor through the link {name}", ran.stderr)
    for name in ("x.csv", "below/x.csv"):
        write(bench, "t.tab", query.format(name))
        ran = bench.run("table", "t.tab")
        tap.ok(ran.returncode == 0 and os.path.exists(bench.path(name)), f"it does write {name}", ran.stderr)
    write(bench, "t.tab", query.format("../x.csv"))
    ran = bench.run("table", "t.tab", "--trust")
    tap.ok(ran.returncode == 0 and os.path.exists(bench.path("../x.csv")), "and what it is told to", ran.stderr)
    os.remove(bench.path("../x.csv"))


def outputs(tap, bench):
    write(bench, "diary", "mine\n")
    write(bench, "t.tab", "set db t.db\nfile diary\nformat csv\nquery SELECT 1 AS a\n")
    for args in (("report", "t.db", "-o", "diary"), ("export", "t.db", "-o", "diary"), ("table", "t.tab"),
                 ("export", "t.db", "--samples", "--format", "csv", "-o", "diary"), ("model", "t.db", "-o", "diary")):
        ran = bench.run(*args)
        with open(bench.path("diary"), encoding="utf-8") as file:
            text = file.read()
        tap.ok(ran.returncode == 2 and text == "mine\n" and "--force" in ran.stderr,
               f"{' '.join(args)} does not replace another's file", ran.stderr)
    for args in (("report", "t.db", "-o", "p.html"), ("export", "t.db", "-o", "e.json"),
                 ("export", "t.db", "--format", "csv", "-o", "e.csv"),
                 ("export", "t.db", "--samples", "--format", "csv", "-o", "s.csv"),
                 ("export", "t.db", "--samples", "--format", "json", "-o", "s.json")):
        first, second = bench.run(*args), bench.run(*args)
        tap.ok(first.returncode == 0 and second.returncode == 0, f"{' '.join(args)} replaces its own", second.stderr)
    os.symlink("diary", bench.path("to-diary.html"))
    for command in (("report", "t.db", "-o", "to-diary.html"), ("run", "fake.work", "--quick", "-o", "to-diary.html")):
        ran = bench.run(*command)
        with open(bench.path("diary"), encoding="utf-8") as file:
            tap.ok(ran.returncode == 2 and file.read() == "mine\n", f"{command[0]} writes through no link", ran.stderr)
    ran = bench.run("export", "t.db", "-o", "diary", "--force")
    tap.ok(ran.returncode == 0, "--force replaces anything", ran.stderr)
    ran = bench.run("report", "t.db", "-o", "t.db", "--force")
    tap.ok(ran.returncode == 2 and bench.run("show", "t.db").returncode == 0, "but a run", ran.stderr)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    real = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])))
    bench.env["ARCHMETER_WORKERS"] += ":" + real
    experiments(tap, bench)
    hidden_acts(tap, bench)
    resumes(tap, bench)
    tables(tap, bench)
    outputs(tap, bench)
    tap.done()


main()
