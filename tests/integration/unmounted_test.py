"""A file that a killed agent left on btrfs, whose device has another number at each mount: it stays
known while the file system is not mounted, and goes when it is there again, and nothing else with it."""

import os
import signal

from disks import btrfs_stripe
from hosts import Fleet
from lab import Failed, require, wait_for
from plans import write_plan

KILLED_S = 60  # the run of a killed agent ends within


def test(lab):
    fleet = Fleet(lab, 1)
    host = fleet.hosts[0]
    disk = btrfs_stripe(lab, "btrfs", 512)
    host.start_agent(disk)
    plan = write_plan(lab, "left", [{"host": host.address}],
                      {"file": {"path": disk.mount, "size": "32MiB"}},
                      [{"name": "write", "op": "write", "targets": ["file"], "runtime": "60s"}])
    path = leave_file(fleet, host, disk, plan)
    theirs = disk.mount / "theirs"
    theirs.write_text("precious")
    before = os.stat(disk.mount).st_dev
    lab.call("umount", disk.mount)

    host.start_agent(disk)
    for _ in range(2):
        require(f"could not remove '{path}'" in look(fleet, plan), "the file is forgotten")
    stop(host)

    mount_with_another_number(lab, disk, before)
    require(path.exists(), "the file system has lost the file by itself")
    host.start_agent(disk)
    look(fleet, plan)
    require(disk.files() == ["theirs"], f"files are there: {disk.files()}")
    require(theirs.read_text() == "precious", "another's file has changed")
    require("could not remove" not in look(fleet, plan), "the file is listed still")
    stop(host)


def leave_file(fleet, host, disk, plan):
    program, _ = fleet.begin(plan)
    host.wait_for_load(program)
    host.agent.signal(signal.SIGKILL)
    host.agent.process.wait(10)
    program.wait(KILLED_S)
    left = [path for path in disk.mount.rglob("*") if path.is_file()]
    require(len(left) == 1, f"files are left: {left}")
    return left[0]


def mount_with_another_number(lab, disk, before):
    """The numbers that are free go to something else first; how many are is other tests' affair."""
    other = lab.directory / "other"
    other.mkdir()
    for _ in range(8):
        for _ in range(8):
            lab.call("mount", "-t", "tmpfs", "muster-test", other)
            lab.undo.callback(lab.call, "umount", other)
        lab.call("mount", disk.device, disk.mount)
        if os.stat(disk.mount).st_dev != before:
            return
        lab.call("umount", disk.mount)
    raise Failed("the device has the number that it had")


def look(fleet, plan):
    return fleet.muster("fleet", plan).wait(30).expect(0).stdout


def stop(host):
    host.agent.signal(signal.SIGTERM)
    wait_for(lambda: not host.agent.is_running(), 20, "the agent ends")
