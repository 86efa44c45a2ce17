# SPDX-License-Identifier: MIT
"""Stencils that a user describes: every shipped description measured in both types, plain, tiled, by waves and by folds, by one
thread and two, in sizes that fit nothing; errors planted into the generated code, which its verification must notice."""
import os
import shutil

from e2e import Tap
from own_stencil import (BEND, CUBE, FAR, FAST, HEAT, LIGHT, MANY, SHIPPED, SHOWN, SIDES, SIZES, STAR, Own, axes, bench_of, check_planted,
                         check_planted_at_kinds, with_axis, with_planted)

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
    # in the first pass all is right: where an iteration is one pass, its second one is looked at
    "copies of the first pass stay": ("        heat_f64_fill(g, odd,", "        static int once;\n\n        if (!(WRONG) || !once++)\n            heat_f64_fill(g, odd,"),
}
# In sweeps themselves, which everything else is compared with, far from corners of a grid too large for a reference of all steps.
PLANTED_FAR = {
    "a row is skipped in the middle": ("            heat_f64_rows[stage][by](g, odd, low[0], high[0], y, z);",
                                       "            if (!(WRONG && y == 700))\n"
                                       "                heat_f64_rows[stage][by](g, odd, low[0], high[0], y, z);"),
}
# The same for waves of a star in three dimensions.
PLANTED_WAVES = {
    "a side is not set": ("    star_f64_set_sides(f, t, low, high);", "    if (!(WRONG))\n        star_f64_set_sides(f, t, low, high);"),
    "a lane's neighbour is the wrong one": ("row[(j - 1) * star_f64_LANES]", "row[(j - !(WRONG)) * star_f64_LANES]"),
    "levels do not lean": ("at[k] * size[k] - t * star_f64_RADIUS", "at[k] * size[k] - ((WRONG) ? 0 : t * star_f64_RADIUS)"),
    "a block is left out": ("            star_f64_do_block(f, &b, t % star_f64_STAGES, planes, wide && rows == f->rows);",
                            "            if (!((WRONG) && s <= 9 && s + planes > 9 && r < 8))\n"
                            "                star_f64_do_block(f, &b, t % star_f64_STAGES, planes, wide && rows == f->rows);"),
    "what a row has of itself and beside it is another row's": ("        star_f64_READY(rest_1_0);",
                                                                "        rest_1_0 = (WRONG) ? rest_0_0 : rest_1_0;\n        star_f64_READY(rest_1_0);"),
    "a weight is off": ("    star_f64_set_weights(w, f->weight);",
                        "    star_f64_set_weights(w, f->weight);\n    f->weight[1] *= (WRONG) ? 1.0001 : 1;"),
    "a periodic side is not copied": ("if (y < w->n[1] + more[1] && row++ % threads == me)",
                                      "if (y < w->n[1] + more[1] && row++ % threads == me && !(WRONG))"),
    "a corner is off": ("star_f64_set_sides(f, t, low, high);",
                        "star_f64_set_sides(f, t, low, high);\n    if ((WRONG) && t == 1 && low[0] <= 0 && low[1] <= 0 && high[1] > 0)\n"
                        "        ((double *)star_f64_slot(f, t, -1, 0))[0] += (double)1e-4;"),
    "rows that no vector fits have their lanes wrong": ("    if (w->early)\n        v = star_f64_either(1,", "    if (w->early && !(WRONG))\n        v = star_f64_either(1,"),
    "a strip has a row too few": ("for (long r = low[0], rows; r < high[0]; r += rows) {",
                                  "for (long r = low[0], rows; r < high[0] - ((WRONG) && t == 1 && high[0] - low[0] > 3); r += rows) {"),
    "a pass is too short": ("        now = star_f64_wave_steps(w, depth, left);\n",
                            "        now = star_f64_wave_steps(w, depth, left);\n        left -= WRONG;\n"),
}
# And where two arrays take turns: a box of second order in time.
PLANTED_TURNS = {
    "a corner is not set": ("const long more = cube_f64_CORNERS &&", "const long more = !(WRONG) && cube_f64_CORNERS &&"),
    "the step before is not copied": ("        if (cube_f64_SECOND)\n            cube_f64_copy_row", "        if (!(WRONG))\n            cube_f64_copy_row"),
    "a state is looked for in the other array": ("w->turn ^= now & 1;", "w->turn ^= now & !(WRONG);"),
    "a turned vector is another row's": ("const double *const from = row + j * cube_f64_LANES;",
                                         "const double *const from = row + (j + (WRONG)) * cube_f64_LANES;"),
}
# And where threads have parts of the rows: two dimensions, two threads.
PLANTED_PARTS = {
    "a neighbour's rows are not copied": ("        heat_f64_copy_state(w, heat_f64_part_row", "        if (!(WRONG))\n            heat_f64_copy_state(w, heat_f64_part_row"),
    "a part has a row too few": ("    f->fixed[k] = (double)heat_f64_fixed[d];",
                                 "    f->fixed[k] = (double)heat_f64_fixed[d];\n        f->n[k] -= (WRONG) && k == 1 && part == 1;"),
    "the last part is left out": ("part < w->parts; part += team->threads) {", "part < w->parts - (WRONG); part += team->threads) {"),
}
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
# And of rows in natural order.
PLANTED_NATURAL = {
    "a row's ends are not set": ("    const int fixed = far_f64_sides[0]", "    const int fixed = (WRONG) ? 1 : far_f64_sides[0]"),
    "fixed sides are not set": ("        far_f64_close_fixed(w, part);", "        if (!(WRONG))\n            far_f64_close_fixed(w, part);"),
    "a neighbour along x is another one": ("far_f64_BESIDE(u__now, i__, 5)", "((WRONG) ? far_f64_BESIDE(u__now, i__, 4) : far_f64_BESIDE(u__now, i__, 5))"),
    "a row is another one": ("b.fast_by[i] = (i - far_f64_RADIUS) * b.fast;", "b.fast_by[i] = (i - far_f64_RADIUS + ((WRONG) && i == 0)) * b.fast;"),
    "a point is elsewhere": ("return (double *)far_f64_wave_row(w, y, z) + x;", "return (double *)far_f64_wave_row(w, y, z) + (x == 3 && (WRONG) ? 4 : x);"),
}
UNSEEN_NATURAL = {"fixed sides are not set": (0,)}  # there is none
# Sweeps by blocks of many rows, which prefetch those that no block before has read.
PLANTED_SWEEPS = {"a plane is left out": ("which = many_f64_SWEEP;", "which = (WRONG) ? many_f64_ROW_ALONE : many_f64_SWEEP;")}
# Vectors folded along y and z.
PLANTED_FOLDS = {
    "a neighbour's lane at the edge of a fold is the fold's own": (
        "bend_f64_FOLDED(u__now, i__, 5, 0)",
        "((WRONG) ? bend_f64_ALONG_Y(bend_f64_FOLD_AT(u__now, i__, bend_f64_WHOLE_FOLDS(5, bend_f64_FOLD_Y), 0),\n"
        "    bend_f64_FOLD_AT(u__now, i__, bend_f64_WHOLE_FOLDS(5, bend_f64_FOLD_Y), 0), 1) : bend_f64_FOLDED(u__now, i__, 5, 0))"),
    "lanes of points are turned round": ("z % bend_f64_FOLD_Z * bend_f64_FOLD_Y + y % bend_f64_FOLD_Y;",
                                         "z % bend_f64_FOLD_Z * bend_f64_FOLD_Y + ((WRONG) ? bend_f64_FOLD_Y - 1 - y % bend_f64_FOLD_Y : y % bend_f64_FOLD_Y);"),
    "beyond sides nothing is set": ("            bend_f64_fold_fill(w, (2 *", "            if (!(WRONG))\n                bend_f64_fold_fill(w, (2 *"),
    "lanes beyond a fixed side keep what was calculated": ("if (fixed && (within || anew))", "if (fixed && ((within && !(WRONG)) || anew))"),
    "a row's ends are not set": ("                bend_f64_fold_updates[stage](&fold);\n", "                bend_f64_fold_updates[stage](&fold);\n                if (WRONG)\n                    continue;\n"),
    "coefficients are not copied beyond sides": ("const int fixes = a < 2 * bend_f64_FIELDS;", "const int fixes = a < 2 * bend_f64_FIELDS;\n\n        if ((WRONG) && !fixes)\n            continue;"),
    "a coefficient is off": ("const double r = b__->w->parameter[0];", "const double r = b__->w->parameter[0] * ((WRONG) ? 1.0001 : 1);"),
    "an update is left out": ("bend_f64_fold_updates[stage](&fold);", "bend_f64_fold_updates[(WRONG) ? 0 : stage](&fold);"),
    "a row is left out": ("if (row < first || row >= last)", "if (row < first || row >= last || ((WRONG) && row == 7))"),
    "a thread has a row too few": ("last = all * (me + 1) / threads;", "last = all * (me + 1) / threads - (WRONG);"),
    "a step is missing": ("for (long step = 0; step < steps;", "for (long step = (WRONG); step < steps;"),
    "a state is looked for in the other array": ("        w->turn = turn;\n", "        w->turn = turn ^ (WRONG);\n"),
}
UNSEEN_FOLDS = {"a row's ends are not set": (4,), "lanes beyond a fixed side keep what was calculated": (0, 8)}
# Waves of other shapes: radius 2 with weights that differ along all axes and directions; in one dimension; two rows at once.
SHAPES = {
    "slanted": (2, "boundary x mirror\nboundary y fixed 0.3\nupdate u = u[-1,-2] / 2 + 0.3 * u[2,1] - 0.2 * u[0,1] + 0.1 * u.before\n"),
    "wide": (2, "boundary x mirror\nboundary y fixed 0.3\nupdate u = 0.3 * u + 0.1 * (u[-2,0] + u[1,0]) + 0.2 * u[2,0] - 0.05 * u[0,-2] + 0.15 * u[0,-1] + u[0,2] / 8\n"),
    "ring": (1, "boundary periodic\nupdate u = 0.4 * u + 0.2 * u[-1] + 0.1 * u[1] + (u[-3] + u[3]) / 8\n"),
}


def axes_of(name, *more):
    """Those of a shipped description: a wide one needs more vectors in a row than it reaches."""
    words = axes(DIMENSIONS[name], *more)
    return ["n=81" if word == "n=21" and name in WIDE else word for word in words]


def test_shipped(tap, own):
    names = sorted(name[:-len(".sten")] for name in os.listdir(SHIPPED))
    tap.ok(names == sorted(DIMENSIONS), "every shipped description is measured here", names)
    for name, dimensions in DIMENSIONS.items():
        done = own.measure(name + ".db", os.path.join(SHIPPED, name + ".sten"), *(FAST if name in COMPILED_AS_MEASURED else LIGHT),
                           *axes_of(name, "type=f32,f64", *(["rows=4"] if dimensions > 1 else []), "threads=1,2"))
        states = own.query(name + ".db", "SELECT state, count(*) FROM visit GROUP BY state") if done.returncode == 0 else []
        tap.ok(states == [("ok", 16 if name in WIDE else 12)], f"{name}: all points are right {states}",
               done.stdout[-3000:] + done.stderr[-3000:])


KINDS = ("periodic", "fixed", "mirror")


def with_kinds(text, name):
    """The text with an axis for every pair of kinds along every pair of dimensions."""
    for kind in ("f32", "f64"):
        text = text.replace(f"static const int {name}_{kind}_sides[3]", f"static int {name}_{kind}_sides[3]")
        text = text.replace(f"{name}_{kind}_fixed[3] = {{0.3, 0.3, 0}}", f"{name}_{kind}_fixed[3] = {{0.3, 0.3, 0.3}}")
    return with_axis(text, "kinds", "    for (int d = 0; d < 3; d++)\n"
                     f"        {name}_f32_sides[d] = {name}_f64_sides[d] = (d < 2 ? kinds / (d ? 3 : 1) : kinds + kinds / 3) % 3;\n")


def check_kinds(tap, own, name, *more):
    done = own.measure(name + ".db", f"./{name}.c", *LIGHT, *axes(3, "threads=1,2", "kinds=0,1,2,3,4,5,6,7,8", *more))
    states = dict(own.query(name + ".db", SHOWN.format("kinds"))) if done.returncode == 0 else {}
    for i in range(9):
        words = KINDS[i % 3], KINDS[i // 3], KINDS[(i + i // 3) % 3]
        tap.ok(states.get(i) == "ok", f"{name}: sides {', '.join(words)}", done.stdout[-2000:] + done.stderr[-2000:])


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
    check_planted(tap, own, "star", PLANTED_WAVES, *axes(3, "variant=wave", "kinds=5", "type=f32,f64"))
    own.write("cube.sten", CUBE)
    own.write("cube.c", with_kinds(with_planted(tap, bench_of(own, "cube"), PLANTED_TURNS), "cube"))
    check_kinds(tap, own, "cube", "variant=wave")
    check_planted(tap, own, "cube", PLANTED_TURNS, *axes(3, "variant=wave", "kinds=7"))
    own.write("far.sten", FAR)
    own.write("far.c", with_kinds(with_planted(tap, bench_of(own, "far"), PLANTED_NATURAL), "far"))
    check_kinds(tap, own, "far", "variant=wave,tiled", "n=21,32")
    check_planted_at_kinds(tap, own, "far", PLANTED_NATURAL, UNSEEN_NATURAL, *axes(3, "variant=wave"))
    for name, (dimensions, update) in SHAPES.items():
        own.write(name + ".sten", f"stencil {name}\ndimensions {dimensions}\nfield u\n" + update)
        words = ["-p", "n=23,1003" if dimensions == 1 else "n=23,45"]
        for value in (*SIZES[dimensions][1:], "variant=wave", "threads=1,2", "type=f32,f64"):
            words += ["-p", value]
        done = own.measure(name + ".db", f"./{name}.sten", *LIGHT, *words)
        tap.ok(done.returncode == 0, f"waves of {name}", done.stdout[-2000:] + done.stderr[-2000:])


def block_of(text, name):
    """The text of a function of the f64 loops that no other one's name begins with."""
    return text.split(f"static void {name}(")[1].split("\n}\n")[0]


def test_blocks(tap, own):
    """What blocks of rows of a star are like: sizes by registers and rows, and what is prefetched last."""
    own.write("star.sten", STAR)
    own.write("flat.sten", HEAT.replace("heat", "flat"))
    own.write("cube.sten", CUBE)
    flat, star, cube = (bench_of(own, name) for name in ("flat", "star", "cube"))
    for text, block, last in ((flat, "flat_f64_block_12_1_ahead", "d_0_0 = begun_0;"), (star, "star_f64_block_4_3_ahead", "d_0_2 = begun_2;")):
        column = block_of(text, block).split("for (; i < last")[1]
        tap.ok(0 < column.find("OUT(") < column.find(last) < column.find("__builtin_prefetch("), f"{block}: prefetches stand behind all loads", column[:4000])
    tap.ok("flat_f64_SMALL_SLOW = 10," in flat and "flat_f64_LARGE_SLOW = 12," in flat, "short rows leave registers for what lies beyond their ends")
    tap.ok(star.count("optimize(\"no-tree-pre\")") == star.count("#pragma GCC pop_options") == 2 and "no-tree-pre" not in flat + cube,
           "of planes in place nothing is carried from column to column, and nothing else is compiled otherwise")


def test_folds(tap, own):
    """With the vectors of this machine: narrower ones are folded along y only, and looked at where stencils are exported."""
    own.write("bend.sten", BEND)
    own.write("bend.c", with_kinds(with_planted(tap, bench_of(own, "bend"), PLANTED_FOLDS), "bend"))
    check_kinds(tap, own, "bend", "variant=fold", "n=21,32", "ny=17,20", "type=f32,f64")
    check_planted_at_kinds(tap, own, "bend", PLANTED_FOLDS, UNSEEN_FOLDS, *axes(3, "variant=fold", "ny=17", "nz=20"), "--flags", "-O1 -march=native")


def test_sweeps(tap, own):
    """A small grid that is taken for a large one."""
    own.write("many.sten", MANY)
    text = bench_of(own, "many")
    tap.ok("_LARGE = 4 << 20" in text, "it says what is large")
    for row in ("u__now + b__->slow_by[many_f64_RADIUS + 5]", "u__to + b__->slow_by[many_f64_RADIUS + 1]", "k__at"):
        tap.ok(f"__builtin_prefetch({row} + i__" in text, f"prefetched: {row}")
    own.write("many.c", with_planted(tap, text.replace("_LARGE = 4 << 20", "_LARGE = 1"), PLANTED_SWEEPS))
    check_planted(tap, own, "many", PLANTED_SWEEPS, *axes(3, "variant=wave", "depth=1", "type=f32,f64", "threads=1,2"))


def test_planted(tap, own):
    own.write("heat.sten", HEAT)
    own.write("wrong.c", with_planted(tap, bench_of(own, "heat"), PLANTED))
    check_planted(tap, own, "wrong", PLANTED, *axes(2, "variant=tiled", "type=f32,f64", "steps=3,7"))
    own.write("far.c", with_planted(tap, bench_of(own, "heat"), PLANTED_FAR))
    check_planted(tap, own, "far", PLANTED_FAR, "-p", "variant=plain", "-p", "n=1400", "-p", "steps=4")
    own.write("parts.c", with_planted(tap, bench_of(own, "heat"), PLANTED_PARTS))
    check_planted(tap, own, "parts", PLANTED_PARTS, *axes(2, "variant=wave", "threads=2"))


ROD = "stencil rod\ndimensions 1\nfield u\nboundary {}\nupdate u = {}\n"
SMOOTH, WAVY = "0.5 * u + 0.25 * (u[-1] + u[1])", "1.5 * u - u.before + 0.25 * (u[-1] + u[1])"
# A description, a variant that it does not have, and why.
LACKING = ((ROD.format("mirror", SMOOTH), "wave", "in one dimension waves are for rings"),
           (ROD.format("periodic", WAVY), "wave", "reads .before"),
           (ROD.format("periodic", "u + 0.1 * u * u[1]"), "plain,wave", "a sum of neighbours"),
           (ROD.format("periodic", SMOOTH), "fold", "for three dimensions"),
           (ROD.format("periodic", SMOOTH), "device-wave", "for two and three dimensions"),
           (STAR.replace("star", "rod"), "fold", "two points or more along y or z"),
           (SIDES.replace("sides", "rod"), "device-wave", "for one field"),
           (CUBE.replace("cube", "rod"), "device-wave", "at distance 1 along the axes"))


ANYHOW = ("--flags", "-O0")  # nothing is run


def test_axes(tap, own):
    """A description has the axes that mean something in its dimensions, and says which variants it lacks and why."""
    for dimensions, name in ((1, "heat1d"), (2, "heat2d"), (3, "heat3d")):
        told = own.do("list", *ANYHOW, os.path.join(SHIPPED, name + ".sten")).stdout
        named = {axis: f"\n  {axis} (count)" in told for axis in ("n", "ny", "nz", "depth", "strip", "rows")}
        wanted = {axis: dimensions >= least for axis, least in (("n", 1), ("ny", 2), ("nz", 3), ("depth", 1), ("strip", 3), ("rows", 2))}
        tap.ok(named == wanted, f"{dimensions} dimensions have axes of their own", told)
    for text, words, why in LACKING:
        own.write("rod.sten", text)
        done = own.do("plan", *ANYHOW, "rod.sten", "--quick", "-p", f"variant={words}")
        has = own.do("list", *ANYHOW, "rod.sten").stdout.split("usable: ")[1].split("\n")[0]
        tap.ok(done.returncode == 2 and why in done.stderr and f'"rod" has no "{words.split(",")[-1]}"' in done.stderr
               and done.stderr.strip().endswith(f"it has {has}"), f"no {words}: {done.stderr.strip()}", has)
    done = own.do("tune", *ANYHOW, "rod.sten", "-p", "variant=device-wave")
    tap.ok(done.returncode == 2 and LACKING[-1][2] in done.stderr, "nor does tune try them: the same reason", done.stderr)
    done = own.do("plan", *ANYHOW, "rod.sten", "--quick", "-p", "variant=wvae")
    tap.ok(done.returncode == 2 and 'did you mean "wave"' in done.stderr, "a word that no description knows is no variant", done.stderr)


def main():
    tap, own = Tap(), Own()
    if not shutil.which("cc"):
        tap.skip("stencils of the user's own", "there is no C compiler")
        tap.done()
        return
    for test in (test_axes, test_shipped, test_boundaries, test_waves, test_blocks, test_folds, test_sweeps, test_planted):
        test(tap, own)
    tap.done()


main()
