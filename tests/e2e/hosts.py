# SPDX-License-Identifier: MIT
"""Machines that are none: namespaces with a host name, an address and a link to a common bridge each.
Needs root and the programs ip, unshare and nsenter."""
import os
import shutil
import subprocess

NETWORK = "198.18.77"  # of the range that is set aside for benchmarks: it leads nowhere


def why_not():
    """Why hosts cannot be made here, or None."""
    if os.geteuid() != 0:
        return "namespaces need root"
    for program in ("ip", "unshare", "nsenter"):
        if not shutil.which(program):
            return f"no program {program}"
    if subprocess.run(["unshare", "--net", "--uts", "true"], capture_output=True).returncode:
        return "this sandbox refuses namespaces"
    return None


class Hosts:
    """A bridge in a namespace of its own, and `count` hosts at it. A context manager."""

    def __init__(self, folder, count):
        self.folder, self.count = folder, count
        self.pids = []

    def address(self, index):
        return f"{NETWORK}.{index + 1}"

    def inside(self, index, command):
        """The command line that runs `command` on a host."""
        return ["nsenter", "--target", str(self.pids[index]), "--net", "--uts", *command]

    def _ip(self, pid, words):
        subprocess.run(["nsenter", "--target", str(pid), "--net", "ip", *words.split()], check=True,
                       capture_output=True)

    def _namespace(self, name):
        child = subprocess.Popen(["unshare", "--net", "--uts", "sh", "-c",
                                  f"hostname {name} && echo ready && exec sleep 600"],
                                 stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.children.append(child)
        child.stdout.readline()
        return child.pid

    def __enter__(self):
        self.children = []
        switch = self._namespace("switch")
        self._ip(switch, "link add bridge type bridge")
        self._ip(switch, "link set bridge up")
        for i in range(self.count):
            pid = self._namespace(f"node{i + 1}")
            self.pids.append(pid)
            self._ip(switch, f"link add port{i} type veth peer name eth0 netns {pid}")
            self._ip(switch, f"link set port{i} master bridge up")
            self._ip(pid, f"addr add {self.address(i)}/24 dev eth0")
            self._ip(pid, "link set eth0 up")
            self._ip(pid, "link set lo up")
        return self

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()
            child.stdout.close()

    def agent(self):
        """A program like ssh: ADDRESS COMMAND... on the host of that address."""
        path = os.path.join(self.folder, "agent")
        cases = "".join(f"{self.address(i)}) pid={pid} ;;\n" for i, pid in enumerate(self.pids))
        with open(path, "w", encoding="ascii") as f:
            f.write(f"#!/bin/sh\nhost=$1\nshift\ncase $host in\n{cases}*) exit 1 ;;\nesac\n"
                    'exec nsenter --target $pid --net --uts sh -c "$*"\n')
        os.chmod(path, 0o755)
        return path

    def mpirun(self, words):
        """mpirun on the first host, one slot a host."""
        hosts = ",".join(self.address(i) for i in range(self.count))
        return self.inside(0, ["mpirun", "--host", hosts, "--mca", "plm_rsh_agent", self.agent(),
                               "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", f"{NETWORK}.0/24",
                               "--mca", "oob_tcp_if_include", f"{NETWORK}.0/24", "--enable-recovery",
                               "--mca", "orte_keep_fqdn_hostnames", "1", *words])
