"""A host whose clock steps in mid-phase: only its buckets are flagged, sums stay exact, and the
finding says which host, when and by how much."""

from clocks import Clock
from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result, host_of

STEP_NS = 10_000_000
STEP_AFTER_MS = 7000
RUNTIME_S = 9


def test(lab):
    fleet = Fleet(lab, 2)
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2)]
    steady = Clock(fleet.hosts[0], 1000).start_agent(disks[0])
    jumpy = Clock(fleet.hosts[1], 2000, step_ns=STEP_NS,
                  step_after_ms=STEP_AFTER_MS).start_agent(disks[1])
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": f"{RUNTIME_S}s"}]
    done, directory = fleet.run(fleet_plan(fleet, "step", phases, size="32MiB"))
    done.expect(3)
    result = Result(directory)
    result.require_sums()
    steady.require_true(directory)
    phase = result.phase("write")
    require(host_of(phase, fleet.hosts[0].address)["edges"]["disrupted"] == 0,
            "the steady host's buckets are flagged")
    flagged = [row for row in result.rows_of(phase, fleet.hosts[1].address)
               if row["disrupted"]]
    require(1 <= len(flagged) <= 12, f"{len(flagged)} buckets of the jumpy host are flagged")
    found = [finding for finding in result.run["findings"] if finding["code"] == "CLOCK_STEP"]
    require(len(found) == 1 and found[0]["host"] == fleet.hosts[1].address, f"findings: {found}")
    cuts = [cut for host in result.run["hosts"] if host["host"] == fleet.hosts[1].address
            for cut in host["clock"]["disruptions"] if cut["kind"] == "cut"]
    require(len(cuts) == 1 and abs(cuts[0]["amount_ns"] - STEP_NS) < STEP_NS // 10,
            f"the step is described as {cuts}")
    for score in jumpy.check(directory):
        if score["fit"] == "whole":
            require(score["inside"] == score["instants"], f"after the fact: {score}")
