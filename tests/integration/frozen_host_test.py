"""An agent that stands still for 20 s, twice the default dead_after: the run ends in time without it, it
wakes up free, and what it had measured is collected."""

import signal
import time

from faults import (ENDED_S, SAID_S, four_hosts, kept_bytes, require_as_before, require_found,
                    require_goes_on, require_missing, sound_result)
from lab import require, wait_for
from plans import fleet_plan
from results import host_of, moved_by

DEAD_AFTER_S, FROZEN_S = 10, 20


def test(lab):
    fleet = four_hosts(lab)
    victim, others = fleet.hosts[0], fleet.hosts[1:]
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s"}]
    program, directory = fleet.begin(fleet_plan(fleet, "frozen", phases))
    victim.wait_for_load(program)
    time.sleep(1)
    victim.agent.signal(signal.SIGSTOP)
    stopped = time.monotonic()
    done = program.wait(60).expect(3)
    took = time.monotonic() - stopped
    require(took <= DEAD_AFTER_S + SAID_S + ENDED_S, f"the run ended after {took:.1f} s")
    require(f"host '{victim.address}' is lost" in done.stderr and
            "the agent is stopped or stuck" in done.stdout, f"not said:\n{done.text}")
    result = sound_result(fleet, directory)
    phase = result.phase("write")
    require_missing(result, phase, [victim])
    require_found(result, "LATE_HEARTBEAT", [])
    require_goes_on(result, phase, others, "aborted")

    time.sleep(max(0, stopped + FROZEN_S - time.monotonic()))
    victim.agent.signal(signal.SIGCONT)
    woken = time.monotonic()
    took = victim.last_move(30, quiet=1) - woken
    require(took <= 2, f"the load went on for {took:.1f} s")
    wait_for(lambda: "released" in victim.agent.output()[1], 5, "the agent is free")
    collect(fleet, directory, victim, woken - stopped)
    require_as_before(fleet)


def collect(fleet, directory, victim, frozen_s):
    moved, is_whole = kept_bytes(victim)
    require(is_whole, "the phase has no end in its spool")
    fleet.muster("collect", directory).wait(60).expect(3)
    result = sound_result(fleet, directory)
    part = host_of(result.phase("write"), victim.address)
    require(part["state"] == "aborted", f"the host is {part['state']}: {part['text']}")
    require((FROZEN_S - 1) * 10**9 < part["frozen_ns"] < (frozen_s + 2) * 10**9,
            f"frozen for {part['frozen_ns']} ns, which were {frozen_s:.1f} s")
    require(moved_by(result.phase("write"), victim.address, "bytes") == moved,
            f"collected is not what the spool had: {moved}")
    for code in ("COLLECTED", "HOST_FROZEN"):
        require_found(result, code, [victim])
