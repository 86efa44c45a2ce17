# SPDX-License-Identifier: MIT
"""Stencils that a user describes: every shipped description measured in both types, plain, tiled and by waves, by one thread and
two, in sizes that fit nothing; errors planted into the generated code, which its verification must notice; exports
that compile alone and step as the bench does."""
import os
import shutil
import subprocess
import sys

from e2e import Bench, Tap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIPPED = os.path.join(ROOT, "examples", "stencil")
FAST = ("--quick", "--launches", "1", "--samples", "1", "--min-batch", "50us")
LIGHT = (*FAST, "--flags", "-O1")  # compiling takes the time, and is not what is tested
SIZES = {1: ("n=1003", "steps=13", "depth=5", "wave=64"),
         2: ("n=45", "ny=37", "steps=7", "depth=3", "wave=5"),
         3: ("n=21", "ny=18", "nz=19", "steps=5", "depth=2", "wave=3", "strip=7")}
COMPILED_AS_MEASURED = ("heat2d", "fdtd")  # by -O3, one field and several; whatever is timed is verified anyway
DIMENSIONS = {"heat1d": 1, "heat2d": 2, "heat3d": 3, "box9": 2, "box27": 3, "wave2": 3, "wave4": 3, "wave8": 3,
              "variable": 3, "anisotropic": 2, "fdtd": 2}
WIDE = ("wave4", "wave8")
# What is planted: a piece of the bench's text, and what stands in its place where the axis `planted` has its number.
PLANTED = {
    "beyond the sides nothing is copied": ("to - g->ghost[0], u + heat_f64_at(g, -g->ghost[0], yy, zz)",
                                           "to - g->ghost[0], WRONG ? to - g->ghost[0] : u + heat_f64_at(g, -g->ghost[0], yy, zz)"),
    "a block is skipped": ("if (low[0] >= high[0] ||", "if ((WRONG && shape->depth > 1 && low[1] == 8) || low[0] >= high[0] ||"),
    "blocks do not lean": ("index * size - level * heat_f64_RADIUS", "index * size - (WRONG ? 0 : level * heat_f64_RADIUS)"),
    "a coefficient is off": ("const double r = g->parameter[0];", "const double r = g->parameter[0] * (WRONG ? 1.0001 : 1);"),
    "a step is missing": ("for (long left = steps, now; left > 0; left -= now)",
                          "for (long left = WRONG ? steps - 1 : steps, now; left > 0; left -= now)"),
    "a neighbour is the wrong one": ("u__ym1z0[x]", "u__ym1z0[WRONG ? x + 1 : x]"),
}
# The same for waves of a star in three dimensions.
PLANTED_WAVES = {
    "a side is not set": ("    star_f64_set_sides(f, t, low, high);", "    if (!(WRONG))\n        star_f64_set_sides(f, t, low, high);"),
    "a lane's neighbour is the wrong one": ("row[(j - 1) * star_f64_LANES]", "row[(j - !(WRONG)) * star_f64_LANES]"),
    "levels do not lean": ("at[k] * size[k] - t * star_f64_RADIUS", "at[k] * size[k] - ((WRONG) ? 0 : t * star_f64_RADIUS)"),
    "a block is left out": ("            star_f64_do_block(f, &b, t % star_f64_STAGES, whole, rows == f->rows);",
                            "            if (!((WRONG) && s <= 9 && s + planes > 9 && r < 8))\n"
                            "                star_f64_do_block(f, &b, t % star_f64_STAGES, whole, rows == f->rows);"),
    "a weight is off": ("    star_f64_set_weights(w, f->weight);",
                        "    star_f64_set_weights(w, f->weight);\n    f->weight[1] *= (WRONG) ? 1.0001 : 1;"),
    "a periodic side is not copied": ("if (row++ % threads == me && (yy != y || zz != z))",
                                      "if (row++ % threads == me && (yy != y || zz != z) && !(WRONG))"),
    "a pass is too short": ("        now = star_f64_wave_steps(w, shape->depth, left);\n",
                            "        now = star_f64_wave_steps(w, shape->depth, left);\n        left -= WRONG;\n"),
}
# And where two arrays take turns: a box of second order in time.
PLANTED_TURNS = {
    "a corner is not set": ("const long more = cube_f64_CORNERS &&", "const long more = !(WRONG) && cube_f64_CORNERS &&"),
    "the step before is not copied": ("        if (cube_f64_SECOND)\n            cube_f64_copy_row", "        if (!(WRONG))\n            cube_f64_copy_row"),
    "a state is looked for in the other array": ("w->turn ^= now & 1;", "w->turn ^= now & !(WRONG);"),
    "a turned vector is another row's": ("const REAL *const from = row + j * cube_f64_LANES + 1;".replace("REAL", "double"),
                                         "const double *const from = row + j * cube_f64_LANES + !(WRONG);"),
}
# And where threads have parts of the rows: two dimensions, two threads.
PLANTED_PARTS = {
    "a neighbour's rows are not copied": ("        heat_f64_copy_state(w, heat_f64_part_row", "        if (!(WRONG))\n            heat_f64_copy_state(w, heat_f64_part_row"),
    "a part has a row too few": ("    f->fixed[k] = (double)heat_f64_fixed[d];",
                                 "    f->fixed[k] = (double)heat_f64_fixed[d];\n        f->n[k] -= (WRONG) && k == 1 && part == 1;"),
    "the last part is left out": ("part < w->parts; part += team->threads) {", "part < w->parts - (WRONG); part += team->threads) {"),
}
# And on an OpenCL device, in passes of several steps.
PLANTED_DEVICE = {
    "a point of the halo is taken for right": ("(unsigned)(tile[d] - 2 * halo[d]);", "(unsigned)(tile[d] - 2 * halo[d] + (WRONG));"),
    "a tile is left out": ("items[d] = card_f64_device.groups[d] * group[d];",
                           "items[d] = (card_f64_device.groups[d] - ((WRONG) && d == 0)) * group[d];"),
    "a step is missing": ("long left = card_f64_device.steps;", "long left = card_f64_device.steps - (WRONG);"),
    "a weight is off": ("card_f64_device.parameter[i] = (double)card_f64_values[i];",
                        "card_f64_device.parameter[i] = (double)card_f64_values[i] * ((WRONG) ? 1.0001 : 1);"),
    "a plane is left out": ("card_f64_device.own[1], card_f64_device.chunk};",
                            "card_f64_device.own[1], card_f64_device.chunk - (WRONG)};"),
}
CARD = ("stencil card\ndimensions 3\nfield u\nparameter r 0.125\nboundary x fixed 0.3\nboundary y periodic\nboundary z mirror\n"
        "update u = u - 0.8 * u + r * (u[-1,0,0] + u[0,1,0]) + 0.2 * u[1,0,0] + 0.1 * (u[0,-1,0] + u[0,0,1]) + 0.15 * u[0,0,-1]\n")
# And of several fields with coefficients.
PLANTED_FIELDS = {
    "what the same step has made is not set beyond sides": ("array % 2 ? other : 0", "array % 2 && !(WRONG) ? other : 0"),
    "a row's ends are not set": ("    for (long j = 0; j < sides_f64_ENDS; j++) {", "    for (long j = 0; j < sides_f64_ENDS && !(WRONG); j++) {"),
    "coefficients are not copied beyond sides": ("if (at[1] != start + y || at[2] != z || y < 0 || y >= rows)",
                                                 "if (!(WRONG) && (at[1] != start + y || at[2] != z || y < 0 || y >= rows))"),
    "an update is left out": ("    sides_f64_KERNELS(f->back, f->large, stage)[which](b);",
                              "    if (!(WRONG) || stage == 0)\n        sides_f64_KERNELS(f->back, f->large, stage)[which](b);"),
    "a coefficient is another one": ("2 * sides_f64_FIELDS + coefficient - w->turn", "2 * sides_f64_FIELDS + coefficient - (WRONG) - w->turn"),
}
BOX = " + ".join(f"u[{x},{y},{z}]" for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1))
SIDES = ("stencil sides\ndimensions 3\nfield u\nfield v\ncoefficient k start 1 noise 0.1\ncoefficient h start 1 noise 0.2\nboundary fixed 0.3\n"
         f"boundary z mirror\nupdate u = k * k[0,1,-1] * ({BOX}) / 27 - 0.1 * v[-1,0,1]\n"
         "update v = 0.3 * v[0,1,1] + 0.4 * h * u.new[1,-1,0] - 0.1 * v.before * u + 0.01\n")
CUBE = ("stencil cube\ndimensions 3\nfield u\nboundary fixed 0.3\nboundary z mirror\n"
        f"update u = 0.03 * ({BOX}) + 0.4 * u - 0.2 * u.before\n")
STAR = ("stencil star\ndimensions 3\nfield u\nparameter r 0.125\nboundary fixed 0.3\nboundary z mirror\n"
        "update u = u + r * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6 * u)\n")
# Waves of other shapes: radius 2 with weights that differ along all axes and directions; in one dimension; two rows at once.
SHAPES = {
    "slanted": (2, "boundary x mirror\nboundary y fixed 0.3\nupdate u = u[-1,-2] / 2 + 0.3 * u[2,1] - 0.2 * u[0,1] + 0.1 * u.before\n"),
    "wide": (2, "boundary x mirror\nboundary y fixed 0.3\nupdate u = 0.3 * u + 0.1 * (u[-2,0] + u[1,0]) + 0.2 * u[2,0] - 0.05 * u[0,-2] + 0.15 * u[0,-1] + u[0,2] / 8\n"),
    "ring": (1, "boundary periodic\nupdate u = 0.4 * u + 0.2 * u[-1] + 0.1 * u[1] + (u[-3] + u[3]) / 8\n"),
}
# Neighbours on one side only: nothing is held of the other, which compilers would warn of.
LOPSIDED = {
    "upwind": (1, "boundary periodic\nupdate u = 0.6 * u + 0.4 * u[2]\n"),
    "inflow": (2, "boundary fixed 1\nupdate u = 0.4 * u + 0.3 * u[1,0] + 0.3 * u[0,1]\n"),
    "corner": (3, "boundary mirror\nupdate u = 0.5 * u + 0.2 * u[1,1,0] + 0.3 * u[1,0,-1]\n"),
}
# States of all visits, by the value of an axis.
SHOWN = ("SELECT param.value, group_concat(DISTINCT visit.state) FROM visit JOIN param ON param.point = visit.point "
         "JOIN axis ON axis.id = param.axis WHERE axis.name = '{}' GROUP BY param.value")
HEAT = """stencil heat
dimensions 2
field u
parameter r 0.2
boundary periodic
update u = u + r * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)
"""
# Steps a grid by the exported C, and the same by the exported OpenCL C, compiled as C.
HARNESS = r"""
#include "kernel.c"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define __kernel
#define __global
static size_t id[3];
static size_t get_global_id(int d) { return id[d]; }
#include "kernel.cl"
#include "star.c"
#include "sides.kernel.c"
#include <pthread.h>
/* Waves by more threads than there are CPUs: parts of rows in two dimensions, strips in three. */
#define BY_THREADS(name, THREADS, DEPTH, X, Y, Z, R)                                               \
    static struct name##_waves name##_w;                                                           \
    static struct name##_team name##_five = {.threads = THREADS};                                   \
    static void *name##_thread(void *me)                                                           \
    {                                                                                              \
        const struct name##_shape shape = {DEPTH, 4, 5, 2};                                        \
        name##_wave_run(&name##_w, &shape, &name##_five, 7, (long)(size_t)me);                      \
        return NULL;                                                                               \
    }                                                                                              \
    static double name##_by_threads(void)                                                          \
    {                                                                                              \
        const long n[3] = {X, Y, Z};                                                               \
        const struct name##_shape plain = {1, 1, 1, 1};                                            \
        struct name##_grid g = {.parity = 0};                                                      \
        struct name##_team one = {.threads = 1};                                                   \
        pthread_t threads[THREADS];                                                                \
        double worst = 0;                                                                          \
        name##_lay_out(&g, n, 1);                                                                  \
        if (!name##_wave_lay_out(&name##_w, n, DEPTH, THREADS)) return 1;                          \
        for (int i = 0; i < 2 * name##_FIELDS; i++)                                                \
            g.field[i / 2][i % 2] = calloc((size_t)g.elements, sizeof(double));                    \
        for (int i = 0; i < name##_COEFFICIENTS; i++)                                              \
            g.coefficient[i] = calloc((size_t)g.elements, sizeof(double));                         \
        name##_w.field = aligned_alloc(64, ((size_t)name##_w.elements + 7) / 8 * 64);              \
        memset(name##_w.field, 0, (size_t)name##_w.elements * sizeof(double));                     \
        g.parameter[0] = name##_w.parameter[0] = R;                                                \
        for (long i = 0; i < X * Y * Z; i++) {                                                     \
            const long x = i % X, y = i / X % Y, z = i / (X * Y);                                  \
            for (int a = 0; a < name##_FIELDS + name##_COEFFICIENTS; a++) {                        \
                const int c = a - name##_FIELDS;                                                   \
                const double v = (double)((i * 7919 + a * 31) % 101) / 101;                        \
                char *const at = (char *)name##_wave_at(&name##_w, x, y, z);                       \
                if (c >= 0) {                                                                      \
                    g.coefficient[c][name##_at(&g, x, y, z)] = v;                                  \
                    *(double *)(at + name##_wave_coefficient(&name##_w, c)) = v;                   \
                    continue;                                                                      \
                }                                                                                  \
                g.field[a][0][name##_at(&g, x, y, z)] = g.field[a][1][name##_at(&g, x, y, z)] = v; \
                *(double *)(at + name##_wave_field(&name##_w, a)) = v;                             \
                if (name##_SECOND) *(double *)(at + name##_wave_before(&name##_w, a)) = v;         \
            }                                                                                      \
        }                                                                                          \
        name##_close(&g);                                                                          \
        name##_wave_close(&name##_w);                                                              \
        name##_run(&g, &plain, &one, 7, 0);                                                        \
        for (size_t i = 0; i < THREADS; i++)                                                       \
            pthread_create(&threads[i], NULL, name##_thread, (void *)i);                           \
        for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);                       \
        for (long i = 0; i < X * Y * Z; i++) {                                                     \
            const long x = i % X, y = i / X % Y, z = i / (X * Y);                                  \
            for (int f = 0; f < name##_FIELDS; f++)                                                \
                worst = fmax(worst, fabs(g.field[f][g.parity][name##_at(&g, x, y, z)] -            \
                                         *(double *)((char *)name##_wave_at(&name##_w, x, y, z) +  \
                                                     name##_wave_field(&name##_w, f))));           \
        }                                                                                          \
        return worst;                                                                              \
    }
BY_THREADS(heat_f64, 5, 2, 23, 47, 1, 0.2)
BY_THREADS(star_f64, 5, 3, 21, 38, 17, 0.125)
BY_THREADS(sides_f64, 5, 3, 21, 38, 17, 0)
int main(void)
{
    const long n[3] = {13, 11, 1};
    struct heat_f64_grid g = {.parity = 0};
    struct heat_f64_team team = {.threads = 1};
    const struct heat_f64_shape shape = {3, 4, 1, 2};
    const double exact = sides_f64_by_threads();
    double a[13 * 11], b[13 * 11], worst = 0;
    heat_f64_lay_out(&g, n, shape.depth);
    for (int i = 0; i < 2; i++) g.field[0][i] = calloc((size_t)g.elements, sizeof(double));
    g.parameter[0] = 0.2;
    for (long y = 0; y < 11; y++)
        for (long x = 0; x < 13; x++)
            a[x + 13 * y] = g.field[0][0][heat_f64_at(&g, x, y, 0)] = (double)((x * 7 + y * 5) % 11);
    heat_f64_close(&g);
    heat_f64_run(&g, &shape, &team, 6, 0);
    for (int step = 0; step < 6; step++) {
        for (id[1] = 0; id[1] < 11; id[1]++)
            for (id[0] = 0; id[0] < 13; id[0]++)
                heat_f64_update_u(step % 2 ? b : a, 0.2, 13, 11, 1, step % 2 ? a : b);
    }
    for (long y = 0; y < 11; y++)
        for (long x = 0; x < 13; x++)
            worst = fmax(worst, fabs(a[x + 13 * y] - g.field[0][g.parity][heat_f64_at(&g, x, y, 0)]));
    worst = fmax(worst, fmax(heat_f64_by_threads(), star_f64_by_threads()));
    /* Formulas are calculated in the order of plain sweeps: no bit differs. */
    printf("%g, %g\n", worst, exact);
    return worst < 1e-13 && exact == 0 ? 0 : 1;
}
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
    return [word for value in (*SIZES[dimensions], *more) for word in ("-p", value)]


def axes_of(name, *more):
    """Those of a shipped description: a wide one needs more vectors in a row than it reaches."""
    words = axes(DIMENSIONS[name], *more)
    return ["n=81" if word == "n=21" and name in WIDE else word for word in words]


def test_shipped(tap, own):
    names = sorted(name[:-len(".sten")] for name in os.listdir(SHIPPED))
    tap.ok(names == sorted(DIMENSIONS), "every shipped description is measured here", names)
    for name, dimensions in DIMENSIONS.items():
        done = own.measure(name + ".db", os.path.join(SHIPPED, name + ".sten"), *(FAST if name in COMPILED_AS_MEASURED else LIGHT),
                           *axes_of(name, "type=f32,f64", "rows=4" if dimensions > 1 else "rows=1", "threads=1,2"))
        states = own.query(name + ".db", "SELECT state, count(*) FROM visit GROUP BY state") if done.returncode == 0 else []
        tap.ok(states == [("ok", 12)], f"{name}: all points are right {states}",
               done.stdout[-3000:] + done.stderr[-3000:])


def with_axis(text, name, then):
    """The text of a bench with an axis more, whose value an `int` of that name has before anything is prepared."""
    for piece, more in (("    {.name = \"variant\"", f"    {{.name = \"{name}\", .values = \"0\"}},\n"),
                        ("    passes = (double)", f"    {name} = (int)count(p, \"{name}\");\n{then}")):
        text = text.replace(piece, more + piece)
    return text.replace("#include <archmeter/bench.h>\n", f"#include <archmeter/bench.h>\nstatic int {name};\n")


def bench_of(own, name):
    done = own.do("stencil", "export", name + ".sten", "--language", "bench", "-o", name + ".c", "--force")
    return own.read(name + ".c") if done.returncode == 0 else ""


KINDS = ("periodic", "fixed", "mirror")


def with_kinds(text, name):
    """The text with an axis for every pair of kinds along every pair of dimensions."""
    text = text.replace(f"static const int {name}_f64_sides[3]", f"static int {name}_f64_sides[3]")
    text = text.replace(f"{name}_f64_fixed[3] = {{0.3, 0.3, 0}}", f"{name}_f64_fixed[3] = {{0.3, 0.3, 0.3}}")
    return with_axis(text, "kinds", "    for (int d = 0; d < 3; d++)\n"
                     f"        {name}_f64_sides[d] = (d < 2 ? kinds / (d ? 3 : 1) : kinds + kinds / 3) % 3;\n")


def check_kinds(tap, own, name, *more):
    done = own.measure(name + ".db", f"./{name}.c", *LIGHT, *axes(3, "threads=1,2", "kinds=0,1,2,3,4,5,6,7,8", *more))
    states = dict(own.query(name + ".db", SHOWN.format("kinds"))) if done.returncode == 0 else {}
    for i in range(9):
        words = KINDS[i % 3], KINDS[i // 3], KINDS[(i + i // 3) % 3]
        tap.ok(states.get(i) == "ok", f"{name}: sides {', '.join(words)}", done.stdout[-2000:] + done.stderr[-2000:])


def with_planted(tap, text, planted):
    for i, (name, (piece, other)) in enumerate(planted.items(), 1):
        tap.ok(piece in text, f"there is a place for: {name}")
        text = text.replace(piece, other.replace("WRONG", f"planted == {i}"))
    return with_axis(text, "planted", "")


def check_planted(tap, own, name, planted, *words):
    numbers = ",".join(str(i) for i in range(len(planted) + 1))
    done = own.measure(name + "-wrong.db", f"./{name}.c", *LIGHT, "-p", f"planted={numbers}", *words)
    states = dict(own.query(name + "-wrong.db", SHOWN.format("planted")))
    tap.ok(states.get(0) == "ok", f"{name} is right as it is", done.stdout[-2000:] + done.stderr[-2000:])
    for i, what in enumerate(planted, 1):
        tap.ok(states.get(i) == "fail", f"noticed: {what}", states)
    tap.ok(done.returncode == 1 and "off by" in done.stdout + done.stderr, "and said")


def test_boundaries(tap, own):
    """A box with its corners and a second field: one program, in which kinds of boundaries are variables."""
    own.write("sides.sten", SIDES)
    own.write("sides.c", with_kinds(with_planted(tap, bench_of(own, "sides"), PLANTED_FIELDS), "sides"))
    check_kinds(tap, own, "sides", "rows=2", "variant=tiled,wave")
    check_planted(tap, own, "sides", PLANTED_FIELDS, *axes(3, "variant=wave", "kinds=6"))


def test_waves(tap, own):
    own.write("star.sten", STAR)
    own.write("star.c", with_kinds(with_planted(tap, bench_of(own, "star"), PLANTED_WAVES), "star"))
    check_kinds(tap, own, "star", "variant=wave")
    check_planted(tap, own, "star", PLANTED_WAVES, *axes(3, "variant=wave", "kinds=5"))
    own.write("cube.sten", CUBE)
    own.write("cube.c", with_kinds(with_planted(tap, bench_of(own, "cube"), PLANTED_TURNS), "cube"))
    check_kinds(tap, own, "cube", "variant=wave")
    check_planted(tap, own, "cube", PLANTED_TURNS, *axes(3, "variant=wave", "kinds=5"))
    for name, (dimensions, update) in SHAPES.items():
        own.write(name + ".sten", f"stencil {name}\ndimensions {dimensions}\nfield u\n" + update)
        words = ["-p", "n=23,1003" if dimensions == 1 else "n=23,45"]
        for value in (*SIZES[dimensions][1:], "variant=wave", "threads=1,2", "type=f32,f64"):
            words += ["-p", value]
        done = own.measure(name + ".db", f"./{name}.sten", *LIGHT, *words)
        tap.ok(done.returncode == 0, f"waves of {name}", done.stdout[-2000:] + done.stderr[-2000:])


def test_devices(tap, own):
    """Tiles that end within the grid, passes and steps left over; one sweep per step of what has no waves."""
    own.real_env["POCL_CACHE_DIR"] = own.dir
    done = own.measure("fdtd-device.db", os.path.join(SHIPPED, "fdtd.sten"), *LIGHT, *axes(2, "type=f32", "variant=device"))
    if "no OpenCL" in done.stdout + done.stderr or "no device of this number" in done.stdout + done.stderr:
        tap.skip("described stencils on a device", "there is none")
        return
    tap.ok(done.returncode == 0, "several fields and coefficients on a device", done.stdout[-2000:] + done.stderr[-2000:])
    own.write("card.sten", CARD)
    own.write("card.c", with_planted(tap, bench_of(own, "card"), PLANTED_DEVICE))
    words = [word for value in ("n=75", "ny=29", "nz=18", "steps=9", "depth=4") for word in ("-p", value)]
    check_planted(tap, own, "card", PLANTED_DEVICE, *words, "-p", "variant=device-wave")


def test_planted(tap, own):
    own.write("heat.sten", HEAT)
    own.write("wrong.c", with_planted(tap, bench_of(own, "heat"), PLANTED))
    check_planted(tap, own, "wrong", PLANTED, "-p", "variant=tiled", *axes(2))
    own.write("parts.c", with_planted(tap, bench_of(own, "heat"), PLANTED_PARTS))
    check_planted(tap, own, "parts", PLANTED_PARTS, *axes(2, "variant=wave", "threads=2"))


def test_export(tap, own):
    for language, name, of in (("c", "kernel.c", "heat.sten"), ("opencl", "kernel.cl", "heat.sten"), ("c", "star.c", "star.sten"),
                               ("c", "sides.kernel.c", "sides.sten")):
        done = own.do("stencil", "export", of, "--language", language, "-o", name, "--force")
        tap.ok(done.returncode == 0, f"exported as {language}", done.stderr)
    own.write("harness.c", HARNESS)
    tried = set()
    for compiler in ("cc", "gcc", "clang"):
        program = os.path.realpath(shutil.which(compiler) or "")
        if not shutil.which(compiler) or program in tried:
            tap.skip(f"compiled by {compiler}", "not here, or by another name")
            continue
        tried.add(program)
        made = subprocess.run([compiler, "-std=gnu17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-pthread", "harness.c", "-o",
                               "harness", "-lm"], cwd=own.dir, capture_output=True, text=True, timeout=300)
        if not tap.ok(made.returncode == 0 and "warning" not in made.stderr, f"{compiler} compiles it without a warning",
                      made.stderr):
            continue
        ran = subprocess.run([own.path("harness")], capture_output=True, text=True, timeout=300)
        tap.ok(ran.returncode == 0, f"C, OpenCL C and five threads step alike: {ran.stdout.strip()}", ran.stderr)


def test_export_lopsided(tap, own):
    """Users compile with their own warnings, as errors."""
    for name, (dimensions, update) in LOPSIDED.items():
        own.write(name + ".sten", f"stencil {name}\ndimensions {dimensions}\nfield u\n" + update)
        done = own.do("stencil", "export", name + ".sten", "-o", name + ".c", "--force")
        made = subprocess.run(["cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", name + ".c"], cwd=own.dir,
                              capture_output=True, text=True, timeout=300)
        tap.ok(done.returncode == 0 and made.returncode == 0, f"{name}: exported C has nothing to warn of", done.stderr + made.stderr[-2000:])


def test_tuned(tap, own):
    done = own.do("tune", "./heat.sten", "-p", "variant=tiled", "-p", "n=64", "-p", "depth=2,4", "-p", "wave=8", "-p",
                  "rows=2", "-p", "strip=1", "--tuning", own.path("tuning"), "-o", "tune.db")
    tap.ok(done.returncode == 0, "tune finds a shape", done.stdout + done.stderr)
    kept = False  # unless it was shown to be better than what is taken without it
    if os.path.exists(own.path("tuning")):
        with open(own.path("tuning"), encoding="utf-8") as file:
            kept = "heat" in file.read()
    done = own.do("stencil", "export", "heat.sten", "--tuning", own.path("tuning"))
    named = ".wave = 8, .strip = 1, .rows = 2}" in done.stdout and "as tuned" in done.stderr
    tap.ok(done.returncode == 0 and named == kept, "export names the tuned shape, if one was kept", done.stdout[:1500] + done.stderr)


def test_refused(tap, own):
    own.write("bad.sten", HEAT.replace("u[-1,0]", "w[-1,0]"))
    for words in (("run", "./bad.sten"), ("list", "bad.sten"), ("stencil", "export", "bad.sten")):
        done = own.do(*words)
        tap.ok(done.returncode == 2 and 'bad.sten:6:21: "w" is no field' in done.stderr, f"{words[0]}: {done.stderr.strip()}")
    own.write("boom.sten", "stencil boom\ndimensions 1\nfield u\nboundary mirror\nupdate u = 1e200 * u * u + u[1]\n")
    done = own.do("run", "./boom.sten", *FAST, "--flags", "-O0", "-p", "variant=plain", "-p", "n=64", "-p", "steps=8", "-o", "boom.db")
    tap.ok(done.returncode == 3 and "values are no numbers" in done.stdout + done.stderr, "what overflows is not measured",
           done.stdout[-2000:] + done.stderr[-2000:])
    done = own.do("stencil", "exprot", "heat.sten")
    tap.ok(done.returncode == 2 and "export" in done.stderr, "a wrong word is refused", done.stderr)
    done = own.do("stencil", "export", "none.sten")
    tap.ok(done.returncode == 2 and "none.sten" in done.stderr, "a file that is not there too", done.stderr)


def main():
    tap, own = Tap(), Own()
    if not shutil.which("cc"):
        tap.skip("stencils of the user's own", "there is no C compiler")
        tap.done()
        return
    for test in (test_shipped, test_boundaries, test_waves, test_devices, test_planted, test_export, test_export_lopsided, test_tuned,
                 test_refused):
        test(tap, own)
    tap.done()


main()
