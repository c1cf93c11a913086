"""A controller that is killed: what agents had measured is collected and is exactly that, and the
run goes on with the trials that are missing."""

import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of, moved_by
from spools import Spool

DEAD_AFTER_S = 3
LIMITS = {"suspect_after": "1s", "dead_after": f"{DEAD_AFTER_S}s"}
PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "3s"},
          {"name": "read", "op": "read", "targets": ["disk"], "runtime": "8s"}]


def test(lab):
    fleet = Fleet(lab, 2)
    for number, host in enumerate(fleet.hosts):
        host.start_agent(xfs_disk(lab, f"disk{number}"))
    plan = fleet_plan(fleet, "killed", PHASES, settings=LIMITS, size="64MiB", repeat=2)
    directory = kill_in_second_trial(lab, fleet, plan)
    kept = keep_in_mind(lab, fleet)
    listed_by_fleet(fleet, plan, kept)
    collect(lab, fleet, directory, kept)
    resume(lab, fleet, directory)


def kill_in_second_trial(lab, fleet, plan):
    program, directory = fleet.begin(plan)
    wait_for(lambda: "write (1 of 2, trial 1" in program.output()[1], 30, "the first phase")
    early = fleet.muster("collect", directory).wait(10).expect(2)
    require("under way" in early.text, f"a run under way is taken up:\n{early.text}")
    wait_for(lambda: "read (2 of 2, trial 2" in program.output()[1], 60, "the last phase")
    fleet.hosts[0].wait_for_load(program)
    time.sleep(1)
    program.signal(signal.SIGKILL)
    killed = time.monotonic()
    for host in fleet.hosts:
        took = host.last_move(30) - killed
        require(took <= DEAD_AFTER_S + 2, f"{host.address}: load stopped after {took:.1f} s")
        wait_for(lambda host=host: host.disk.files() == [], 10, f"{host.address} cleans up")
    require(not directory.exists(), "a killed run has a result")
    return directory


def keep_in_mind(lab, fleet):
    """What the agents' spools say, by host: bytes of each phase."""
    kept = {}
    for host in fleet.hosts:
        spool = Spool(lab, host)
        require(len(spool.runs()) == 1, f"{host.address} keeps runs {spool.runs()}")
        files = spool.phases(spool.runs()[0])
        require(files, f"{host.address} keeps nothing")
        kept[host.address] = {int(path.name.split(".")[1]): spool.moved(path) for path in files}
        moved, is_whole = kept[host.address][max(kept[host.address])]
        require(moved > 0 and is_whole, f"{host.address}: {kept[host.address]}")
    return kept


def listed_by_fleet(fleet, plan, kept):
    done = fleet.muster("fleet", plan).wait(60).expect(0)
    for address in kept:
        require(f"{address}: keeps results of run" in done.stdout, done.stdout)


def collect(lab, fleet, directory, kept):
    done = fleet.muster("collect", directory).wait(60).expect(3)
    result = Result(directory)
    result.require_sums()
    last = result.phase("read", 2)
    number = 2 + 4  # checks have the first numbers
    for host in fleet.hosts:
        address = host.address
        require(max(kept[address]) == number, f"{address} keeps {kept[address]}")
        moved = moved_by(last, address, "bytes") + moved_by(last, address, "ramp_bytes")
        require(moved == kept[address][number][0],
                f"{address}: collected {moved}, measured {kept[address][number][0]}")
        require(host_of(last, address)["state"] in ("aborted", "complete"), "state")
        wait_for(lambda host=host: not Spool(lab, host).runs(), 10,
                 f"{address} forgets what was collected")
    require(result.phase("write", 1)["cluster"] is not None, "a whole phase has lost its figure")
    for code in ("COLLECTED", "CONTROLLER_LOST"):
        require(code in result.codes(), f"{code} is not in {result.codes()}")
    require("--resume" in done.text, f"the way on is not said:\n{done.text}")
    fleet.muster("verify", directory).wait(10).expect(4)


def resume(lab, fleet, directory):
    before = Result(directory)
    done = fleet.muster("run", "--resume", directory).wait(90).expect(0)
    require(directory.with_name(directory.name + ".before-1").exists(),
            "the collected result is gone")
    result = Result(directory)
    result.require_sums()
    require("RESUMED" in result.codes("NOTE"), f"not said: {result.codes()}")
    require([(phase["name"], phase["trial"]) for phase in result.run["phases"]]
            == [("write", 1), ("read", 1), ("write", 2), ("read", 2)],
            f"phases: {result.run['phases']}")
    for name in ("write", "read"):
        require(result.phase(name, 1) == before.phase(name, 1), f"{name} of trial 1 has changed")
        result.require_all_active(name)
        require(result.phase(name, 2)["start_ns"] > before.phase("read", 1)["start_ns"],
                "times do not go on")
    require(result.run["run"] == before.run["run"], "it is another run")
    require("taken up again" in done.stdout, done.stdout)
    for host in fleet.hosts:
        require(not Spool(lab, host).runs(), f"{host.address} keeps {Spool(lab, host).runs()}")
        require(host.disk.files() == [], f"files are left: {host.disk.files()}")
    fleet.muster("run", "--resume", directory).wait(10).expect(2)
    fleet.muster("collect", directory).wait(10).expect(2)
