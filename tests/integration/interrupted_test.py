"""Ctrl-C: the load stops at once, what was measured is written, what was made is removed."""

import signal
import time

from faults import four_hosts, require_as_before, require_found, sound_result
from hosts import last_moves
from lab import require, wait_for
from plans import fleet_plan, write_plan
from results import Result

PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s"}]
STOPS_WITHIN_S = 2


def test(lab):
    fleet = four_hosts(lab)
    over_the_network(fleet)
    on_the_loopback(fleet, fleet.hosts[0])


def over_the_network(fleet):
    program, directory = fleet.begin(fleet_plan(fleet, "far", PHASES))
    for host in fleet.hosts:
        host.wait_for_load(program)
    interrupt(fleet, program, directory, fleet.hosts)
    require_found(Result(directory), "HOST_STOPPED", fleet.hosts)
    require_as_before(fleet)


def on_the_loopback(fleet, host):
    """A terminal's Ctrl-C reaches the local agents too: they leave the end to the controller."""
    lab = fleet.lab
    plan = write_plan(lab, "near", [{"local": 2, "scratch": host.disk.mount}],
                      {"disk": {"path": ".", "size": "128MiB"}}, PHASES)
    directory = lab.directory / "near-run"
    program = lab.muster("run", plan, "--out", directory)
    host.wait_for_load(program)
    interrupt(fleet, program, directory, [host])
    agents = {host.agent.pid for host in fleet.hosts}
    wait_for(lambda: set(lab.processes()) <= agents, 5, "local agents end")
    lab.require_nothing_left(but=agents)


def interrupt(fleet, program, directory, hosts):
    time.sleep(1)
    program.signal_group(signal.SIGINT)
    pressed = time.monotonic()
    for host, moved in last_moves(hosts, 20).items():
        require(moved - pressed <= STOPS_WITHIN_S,
                f"{host.address}: the load stopped after {moved - pressed:.1f} s")
    done = program.wait(20).expect(3)
    require("interrupt" in done.text.lower(), f"why it ended is not said:\n{done.text}")
    result = sound_result(fleet, directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    require("INTERRUPTED" in {f["code"] for f in result.run["findings"]}, "no finding says it")
    moved = sum(row["bytes"] for row in result.rows)
    require(moved > 0, "what was measured is not written")
    for host in hosts:
        require(host.disk.files() == [], f"files are left: {host.disk.files()}")
