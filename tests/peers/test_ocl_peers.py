# SPDX-License-Identifier: MIT
"""ocl_peers.py reads tables of BabelStream, mixbench and SHOC in their form, and leaves out what does not build."""
import argparse
import contextlib
import io
import pathlib
import sys
import tempfile

sys.path[:0] = [sys.argv[1], str(pathlib.Path(__file__).parent.parent / "e2e")]

import ocl_peers  # noqa: E402  (found by the path above)
from e2e import Tap  # noqa: E402

BABELSTREAM = """BabelStream
function,num_times,n_elements,sizeof,max_MB_per_sec,min_runtime,max_runtime,avg_runtime
Copy,100,33554432,8,4100000.5,0.1,0.2,0.15
Dot,100,33554432,8,4600000,0.1,0.2,0.15
"""
MIXBENCH = """Experiment ID, Single Precision ops,,,,              Double precision ops,,,,              Half precision ops,,,,                Integer operations,,,
Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec, Iops/byte, ex.time,   GIOPS, GB/sec
            0,      0.250,    0.32,  104.42, 417.68,      0.125,    0.63,   53.04, 424.35,      0.500,    0.00,    0.00,   0.00,     0.250,    0.32,  104.77, 419.07
            8,      2.250,    0.32,  904.42, 417.68,      1.125,    0.63,  453.04, 424.35,      4.500,    0.00,    0.00,   0.00,     2.250,    0.32,  904.77, 419.07
            1,      0.750,    0.32,  304.42, 417.68,      0.375,    0.63,  153.04, 424.35,      1.500,    0.00,    0.00,   0.00,     0.750,    0.32,  304.77, 419.07
"""
SHOC = """Running single precision tests
test\tatts\tunits\tmedian\tmean\tstddev\tmin\tmax\ttrial0\t
Add1-SP\tSize:1\tGFLOPS\t10\t10\t1\t9\t11.5\t10\t
Add1-SP\tSize:2\tGFLOPS\t12\t12\t1\t9\t12.5\t12\t
MAddU-DP\tSize:1\tGFLOPS\tN/A\tN/A\tN/A\tN/A\tN/A\tN/A\t
DownloadDelay\t1kB\tms\t10\t10\t1\t9\t11\t10\t
"""


CLPEAK = """format_version,backend,platform,device,driver,category,test,metric,unit,status,value,reason,display,description,metric_description
2,OpenCL,"A, B",D,1,fp_compute,single_precision_compute,float,gflops,ok,61000.5,,x,"a, b",y
2,OpenCL,"A, B",D,1,fp_compute,single_precision_compute,float2,gflops,ok,62500,,x,"a, b",y
2,OpenCL,"A, B",D,1,fp_compute,half_precision_compute,half,gflops,unsupported,,no half,x,"a, b",y
2,OpenCL,"A, B",D,1,bandwidth,global_memory_bandwidth,float4,gbps,ok,4500,,x,"a, b",y
2,OpenCL,"A, B",D,1,latency,kernel_launch_latency,latency,us,ok,5,,x,"a, b",y
"""


def check_left_out(tap: Tap) -> None:
    """A folder without sources is a reason, not a crash."""
    with tempfile.TemporaryDirectory() as folder:
        options = argparse.Namespace(babelstream=folder, clpeak=folder, mixbench=None, shoc=folder, built=None)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            programs = ocl_peers.build_all(options, folder + "/work")
    tap.ok(not programs and all(words in said.getvalue() for words in ("babelstream: left out", "no --mixbench", "shoc: left out")),
           "what does not build, or was not given, is left out with its reason", said.getvalue())


def check_rounds(tap: Tap) -> None:
    """A program of a folder is taken; one run of it serves each of its cases once."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "clpeak")
        program.write_text(f"#!/bin/sh\nprintf x >> {folder}/runs\nfor file; do :; done\ncat {folder}/table > \"$file\"\n", encoding="utf-8")
        program.chmod(0o755)
        pathlib.Path(folder, "table").write_text(CLPEAK, encoding="utf-8")
        options = argparse.Namespace(babelstream=None, clpeak=None, mixbench=None, shoc=None, built=folder, place="1:0", number=1)
        with contextlib.redirect_stderr(io.StringIO()):
            programs = ocl_peers.build_all(options, folder + "/work")
        runs = ocl_peers.Runs(options, programs)
        values = [runs.value(case) for case in ("peak", "stream", "peak", "stream", "stream")]
        count = len(pathlib.Path(folder, "runs").read_text(encoding="utf-8"))
    tap.ok(values == [62.5e12, 4.5e12] * 2 + [4.5e12] and count == 3, "cases of one program share its run of a round", f"{values} {count}")
    command = ocl_peers.command_of(options, "clpeak", "clpeak", "file")
    tap.ok(command[command.index("--cl-platform") + 1] == "1" and "--global-memory-bandwidth" in command, "by its own numbers", command)


def main():
    tap = Tap()
    tap.ok(ocl_peers.read_babelstream(BABELSTREAM) == {"Copy": 4100000.5e6, "Dot": 4.6e12}, "BabelStream's best rates",
           ocl_peers.read_babelstream(BABELSTREAM))
    tap.ok(ocl_peers.read_babelstream("no table") == {}, "no table, no rates")
    tap.ok(ocl_peers.read_mixbench(MIXBENCH) == {"single": 904.42e9, "double": 453.04e9, "half": 0.0}, "mixbench's most operations",
           ocl_peers.read_mixbench(MIXBENCH))
    tap.ok(ocl_peers.read_shoc(SHOC) == {"Add1-SP": 12.5e9}, "SHOC's best of rates, without delays and what a device cannot",
           ocl_peers.read_shoc(SHOC))
    tap.ok(all(row[0] in ocl_peers.READERS for row in ocl_peers.CASES.values()), "every case has a program")
    tap.ok(ocl_peers.read_clpeak(CLPEAK) == {"single_precision_compute": 62.5e12, "global_memory_bandwidth": 4.5e12},
           "clpeak's best over widths", ocl_peers.read_clpeak(CLPEAK))
    check_rounds(tap)
    check_left_out(tap)
    tap.done()


main()
