# SPDX-License-Identifier: MIT
"""One bench in two workers, and axes that are environment variables."""
import json
import sys

from e2e import Bench, Tap


def points(bench, db):
    return sorted(tuple(r["point"].values()) for r in bench.results(db))


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    listing = json.loads(bench.run("list", "fake.split", "--format", "json").stdout)
    tap.ok(len(listing["benches"]) == 1, "a bench of two workers is listed once", listing)
    choices = [c["name"] for c in listing["benches"][0]["axes"][0]["choices"]]
    tap.ok(choices == ["left", "right"], "with the choices of both", choices)

    run = bench.run("run", "fake.split", "--quick", "--launches", "2", "-o", "s.db",
                    env=dict(bench.env, FAKE_MOOD="inherited"))
    tap.ok(run.returncode == 0, "it runs, each half in its worker", run.stderr)
    want = sorted((half, mood) for half in ("left", "right") for mood in ("calm", "wild", "none"))
    tap.ok(points(bench, "s.db") == want, "by default both halves are measured",
           points(bench, "s.db"))
    workers = bench.query("s.db", "SELECT DISTINCT p.text, l.worker FROM visit v "
                                  "JOIN point p ON p.id = v.point JOIN launch l ON l.id = v.launch")
    tap.ok(all(("left" in text) == (worker == "fake") for text, worker in workers),
           "each by its own worker", workers)
    # The worker attests the variable it saw, so that ok means: it was set, or taken away.
    tap.ok(all(r["state"] == "ok" for r in bench.results("s.db")),
           "every launch has the environment of its points", bench.results("s.db"))
    stored = {row[0] for row in bench.query("s.db", "SELECT DISTINCT environment FROM launch")}
    tap.ok(stored == {"FAKE_MOOD=C A=L%M", "FAKE_MOOD=wild", "-FAKE_MOOD"},
           "what was changed is stored", stored)
    mixed = bench.query("s.db", "SELECT count(*) FROM launch l WHERE (SELECT count(*) FROM visit v "
                                "WHERE v.launch = l.id) <> 1")
    tap.ok(mixed == [(0,)], "points of different environments do not share a launch", mixed)

    bench.run("run", "fake.split", "--quick", "--launches", "2", "-p", "half=right", "-p",
              "mood=wild", "-o", "r.db")
    tap.ok(points(bench, "r.db") == [("right", "wild")], "one half can be asked for",
           points(bench, "r.db"))
    bad = bench.run("run", "fake.split", "-p", "half=rihgt")
    tap.ok(bad.returncode == 2 and 'did you mean "right"' in bad.stderr,
           "a wrong name is corrected with the other worker's choices", bad.stderr)
    resumed = bench.run("resume", "r.db")
    tap.ok(resumed.returncode == 0, "resume finds the worker again", resumed.stderr)
    tap.done()


main()
