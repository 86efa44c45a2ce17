#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A manual page out of what a program says for --help. Arguments: the program, its purpose in a few words."""

import os
import subprocess
import sys
from pathlib import Path


def main() -> int:
    program, purpose = sys.argv[1:]
    name = Path(program).name
    # Where the program was built with a sanitizer, leaks of the MPI library are not its own.
    quiet = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    usage = subprocess.run([program, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
                           env=quiet).stdout
    lines = [line.replace("\\", "\\e").replace("-", "\\-") for line in usage.splitlines()]
    print(f".TH {name.upper()} 1\n.SH NAME\n{name} \\- {purpose}\n.SH SYNOPSIS\n.nf")
    print("\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines))
    print(".fi\n.SH SEE ALSO\n.BR archmeter (1)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
