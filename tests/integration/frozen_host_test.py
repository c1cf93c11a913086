"""An agent that stands still for longer than dead_after: a bounded end, it wakes up free, and what it
had measured is collected."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of

DEAD_AFTER_S = 3


def test(lab):
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2)]
    fleet = Fleet(lab, 2)
    for host, disk in zip(fleet.hosts, disks):
        host.start_agent(disk)
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s"}]
    plan = fleet_plan(fleet, "frozen", phases,
                      settings={"suspect_after": "1s", "dead_after": f"{DEAD_AFTER_S}s"})
    victim = fleet.hosts[0]
    program, directory = fleet.begin(plan)
    victim.wait_for_load(program)
    victim.agent.signal(signal.SIGSTOP)
    stopped = time.monotonic()
    done = program.wait(60).expect(3)
    took = time.monotonic() - stopped
    require(took <= DEAD_AFTER_S + 5, f"the run ended after {took:.1f} s")
    require(victim.address in done.text, f"who it was is not said:\n{done.text}")
    result = Result(directory)
    result.require_sums()
    require(host_of(result.phase("write"), victim.address)["state"] == "lost",
            f"the host is {host_of(result.phase('write'), victim.address)['state']}")

    time.sleep(1)  # so that by its own clock, too, it was longer
    victim.agent.signal(signal.SIGCONT)
    woken = time.monotonic()
    took = victim.last_move(30) - woken
    require(took <= DEAD_AFTER_S + 2, f"the load went on for {took:.1f} s")
    for host in fleet.hosts:
        wait_for(lambda host=host: host.disk.files() == [], 10, f"{host.address} cleans up")
    collect(fleet, directory, victim)
    phases = [{"name": "again", "op": "write", "targets": ["disk"], "size": "16MiB"}]
    done, _ = fleet.run(fleet_plan(fleet, "again", phases))
    done.expect(0)


def collect(fleet, directory, victim):
    fleet.muster("collect", directory).wait(60).expect(3)
    result = Result(directory)
    result.require_sums()
    part = host_of(result.phase("write"), victim.address)
    require(part["state"] == "aborted", f"the host is {part['state']}: {part['text']}")
    require(part["frozen_ns"] > DEAD_AFTER_S * 10**9, f"frozen for {part['frozen_ns']} ns")
    require(sum(target["bytes"] for target in part["targets"]) > 0, "nothing came")
    for code in ("COLLECTED", "HOST_FROZEN"):
        require(code in result.codes(), f"{code} is not in {result.codes()}")
