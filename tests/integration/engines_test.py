"""Which engine does the I/O and where its workers run is as asked or as it suits, and in the result;
what is not possible is refused before any I/O, with what is.
"""

import os

from disks import xfs_disk
from lab import require
from plans import write_plan
from results import Result

SIZE = "8MiB"
SHALLOW = {"op": "write", "targets": ["disk"], "size": SIZE, "block_size": "64KiB"}
DEEP = {"op": "read", "targets": ["disk"], "size": SIZE, "block_size": "64KiB", "queue_depth": 8}


def test(lab):
    disk = xfs_disk(lab, "disk", 512)
    runs(lab, disk)
    refusals(lab, disk)


def runs(lab, disk):
    cpus = sorted(os.sched_getaffinity(0))
    first, last = str(cpus[0]), str(cpus[-1])
    phases = [{"name": "shallow", **SHALLOW, "cpus": first, "workers": 2},
              {"name": "deep", **DEEP, "numa": "node"},
              {"name": "native", **DEEP, "engine": "aio", "verify": True},
              {"name": "paced", **DEEP, "size": "2MiB", "engine": "aio", "rate": "100/s"},
              {"name": "preferred", **DEEP, "hugepages": "prefer"}]
    agents = [{"local": 1, "scratch": disk.mount / "a"},
              {"local": 1, "scratch": disk.mount / "b", "cpus": last}]
    for agent in agents:
        agent["scratch"].mkdir()
    plan = write_plan(lab, "engines", agents, {"disk": {"path": ".", "size": SIZE}}, phases)
    directory = lab.directory / "run"
    lab.muster("run", plan, "--out", directory).wait(60).expect(0)
    result = Result(directory)
    result.require_sums()
    require_engine(result, "shallow", "sync", "one I/O in flight")
    require_engine(result, "native", "aio", "asked for")
    require_engine(result, "paced", "aio", "asked for")
    deep = targets_of(result, "deep")[0]
    require(deep["engine"] in ("uring", "aio") and deep["engine_reason"].startswith("auto: "),
            f"deep: {deep['engine']}, {deep['engine_reason']}")
    require_cpus(result, "shallow", [first, last])
    require_cpus(result, "native", [None, last])
    require(all(worker["cpus"] for worker in workers_of(result, "deep")),
            "numa: node binds no worker")


def refusals(lab, disk):
    for name, phase, wanted in (
            ("polling", {"iopoll": True}, "no polling queues"),
            ("cpus", {"cpus": "0,65535"}, "may not run on processor 65535"),
            ("device", {"numa": "device"}, "which node")):
        phases = [{"name": name, **DEEP, **phase}]
        agents = [{"local": 1, "scratch": disk.mount / "a"}]
        plan = write_plan(lab, name, agents, {"disk": {"path": ".", "size": SIZE}}, phases)
        done = lab.muster("run", plan, "--out", lab.directory / name).wait(60).expect(5)
        text = " ".join(done.text.split())
        require(wanted in text, f"{name}: no '{wanted}' in:\n{done.text}")


def targets_of(result, phase):
    return [target for host in result.phase(phase)["hosts"] for target in host["targets"]]


def workers_of(result, phase):
    return [worker for host in result.phase(phase)["hosts"] for worker in host["workers"]]


def require_engine(result, phase, engine, reason):
    for target in targets_of(result, phase):
        require(target["engine"] == engine and reason in target["engine_reason"],
                f"{phase}: {target['engine']}, {target['engine_reason']}")


def require_cpus(result, phase, wanted):
    for host, cpus in zip(result.phase(phase)["hosts"], wanted):
        found = {worker["cpus"] for worker in host["workers"]}
        require(found == {cpus}, f"{phase}: {host['host']}'s workers are bound to {found}")
