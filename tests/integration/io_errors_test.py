"""Disks of one of four hosts that fail under the load: what failed is counted by kind, with its place, and
nothing hangs."""

import os
import time

from disks import MIB, bare_disk
from faults import (ENDED_S, four_hosts, require_as_before, require_found, require_goes_on,
                    sound_result)
from lab import require, require_tools, wait_for
from plans import fleet_plan, write_plan
from results import Result, host_of

EIO = os.strerror(5)
HALF = 32 * MIB
GO_ON = {"on_host_loss": "continue"}


def test(lab):
    require_tools("xfs_io")
    raw = {number: bare_disk(lab, f"raw{number}", 64) for number in (1, 2, 3, 4)}
    fleet = four_hosts(lab, devices={number: [disk.device] for number, disk in raw.items()})
    reads_beyond_a_cut(fleet, raw)
    writes_on_a_dead_file_system(fleet)


def raw_plan(fleet, raw, name, **more):
    phases = [{"name": "read", "op": "read", "targets": ["raw"], "runtime": "4s",
               "block_size": "64KiB", **more}]
    agents = [{"host": host.address, "targets": {"raw": {"device": raw[host.number].device}}}
              for host in fleet.hosts]
    return write_plan(fleet.lab, name, agents, {"raw": {"device": "/nowhere"}}, phases, fleet=GO_ON)


def reads_beyond_a_cut(fleet, raw):
    """The device's file ends in the middle: random reads go on beside errors, a worker that finds
    nothing but errors ends."""
    before = raw[1].counters()[0]
    program, directory = fleet.begin(raw_plan(fleet, raw, "random", access="random", workers=2))
    wait_for(lambda: raw[1].counters()[0] - before > 4 * MIB, 30, "reads of the device")
    os.truncate(fleet.lab.directory / "raw1.img", HALF)
    done = program.wait(40).expect(3)
    target = check(fleet, directory, "read")
    require(target["operations"] > 0 and target["errors"] > 0, f"no errors: {target}")
    errors = require_kind(target, "read")
    require(errors["count"] == target["errors"], f"{errors} of {target['errors']}")
    require(errors["first_offset"] >= HALF, f"the first error is at {errors['first_offset']}")
    require(f"read: {EIO}" in done.stdout, f"the kind is not said:\n{done.stdout}")
    require(target["bytes"] == target["operations"] * (64 << 10), f"bytes are not whole: {target}")

    done, directory = fleet.run(raw_plan(fleet, raw, "straight"))
    done.expect(3)
    target = check(fleet, directory, "read")
    errors = require_kind(target, "read")
    require(errors["first_offset"] == HALF and errors["count"] == 100, f"errors: {errors}")
    require(f"at offset {HALF} " in target["first_error"], target["first_error"])
    require(target["bytes"] == HALF, f"{target['bytes']} bytes counted of {HALF} readable")
    require_as_before(fleet)


def writes_on_a_dead_file_system(fleet):
    runtime = 6
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": f"{runtime}s",
               "block_size": "64KiB", "workers": 2}]
    plan = fleet_plan(fleet, "dead", phases, settings=GO_ON)
    program, directory = fleet.begin(plan)
    victim = fleet.hosts[0]
    began = victim.wait_for_load(program)
    # With its log written, or a file that an earlier run removed would be there again.
    fleet.lab.call("xfs_io", "-x", "-c", "shutdown -f", victim.disk.mount)
    done = program.wait(60).expect(3)
    late = time.monotonic() - began - runtime
    require(late <= ENDED_S, f"the run went on for {late:.1f} s")
    target = check(fleet, directory, "write")
    require(require_kind(target, "write")["count"] >= 100, f"errors: {target['io_errors']}")
    sync = [error for error in target["io_errors"] if error["op"] == "sync"]
    require(len(sync) == 1 and sync[0]["error"] == EIO, f"sync is not there: {target['io_errors']}")
    require(str(victim.disk.mount) in done.text and EIO in done.text, f"not said:\n{done.text}")
    require_found(Result(directory), "FILE_LEFT", [victim])
    repair(fleet, plan, victim)


def repair(fleet, plan, victim):
    """What could not be removed is said and listed, and goes when the file system is back."""
    listed = fleet.muster("fleet", plan).wait(30).expect(0).stdout
    require(f"{victim.address}: could not remove" in listed, listed)
    fleet.lab.call("umount", victim.disk.mount)
    fleet.lab.call("mount", victim.disk.device, victim.disk.mount)
    require(victim.disk.files() != [], "the file system has lost the file by itself")
    fleet.muster("fleet", plan).wait(30).expect(0)
    require_as_before(fleet)


def check(fleet, directory, phase):
    """The first host had errors, the others none and all their time; answers its target."""
    victim, others = fleet.hosts[0], fleet.hosts[1:]
    result = sound_result(fleet, directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    require_found(result, "IO_ERRORS", [victim])
    part = result.phase(phase)
    require_goes_on(result, part, others, "complete")
    require(part["cluster"] is None and part["cluster_partial"]["hosts"] == len(others),
            f"{part['cluster']}, {part['cluster_partial']}")
    for host in others:
        target = host_of(part, host.address)["targets"][0]
        require(target["errors"] == 0, f"{host.address}: {target['errors']} errors")
    return host_of(part, victim.address)["targets"][0]


def require_kind(target, op):
    kinds = [error for error in target["io_errors"] if error["op"] == op]
    require(len(kinds) == 1 and kinds[0]["error"] == EIO, f"errors: {target['io_errors']}")
    return kinds[0]
