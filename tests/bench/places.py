"""places.py - where the benchmark's I/O goes: targets for muster, and the same bytes for the others.

Each place undoes itself through the stack that it is given. A place that the machine does not have is
left out, and says why.
"""

import os
import pathlib
import subprocess
import time

MIB = 1 << 20
SIZE = 512 * MIB
CONTROL = pathlib.Path("/sys/class/zram-control")


def quietly(*command):
    """What it prints; the end of the benchmark where it fails."""
    words = [str(word) for word in command]
    ran = subprocess.run(words, check=False, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    if ran.returncode:
        raise SystemExit(f"exit {ran.returncode}: {' '.join(words)}\n{ran.stdout}")
    return ran.stdout


class Place:
    """`target` is muster's, without destroy; `filename` the others'. `settles`: what was just written
    is still on its way to a disk beneath. `discard`: reads begin with nothing stored."""

    def __init__(self, name, target, filename, settles=False, discard=False):
        self.name, self.target, self.filename = name, target, filename
        self.settles, self.discard, self.identity = settles, discard, None
        self.device = filename if str(filename).startswith("/dev/") else None

    def before(self, operation):
        if self.discard and operation == "read":
            quietly("blkdiscard", self.device)


def attach(stack, file, *options):
    device = quietly("losetup", "--find", "--show", *options, file).strip()
    stack.callback(quietly, "losetup", "-d", device)
    return device


def unmount(directory):
    """A program that was interrupted with us may hold it for a moment yet."""
    for _ in range(50):
        if subprocess.run(["umount", directory], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.2)
    quietly("umount", directory)


def mount(stack, directory, *arguments):
    directory.mkdir()
    quietly("mount", *arguments, directory)
    stack.callback(unmount, directory)
    return directory


def fill(path):
    """Real data: blocks that are all the same or zero may be served otherwise."""
    piece = os.urandom(MIB)
    with open(path, "r+b" if path.exists() else "wb") as file:
        for i in range(SIZE // MIB):
            file.write(piece[:-8] + i.to_bytes(8, "big"))
        file.flush()
        os.fsync(file.fileno())


def xfs(stack, directory):
    backing = directory / "backing"
    quietly("truncate", "-s", str(3 * SIZE), backing)
    device = attach(stack, backing, "--direct-io=on")
    quietly("mkfs.xfs", "-q", device)
    mounted = mount(stack, directory / "xfs", device)
    (mounted / "muster").mkdir()
    fill(mounted / "others")
    return Place("XFS file", f"path: {mounted}/muster, size: {SIZE}", mounted / "others",
                 settles=True)


def loop(stack, directory):
    mounted = mount(stack, directory / "memory", "-t", "tmpfs", "-o", "size=1100m", "tmpfs")
    fill(mounted / "backing")
    device = attach(stack, mounted / "backing")
    return Place("loop over tmpfs", f"device: {device}", device)


def zram(stack, _directory):
    if not CONTROL.exists():
        subprocess.run(["modprobe", "zram"], check=False, capture_output=True)
    if not CONTROL.exists():
        print("\nzram: this kernel has none: left out", flush=True)
        return None
    number = (CONTROL / "hot_add").read_text().strip()
    stack.callback((CONTROL / "hot_remove").write_text, number)
    pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(str(SIZE))
    device = f"/dev/zram{number}"
    return Place("zram", f"device: {device}", device, discard=True)


def null(_stack, _directory):
    return Place("null", f"null: true, size: {SIZE}", None)


ALL = (loop, xfs, zram, null)
