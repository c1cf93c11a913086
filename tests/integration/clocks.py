"""clocks.py - agents whose clocks are wrong in a way that is known to the ns.

Each runs in a time namespace of its own, thousands of seconds ahead, with a clock that drifts or
steps as tests/clock_hook.c is told, which writes down what makes it up.
"""

import json
import subprocess

from lab import require, require_tools

NS = 10**9


class Clock:
    def __init__(self, host, ahead_s, drift_ppb=0, step_ns=0, step_after_ms=0):
        self.host, self.ahead_ns = host, ahead_s * NS
        self.oracle = host.lab.directory / f"oracle-{host.address}"
        words = {"MUSTER_CLOCK_PPB": drift_ppb, "MUSTER_CLOCK_STEP_NS": step_ns,
                 "MUSTER_CLOCK_STEP_AFTER_MS": step_after_ms, "MUSTER_CLOCK_ORACLE": self.oracle}
        self.before = ["env", *(f"{key}={value}" for key, value in words.items()),
                       "unshare", "--time", "--monotonic", ahead_s, "--boottime", ahead_s,
                       "--fork", "--kill-child"]

    def start_agent(self, disk):
        require_tools("unshare")
        self.host.start_agent(disk, binary="muster-agent-hooked", before=self.before)
        self.parts = json.loads(self.oracle.read_text().splitlines()[-1])
        return self

    def check(self, directory):
        """Fits the recorded exchanges again and holds them against the truth; answers both fits'
        scores. The truth must lie inside whenever something is claimed."""
        command = [self.host.lab.build / "muster-clock-truth", directory / "clock.bin",
                   self.host.address, *(self.parts[key] for key in
                                        ("begin_ns", "drift_ppb", "step_at_ns", "step_ns")),
                   self.ahead_ns]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=60, check=False)
        require(done.returncode in (0, 1) and done.stdout,
                f"muster-clock-truth: {done.returncode} {done.stdout}{done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def require_true(self, directory):
        for score in self.check(directory):
            require(score["inside"] == score["instants"] and score["instants"] > 500,
                    f"{self.host.address}: the truth is not always inside: {score}")
            print(f"{self.host.address}: {score}")
