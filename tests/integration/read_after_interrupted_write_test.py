"""A read is never served from holes: what a write did not get to is laid out first."""

import signal

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result

SIZE = "768MiB"
WRITE = {"name": "write", "op": "write", "targets": ["disk"], "runtime": "500ms",
         "block_size": "64KiB", "sync": "each"}
READ = {"name": "read", "op": "read", "targets": ["disk"], "runtime": "2s", "access": "random"}


def test(lab):
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    host.start_agent(xfs_disk(lab, "disk", 2048))
    ended_by_its_runtime(lab, fleet)
    ended_by_a_person(lab, fleet, host)


def ended_by_its_runtime(lab, fleet):
    plan = fleet_plan(fleet, "timed", [WRITE, READ], SIZE)
    done, directory = fleet.run(plan)
    done.expect(0)
    require_no_holes(Result(directory), "write")


def ended_by_a_person(lab, fleet, host):
    """The file is kept, and read by another run."""
    phases = [{**WRITE, "runtime": "60s"}]
    plan = fleet_plan(fleet, "broken-off", phases, SIZE, keep=True)
    program, _ = fleet.begin(plan)
    host.wait_for_load(program)
    program.signal(signal.SIGINT)
    program.wait(20).expect(3)
    require(len(host.disk.files()) == 1, f"kept are {host.disk.files()}")
    done, directory = fleet.run(fleet_plan(fleet, "after", [READ], SIZE))
    done.expect(0)
    require_no_holes(Result(directory))


def require_no_holes(result, write=None):
    if write:
        target = result.phase(write)["hosts"][0]["targets"][0]
        require(target["passes"] == 0, f"the write was not interrupted: {target['passes']} passes")
    share = result.phase("read")["hosts"][0]["devices"][0]["share"]
    require(0.95 <= share <= 1.05, f"the device's share is {share}")
