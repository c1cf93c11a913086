"""A host on ZFS beside three on XFS of another speed: two classes, and no outlier."""

import contextlib
import os
import subprocess

from disks import Disk, loop_device, unmount, xfs_disk
from hosts import Fleet
from lab import Failed, Skip, require, require_tools, wait_for
from plans import write_plan
from results import Result
from throttle import MB, Throttle

RATE = 24 * MB
PHASE = {"name": "read", "op": "read", "targets": ["disk"], "runtime": "10300ms",
         "block_size": "256KiB", "workers": 1, "direct": "prefer", "cache": "allowed"}


def test(lab):
    fleet = Fleet(lab, 4)
    for number, host in enumerate(fleet.hosts[:3]):
        disk = xfs_disk(lab, f"disk{number}", 320)
        throttle = Throttle(lab, f"host{number}")
        throttle.limit(disk.device, read=RATE)
        host.start_agent(disk, before=throttle.before)
    with zfs_disk(lab) as disk:
        fleet.hosts[3].start_agent(disk)
        require_two_classes(fleet)
        fleet.hosts[3].agent.end()


def require_two_classes(fleet):
    agents = [{"host": host.address, "targets": {"disk": {"path": host.disk.mount}}}
              for host in fleet.hosts]
    plan = write_plan(fleet.lab, "classes", agents, {"disk": {"path": "/nowhere", "size": "64MiB"}},
                      [PHASE])
    done, directory = fleet.run(plan)
    result = Result(directory)
    done.expect(0)
    targets = [host["targets"][0] for host in result.phase("read")["hosts"]]
    systems = [target["file_system"] for target in targets]
    require(systems[:3] == ["xfs"] * 3 and systems[3] != "xfs", f"file systems are {systems}")
    rates = [target["throughput_bytes_per_s"] for target in targets]
    require(not 0.8 < rates[3] / rates[0] < 1.2, f"the rates are alike, and show nothing: {rates}")
    require("OUTLIER" not in result.codes(), f"found {result.codes()}\n{done.stdout}")


@contextlib.contextmanager
def zfs_disk(lab):
    """A pool on a loop device, which no cache file remembers, and the daemon that serves it."""
    require_tools("zfs-fuse", "zpool")
    if not os.path.exists("/dev/fuse"):
        raise Skip("needs /dev/fuse")
    pool, where = f"{lab.prefix}pool", lab.directory / "zfs"
    device = loop_device(lab, "zfs", 320)
    where.mkdir()
    lab.undo.callback(unmount_if_mounted, lab, where)
    daemon = lab.start("zfs-fuse", ["zfs-fuse", "--no-daemon"])

    def make():
        if not daemon.is_running():
            raise Skip(f"zfs-fuse does not run: {daemon.output()}")
        command = ["zpool", "create", "-f", "-o", "cachefile=none", "-m", where, pool, device]
        return subprocess.run(command, capture_output=True, env=lab.environment(), timeout=30,
                              check=False).returncode == 0

    wait_for(make, 15, "zpool create")
    try:
        yield Disk([device], where)
    finally:
        with contextlib.suppress(Failed):
            lab.call("zpool", "destroy", "-f", pool)
        daemon.end()


def unmount_if_mounted(lab, where):
    if os.path.ismount(where):
        unmount(lab, where)
