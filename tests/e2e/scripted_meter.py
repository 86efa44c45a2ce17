# SPDX-License-Identifier: MIT
"""A counter that rises: rewrites energy_uj files in place with constant power, one write each.

scripted_meter.py WATTS FILE...   prints "ready" when the files move; ends with its standard input.
"""
import contextlib
import os
import select
import sys
import time

START_UJ = 5_000_000
EVERY_S = 0.002


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW)


def stand_before_others():
    """A counter of hardware moves however busy the machine is: so shall this one, where it may."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def main():
    stand_before_others()
    watts = float(sys.argv[1])
    files = [os.open(path, os.O_WRONLY) for path in sys.argv[2:]]
    began = now()
    ready = False
    while not select.select([sys.stdin], [], [], EVERY_S)[0]:
        microjoules = START_UJ + int(watts * 1e6 * (now() - began))
        for fd in files:  # fixed width: a reader never sees half of a shorter number
            os.pwrite(fd, b"%015d\n" % microjoules, 0)
        if not ready:
            print("ready", flush=True)
            ready = True


main()
