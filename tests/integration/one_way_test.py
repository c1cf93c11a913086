"""Faults that outlast dead_after, on four hosts in one phase: what a host sends is lost, what is sent to
it is lost, a host stands still and wakes up while the others go on, and one is well. All are lost
to the run in time, say why, stop by themselves, and what they had measured is collected."""

import signal
import time

from faults import (four_hosts, kept_bytes, require_as_before, require_goes_on, require_missing,
                    sound_result)
from hosts import blackhole, last_moves
from lab import require, wait_for
from plans import fleet_plan
from results import host_of, moved_by
from spools import Spool

DEAD_AFTER_S = 3
LIMITS = {"suspect_after": "1s", "dead_after": f"{DEAD_AFTER_S}s", "on_host_loss": "continue"}
FROZEN_S = 2 * DEAD_AFTER_S
# Longer than all that is waited for in it.
RUNTIME_S = 20


def test(lab):
    fleet = four_hosts(lab)
    mute, deaf, frozen, fine = fleet.hosts
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": f"{RUNTIME_S}s"}]
    program, directory = fleet.begin(fleet_plan(fleet, "lost", phases, settings=LIMITS,
                                                size="64MiB"))
    for host in fleet.hosts:
        host.wait_for_load(program)
    blackhole(lab, mute.namespace, fleet.controller_address, "add")
    blackhole(lab, fleet.controller, deaf.address, "add")
    frozen.agent.signal(signal.SIGSTOP)
    fault = time.monotonic()
    # The mute one hears until it is given up.
    moved = last_moves((deaf, mute), 30)
    for host, bound in ((deaf, DEAD_AFTER_S + 2), (mute, 2 * DEAD_AFTER_S + 2)):
        took = moved[host] - fault
        require(took <= bound, f"the load of {host.address} goes on for {took:.1f} s")
    time.sleep(max(0, fault + FROZEN_S - time.monotonic()))
    frozen.agent.signal(signal.SIGCONT)
    woken = time.monotonic()
    took = frozen.last_move(30, quiet=1) - woken
    require(took <= 2, f"the load of the frozen one goes on for {took:.1f} s")
    wait_for(lambda: "released" in frozen.agent.output()[1], 5, "the frozen agent is free")
    require(program.is_running(), "the run did not wait for the one that is well")
    done = program.wait(30).expect(3)
    check(sound_result(fleet, directory), fleet, done, fault - program.began)

    blackhole(lab, mute.namespace, fleet.controller_address, "del")
    blackhole(lab, fleet.controller, deaf.address, "del")
    collect(lab, fleet, directory)
    require_as_before(fleet)


def check(result, fleet, done, fault_s):
    """`fault_s` after the program, and so at most that after the phase's start."""
    mute, deaf, frozen, fine = fleet.hosts
    phase = result.phase("write")
    require_missing(result, phase, [mute, deaf, frozen])
    require_goes_on(result, phase, [fine], "complete")
    for host, words in ((mute, "the network does not reach it"),
                        (deaf, "a route of this host drops what is sent there"),
                        (frozen, "the agent is stopped or stuck")):
        part = host_of(phase, host.address)
        require(part["state"] == "lost" and words in part["text"], f"{part['text']}")
        require(host.address in done.stderr, f"{host.address} is not named:\n{done.stderr}")
        require((part["lost_at_ns"] - phase["start_ns"]) / 1e9 < fault_s + DEAD_AFTER_S + 2,
                f"{host.address} was given up late")


def collect(lab, fleet, directory):
    fine = fleet.hosts[-1]
    kept = {}
    for host in fleet.hosts[:-1]:
        kept[host], is_whole = kept_bytes(host)
        require(is_whole, f"{host.address} has no end of the phase in its spool")
    require(not Spool(lab, fine).runs(), "what the controller has is kept")
    fleet.muster("collect", directory).wait(60).expect(3)
    result = sound_result(fleet, directory)
    phase = result.phase("write")
    for host, moved in kept.items():
        require(host_of(phase, host.address)["state"] == "aborted", host_of(phase, host.address))
        require(moved_by(phase, host.address, "bytes") == moved,
                f"{host.address}: {moved_by(phase, host.address, 'bytes')}, measured {moved}")
    part = host_of(phase, fleet.hosts[2].address)
    require(part["frozen_ns"] > DEAD_AFTER_S * 10**9, f"frozen for {part['frozen_ns']} ns")
