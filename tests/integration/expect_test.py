"""A later run finds what an earlier one left: through a restarted agent, on a file and a device."""

import os
import signal

from disks import bare_disk, xfs_disk
from hosts import Fleet
from lab import require
from plans import write_plan
from results import Result, host_of
from spools import Spool

SIZE = "24MiB"
WRITE = {"op": "write", "targets": ["file", "raw"], "size": SIZE, "block_size": "64KiB",
         "access": "random", "compress": "50%", "dedupe": "20%"}


def test(lab):
    disk, raw = xfs_disk(lab, "disk", 512), bare_disk(lab, "raw", 24)
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    restart(host, disk, raw)
    first = [{"name": "fill", **WRITE, "access": "sequential"}, {"name": "again", **WRITE}]
    unsynced = [{**phase, "sync": "none"} for phase in first]
    run_it(fleet, host, raw, "unsynced", unsynced, 0)
    require(bound_to_boot(lab, host) == [True, True], "what nothing synced is known for good")
    run = run_id(run_it(fleet, host, raw, "first", first, 0))
    require(bound_to_boot(lab, host) == [False, False], "what was synced is known of this boot only")

    restart(host, disk, raw)
    check = [{"name": "check", "op": "read", "targets": ["file", "raw"], "size": SIZE,
              "expect": run, "verify": True}]
    for name in ("second", "third"):
        require_verified(run_it(fleet, host, raw, name, check, 0), host)

    wrong = [{**check[0], "expect": "20000101-000000-0001"}]
    said = run_it(fleet, host, raw, "wrong", wrong, 5)
    require(f"was last written by run '{run}'" in said, f"not said by whom:\n{said}")

    damage(raw.device)
    directory = run_it(fleet, host, raw, "damaged", check, 3)
    found = target_of(Result(directory), host, "raw")["miscompares"]
    require(found["blocks"] == 1 and found["first_offset"] >= 5 << 20,
            f"found on the device: {found}")

    killed_in_a_phase(fleet, host, disk, raw)
    said = run_it(fleet, host, raw, "late", check, 5)
    require("nothing is known of what run" in said, f"what was written over is believed:\n{said}")
    removed(fleet, host)


def restart(host, disk, raw):
    if host.agent:
        host.agent.end()
    host.start_agent(disk, devices=[raw.device])


def bound_to_boot(lab, host):
    """Of each file or device: whether what is known of it ends with this kernel."""
    return [" boot " in path.read_text() for path in Spool(lab, host).results.parent.glob("known.*")]


def removed(fleet, host):
    """What a run kept goes when another says so, and then alone."""
    path, = host.disk.mount.rglob("muster.*.data")
    for name, said in (("stays", {}), ("goes", {"remove": True})):
        require(path.exists(), f"the file went before run '{name}'")
        plan = write_plan(fleet.lab, name, [{"host": host.address}],
                          {"file": {"path": host.disk.mount, "size": SIZE, **said}},
                          [{"name": "pause", "op": "idle", "targets": ["file"], "runtime": "200ms"}])
        done, _ = fleet.run(plan)
        done.expect(0)
    require(not path.exists(), "a kept file was to be removed and is there")


def plan_of(fleet, host, raw, name, phases):
    identity = f"loop:{fleet.lab.directory / 'raw.img'}:{device_of(fleet.lab)}"
    targets = {"file": {"path": host.disk.mount, "size": SIZE, "keep": True},
               "raw": {"device": raw.device, "destroy": identity}}
    return write_plan(fleet.lab, name, [{"host": host.address}], targets, phases)


def device_of(lab):
    st = os.stat(lab.directory / "raw.img")
    return f"{st.st_dev}:{st.st_ino}"


def run_it(fleet, host, raw, name, phases, code):
    """The run directory; what was said where nothing was measured."""
    done, directory = fleet.run(plan_of(fleet, host, raw, name, phases))
    done.expect(code)
    return directory if code in (0, 3) else done.stderr


def run_id(directory):
    return Result(directory).run["run"]


def target_of(result, host, name):
    for target in host_of(result.phase("check"), host.address)["targets"]:
        if target["target"] == name:
            return target
    raise AssertionError(f"no target '{name}'")


def require_verified(directory, host):
    result = Result(directory)
    for name in ("file", "raw"):
        target = target_of(result, host, name)
        found = target["miscompares"]
        require(found["verified_bytes"] == target["bytes"] == 24 << 20 and found["blocks"] == 0,
                f"{name}: {found} of {target['bytes']} bytes")
    for device in host_of(result.phase("check"), host.address)["devices"]:
        require(device["bytes_written"] < 4 << 20, f"something was laid out: {device}")


def damage(device):
    fd = os.open(device, os.O_RDWR)
    os.pwrite(fd, b"damaged", 5 << 20)
    os.fsync(fd)
    os.close(fd)


def killed_in_a_phase(fleet, host, disk, raw):
    phases = [{"name": "over", **WRITE, "size": "4GiB", "access": "sequential"}]
    program, _ = fleet.begin(plan_of(fleet, host, raw, "killed", phases))
    host.wait_for_load(program)
    host.agent.signal(signal.SIGKILL)
    program.wait(60)
    host.agent.wait(10)
    restart(host, disk, raw)
