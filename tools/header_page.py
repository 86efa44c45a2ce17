# SPDX-License-Identifier: MIT
"""The page of doc/reference about archmeter/bench.h, made from the header's comments: structs with their fields, then
functions. reference.py writes and checks it."""

import re
from typing import Iterator, NamedTuple

TOKEN = re.compile(r"/\*.*?\*/|[^;/]+;", re.DOTALL)
STRUCT = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?struct (archmeter_\w+) \{\n(.*?)\n\};", re.DOTALL)
FUNCTION = re.compile(r"(?:/\*((?:(?!\*/).)*)\*/\n)?static inline ([^{;]*?)\n\{\n", re.DOTALL)
# Tables that functions call, and that nobody fills or reads by hand.
INNER = {"archmeter_calls", "archmeter_host"}


class Field(NamedTuple):
    declaration: str
    meaning: str


def plain(comment: str) -> str:
    """The words of a comment on one line."""
    inside = comment.removeprefix("/*").removesuffix("*/")
    return " ".join(re.sub(r"\n\s*\*", " ", inside).split())


def fields(body: str) -> Iterator[Field]:
    """A comment on the line of a declaration belongs to it, any other to the one below."""
    above, declaration, told, end = "", "", "", 0
    for token in TOKEN.finditer(body):
        text = token.group()
        if not text.strip().startswith("/*"):
            if declaration:
                yield Field(declaration, told)
            declaration, told, above = " ".join(text.rstrip(";").split()), above, ""
        elif declaration and "\n" not in body[end : token.start()]:
            told = " ".join(filter(None, (told, plain(text))))
        else:
            above = plain(text)
        end = token.end()
    if declaration:
        yield Field(declaration, told)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def structs(header: str) -> Iterator[str]:
    for comment, name, body in STRUCT.findall(header):
        if name in INNER:
            continue
        yield f"## struct {name}\n\n{plain(comment)}\n\n| field | meaning |\n| --- | --- |"
        yield "\n".join(f"| `{cell(f.declaration)}` | {cell(f.meaning)} |" for f in fields(body)) + "\n"


def functions(header: str) -> Iterator[str]:
    yield "## Functions\n\n| function | what it does |\n| --- | --- |"
    for comment, signature in FUNCTION.findall(header):
        yield f"| `{cell(' '.join(signature.split()))}` | {cell(plain(comment)) or 'the same'} |"
    yield ""


def page_of(header: str, made: str) -> str:
    version = re.search(r"#define ARCHMETER_BENCH_VERSION (\d+)", header).group(1)
    top = plain(re.findall(r"/\*.*?\*/", header, re.DOTALL)[1])
    return "\n".join([f"# archmeter/bench.h, version {version}\n", made, f"{top}\n",
                      "How it is used: [benches of your own](../guide/own-benches.md).\n", *structs(header),
                      *functions(header)])


EXAMPLE = """/* a */
/* Top of it. */
#define ARCHMETER_BENCH_VERSION 7
/* Two
 * fields. */
struct archmeter_a {
    int x; /* the first */
    /* The second
     * one. */
    char y;
    int (*f)(int a, int b);
};
/* Does. */
static inline int archmeter_do(int a)
{
    return a;
}
"""


def self_test() -> list[str]:
    """What is missing on the page of a small header."""
    page = page_of(EXAMPLE, "made")
    wanted = ("version 7", "Top of it.", "## struct archmeter_a\n\nTwo fields.", "| `int x` | the first |",
              "| `char y` | The second one. |", "| `int (*f)(int a, int b)` |  |", "| `int archmeter_do(int a)` | Does. |")
    return [f"not on the page: {text}" for text in wanted if text not in page]
