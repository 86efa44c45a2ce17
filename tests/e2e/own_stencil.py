# SPDX-License-Identifier: MIT
"""Shared by the tests of stencils that a user describes: descriptions, and errors planted into generated benches."""
import os
import sys

from e2e import Bench

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIPPED = os.path.join(ROOT, "examples", "stencil")
# Threads hand blocks on to each other thousands of times, and wait for their turn each time where others have the CPUs. Nobody waits
# for a calm machine: no time is looked at.
FAST = ("--quick", "--no-wait", "--launches", "1", "--samples", "1", "--min-batch", "50us", "--launch-limit", "300s")
LIGHT = (*FAST, "--flags", "-O1")  # compiling takes the time, and is not what is tested
SIZES = {1: ("n=1003", "steps=13", "depth=5", "wave=64"),
         2: ("n=45", "ny=37", "steps=7", "depth=3", "wave=5"),
         3: ("n=21", "ny=18", "nz=19", "steps=5", "depth=2", "wave=3", "strip=7")}
BOX = " + ".join(f"u[{x},{y},{z}]" for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1))
SIDES = ("stencil sides\ndimensions 3\nfield u\nfield v\ncoefficient k start 1 noise 0.1\ncoefficient h start 1 noise 0.2\nboundary fixed 0.3\n"
         f"boundary z mirror\nupdate u = k * k[0,1,-1] * ({BOX}) / 27 - 0.1 * v[-1,0,1]\n"
         "update v = 0.3 * v[0,1,1] + 0.4 * h * u.new[1,-1,0] - 0.1 * v.before * u + 0.01\n")
CUBE = ("stencil cube\ndimensions 3\nfield u\nboundary fixed 0.3\nboundary z mirror\n"
        f"update u = 0.03 * ({BOX}) + 0.4 * u - 0.2 * u.before\n")
STAR = ("stencil star\ndimensions 3\nfield u\nparameter r 0.125\nboundary fixed 0.3\nboundary z mirror\n"
        "update u = u + r * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6 * u)\n")
# Reaches far, so that rows lie in natural order; a second field that is made of the first one's new values.
FAR = ("stencil far\ndimensions 3\nfield u\nfield v\ncoefficient k start 0.1 noise 0.05\nparameter r 0.03\nboundary fixed 0.3\nboundary z mirror\n"
       "update u = 1.2 * u - 0.4 * u.before + k * (v[3,0,0] - v[-2,0,0] + r * (u[-5,0,0] + u[5,0,0]) + (u[0,-5,0] + u[0,5,0]) * r\n"
       "    + r * (u[0,0,-4] + u[0,0,3] - k[-4,0,0] * u[0,2,0]))\n"
       "    + 0.01 * (u[0,-1,0] + u[0,1,0] - u[0,-3,0] + u[0,4,0] + u[0,0,-1] - u[0,0,1] + u[0,0,2])\n"
       "update v = 0.5 * v + 0.2 * u.new[4,0,0] * k[3,0,0] - 0.1 * u.new[-1,0,0] + 0.05 * u[0,-1,0]\n")
# Reads from corners and edges of folds, further than one of them reaches, other fields and what the same step has made.
BEND = ("stencil bend\ndimensions 3\nfield u\nfield v\ncoefficient k start 0.1 noise 0.05\nparameter r 0.03\nboundary fixed 0.3\nboundary z mirror\n"
        "update u = 1.2 * u - 0.4 * u.before + k[0,2,-1] * (u[0,-5,0] + r * (u[-3,0,0] + u[2,0,0]) + u[0,5,0] * v[0,0,-3])\n"
        "    + r * (u[-1,2,-3] - u[1,-3,2] + u[0,0,4] - u[0,0,-4])\n"
        "update v = 0.5 * v + 0.2 * u.new[1,-2,3] * k - 0.1 * u.new[0,-1,0] + 0.05 * u[0,1,-1]\n")
# One update that reads 17 rows.
AROUND = " + ".join(f"u[{x},{y},{z}]" for i in range(1, 5) for d in (-i, i) for x, y, z in ((d, 0, 0), (0, d, 0), (0, 0, d)))
MANY = ("stencil many\ndimensions 3\nfield u\ncoefficient k start 0.1 noise 0.05\nboundary fixed 0.3\nboundary z mirror\n"
        f"update u = 1.2 * u - 0.4 * u.before + 0.05 * k * ({AROUND})\n")
# States of all visits, by the value of an axis.
SHOWN = ("SELECT param.value, group_concat(DISTINCT visit.state) FROM visit JOIN param ON param.point = visit.point "
         "JOIN axis ON axis.id = param.axis WHERE axis.name = '{}' GROUP BY param.value")
# States of visits, by the values of two axes.
SHOWN_BY_TWO = ("SELECT one.value, other.value, visit.state FROM visit JOIN param AS one ON one.point = visit.point "
                "JOIN axis ON axis.id = one.axis AND axis.name = '{}' JOIN param AS other ON other.point = visit.point "
                "JOIN axis AS second ON second.id = other.axis AND second.name = '{}'")
HEAT = """stencil heat
dimensions 2
field u
parameter r 0.2
boundary periodic
update u = u + r * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)
"""


class Own(Bench):
    """With the real workers, and nobody's own compilers and flags."""

    def __init__(self):
        super().__init__(sys.argv[1], sys.argv[2])
        for name in ("CC", "CFLAGS", "LDFLAGS", "LDLIBS"):
            self.real_env.pop(name, None)
        self.real_env["ASAN_OPTIONS"] += ":detect_leaks=0"

    def do(self, *words):
        return self.run(*words, env=self.real_env)

    def measure(self, db, *words):
        """Again where a busy machine hid the growth of time from batches of microseconds; what is verified stays verified."""
        for _ in range(4):
            if os.path.exists(self.path(db)):
                os.unlink(self.path(db))
            done = self.do("run", *words, "-o", db)
            if "time does not grow with the work" not in done.stdout + done.stderr:
                break
        return done

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()


def axes(dimensions, *more):
    """Sizes that fit nothing, unless others are given for an axis."""
    values = {value.split("=")[0]: value for value in (*SIZES[dimensions], *more)}
    return [word for value in values.values() for word in ("-p", value)]


def with_axis(text, name, then):
    """The text of a bench with an axis more, whose value an `int` of that name has before anything is prepared."""
    for piece, more in (("    {.name = \"variant\"", f"    {{.name = \"{name}\", .values = \"0\"}},\n"),
                        ("    passes = (double)", f"    {name} = (int)count(p, \"{name}\");\n{then}")):
        text = text.replace(piece, more + piece)
    return text.replace("#include <archmeter/bench.h>\n", f"#include <archmeter/bench.h>\nstatic int {name};\n")


def bench_of(own, name):
    done = own.do("stencil", "export", name + ".sten", "--language", "bench", "-o", name + ".c", "--force")
    return own.read(name + ".c") if done.returncode == 0 else ""


def with_planted(tap, text, planted):
    """In both types."""
    for i, (name, (piece, other)) in enumerate(planted.items(), 1):
        for kind, real in (("f64", "double"), ("f32", "float")):
            this, that = (words.replace("f64", kind).replace("double", real) for words in (piece, other.replace("WRONG", f"planted == {i}")))
            tap.ok(this in text or kind == "f32" and this == piece, f"there is a place for: {name}, {kind}")
            text = text.replace(this, that) if kind == "f64" or this != piece else text
    return with_axis(text, "planted", "")


def check_planted(tap, own, name, planted, *words):
    numbers = ",".join(str(i) for i in range(len(planted) + 1))
    done = own.measure(name + "-wrong.db", f"./{name}.c", *LIGHT, "-p", f"planted={numbers}", *words)
    states = dict(own.query(name + "-wrong.db", SHOWN.format("planted")))
    tap.ok(states.get(0) == "ok", f"{name} is right as it is", done.stdout[-2000:] + done.stderr[-2000:])
    for i, what in enumerate(planted, 1):
        tap.ok(states.get(i) == "fail", f"noticed: {what}", states)
    tap.ok(done.returncode == 1 and "off by" in done.stdout + done.stderr, "and said")


def check_planted_at_kinds(tap, own, name, planted, unseen, *words):
    """Noticed at every kind of sides, along x and y each; `unseen` has those where the error changes nothing."""
    numbers = ",".join(str(i) for i in range(len(planted) + 1))
    done = own.measure(name + "-wrong.db", f"./{name}.c", *LIGHT, "-p", f"planted={numbers}", "-p", "kinds=0,4,8", *words)
    states = {(i, kinds): state for i, kinds, state in own.query(name + "-wrong.db", SHOWN_BY_TWO.format("planted", "kinds"))}
    for i, what in enumerate(("nothing is planted", *planted)):
        wanted = {(i, kinds): "ok" if i == 0 or kinds in unseen.get(what, ()) else "fail" for kinds in (0, 4, 8)}
        got = {key: state for key, state in states.items() if key[0] == i}
        tap.ok(got == wanted, f"{name}, {what}: {got}", done.stdout[-2000:] + done.stderr[-2000:])
    tap.ok(done.returncode == 1 and "off by" in done.stdout + done.stderr, "and said")
