# SPDX-License-Identifier: MIT
"""Drivers that crash, fail, hang or lie in the middle of a measurement: a stored failure each.

Arguments: archmeter, the folder of real workers, the fake driver's library, another file of the same."""
import os
import sys

from e2e import Bench, Tap

DEVICE = "fake-marble-co-r-9000"

# bench, acts of the driver, kind of the stored failure, words that its reason must have
FAULTS = (
    ("ocl.launch", "clCreateContext=-6", "reported", "clCreateContext: CL_OUT_OF_HOST_MEMORY (-6)"),
    ("ocl.launch", "clCreateCommandQueue=-35", "reported", "CL_INVALID_QUEUE_PROPERTIES"),
    ("ocl.launch", "clCreateBuffer=-4", "reported", "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    ("ocl.launch", "clBuildProgram=-11", "reported", "error: the marble is chipped"),
    ("ocl.launch", "clBuildProgram=crash", "signal", "Segmentation fault"),
    ("ocl.launch", "clCreateKernel=-46", "reported", "CL_INVALID_KERNEL_NAME"),
    ("ocl.launch", "clSetKernelArg=-49", "reported", "CL_INVALID_ARG_INDEX"),
    ("ocl.launch", "clEnqueueNDRangeKernel=-5", "reported", "CL_OUT_OF_RESOURCES"),
    ("ocl.launch", "clEnqueueNDRangeKernel=crash", "signal", "Segmentation fault"),
    ("ocl.launch", "clFinish=-36", "reported", "CL_INVALID_COMMAND_QUEUE"),
    ("ocl.launch", "clFinish=hang", "timeout", "killed"),
    ("ocl.launch", "clFinish=exit", "exit", "exit code 7"),
    ("ocl.launch", "clWaitForEvents=-14", "reported", "CL_EXEC_STATUS_ERROR"),
    ("ocl.launch", "clGetEventProfilingInfo=-7", "reported", "CL_PROFILING_INFO_NOT_AVAILABLE"),
    ("ocl.launch", "clEnqueueReadBuffer=-5", "reported", "clEnqueueReadBuffer"),
    ("ocl.launch", "time=back", "reported", "wrong: an event ends"),
    ("ocl.arith", "time=frozen", "reported", "folded: twice the body takes"),
    ("ocl.arith", "time=stumble", "reported", "folded: twice the body takes"),
    ("ocl.arith", "time=boast", "reported", "wrong: events say"),
    ("ocl.arith", "", "reported", "wrong: item 0"),
    # a binary that cannot be had, or is refused, is compiled: the same is said as without
    ("ocl.arith", "clGetProgramInfo=-30", "reported", "wrong: item 0"),
    ("ocl.arith", "clCreateProgramWithBinary=-42", "reported", "wrong: item 0"),
    ("ocl.arith", "clCreateProgramWithBinary=crash", "signal", "Segmentation fault"),
)

# Every bench, and what its driver's work is done by: kernels, or transfers
BY_KERNELS = ("ocl.arith", "ocl.branch", "ocl.builtin", "ocl.cache", "ocl.constant", "ocl.global", "ocl.image",
              "ocl.local", "ocl.scale", "ocl.latency", "ocl.atomic", "ocl.barrier", "ocl.intensity", "ocl.subgroup",
              "ocl.svm", "ocl.launch")
BY_TRANSFERS = ("ocl.bus", "ocl.overlap")
CHOSEN = {"op": "fma", "type": "float", "width": "4", "mode": "throughput", "chains": "1", "function": "sin",
          "paths": "8", "stride": "1", "kernel": "read", "items": "4096", "backend": "opencl", "counters": "own",
          "space": "global", "groups": "one", "fmas": "8", "way": "local"}
BY_DOT = ("ocl.dot",)  # by itself: its types and ways are others
CHOSEN_DOT = {"type": "int8", "way": "plain", "load": "steady"}
BY_PEER = ("ocl.peer",)  # by itself: from one device to another
CHOSEN_PEER = {"device": DEVICE, "to": DEVICE + "-2", "way": "push", "size": "64K"}
TWO = "devices=2"
CHOSEN_TRANSFERS = {"direction": "h2d", "size": "64K", "method": "read_write", "beside": "nothing"}

# benches, acts of the driver, kind of the stored failures, words of their reasons
FAULTS_OF_EACH = (
    (BY_KERNELS, "clCreateContext=-6", "reported", "CL_OUT_OF_HOST_MEMORY"),
    (BY_KERNELS, "clCreateBuffer=-4,clCreateImage=-4", "reported", "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (BY_KERNELS, "clBuildProgram=-11", "reported", "the marble is chipped"),
    (BY_KERNELS, "clEnqueueNDRangeKernel=-5", "reported", "CL_OUT_OF_RESOURCES"),
    (BY_KERNELS, "clEnqueueNDRangeKernel=crash", "signal", "Segmentation fault"),
    (BY_KERNELS, "clEnqueueNDRangeKernel=hang", "timeout", "killed"),
    # ocl.builtin calls its function, and finds it wrong, before it waits for any event; ocl.svm waits for none
    (tuple(b for b in BY_KERNELS if b not in ("ocl.builtin", "ocl.svm")), "clWaitForEvents=-14", "reported", "CL_EXEC_STATUS_ERROR"),
    (BY_KERNELS[:-1], "", "reported", "wrong:"),  # its kernels compute nothing but that of ocl.launch
    (BY_TRANSFERS, "clCreateBuffer=-4", "reported", "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (BY_TRANSFERS, "clEnqueueWriteBuffer=-5", "reported", "CL_OUT_OF_RESOURCES"),
    (BY_TRANSFERS, "clEnqueueWriteBuffer=crash", "signal", "Segmentation fault"),
    (BY_TRANSFERS, "clFinish=hang", "timeout", "killed"),
    (BY_TRANSFERS, "lost=6", "reported", "CL_OUT_OF_RESOURCES"),
    (BY_PEER, TWO + ",clCreateContext=-6", "reported", "CL_OUT_OF_HOST_MEMORY"),
    (BY_PEER, TWO + ",clRetainContext=-34", "reported", "CL_INVALID_CONTEXT"),
    (BY_PEER, TWO + ",clCreateBuffer=-4", "reported", "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (BY_PEER, TWO + ",clEnqueueCopyBuffer=-59", "reported", "CL_INVALID_OPERATION"),
    (BY_PEER, TWO + ",clEnqueueCopyBuffer=crash", "signal", "Segmentation fault"),
    (BY_PEER, TWO + ",clFinish=hang", "timeout", "killed"),
    (BY_PEER, TWO + ",clEnqueueCopyBuffer=idle", "reported", "did not arrive"),
    (BY_PEER, TWO + ",lost=5", "reported", "CL_OUT_OF_RESOURCES"),
    (BY_DOT, "clCreateBuffer=-4", "reported", "CL_MEM_OBJECT_ALLOCATION_FAILURE"),
    (BY_DOT, "clBuildProgram=-11", "reported", "the marble is chipped"),
    (BY_DOT, "clEnqueueNDRangeKernel=crash", "signal", "Segmentation fault"),
    (BY_DOT, "clEnqueueNDRangeKernel=hang", "timeout", "killed"),
    (BY_DOT, "", "reported", "wrong:"),
)
# what is run for the benches of a row, and with which values
TOGETHER = {BY_TRANSFERS: (BY_TRANSFERS, CHOSEN_TRANSFERS), BY_DOT: (BY_DOT, CHOSEN_DOT),
            BY_PEER: (BY_PEER, CHOSEN_PEER)}


def environment(bench, library):
    """Only the fake driver is there."""
    folder = bench.path("vendors")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "fake.icd"), "w", encoding="utf-8") as f:
        f.write(library + "\n")
    env = dict(bench.env, OCL_ICD_VENDORS=folder)
    env.pop("OCL_ICD_FILENAMES", None)
    return env


def options(name):
    chosen = {"op": "fma", "type": "float", "width": "1", "mode": "throughput", "chains": "1"}
    return [x for k, v in chosen.items() for x in ("-p", f"{k}={v}")] if name == "ocl.arith" else []


def check_fault(tap, bench, env, number, fault):
    name, acts, kind, words = fault
    db = f"f{number}.db"
    limit = "2s" if kind == "timeout" else "120s"  # a busy machine must not turn faults into timeouts
    launches = "2" if "Binary" in acts else "1"  # only the second process of a run is handed anything
    bench.run("run", name, *options(name), "--quick", "--launches", launches, "--launch-limit", limit,
              "-o", db, env=dict(env, AM_FAKE_OCL=acts))
    stored = bench.query(db, "SELECT kind, reason FROM failures")[int(launches) - 1:]
    tap.ok(stored and all(k == kind and words in r for k, r in stored),
           f"{name}, {acts or 'kernels that compute nothing'}: {kind} with its reason", stored)
    samples = bench.query(db, "SELECT count(*) FROM visit WHERE state = 'ok'")[0][0]
    tap.ok(samples == 0, f"{name}, {acts or 'kernels that compute nothing'}: never a number", samples)


def check_each(tap, bench, env, number, fault):
    """One run of all benches with one fault: each has stored it, and none a number."""
    names, acts, kind, words = fault
    db = f"e{number}.db"
    by, values = TOGETHER.get(names, (BY_KERNELS, CHOSEN))
    chosen = [x for k, v in values.items() for x in ("-p", f"{k}={v}")]
    limit = "500ms" if kind == "timeout" else "120s"
    bench.run("run", *by, *chosen, "--quick", "--launches", "1", "--budget", "600s", "--launch-limit", limit,
              "-o", db, env=dict(env, AM_FAKE_OCL=acts))
    stored = bench.query(db, "SELECT bench, kind, reason FROM failures WHERE state = 'fail'")
    measured = bench.query(db, "SELECT b.name FROM visit v JOIN point p ON p.id = v.point JOIN bench b "
                               "ON b.id = p.bench WHERE v.state = 'ok'")
    good = [name for (name,) in measured if name in names]
    for name in names:
        own = [(k, r) for b, k, r in stored if b == name]
        tap.ok(own and all(k == kind and words in r for k, r in own),
               f"{name}, {acts or 'kernels that compute nothing'}: {len(own)} times {kind}", own or stored[:3])
    tap.ok(not good, f"{acts or 'kernels that compute nothing'}: never a number", good)


def check_company(tap, bench, env):
    """Benches of one device share a process; what one of them suffers costs the others no point."""
    transfers = ["-p", "size=64K", "-p", "beside=nothing", "-p", "method=read_write"]
    run = bench.run("run", *BY_TRANSFERS, *BY_PEER, *transfers, "-p", f"to={DEVICE}-2", "--quick", "--launches", "1",
                    "-o", "c.db", env=dict(env, AM_FAKE_OCL=TWO))
    shared = bench.query("c.db", "SELECT count(DISTINCT p.bench) FROM visit v JOIN point p ON p.id = v.point "
                                 "GROUP BY v.launch ORDER BY 1 DESC")
    failed = bench.query("c.db", "SELECT bench, reason FROM failures WHERE state = 'fail'")
    tap.ok(shared and shared[0][0] == 3 and not failed, "benches of one device are measured by one process",
           f"{shared} {failed} {run.stderr}")
    for number, (act, kind) in enumerate((("crash", "signal"), ("-5", "reported"), ("hang", "timeout"))):
        db = f"c{number}.db"
        bench.run("run", "ocl.global", "ocl.local", "ocl.bus", *transfers[:2], *transfers[4:], "-p", "stride=1", "--quick",
                  "--launches", "1", "--launch-limit", "500ms" if act == "hang" else "120s", "-o", db,
                  env=dict(env, AM_FAKE_OCL=f"clEnqueueNDRangeKernel={act}"))
        states = bench.query(db, "SELECT b.name = 'ocl.bus', v.state, f.kind, count(*) FROM visit v JOIN point p ON "
                                 "p.id = v.point JOIN bench b ON b.id = p.bench LEFT JOIN failure f ON f.visit = v.id "
                                 "WHERE v.state <> 'skip' GROUP BY 1, 2, 3")
        tap.ok({s[:3] for s in states} == {(1, "ok", None), (0, "fail", kind)},
               f"kernels that {act}: all transfers beside them are measured", states)


def check_hanging(tap, bench, env):
    """A driver that hangs hides no bench and no other driver."""
    vendors = env["OCL_ICD_VENDORS"]
    library = os.path.abspath(sys.argv[4])
    with open(os.path.join(vendors, "hanging.icd"), "w", encoding="utf-8") as f:
        f.write(library + "\n")
    env = dict(env, AM_FAKE_OCL="library=_too,clGetDeviceIDs=hang")
    run = bench.run("run", "ocl.launch", "--quick", "--launches", "2", "-o", "hang.db", env=env)
    rows = bench.query("hang.db", "SELECT count(*) FROM visit WHERE state = 'ok'")
    tap.ok(run.returncode == 0 and rows[0][0] == 2, "beside a driver that hangs the other is measured", run.stderr)
    os.unlink(os.path.join(vendors, "hanging.icd"))


def check_going_on(tap, bench, env):
    """One device of the run is broken, the other is measured."""
    vendors = env["OCL_ICD_VENDORS"]
    with open(os.path.join(vendors, "broken.icd"), "w", encoding="utf-8") as f:
        f.write("libam-there-is-no-such-driver.so\n")
    run = bench.run("run", "ocl.launch", "null", "--quick", "--launches", "1", "-o", "g.db", env=env)
    rows = {r["bench"]: r for r in bench.results("g.db")}
    tap.ok(rows.get("ocl.launch", {}).get("state") == "ok",
           "beside a driver that cannot be loaded the other is measured", run.stderr)
    tap.ok(set(rows["ocl.launch"]["metrics"]) ==
           {"round_trip", "batch", "enqueue", "timed", "start", "argument", "event", "build",
            "first_launch"},
           "with every metric", rows)
    told = " ".join(bench.run("show", "g.db", "--provenance").stdout.split())
    tap.ok("OpenCL 1.2 fake" in told and os.path.basename(sys.argv[3]) in told,
           "platform, driver and its library are on record", told)
    listed = bench.run("list", "ocl.launch", env=env).stdout
    tap.ok("broken" in listed and "cannot be loaded" in listed, "list says what is wrong", listed)
    run = bench.run("run", "ocl.*", "null", "-p", "device=all", "--quick", "--launches", "1", "-o",
                    "h.db", env=dict(env, AM_FAKE_OCL="clBuildProgram=crash"))
    rows = bench.results("h.db", "null")
    tap.ok(rows and rows[0]["state"] == "ok", "a crashing driver does not stop the suite",
           run.stderr)
    os.unlink(os.path.join(vendors, "broken.icd"))


def check_none(tap, bench, env):
    empty = bench.path("empty")
    os.makedirs(empty, exist_ok=True)
    env = dict(env, OCL_ICD_VENDORS=empty)
    listed = bench.run("list", "ocl.arith", env=env).stdout
    tap.ok("pocl-opencl-icd" in listed, "without a driver, list names the package", listed)
    run = bench.run("run", "ocl.arith", "--quick", "-o", "n.db", env=env)
    tap.ok(run.returncode == 3 or "pocl-opencl-icd" in run.stderr,
           "and a run says that there is nothing to measure on", f"{run.returncode} {run.stderr}")


def main():
    tap = Tap()
    bench = Bench(sys.argv[1], sys.argv[2])
    env = environment(bench, os.path.abspath(sys.argv[3]))
    listed = bench.run("list", "ocl.launch", env=env).stdout
    tap.ok(DEVICE in listed, "a device has a name made of what the driver says", listed)
    for number, fault in enumerate(FAULTS):
        check_fault(tap, bench, env, number, fault)
    for number, fault in enumerate(FAULTS_OF_EACH):
        check_each(tap, bench, env, number, fault)
    check_company(tap, bench, env)
    check_hanging(tap, bench, env)
    check_going_on(tap, bench, env)
    check_none(tap, bench, env)
    tap.done()


main()
