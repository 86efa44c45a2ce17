# SPDX-License-Identifier: MIT
"""A struct tag of the project means one thing in the whole tree, and no name hides one of C++ or of
the system. (Names with linkage are the business of check_symbols.py, which sees the objects.)"""

import re
import sys
from pathlib import Path
from typing import Iterator

from structure import Case, Violation, code_only, functions, main, read, sources

TAG = re.compile(r"\b(?:struct|enum|union)\s+(am_\w+)\s*\{")

# Functions of the system whose names invite to be used for something else.
SYSTEM = frozenset(
    "accept bind close connect dup exit fork index kill link listen lock open pipe poll read recv "
    "remove rename select send signal sleep time times truncate unlink wait write".split())

# Words of C++: editors, tools and clang-format take them for operators.
CPLUSPLUS = re.compile(
    r"\b(?:and|bitand|bitor|catch|class|compl|delete|export|friend|mutable|namespace|new|not|"
    r"operator|or|private|protected|public|template|this|throw|try|typename|using|virtual|xor)\b")

# Tables of instructions: their mnemonics are words of C++ by chance.
MNEMONICS = re.compile(r"src/kernels/instr_\w+\.inc")


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def without_directives(text: str) -> str:
    """Lines such as #error hold prose."""
    return re.sub(r"(?m)^#\s*(?:error|warning|pragma)[^\n]*", "", text)


def hidden(name: str, text: str) -> Iterator[Violation]:
    for function in functions(text):
        if function.name in SYSTEM:
            yield Violation(name, function.first, f"{function.name}() is a function of the system")
    code = without_directives(code_only(text))
    for match in CPLUSPLUS.finditer(code):
        if not MNEMONICS.fullmatch(name):
            yield Violation(name, line_of(code, match.start()), f"{match.group()} is a word of C++")


def check(root: Path) -> tuple[list[Violation], int]:
    found, examined, tags = [], 0, {}
    for path in sources(root, ("src", "tests"), (".c", ".h", ".inc")):
        examined += 1
        name, text = str(path.relative_to(root)), read(path)
        found += hidden(name, text)
        code = code_only(text)
        for match in TAG.finditer(code) if name.startswith("src/") else ():
            place = f"{name}:{line_of(code, match.start())}"
            if match.group(1) in tags:
                text = f"{match.group(1)} is defined in {tags[match.group(1)]} too"
                found.append(Violation(name, line_of(code, match.start()), text))
            tags.setdefault(match.group(1), place)
    return found, examined


CASES = [
    Case("a tag that is used twice passes",
         {"src/a/a.h": "struct am_a {\n    int i;\n};\n", "src/b/b.h": "struct am_a;\n"}, None),
    Case("a tag that is defined twice is reported",
         {"src/a/a.h": "struct am_a {\n    int i;\n};\n",
          "src/b/b.h": "\nenum am_a { AM_B };\n"}, "src/b/b.h:2: am_a is defined in src/a/a.h:1 too"),
    Case("tags of one file are its own",
         {"src/a/a.c": "struct a {\n    int i;\n};\n", "src/b/b.c": "struct a {\n    int i;\n};\n"}, None),
    Case("a tag in a comment is none",
         {"src/a/a.h": "struct am_a {\n    int i;\n};\n/* struct am_a { */\n"}, None),
    Case("a static called send is reported",
         {"src/a/a.c": "static int send(int to)\n{\n    return to;\n}\n"}, "send() is a function"),
    Case("a variable called not is reported", {"src/a/a.c": "int f(int not);\n"}, "not is a word"),
    Case("a word of C++ in prose passes", {"src/a/a.c": "/* this is new */\n"}, None),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "every tag is defined once, and no name hides another"))
