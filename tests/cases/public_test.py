#!/usr/bin/env python3
"""public_test.py MUSTER [CASE...] - cases of other people, whose answers are known.

MUSTER_CASES names the directory with expected.json and data/; without it the test is skipped. Each
case has its own shape: what stands here puts it into the words of `muster judge` and holds what comes
out against the answer. Nothing of a case but its figures is used, and its answer is not known to the
conversion."""

import csv
import errno
import json
import os
import pathlib
import subprocess
import sys

from judging import GIB, KIB, MB, MIB, Judge, main_of, require, require_near

SKIPPED = 77

CASES = {}


def case(function):
    CASES["MC-" + function.__name__[3:]] = function
    return function


class Case:
    def __init__(self, root, name, muster):
        self.name = name
        self.entry = json.loads((root / "expected.json").read_text())[name]
        self.expected = self.entry["expected"]
        self.root = root
        self.judge = Judge(muster)
        self.table = self.judge.table

    def path(self, name):
        return next(self.root / path for path in self.entry["inputs"] if path.endswith("/" + name))

    def json(self, name):
        return json.loads(self.path(name).read_text())

    def csv(self, name):
        with open(self.path(name), newline="") as file:
            return list(csv.DictReader(file))

    def require(self, *judged, codes=None):
        """Level and codes of all inputs of the case together."""
        found = set().union(*(j.codes for j in judged))
        wanted = self.expected["codes"] if codes is None else codes
        require(set(wanted) <= found, f"{sorted(set(wanted) - found)} not in {sorted(found)}")
        others = {f["code"] for j in judged for f in j.findings
                  if f["level"] in ("WARN", "INVALID", "REFUSE")} - set(wanted)
        require(not others, f"{sorted(others)} found beside {sorted(wanted)}")
        unwanted = set(self.expected.get("must_not", [])) & found
        require(not unwanted, f"{sorted(unwanted)} must not be found")
        levels = ["NOTE", "WARN", "INVALID", "REFUSE"]
        if "level" in self.expected:
            level = max((j.level for j in judged), key=(["OK"] + levels).index)
            require(level == self.expected["level"],
                    f"level is {level}, not {self.expected['level']}")


def phase(name, op, **more):
    return {"name": name, "op": op, "targets": ["t"], **more}


# ---- cache, compression ----

@case
def mc_01(c):
    r, e = c.json("result.json"), c.expected
    rows = [(r["host"], device, "sectors_read", 0, counters["sectors_read"])
            for device, counters in r["device_counters"].items()]
    counters = c.table("counters.csv", ("host", "device", "counter", "before", "after"), rows)
    judged = c.judge.judge(
        phases=[phase(r["phase"], "read", access="random", block_size=r["block"], runtime="120s")],
        measured=[{"phase": r["phase"], "counters": counters,
                   "moved": [{"host": r["host"], "bytes": r["engine"]["bytes"],
                              "seconds": r["engine"]["seconds"]}]}],
        gates=[{"phase": r["phase"], "metric": "throughput", "of": "host", "at_least": "1 MB/s"}])
    c.require(judged)
    require(judged.code == 3, f"exit is {judged.code}")
    target = judged.result["phases"][0]["hosts"][0]["targets"][0]
    devices = judged.result["phases"][0]["hosts"][0]["devices"]
    require(sum(d["bytes_read"] for d in devices) == e["device_bytes"], "device bytes")
    require(target["bytes"] == e["engine_bytes"], f"engine bytes {target['bytes']}")
    require_near(devices[0]["share"], e["device_share"], "share")
    require_near(target["throughput_bytes_per_s"] / 1e6, e["engine_MBps"], "engine rate")
    require_near(e["device_bytes"] / r["engine"]["seconds"] / 1e6, e["device_MBps"], "device rate")
    require(all(g["state"] != "PASS" for g in judged.result["gates"]), "a gate may not pass")


@case
def mc_02(c):
    facts = c.json("facts.json")
    hosts = {host: {"memory": fact["ram"]} for host, fact in facts.items()}
    plan = c.path("plan.yaml").read_text()
    require("size: 4GiB" in plan and "direct: no" in plan, "the plan is another one")
    judged = c.judge.judge(hosts=hosts, phases=[
        phase("w", "write", size="4GiB", block_size="32KiB", direct=False),
        phase("r", "read", size="4GiB", block_size="32KiB", direct=False)])
    c.require(judged)
    small = {f["host"] for f in judged.of("FILE_SMALLER_THAN_RAM")}
    require(small == set(c.expected["file_smaller_than_ram"]), f"smaller than RAM on {small}")
    require({(f["phase"], f["host"]) for f in judged.of("BUFFERED_PHASE")}
            == {(p, h) for p in "wr" for h in hosts}, "not every phase on every host is buffered")
    require(judged.code == 0, "a warning is no refusal")


@case
def mc_04(c):
    files, facts = c.csv("files.csv"), c.json("facts.json")
    logical = sum(int(f["logical_bytes"]) for f in files)
    allocated = sum(int(f["allocated_bytes"]) for f in files)
    compresses = "compression    on" in c.path("dataset.txt").read_text()
    judged = c.judge.judge(
        hosts={"h": {"memory": facts["ram"], "arc_most": facts["arc_max"]}},
        storage={"t": {"file_size": logical, "allocated": allocated, "compression": compresses}},
        phases=[phase("r", "read", runtime="60s")],
        measured=[{"phase": "r", "moved": [{"host": "h", "bytes_per_s": 2e9, "seconds": 60}],
                   "counters": c.table("c.csv", ("host", "device", "counter", "after"),
                                       [("h", "da0", "bytes_read", 60 * 2 * 10**9)])}])
    c.require(judged)
    require(judged.figure("COMPRESSED_TEST_FILE", "logical_bytes") == c.expected["logical"], "size")
    require(judged.figure("COMPRESSED_TEST_FILE", "allocated_bytes") == c.expected["allocated"],
            "allocated")
    require_near(judged.figure("COMPRESSED_TEST_FILE", "share"), c.expected["share"], "share")


@case
def mc_07(c):
    r = c.json("result.json")
    pool, data = r["pool"], r["dataset"]
    judged = c.judge.judge(
        storage={"t": {"level": pool["level"], "disks": pool["disks"],
                       "disk_rate": f"{pool['disk_limit_MBps']} MB/s", "fill": "zeros",
                       "compression": data["compression"] == "on",
                       "dedup": data["dedup"] == "on"}},
        phases=[phase(p["name"], p["name"], size=p["bytes"]) for p in r["phases"]],
        measured=[{"phase": p["name"], "moved": [{"bytes": p["bytes"],
                                                  "bytes_per_s": p["MBps"] * MB}]}
                  for p in r["phases"]])
    c.require(judged)
    require_near(judged.figure("EXCEEDS_PHYSICAL", "ceiling_bytes_per_s") / MB,
                 c.expected["ceiling_MBps"], "ceiling")
    for name in ("write", "read"):
        require_near(judged.figure("TOO_SHORT", "span_ns", phase=name) / 1e9,
                     c.expected[name + "_s"], f"time of {name}")


# ---- members, controllers, links ----

def alone_and_together(c, targets, alone, together, direct=True):
    """Phases on each target, and on all of them."""
    phases = [{"name": f"alone-{t}", "op": "read", "targets": [t], "runtime": "60s"}
              for t in targets]
    phases += [{"name": "all", "op": "read", "targets": list(targets), "runtime": "60s"}]
    measured = [{"phase": f"alone-{t}", "moved": [{"bytes_per_s": alone[t], "seconds": 60}]}
                for t in targets]
    measured += [{"phase": "all", "moved": [{"target": t, "bytes_per_s": together[t],
                                             "seconds": 60} for t in targets]}]
    return {"phases": phases, "measured": measured}


@case
def mc_16(c):
    rows = c.csv("members.csv")
    alone = {r["disk"]: float(r["read_MiBps_alone"]) * MIB for r in rows}
    together = {r["disk"]: float(r["read_MiBps_parallel"]) * MIB for r in rows}
    judged = c.judge.judge(
        targets={"pool": {"members": list(alone)}},
        **alone_and_together(c, list(alone), alone, together))
    c.require(judged)
    slow = min(alone.values())
    require_near(slow * 6 / MIB, c.expected["data_bound_MiBps"], "bound of the data")
    text = " ".join(f["evidence"] for f in judged.of("MEMBER_SPREAD"))
    require("d6" in text and "d7" in text, f"the two are not named: {text}")


@case
def mc_17(c):
    t = c.json("topology.json")
    links, phases, measured = {}, [], []
    speeds = {"8GT/s": 8, "5GT/s": 5}
    for name, ctrl in t["controllers"].items():
        links[name] = {"gt_per_s": speeds[ctrl["link"]], "width": ctrl["width"]}
        ports = ctrl.get("downstream_ports", [])
        if ports:
            links[name + "-ports"] = {"width": ports[0]["width"],
                                      "width_most": ports[0]["cap_width"], "ports": len(ports)}
    for i, run in enumerate(t["runs"]):
        phases.append({"name": f"p{i}", "op": "read", "targets": run["disks"], "runtime": "60s"})
        entry = {"phase": f"p{i}", "controller": run["ctrl"]}
        if run["MBps"] is None:
            entry["hung"] = "hung" in run["state"]
        else:
            entry["moved"] = [{"target": d, "bytes_per_s": run["MBps"] * MB / len(run["disks"]),
                               "seconds": 60} for d in run["disks"]]
        measured.append(entry)
    of_b = [r for r in t["runs"] if r["ctrl"] == "B"]
    points = [{"setting": len(r["disks"]), "bytes_per_s": r["MBps"] * MB} for r in of_b]
    judged = c.judge.judge(
        links=links, phases=phases, measured=measured,
        sweeps={"B": {"kind": "members", "points": points,
                      "limit_rate": f"{t['controllers']['B']['ceiling_MBps']} MB/s"}})
    c.require(judged)
    require_near(judged.figure("CONTROLLER_SLOW", "share"), c.expected["A_vs_B"], "A against B")
    require_near(judged.figure("SHARED_LIMIT", "share"), c.expected["B_scaling"], "scaling of B")
    require(judged.figure("SHARED_LIMIT", "at_limit") == 1, "506 of 500 is at the ceiling")


@case
def mc_32(c):
    speeds, links, name = {}, {}, None
    for line in c.path("lspci.txt").read_text().splitlines():
        words = line.replace(",", " ").split()
        if not line.startswith("\t"):
            name = words[0]
            links[name] = {}
        for key, suffix in (("LnkCap:", "_most"), ("LnkSta:", "")):
            if words and words[0] == key:
                links[name]["gt_per_s" + suffix] = float(words[words.index("Speed") + 1][:-4])
                links[name]["width" + suffix] = int(words[words.index("Width") + 1][1:])
    rates = {r["controller"]: float(r["MBps"]) * MB for r in c.csv("rate.csv")}
    for name, link in links.items():
        link["targets"] = [f"t{name[:2]}"]
        speeds[name] = rates[name]
    phases = [{"name": f"p{n[:2]}", "op": "read", "targets": [f"t{n[:2]}"], "runtime": "60s"}
              for n in links]
    measured = [{"phase": f"p{n[:2]}", "moved": [{"bytes_per_s": speeds[n], "seconds": 60}]}
                for n in links]
    judged = c.judge.judge(links={f"\"{n}\"": link for n, link in links.items()}, phases=phases,
                           measured=measured)
    c.require(judged)
    found = {f["evidence"].split("'")[1]: {x["name"]: x["value"] for x in f["figures"]}
             if isinstance(f["figures"], list) else f["figures"]
             for f in judged.of("LINK_DEGRADED")}
    for name in links:
        e = c.expected[name]
        require_near(found[name]["ceiling_bytes_per_s"] / MB, e["ceiling"], f"ceiling of {name}")
        require_near(found[name]["use"], e["use"], f"use of {name}")
        if "width" in e:
            require([found[name]["width"], found[name]["width_most"]] == e["width"], "width")


@case
def mc_35(c):
    e = c.expected
    disks = [{"setting": int(r["disks"]), "bytes_per_s": float(r["total_MBps"]) * MB}
             for r in c.csv("scaling.csv")]
    first = c.judge.judge(sweeps={"disks": {"kind": "members", "points": disks}})
    for n, efficiency in zip((1, 2, 6), e["efficiency"]):
        require_near(first.figure("SHARED_LIMIT", f"efficiency_of_{n}"), efficiency, f"of {n}")
    require(first.figure("SHARED_LIMIT", "knee") == e["knee"], "knee")

    ports = {int(r["ports"]): float(r["total_Gbit_per_s"]) * 1e9 / 8 for r in c.csv("ports.csv")}
    alone, together = ({"a": ports[1], "b": ports[1]}, {"a": ports[2] / 2, "b": ports[2] / 2})
    require("min: 32 Gbit/s" in c.path("gate.yaml").read_text(), "the gate is another one")
    second = c.judge.judge(gates=[{"phase": "all", "metric": "throughput", "of": "fleet",
                                   "at_least": "4000 MB/s"}],
                           **alone_and_together(c, "ab", alone, together))
    require([g["state"] for g in second.result["gates"]] == [e["ports"]["gate"]], "gate")
    require(second.code == 1, f"exit is {second.code}")
    require_near(second.figure("SHARED_LIMIT", "share"), e["ports"]["efficiency"], "of ports")
    for n, rate in ports.items():
        require_near(rate / 1e9, e["ports"]["GBps"][n - 1], "rate of ports")

    rows = c.csv("targets.csv")
    targets = [{"setting": int(r["targets"]), "operations_per_s": float(r["kiops"]) * 1000}
               for r in rows]
    one = all("one job" in r["jobs_layout"] for r in rows)
    third = c.judge.judge(sweeps={"targets": {"kind": "members", "points": targets,
                                              "one_generator": one}})
    for n, efficiency in zip((1, 2, 4), e["targets"]["efficiency"]):
        require_near(third.figure("GENERATOR_MAY_LIMIT", f"efficiency_of_{n}"), efficiency,
                     f"of {n}")
    c.require(first, second, third)


# ---- timelines ----

@case
def mc_19(c):
    rows = c.csv("posted.csv")[1:]  # the first line is the average since boot
    e = c.expected
    posted = [(int(r["sample"]), float(r["write_M"]) * MB) for r in rows]
    first = c.judge.judge(
        min_window="10s", phases=[phase("w", "write", runtime="60s")],
        measured=[{"phase": "w", "timeline": c.table("p.csv", ("time_s", "bytes_per_s"), posted)}])
    require(len(posted) == e["posted"]["samples"], "samples")
    require_near(first.cluster("w")["all_active_bytes_per_s"] / MB, e["posted"]["mean"], "mean")
    low, high = e["posted"]["stalls"][0]
    require(first.figure("STALL", "times") == 1, "one stall")
    require(first.figure("STALL", "at_ns") / 1e9 == low - posted[0][0], "its begin")
    require(first.figure("STALL", "longest_ns") / 1e9 == high - low + 1, "its length")
    require("PERIODIC_STALL" not in first.codes, "one cycle is no period")

    five = [(float(r["second"]), float(r["write_MBps"]) * MB) for r in c.csv("five-cycles.csv")]
    second = c.judge.judge(
        phases=[phase("w", "write", runtime="60s")],
        measured=[{"phase": "w", "timeline": c.table("f.csv", ("time_s", "bytes_per_s"), five)}])
    require_near(second.figure("PERIODIC_STALL", "period_ns") / 1e9, e["five"]["period_s"],
                 "period", 0.1)
    require_near(second.figure("PERIODIC_STALL", "duty"), e["five"]["duty"], "duty")
    high = second.figure("PERIODIC_STALL", "high_bytes_per_s")
    require_near(high / second.cluster("w")["all_active_bytes_per_s"], 1.67, "peak of mean")
    c.require(first, second)


def of_operations(c, rows, block=8192, **more):
    table = c.table("t.csv", ("time_s", "operations_per_s"), rows)
    return c.judge.judge(
        phases=[phase("p", "write", block_size=block, access="random", runtime="60s")],
        measured=[{"phase": "p", "timeline": table}], **more)


@case
def mc_20(c):
    e = c.expected
    judged = of_operations(c, [(r["second"], r["iops"]) for r in c.csv("timeline.csv")],
                           gates=[{"phase": "p", "metric": "iops", "of": "fleet",
                                   "at_least": 400000}])
    c.require(judged)
    require(abs(judged.figure("STEP_DOWN", "at_ns") / 1e9 - e["at_s"]) <= 1, "where")
    require_near(judged.figure("STEP_DOWN", "before_bytes_per_s") / 8192, e["before"], "before",
                 e["tolerance"])
    require_near(judged.figure("STEP_DOWN", "after_bytes_per_s") / 8192, e["after"], "after",
                 e["tolerance"])
    require_near(judged.cluster("p")["iops"], e["mean"], "mean", e["tolerance"])
    require(all(g["state"] != "PASS" for g in judged.result["gates"]),
            "the mean is accepted by a gate")


@case
def mc_22(c):
    e = c.expected
    rows = [(r["second"], float(r["write_MBps"]) * MB) for r in c.csv("timeline.csv")]

    def write(rows):
        table = c.table("t.csv", ("time_s", "bytes_per_s"), rows)
        return c.judge.judge(storage={"t": {"device_size": 10**12}},
                             phases=[phase("w", "write", runtime="60s")],
                             measured=[{"phase": "w", "timeline": table}])

    whole, minute = write(rows), write(rows[:60])
    at = sorted([whole.figure("STEP_DOWN", "at_ns") / 1e9,
                 whole.figure("STEP_DOWN", "other_at_ns") / 1e9])
    for found, wanted in zip(at, e["change_s"]):
        require(abs(found - wanted) <= e["tolerance_s"], f"steps at {at}")
    plateaus = sorted([whole.figure("STEP_DOWN", "before_bytes_per_s") / MB,
                       whole.figure("STEP_DOWN", "after_bytes_per_s") / MB])
    require(all(min(abs(p / w - 1) for w in e["plateaus"]) < 0.02 for p in plateaus),
            f"levels {plateaus}")
    require_near(whole.cluster("w")["all_active_bytes_per_s"] / MB, e["mean_MBps"], "mean")
    require("NOT_STEADY" not in whole.codes, "its last level was held")
    require("STEADY_STATE_NOT_SHOWN" in minute.codes, "the first minute shows no steady state")
    require("STEP_DOWN" not in minute.codes, "the first minute has no step")
    c.require(whole, minute)


@case
def mc_23(c):
    e = c.expected
    rows = [(r["second"], r["iops"]) for r in c.csv("timeline.csv")]
    table = c.table("t.csv", ("time_s", "operations_per_s"), rows)
    judged = c.judge.judge(
        phases=[phase("p", "read", block_size=4096, access="random", runtime="600s")],
        measured=[{"phase": "p", "timeline": table}])
    c.require(judged)
    require(abs(judged.figure("PERIODIC_DIP", "period_ns") / 1e9 - e["period_s"])
            <= e["tolerance_s"], "period")
    require_near(1 - judged.figure("PERIODIC_DIP", "duty"), 2 * len(e["dips_at"]) / 600, "low")
    require_near(judged.figure("PERIODIC_DIP", "high_bytes_per_s") / 4096, e["median_iops"],
                 "level")


@case
def mc_25(c):
    r = c.json("result.json")
    other = r["other"][0]
    judged = c.judge.judge(
        storage={"t": {"level": r["level"], "disks": r["disks"], "reference": other["name"],
                       "reference_rate": f"{other['read_MBps']} MB/s"}},
        phases=[phase(p["name"], p["op"], block_size=p["block"], workers=p["threads"],
                      size=p["bytes"]) for p in r["phases"]],
        measured=[{"phase": p["name"], "moved": [{"bytes": p["bytes"],
                                                  "bytes_per_s": p["MBps"] * MB}]}
                  for p in r["phases"]])
    c.require(judged)
    require_near(judged.figure("READ_SLOWER_THAN_WRITE", "ratio"), c.expected["ratio"], "ratio",
                 0.02)
    require_near(judged.figure("READ_SLOWER_THAN_WRITE", "media_of_read"),
                 c.expected["media_vs_read"], "media", 0.01)


# ---- sweeps ----

def sweep(c, points, **more):
    return c.judge.judge(sweeps={"s": {"points": points, **more}})


@case
def mc_26(c):
    points = [{"setting": int(r["readahead"]), "bytes_per_s": float(r["MBps"]) * MB}
              for r in c.csv("sweep.csv")]
    for percent, wanted in ((5, "knee95"), (10, "knee90"), (15, "knee85")):
        judged = sweep(c, points, knee_percent=f"{percent}%")
        require(judged.figure("KNEE", "knee") == c.expected[wanted], wanted)
    judged = sweep(c, points)
    c.require(judged)
    require_near(judged.figure("KNEE", "best_rate") / MB, c.expected["best"], "best")
    require("no effect below 16" in judged.of("KNEE")[0]["evidence"], "the flat start is not told")


@case
def mc_28(c):
    rows = c.csv("sweep.csv")
    points = [{"setting": int(r["read_max"]), "op": op,
               "bytes_per_s": float(r[f"{op}_KiBps"]) * KIB}
              for r in rows for op in ("read", "write")]
    judged = sweep(c, points)
    c.require(judged)
    require(judged.figure("KNEE", "knee") == c.expected["knee95"], "knee at 95 %")
    require(sweep(c, points, knee_percent="10%").figure("KNEE", "knee") == c.expected["knee90"],
            "knee at 90 %")
    require_near(judged.figure("KNEE", "gain"), c.expected["gain"], "gain")
    require(len(judged.of("KNEE")) == 1 and len(judged.of("FLAT_SWEEP")) == 1, "one of each")
    require("write" in judged.of("FLAT_SWEEP")[0]["evidence"], "writes are flat")
    read = [p["bytes_per_s"] for p in points if p["op"] == "read"]
    for rate, wanted in zip(read, c.expected["MBps"]):
        require_near(rate / MB, wanted, "rate")


@case
def mc_29(c):
    rows = c.csv("sweep.csv")
    points = [{"setting": int(r["block"]), "bytes": int(r["bytes"]),
               "seconds": float(r["seconds"])} for r in rows]
    judged = sweep(c, points)
    c.require(judged)
    require("KNEE" not in judged.codes, "there is no knee")
    require(judged.code == 3, f"exit is {judged.code}")
    require(judged.figure("TOO_SHORT", "points") == len(rows), "all are too short")
    for row, wanted in zip(rows, c.expected["MBps"]):
        require_near(int(row["bytes"]) / float(row["seconds"]) / MB, wanted, "rate")


@case
def mc_37(c):
    e, fact = c.expected, c.json("facts.json")
    points = [{"setting": int(r["pin_node"]), "bytes_per_s": float(r["MiBps"]) * MIB,
               "operations_per_s": float(r["iops"])} for r in c.csv("pinning.csv")]
    judged = sweep(c, points, kind="numa", block_size=4096,
                   numa_node=fact["numa_node_reported"])
    c.require(judged)
    require_near(judged.figure("NUMA_EFFECT", "factor"), e["factor"], "factor")
    require(judged.figure("NUMA_EFFECT", "best_node") == e["best_node"], "node")
    require([f for f in judged.of("VALUES_DISAGREE") if "setting 0" in f["evidence"]]
            == judged.of("VALUES_DISAGREE"), "only node 0 disagrees")


# ---- alignment ----

@case
def mc_31(c):
    rows = c.csv("partitions.csv")
    found = {}
    for row in rows:
        offset = int(row["start"])
        if row["unit"] == "sectors":
            offset *= int(row["logical_sector"])
        found[row["name"]] = c.judge.judge(storage={row["name"]: {
            "offset": offset, "stripe_unit": int(row["stripe_unit"]),
            "logical_block": int(row["logical_sector"]),
            "physical_block": int(row["physical_sector"])}})
    c.require(*found.values())
    for name, judged in found.items():
        for code, key in (("MISALIGNED_STRIPE", "stripe_rem"), ("MISALIGNED_4K", "rem4k")):
            wanted = c.expected[name].get(key)
            if wanted:
                require(judged.figure(code, "remainder_bytes") == wanted, f"{name}: {key}")
            elif wanted == 0:
                require(code not in judged.codes, f"{name}: {code}")
    aligned, misaligned = (float(r["MBps"]) for r in c.csv("pair.csv"))
    require_near(aligned / misaligned, c.expected["ratio"], "ratio")


@case
def mc_34(c):
    md = c.json("md.json")
    found = {}
    for name in "ab":
        unit = width = block = None
        in_data = False
        for line in c.path(f"xfs_info-{name}.txt").read_text().splitlines():
            in_data = line.startswith("data") or (in_data and line.startswith(" "))
            words = line.replace(",", " ").split()
            if in_data:
                values = dict(w.split("=", 1) for w in words if w.count("=") == 1 and w[0] != "=")
                block = int(values.get("bsize", block or 0))
                unit = int(values.get("sunit", unit or 0))
                width = int(values.get("swidth", width or 0))
        su, sw = unit * block, width * block
        require([su, sw] == [c.expected[name]["su"], c.expected[name]["sw"]], f"{name}: {su} {sw}")
        found[name] = c.judge.judge(storage={"md": {
            "level": md["level"], "disks": md["disks"], "stripe_unit": md["chunk"],
            "layout_unit": su, "layout_width": sw}})
    require("STRIPE_GEOMETRY_MISMATCH" not in found["a"].codes, "a is fine")
    require(found["b"].figure("STRIPE_GEOMETRY_MISMATCH", "factor") == 8, "factor of b")
    c.require(*found.values())


# ---- plans ----

@case
def mc_11(c):
    facts = c.json("facts.json")
    found = []
    for host, devices in facts.items():
        device, blocks = next(iter(devices.items()))
        judged = c.judge.judge(
            hosts={host: {}}, targets={"t": {"device": device}},
            storage={"t": {"logical_block": blocks["logical_block"],
                           "physical_block": blocks["physical_block"]}},
            phases=[phase(f"mix-{size}", "mixed", block_size=size, direct=True, runtime="60s")
                    for size in (512, 65536)])
        code = c.expected[host]
        require({f["phase"] for f in judged.of(code)} == {"mix-512"}, f"{host}: {code}")
        found.append(judged)
    require([j.code for j in found] == [5, 0], f"exits {[j.code for j in found]}")
    c.require(*found)


@case
def mc_49(c):
    facts, plan = c.json("facts.json"), c.path("plan.yaml").read_text()
    require("size: 10GiB, threads: 8, per_thread_file: yes" in plan, "the plan is another one")
    found = {}
    for host, paths in facts.items():
        path, fact = next(iter(paths.items()))
        found[host] = c.judge.judge(
            hosts={host: {}}, targets={"t": {"path": path, "size": 8 * 10 * GIB}},
            storage={"t": {"free_bytes": fact["free"], "free_inodes": fact["inodes_free"],
                           "files": 8}},
            phases=[phase("w", "write", size=8 * 10 * GIB)])
        require(found[host].code == 5, f"exit of {host} is {found[host].code}")
    require(found["n1"].figure("INSUFFICIENT_SPACE", "needed_bytes") == c.expected["n1_need"],
            "space of n1")
    require(found["n1"].codes == {"INSUFFICIENT_SPACE"}, f"n1: {found['n1'].codes}")
    require(found["n2"].codes == {"INSUFFICIENT_INODES"}, f"n2: {found['n2'].codes}")

    mid = c.json("midrun.json")
    require(mid["errno"] == errno.ENOSPC, "the error is another one")
    full = c.judge.judge(
        storage={"t": {"free_bytes": mid["statvfs_free"]}},
        phases=[phase(mid["phase"], "write", size=mid["planned_bytes"])],
        measured=[{"phase": mid["phase"], "hosts": {mid["host"]: {"disk_full": True}},
                   "moved": [{"host": mid["host"], "bytes": mid["written_bytes"],
                              "seconds": 3000}]}])
    require(full.codes == {"DISK_FULL", "PARTIAL"}, f"mid-run: {full.codes}")
    require(full.level == c.expected["level"] and full.code == 3, "mid-run: it is INVALID")
    require("135 GiB free" in full.of("DISK_FULL")[0]["evidence"], "what is free is not said")
    require_near(full.figure("PARTIAL", "share"), c.expected["midrun_share"], "share", 0.001)


# ---- hosts and clocks ----

@case
def mc_38(c):
    e = c.expected
    rows = c.csv("jobs.csv")
    moved = [{"host": r["job"], "start_s": float(r["start_ms"]) / 1000,
              "end_s": float(r["start_ms"]) / 1000 + float(r["KiB"]) / float(r["KiBps"]),
              "bytes": int(r["KiB"]) * KIB} for r in rows]
    judged = c.judge.judge(phases=[phase("w", "write", size=int(rows[0]["KiB"]) * KIB)],
                           measured=[{"phase": "w", "moved": moved}])
    c.require(judged)
    cluster = judged.cluster("w")
    require_near(cluster["all_active_window_ns"] / 1e9, e["common_window_s"], "common window")
    require_near(cluster["all_active_bytes_per_s"] / KIB, e["common_KiBps"], "common rate")
    require(abs(cluster["span_bytes_per_s"] / KIB - e["whole_KiBps"]) <= e["whole_tolerance"],
            f"whole rate {cluster['span_bytes_per_s'] / KIB}")
    require(cluster["headline"] == "span", "headline")
    require(judged.of("STRAGGLER")[0]["host"] == e["straggler"], "who")
    require_near(judged.figure("STRAGGLER", "rate_of_median"), 0.64, "its rate", 0.02)


@case
def mc_40(c):
    e, r = c.expected, c.json("clocks.json")
    judged = c.judge.judge(
        phases=[phase("p", "write", size=r["bytes"])],
        measured=[{"phase": "p", "moved": [{"host": r["host"], "bytes": r["bytes"],
                                            "seconds": r["controller_elapsed_s"]},
                                           {"host": "other", "bytes": r["bytes"],
                                            "seconds": r["controller_elapsed_s"]}],
                   "hosts": {r["host"]: {"agent_elapsed": f"{r['agent_elapsed_s']}s",
                                         "controller_elapsed": f"{r['controller_elapsed_s']}s",
                                         "round_trip": f"{r['rtt_ms']}ms"}}}],
        gates=[{"phase": "p", "metric": "throughput", "of": "fleet", "at_least": "1 MB/s"}])
    c.require(judged)
    require_near(judged.figure("CLOCK_RATE_MISMATCH", "factor"), e["factor"], "factor")
    require_near(judged.figure("CLOCK_RATE_MISMATCH", "agent_bytes_per_s") / MB, e["MBps"][0], "1")
    require_near(judged.figure("CLOCK_RATE_MISMATCH", "controller_bytes_per_s") / MB,
                 e["MBps"][1], "2")
    require(judged.cluster("p") is None, "there is a figure of all together")
    require(judged.result["phases"][0]["cluster_partial"]["hosts"] == 1, "the other stays valid")
    require(all(g["state"] == "INVALID" for g in judged.result["gates"]), "a gate took it")


@case
def mc_41(c):
    e = c.expected
    beats = [(r["host"], r["sent_s"], r["arrived_s"]) for r in c.csv("heartbeats.csv")]
    judged = c.judge.judge(
        suspect_after="3s", dead_after="30s", phases=[phase("p", "read", runtime="60s")],
        measured=[{"phase": "p", "heartbeats": c.table(
            "b.csv", ("host", "sent_s", "arrived_s"), beats)}])
    c.require(judged)
    require(sorted(f["host"] for f in judged.of("LATE_HEARTBEAT")) == e["late"], "late")
    require([f["host"] for f in judged.of("HOST_LOST")] == e["lost"], "lost")
    p = judged.result["phases"][0]
    lost = next(h for h in p["hosts"] if h["state"] == "lost")
    require(abs((lost["lost_at_ns"] - p["start_ns"]) / 1e9 - e["lost_at_s"]) < 1, "when")
    require(p["cluster"] is None and p["cluster_partial"]["hosts"] == e["results"]
            and p["cluster_partial"]["of"] == 16, "15 of 16")
    require(judged.code == 3, f"exit is {judged.code}")


@case
def mc_43(c):
    hosts = c.path("hosts.txt").read_text().split()
    results = c.json("results.json")
    judged = c.judge.judge(
        hosts={f"\"{h}\"": {} for h in hosts}, phases=[phase("p", "write", runtime="60s")],
        measured=[{"phase": "p", "moved": [{"host": h, "bytes_per_s": r["MBps"] * MB,
                                            "seconds": 60} for h, r in results.items()]}])
    # PROTOCOL_MISMATCH, and that nothing starts anywhere, is tests/integration/other_build
    c.require(judged, codes=["INCOMPLETE"])
    require([f["host"] for f in judged.of("INCOMPLETE")] == c.expected["missing"], "missing")
    require(judged.cluster("p") is None and judged.code == 3, "one of two is no fleet")


@case
def mc_44(c):
    e = c.expected
    ends = c.csv("worker-ends.csv")
    rows = [(r["second"], r["iops"]) for r in c.csv("timeline.csv")]
    judged = c.judge.judge(
        phases=[phase("p", "write", access="random", block_size=4096, workers=len(ends),
                      size=len(ends) * 8 * GIB)],
        measured=[{"phase": "p",
                   "timeline": c.table("t.csv", ("time_s", "operations_per_s"), rows),
                   "totals": c.table("w.csv", ("worker", "start_s", "end_s"),
                                     [(r["worker"], 0, r["end_s"]) for r in ends])}])
    c.require(judged)
    require(judged.figure("STRAGGLER_TAIL", "together_ns") / 1e9 == e["common_window_s"], "window")
    require_near(judged.figure("STRAGGLER_TAIL", "together_iops"), e["common_iops"], "iops")
    require_near(judged.figure("STRAGGLER_TAIL", "iops_of_a_worker"), e["per_worker"], "of each")


@case
def mc_58(c):
    e = c.expected
    ticks = [("a", r["realtime_s"], r["monotonic_s"], r["boottime_s"], float(r["MB"]) * MB)
             for r in c.csv("ticks.csv")]
    judged = c.judge.judge(
        phases=[phase("p", "write", runtime="60s")],
        measured=[{"phase": "p", "ticks": c.table(
            "k.csv", ("host", "realtime_s", "monotonic_s", "boottime_s", "bytes"), ticks)}])
    c.require(judged)
    require_near(judged.figure("SUSPEND_DETECTED", "asleep_s"), e["asleep_s"], "asleep", 0.001)
    require([judged.figure("SUSPEND_DETECTED", "after_tick"),
             judged.figure("SUSPEND_DETECTED", "before_tick")] == e["between"], "where")
    require(judged.result["phases"][0]["hosts"][0]["targets"][0]["bytes"] == 1000 * MB,
            "what was moved over the sleep is left out")
    require(judged.cluster("p") is None, "no figure of it")


@case
def mc_56(c):
    e, seconds = c.expected, c.json("interval.json")["seconds"]
    first, second = (c.path(f"diskstats-{i}.txt").read_text().split() for i in (1, 2))
    columns = {"reads": 3, "sectors_read": 5, "read_ms": 6, "writes": 7, "sectors_written": 9,
               "write_ms": 10}
    rows = [(first[2], name, first[i], second[i]) for name, i in columns.items()]
    moved = (int(second[9]) - int(first[9])) * 512
    judged = c.judge.judge(
        min_window="10s", phases=[phase("p", "write", block_size=112640, runtime="60s")],
        measured=[{"phase": "p", "moved": [{"bytes": moved, "seconds": seconds}],
                   "counters": c.table("c.csv", ("device", "counter", "before", "after"), rows)}])
    c.require(judged)
    require(judged.figure("COUNTER_WRAP", "difference") == e["delta_ms"], "ms")
    require_near(judged.figure("COUNTER_WRAP", "mean_ms"), e["await_ms"], "mean")
    require(len(judged.of("COUNTER_WRAP")) == 1, "the other fields did not wrap")
    device = judged.result["phases"][0]["hosts"][0]["devices"][0]
    require(device["bytes_written"] == e["sectors"] * 512, "sectors")
    require_near(device["bytes_written"] / seconds / MB, e["MBps"], "rate")


@case
def mc_08(c):
    def data(name):
        return c.judge.judge(
            phases=[phase("p", "write", targets=["t"], runtime="60s")],
            storage={"t": {"fill": name}},
            measured=[{"phase": "p", "moved": [{"bytes": 60000 * MB, "seconds": 60}]}])
    c.require(data("repeating"))  # the ramp of 0 to 255
    data("random").require_codes([])


def check_hosts(c, entries):
    """Exit code and text of `muster check` of a fleet of these entries."""
    agents = "".join("    - {host: '%s'%s}\n" % (host, f", port: {port}" if port else "")
                     for host, port in entries)
    path = c.judge.path / "fleet.yaml"
    path.write_text(f"name: n\nfleet:\n  agents:\n{agents}"
                    "targets: {t: {path: /t, size: 1GiB}}\n"
                    "phases: [{name: r, op: read, targets: [t], runtime: 60s}]\n")
    done = subprocess.run([c.judge.muster, "check", path], capture_output=True, text=True,
                          timeout=30, check=False)
    return done.returncode, done.stdout + done.stderr


@case
def mc_52(c):
    e, entries = c.expected, []
    lines = c.path("hosts.txt").read_text().split("\n")
    numbers = []  # of the lines that entries come from
    for number, line in enumerate(lines, 1):
        host, port = line.strip(), None
        if not host or host.startswith("#"):
            continue
        for address, told in e["ports"].items():  # in a plan a port has a key of its own
            if host in (f"{address}:{told}", f"[{address}]:{told}"):
                code, text = check_hosts(c, [(host, None)])
                require(code == 2 and "port" in text, f"{host} is no host: {text}")
                host, port = address, told
        entries.append((host, port))
        numbers.append(number)
    require(len(entries) == e["entries"], f"{len(entries)} entries")
    code, text = check_hosts(c, entries)
    require(code == 2 and "'stor-c' is in fleet.agents" in text, f"said twice: {text}")
    twice = [n for n, (host, _) in zip(numbers, entries) if host == "stor-c"]
    require(twice == e["duplicate_lines"], f"lines {twice}")
    once = list(dict.fromkeys(entries))
    code, text = check_hosts(c, once)
    require(code == 0 and len(once) == e["unique"], f"exit {code}: {text}")
    require(text.count("AMBIGUOUS_PORT") == 1 and "more of the kind" not in text, text)
    require("'2001:db8::1:9000'" in text, text)


# What is asked of a real agent, or of a tree of devices: the test that reads the case's own data.
ELSEWHERE = {
    "integration/device_facts_test.py": ["MC-10", "MC-13", "MC-46"],
    "unit/linux_sysfs_test.c": ["MC-61"],
}
# Of what muster does not do yet: it reads no other tool's files and output, and no kstats.
NOT_HELD = ["MC-05", "MC-14", "MC-47", "MC-50", "MC-53", "MC-55", "MC-59", "MC-62"]


def each_case_has_its_place(root):
    """It is held here or elsewhere, or is said not to be."""
    held = [*CASES, *(name for listed in ELSEWHERE.values() for name in listed), *NOT_HELD]
    require(len(held) == len(set(held)), "a case stands twice")
    known = set(json.loads((root / "expected.json").read_text()))
    require(known == set(held), f"{sorted(known ^ set(held))} have no place, or are no cases")
    for test, listed in ELSEWHERE.items():
        text = (pathlib.Path(__file__).parent.parent / test).read_text()
        for name in listed:
            require(name in text, f"{test} says nothing of {name}")


def main():
    root = os.environ.get("MUSTER_CASES")
    if not root:
        print("skipped: MUSTER_CASES names no directory with expected.json and data/")
        return SKIPPED
    muster = sys.argv[1]
    cases = [(name, lambda f=f, n=name: f(Case(pathlib.Path(root), n, muster)))
             for name, f in sorted(CASES.items())]
    cases.append(("EACH-CASE-HAS-ITS-PLACE", lambda: each_case_has_its_place(pathlib.Path(root))))
    return main_of(cases, [a.upper().replace("_", "-") for a in sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
