"""Faults that outlast dead_after, on four hosts in one phase: what a host sends is lost, what is sent to
it is lost, a host stands still and wakes up while the others go on, and one is well. All are lost
to the run in time, say why, stop by themselves, and what they had measured is collected."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet, blackhole
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of, moved_by
from spools import Spool

DEAD_AFTER_S = 3
LIMITS = {"suspect_after": "1s", "dead_after": f"{DEAD_AFTER_S}s", "on_host_loss": "continue"}
FROZEN_S = 2 * DEAD_AFTER_S
RUNTIME_S = 12


def test(lab):
    fleet = Fleet(lab, 4)
    for number, host in enumerate(fleet.hosts):
        host.start_agent(xfs_disk(lab, f"disk{number}"))
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
    for host, bound in ((deaf, DEAD_AFTER_S + 2), (mute, 2 * DEAD_AFTER_S + 2)):
        took = host.last_move(30, quiet=1) - fault
        require(took <= bound, f"the load of {host.address} goes on for {took:.1f} s")
    time.sleep(max(0, fault + FROZEN_S - time.monotonic()))
    frozen.agent.signal(signal.SIGCONT)
    woken = time.monotonic()
    took = frozen.last_move(30, quiet=1) - woken
    require(took <= 2, f"the load of the frozen one goes on for {took:.1f} s")
    wait_for(lambda: "released" in frozen.agent.output()[1], 5, "the frozen agent is free")
    require(program.is_running(), "the run did not wait for the one that is well")
    done = program.wait(30).expect(3)
    check(Result(directory), fleet, done)

    blackhole(lab, mute.namespace, fleet.controller_address, "del")
    blackhole(lab, fleet.controller, deaf.address, "del")
    collect(lab, fleet, directory)
    for host in fleet.hosts:
        require(host.disk.files() == [], f"files are left: {host.disk.files()}")
    again = [{"name": "again", "op": "write", "targets": ["disk"], "size": "16MiB"}]
    done, _ = fleet.run(fleet_plan(fleet, "again", again, size="16MiB"))
    done.expect(0)


def check(result, fleet, done):
    mute, deaf, frozen, fine = fleet.hosts
    phase = result.phase("write")
    result.require_sums()
    for host, words in ((mute, "the network does not reach it"),
                        (deaf, "a route of this host drops what is sent there"),
                        (frozen, "the agent is stopped or stuck")):
        part = host_of(phase, host.address)
        require(part["state"] == "lost" and words in part["text"], f"{part['text']}")
        require(host.address in done.stderr, f"{host.address} is not named:\n{done.stderr}")
        require((part["lost_at_ns"] - phase["start_ns"]) / 1e9 < DEAD_AFTER_S + 3 + 2,
                f"{host.address} was given up late")
    require(host_of(phase, fine.address)["state"] == "complete", "the fourth did not go on")
    partial = phase["cluster_partial"]
    require(phase["cluster"] is None and (partial["hosts"], partial["of"]) == (1, 4), f"{partial}")


def collect(lab, fleet, directory):
    fine = fleet.hosts[-1]
    kept = {}
    for host in fleet.hosts[:-1]:
        spool = Spool(lab, host)
        moved, is_whole = spool.moved(spool.phases(spool.runs()[0])[0])
        require(moved > 0 and is_whole, f"{host.address} keeps {moved}, {is_whole}")
        kept[host] = moved
    require(not Spool(lab, fine).runs(), "what the controller has is kept")
    fleet.muster("collect", directory).wait(60).expect(3)
    result = Result(directory)
    result.require_sums()
    phase = result.phase("write")
    for host, moved in kept.items():
        require(host_of(phase, host.address)["state"] == "aborted", host_of(phase, host.address))
        require(moved_by(phase, host.address, "bytes") == moved,
                f"{host.address}: {moved_by(phase, host.address, 'bytes')}, measured {moved}")
        wait_for(lambda host=host: not Spool(lab, host).runs(), 10, f"{host.address} forgets")
    part = host_of(phase, fleet.hosts[2].address)
    require(part["frozen_ns"] > DEAD_AFTER_S * 10**9, f"frozen for {part['frozen_ns']} ns")
