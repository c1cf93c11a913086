"""The controller's disk full: the results are written elsewhere, or, with no room anywhere, are made
once more by collect of what the four hosts and the journal have, also phases that the journal had no
room for. Where a host was lost as well, what leads to the rest of it goes along."""

import errno
import shutil
import signal

from faults import four_hosts, require_as_before, require_goes_on, sound_result
from lab import require, wait_for
from plans import fleet_plan
from results import moved_by
from spools import Spool

PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "3s"}]
THREE = [{"name": name, "op": op, "targets": ["disk"], "runtime": "2s"}
         for name, op in (("write", "write"), ("read", "read"), ("last", "read"))]


def test(lab):
    fleet = four_hosts(lab)
    # Thousands of buckets, so that the timeline alone is more than there is room for.
    plan = fleet_plan(fleet, "full", PHASES, bucket="10ms")
    small = lab.directory / "small"
    small.mkdir()
    lab.call("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small)
    lab.undo.callback(lab.call, "umount", small)
    elsewhere(fleet, plan, small)
    one_is_lost(fleet, small)
    nowhere(fleet, small)
    require_as_before(fleet)


def elsewhere(fleet, plan, small):
    done = run(fleet, plan, small)
    require(not list(small.iterdir()), f"left on the full disk: {list(small.iterdir())}")
    rescued = list(fleet.lab.temporary.glob("muster-*"))
    require(len(rescued) == 1 and str(rescued[0]) in done.stderr,
            f"the results are not where they are said to be: {rescued}\n{done.stderr}")
    require_whole(fleet, rescued[0])
    shutil.rmtree(rescued[0])


def one_is_lost(fleet, small):
    """What it measured is in its spool, and comes by the journal that was rescued, for nobody else to
    read."""
    lab, lost = fleet.lab, fleet.hosts[-1]
    plan = fleet_plan(fleet, "lost", PHASES, bucket="10ms", settings={
        "suspect_after": "1s", "dead_after": "3s", "on_host_loss": "continue"})
    program = fleet.muster("run", plan, "--out", small / "out")
    lost.wait_for_load(program)
    spool = Spool(lab, lost)
    wait_for(lambda: any(spool.moved(file)[0] for run in spool.runs() for file in spool.phases(run)),
             3, "its buckets are in its spool")
    lost.agent.signal(signal.SIGKILL)
    lost.agent.wait(5)
    done = program.wait(60).expect(6)
    lost.start_agent(lost.disk)
    require("No space left" in done.stderr, f"why is not said:\n{done.stderr}")
    rescued = list(lab.temporary.glob("muster-*"))
    require("exit 6, whatever the outcome" in done.stdout, f"the exit code is not said:\n{done.stdout}")
    require(len(rescued) == 1 and f"muster collect {rescued[0]}" in done.stderr,
            f"{rescued} is not said to lead to the rest:\n{done.stderr}")
    require(not list(small.iterdir()), f"left on the full disk: {list(small.iterdir())}")
    require((rescued[0] / "journal.bin").stat().st_mode & 0o077 == 0, "others may read the secret")
    fleet.muster("collect", rescued[0]).wait(60).expect(3)
    result = sound_result(fleet, rescued[0])
    require("COLLECTED" in result.codes() and "NOT_COLLECTED" not in result.codes(),
            f"{result.codes()}")
    require(moved_by(result.phase("write"), lost.address, "operations"), "nothing came of the lost one")
    wait_for(lambda: not spool.runs(), 10, f"{lost.address} forgets")
    for path in lab.temporary.glob("muster-*"):
        shutil.rmtree(path)


def nowhere(fleet, small):
    """Full from the second of three phases on: of that the journal has the beginning, of the third
    nothing."""
    lab = fleet.lab
    plan = fleet_plan(fleet, "nowhere", THREE, bucket="10ms")
    lab.call("mount", "-o", "remount,size=4m", small)
    before = lab.environment
    lab.environment = lambda: {**before(), "TMPDIR": str(small)}
    try:
        program = fleet.muster("run", plan, "--out", small / "out")
    finally:
        lab.environment = before
    wait_for(lambda: "phase read (2 of 3" in program.output()[1], 60, "the second phase")
    fleet.hosts[0].wait_for_load(program)
    fill(small / "filler")
    done = finished(fleet, program)
    (small / "filler").unlink()
    require("agents keep the results" in done.stderr, f"it is not said:\n{done.stderr}")
    require("exit 6, whatever the outcome" in done.stdout, f"{done.stdout}")
    require("nor elsewhere" in done.stderr and f"muster collect {small / 'out'}" in done.stderr,
            f"it is not said:\n{done.stderr}")
    require([path.name for path in small.iterdir()] == ["out.partial"],
            f"on the full disk: {list(small.iterdir())}")
    lab.call("mount", "-o", "remount,size=16m", small)
    fleet.muster("collect", small / "out").wait(60).expect(0)
    result = require_whole(fleet, small / "out", [phase["name"] for phase in THREE])
    require(not {"CONTROLLER_LOST", "NOT_COLLECTED", "RUN_INCOMPLETE"} & set(result.codes()),
            f"{result.codes()}")
    for host in fleet.hosts:
        wait_for(lambda host=host: not Spool(lab, host).runs(), 10, f"{host.address} forgets")


def fill(path):
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError as problem:
            require(problem.errno == errno.ENOSPC, f"{problem}")


def run(fleet, plan, small):
    return finished(fleet, fleet.muster("run", plan, "--out", small / "out"))


def finished(fleet, program):
    done = program.wait(60).expect(6)
    require("No space left" in done.stderr, f"why is not said:\n{done.stderr}")
    require("cluster, 4 of 4" in done.stdout, f"the figures are not printed:\n{done.stdout}")
    for host in fleet.hosts:
        require(host.disk.files() == [], f"files are left: {host.disk.files()}")
    return done


def require_whole(fleet, directory, names=("write",)):
    result = sound_result(fleet, directory)
    require(result.outcome == "PASS", f"{result.outcome}: {result.codes('INVALID')}")
    for name in names:
        phase = result.phase(name)
        require(phase["cluster"] is not None, f"{name} has no figure")
        require_goes_on(result, phase, fleet.hosts, "complete")
        result.require_all_active(name)
        require(all(moved_by(phase, host.address, "operations") for host in fleet.hosts),
                f"{phase}")
    return result
