"""An agent killed in mid-phase: the run ends in time, keeps what there is and says who and when."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result, host_of

DEAD_AFTER_S = 4
# With abort the phase must not be over before the loss is known.
RUNTIME_S = {"abort": 60, "continue": 5}


def test(lab):
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2, 3)]
    fleet = Fleet(lab, 3)
    for host, disk in zip(fleet.hosts, disks):
        host.start_agent(disk)
    for policy in RUNTIME_S:
        kill_one(lab, fleet, policy)


def kill_one(lab, fleet, policy):
    phases = [{"name": "write", "op": "write", "targets": ["disk"],
               "runtime": f"{RUNTIME_S[policy]}s"}]
    plan = fleet_plan(fleet, policy, phases,
                      settings={"on_host_loss": policy, "suspect_after": "2s",
                                "dead_after": f"{DEAD_AFTER_S}s"})
    victim = fleet.hosts[1]
    program, directory = fleet.begin(plan)
    began = victim.wait_for_load(program)
    time.sleep(1)  # so that batches of its timeline are on their way
    victim.agent.signal(signal.SIGKILL)
    killed = time.monotonic()
    done = program.wait(60).expect(3)
    ends = began + RUNTIME_S[policy] if policy == "continue" else killed
    took = time.monotonic() - max(killed, ends)
    require(took <= DEAD_AFTER_S + 5, f"{policy}: ended {took:.1f} s after the loss")
    require(victim.address in done.text, f"{policy}: who was lost is not said:\n{done.text}")

    result = Result(directory)
    require(result.outcome == "INVALID", f"{policy}: outcome is {result.outcome}")
    require(victim.address in result.run["reason"], f"{policy}: reason {result.run['reason']}")
    result.require_sums()
    phase = result.phase("write")
    require(phase["cluster"] is None, f"{policy}: there is a cluster figure")
    partial = phase["cluster_partial"]
    require(partial and (partial["hosts"], partial["of"]) == (2, 3), f"{policy}: {partial}")
    lost = host_of(phase, victim.address)
    require(lost["state"] == "lost" and lost["lost_at_ns"] > 0,
            f"{policy}: state {lost['state']}, lost at {lost['lost_at_ns']} ns")
    state = "aborted" if policy == "abort" else "complete"
    for host in fleet.hosts:
        moved = sum(row["bytes"] for row in result.rows_of(phase, host.address))
        require(moved > 0, f"{policy}: nothing is kept of {host.address}")
        if host is not victim:
            found = host_of(phase, host.address)["state"]
            require(found == state, f"{policy}: {host.address} is '{found}', not '{state}'")
            require(host.disk.files() == [], f"{policy}: files are left: {host.disk.files()}")
    # The next agent on that host finds the file in its journal and removes it.
    victim.start_agent(victim.disk)
