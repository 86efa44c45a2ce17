#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of terminals: what a command leaves on a screen of 80 x 24 and of 120 x 40 characters.

Arguments: the folder for the pictures, then NAME=COMMAND for each. The command runs in tmux, as a person would see
it, and the screen is drawn by Chromium. With --text the screens are written as text to standard output instead."""

import argparse
import html
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = ((80, 24), (120, 40))
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #16181d; }}
pre {{ margin: 8px; color: #d8dee9; font: 14px/18px "DejaVu Sans Mono", monospace; white-space: pre; }}
</style><pre>{text}</pre>"""
CHARACTER, LINE, MARGIN = 8.43, 18, 16  # of that font, in pixels
END = "screens-end"


def screen_of(command: str, columns: int, rows: int, limit_s: float) -> str:
    """What stands on the screen when the command has ended."""
    with tempfile.TemporaryDirectory() as folder:
        tmux = ["tmux", "-S", f"{folder}/socket"]
        told = f"clear; {command}; touch {folder}/{END}; sleep 600"
        subprocess.run([*tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows), "sh", "-c", told], check=True)
        subprocess.run([*tmux, "set-option", "-g", "status", "off"], check=True)
        limit = time.monotonic() + limit_s
        while not Path(folder, END).exists() and time.monotonic() < limit:
            time.sleep(0.1)
        time.sleep(0.3)
        text = subprocess.run([*tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True).stdout
        subprocess.run([*tmux, "kill-server"], check=False)
    return text


def draw(text: str, columns: int, rows: int, picture: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "screen.html"
        page.write_text(PAGE.format(text=html.escape(text)))
        size = f"{round(columns * CHARACTER) + MARGIN},{rows * LINE + MARGIN}"
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}",
                        f"--user-data-dir={folder}/profile", f"--screenshot={picture}", page.as_uri()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", action="store_true", help="to standard output, as text")
    parser.add_argument("--limit", type=float, default=300, help="seconds that a command may take")
    parser.add_argument("folder", type=Path)
    parser.add_argument("screens", nargs="+", metavar="NAME=COMMAND")
    arguments = parser.parse_args()
    for word in arguments.screens:
        name, _, command = word.partition("=")
        for columns, rows in SIZES:
            text = screen_of(command, columns, rows, arguments.limit)
            if arguments.text:
                print(f"== {name}, {columns} x {rows}\n{text}")
            else:
                draw(text, columns, rows, (arguments.folder / f"screen-{name}-{columns}x{rows}.png").resolve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
