"""The controller killed in mid-phase: agents stop their load in time, clean up and are free."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan, write_plan

DEAD_AFTER_S = 4
LIMITS = {"suspect_after": "2s", "dead_after": f"{DEAD_AFTER_S}s"}
PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s"}]


def test(lab):
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2)]
    fleet = Fleet(lab, 2)
    for host, disk in zip(fleet.hosts, disks):
        host.start_agent(disk)
    over_the_network(lab, fleet)
    on_the_loopback(lab, disks[0])


def over_the_network(lab, fleet):
    program, _ = fleet.begin(fleet_plan(fleet, "killed", PHASES, settings=LIMITS))
    for host in fleet.hosts:
        host.wait_for_load(program)
    program.signal(signal.SIGKILL)
    killed = time.monotonic()
    for host in fleet.hosts:
        took = host.last_move(30) - killed
        require(took <= DEAD_AFTER_S + 2, f"{host.address}: load stopped after {took:.1f} s")
        wait_for(lambda host=host: host.disk.files() == [], 10, f"{host.address} cleans up")

    phases = [{"name": "again", "op": "write", "targets": ["disk"], "size": "16MiB"}]
    done, _ = fleet.run(fleet_plan(fleet, "again", phases))
    done.expect(0)


def on_the_loopback(lab, disk):
    """Local agents are the controller's own: they go with it."""
    plan = write_plan(lab, "local", [{"local": 2, "scratch": disk.mount}],
                      {"disk": {"path": ".", "size": "64MiB"}}, PHASES, fleet=LIMITS)
    agents = {program.pid for program in lab.programs}
    before = sum(disk.counters())
    program = lab.muster("run", plan, "--out", lab.directory / "local-run")
    wait_for(lambda: sum(disk.counters()) - before > 8 << 20, 30, "load of local agents")
    program.signal(signal.SIGKILL)
    program.wait(5)
    wait_for(lambda: set(lab.processes()) <= agents, DEAD_AFTER_S + 2, "local agents end")
    left = [name for name in disk.files() if name.endswith(".data")]
    require(not left, f"files are left: {left}")
