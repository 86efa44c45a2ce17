# SPDX-License-Identifier: MIT
"""Exported stencils that reach far, for other vectors than this machine's: rows in natural order are read in another way each, and
vectors are folded in another way."""
import os
import platform
import shutil
import subprocess

from own_stencil import FAR

SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# A compiler with its flags, what this CPU has to have, and what runs the program where that is another CPU.
TARGETS = {
    "AVX-512": (("cc", "-mavx512f", *SANITIZED), "avx512f", ()),
    "AVX2": (("cc", "-mavx2", "-mfma", *SANITIZED), "avx2", ()),
    "SSE2": (("cc", "-msse2", "-mno-avx", *SANITIZED), "sse2", ()),
    "AArch64": (("aarch64-linux-gnu-gcc", "-static"), "", ("qemu-aarch64",)),
}
TYPES = (("f32", "float", "0x1p-23"), ("f64", "double", "0x1p-52"))
# Steps by exported waves, folds and tiles.
STEPS = r"""
static struct NAME_waves NAME_w;
static struct NAME_folds NAME_f;
static struct NAME_grid NAME_g;
static struct NAME_team NAME_shared;
static const struct NAME_shape NAME_how = {.depth = 2, .wave = 3, .strip = 7, .rows = 2};
static void *NAME_waving(void *me)
{
    NAME_wave_run(&NAME_w, &NAME_how, &NAME_shared, STEPS, (long)(size_t)me);
    return NULL;
}
static void *NAME_folding(void *me)
{
    NAME_fold_run(&NAME_f, &NAME_how, &NAME_shared, STEPS, (long)(size_t)me);
    return NULL;
}
static void *NAME_tiling(void *me)
{
    NAME_run(&NAME_g, &NAME_how, &NAME_shared, STEPS, (long)(size_t)me);
    return NULL;
}
static void NAME_together(void *(*part)(void *), long threads)
{
    pthread_t thread[8];
    memset(&NAME_shared, 0, sizeof(NAME_shared));
    NAME_shared.threads = threads;
    for (long i = 0; i < threads; i++) pthread_create(&thread[i], NULL, part, (void *)(size_t)i);
    for (long i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}
static REAL *NAME_room(long elements)
{
    const size_t bytes = ((size_t)elements * sizeof(REAL) + 63) / 64 * 64;
    void *const room = aligned_alloc(64, bytes);
    if (!room) exit(2);
    return memset(room, 0, bytes);
}
/* Arrays 0 and 1 are fields, 2 is the coefficient. */
static void NAME_begin(double r)
{
    for (long i = 0; i < n[0] * n[1] * n[2]; i++) {
        const long x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]), at = NAME_at(&NAME_g, x, y, z);
        char *const to = (char *)NAME_wave_at(&NAME_w, x, y, z), *const fold = (char *)NAME_fold_at(&NAME_f, x, y, z);
        for (int f = 0; f < 2; f++) {
            NAME_g.field[f][0][at] = NAME_g.field[f][1][at] = (REAL)begin_of(f, i);
            *(REAL *)(to + NAME_wave_field(&NAME_w, f)) = *(REAL *)(to + NAME_wave_before(&NAME_w, f)) = (REAL)begin_of(f, i);
            *(REAL *)(fold + NAME_fold_field(&NAME_f, f)) = *(REAL *)(fold + NAME_fold_before(&NAME_f, f)) = (REAL)begin_of(f, i);
        }
        NAME_g.coefficient[0][at] = *(REAL *)(to + NAME_wave_coefficient(&NAME_w, 0)) = (REAL)begin_of(2, i);
        *(REAL *)(fold + NAME_fold_coefficient(&NAME_f, 0)) = (REAL)begin_of(2, i);
    }
    NAME_g.parameter[0] = NAME_w.parameter[0] = NAME_f.parameter[0] = (REAL)r;
    NAME_close(&NAME_g);
    NAME_wave_close(&NAME_w);
    NAME_fold_close(&NAME_f);
}
static double NAME_worst(double r, long threads)
{
    double worst = 0;
    for (int d = 0; d < 3; d++) NAME_sides[d] = sides[d];
    NAME_g.parity = 0;
    NAME_lay_out(&NAME_g, n, NAME_how.depth);
    if (!NAME_wave_lay_out(&NAME_w, n, NAME_how.depth, threads) || !NAME_fold_lay_out(&NAME_f, n)) exit(2);
    for (int i = 0; i < 4; i++) NAME_g.field[i / 2][i % 2] = NAME_room(NAME_g.elements);
    NAME_g.coefficient[0] = NAME_room(NAME_g.elements);
    NAME_w.field = NAME_room(NAME_w.elements);
    NAME_f.field = NAME_room(NAME_f.elements);
    NAME_begin(r);
    NAME_together(NAME_waving, threads);
    NAME_together(NAME_folding, threads);
    NAME_together(NAME_tiling, threads);
    for (long i = 0; i < n[0] * n[1] * n[2]; i++) {
        const long x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
        for (int f = 0; f < 2; f++) {
            const REAL by_waves = *(REAL *)((char *)NAME_wave_at(&NAME_w, x, y, z) + NAME_wave_field(&NAME_w, f));
            const REAL by_tiles = NAME_g.field[f][NAME_g.parity & 1][NAME_at(&NAME_g, x, y, z)];
            const REAL by_folds = *(REAL *)((char *)NAME_fold_at(&NAME_f, x, y, z) + NAME_fold_field(&NAME_f, f));
            worst = fmax(worst, fmax(fabs((double)by_waves - result[f][i]), fabs((double)by_tiles - result[f][i])));
            worst = fmax(worst, fabs((double)by_folds - result[f][i]));
        }
    }
    for (int i = 0; i < 4; i++) free(NAME_g.field[i / 2][i % 2]);
    free(NAME_g.coefficient[0]);
    free(NAME_w.field);
    free(NAME_f.field);
    return worst / EPSILON;
}
"""
# All kinds of sides, beside a loop that shares nothing with those; "wrong" steps by another r.
MAIN = r"""
#include "far_f32.c"
#include "far_f64.c"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
enum { STEPS = 5, POINTS = 32 * 18 * 19 };
static long n[3] = {0, 18, 19};
static int sides[3]; /* 0 periodic, 1 fixed, 2 mirror */
static double u[3][POINTS], v[2][POINTS], k[POINTS];
static const double *result[2];
static double begin_of(int array, long i)
{
    const double some = (double)(float)((i * 7919 + array * 31) % 128) / 128;
    return array == 2 ? 0.0625 + some / 16 : some;
}
static double at(const double *from, int fixes, long x, long y, long z)
{
    long p[3] = {x, y, z}, i = 0;
    for (int d = 0; d < 3; d++)
        if (fixes && sides[d] == 1 && (p[d] < 0 || p[d] >= n[d])) return 0.3;
    for (int d = 2; d >= 0; d--) {
        if (p[d] < 0 || p[d] >= n[d]) p[d] = sides[d] == 0 ? (p[d] + n[d]) % n[d] : p[d] < 0 ? -1 - p[d] : 2 * n[d] - 1 - p[d];
        i = i * n[d] + p[d];
    }
    return from[i];
}
#define U(a, b, c) at(now, 1, x + a, y + b, z + c)
static void naive(double r)
{
    const long all = n[0] * n[1] * n[2];
    for (long i = 0; i < all; i++) {
        u[0][i] = u[2][i] = begin_of(0, i);
        v[0][i] = begin_of(1, i);
        k[i] = begin_of(2, i);
    }
    for (int t = 0; t < STEPS; t++) {
        const double *const now = u[t % 3], *const before = u[(t + 2) % 3], *const w = v[t % 2];
        double *const made = u[(t + 1) % 3];
        for (long i = 0; i < all; i++) {
            const long x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
            made[i] = 1.2 * now[i] - 0.4 * before[i]
                + k[i] * (at(w, 1, x + 3, y, z) - at(w, 1, x - 2, y, z) + r * (U(-5, 0, 0) + U(5, 0, 0) + U(0, -5, 0) + U(0, 5, 0))
                          + r * (U(0, 0, -4) + U(0, 0, 3) - at(k, 0, x - 4, y, z) * U(0, 2, 0)))
                + 0.01 * (U(0, -1, 0) + U(0, 1, 0) - U(0, -3, 0) + U(0, 4, 0) + U(0, 0, -1) - U(0, 0, 1) + U(0, 0, 2));
        }
        for (long i = 0; i < all; i++) {
            const long x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
            v[(t + 1) % 2][i] = 0.5 * w[i] + 0.2 * at(made, 1, x + 4, y, z) * at(k, 0, x + 3, y, z)
                - 0.1 * at(made, 1, x - 1, y, z) + 0.05 * U(0, -1, 0);
        }
    }
    result[0] = u[STEPS % 3];
    result[1] = v[STEPS % 2];
}
STEPS_OF_BOTH
int main(int argc, char **argv)
{
    const double other = argc > 1 && argv[1][0] == 'w' ? 0.03 * 1.001 : 0.03;
    double worst = 0;
    for (int kinds = 0; kinds < 9 && (worst < 64 || other == 0.03); kinds++) { /* every pair of kinds along every pair of dimensions */
        for (n[0] = 19; n[0] <= 32; n[0] += 13) {
            for (int d = 0; d < 3; d++) sides[d] = (d < 2 ? kinds / (d ? 3 : 1) : kinds + kinds / 3) % 3;
            naive(0.03);
            for (long threads = 1; threads <= (kinds % 4 ? 1 : 2); threads++)
                worst = fmax(worst, fmax(far_f32_worst(other, threads), far_f64_worst(other, threads)));
        }
    }
    printf("%g\n", worst);
    return worst < 64 ? 0 : 1;
}
"""


def export(tap, own):
    """Both types; kinds of sides are variables."""
    own.write("far.sten", FAR)
    for kind, _, _ in TYPES:
        name = f"far_{kind}"
        done = own.do("stencil", "export", "far.sten", "--type", kind, "--loop", "all", "-o", name + ".c", "--force")
        text = own.read(name + ".c") if done.returncode == 0 else ""
        pieces = (f"static const int {name}_sides[3]", f"static int {name}_sides[3]"), ("_fixed[3] = {0.3, 0.3, 0}", "_fixed[3] = {0.3, 0.3, 0.3}")
        tap.ok(all(piece in text for piece, _ in pieces), f"{name}: exported, with kinds of sides", done.stderr)
        for piece, other in pieces:
            text = text.replace(piece, other)
        own.write(name + ".c", text)
    both = "".join(STEPS.replace("NAME", f"far_{kind}").replace("REAL", real).replace("EPSILON", epsilon) for kind, real, epsilon in TYPES)
    own.write("far_main.c", MAIN.replace("STEPS_OF_BOTH", both))


def can_run(words, needed, runner):
    if not all(shutil.which(program) for program in (words[0], *runner)):
        return False
    if not needed:
        return True
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return platform.machine() == "x86_64" and needed in file.read().split()


def check_targets(tap, own):
    """In epsilons: plain loops of doubles beside the type's own roundings."""
    export(tap, own)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    for target, (words, needed, runner) in TARGETS.items():
        if not can_run(words, needed, runner):
            tap.skip(f"far neighbours by {target}", "not here")
            continue
        made = subprocess.run([*words, "-std=gnu17", "-O1", "far_main.c", "-o", "far_main", "-pthread", "-lm"], cwd=own.dir, capture_output=True,
                              text=True, timeout=600)
        if not tap.ok(made.returncode == 0, f"{target}: compiled", made.stderr[-2000:]):
            continue
        for word, code in (("right", 0), ("wrong", 1)):
            ran = subprocess.run([*runner, own.path("far_main"), word], capture_output=True, text=True, timeout=1200, env=environment)
            tap.ok(ran.returncode == code and ran.stdout, f"{target}, {word}: off by {ran.stdout.strip()} epsilons", ran.stderr[-2000:])
