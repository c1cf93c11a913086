"""An agent killed in mid-phase: the run ends in time, keeps what there is and says who and when; the
next agent on that host removes what that one had made."""

import signal
import time

from faults import (ENDED_S, SAID_S, four_hosts, kept_bytes, require_as_before, require_goes_on,
                    require_missing, sound_result, wait_until_kept)
from lab import require, wait_for
from plans import fleet_plan
from results import host_of, moved_by

DEAD_AFTER_S = 3
# With abort the phase must not be over before the loss is known.
RUNTIME_S = {"abort": 60, "continue": 6}


def test(lab):
    fleet = four_hosts(lab)
    for policy in RUNTIME_S:
        kill_one(lab, fleet, policy)


def kill_one(lab, fleet, policy):
    phases = [{"name": "write", "op": "write", "targets": ["disk"],
               "runtime": f"{RUNTIME_S[policy]}s"}]
    plan = fleet_plan(fleet, policy, phases,
                      settings={"on_host_loss": policy, "suspect_after": "1s",
                                "dead_after": f"{DEAD_AFTER_S}s"})
    victim = fleet.hosts[1]
    others = [host for host in fleet.hosts if host is not victim]
    program, directory = fleet.begin(plan)
    began = victim.wait_for_load(program)
    wait_until_kept([victim])
    time.sleep(1)  # so that batches of its timeline are on their way
    victim.agent.signal(signal.SIGKILL)
    killed = time.monotonic()
    wait_for(lambda: "refused" in program.output()[1], DEAD_AFTER_S + SAID_S, "the loss is said")
    done = program.wait(60).expect(3)
    ends = began + RUNTIME_S[policy] if policy == "continue" else killed + DEAD_AFTER_S + SAID_S
    took = time.monotonic() - max(killed + DEAD_AFTER_S + SAID_S, ends)
    require(took <= ENDED_S, f"{policy}: ended {took:.1f} s late")
    require(f"host '{victim.address}'" in done.text, f"{policy}: who is not said:\n{done.text}")

    result = sound_result(fleet, directory)
    require(result.outcome == "INVALID", f"{policy}: outcome is {result.outcome}")
    require(victim.address in result.run["reason"], f"{policy}: reason {result.run['reason']}")
    phase = result.phase("write")
    require_missing(result, phase, [victim])
    lost = host_of(phase, victim.address)
    require("no agent listens there" in lost["text"] and lost["lost_at_ns"] > 0,
            f"{policy}: '{lost['text']}' at {lost['lost_at_ns']} ns")
    require(sum(row["bytes"] for row in result.rows_of(phase, victim.address)) > 0,
            f"{policy}: nothing is kept of {victim.address}")
    require_goes_on(result, phase, others, "aborted" if policy == "abort" else "complete")
    for host in others:
        require(host.disk.files() == [], f"{policy}: files are left: {host.disk.files()}")
    require(victim.disk.files() != [], "the killed one had made nothing: nothing is tested")
    victim.start_agent(victim.disk)
    collect(fleet, directory, victim)
    require_as_before(fleet)


def collect(fleet, directory, victim):
    moved, is_whole = kept_bytes(victim)
    require(not is_whole, "a killed agent has written an end")
    fleet.muster("collect", directory).wait(60).expect(3)
    result = sound_result(fleet, directory)
    require(moved_by(result.phase("write"), victim.address, "bytes") == moved,
            f"collected is not what the spool had: {moved}")
