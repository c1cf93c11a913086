#!/usr/bin/env python3
"""other_build_test.py MUSTER [NAME...] - a run.json of another build of muster.

An older one lacks what was not there yet, a newer one has more: keys are taken away, and unknown
ones put in everywhere. What the figures rest on has to be there; all else is read,
judged and held against as before, and OTHER_BUILD says what was unlike."""

import copy
import json
import subprocess
import sys

from judging import Judge, MB, judge_file, main_of, require

# What a run.json of every build has; the rest may be absent.
NEEDED = {
    "result": {"schema", "outcome", "hosts", "phases", "findings"},
    "hosts": {"host"},
    "phases": {"name", "trial", "op", "start_ns", "ramp_ns", "bucket_ns", "hosts", "cluster"},
    "phases.hosts": {"host", "state", "targets"},
    "phases.hosts.targets": {"target", "bytes", "bytes_read", "bytes_written", "operations",
                             "errors", "first_io_ns", "last_io_ns", "throughput_bytes_per_s",
                             "iops"},
    "phases.hosts.devices": {"device", "targets", "bytes_read", "bytes_written"},
    "phases.cluster": {"hosts", "of", "bytes", "operations", "errors", "all_active_window_ns",
                       "all_active_bytes_per_s", "span_bytes_per_s", "headline", "iops"},
    "findings": {"code", "level"},
    "gates": {"phase", "metric", "who", "limit", "state"},
    "plan": {"name", "fleet", "targets", "phases"},
    "plan.fleet": {"agents"},
    "plan.phases": {"name", "op", "targets"},
    "plan.gates": {"phase", "metric", "of"},
}
MAPS = ("plan.targets", "facts.storage", "facts.links", "facts.hosts", "facts.sweeps")
# Without these the same figures are judged otherwise, or not at all: what they rest on is not told.
TELLING = {"plan", "gates", "devices"}


def facts(judge, **more):
    counters = judge.table("c.csv", ("host", "device", "counter", "after"),
                           [(host, "sda", "bytes_read", 30_000 * MB) for host in "ab"])
    return {"min_window": "30s",
            "phases": [{"name": "p", "op": "read", "targets": ["t"], "runtime": "60s"}],
            "measured": [{"phase": "p", "counters": counters, "moved": [
                {"host": host, "bytes": 30_000 * MB, "start_s": 0, "end_s": 60}
                for host in "ab"]}], **more}


GATES = [{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "800 MB/s"},
         {"phase": "p", "metric": "spread", "of": "fleet", "at_most": "10%"}]


def records(value, path="result"):
    """Every object of the file that stands for a record, with the path to it without indices."""
    if isinstance(value, list):
        for item in value:
            yield from records(item, path)
    elif isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            inner = key if path == "result" else f"{path}.{key}"
            yield from records(item, inner)


class Run:
    def __init__(self, muster):
        self.muster, self.judge = muster, Judge(muster)
        self.first = self.judge.judge(**facts(self.judge, gates=GATES))
        require(self.first.code == 0, f"the run itself is judged {self.first.code}")
        self.path = self.judge.path / "run.json"

    def write(self, result):
        self.path.write_text(json.dumps(result))
        return self.path

    def judged(self, result):
        return judge_file(self.muster, self.write(result))

    def refused(self, result):
        """What is said of a file that cannot be used."""
        done = subprocess.run([self.muster, "report", self.write(result)], capture_output=True,
                              text=True, timeout=60, check=False)
        require(done.returncode == 2 and not done.stdout,
                f"exit {done.returncode}: {done.stderr}")
        return done.stderr

    def require_alike(self, judged, what):
        """Figures, gates and findings as in the run itself."""
        require(judged.code == self.first.code, f"{what}: exit {judged.code}")
        require(judged.codes - {"OTHER_BUILD"} == self.first.codes, f"{what}: {judged.codes}")
        require([(g["state"], g["value"]) for g in judged.result["gates"]]
                == [(g["state"], g["value"]) for g in self.first.result["gates"]],
                f"{what}: the gates are others")


def is_map(path):
    """Whether its keys are names that somebody gave."""
    return path.endswith((".figures", ".labels")) or path in MAPS


def drop(result, path, key):
    for at, record in records(result):
        if at == path:
            record.pop(key, None)


def is_needed(path, key):
    if path.endswith("cluster_partial"):
        path = path.replace("cluster_partial", "cluster")
    return key in NEEDED.get(path, ())


def keys_taken_away(muster):
    """One by one what figures rest on, and of each record all the rest at once."""
    run = Run(muster)
    keys = {}
    for path, record in records(run.first.result):
        if not is_map(path):
            keys.setdefault(path, dict.fromkeys(record)).update(dict.fromkeys(record))
    taken = {"needed": 0, "other": 0}
    for path, all_of_it in keys.items():
        others = [key for key in all_of_it if not is_needed(path, key)]
        for key in set(all_of_it) - set(others):
            result = copy.deepcopy(run.first.result)
            drop(result, path, key)
            said = run.refused(result)
            require(f"'{key}' is missing" in said, f"{path}.{key}: {said}")
            taken["needed"] += 1
        if not others:
            continue
        result = copy.deepcopy(run.first.result)
        for key in others:
            drop(result, path, key)
        judged = run.judged(result)
        if path.startswith(("plan", "findings")) or TELLING & set(others):
            require(judged.code in (0, 3, 4), f"{path}: exit {judged.code}")
        else:
            run.require_alike(judged, path)
        told = judged.of("OTHER_BUILD")[0]["evidence"]
        for key in others:
            require(f".{key}" in told, f"{path}.{key} is not told: {told}")
        taken["other"] += len(others)
    require(taken["needed"] > 20 and taken["other"] > 100, f"only {taken} were taken away")


def keys_that_are_not_known(muster):
    run = Run(muster)
    result = copy.deepcopy(run.first.result)
    for path, record in list(records(result)):
        if is_map(path):
            continue
        record["tomorrow"] = {"a": [1]}
        record["says_nothing"] = None
    judged = run.judged(result)
    run.require_alike(judged, "with unknown keys")
    evidence = judged.of("OTHER_BUILD")[0]["evidence"]
    for name in ("result.tomorrow", "phase.tomorrow", "target.tomorrow", "cluster.tomorrow"):
        require(evidence.count(name) == 1, f"{name} is not told once: {evidence}")
    require("says_nothing" not in evidence, evidence)


def our_own_says_nothing(muster):
    run = Run(muster)
    judged = run.judged(run.first.result)
    run.require_alike(judged, "the same file")
    require("OTHER_BUILD" not in judged.codes, "our own file is another build's")


def another_schema(muster):
    run = Run(muster)
    said = run.refused({**run.first.result, "schema": "muster.run/2", "version": "9.1"})
    for words in ("'muster.run/2'", "muster.run/1", "use the build that wrote it, muster 9.1"):
        require(words in said, f"{words} is not said: {said}")
    said = run.refused({"schema": "muster.run/2", "all": "other"})
    require("'muster.run/2'" in said, said)
    said = run.refused({**run.first.result, "schema": "somebody.else/1"})
    require("is not muster.run/1" in said, said)


def words_of_another_build(muster):
    run = Run(muster)
    result = copy.deepcopy(run.first.result)
    result["plan"]["phases"][0]["op"] = "compute"
    result["version"] = "9.1"
    said = run.refused(result)
    for words in ("written by muster 9.1", "plan.phases[0].op", "'compute'"):
        require(words in said, f"{words} is not said: {said}")
    result = copy.deepcopy(run.first.result)
    result["phases"][0]["bucket_ns"] = "100ms"
    require("bucket_ns: is not a whole number" in run.refused(result), "types are held")


def a_baseline(muster):
    run = Run(muster)
    old = copy.deepcopy(run.first.result)
    old["version"] = "0.0.1"
    for path, key in (("phases.hosts", "workers"), ("plan.phases", "numa"), ("hosts", "uptime_s"),
                      ("phases", "late"), ("result", "comparisons")):
        drop(old, path, key)
    old["plan"]["phases"][0]["tomorrow"] = 1
    run.write(old)
    now = run.judge.path / "now.yaml"
    run.judge.judge(**facts(run.judge))
    newest = run.judge.path / f"facts{run.judge.count}.yaml"
    now.write_text(newest.read_text() + "gates:\n  - {phase: p, metric: throughput, of: fleet, "
                   "against: baseline, at_least: 95%}\n")

    def against():
        return subprocess.run([muster, "judge", "--as", "json", "--baseline", run.path, now],
                              capture_output=True, text=True, timeout=60, check=False)
    done = against()
    require(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout)
    require([g["state"] for g in result["gates"]] == ["PASS"], "the gate")
    told = [f["evidence"] for f in result["findings"] if f["code"] == "OTHER_BUILD"]
    require(len(told) == 1, f"{told}")
    for words in ("the baseline", "muster 0.0.1", "phase.tomorrow", "phase_host.workers"):
        require(words in told[0], f"{words} is not told: {told[0]}")
    drop(old, "phases.hosts.targets", "bytes")
    run.write(old)
    done = against()
    require(done.returncode == 2 and "'bytes' is missing" in done.stderr, done.stderr)


def a_timeline(muster):
    """Columns of another build: unknown ones are passed over, what the figures need is asked for."""
    run = Run(muster)
    run.write(run.first.result)
    needed = ["phase", "host", "target", "bucket", "bytes_read", "bytes_written", "operations"]
    rows = [(1, host, "t", k, 50 * MB, 0, 50, "x") for host in "ab" for k in range(600)]
    run.judge.table("timeline.csv", needed + ["tomorrow"], rows)
    judged = judge_file(muster, run.path)
    require(judged.code == 0, f"exit {judged.code}")
    run.judge.table("timeline.csv", needed[1:], [row[1:7] for row in rows])
    done = subprocess.run([muster, "judge", run.path], capture_output=True, text=True, timeout=60,
                          check=False)
    require(done.returncode == 2 and "'phase' is missing" in done.stderr, done.stderr)


def main():
    muster = sys.argv[1]
    cases = [(f.__name__, lambda f=f: f(muster))
             for f in (our_own_says_nothing, keys_taken_away, keys_that_are_not_known,
                       another_schema, words_of_another_build, a_baseline, a_timeline)]
    return main_of(cases, sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
