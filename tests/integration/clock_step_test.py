"""A host whose clock steps in mid-phase: only its buckets are flagged, sums stay exact, the finding
says which host, when and by how much; what lay far off is put where it belongs."""

from clocks import Clock
from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result, host_of

# After the agent began, by when the phase has begun as well, on a machine that is busy too.
STEP_AFTER_MS = 12000
RUNTIME_S = 15


def test(lab):
    fleet = Fleet(lab, 2)
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2)]
    steady = Clock(fleet.hosts[0], 1000).start_agent(disks[0])
    small_step(lab, fleet, steady, disks[1])
    large_step(lab, fleet, steady, disks[1])


def run_stepped(lab, fleet, steady, disk, step_ns, name):
    host = fleet.hosts[1]
    jumpy = Clock(host, 2000, step_ns=step_ns, step_after_ms=STEP_AFTER_MS).start_agent(disk)
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": f"{RUNTIME_S}s"}]
    done, directory = fleet.run(fleet_plan(fleet, name, phases, size="32MiB"))
    done.expect(3)
    host.agent.end()
    result = Result(directory)
    result.require_sums()
    steady.require_true(directory)
    phase = result.phase("write")
    require(host_of(phase, fleet.hosts[0].address)["edges"]["disrupted"] == 0,
            "the steady host's buckets are flagged")
    found = [finding for finding in result.run["findings"] if finding["code"] == "CLOCK_STEP"]
    require(len(found) == 1 and found[0]["host"] == host.address, f"findings: {found}")
    cuts = [cut for entry in result.run["hosts"] if entry["host"] == host.address
            for cut in entry["clock"]["disruptions"] if cut["kind"] == "cut"]
    require(len(cuts) == 1 and abs(cuts[0]["amount_ns"] - step_ns) < step_ns // 10,
            f"the step is described as {cuts}")
    for score in jumpy.check(directory):
        if score["fit"] == "whole":
            require(score["inside"] == score["instants"], f"after the fact: {score}")
    return phase, result.rows_of(phase, host.address)


def small_step(lab, fleet, steady, disk):
    _, rows = run_stepped(lab, fleet, steady, disk, 10_000_000, "small")
    flagged = [row for row in rows if row["disrupted"]]
    require(1 <= len(flagged) <= 12, f"{len(flagged)} buckets of the jumpy host are flagged")


def large_step(lab, fleet, steady, disk):
    """Two seconds ahead: twenty buckets would stay empty, and the rest lie two seconds late."""
    phase, rows = run_stepped(lab, fleet, steady, disk, 2_000_000_000, "large")
    edges = host_of(phase, fleet.hosts[1].address)["edges"]
    require(edges["realigned"] > 5, f"nothing was put where it belongs: {edges}")
    moved = [row["bytes"] > 0 for row in rows]
    last = max(number for number, any_bytes in enumerate(moved) if any_bytes)
    holes = moved[:last].count(False)
    require(holes <= 3, f"{holes} buckets are empty before the last: {moved}")
