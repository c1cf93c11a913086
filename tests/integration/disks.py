"""disks.py - loop devices as a lab's disks: bare, with XFS, or several with one btrfs RAID0."""

import contextlib
import hashlib
import os
import pathlib

from lab import Failed, Skip, require_root, require_tools

MIB = 1 << 20
SECTOR = 512


class Disk:
    """`devices` are loop devices; `mount` is where their file system is, None for a bare one."""

    def __init__(self, devices, mount):
        self.devices, self.mount = devices, mount

    @property
    def device(self):
        return self.devices[0]

    def names(self):
        return {os.path.basename(device) for device in self.devices}

    def counters(self):
        """Bytes that the kernel says were read from and written to the devices since boot."""
        read = written = 0
        for line in pathlib.Path("/proc/diskstats").read_text().splitlines():
            field = line.split()
            if field[2] in self.names():
                read += int(field[5]) * SECTOR
                written += int(field[9]) * SECTOR
        return read, written

    def files(self):
        return sorted(path.name for path in self.mount.rglob("*") if not path.is_dir())

    def digest(self):
        digest = hashlib.sha256()
        with open(self.device, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while chunk := file.read(MIB):
                digest.update(chunk)
        return digest.hexdigest()


def require_loop_devices(lab):
    require_root()
    require_tools("losetup", "mount", "mkfs.xfs", "mkfs.btrfs", "nsenter", "ip")
    kind = lab.call("stat", "-f", "-c", "%T", lab.directory)
    if kind in ("tmpfs", "ramfs"):
        raise Skip(f"needs a build directory on a disk, '{lab.directory}' is on {kind}")


def loop_device(lab, name, size_mib):
    image = lab.directory / f"{name}.img"
    with open(image, "wb") as file:
        file.truncate(size_mib * MIB)
    arguments = ["losetup", "--find", "--show", image]
    try:
        device = lab.call(*arguments, "--direct-io=on")
    except Failed:
        device = lab.call(*arguments)
    lab.undo.callback(detach, lab, device)
    return device


def detach(lab, device):
    with contextlib.suppress(Failed):
        lab.call("losetup", "-d", device)


def mount(lab, device, name):
    where = lab.directory / name
    where.mkdir()
    lab.call("mount", device, where)
    lab.undo.callback(unmount, lab, where)
    return where


def unmount(lab, where):
    if not os.path.ismount(where):
        return  # a test that failed had it off
    try:
        lab.call("umount", where)
    except Failed:
        lab.call("umount", "--lazy", where)


def bare_disk(lab, name, size_mib):
    """Filled with bytes that are not zeros, so that a digest can tell."""
    require_loop_devices(lab)
    disk = Disk([loop_device(lab, name, size_mib)], None)
    with open(disk.device, "wb", buffering=0) as file:
        for _ in range(size_mib):
            file.write(os.urandom(MIB))
        os.fsync(file.fileno())
    return disk


def xfs_disk(lab, name, size_mib=512):
    require_loop_devices(lab)
    device = loop_device(lab, name, size_mib)
    lab.call("mkfs.xfs", "-q", "-f", device)
    return Disk([device], mount(lab, device, name))


def btrfs_stripe(lab, name, size_mib=512):
    require_loop_devices(lab)
    devices = [loop_device(lab, f"{name}-{part}", size_mib) for part in "ab"]
    lab.call("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid0", *devices)
    return Disk(devices, mount(lab, devices[0], name))
