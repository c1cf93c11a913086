"""A second controller is told who holds the agents; the first goes on as if nothing had been."""

from faults import (disk_writes, four_hosts, hosts_named, require_as_before, require_goes_on,
                    require_untouched, sound_result)
from lab import require
from plans import fleet_plan


def test(lab):
    fleet = four_hosts(lab)
    all_held(fleet)
    one_held(fleet)
    require_as_before(fleet)


def all_held(fleet):
    """As whoever starts a run twice finds it."""
    first, directory = begin(fleet, fleet_plan(fleet, "first", phases("6s")), fleet.hosts)
    second, left = fleet.run(fleet_plan(fleet, "second", phases("6s")))
    require_told(second, first, fleet.hosts)
    require(not left.exists(), "a run that was refused has a result")
    first.wait(30).expect(0)
    result = sound_result(fleet, directory)
    require(result.outcome == "PASS", f"the first is {result.outcome}")
    require_goes_on(result, result.phase("write"), fleet.hosts, "complete")


def one_held(fleet):
    """The other three are not begun with, and free for the next."""
    held, others = fleet.hosts[0], fleet.hosts[1:]
    first, directory = begin(fleet, fleet_plan(fleet, "one", phases("6s"), hosts=[held]), [held])
    before = disk_writes(others)
    second, _ = fleet.run(fleet_plan(fleet, "four", phases("6s")))
    require_told(second, first, [held])
    require_untouched(before)
    first.wait(30).expect(0)
    sound_result(fleet, directory)


def phases(runtime):
    return [{"name": "write", "op": "write", "targets": ["disk"], "runtime": runtime}]


def begin(fleet, plan, hosts):
    program, directory = fleet.begin(plan)
    for host in hosts:
        host.wait_for_load(program)
    return program, directory


def require_told(second, first, hosts):
    second.expect(6)
    require(second.seconds < 3, f"it took {second.seconds:.1f} s to say so")
    require(hosts_named(second.stderr) == {host.address for host in hosts},
            f"others are named:\n{second.stderr}")
    require(f"pid {first.pid} since " in second.stderr,
            f"who holds them (pid {first.pid}) and since when is not said:\n{second.stderr}")
