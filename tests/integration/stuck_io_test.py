"""A device that does not answer any more, of one of four hosts: said with target and offset after
io_timeout, told apart from a host that is gone at the same time, and when it answers again the agent
tidies up and is free."""

import re
import signal
import time

from disks import MIB
from faults import (ENDED_S, four_hosts, kept_bytes, require_as_before, require_goes_on,
                    require_missing, sound_result)
from lab import require, wait_for
from plans import fleet_plan
from results import host_of, moved_by
from throttle import Throttle

DEAD_AFTER_S, IO_TIMEOUT_S, RUNTIME_S = 3, 2, 8


def test(lab):
    fleet = four_hosts(lab)
    stuck, silent, *others = fleet.hosts
    throttle = Throttle(lab, "stuck")
    throttle.take(stuck.agent.pid)
    # A lab that fails ends its programs first: one that sits in its I/O could not be.
    ends = lab.end_programs
    lab.end_programs = lambda: (throttle.limit(stuck.disk.device), ends())
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": f"{RUNTIME_S}s",
               "block_size": "64KiB", "workers": 2}]
    plan = fleet_plan(fleet, "stuck", phases, io_timeout=f"{IO_TIMEOUT_S}s",
                      settings={"on_host_loss": "continue", "dead_after": f"{DEAD_AFTER_S}s",
                                "suspect_after": "1s"})
    program, directory = fleet.begin(plan)
    for host in fleet.hosts:
        began = host.wait_for_load(program)
    throttle.limit(stuck.disk.device, read=1, write=1)
    silent.agent.signal(signal.SIGSTOP)
    said = f"host '{stuck.address}' is lost: I/O is stuck"
    wait_for(lambda: said in program.output()[1], IO_TIMEOUT_S + 3.5, "what is stuck is said")
    done = program.wait(60).expect(3)
    late = time.monotonic() - began - RUNTIME_S
    require(late <= ENDED_S, f"the run went on for {late:.1f} s")
    check(fleet, directory, done)
    require("I/O is stuck" in stuck.agent.output()[1], "the agent does not say it itself")

    throttle.limit(stuck.disk.device)
    silent.agent.signal(signal.SIGCONT)
    for host in (stuck, silent):
        wait_for(lambda host=host: "released" in host.agent.output()[1], 10,
                 f"the agent of {host.address} is free again")
    collect(fleet, directory, (stuck, silent))
    for host in others:
        require(host.agent.output()[1].count("released") >= 1, f"{host.address} is not released")
    require_as_before(fleet)


def check(fleet, directory, done):
    stuck, silent, *others = fleet.hosts
    result = sound_result(fleet, directory)
    phase = result.phase("write")
    require_missing(result, phase, [stuck, silent])
    require_goes_on(result, phase, others, "complete")
    text = host_of(phase, stuck.address)["text"]
    found = re.search(r"I/O is stuck: a request at offset (\d+) of target 'disk' \((\S+)\) has "
                      r"been outstanding for .* s, io_timeout is 2\.000 s", text)
    require(found, f"what is stuck is not said: {text}")
    require(found[2].startswith(str(stuck.disk.mount)), f"the file is {found[2]}")
    require(int(found[1]) % (64 << 10) == 0 and int(found[1]) < 128 * MIB,
            f"the offset is {found[1]}")
    text = host_of(phase, silent.address)["text"]
    require("the agent is stopped or stuck" in text and "I/O" not in text, text)
    require("I/O is stuck" in done.stdout and "stopped or stuck" in done.stdout, done.stdout)


def collect(fleet, directory, hosts):
    kept = {host: kept_bytes(host) for host in hosts}
    fleet.muster("collect", directory).wait(60).expect(3)
    phase = sound_result(fleet, directory).phase("write")
    for host, (moved, is_whole) in kept.items():
        require(is_whole and moved_by(phase, host.address, "bytes") == moved,
                f"{host.address}: collected is not what the spool had: {moved}, {is_whole}")
