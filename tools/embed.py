#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns text files, one after the other, into C: embed.py INPUT... OUTPUT SYMBOL HEADER.

HEADER declares SYMBOL.
"""
import sys

BYTES_PER_LINE = 20


def main(argv):
    if len(argv) < 5:
        sys.exit(__doc__)
    *sources, target, symbol, header = argv[1:]
    data = b""
    for source in sources:
        with open(source, "rb") as f:
            data += f.read()
        if not data.isascii() or 0 in data:
            sys.exit(f"{source}: only plain ASCII text can be embedded")
    data += b"\0"
    with open(target, "w", encoding="ascii") as f:
        # An array, not a literal: ISO C bounds a literal at 4095 characters.
        f.write(f'#include "{header}"\n\nconst char {symbol}[] = {{\n')
        for i in range(0, len(data), BYTES_PER_LINE):
            f.write("    " + " ".join(f"{b:d}," for b in data[i : i + BYTES_PER_LINE]) + "\n")
        f.write("};\n")


main(sys.argv)
