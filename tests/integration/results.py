"""results.py - run.json and timeline.csv held against each other, from outside."""

import csv
import json
import math

from lab import require


class Result:
    def __init__(self, directory):
        # journal.bin: where something is left to collect or to go on with.
        names = sorted(path.name for path in directory.iterdir() if path.name != "journal.bin")
        require(names == ["MANIFEST.json", "clock.bin", "junit.xml", "plan.yaml", "run.json",
                          "timeline.csv"],
                f"the run directory holds {names}")
        self.run = json.loads((directory / "run.json").read_text())
        with open(directory / "timeline.csv", newline="") as file:
            self.rows = [number(row) for row in csv.DictReader(file)]
        require(self.run["schema"] == "muster.run/1", f"schema is {self.run['schema']}")

    @property
    def outcome(self):
        return self.run["outcome"]

    def phase(self, name, trial=1):
        for phase in self.run["phases"]:
            if phase["name"] == name and phase["trial"] == trial:
                return phase
        raise AssertionError(f"run.json has no phase '{name}', trial {trial}")

    def rows_of(self, phase, host=None, target=None):
        return [row for row in self.rows
                if row["name"] == phase["name"] and row["trial"] == phase["trial"]
                and host in (None, row["host"]) and target in (None, row["target"])]

    def codes(self, level=None):
        return [finding["code"] for finding in self.run["findings"]
                if level in (None, finding["level"])]

    def require_sums(self):
        """Every target's totals are the sums over its buckets that are not ramp, exactly."""
        for phase in self.run["phases"]:
            for host in phase["hosts"]:
                for target in host["targets"]:
                    rows = [row for row in self.rows_of(phase, host["host"], target["target"])
                            if not row["ramp"]]
                    for key in ("bytes", "bytes_read", "bytes_written", "bytes_trimmed",
                                "operations", "errors"):
                        total = sum(row[key] for row in rows)
                        require(total == target[key],
                                f"{phase['name']} {host['host']} {target['target']}: {key}"
                                f" is {target[key]}, its buckets sum to {total}")

    def empty_buckets(self, phase, host):
        """Those without a byte, before the host's last byte."""
        moved = {}
        for row in self.rows_of(phase, host):
            moved[row["bucket"]] = moved.get(row["bucket"], 0) + row["bytes"]
        last = max((bucket for bucket in moved if moved[bucket]), default=0)
        return [bucket for bucket in range(last) if not moved.get(bucket)]

    def require_no_gap(self, phase, host, most_s=2):
        """What was done is there: never as long as that without a byte, which is no disk's doing."""
        empty = set(self.empty_buckets(phase, host))
        longest = run = 0
        for bucket in range(max(empty, default=0) + 1):
            run = run + 1 if bucket in empty else 0
            longest = max(longest, run)
        require(longest * phase["bucket_ns"] < most_s * 10**9,
                f"{host}: {longest} buckets in a row without a byte")

    def require_all_active(self, name):
        """The cluster's window and figure, computed again from first and last I/O and the CSV."""
        phase = self.phase(name)
        cluster = phase["cluster"]
        require(cluster is not None, f"{name} has no cluster figure")
        start, width = phase["start_ns"], phase["bucket_ns"]
        targets = [target for host in phase["hosts"] for target in host["targets"]]
        first = max(target["first_io_ns"] for target in targets)
        first = max(first, start + phase["ramp_ns"])
        last = min(target["last_io_ns"] for target in targets)
        low, high = math.ceil((first - start) / width), (last - start) // width
        require(cluster["all_active_start_ns"] == start + low * width
                and cluster["all_active_window_ns"] == (high - low) * width,
                f"{name}: window is {cluster['all_active_window_ns']} ns from"
                f" {cluster['all_active_start_ns']}, should be {(high - low) * width} ns from"
                f" {start + low * width}")
        moved = sum(row["bytes"] for row in self.rows_of(phase) if low <= row["bucket"] < high)
        rate = moved / ((high - low) * width / 1e9)
        require_near(cluster["all_active_bytes_per_s"], rate, 0.001, f"{name}: all-active")
        return rate


def number(row):
    return {key: value == "true" if key in ("ramp", "disrupted") else int(value) if is_number(value) else value
            for key, value in row.items()}


def is_number(text):
    return text.lstrip("-").isdigit()


def require_near(value, wanted, share, what):
    require(value is not None and abs(value - wanted) <= share * abs(wanted),
            f"{what}: {value}, not within {share:.1%} of {wanted}")


def host_of(phase, name):
    for host in phase["hosts"]:
        if host["host"] == name:
            return host
    raise AssertionError(f"phase '{phase['name']}' has no host '{name}'")


def moved_by(phase, host, key):
    return sum(target[key] for target in host_of(phase, host)["targets"])
