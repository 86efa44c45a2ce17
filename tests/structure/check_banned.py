# SPDX-License-Identifier: MIT
"""Functions and constructs that the house style bans (CONTRIBUTING.md)."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from structure import Case, Violation, code_only, functions, main, read, sources

PRINTERS = ("src/cli/", "src/write/", "tests/")


class Rule(NamedTuple):
    pattern: re.Pattern[str]
    instead: str
    allowed: tuple[str, ...] = ()  # beginnings of paths where it is allowed


def calls(*names: str) -> re.Pattern[str]:
    return re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(names))


RULES = (
    Rule(calls("sprintf", "vsprintf"), "use am_text or snprintf"),
    Rule(calls("strcpy", "strncpy", "stpcpy", "strcat", "strncat"), "use am_text or memcpy"),
    Rule(calls("strtok", "gets"), "parse by pointer and length"),
    Rule(calls("atoi", "atol", "atoll", "atof"), "use the parsers of base/text.h"),
    Rule(re.compile(r"\bstrto(l|ul|ll|ull|imax|umax)\s*\([^,;]*,\s*(NULL|0)\s*[,)]"), "check where the number ends"),
    Rule(calls("rand", "srand", "random", "drand48"), "use base/rng.h"),
    Rule(calls("gettimeofday", "clock"), "use base/clock.h"),
    Rule(calls("system", "popen"), "spawn the program itself"),
    Rule(calls("exit", "abort", "quick_exit"), "return a status", ("src/cli/main.c", "tests/")),
    Rule(calls("fork", "vfork", "posix_spawnp?", "exec[lv]p?e?"), "use base/child.h",
         ("src/base/child.c", "src/bench/cpu/hwprefetch.c", "tests/")),
    Rule(calls("alloca", "__builtin_alloca"), "use an arena or a bounded array"),
    Rule(calls("printf", "vprintf", "puts", "putchar", "perror"), "report through am_err or am_log",
         PRINTERS),
    Rule(re.compile(r"\btypedef\s+(struct|union|enum)\b[^;({]*[;{]"), "name it by its tag"),
    Rule(re.compile(r"__attribute__\s*\(\(\s*(constructor|destructor)"), "use the generated table"),
)


def banned_words(name: str, code: str) -> list[Violation]:
    found = []
    for rule in RULES:
        if name.startswith(rule.allowed):
            continue
        for match in rule.pattern.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            word = " ".join(match.group().split()).rstrip(" ({;")
            found.append(Violation(name, line, f"{word}: {rule.instead}"))
    return found


def conditional_bodies(name: str, text: str) -> list[Violation]:
    return [
        Violation(name, function.first, f"{function.name}() has a conditional directive inside")
        for function in functions(text)
        if any(re.match(r"\s*#\s*(if|el|endif)", line) for line in function.body)
    ]


def check(root: Path) -> tuple[list[Violation], int]:
    found, examined = [], 0
    for path in sources(root, ("src", "tests"), (".c", ".h", ".c.in")):
        examined += 1
        name, text = str(path.relative_to(root)), read(path)
        found += banned_words(name, code_only(text)) + conditional_bodies(name, text)
    return found, examined


def call(statement: str) -> str:
    return "void f(void)\n{\n    %s\n}\n" % statement


CASES = [
    Case("banned words in comments, strings and longer names pass",
         {"src/core/a.c": call('/* strcpy(a, b) */ log("sprintf(x)"); my_rand(); s->exit(1);')
          + "// system(1)\n"}, None),
    Case("sprintf is reported with its line",
         {"src/core/a.c": call('sprintf(buf, "x");')}, "src/core/a.c:3: sprintf"),
    Case("strncpy is reported", {"src/core/a.c": call("strncpy(a, b, 3);")}, "strncpy"),
    Case("strtol without end check is reported",
         {"src/core/a.c": call("x = strtol(text, NULL, 10);")}, "where the number ends"),
    Case("strtol with end check passes",
         {"src/core/a.c": call("x = strtol(text, &end, 10);")}, None),
    Case("printf in core is reported", {"src/core/a.c": call('printf("x");')}, "printf"),
    Case("printf in a writer passes", {"src/write/a.c": call('printf("x");')}, None),
    Case("exit outside main is reported", {"src/store/a.c": call("exit(1);")}, "exit"),
    Case("_exit of a forked child passes", {"src/conductor/a.c": call("_exit(127);")}, None),
    Case("a fork outside base/child.c is reported", {"src/meter/a.c": call("pid = fork();")}, "fork"),
    Case("so is a spawned program",
         {"src/meter/a.c": call("rc = posix_spawnp(&pid, name, NULL, NULL, argv, environ);")},
         "base/child.h"),
    Case("a typedef'd struct is reported",
         {"src/core/a.h": "typedef struct a { int i; } a_t;\n"}, "by its tag"),
    Case("a typedef'd function passes",
         {"src/core/a.h": "typedef enum am_status am_fn(struct am_a *a);\n"}, None),
    Case("a conditional directive in a function is reported",
         {"src/core/a.c": call("x();\n#ifdef Y\n    y();\n#endif")}, "f() has a conditional"),
    Case("a conditional directive around functions passes",
         {"src/core/a.c": "#ifdef Y\n" + call("x();") + "#endif\n"}, None),
    Case("registration by constructor is reported",
         {"src/bench/cpu/a.c": "__attribute__((constructor)) static void f(void);\n"}, "generated"),
]

if __name__ == "__main__":
    sys.exit(main(check, CASES, "nothing banned is used"))
