# SPDX-License-Identifier: MIT
"""Cells of synthetic videos: all found, none false, every place within a pixel of the truth; files that are no
video. TRACK_SEEDS=20 tries that many seeds instead of one."""
import csv
import math
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

from e2e import Bench, Tap

LIMIT = 1.0  # pixels
LIMIT_LONG = 2.0  # in 100 frames
NEAR = 5.0  # pixels in which a detection belongs to a cell


def places(path):
    """frame -> cell -> (x, y)"""
    found = {}
    with open(path, encoding="ascii") as f:
        for row in csv.DictReader(f):
            found.setdefault(int(row["frame"]), {})[int(row["cell"])] = (float(row["x"]), float(row["y"]))
    return found


def distance(a, b):
    return math.hypot(a[0] - b[0], a[1] - b[1])


def match(found, truth):
    """Each detection's cell, or None: far from all, or second of its cell."""
    owners, taken = {}, set()
    for cell, at in found.items():
        best = min(truth, key=lambda k: distance(at, truth[k]))
        near = distance(at, truth[best]) <= NEAR and best not in taken
        owners[cell] = best if near else None
        taken.add(best)
    return owners


def synthetic(tap, bench, seed):
    bench.run("track", "--make", "v.avi", "--truth", "truth.csv", "--seed", str(seed), "--cells", "36",
              "--frames", "10", "--noise", "3")
    got = bench.run("track", "v.avi", "--frames", "10", "-o", "tracks.csv")
    if not tap.ok(got.returncode == 0, f"seed {seed}: track ends well", got.stderr):
        return
    truth, found = places(bench.path("truth.csv")), places(bench.path("tracks.csv"))
    owners = match(found[0], truth[0])
    tap.ok(len(found[0]) == 36 and None not in owners.values(), f"seed {seed}: 36 cells are found, none false",
           (len(found[0]), owners))
    errors = [distance(found[t][c], truth[t][owners[c]]) for t in found for c in found[t]
              if owners[c] is not None]
    tap.ok(len(found) == 10 and max(errors) <= LIMIT,
           f"seed {seed}: every place is within {LIMIT} px (median {sorted(errors)[len(errors) // 2]:.2f}, "
           f"largest {max(errors):.2f})", errors)


def believed_cells(path):
    """frame -> cells that are not lost in it; and the last frame's lost cells with the frame since which"""
    kept, lost = {}, {}
    with open(path, encoding="ascii") as f:
        for row in csv.DictReader(f):
            kept.setdefault(int(row["frame"]), set())
            if row["lost"]:
                lost[int(row["cell"])] = int(row["lost"])
            else:
                kept[int(row["frame"])].add(int(row["cell"]))
                lost.pop(int(row["cell"]), None)
    return kept, lost


def long_tracks(tap, bench, seed):
    """100 frames, in which cells pass each other: what is not lost is right, and no two tracks follow one cell."""
    bench.run("track", "--make", "long.avi", "--truth", "long.csv", "--seed", str(seed), "--frames", "100")
    got = bench.run("track", "long.avi", "-o", "long-tracks.csv")
    truth, found = places(bench.path("long.csv")), places(bench.path("long-tracks.csv"))
    kept, lost = believed_cells(bench.path("long-tracks.csv"))
    owners = {c: min(truth[0], key=lambda k: distance(at, truth[0][k])) for c, at in found[0].items()}
    wrong, twice = [], []
    for t, cells in found.items():
        wrong += [(t, c, round(distance(cells[c], truth[t][owners[c]]), 2)) for c in kept[t]
                  if distance(cells[c], truth[t][owners[c]]) > LIMIT_LONG]
        nearest = [min(truth[t], key=lambda k: distance(cells[c], truth[t][k])) for c in kept[t]]
        twice += [t] if len(set(nearest)) < len(nearest) else []
    tap.ok(not wrong, f"seed {seed}: 100 frames: what is not lost is within {LIMIT_LONG} px", wrong[:20])
    tap.ok(not twice, f"seed {seed}: no two tracks on one cell are believed", twice)
    share = sum(map(len, kept.values())) / sum(map(len, found.values()))
    tap.ok(share > 0.3 and all(f"cell {c} is lost from frame {t} on" in got.stderr for c, t in lost.items()),
           f"seed {seed}: {100 * share:.0f} % of the places are believed; {len(lost)} cells are lost in the end, with their frame",
           got.stderr)


def same_outcome(tap, bench):
    """Threads and kinds of files make no difference; the arc tangent almost none."""
    with open(bench.path("tracks.csv"), encoding="ascii") as f:
        want = f.read()
    first = "".join(line for line in want.splitlines(True) if line.startswith(("frame", "0,", "1,", "2,")))
    for threads in (1, 2, 5):
        got = bench.run("track", "v.avi", "--frames", "3", "--threads", str(threads))
        tap.ok(got.stdout == first, f"threads: {threads} of them give the same bytes", got.stderr)
    got = bench.run("track", "v.avi", "--frames", "3", "--overlay", "drawn", "--svg", "plot.svg")
    tap.ok(got.stdout == first, "the first frames do not depend on those behind them", got.stderr)
    got = bench.run("track", "v.avi", "--frames", "2", "--heaviside", "atan", "-o", "atan.csv")
    a, b = places(bench.path("atan.csv")), places(bench.path("tracks.csv"))
    tap.ok(max(distance(a[1][c], b[1][c]) for c in a[1]) < 1e-3, "the arc tangent gives the same places", got.stderr)
    with open(bench.path("drawn/frame-000002.png"), "rb") as f:
        head = f.read(24)
    tap.ok(head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:24]) == (640, 480), "frames are drawn")
    with open(bench.path("plot.svg"), encoding="ascii") as f:
        tap.ok(f.read().count("<polyline") == 36, "the plot has a line a cell")
    got = bench.run("track", "drawn", "--frames", "1")
    tap.ok(got.returncode == 0, "a folder of PGM files is a video", got.stderr)


def given_cells(tap, bench):
    with open(bench.path("cells.csv"), "w", encoding="ascii") as f:
        f.write("cell,x,y\n7,100.5,200\n3, 300 ,210.25\n")
    got = bench.run("track", "v.avi", "--frames", "1", "--cells", "cells.csv")
    lines = [line.rsplit(",", 2)[0] for line in got.stdout.splitlines()[1:]]
    tap.ok(lines == ["0,7,100.5000,200.0000,10.0000", "0,3,300.0000,210.2500,10.0000"],
           "given cells keep their numbers and places", got.stdout + got.stderr)


def other_kinds(tap, bench):
    """Videos that FFmpeg's libraries read: the same pixels give the same bytes."""
    if not os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), "archmeter-video")):
        tap.skip("videos of other kinds", "built without FFmpeg's libraries")
        return
    want = bench.run("track", "v.avi", "--frames", "3")
    bench.run("track", "v.avi", "--frames", "3", "--overlay", "grey", "-o", "unused.csv")
    frames = []
    with open(bench.path("v.avi"), "rb") as f:
        video = f.read()
    at = video.index(b"movi") + 4
    for _ in range(3):  # chunks "00db", size, rows from the bottom
        rows = [video[at + 8 + 640 * y:at + 8 + 640 * (y + 1)] for y in range(480)]
        frames.append(b"".join(reversed(rows)))
        at += 8 + struct.unpack_from("<I", video, at + 4)[0]
    with open(bench.path("v.y4m"), "wb") as f:
        f.write(b"YUV4MPEG2 W640 H480 F25:1 Ip A1:1 Cmono\n" + b"".join(b"FRAME\n" + frame for frame in frames))
    got = bench.run("track", "v.y4m")
    tap.ok(got.returncode == 0 and got.stdout == want.stdout, "a video of YUV4MPEG2 gives the same bytes", got.stderr)
    got = bench.run("track", "v.y4m", "--frames", "2")
    tap.ok(got.returncode == 0 and
           got.stdout == "".join(line for line in want.stdout.splitlines(True) if not line.startswith("2,")),
           "and is read only as far as wanted", got.stderr)
    cut_off(tap, bench, want.stdout)
    pictures(tap, bench, frames, want.stdout)
    got = bench.run("track", "grey/frame-000000.png")
    tap.ok(got.returncode == 0 and got.stdout.count("\n0,") > 20, "a coloured picture is a video of one frame", got.stderr)
    with open(bench.path("list.m3u8"), "w", encoding="ascii") as f:
        f.write("#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/v.ts\n#EXT-X-ENDLIST\n")
    got = bench.run("track", "list.m3u8")
    tap.ok(got.returncode == 2 and "FFmpeg's libraries cannot read it either" in got.stderr, "a playlist leads nowhere", got.stderr)
    left = [name for name in os.listdir(os.environ.get("TMPDIR", "/tmp")) if name.startswith("archmeter-video-")]
    tap.ok(not left, "no frames are left behind", left)


def png(pixels, width, height):
    """A grey picture, 8 bits per pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + pixels[width * y:width * (y + 1)] for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def put(bench, name, *parts):
    os.makedirs(os.path.dirname(bench.path(name)), exist_ok=True)
    with open(bench.path(name), "wb") as f:
        f.write(b"".join(parts))


def pictures(tap, bench, frames, want):
    """Pictures of other kinds, one behind the other or in a folder: the same pixels give the same bytes."""
    deep = [b"P5\n640 480\n65535\n" + bytes(b for v in frame for b in (v, v)) for frame in frames]
    put(bench, "deep/all.pgm", *deep)
    put(bench, "colour/all.ppm", *(b"P6\n640 480\n255\n" + bytes(b for v in frame for b in (v, v, v)) for frame in frames))
    for i, frame in enumerate(frames):
        put(bench, f"deep folder/f{i}.pgm", deep[i])
        put(bench, f"png 100%d/f{i}.png", png(frame, 640, 480))
        put(bench, f"sizes/f{i}.PNG", png(frame, 640, 480 if i < 2 else 400))
    put(bench, "png 100%d/notes.txt", b"no picture\n")
    for name in ("deep/all.pgm", "colour/all.ppm", "deep folder", "png 100%d"):
        got = bench.run("track", name)
        tap.ok(got.returncode == 0 and got.stdout == want, f"{name} gives the same bytes", got.stderr)
    got = bench.run("track", "sizes")
    tap.ok(got.returncode == 3 and "f2.PNG: it has another size" in got.stderr and "Success" not in got.stderr
           and got.stdout == "".join(line for line in want.splitlines(True) if not line.startswith("2,")),
           "a picture of another size ends the video, and is named", got.stderr)
    first = "".join(line for line in want.splitlines(True) if line.startswith(("frame", "0,")))
    put(bench, "odd/p0.png", png(bytes(640 * 480), 640, 480))
    for name in ("odd/p%d.png", "odd/p*?.png", "odd/a:b c.png"):
        put(bench, name, png(frames[0], 640, 480))
        got = bench.run("track", name)
        tap.ok(got.returncode == 0 and got.stdout == first, f"{name} is the file of that name, no pattern", got.stderr)
    put(bench, "small/p.png", png(bytes(32 * 32), 32, 32))
    put(bench, "mixed/a.png", png(frames[0], 640, 480))
    put(bench, "mixed/b.tif", b"II")
    put(bench, "none/notes.txt", b"no picture\n")
    put(bench, "odd/short.pgm", deep[0][:300000])
    for name, word in (("small/p.png", "small/p.png: frames of 32 x 32"), ("mixed", "several kinds"),
                       ("none", "no pictures in it"), ("odd/short.pgm", "no frame of it could be decoded")):
        got = bench.run("track", name)
        tap.ok(got.returncode == 2 and word in got.stderr and name in got.stderr, f"{name} is refused: {word}", got.stderr)


def without_libraries(tap, bench):
    """The program alone, as a build without FFmpeg's libraries has it, says what would read the file."""
    os.makedirs(bench.path("alone"), exist_ok=True)
    shutil.copy(sys.argv[1], bench.path("alone/archmeter"))
    put(bench, "alone/c.ppm", b"P6\n640 480\n255\n", bytes(3 * 640 * 480))
    got = subprocess.run([bench.path("alone/archmeter"), "track", "c.ppm"], cwd=bench.path("alone"), text=True,
                         capture_output=True, check=False)
    tap.ok(got.returncode == 2 and "c.ppm" in got.stderr and "without FFmpeg's libraries" in got.stderr,
           "a build without FFmpeg's libraries says so", got.stderr)


def cut_off(tap, bench, want):
    """A file that ends in the middle of a frame: the frames before it are written, the loss is told."""
    with open(bench.path("v.y4m"), "rb") as f:
        video = f.read()
    first_two = "".join(line for line in want.splitlines(True) if not line.startswith("2,"))
    for missing in (1, 640 * 480 // 2, 640 * 480 - 1, 640 * 480 + 3):  # the last: in the head of frame 2
        with open(bench.path("cut.y4m"), "wb") as f:
            f.write(video[:-missing])
        got = bench.run("track", "cut.y4m")
        tap.ok(got.returncode == 3 and "frame 2 is not whole" in got.stderr and got.stdout == first_two,
               f"a video without its last {missing} bytes: said with the frame, what was tracked is kept", got.stderr)
        got = bench.run("track", "cut.y4m", "--frames", "2")
        tap.ok(got.returncode == 0 and "not whole" not in got.stderr, "frames before it are whole", got.stderr)
    with open(bench.path("cut.y4m"), "wb") as f:
        f.write(video[:-640 * 480 - len(b"FRAME\n")])
    got = bench.run("track", "cut.y4m")
    tap.ok(got.returncode == 0 and got.stdout == first_two, "a video that ends behind a frame is whole", got.stderr)


def progress(tap, bench):
    """On a terminal one line counts the frames, and is gone at the end; elsewhere there is none."""
    leader, follower = pty.openpty()
    env = {**os.environ, "TERM": "xterm"}
    with open(bench.path("seen.csv"), "wb") as out:
        child = subprocess.Popen([os.path.abspath(sys.argv[1]), "track", "v.avi", "--frames", "3"], cwd=bench.path("."), stdin=follower,
                                 stdout=out, stderr=follower, env=env)
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(leader)
    code = child.wait()
    tap.ok(code == 0 and b"2 of 3 frames" in seen and seen.rfind(b"\r" + b" " * 40 + b"\r") > seen.rfind(b"of 3 frames"),
           "a terminal shows the frames that are done, and the line goes", seen)
    got = bench.run("track", "v.avi", "--frames", "3")
    tap.ok("of 3 frames" not in got.stderr, "what is no terminal gets no progress", got.stderr)


def interrupted(tap, bench):
    """Ctrl-C keeps the frames that were tracked."""
    bench.run("track", "--make", "long.avi", "--frames", "100", "--seed", "3")
    child = bench.start("track", "long.avi", "-o", "cut.csv", "--svg", "cut.svg", "--overlay", "cut", "--threads", "1")
    while child.poll() is None and not os.path.exists(bench.path("cut/frame-000002.png")):
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=900)[1]
    found = places(bench.path("cut.csv")) if os.path.exists(bench.path("cut.csv")) else {}
    tap.ok(child.returncode == 130 and 3 <= len(found) < 100 and f"has the {len(found)} frames before it" in said,
           "interrupted: the frames so far are written, and how many is said", (child.returncode, len(found), said))
    bench.run("track", "long.avi", "--frames", str(max(len(found), 1)), "-o", "short.csv")
    with open(bench.path("short.csv"), encoding="ascii") as a:
        text = a.read()
    with open(bench.path("cut.csv" if found else "long.avi"), encoding="latin-1") as b:
        tap.ok(b.read() == text, "they are those of a run of as many frames")
    tap.ok(os.path.exists(bench.path("cut.svg")), "and so is the plot")


def refused(tap, bench):
    with open(bench.path("v.avi"), "rb") as f:
        video = f.read()
    for name, content, word in [
            ("cut.avi", video[:500000], "cut off"), ("empty.avi", b"", "is empty"),
            ("text.avi", b"hello, this is no video\n", "neither AVI nor PGM"),
            ("wave.avi", b"RIFF\x04\0\0\0WAVE", "not a video"),
            ("codec.avi", video.replace(struct.pack("<HHI", 1, 8, 0), struct.pack("<HH", 1, 8) + b"MJPG", 1), "MJPG"),
            ("deep.avi", video.replace(struct.pack("<HHI", 1, 8, 0), struct.pack("<HHI", 1, 24, 0), 1), "24 bits"),
            ("huge.avi", video.replace(struct.pack("<III", 40, 640, 480), struct.pack("<III", 40, 1 << 30, 480), 1),
             "sides must be"),
            ("ascii.pgm", b"P2\n640 480\n255\n", "only binary"), ("short.pgm", b"P5\n640 480\n255\n" + bytes(1000), "cut off"),
            ("deep.pgm", b"P5\n640 480\n65535\n" + bytes(1000), "8-bit"),
            ("deeper.pgm", b"P5\n640 480\n65536\n" + bytes(1000), "1 to 65535")]:
        with open(bench.path(name), "wb") as f:
            f.write(content)
        got = bench.run("track", name)
        tap.ok(got.returncode == 2 and word in got.stderr and name in got.stderr, f"{name} is refused: {word}",
               got.stderr)
    with open(bench.path("outside.csv"), "w", encoding="ascii") as f:
        f.write("cell,x,y\n\n7,100.5,64\n3,1e6,80\n")
    for args, code, word in [(["missing.avi"], 2, "missing.avi"), (["-"], 2, "standard input"), (["/dev/null"], 2, "neither a file nor"), (["v.avi", "--snake-stop", "x"], 2, "--snake-stop"),
                             (["v.avi", "--cells", "truth.csv"], 2, "truth.csv:1"), (["v.avi", "--noise", "3"], 2, "--make"),
                             (["v.avi", "--cells", "outside.csv"], 2, "outside.csv:4: cell 3 at (1e+06, 80) is not in a frame"),
                             (["v.avi", "-o", "v.avi"], 2, "not replaced"),
                             (["v.avi", "--band", "9:3"], 2, "--band"), (["v.avi", "--band", "23:24"], 3, "no cell")]:
        got = bench.run("track", *args)
        tap.ok(got.returncode == code and word in got.stderr, f"track {' '.join(args)}: exit code {code}", got.stderr)


def consent(tap, bench):
    """What is in the way of an output is told before any work, and nothing else is written."""
    put(bench, "held/kept.csv", b"mine\n")
    for args, word in [(["v.avi", "-o", "held/kept.csv"], "--force"), (["v.avi", "-o", "held/a.csv", "--svg", "held/kept.csv"], "--force"),
                       (["v.avi", "-o", "held/a", "--svg", "held/a"], "twice"), (["v.avi", "-o", "held/no/a.csv"], "cannot create"),
                       (["--make", "held/a.avi", "--truth", "held/kept.csv"], "--force"),
                       (["--make", "held/a.avi", "--truth", "held/a.avi"], "twice")]:
        got = bench.run("track", *args)
        with open(bench.path("held/kept.csv"), "rb") as f:
            kept = f.read()
        tap.ok(got.returncode in (2, 3) and word in got.stderr and kept == b"mine\n" and os.listdir(bench.path("held")) == ["kept.csv"]
               and "pixel updates" not in got.stderr, f"track {' '.join(args)}: nothing is written", (got.stderr, os.listdir(bench.path("held"))))
    got = bench.run("track", "v.avi", "--frames", "1", "-o", "held/kept.csv", "--force")
    tap.ok(got.returncode == 0, "--force replaces it", got.stderr)


def drawn(tap, bench):
    """The tracks of app.leukocyte go through notes into the report."""
    got = bench.run("run", "app.leukocyte", "--quick", "--launches", "1", "--samples", "1", "-p", "executor=serial",
                    "-p", "threads=1", "-p", "cells=2", "-p", "frames=1,3", "-o", "l.db", env=bench.real_env)
    tap.ok(got.returncode == 0, "app.leukocyte is measured", got.stderr)
    got = bench.run("export", "l.db", "--svg", "leukocyte-tracks")
    tap.ok("synthetic: 2 cells through 3 frames" in got.stdout
           and "cell 1: (" in got.stdout and "off the truth by 0." in got.stdout,
           "its tracks are a picture of the report", (got.stdout, got.stderr))


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    for seed in range(1, int(os.environ.get("TRACK_SEEDS", "1")) + 1):
        synthetic(tap, bench, seed)
        long_tracks(tap, bench, seed)
    same_outcome(tap, bench)
    given_cells(tap, bench)
    other_kinds(tap, bench)
    without_libraries(tap, bench)
    progress(tap, bench)
    interrupted(tap, bench)
    refused(tap, bench)
    consent(tap, bench)
    drawn(tap, bench)
    tap.done()


if __name__ == "__main__":
    main()
