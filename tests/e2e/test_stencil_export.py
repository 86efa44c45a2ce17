# SPDX-License-Identifier: MIT
"""Stencils that a user describes, taken along: exports that compile alone and step as the bench does, the loop that tuning found
faster, OpenCL devices, and what is refused."""
import ctypes
import os
import re
import shutil
import subprocess

from e2e import Tap
from far_stencil import check_targets
from own_stencil import FAR, FAST, HEAT, LIGHT, ROOT, SHIPPED, SIDES, STAR, Own, axes, bench_of, check_planted, with_planted

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
# What a careful user's compiler may say of exports.
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
# Neighbours on one side only, or none at the point itself: nothing is held of the other, which compilers would warn of.
LOPSIDED = {
    "jacobi": (2, "boundary fixed 0.25\nupdate u = 0.25 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1])\n"),
    "shift": (2, "boundary periodic\nupdate u = 0.5 * u[1,0] + 0.4 * u[0,1]\n"),
    "upwind": (1, "boundary periodic\nupdate u = 0.6 * u + 0.4 * u[2]\n"),
    "inflow": (2, "boundary fixed 1\nupdate u = 0.4 * u + 0.3 * u[1,0] + 0.3 * u[0,1]\n"),
    "corner": (3, "boundary mirror\nupdate u = 0.5 * u + 0.2 * u[1,1,0] + 0.3 * u[1,0,-1]\n"),
}
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


# A program around an exported wave: any number of threads, which changes from run to run while the team stays; "wrong" steps by
# another r.
ALONE = r"""
#include "FILE"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { X = 75, Y = DIM > 1 ? 29 : 1, Z = DIM > 2 ? 18 : 1, STEPS = 5 + 4 + 2 };
static const struct NAME_shape shape = {.depth = 4, .strip = 6};
static struct NAME_waves w;
static struct NAME_team team;
static long steps;
static double u[2][X * Y * Z];
static double at(const double *from, long x, long y, long z)
{
    const long p[3] = {x, y, z}, n[3] = {X, Y, Z};
    long i = 0;
    for (int d = 2; d >= 0; d--) {
        if ((p[d] < 0 || p[d] >= n[d]) && DIM > 1) return 0.5;
        i = i * n[d] + (p[d] + n[d]) % n[d];
    }
    return from[i];
}
static void *step(void *me)
{
    NAME_wave_run(&w, &shape, &team, steps, (long)(size_t)me);
    return NULL;
}
static void go(long threads, long so_many)
{
    pthread_t thread[16];
    team.threads = threads;
    steps = so_many;
    for (long i = 0; i < threads; i++) pthread_create(&thread[i], NULL, step, (void *)(size_t)i);
    for (long i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}
int main(int argc, char **argv)
{
    const long n[3] = {X, Y, Z}, threads = argc > 1 ? atol(argv[1]) : 1;
    const double r = DIM == 1 ? 0.25 : DIM == 2 ? 0.2 : 0.125, other = argc > 2 ? 1.001 * r : r;
    double worst = 0;
    if (!NAME_wave_lay_out(&w, n, shape.depth, threads)) return 2;
    w.field = (REAL *)aligned_alloc(64, ((size_t)w.elements * sizeof(REAL) + 63) / 64 * 64);
    if (!w.field) return 2;
    memset(w.field, 0, (size_t)w.elements * sizeof(REAL));
    w.parameter[0] = (REAL)other;
    for (long i = 0; i < X * Y * Z; i++)
        *NAME_wave_at(&w, i % X, i / X % Y, i / (X * Y)) = (REAL)(u[0][i] = (double)(i * 7919 % 128) / 128);
    NAME_wave_close(&w);
    go(threads, 5);
    go(4 - threads, 4);
    go(2, 2);
    for (int t = 0; t < STEPS; t++)
        for (long i = 0; i < X * Y * Z; i++) {
            const long x = i % X, y = i / X % Y, z = i / (X * Y);
            const double *const v = u[t % 2];
            double sum = at(v, x - 1, y, z) + at(v, x + 1, y, z);
            if (DIM > 1) sum += at(v, x, y - 1, z) + at(v, x, y + 1, z);
            if (DIM > 2) sum += at(v, x, y, z - 1) + at(v, x, y, z + 1);
            u[(t + 1) % 2][i] = (1 - 2 * DIM * r) * v[i] + r * sum;
        }
    for (long i = 0; i < X * Y * Z; i++)
        worst = fmax(worst, fabs(u[STEPS % 2][i] - (double)*NAME_wave_at(&w, i % X, i / X % Y, i / (X * Y))));
    printf("%g\n", worst);
    return worst < WANTED ? 0 : 1;
}
"""


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


def test_export(tap, own):
    for name, text in (("heat", HEAT), ("star", STAR), ("sides", SIDES)):
        own.write(name + ".sten", text)
    for language, name, of in (("c", "kernel.c", "heat.sten"), ("opencl", "kernel.cl", "heat.sten"), ("c", "star.c", "star.sten"),
                               ("c", "sides.kernel.c", "sides.sten")):
        done = own.do("stencil", "export", of, "--language", language, "--loop", "all", "-o", name, "--force")
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


def test_export_waves(tap, own):
    """The wave's code alone, as a user compiles it, beside a loop that shares nothing with it."""
    for name, dimensions, kind in (("heat1d", 1, "f64"), ("heat2d", 2, "f32"), ("heat3d", 3, "f64")):
        done = own.do("stencil", "export", os.path.join(SHIPPED, name + ".sten"), "--type", kind, "-o", name + ".c", "--force")
        text = own.read(name + ".c") if done.returncode == 0 else ""
        tap.ok(f"{name}_{kind}_wave_run(" in text and f" {name}_{kind}_run(" not in text, f"{name}: waves and nothing else are written",
               done.stderr)
        own.write("alone.c", ALONE.replace("NAME", f"{name}_{kind}").replace("FILE", name + ".c").replace(
            "REAL", "float" if kind == "f32" else "double").replace("DIM", str(dimensions)).replace(
                "WANTED", "1e-5" if kind == "f32" else "1e-14"))
        made = subprocess.run(["cc", "-std=gnu17", "-O3", "-march=native", *STRICT, "alone.c", "-o", "alone", "-pthread", "-lm"],
                              cwd=own.dir, capture_output=True, text=True, timeout=300)
        if not tap.ok(made.returncode == 0, f"{name}: compiled without a warning", made.stderr[-2000:]):
            continue
        for threads in ("1", "3"):
            ran = subprocess.run([own.path("alone"), threads], capture_output=True, text=True, timeout=300)
            tap.ok(ran.returncode == 0, f"{name}, {threads} thread(s): off by {ran.stdout.strip()}", ran.stderr)
        wrong = subprocess.run([own.path("alone"), "1", "wrong"], capture_output=True, text=True, timeout=300)
        tap.ok(wrong.returncode == 1, f"{name}: another r is noticed", wrong.stdout)


def test_export_lopsided(tap, own):
    """Users compile with their own warnings, as errors, and in C++."""
    for name, (dimensions, update) in LOPSIDED.items():
        own.write(name + ".sten", f"stencil {name}\ndimensions {dimensions}\nfield u\n" + update)
        done = own.do("stencil", "export", name + ".sten", "-o", name + ".c", "--force")
        tap.ok(done.returncode == 0, f"{name}: exported", done.stderr)
        for words in (("cc", "-std=c11"), ("clang", "-std=c11"), ("c++", "-x", "c++", "-std=c++17")):
            if not shutil.which(words[0]):
                tap.skip(f"{name}: {words[0]}", "not here")
                continue
            made = subprocess.run([*words, *STRICT, "-Wunused", "-fsyntax-only", name + ".c"], cwd=own.dir, capture_output=True, text=True,
                                  timeout=300)
            tap.ok(made.returncode == 0, f"{name}: {words[0]} has nothing to warn of", made.stderr[-2000:])


def test_tuned(tap, own):
    own.write("heat.sten", HEAT)
    done = own.do("tune", "./heat.sten", "-p", "variant=tiled", "-p", "n=64", "-p", "depth=2,4", "-p", "wave=8", "-p",
                  "rows=2", "--tuning", own.path("tuning"), "-o", "tune.db")
    tap.ok(done.returncode == 0, "tune finds a shape", done.stdout + done.stderr)
    kept = False  # unless it was shown to be better than what is taken without it
    if os.path.exists(own.path("tuning")):
        with open(own.path("tuning"), encoding="utf-8") as file:
            kept = "heat" in file.read()
    done = own.do("stencil", "export", "heat.sten", "--loop", "tiled", "--tuning", own.path("tuning"))
    named = ".wave = 8, .strip = 1, .rows = 2}" in done.stdout and "as tuned" in done.stderr
    tap.ok(done.returncode == 0 and named == kept, "export names the tuned shape, if one was kept", done.stdout[:1500] + done.stderr)


def test_winner(tap, own):
    """Of the case that was tuned last the faster loop is written, with its shape; another grid's rates do not count."""
    line = "tuned own.heat {version} here for variant={variant} type={kind} n={n} ny=0 nz=0 steps=16 threads=1 use {use} by measure {metric} {rate} {date}"
    waves = {"variant": "wave", "kind": "f64", "n": 512, "use": "depth=12 wave=1 strip=1 rows=1", "metric": "updates", "rate": "4e9",
             "date": "2026-01-02T00:00:00Z"}
    tiles = {**waves, "variant": "tiled", "use": "depth=6 wave=8 strip=1 rows=2", "rate": "3e9", "date": "2026-01-03T00:00:00Z"}
    for what, entries, wanted in (
            ("waves are faster", (waves, tiles), (".depth = 12, .strip = 1}", "_wave_run(")),
            ("tiles are faster", (waves, {**tiles, "rate": "5e9"}), ("{.depth = 6, .wave = 8, .strip = 1, .rows = 2}", "_f64_run(")),
            ("tiles of another grid are faster", ({**waves, "date": "2026-01-04T00:00:00Z"}, {**tiles, "n": 64, "rate": "5e9"}),
             (".depth = 12, .strip = 1}", "_wave_run(")),
            ("tiles of another type are faster", (waves, {**tiles, "kind": "f32", "rate": "5e9"}), (".depth = 12, .strip = 1}", "_wave_run(")),
            ("tiles have another metric", (tiles, {**waves, "metric": "energy", "rate": "9e9"}),
             ("{.depth = 6, .wave = 8, .strip = 1, .rows = 2}", "_f64_run("))):
        own.write("rates", "archmeter-tuning 1\n" + "".join(line.format(version=1, **e) + "\n" for e in entries))
        done = own.do("stencil", "export", "heat.sten", "--tuning", own.path("rates"))
        other = "_f64_run(struct" if wanted[1] == "_wave_run(" else "_wave_run(struct"
        tap.ok(done.returncode == 0 and all(word in done.stdout for word in wanted) and other not in done.stdout, f"{what}: that loop is written",
               done.stdout[:1500] + done.stderr)
    done = own.do("stencil", "export", "heat.sten", "--loop", "tiled", "--tuning", own.path("rates"))
    tap.ok(done.returncode == 0 and "_wave_run(struct" not in done.stdout, "or the one that was asked for", done.stderr)


def test_folds(tap, own):
    """Where waves would make sweeps folds are written, unless others were measured to be faster."""
    own.write("far.sten", FAR)
    line = ("tuned own.far 1 here for variant={} type=f64 n=256 ny=0 nz=0 steps=8 threads=1 use strip=48 by measure updates {} 2026-01-02T00:00:00Z\n")
    for what, lines, wanted in (("nothing was tuned", "", "_fold_run("), ("waves are faster", line.format("fold", "3e9") + line.format("wave", "4e9"), "_wave_run("),
                                ("folds are faster", line.format("fold", "4e9") + line.format("wave", "3e9"), "_fold_run(")):
        own.write("rates", "archmeter-tuning 1\n" + lines)
        done = own.do("stencil", "export", "far.sten", "--tuning", own.path("rates"))
        written = [loop for loop in ("_fold_run(", "_wave_run(", "_f64_run(") if loop + "struct" in done.stdout]
        tap.ok(done.returncode == 0 and written == [wanted] and (not lines or ".strip = 48}" in done.stdout), f"{what}: {written}",
               done.stdout[:1500] + done.stderr)
        if wanted == "_fold_run(":
            own.write("far_alone.c", done.stdout)
            for words in (("cc", "-std=c11"), ("cc", "-std=c11", "-march=native"), ("clang", "-std=c11"), ("c++", "-x", "c++", "-std=c++17")):
                if not shutil.which(words[0]):
                    tap.skip(f"folds: {words[0]}", "not here")
                    continue
                made = subprocess.run([*words, *STRICT, "-Wunused", "-fsyntax-only", "far_alone.c"], cwd=own.dir, capture_output=True, text=True, timeout=300)
                tap.ok(made.returncode == 0, f"folds: {words[0]} has nothing to warn of", made.stderr[-2000:])


def check_paths(tap, own):
    """Nothing is lost: not what somebody has changed in an export, nor a bench of their own, nor the description."""
    os.mkdir(own.path("a 'b"))
    own.write("a 'b/he\"at.sten", HEAT)
    code = "a 'b/he\"at.c"
    for words, then, wanted, story in (
            ((), None, 0, ""), ((), None, 0, ""), ((), "/* archmeter's, and changed by hand */", 2, "holds something else; --force replaces it"),
            (("--force",), None, 0, "")):
        if then:
            own.write(code, then)
        done = own.do("stencil", "export", "a 'b/he\"at.sten", "-o", code, *words)
        tap.ok(done.returncode == wanted and story in done.stderr, f"written to an odd path{''.join(words)}: {done.returncode}", done.stderr)
        tap.ok((own.read(code) == then) == (wanted == 2), "and nothing is lost")
    for words, wanted, story in ((("-o", "heat.sten"), 2, "heat.sten: is the description itself"),
                                 (("-o", "heat.sten", "--force"), 2, "heat.sten: is the description itself"),
                                 (("-o", "none/heat.c"), 3, "cannot create none/heat.c: No such file"),
                                 (("-o", "a 'b"), 3, "cannot write a 'b: Is a directory"),
                                 (("-o", "/dev/full"), 3, "cannot write /dev/full: No space left")):
        done = own.do("stencil", "export", "heat.sten", *words)
        tap.ok(done.returncode == wanted and story in done.stderr, f"export {' '.join(words)}: {story}", done.stderr)
    tap.ok(own.read("heat.sten") == HEAT, "the description is as it was")
    tap.ok("heat_f64_wave_run" in own.do("stencil", "export", "heat.sten", "-o", "-").stdout, "- is standard output")


def advised(code):
    """The calls in the first comment of an export as a program, a value for each of its dots and the points in a loop."""
    lines = [line[len(" *     "):] for line in code[:code.index("*/")].split("\n") if line.startswith(" *     ")]
    lines = lines[next(i for i, line in enumerate(lines) if "_shape shape" in line):]
    body = []
    for line in lines:
        line = re.sub(r"(\w+\.(?:field|coefficient)[\d\[\]]*) = \.\.\.", r"\1 = room()", line).replace("= ...", "= 0.5")
        body.append(("for (long z = 0; z < nz; z++) for (long y = 0; y < ny; y++) for (long x = 0; x < nx; x++)\n    " if "_at(" in line
                     else "") + line)
    return ('#include "code.c"\n#include <stdlib.h>\nstatic double *room(void)\n{\n    void *p = aligned_alloc(64, 1 << 23);\n'
            "    return memset(p, 0, 1 << 23);\n}\nstatic void all(long nx, long ny, long nz, long steps, long me)\n{\n"
            + "\n".join(body) + "\n}\nint main(void)\n{\n    all(40, 24, 24, 3, 0);\n    return 0;\n}\n")


def test_advice(tap, own):
    """What an export's first comment says is what a program has to do: it compiles, runs, and names all that is to be set."""
    for what, text in (("sides", SIDES), ("heat", HEAT), ("far", FAR)):
        own.write("advice.sten", text)
        for loop in ("wave", "tiled", *(("fold",) if what == "far" else ())):
            own.do("stencil", "export", "advice.sten", "--loop", loop, "-o", "code.c", "--force")
            program = advised(own.read("code.c"))
            own.write("advice.c", program)
            cc = subprocess.run(["cc", "-std=c11", "-O0", "-fsanitize=address", "-Wall", "-Wextra", "-Werror", "-o", "advice", "advice.c"],
                                cwd=own.dir, capture_output=True, text=True, check=False)
            done = cc if cc.returncode else subprocess.run([own.path("advice")], capture_output=True, text=True, check=False,
                                                           env={**own.real_env, "ASAN_OPTIONS": "detect_leaks=0"})
            tap.ok(done.returncode == 0, f"{what}: the calls for {loop} compile and run", program + done.stderr[-2000:])
            named = ("// every point of u", "of k\n" if loop == "tiled" else "// k\n", "v\n", "step before", *(("h\n",) if what == "sides" else ()))
            tap.ok(what == "heat" or all(word in program for word in named), f"{what}: all that is to be set is named", program)


def test_told(tap, own):
    """The loop that is named beside an export is the one that was written, and what looks for a better one can be typed."""
    rod = "stencil rod\ndimensions 1\nfield u\nboundary {}\nupdate u = 0.5 * u + 0.25 * (u[-1] + u[1])\n"
    for boundary, loop, other in (("mirror", "tiled", "_wave_run"), ("periodic", "wave", "_f64_run")):
        own.write("rod.sten", rod.format(boundary))
        done = own.do("stencil", "export", "rod.sten", "-o", "rod.c", "--force")
        tap.ok(f"loop and shape: {loop}, " in done.stderr and f"-p variant={loop} " in done.stderr and other not in own.read("rod.c"),
               f"{boundary}: {loop} is written, and said", done.stderr)


def test_rival(tap, own):
    """An export steps beside hand-made kernels in one process: peers/stencil_described.c."""
    done = own.do("stencil", "export", os.path.join(SHIPPED, "heat2d.sten"), "--loop", "wave", "--type", "f32", "-o", "flat.c", "--force")
    peers = os.path.join(ROOT, "peers")
    made = subprocess.run(["cc", "-std=gnu17", "-O1", "-march=native", "-Wall", "-Wextra", "-Werror", "-I", own.dir, "-DEXPORT=\"flat.c\"", "-DNAME=heat2d_f32",
                           "-DREAL=float", "-DDEPTH=16", "-DSTRIP=32", "-shared", "-fPIC", "-o", own.path("flat.so"), os.path.join(peers, "stencil_described.c")],
                          capture_output=True, text=True, check=False)
    if not tap.ok(done.returncode == 0 and made.returncode == 0, "an export is a rival for stencil_turns", done.stderr + made.stderr):
        return
    rival, updates = ctypes.CDLL(own.path("flat.so")), ctypes.c_double()
    rival.rival_open.restype = ctypes.c_void_p
    sides = (ctypes.c_size_t * 3)(75, 44, 1)
    tap.ok(not rival.rival_open(3, sides, ctypes.c_size_t(5), ctypes.byref(updates)), "of its dimensions only")
    opened = rival.rival_open(2, sides, ctypes.c_size_t(5), ctypes.byref(updates))
    tap.ok(opened and updates.value == 75 * 44 * 5, "it says what a run is", updates.value)
    rival.rival_run(ctypes.c_void_p(opened), ctypes.c_uint64(2))


def test_refused(tap, own):
    own.write("bad.sten", HEAT.replace("u[-1,0]", "w[-1,0]"))
    for words in (("run", "./bad.sten"), ("list", "bad.sten"), ("stencil", "export", "bad.sten")):
        done = own.do(*words)
        tap.ok(done.returncode == 2 and 'bad.sten:6:21: "w" is no field' in done.stderr, f"{words[0]}: {done.stderr.strip()}")
    own.write("boom.sten", "stencil boom\ndimensions 1\nfield u\nboundary mirror\nupdate u = 1e200 * u * u + u[1]\n")
    done = own.do("run", "./boom.sten", *FAST, "--flags", "-O0", "-p", "variant=plain", "-p", "n=64", "-p", "steps=8", "-o", "boom.db")
    tap.ok(done.returncode == 3 and "values are no numbers" in done.stdout + done.stderr, "what overflows is not measured",
           done.stdout[-2000:] + done.stderr[-2000:])
    own.write("pair.sten", "stencil pair\ndimensions 1\nfield u\nboundary mirror\nupdate u = u + 0.2 * (u[-1] - 2 * u + u[1])\n")
    done = own.do("stencil", "export", "pair.sten", "--loop", "wave")
    tap.ok(done.returncode == 2 and not done.stdout and "--loop tiled" in done.stderr, "no other loop in place of the named one", done.stderr)
    done = own.do("stencil", "export", "heat.sten", "--loop", "fold")
    tap.ok(done.returncode == 2 and not done.stdout and '"heat" has no folds' in done.stderr, "nor in place of folds", done.stderr)
    check_paths(tap, own)
    for words, wanted, story in ((("--flags", "-Onothing"), 2, "archmeter: heat.sten does not compile"), (("--cc", "nosuchcc"), 3, "archmeter: heat.sten needs a compiler for C")):
        done = own.do("run", "heat.sten", *words)
        tap.ok(done.returncode == wanted and story in done.stderr, f"run {' '.join(words)} names the description", done.stderr)
    done = own.do("run", "heat.sten", *FAST, "--flags", "-O0", "-p", "variant=plain", "-p", "n=16", "-p", "steps=2", "-o", "one.db")
    tap.ok(done.returncode in (0, 3) and "1 point, about" in done.stderr, "one point is no points", done.stderr)
    done = own.do("stencil", "exprot", "heat.sten")
    tap.ok(done.returncode == 2 and "export" in done.stderr, "a wrong word is refused", done.stderr)
    done = own.do("stencil", "export", "none.sten")
    tap.ok(done.returncode == 2 and "none.sten" in done.stderr, "a file that is not there too", done.stderr)


def main():
    tap, own = Tap(), Own()
    if not shutil.which("cc"):
        tap.skip("exported stencils", "there is no C compiler")
        tap.done()
        return
    for test in (test_devices, test_export, test_export_waves, test_export_lopsided, check_targets, test_tuned, test_winner, test_folds, test_advice, test_told, test_rival, test_refused):
        test(tap, own)
    tap.done()


main()
