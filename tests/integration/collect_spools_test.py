"""A controller whose machine is gone, with the run's directory: who has its key and the plan collects
all that agents kept, and nobody else; then the run goes on."""

import shutil
import signal
import time

from disks import xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of, moved_by
from spools import Spool

LIMITS = {"suspect_after": "1s", "dead_after": "3s"}
PHASES = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "2s"},
          {"name": "read", "op": "read", "targets": ["disk"], "runtime": "9s"}]
CHECKS = len(PHASES)  # have the first numbers


def test(lab):
    fleet = Fleet(lab, 2)
    lab.call(lab.build / "muster", "keygen", "stranger")
    for number, host in enumerate(fleet.hosts):
        host.start_agent(xfs_disk(lab, f"disk{number}"), controllers=("controller", "stranger"))
    plan = fleet_plan(fleet, "gone", PHASES, settings=LIMITS, size="64MiB", repeat=2)
    run = lose_in_second_trial(lab, fleet, plan)
    kept = keep_in_mind(lab, fleet, run)
    listed(fleet, plan, run)
    refused(lab, fleet, plan, run)
    require(keep_in_mind(lab, fleet, run) == kept, "what was refused has changed the spools")
    directory = collect(lab, fleet, plan, run, kept)
    done = fleet.muster("run", "--resume", directory).wait(90).expect(0)
    require("RESUMED" in Result(directory).codes(), f"not said: {done.stdout}")


def lose_in_second_trial(lab, fleet, plan):
    """In its last phase; answers the run's name."""
    program, directory = fleet.begin(plan)
    wait_for(lambda: "read (2 of 2, trial 2" in program.output()[1], 60, "the last phase")
    fleet.hosts[0].wait_for_load(program)
    time.sleep(2)
    program.signal(signal.SIGKILL)
    program.wait(5)
    shutil.rmtree(directory.with_name(directory.name + ".partial"))
    for host in fleet.hosts:
        wait_for(lambda host=host: host.disk.files() == [], 20, f"{host.address} cleans up")
    runs = Spool(lab, fleet.hosts[0]).runs()
    require(len(runs) == 1, f"kept are {runs}")
    return runs[0]


def keep_in_mind(lab, fleet, run):
    """By host: bytes of each phase and whether its end is there."""
    kept = {}
    for host in fleet.hosts:
        spool = Spool(lab, host)
        kept[host.address] = {int(path.name.split(".")[1]): spool.moved(path)
                              for path in spool.phases(run)}
        require(sorted(kept[host.address]) == [CHECKS + n for n in (1, 2, 3, 4)],
                f"{host.address} keeps {kept[host.address]}: what the controller had on its disk "
                "was lost with that")
    return kept


def listed(fleet, plan, run):
    done = fleet.muster("collect", "--plan", plan).wait(60).expect(0)
    require(f"{run}: of " in done.stdout and "2 of 2 hosts keep 4 phases" in done.stdout,
            done.stdout)


def refused(lab, fleet, plan, run):
    out = lab.directory / "refused"
    done = lab.muster("collect", "--plan", plan, run, "--out", out, "--key", "stranger",
                      namespace=fleet.controller).wait(60).expect(6)
    require("run's secret" in done.stderr, f"it is not said whose it is:\n{done.text}")
    done = lab.muster("collect", "--plan", plan, run, "--out", out, "--insecure",
                      namespace=fleet.controller).wait(60).expect(2)
    require("journal.bin alone" in done.stderr, f"what would prove it is not said:\n{done.text}")
    other = fleet_plan(fleet, "other", [PHASES[0], {**PHASES[1], "runtime": "5s"}],
                       settings=LIMITS, size="64MiB", repeat=2)
    done = fleet.muster("collect", "--plan", other, run, "--out", out).wait(60).expect(2)
    for word in ("phase 'read'", '"runtime": 9000000000', '"runtime": 5000000000'):
        require(word in done.stderr, f"{word} is not said:\n{done.text}")
    done = fleet.muster("collect", "--plan", plan, "20200101-000000-0000", "--out",
                        out).wait(60).expect(6)
    require("gives out nothing" not in done.stderr and "lists what they keep" in done.stderr,
            done.text)
    done = fleet.muster("collect", "--plan", plan, out, "--out", out).wait(60).expect(2)
    require("no run's id" in done.stderr, done.text)
    left = [path.name for path in lab.directory.glob("refused*")]
    require(not left, f"something was made: {left}")


def collect(lab, fleet, plan, run, kept):
    directory = lab.directory / "collected"
    done = fleet.muster("collect", "--plan", plan, run, "--out", directory).wait(90).expect(3)
    result = Result(directory)
    result.require_sums()
    require(result.run["run"] == run, "it is another run")
    for code in ("FROM_SPOOLS", "COLLECTED", "CONTROLLER_LOST"):
        require(code in result.codes(), f"{code} is not in {result.codes()}")
    require("byte for byte" in str(result.run["findings"]), f"whose plan it is is not said: {done.text}")
    for number, (name, trial) in enumerate((("write", 1), ("read", 1), ("write", 2), ("read", 2))):
        phase = result.phase(name, trial)
        for host in fleet.hosts:
            moved = (moved_by(phase, host.address, "bytes")
                     + moved_by(phase, host.address, "ramp_bytes"))
            measured, is_whole = kept[host.address][CHECKS + 1 + number]
            require(is_whole and moved == measured,
                    f"{host.address}: collected {moved}, measured {measured}")
        if (name, trial) != ("read", 2):
            require(phase["cluster"] is not None, f"{name}, trial {trial} has no figure")
            state = [host_of(phase, host.address)["state"] for host in fleet.hosts]
            require(state == ["complete", "complete"], f"{name}, trial {trial}: {state}")
    starts = [phase["start_ns"] for phase in result.run["phases"]]
    require(starts == sorted(starts) and 0 < starts[0] < 60e9, f"starts: {starts}")
    # What the controller knew each second bounds the whole of a phase.
    uncertain = [finding for finding in result.run["findings"]
                 if finding["code"] == "CLOCK_UNCERTAIN" and finding.get("phase") == "read"
                 and finding.get("trial") == 1]
    require(not uncertain, f"{uncertain}")
    for host in fleet.hosts:
        wait_for(lambda host=host: not Spool(lab, host).runs(), 10, f"{host.address} forgets")
    return directory
