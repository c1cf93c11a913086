"""Disks that fail under the load: what failed is counted by kind, with its place, and nothing hangs."""

import os

from disks import MIB, bare_disk, xfs_disk
from hosts import Fleet
from lab import require, require_tools, wait_for
from plans import fleet_plan, write_plan
from results import Result, host_of

EIO = os.strerror(5)
HALF = 32 * MIB


def test(lab):
    require_tools("xfs_io")
    disk, raw = xfs_disk(lab, "disk", 512), bare_disk(lab, "raw", 64)
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    host.start_agent(disk, devices=[raw.device])
    reads_beyond_a_cut(fleet, host, raw)
    writes_on_a_dead_file_system(lab, fleet, host, disk)


def raw_plan(fleet, host, raw, name, **more):
    phases = [{"name": "read", "op": "read", "targets": ["raw"], "runtime": "4s",
               "block_size": "64KiB", **more}]
    return write_plan(fleet.lab, name, [{"host": host.address}], {"raw": {"device": raw.device}},
                      phases)


def reads_beyond_a_cut(fleet, host, raw):
    """The device's file ends in the middle: random reads go on beside errors, a worker that finds
    nothing but errors ends."""
    before = raw.counters()[0]
    program, directory = fleet.begin(raw_plan(fleet, host, raw, "random", access="random",
                                              workers=2))
    wait_for(lambda: raw.counters()[0] - before > 4 * MIB, 30, "reads of the device")
    os.truncate(fleet.lab.directory / "raw.img", HALF)
    done = program.wait(40).expect(3)
    target = target_of(directory, "read", host)
    require(target["operations"] > 0 and target["errors"] > 0, f"no errors: {target}")
    errors = require_kind(target, "read")
    require(errors["count"] == target["errors"], f"{errors} of {target['errors']}")
    require(errors["first_offset"] >= HALF, f"the first error is at {errors['first_offset']}")
    require(f"read: {EIO}" in done.stdout, f"the kind is not said:\n{done.stdout}")
    require(target["bytes"] == target["operations"] * (64 << 10), f"bytes are not whole: {target}")

    done, directory = fleet.run(raw_plan(fleet, host, raw, "straight"))
    done.expect(3)
    target = target_of(directory, "read", host)
    errors = require_kind(target, "read")
    require(errors["first_offset"] == HALF and errors["count"] == 100, f"errors: {errors}")
    require(f"at offset {HALF} " in target["first_error"], target["first_error"])
    require(target["bytes"] == HALF, f"{target['bytes']} bytes counted of {HALF} readable")


def writes_on_a_dead_file_system(lab, fleet, host, disk):
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "runtime": "20s",
               "block_size": "64KiB", "workers": 2}]
    program, directory = fleet.begin(fleet_plan(fleet, "dead", phases))
    host.wait_for_load(program)
    lab.call("xfs_io", "-x", "-c", "shutdown", disk.mount)
    done = program.wait(60).expect(3)
    require(done.seconds < 20, f"the run went on for {done.seconds:.1f} s")
    result = Result(directory)
    require(result.outcome == "INVALID", f"outcome is {result.outcome}")
    result.require_sums()
    target = target_of(directory, "write", host)
    require(require_kind(target, "write")["count"] >= 100, f"errors: {target['io_errors']}")
    sync = [error for error in target["io_errors"] if error["op"] == "sync"]
    require(len(sync) == 1 and sync[0]["error"] == EIO, f"sync is not there: {target['io_errors']}")
    require(str(disk.mount) in done.text and EIO in done.text, f"not said:\n{done.text}")


def target_of(directory, phase, host):
    result = Result(directory)
    return host_of(result.phase(phase), host.address)["targets"][0]


def require_kind(target, op):
    kinds = [error for error in target["io_errors"] if error["op"] == op]
    require(len(kinds) == 1 and kinds[0]["error"] == EIO, f"errors: {target['io_errors']}")
    return kinds[0]
