"""Collecting over a link so slow that a piece of what an agent keeps takes longer than any question
is patient: each byte comes once, who else would collect or go on meanwhile is refused, and what is
broken off says so and no more."""

import signal
import time

from hosts import Fleet
from lab import require, wait_for
from plans import write_plan
from results import Result, host_of, moved_by
from slow_link import SlowLink
from spools import Spool

TARGETS = 64
RUN_S = 20
PIECE = 1 << 20  # of one question
NAME, PORT = "127.0.0.1", 7500


def test(lab):
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    host.start_agent(None)
    link = SlowLink(fleet, host, PORT)
    directory = kill_in_mid_phase(lab, fleet)
    size, moved = wait_for(lambda: kept(lab, host), 20, "the agent ends its phase")
    print(f"{size} bytes are kept")
    require(size > PIECE * 1.3, f"{size} bytes are too few for more than a piece")
    broken_off(fleet, link, directory)
    slow(fleet, link, directory, size, moved)


def kill_in_mid_phase(lab, fleet):
    targets = {f"t{number}": {"null": True, "size": "64MiB"} for number in range(TARGETS)}
    phases = [{"name": "read", "op": "read", "targets": list(targets), "runtime": "5m",
               "block_size": "4KiB", "rate": "200/s"}]
    agents = [{"host": NAME, "port": PORT, "key": fleet.hosts[0].address}]
    plan = write_plan(lab, "slow", agents, targets, phases, bucket="10ms",
                      fleet={"suspect_after": "1s", "dead_after": "3s"})
    program, directory = fleet.begin(plan)
    wait_for(lambda: "phase read" in program.output()[1] or not program.is_running(), 30,
             "the phase")
    require(program.is_running(), f"it ended: {program.output()}")
    time.sleep(RUN_S)
    program.signal(signal.SIGKILL)
    program.wait(5)
    return directory


def kept(lab, host):
    """Size of the one file, and the bytes measured; None until its end is there."""
    spool = Spool(lab, host)
    path = spool.phases(spool.runs()[0])[-1]
    moved, is_whole = spool.moved(path)
    return (path.stat().st_size, moved) if is_whole else None


def broken_off(fleet, link, directory):
    """With a piece of it there, and the rest on its way."""
    before = link.moved()
    link.limit(400_000)
    program = fleet.muster("collect", directory)
    wait_for(lambda: link.moved() - before > PIECE * 1.1, 30, "the second piece begins")
    program.signal(signal.SIGINT)
    program.wait(20).expect(3)
    result = Result(directory)
    result.require_sums()
    part = host_of(result.phase("read"), NAME)
    require(moved_by(result.phase("read"), NAME, "bytes") > 0, "what came does not stand")
    require("agent ended" not in part["text"] and "interrupted" in part["text"], part["text"])
    said = {finding["code"]: finding["evidence"] for finding in result.run["findings"]}
    require("agent ended" not in said["COLLECTED"] and "beginning" in said["COLLECTED"],
            said["COLLECTED"])
    require("interrupted" in said["NOT_COLLECTED"], said["NOT_COLLECTED"])


def slow(fleet, link, directory, size, moved):
    before = link.moved()
    link.limit(100_000)
    program = fleet.muster("collect", directory)
    wait_for(lambda: link.moved() - before > PIECE / 4, 30, "it is under way")
    for arguments in (["collect", directory], ["run", "--resume", directory]):
        refused = fleet.muster(*arguments).wait(10).expect(2)
        require("in use" in refused.text, f"one more is not refused:\n{refused.text}")
    done = program.wait(120).expect(3)
    went = link.moved() - before
    print(f"{went} bytes went over the link for {size} that are kept, in {done.seconds:.1f} s")
    require(went <= 1.2 * size, f"{went} bytes went over the link for {size} that are kept")
    result = Result(directory)
    result.require_sums()
    require("NOT_COLLECTED" not in result.codes(), f"{result.codes()}")
    phase = result.phase("read")
    require(host_of(phase, NAME)["state"] == "aborted", f"{host_of(phase, NAME)['state']}")
    collected = moved_by(phase, NAME, "bytes")
    require(collected == moved, f"collected {collected}, measured {moved}")
