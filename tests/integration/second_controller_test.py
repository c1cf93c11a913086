"""A second controller is told who holds the lease; the first goes on as if nothing had been."""

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result


def test(lab):
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    host.start_agent(xfs_disk(lab, "disk"))
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "5s"}]
    first, directory = fleet.begin(fleet_plan(fleet, "first", phases))
    host.wait_for_load(first)
    second, _ = fleet.run(fleet_plan(fleet, "second", phases))
    second.expect(6)
    require(str(first.pid) in second.text and host.address in second.text,
            f"who holds {host.address} (pid {first.pid}) is not said:\n{second.text}")
    require(second.seconds < 5, f"it took {second.seconds:.1f} s to say so")
    first.wait(30).expect(0)
    Result(directory).require_sums()
