# SPDX-License-Identifier: MIT
"""ocl_peers.py reads made-up tables of BabelStream and mixbench, and leaves out what does not build."""
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
function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime
Copy,100,33554432,8,4100000.5,0.1,0.2,0.15
Dot,100,33554432,8,4600000,0.1,0.2,0.15
"""
MIXBENCH = """Experiment ID, Single Precision ops,,,,              Double precision ops,,,,              Integer operations,,,
Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec, Iops/byte, ex.time,   GIOPS, GB/sec
            0,      0.250,    0.32,  104.42, 417.68,      0.125,    0.63,   53.04, 424.35,     0.250,    0.32,  104.77, 419.07
            8,      2.250,    0.32,  904.42, 417.68,      1.125,    0.63,  453.04, 424.35,     2.250,    0.32,  904.77, 419.07
            1,      0.750,    0.32,  304.42, 417.68,      0.375,    0.63,  153.04, 424.35,     0.750,    0.32,  304.77, 419.07
"""


def check_left_out(tap: Tap) -> None:
    """A folder without sources is a reason, not a crash."""
    with tempfile.TemporaryDirectory() as folder:
        options = argparse.Namespace(babelstream=folder, mixbench=None)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            programs = ocl_peers.build_all(options, folder + "/work")
    tap.ok(not programs and "babelstream: left out" in said.getvalue() and "no --mixbench" in said.getvalue(),
           "what does not build, or was not given, is left out with its reason", said.getvalue())


def main():
    tap = Tap()
    tap.ok(ocl_peers.read_babelstream(BABELSTREAM) == {"Copy": 4100000.5e6, "Dot": 4.6e12}, "BabelStream's best rates",
           ocl_peers.read_babelstream(BABELSTREAM))
    tap.ok(ocl_peers.read_babelstream("no table") == {}, "no table, no rates")
    tap.ok(ocl_peers.read_mixbench(MIXBENCH) == {"single": 904.42e9, "double": 453.04e9}, "mixbench's most operations",
           ocl_peers.read_mixbench(MIXBENCH))
    tap.ok(all(row[0] in ocl_peers.BUILDS for row in ocl_peers.CASES.values()), "every case has a program")
    check_left_out(tap)
    tap.done()


main()
