#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares cpu.instr with published latencies and throughputs of this processor, as Markdown.

usage: peers/published.py [--archmeter PROGRAM] [--cpu NAME]

Published: LLVM's scheduling models of Zen 3 and Zen 4 (X86ScheduleZnver3.td, X86ScheduleZnver4.td),
whose numbers come from llvm-exegesis. Such a model describes classes of instructions, so a value is
in the table only where it is unambiguous: an entry of that instruction alone, or one in which both
models, or the model and a measured table (Agner Fog's, uops.info's), agree. Where they differ, the
value is None and not compared: e.g. the latency of vpermd on Zen 3 (5 in the model, 8 measured), of
vcvtdq2pd_ymm on Zen 4 (3 in its model, 4 in the older one), the throughput of square roots.
"""

import argparse
import sys

import ratio

GOAL = 0.05  # ours differ by less

# form -> (latency, reciprocal throughput) in cycles; None: not stated, or sources differ
COMMON = {
    "add_r64": (1, 0.25), "imul_r64": (3, 1), "popcnt_r64": (1, 0.25), "lzcnt_r64": (1, 0.25),
    "shl_r64": (1, 0.5), "bzhi_r64": (1, 0.5), "bextr_r64": (1, 0.5), "crc32_r64": (3, 1),
    "addpd_xmm": (3, 0.5), "vaddpd_ymm": (3, 0.5), "vaddps_ymm": (3, 0.5),
    "mulpd_xmm": (3, 0.5), "vmulpd_ymm": (3, 0.5), "vmulps_ymm": (3, 0.5),
    "vfmadd231pd_ymm": (4, 0.5), "vfmadd231ps_ymm": (4, 0.5), "vfmadd231sd_xmm": (4, 0.5),
    "divpd_xmm": (13, 5), "vdivpd_ymm": (13, 5), "divsd_xmm": (13, 5),
    "divps_xmm": (None, 3), "vdivps_ymm": (None, 3),
    "vpmulld_ymm": (3, 0.5), "vpmuludq_ymm": (3, 0.5),
    "roundpd_xmm": (3, 0.5), "vroundpd_ymm": (3, 0.5), "vblendvpd_ymm": (1, 0.5),
    "pshufd_xmm": (1, None), "vpshufd_ymm": (1, None), "vshufps_ymm": (1, None),
    "vunpckhpd_ymm": (1, None), "vunpcklps_ymm": (1, None), "vpunpckldq_ymm": (1, None),
    "vperm2f128_ymm": (3, None), "vperm2i128_ymm": (3, None),
    "cvtdq2ps_xmm": (3, 0.5), "vcvtdq2ps_ymm": (3, 0.5), "cvtps2dq_xmm": (3, 0.5),
    "cvtdq2pd_xmm": (3, 0.5), "cvtps2pd_xmm": (3, 0.5), "cvtpd2ps_xmm": (3, 0.5),
    "cvtss2sd_xmm": (3, 0.5), "cvtsd2ss_xmm": (3, 0.5),
    "vcvtps2pd_ymm": (4, None), "vcvtpd2ps_ymm": (6, None),
    "aesenc_xmm": (4, 0.5), "aesdec_xmm": (4, 0.5),
}
ZEN3 = {**COMMON, "vpermq_ymm": (6, None), "vpermpd_ymm": (6, None), "cmpltpd_xmm": (1, 0.5),
        "rcpps_xmm": (3, 0.5), "vcvtdq2pd_ymm": (4, None)}
ZEN4 = {**COMMON, "divps_xmm": (11, 3), "vdivps_ymm": (11, 3), "sqrtps_xmm": (15, 5),
        "vsqrtps_ymm": (15, 5), "sqrtpd_xmm": (21, None), "vsqrtpd_ymm": (21, None),
        "vpermd_ymm": (4, None), "vpermps_ymm": (4, None), "vpermq_ymm": (4, None),
        "vpermpd_ymm": (4, None), "pshufb_xmm": (2, None), "vpshufb_ymm": (2, None),
        "palignr_xmm": (2, 0.5), "vpalignr_ymm": (2, 0.5), "packssdw_xmm": (2, 0.5),
        "cmpltpd_xmm": (2, 0.5), "vcmpltpd_ymm": (2, 0.5), "rcpps_xmm": (4, 0.5),
        "dppd_xmm": (7, 3), "dpps_xmm": (11, 4), "blsr_r64": (1, 0.25),
        "vaddpd_zmm": (3, 1), "vmulpd_zmm": (3, 1), "vfmadd231pd_zmm": (4, 1),
        "vdivps_zmm": (11, 6)}

# name -> (table, CPUID family, first and last model of each range)
PROCESSORS = {
    "zen3": (ZEN3, 25, [(0x00, 0x0f), (0x20, 0x5f)]),
    "zen4": (ZEN4, 25, [(0x10, 0x1f), (0x60, 0x7f), (0xa0, 0xaf)]),
}


def cpuinfo(key: str) -> str:
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as lines:
        for line in lines:
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return ""


def this_processor() -> str | None:
    if cpuinfo("vendor_id") != "AuthenticAMD":
        return None
    family, model = int(cpuinfo("cpu family")), int(cpuinfo("model"))
    for name, (_, its_family, ranges) in PROCESSORS.items():
        if family == its_family and any(low <= model <= high for low, high in ranges):
            return name
    return None


def measure(program: str, forms: list[str]) -> dict[str, tuple[float, float]]:
    """form -> (latency, throughput); forms that this machine lacks are left out."""
    rows = ratio.run_results(program, "cpu.instr", {"instr": ",".join(forms)})
    return {r["point"]["instr"]: tuple(r["metrics"][m]["median"] for m in ("latency", "throughput"))
            for r in rows}


def cells(ours: tuple[float, float], published: tuple) -> tuple[list[str], bool]:
    """(cells of a row, whether all that is published agrees)"""
    row, agree = [], True
    for value, stated in zip(ours, published):
        row += [f"{value:.2f}", "" if stated is None else f"{stated:g}"]
        agree = agree and (stated is None or abs(value / stated - 1) <= GOAL)
    return row, agree


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archmeter", default="build/archmeter", help="the program to run")
    parser.add_argument("--cpu", choices=PROCESSORS, help="compare with this one's table")
    options = parser.parse_args()
    name = options.cpu or this_processor()
    if not name:
        print("no published values of this processor are known here", file=sys.stderr)
        return 3
    table = PROCESSORS[name][0]
    ours = measure(options.archmeter, list(table))
    ratio.print_head(["form", "latency", f"{name}", "throughput", f"{name}", "within 5 %"])
    apart = 0
    for form, published in table.items():
        if form not in ours:
            continue
        row, agree = cells(ours[form], published)
        apart += not agree
        ratio.print_row([form, *row, "yes" if agree else "**no**"])
    values = sum(v is not None for f in ours for v in table[f])
    print(f"\n{len(ours)} forms, {values} published values; {apart} forms apart")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
