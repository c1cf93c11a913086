"""The controller killed in mid-phase: agents stop their load in time, clean up and are free, and what all
of them had measured is collected."""

import signal
import time

from faults import (four_hosts, kept_bytes, require_as_before, require_found, require_goes_on,
                    sound_result)
from hosts import last_moves
from lab import require, wait_for
from plans import fleet_plan, write_plan
from results import moved_by

DEAD_AFTER_S = 3
LIMITS = {"suspect_after": "1s", "dead_after": f"{DEAD_AFTER_S}s"}
PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s"},
          {"name": "read", "op": "read", "targets": ["disk"], "runtime": "60s"}]


def test(lab):
    fleet = four_hosts(lab)
    over_the_network(fleet)
    on_the_loopback(lab, fleet.hosts[0].disk)


def over_the_network(fleet):
    plan = fleet_plan(fleet, "killed", PHASES, settings=LIMITS)
    program, directory = fleet.begin(plan)
    for host in fleet.hosts:
        host.wait_for_load(program)
    time.sleep(1)
    program.signal(signal.SIGKILL)
    killed = time.monotonic()
    for host, moved in last_moves(fleet.hosts, 30).items():
        require(moved - killed <= DEAD_AFTER_S + 2,
                f"{host.address}: load stopped after {moved - killed:.1f} s")
        wait_for(lambda host=host: host.disk.files() == [], 10, f"{host.address} cleans up")
    require(not directory.exists(), "a killed run has a result")

    listed = fleet.muster("fleet", plan).wait(30).expect(0).stdout
    kept = {host: kept_bytes(host) for host in fleet.hosts}
    for host, (_, is_whole) in kept.items():
        require(f"{host.address}: keeps results of run" in listed and is_whole, listed)
    fleet.muster("collect", directory).wait(60).expect(3)
    result = sound_result(fleet, directory)
    require_found(result, "HOST_LOST", [])
    require("CONTROLLER_LOST" in result.codes("INVALID"), f"{result.codes()}")
    found = [f for f in result.run["findings"] if f["code"] == "RUN_INCOMPLETE"]
    require([f["level"] for f in found] == ["INVALID"] and "1 of 2 phases" in found[0]["evidence"],
            f"that a phase was not begun is not said: {found}")
    require_found(result, "COLLECTED", fleet.hosts)
    phase = result.phase("write")
    require_goes_on(result, phase, fleet.hosts, "aborted")
    for host, (moved, _) in kept.items():
        found = moved_by(phase, host.address, "bytes")
        require(found == moved, f"{host.address}: collected {found}, measured {moved}")
    require_as_before(fleet)


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
