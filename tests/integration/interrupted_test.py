"""Ctrl-C: the load stops at once, what was measured is written, what was made is removed."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan, write_plan
from results import Result

PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s"}]
STOPS_WITHIN_S = 2


def test(lab):
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    host.start_agent(xfs_disk(lab, "disk", 1024))
    over_the_network(lab, fleet, host)
    on_the_loopback(lab, host)


def over_the_network(lab, fleet, host):
    program, directory = fleet.begin(fleet_plan(fleet, "far", PHASES))
    host.wait_for_load(program)
    interrupt(program, directory, host)


def on_the_loopback(lab, host):
    """A terminal's Ctrl-C reaches the local agents too: they leave the end to the controller."""
    plan = write_plan(lab, "near", [{"local": 2, "scratch": host.disk.mount}],
                      {"disk": {"path": ".", "size": "128MiB"}}, PHASES)
    directory = lab.directory / "near-run"
    program = lab.muster("run", plan, "--out", directory)
    host.wait_for_load(program)
    interrupt(program, directory, host)
    wait_for(lambda: set(lab.processes()) <= {host.agent.pid}, 5, "local agents end")
    lab.require_nothing_left(but=[host.agent.pid])


def interrupt(program, directory, host):
    time.sleep(1)
    program.signal_group(signal.SIGINT)
    pressed = time.monotonic()
    took = host.last_move(20) - pressed
    require(took <= STOPS_WITHIN_S, f"the load stopped after {took:.1f} s")
    done = program.wait(20).expect(3)
    require("interrupt" in done.text.lower(), f"why it ended is not said:\n{done.text}")
    result = Result(directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    result.require_sums()
    moved = sum(row["bytes"] for row in result.rows)
    require(moved > 0, "what was measured is not written")
    require(host.disk.files() == [], f"files are left: {host.disk.files()}")
