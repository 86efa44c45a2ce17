# SPDX-License-Identifier: MIT
"""tools/stories.py: inputs that are the same every time, what is missing is told, and the page has its commands."""
import pathlib
import shlex
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(pathlib.Path(__file__).parent.parent / "e2e")]

import stories  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402


def made(name):
    """The inputs of a story by name."""
    with tempfile.TemporaryDirectory() as folder:
        stories.STORIES[name][1](folder)
        return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def main():
    tap = Tap()
    page = (ROOT / "doc/guide/stories.md").read_text(encoding="utf-8")
    for name, (programs, _, commands) in stories.STORIES.items():
        first = made(name)
        tap.ok(first == made(name), f"{name}: the same inputs every time: {sorted(first)}")
        tap.ok(f"$ archmeter {shlex.join(commands[0])}" in page, f"{name}: its first command stands in the guide", commands[0])
        tap.ok(all(package in page for package in programs.values()), f"{name}: so do its packages")
    tap.ok(stories.missing({"there-is-no-such-program": "its-package"}) == ["its-package"], "what is missing is told")
    tap.done()


main()
