"""The controller's disk full: the results are written elsewhere, or, with no room anywhere, are made
once more by collect of what the four hosts and the journal have."""

import shutil

from faults import four_hosts, require_as_before, require_goes_on, sound_result
from lab import require
from plans import fleet_plan
from results import moved_by

PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "3s"}]


def test(lab):
    fleet = four_hosts(lab)
    # Thousands of buckets, so that the timeline alone is more than there is room for.
    plan = fleet_plan(fleet, "full", PHASES, bucket="10ms")
    small = lab.directory / "small"
    small.mkdir()
    lab.call("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small)
    lab.undo.callback(lab.call, "umount", small)
    elsewhere(fleet, plan, small)
    nowhere(fleet, plan, small)
    require_as_before(fleet)


def elsewhere(fleet, plan, small):
    done = run(fleet, plan, small)
    require(not list(small.iterdir()), f"left on the full disk: {list(small.iterdir())}")
    rescued = list(fleet.lab.temporary.glob("muster-*"))
    require(len(rescued) == 1 and str(rescued[0]) in done.stderr,
            f"the results are not where they are said to be: {rescued}\n{done.stderr}")
    require_whole(fleet, rescued[0])
    shutil.rmtree(rescued[0])


def nowhere(fleet, plan, small):
    lab = fleet.lab
    before = lab.environment
    lab.environment = lambda: {**before(), "TMPDIR": str(small)}
    try:
        done = run(fleet, plan, small)
    finally:
        lab.environment = before
    require("nor elsewhere" in done.stderr and f"muster collect {small / 'out'}" in done.stderr,
            f"it is not said:\n{done.stderr}")
    require([path.name for path in small.iterdir()] == ["out.partial"],
            f"on the full disk: {list(small.iterdir())}")
    lab.call("mount", "-o", "remount,size=16m", small)
    fleet.muster("collect", small / "out").wait(60).expect(0)
    require_whole(fleet, small / "out")


def run(fleet, plan, small):
    done = fleet.muster("run", plan, "--out", small / "out").wait(60).expect(6)
    require("No space left" in done.stderr, f"why is not said:\n{done.stderr}")
    require("cluster, 4 of 4" in done.stdout, f"the figures are not printed:\n{done.stdout}")
    for host in fleet.hosts:
        require(host.disk.files() == [], f"files are left: {host.disk.files()}")
    return done


def require_whole(fleet, directory):
    result = sound_result(fleet, directory)
    phase = result.phase("write")
    require(phase["cluster"] is not None and result.outcome == "PASS",
            f"{result.outcome}: {result.codes('INVALID')}")
    require_goes_on(result, phase, fleet.hosts, "complete")
    result.require_all_active("write")
    require(all(moved_by(phase, host.address, "operations") for host in fleet.hosts), f"{phase}")
