# SPDX-License-Identifier: MIT
"""What a description of a simulated machine (machines/*.machine) says, as judge_machines.py needs it.

Truth is as one core of a kind sees it, the first unless another is named. A guideline is held against the description by the entry of CHECKS that
has its id: the entry says why the description contradicts it, or nothing. Guidelines that say "Not decided" contradict
nothing; those without an entry are counted as not judged.
"""

import hashlib
import re
from pathlib import Path
from typing import Callable, NamedTuple

SUFFIXES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
BUSY = 0.9  # part of the time that a visible neighbour works: nothing should be concluded there
LIES = (2.5, 0.4, 4, 0.25, 8, 0.125)


class Cache(NamedTuple):
    section: str
    least: float  # bytes that a launch gets of it, with what the level before adds
    most: float
    own: float  # the least without that: a true statement may be of the cache alone
    stated: float  # 0: not stated
    cycles: float


class Truth(NamedTuple):
    caches: list[Cache]
    memory_ns: float
    busy: bool


Sections = list[tuple[str, dict[str, str]]]


def number(text: str) -> float:
    return float(text[:-1]) * SUFFIXES[text[-1]] if text[-1] in SUFFIXES else float(text)


def sections(path: Path) -> Sections:
    found: Sections = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            found.append((line.strip("[]"), {}))
        elif line and found:
            key, _, value = line.partition(" ")
            keys = found[-1][1]
            keys[key] = f"{keys[key]}\n{value.strip()}" if key in keys else value.strip()
    return found


def keys_of(all_sections: Sections, name: str) -> dict[str, str]:
    """Of the first section whose name begins so; empty without one."""
    return next((keys for found, keys in all_sections if found.split()[0] == name), {})


def value(keys: dict[str, str], key: str, default: float) -> float:
    return number(keys[key]) if key in keys else default


def other_kinds(path: Path) -> dict[str, int]:
    """Places of the kinds of core behind the first, as the model names them (src/topo/kinds.c), by their number."""
    kinds = [keys for name, keys in sections(path) if name.startswith("kind ")]
    names = {2: ("large", "small"), 3: ("large", "middle", "small")} if "capacity" in kinds[0] else {2: ("P", "E")}
    return {f"kind:{name}": i for i, name in enumerate(names.get(len(kinds), ())) if i}


def truth_of(path: Path, number_of_kind: int = 0) -> Truth:
    """Exclusive levels add the one before them; a neighbour takes a part of what several cores share."""
    all_sections = sections(path)
    kinds = [(name.split()[1], keys) for name, keys in all_sections if name.startswith("kind ")]
    kind, ghz = kinds[number_of_kind][0], float(kinds[number_of_kind][1]["one_ghz"])
    neighbour = keys_of(all_sections, "neighbour")
    on_s = value(neighbour, "on_s", 0)
    taken = value(neighbour, "cache", 0) if on_s > 0 else 0
    seen = "yes" in (neighbour.get("steal"), neighbour.get("switches"))
    caches: list[Cache] = []
    before = 0.0
    for name, keys in all_sections:
        if not name.startswith("cache ") or keys.get("kind", kind) != kind:
            continue
        size = number(keys["size"])
        adds = before if keys.get("fill", "inclusive") != "inclusive" else 0
        stated = 0.0 if keys.get("hidden") == "yes" else value(keys, "stated", 0) or size
        least = value(keys, "share_least", 1) * (1 - taken if keys.get("share", "core") != "core" else 1)
        caches.append(Cache(name, size * least + adds, size * value(keys, "share_most", 1) + adds, size * least, stated,
                            float(keys["cycles"]) + value(keys, "ns", 0) * ghz))
        before = size
    return Truth(caches, float(keys_of(all_sections, "memory")["latency_ns"]),
                 seen and on_s / (on_s + value(neighbour, "off_s", 1)) >= BUSY)


def cpu_count(path: Path) -> float:
    all_sections = sections(path)
    cores = sum(value(keys, "cores", 1) * value(keys, "smt", 1) for name, keys in all_sections if name.startswith("kind "))
    return cores * value(keys_of(all_sections, "machine"), "packages", 1)


def is_held_out(name: str) -> bool:
    """A third of the descriptions, by their name: results on them are not looked at while the fit is developed."""
    return hashlib.sha256(name.encode()).hexdigest()[0] in "cdef"


def with_lie(path: Path, seed: int, folder: Path) -> Path:
    """For every third seed a copy of the description in which one cache is stated falsely; else the file itself."""
    truth = truth_of(path)
    honest = [c for c in truth.caches if c.own <= c.stated <= c.most]
    if seed % 3 or not honest:
        return path
    cache = honest[seed // 3 % len(honest)]
    stated = cache.most * LIES[seed // 3 // len(honest) % len(LIES)]
    if stated < 2048:
        stated = cache.most * 4
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        lines.append(line)
        if line.split("#")[0].strip() == f"[{cache.section}]":
            lines.append(f"stated {stated:.0f}")
    copy = folder / path.name
    copy.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return copy


# ---- guidelines ----


class Isa(NamedTuple):
    bits: float
    pipes: float
    ghz: float

    def rate(self) -> float:
        return self.bits * self.pipes * self.ghz


def isas_of(kind: dict[str, str]) -> dict[str, Isa]:
    rows = [row.split() for row in kind["isa"].split("\n")]
    return {row[0]: Isa(float(row[1]), float(row[2]), float(row[3])) for row in rows}


def first_number(pattern: str, text: str) -> float | None:
    found = re.search(pattern, text)
    return float(found.group(1)) if found else None


def off(said: float | None, true: float, by: float) -> bool:
    return said is not None and not true / by <= said <= true * by


def check_vectors(text: str, all_sections: Sections) -> str:
    isas = isas_of(keys_of(all_sections, "kind"))
    found = re.search(r"(?:with|matter:) (\S+?):?(?: has)? ([\d.]+) x the arithmetic of (\S+) code", text)
    if not found or found.group(1) not in isas or found.group(3) not in isas:
        return "" if "hardly matter" not in text else "it names no sets of this machine"
    true = isas[found.group(1)].rate() / isas[found.group(3)].rate()
    if found.group(3) == "scalar":
        true = isas[found.group(1)].rate() / (64 * isas["scalar"].pipes * isas["scalar"].ghz)
    return f"it is {true:.2f} x" if off(float(found.group(2)), true, 1.15) else ""


def check_precision(text: str, all_sections: Sections) -> str:
    return "it is 2 x" if off(first_number(r"has ([\d.]+) x", text), 2, 1.1) else ""


def check_smt(text: str, all_sections: Sections) -> str:
    kind = keys_of(all_sections, "kind")
    smt, share = value(kind, "smt", 1), value(kind, "thread_share", 1)
    if smt < 2:
        return "cores have one thread"
    if "both hardware threads" in text and share > 0.95:
        return "one thread keeps the pipes busy"
    return f"one thread reaches {share} of the pipes" if "is enough" in text and share < 0.9 else ""


def check_cores(text: str, all_sections: Sections) -> str:
    """Work in equal parts waits for the slowest kind; parted by need it gets the sum of all."""
    packages = value(keys_of(all_sections, "machine"), "packages", 1)
    kinds = [keys for name, keys in all_sections if name.startswith("kind ")]
    best = max(isas_of(kinds[0]).values(), key=Isa.rate).rate() * value(kinds[0], "thread_share", 1)
    rates, cores = [], []
    for kind in kinds:
        rows = [[float(x) for x in row.split()[1:]] for row in kind["isa"].split("\n")]
        rates.append(max(bits * pipes * all_ghz for bits, pipes, _, all_ghz in rows))
        cores.append(packages * value(kind, "cores", 1))
    said = first_number(r"arithmetic of (\d+) cores", text)
    least = sum(cores) * min(rates) / best
    most = sum(n * rate for n, rate in zip(cores, rates)) / best
    inside = said is None or 0.8 * least <= said <= 1.2 * most
    return "" if inside else f"it is {least:.1f} to {most:.1f}"


def check_levels(text: str, all_sections: Sections) -> str:
    """Advice to stay below a size is safe up to the size; far below it it is no advice."""
    kind = next(name.split()[1] for name, _ in all_sections if name.startswith("kind "))
    own = [keys for name, keys in all_sections if name.startswith("cache ") and keys.get("kind", kind) == kind]
    sizes = [number(keys["size"]) for keys in own]
    said = first_number(r"below (\d+) KiB", text)
    if len(sizes) < 2 or said is None:
        return "there is no L2" if said is not None else ""
    return "" if sizes[1] / 4 <= said * 1024 <= sizes[1] * 1.1 else f"L2 has {sizes[1] / 1024:.0f} KiB"


def check_threads(text: str, all_sections: Sections) -> str:
    memory, machine = keys_of(all_sections, "memory"), keys_of(all_sections, "machine")
    nodes = value(memory, "nodes", 1) * value(machine, "packages", 1)
    ratio = number(memory["node_gbs"]) * nodes / number(memory["core_gbs"])
    if text.startswith("One thread fills") and ratio > 1.3:
        return f"all move {ratio:.1f} x"
    said = first_number(r"Use (\d+) threads", text)
    return f"{ratio:.0f} cores fill it" if said is not None and said < 0.5 * ratio else ""


def check_parallelism(text: str, all_sections: Sections) -> str:
    true = value(keys_of(all_sections, "memory"), "parallel", 12)
    said = first_number(r"keeps (?:at least )?(\d+) loads", text)
    if "at least" in text:
        return f"it keeps {true:.0f}" if said is not None and said > 1.3 * true else ""
    return f"it keeps {true:.0f}" if off(said, true, 1.3) else ""


def check_pages(text: str, all_sections: Sections) -> str:
    page = value(keys_of(all_sections, "memory"), "page", 4096)
    reaches = [number(keys["entries"]) * page for name, keys in all_sections
               if name.startswith("tlb ") and keys.get("pages", "both") != "huge"]
    said = first_number(r"beyond ([\d.]+) MiB", text)
    if said is None:
        return ""
    return "" if any(not off(said * 2**20, reach, 1.6) for reach in reaches) else f"TLBs reach {reaches}"


def check_symmetry(text: str, all_sections: Sections) -> str:
    machine, memory = keys_of(all_sections, "machine"), keys_of(all_sections, "memory")
    nodes = value(memory, "nodes", 1) * value(machine, "packages", 1)
    kinds = sum(name.startswith("kind ") for name, _ in all_sections)
    if "are symmetric" in text and nodes > 1 and value(memory, "far_gbs", 0) + value(memory, "near_gbs", 0) > 0:
        return f"{nodes:.0f} nodes of memory"
    return "one node, one kind, one cache" if ("with care" in text and nodes == 1 and kinds == 1 and
                                               value(keys_of(all_sections, "kind"), "smt", 1) == 1 and
                                               value(keys_of(all_sections, "neighbour"), "on_s", 0) == 0) else ""


def check_remote(text: str, all_sections: Sections) -> str:
    ways = keys_of(all_sections, "coherence")
    true = [value(ways, key, dflt) for key, dflt in (("cluster_ns", 20), ("package_ns", 50), ("far_ns", 150))]
    said = first_number(r"costs ([\d.]+) ns", text)
    return "" if said is None or any(not off(said, t, 1.5) for t in true) else f"ways take {true} ns"


CHECKS: dict[str, Callable[[str, Sections], str]] = {
    "core.vectors": check_vectors,
    "core.precision": check_precision,
    "core.smt": check_smt,
    "cores.effective": check_cores,
    "cores.remote": check_remote,
    "cores.placement": check_symmetry,
    "memory.levels": check_levels,
    "memory.threads": check_threads,
    "memory.parallelism": check_parallelism,
    "memory.pages": check_pages,
}


def contradictions(path: Path, guidelines: list[dict]) -> tuple[int, list[str]]:
    """How many were judged, and "id: text (why not)" of those that the description contradicts."""
    all_sections, judged, wrong = sections(path), 0, []
    for line in guidelines:
        check = CHECKS.get(line["id"])
        if not check or line["text"].startswith("Not decided"):
            continue
        judged += 1
        why = check(line["text"], all_sections)
        if why:
            wrong.append(f"{line['id']}: {line['text']} ({why})")
    return judged, wrong
