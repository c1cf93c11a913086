"""A file system that hangs while an agent removes its file there (frozen, as by fsfreeze): the run ends
all the same, after the 120 s that removing may take, and says which host has not said that its files
are gone; and the agent is free when the file system goes on."""

import time

from disks import xfs_disk
from hosts import Fleet
from lab import require, require_tools, wait_for
from plans import fleet_plan
from results import Result

RELEASE_S = 120
READ_S = 3


def test(lab):
    require_tools("fsfreeze")
    fleet = Fleet(lab, 2)
    for host in fleet.hosts:
        host.start_agent(xfs_disk(lab, f"disk{host.number}", 320))
    hung, other = fleet.hosts
    # Who waits in a frozen file system cannot be ended by any signal.
    thaw = lambda: lab.call("sh", "-c", f"fsfreeze -u {hung.disk.mount} || true")
    ends = lab.end_programs
    lab.end_programs = lambda: (thaw(), ends())
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "size": "16MiB"},
              {"name": "read", "op": "read", "targets": ["disk"], "runtime": f"{READ_S}s"}]
    program, directory = fleet.begin(fleet_plan(fleet, "held", phases, size="16MiB"))
    wait_for(lambda: "read (2 of 2" in program.output()[1], 30, "the last phase")
    lab.call("fsfreeze", "-f", hung.disk.mount)
    frozen = time.monotonic()
    wait_for(lambda: other.disk.files() == [], READ_S + 15, f"{other.address} cleans up")
    done = program.wait(RELEASE_S + 30)
    took = time.monotonic() - frozen
    require(took <= READ_S + RELEASE_S + 15, f"the run ended {took:.1f} s after the freeze")
    result = Result(directory)
    found = [f for f in result.run["findings"] if f["code"] == "NOT_RELEASED"]
    require([(f["host"], f["level"]) for f in found] == [(hung.address, "WARN")],
            f"found {result.codes()}")
    require("NOT_RELEASED" in done.stdout, f"the report does not tell of it:\n{done.stdout}")
    result.require_sums()

    require(hung.disk.files() != [], "what was frozen is gone")
    thaw()
    wait_for(lambda: "released" in hung.agent.output()[1], 15, "the agent is free again")
    require(hung.disk.files() == [], f"files are left: {hung.disk.files()}")
    fleet.run(fleet_plan(fleet, "again", phases[:1], size="16MiB"))[0].expect(0)
