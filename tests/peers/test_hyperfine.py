# SPDX-License-Identifier: MIT
"""hyperfine.py judges made-up medians and reports: what agrees, what does not, what each program says of a pair."""
import pathlib
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import hyperfine  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

JUDGED = ((1.0, 0.98, 1.02, "same within the interval"), (1.02, 1.01, 1.03, "within 3 %"), (1.2, 1.1, 1.3, "apart"),
          (0.8, 0.5, 1.1, "same within the interval"), (0.9, 0.85, 0.95, "apart"))


def main():
    tap = Tap()
    for estimate, low, high, word in JUDGED:
        tap.ok(hyperfine.agrees(estimate, low, high) == word, f"{estimate} [{low}, {high}]: {word}")
    report = {"results": [{"command": "a", "mean": 1.0, "stddev": 0.1}, {"command": "b", "mean": 2.0, "stddev": 0.0}]}
    tap.ok(hyperfine.their_words(report, "a", "b") == "2.00 ± 0.20 times faster", "hyperfine's own words",
           hyperfine.their_words(report, "a", "b"))
    verdict = {"factor": 1.5, "ci": [1.4, 1.6], "verdict": "faster"}
    tap.ok(hyperfine.our_words(verdict) == "1.50 (1.40..1.60), faster", "ours, with the interval", hyperfine.our_words(verdict))
    tap.ok(hyperfine.our_words({"factor": None, "ci": [None, None], "verdict": "undecided"}) == "undecided",
           "what is undecided has no numbers")
    with tempfile.TemporaryDirectory() as folder:
        texts = []
        for name in ("a", "b"):
            hyperfine.make_text(f"{folder}/{name}")
            texts.append(pathlib.Path(folder, name).read_bytes())
        tap.ok(texts[0] == texts[1] and len(texts[0]) > 500_000, "the text to compress is the same every time", len(texts[0]))
    tap.done()


main()
