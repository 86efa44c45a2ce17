# SPDX-License-Identifier: MIT
"""Changed files are noticed: edited, cut, of flipped bits; whole ones hold, killed, resumed or merged.
Arguments: archmeter, its build folder. SEAL_FLIPS: how many bits are flipped, each with five commands."""
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time

from e2e import Bench, Tap

FLIPS = int(os.environ.get("SEAL_FLIPS", "25"))
ARGS = ["null", "-p", "n=1:3", "--quick", "--launches", "5"]
READERS = (("show", "--format", "csv"), ("export", "--samples", "--format", "csv"), ("model", "--format", "json"),
           ("compare", "--format", "csv"))
EDITS = {
    "a value": "UPDATE value SET value = value * 2 WHERE visit = 1",
    "a sample's time": "UPDATE sample SET elapsed_ns = elapsed_ns + 1 WHERE visit = 2 AND seq = 0",
    "a label": "UPDATE sample SET labels = labels | 4 WHERE visit = 1",
    "what surrounded a launch": "UPDATE surroundings SET labels = 8 - labels WHERE launch = 1",
    "the machine": "UPDATE machine SET value = 'a faster one' WHERE key = 'model_name'",
    "a setting": "UPDATE run SET target = 0.5",
    "a launch that is gone": "DELETE FROM launch WHERE id = 2",
    "a point that is gone": "DELETE FROM point WHERE id = 3",
    "a visit that is gone": "DELETE FROM visit WHERE id = 3",
    "the seals that are gone": "DELETE FROM seal",
    "its age": "PRAGMA user_version = 4",
    "the commit": "UPDATE build SET value = '0123456789abcdef' WHERE key = 'commit'",
    "the label": "UPDATE run SET label = 'another'",
    "two launches that changed places": "UPDATE launch SET id = -id WHERE id IN (1, 2);"
                                        "UPDATE launch SET id = id + 3 WHERE id < 0",
    "the last launch, gone with all of it and counted no more": "".join(
        f"DELETE FROM {table} WHERE visit IN (SELECT id FROM visit WHERE launch = (SELECT max(id) FROM launch));"
        for table in ("value", "sample", "off_cpu", "note", "chosen", "proposed", "attachment", "failure", "sample_seal"))
    + "".join(f"DELETE FROM {table} WHERE launch = (SELECT max(id) FROM launch);" for table in ("visit", "surroundings", "seal"))
    + "DELETE FROM launch WHERE id = (SELECT max(id) FROM launch); UPDATE chain SET launches = launches - 1",
}


def edit(bench, db, sql):
    connection = sqlite3.connect(bench.path(db))
    connection.executescript(sql)
    connection.commit()
    connection.close()


def verify(bench, db):
    ran = bench.run("verify", db, "--format", "json")
    return ran.returncode, json.loads(ran.stdout) if ran.stdout else {}


def whole(tap, bench):
    bench.run("run", *ARGS, "-o", "whole.db")
    ran = bench.run("verify", "whole.db")
    code, said = verify(bench, "whole.db")
    tap.ok(code == 0 and said["holds"] and said["seal"]["state"] == "holds"
           and said["seal"]["sealed"] == bench.query("whole.db", "SELECT count(*) FROM launch")[0][0],
           "a run holds", (said, ran.stdout))
    tap.ok(said["seal"]["digest"] in ran.stdout, "and has a digest", ran.stdout)
    tap.ok([c["result"] for c in said["checks"]] == ["holds"] * 5, "all five checks hold", said)
    shown = bench.run("show", "whole.db")
    tap.ok("written" not in shown.stderr, "no reader warns", shown.stderr)
    bench.run("report", "whole.db", "-o", "whole.html")
    with open(bench.path("whole.html"), encoding="utf-8") as page:
        tap.ok(said["seal"]["digest"] in page.read(), "the page carries the digest")
    exported = json.loads(bench.run("export", "whole.db").stdout)
    tap.ok(exported["seal"]["digest"] == said["seal"]["digest"], "so does the export", exported.get("seal"))
    edit(bench, "whole.db", "VACUUM")
    tap.ok(verify(bench, "whole.db")[1]["seal"]["digest"] == said["seal"]["digest"], "packing it anew changes nothing")


def edited(tap, bench):
    for what, sql in EDITS.items():
        shutil.copy(bench.path("whole.db"), bench.path("edited.db"))
        edit(bench, "edited.db", sql)
        code, said = verify(bench, "edited.db")
        shown = bench.run("show", "edited.db")
        # a file that readers refuse is noticed too
        noticed = shown.returncode != 0 or "not as it was written" in shown.stderr
        tap.ok(code in (1, 2, 3) and noticed, f"{what} is noticed by verify and show",
               (code, said, shown.stdout[:200], shown.stderr))


def laundered(tap, bench):
    """What was edited does not hold again because archmeter goes on with it, or copies it."""
    for what in ("the machine", "the commit", "the label", "a value", "the last launch, gone with all of it and counted no more"):
        shutil.copy(bench.path("whole.db"), bench.path("edited.db"))
        edit(bench, "edited.db", EDITS[what])
        merged = bench.run("merge", "-o", "laundry.db", "a=edited.db", "b=whole.db")
        tap.ok(merged.returncode == 1 and "not as it was written" in " ".join(merged.stdout.split())
               and verify(bench, "laundry.db")[0] == 1, f"{what}: merging tells it, and does not mend it", merged.stdout + merged.stderr)
        os.remove(bench.path("laundry.db"))
    shutil.copy(bench.path("whole.db"), bench.path("edited.db"))
    edit(bench, "edited.db", "UPDATE environment SET value = 'x' WHERE key = 'kernel';"
                             "UPDATE point SET stop_reason = NULL WHERE id = 1; UPDATE run SET state = 'interrupted',"
                             "min_launches = 7, max_launches = 7")
    resumed = bench.run("resume", "edited.db")
    tap.ok("not as it was written" in resumed.stderr and verify(bench, "edited.db")[0] == 1,
           "nor does resume mend it, and it says so", resumed.stderr)


def old(tap, bench):
    shutil.copy(bench.path("whole.db"), bench.path("old.db"))
    for table in ("seal", "sample_seal", "table_seal", "chain"):
        edit(bench, "old.db", f"DROP TABLE {table}")
    edit(bench, "old.db", "PRAGMA user_version = 4")
    code, said = verify(bench, "old.db")
    tap.ok(code == 1, "a file whose seals were taken away is none of schema 4: that stored no commit", said)
    shutil.copy(bench.path("old.db"), bench.path("renewed.db"))
    edit(bench, "renewed.db", "UPDATE point SET stop_reason = NULL WHERE id = 1; UPDATE run SET state = 'interrupted',"
                              "min_launches = 7, max_launches = 7")
    bench.run("resume", "renewed.db")
    tap.ok(verify(bench, "renewed.db")[0] == 1, "nor when it was gone on with", verify(bench, "renewed.db")[1])
    edit(bench, "old.db", "DELETE FROM build WHERE key = 'commit'")
    code, said = verify(bench, "old.db")
    tap.ok(code == 4 and said["seal"]["state"] == "not sealed", "a file of schema 4 has no seals, and says so", said)
    tap.ok("written" not in bench.run("show", "old.db").stderr, "nobody warns of that")


def killed(tap, bench):
    child = bench.start("run", "null", "-p", "n=1:2", "--quick", "--launches", "60", "-o", "killed.db")
    for _ in range(600):
        time.sleep(0.02)
        if os.path.exists(bench.path("killed.db")) and bench.run("show", "killed.db").returncode == 0:
            if bench.query("killed.db", "SELECT count(*) FROM launch")[0][0] >= 3:
                break
    child.send_signal(signal.SIGKILL)
    child.communicate()
    code, before = verify(bench, "killed.db")
    tap.ok(code == 0 and before["seal"]["sealed"] >= 3, "a killed run holds up to its last launch", before)
    resumed = bench.run("resume", "killed.db")
    code, after = verify(bench, "killed.db")
    tap.ok(resumed.returncode == 0 and code == 0 and after["seal"]["sealed"] > before["seal"]["sealed"],
           "resumed, its chain goes on", (resumed.stderr, after))


def merged(tap, bench):
    bench.run("merge", "-o", "merged.db", "a=whole.db", "b=killed.db")
    code, said = verify(bench, "merged.db")
    parts = [verify(bench, db)[1]["seal"]["sealed"] for db in ("whole.db", "killed.db")]
    tap.ok(code == 0 and said["seal"]["sealed"] == sum(parts), "a merged file keeps the chains of its parts", said)
    edit(bench, "merged.db", "UPDATE value SET value = value * 2 WHERE visit = (SELECT max(id) FROM visit)")
    tap.ok(verify(bench, "merged.db")[0] == 1, "and they are compared")


def outputs(bench, db):
    """What the readers print; None where one of them refuses."""
    said = []
    for command, *options in READERS:
        files = [db, db] if command == "compare" else [db]
        ran = bench.run(command, *files, *options)
        said.append(ran.stdout if ran.returncode in (0, 1, 4) else None)
    return said


def flipped(tap, bench, seed):
    rng = random.Random(seed)
    with open(bench.path("whole.db"), "rb") as file:
        data = bytearray(file.read())
    shutil.copy(bench.path("whole.db"), bench.path("flip.db"))
    before = outputs(bench, "flip.db")
    counts = {"changed": 0, "refused": 0, "the same": 0}
    missed = []
    for _ in range(FLIPS):
        at, bit = rng.randrange(len(data)), rng.randrange(8)
        data[at] ^= 1 << bit
        with open(bench.path("flip.db"), "wb") as file:
            file.write(data)
        after = outputs(bench, "flip.db")
        code = bench.run("verify", "flip.db").returncode
        kind = "refused" if None in after else "the same" if after == before else "changed"
        counts[kind] += 1
        if kind != "the same" and code == 0:
            missed.append((at, bit, kind))
        data[at] ^= 1 << bit
    tap.ok(None not in before and not missed, f"of {FLIPS} flipped bits none is missed: {counts}, seed {seed}", missed)


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    bench.env = bench.real_env  # the fake worker's values follow from nothing
    whole(tap, bench)
    edited(tap, bench)
    laundered(tap, bench)
    old(tap, bench)
    killed(tap, bench)
    merged(tap, bench)
    flipped(tap, bench, int(os.environ.get("SEAL_SEED", "18")))
    tap.done()


main()
