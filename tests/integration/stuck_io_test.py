"""A device that does not answer any more: said with target and offset after io_timeout, told apart from
a host that is gone, and when it answers again the agent tidies up and is free."""

import re

from disks import MIB, xfs_disk
from hosts import Fleet
from lab import require, wait_for
from plans import fleet_plan
from results import Result, host_of
from throttle import Throttle


def test(lab):
    disks = [xfs_disk(lab, f"disk{number}") for number in (1, 2)]
    fleet = Fleet(lab, 2)
    for host, disk in zip(fleet.hosts, disks):
        host.start_agent(disk)
    agent = fleet.hosts[0].agent
    device = disks[0].device
    throttle = Throttle(lab, "stuck")
    throttle.take(agent.pid)
    # A lab that fails ends its programs first: one that sits in its I/O could not be.
    ends = lab.end_programs
    lab.end_programs = lambda: (throttle.limit(device), ends())
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "60s",
               "block_size": "64KiB", "workers": 2}]
    plan = fleet_plan(fleet, "stuck", phases, "128MiB",
                      settings={"on_host_loss": "abort", "dead_after": "3s",
                                "suspect_after": "2s"})
    plan.write_text(plan.read_text() + "io_timeout: 2s\n")
    program, directory = fleet.begin(plan)
    for host in fleet.hosts:
        host.wait_for_load(program)
    throttle.limit(device, read=1, write=1)
    done = program.wait(45).expect(3)
    check(Result(directory), fleet, done)
    require("I/O is stuck" in agent.output()[1], "the agent does not say it itself")
    require(agent.is_running(), "the agent ended")
    throttle.limit(device)
    free_again(fleet, agent)


def check(result, fleet, done):
    stuck, other = (host_of(result.phase("write"), host.address) for host in fleet.hosts)
    require(stuck["state"] == "lost" and other["state"] != "lost",
            f"states are {stuck['state']} and {other['state']}")
    found = re.search(r"I/O is stuck: a request at offset (\d+) of target 'disk' \((\S+)\) has "
                      r"been outstanding for .* s, io_timeout is 2\.000 s", stuck["text"] or "")
    require(found, f"what is stuck is not said: {stuck['text']}")
    require(found[2].startswith(str(fleet.hosts[0].disk.mount)), f"the file is {found[2]}")
    require(int(found[1]) % (64 << 10) == 0 and int(found[1]) < 128 * MIB,
            f"the offset is {found[1]}")
    require("I/O is stuck" in done.stdout, "the report does not say it")
    require("HOST_LOST" in result.codes("INVALID"), f"findings are {result.codes()}")


def free_again(fleet, agent):
    wait_for(lambda: "released" in agent.output()[1], 30, "the agent is free again")
    require(fleet.hosts[0].disk.files() == [], f"left: {fleet.hosts[0].disk.files()}")
    phases = [{"name": "again", "op": "write", "targets": ["disk"], "size": "16MiB"}]
    done, _ = fleet.run(fleet_plan(fleet, "again", phases, "16MiB"))
    done.expect(0)
