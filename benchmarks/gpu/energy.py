# SPDX-License-Identifier: Apache-2.0
"""Checks the energy of steps on a GPU against the driver's own counter, which
the program reads at the begin and the end of each step.

usage: energy.py FOLDER

Needs `stepscope` on PATH, torch, and NVML; tools/gpu_check runs it. Prints a
line per check: name, figure, bound and verdict, with tabs between. Takes about
a minute. Captures are left in FOLDER.
"""

import ctypes
import json
import os
import shutil
import subprocess
import sys
import time

from memory import say

HERE = os.path.abspath(__file__)
BEGIN_S = 3  # until a device that came into use is measured
LONG_S = [9, 9, 9]
SHORT_S = [0.05] * 100


# The program ------------------------------------------------------------------

class Counter:
    """The driver's joules of device 0 of this process."""

    def __init__(self, bus):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.nvml.nvmlInit_v2()
        self.device = ctypes.c_void_p()
        self.nvml.nvmlDeviceGetHandleByPciBusId_v2(
            bus.encode(), ctypes.byref(self.device))

    def joules(self):
        value = ctypes.c_ulonglong()
        if self.nvml.nvmlDeviceGetTotalEnergyConsumption(
                self.device, ctypes.byref(value)):
            sys.exit("no counter of energy")
        return value.value / 1e3


def steps(lengths):
    """Steps that work for most of their time, one of three only for half."""
    import torch

    place = torch.cuda.get_device_properties(0)
    counter = Counter(f"{place.pci_domain_id:08X}:{place.pci_bus_id:02X}:"
                      f"{place.pci_device_id:02X}.0")
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    out = torch.empty_like(a)
    torch.mm(a, a, out=out)
    torch.cuda.synchronize()
    time.sleep(BEGIN_S)
    found = []
    for number, length in enumerate(lengths):
        torch.cuda.nvtx.range_push(f"ProfileStep#{number}")
        begin, before = time.monotonic(), counter.joules()
        work_s = length / 2 if number % 3 == 1 else length
        while time.monotonic() - begin < work_s:
            for _ in range(8):
                torch.mm(a, a, out=out)
            torch.cuda.synchronize()
        time.sleep(max(0.0, begin + length - time.monotonic()))
        found.append(counter.joules() - before)
        torch.cuda.nvtx.range_pop()
    time.sleep(BEGIN_S)  # until the last window ends
    print(json.dumps(found))


# The checks -------------------------------------------------------------------

def record(folder, name):
    out = os.path.join(folder, name)
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(
        ["stepscope", "run", "--counters", "--no-torch", "--out", out, "--",
         sys.executable, HERE, name], text=True, stdout=subprocess.PIPE,
        check=False)
    if done.returncode != 0:
        say(f"energy, {name} steps, exit status", done.returncode, "0", False)
        return None, None
    text = subprocess.run(
        ["stepscope", "summary", "--format", "json", "--views", "energy,steps",
         "--steps", "all", out], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text), json.loads(done.stdout.splitlines()[-1])


def millijoules(joules):
    return round(joules * 1e3)


def check(folder, name):
    document, known = record(folder, name)
    if document is None:
        return
    if not document["energy"]:
        say(f"energy, {name} steps", "none", "some", False)
        return
    device = document["energy"][0]
    parts = [step.get("energy", {}).get("j", 0) for step in document["steps"]]
    sum_mj = sum(map(millijoules, [*parts, device["outside_j"]]))
    all_mj = millijoules(device["all_j"])
    say(f"energy, {name} steps and outside, mJ", sum_mj, f"= {all_mj}",
        sum_mj == all_mj)
    say(f"energy, {name} steps, mean power", f"{device['watts']:.0f} W")
    measured = sum(parts) / len(parts)
    counted = sum(known) / len(known)
    error = device["step_error_j"]
    # What the program reads is as old as the counter, at both of its ends.
    say(f"energy, {name} steps, J per step / the program's own reading",
        f"{measured / counted:.4f} ({measured:.1f} of {counted:.1f} J, at most "
        f"off by {error:.1f})", "within twice its error",
        abs(measured - counted) <= 2 * error)
    say(f"energy, {name} steps, shares of windows",
        "yes" if device["shared"] else "no")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    check(folder, "long")
    check(folder, "short")


if __name__ == "__main__":
    if sys.argv[1:] == ["long"]:
        steps(LONG_S)
    elif sys.argv[1:] == ["short"]:
        steps(SHORT_S)
    else:
        main(*sys.argv[1:])
