# SPDX-License-Identifier: MIT
"""Shared by the end-to-end tests: run the program, read its database, print TAP."""
import json
import os
import sqlite3
import subprocess
import sys
import tempfile


def scratch_place():
    """In memory, where a run's many commits cost nothing, if there is room and programs may be started; else as usual."""
    try:
        space = os.statvfs("/dev/shm")
    except OSError:
        return None
    roomy = space.f_bavail * space.f_frsize >= 4 << 30 and not space.f_flag & os.ST_NOEXEC
    return "/dev/shm" if roomy else None


class Bench:
    """The built program with the fake worker, in a scratch folder of its own."""

    def __init__(self, archmeter, workers, real=None):
        self.archmeter = os.path.abspath(archmeter)
        self.scratch = tempfile.TemporaryDirectory(prefix="am-e2e-", dir=scratch_place())
        self.dir = self.scratch.name
        self.env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")
        # A fake worker's signals must reach the conductor as such in sanitizer builds too.
        self.env["ASAN_OPTIONS"] = "handle_segv=0:handle_sigill=0:handle_abort=0"
        self.env["ARCHMETER_WORKERS"] = os.path.abspath(workers)
        # A busy machine is not waited for, and nothing is repeated: tests count launches.
        self.env["ARCHMETER_WAIT"] = "0s"
        # Nobody's own tuned values decide what a test measures.
        self.env["XDG_DATA_HOME"] = os.path.join(self.dir, "data")
        self.env.pop("ARCHMETER_TUNING", None)
        self.real_env = dict(self.env)
        del self.real_env["ARCHMETER_WORKERS"]

    def path(self, name):
        return os.path.join(self.dir, name)

    @staticmethod
    def trusting(args):
        """Experiments of the tests are ours; test_consent.py asks what happens without the word."""
        return [*args, "--trust"] if args[:1] == ("experiment",) and "--trust" not in args else args

    def run(self, *args, env=None, timeout=900, trusting=True, **kwargs):
        args = self.trusting(args) if trusting else args
        return subprocess.run(
            [self.archmeter, *args], cwd=self.dir, env=env or self.env, timeout=timeout,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", **kwargs)

    def start(self, *args, env=None):
        return subprocess.Popen(
            [self.archmeter, *self.trusting(args)], cwd=self.dir, env=env or self.env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def results(self, db, *args):
        out = self.run("show", db, "--format", "json", *args)
        return json.loads(out.stdout)["results"]

    def query(self, db, sql, *args):
        connection = sqlite3.connect(f"file:{self.path(db)}?mode=ro", uri=True)
        try:
            return connection.execute(sql, args).fetchall()
        finally:
            connection.close()


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def ok(self, condition, sentence, detail=None):
        self.n += 1
        print(f"{'' if condition else 'not '}ok {self.n} - {sentence}", flush=True)
        if not condition:
            self.failed += 1
            for line in str(detail if detail is not None else "").splitlines()[:40]:
                print("#", line)
        return bool(condition)

    def skip(self, sentence, why):
        self.n += 1
        print(f"ok {self.n} - {sentence} # SKIP {why}", flush=True)

    def done(self):
        print(f"1..{self.n}")
        sys.exit(1 if self.failed else 0)
